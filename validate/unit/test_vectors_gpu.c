/* Spins that are vectors on a GPU have the bits of the CPU engine, which has those of reference/plain_vectors.c: reports and components,
 * behind steps with selection, in groups and behind copies; a replica a block and lattices in device memory, pairs of sites and single ones, whole regions and
 * others, tiles in shared memory and others, clusters within tiles of labels and across them; and overlaps of glasses. Negative control: a
 * temperature of its own is found. Without a GPU this is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/capacity.h"
#include "engine/engine.h"
#include "validate/identity/difference.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SWEEPS       3
#define CHECKERBOARD                                                                               \
    { .order = VISIT_CHECKERBOARD }

/* What is simulated. */
typedef struct {
    const model_kind *kind;
    uint32_t edge[MODEL_MAX_DIMENSION];
    const update_kind *update;
    uint32_t reflections;
    uint64_t replicas;
    visit_plan plan;
} subject;

static const subject subjects[] = {
    {&heisenberg2d_kind, {8, 8, 1}, &metropolis_update, 1, 200, CHECKERBOARD},
    {&heisenberg2d_kind, {6, 10, 1}, &heat_bath_update, 0, 70, CHECKERBOARD},
    {&heisenberg2d_kind, {2, 2, 1}, &metropolis_update, 1, 300, CHECKERBOARD},
    {&heisenberg2d_kind, {6, 8, 1}, &metropolis_update, 1, 5, CHECKERBOARD},
    {&xy2d_kind, {16, 6, 1}, &heat_bath_update, 2, 7, CHECKERBOARD},
    {&xy2d_kind, {24, 8, 1}, &metropolis_update, 0, 100, CHECKERBOARD},
    {&heisenberg3d_kind, {8, 4, 6}, &heat_bath_update, 1, 9, CHECKERBOARD},
    {&heisenberg3d_kind, {6, 4, 2}, &metropolis_update, 0, 90, CHECKERBOARD},
    {&xy3d_kind, {4, 4, 4}, &metropolis_update, 1, 80, CHECKERBOARD},
    {&heisenberg2d_kind, {128, 64, 1}, &metropolis_update, 1, 3, CHECKERBOARD},
    {&xy2d_kind, {64, 96, 1}, &heat_bath_update, 0, 5, CHECKERBOARD},
    {&heisenberg2d_kind, {32, 16, 1}, &metropolis_update, 0, 6, {VISIT_TILES, 4, 3, false, false}},
    {&heisenberg2d_kind, {24, 12, 1}, &metropolis_update, 0, 6, {VISIT_TILES, 6, 3, false, false}},
    {&heisenberg2d_kind, {32, 64, 1}, &heat_bath_update, 1, 4, {VISIT_TILES, 16, 4, true, false}},
    {&heisenberg2d_kind, {8, 8, 1}, &metropolis_update, 0, 70, {VISIT_TILES, 2, 3, false, false}},
    {&xy2d_kind, {8, 8, 1}, &metropolis_update, 0, 3, {VISIT_TILES, 8, 3, false, false}},
    {&xy2d_kind, {256, 128, 1}, &metropolis_update, 0, 2, {VISIT_TILES, 64, 2, false, false}},
    {&xy3d_kind, {8, 16, 8}, &heat_bath_update, 0, 5, {VISIT_TILES, 4, 2, false, false}},
    {&heisenberg2d_kind, {8, 8, 1}, &wolff_update, 1, 200, CHECKERBOARD},
    {&heisenberg2d_kind, {2, 2, 1}, &swendsen_wang_update, 0, 70, CHECKERBOARD},
    {&heisenberg2d_kind, {128, 34, 1}, &swendsen_wang_update, 0, 3, CHECKERBOARD},
    {&xy2d_kind, {34, 48, 1}, &wolff_update, 0, 6, CHECKERBOARD},
    {&xy3d_kind, {8, 18, 4}, &swendsen_wang_update, 1, 70, CHECKERBOARD},
    {&heisenberg3d_kind, {34, 4, 6}, &wolff_update, 0, 5, CHECKERBOARD},
    {&heisenberg_glass2d_kind, {8, 6, 1}, &metropolis_update, 1, 200, CHECKERBOARD},
    {&xy_glass2d_kind, {64, 96, 1}, &heat_bath_update, 0, 70, CHECKERBOARD},
    {&heisenberg_glass3d_kind, {4, 6, 8}, &heat_bath_update, 0, 77, CHECKERBOARD},
    {&xy_glass3d_kind, {6, 4, 4}, &metropolis_update, 1, 130, CHECKERBOARD},
    {&xy_glass3d_kind, {4, 4, 4}, &metropolis_update, 0, 17000, CHECKERBOARD}};

/* Couplings of any value, of which some are missing; of models without couplings none. */
static const couplings *couplings_for(const spin_model *m) {
    static couplings c;
    couplings_destroy(&c);
    if (!m->disordered)
        return NULL;
    assert_true(couplings_create(&c, m->dimension, m->edge) && couplings_allocate_values(&c));
    for (uint64_t bond = 0; bond < c.bonds; bond++) {
        const stream_block b =
            stream_draw(stream_run_key(7, 0), STREAM_WALK, (uint32_t)bond, 0, 0, 0);
        couplings_set_value(&c, bond, (int32_t)(b.number[0] >> 11) - (1 << 20));
        if (b.number[1] % 8 == 0)
            assert_true(couplings_remove(&c, bond));
    }
    return &c;
}

static engine_config config_of(const subject *s, real_kind real) {
    spin_model m = s->kind->create(s->edge);
    s->kind->choose(&m, &(state_choice){.real = real, .reflections = s->reflections});
    const couplings *const c = couplings_for(&m);
    m = c != NULL ? model_of_sample(m, c) : m;
    return (engine_config){.coding = CODING_SSC,
                           .model = m,
                           .capacity = population_capacity(s->replicas, 1),
                           .word = 32,
                           .rng = RNG_INDEPENDENT,
                           .clusters = s->update->clusters != CLUSTERS_NONE,
                           .visits = s->plan};
}

/* An engine, and its last report. */
typedef struct {
    engine *e;
    histogram h;
} machine;

static machine machine_of(engine *e, uint64_t replicas) {
    machine m = {.e = e};
    assert_non_null(e);
    assert_int_equal(histogram_create(&m.h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(7, 0), replicas, &m.h), ENGINE_OK);
    return m;
}

static void destroy(machine *m) {
    histogram_destroy(&m->h);
    m->e->verbs->destroy(m->e);
}

/* A step with parents that are given: some have several children, others none. */
static void step_to(machine *m, const subject *s, double beta, uint32_t number) {
    uint32_t *const parents = malloc(s->replicas * sizeof *parents);
    for (uint64_t k = 0; k < s->replicas; k++)
        parents[k] = (uint32_t)((k + number) / 2 % s->replicas);
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(7, 0),
                              .temperature = number,
                              .sweeps = SWEEPS,
                              .founders = s->replicas,
                              .parents = parents,
                              .children = s->replicas,
                              .rule = flip_rule_at(s->update, &m->e->model, beta)};
    assert_int_equal(m->e->verbs->step(m->e, &step, &m->h), ENGINE_OK);
    free(parents);
}

/* Two groups at temperatures of their own. */
static void step_in_groups(machine *m, const subject *s, uint32_t number) {
    const engine_group group[2] = {{0, flip_rule_at(s->update, &m->e->model, 0.4)},
                                   {s->replicas / 2, flip_rule_at(s->update, &m->e->model, 1.3)}};
    const engine_step step = {.parts = PART_SWEEP,
                              .key = stream_run_key(7, 0),
                              .temperature = number,
                              .sweeps = SWEEPS,
                              .group = group,
                              .groups = 2};
    assert_int_equal(m->e->verbs->step(m->e, &step, NULL), ENGINE_OK);
}

/* Whether spins are the same, and reports if they are `measured`. */
static bool same(const machine *a, const machine *b, uint64_t replicas, bool measured) {
    const size_t bytes = model_packed_bytes(&a->e->model) * replicas;
    uint8_t *const spins[2] = {malloc(bytes), malloc(bytes)};
    uint32_t *const families = malloc(replicas * sizeof *families);
    assert_int_equal(a->e->verbs->read(a->e, 0, replicas, spins[0], families), ENGINE_OK);
    assert_int_equal(b->e->verbs->read(b->e, 0, replicas, spins[1], families), ENGINE_OK);
    const bool reports =
        !measured || identity_compare_reports(&a->h, &b->h, false).quantity == QUANTITY_NONE;
    const bool as_bytes = memcmp(spins[0], spins[1], bytes) == 0;
    free(spins[0]);
    free(spins[1]);
    free(families);
    return reports && as_bytes;
}

/* Copies replicas 1 and 2 of one engine to places 0 and 1 of another. */
static void copy(const machine *from, machine *to, uint64_t replicas) {
    uint8_t *const spins = malloc(2 * model_packed_bytes(&from->e->model));
    uint32_t families[2];
    assert_int_equal(from->e->verbs->read(from->e, 1, 2, spins, families), ENGINE_OK);
    assert_int_equal(to->e->verbs->write(to->e, 0, 2, replicas, spins, families), ENGINE_OK);
    free(spins);
}

/* Whether the overlaps of two machines are the same, of all replicas or of those of a range. */
static bool same_overlaps(const machine *a, const machine *b, bool all, uint64_t first,
                          uint64_t count) {
    const machine *const of[2] = {a, b};
    overlap_sums sums[2];
    bool same = true;
    for (int n = 0; n < 2; n++) {
        engine *const e = of[n]->e;
        assert_int_equal(overlap_sums_create(&sums[n], &e->model), 0);
        assert_int_equal(all ? e->verbs->overlaps(e, &sums[n])
                             : e->verbs->group_overlaps(e, first, count, &sums[n]),
                         ENGINE_OK);
    }
    const overlap_scale scale = sums[0].scale;
    same = sums[0].pairs == sums[1].pairs && sums[0].relatives == sums[1].relatives &&
           sums[0].family_logs == sums[1].family_logs &&
           memcmp(sums[0].block, sums[1].block, sizeof sums[0].block) == 0 &&
           memcmp(sums[0].vectors, sums[1].vectors, sizeof sums[0].vectors) == 0 &&
           memcmp(sums[0].differ, sums[1].differ,
                  (size_t)OVERLAP_PARTS * scale.differ_bins * sizeof(uint32_t)) == 0 &&
           memcmp(sums[0].walls, sums[1].walls,
                  (size_t)OVERLAP_PARTS * scale.wall_bins * sizeof(uint32_t)) == 0;
    overlap_sums_destroy(&sums[0]);
    overlap_sums_destroy(&sums[1]);
    return same;
}

static void compare(const subject *s, real_kind real) {
    const engine_config config = config_of(s, real);
    machine gpu = machine_of(gpu_engine(&config), s->replicas),
            cpu = machine_of(engine_cpu_create(&config), s->replicas);
    assert_true(same(&cpu, &gpu, s->replicas, true));
    for (uint32_t number = 1; number <= 2; number++) {
        step_to(&cpu, s, 0.9, number);
        step_to(&gpu, s, 0.9, number);
        assert_true(same(&cpu, &gpu, s->replicas, true));
    }
    if (s->kind->disordered) {
        assert_true(same_overlaps(&cpu, &gpu, true, 0, s->replicas));
        assert_true(same_overlaps(&cpu, &gpu, false, 5, s->replicas - 7));
    }
    step_in_groups(&cpu, s, 3);
    step_in_groups(&gpu, s, 3);
    assert_true(same(&cpu, &gpu, s->replicas, false));
    if (s->replicas > 2) {
        copy(&gpu, &gpu, s->replicas);
        copy(&cpu, &cpu, s->replicas);
    }
    step_to(&cpu, s, 1.1, 4);
    step_to(&gpu, s, 1.1, 4);
    assert_true(same(&cpu, &gpu, s->replicas, true));
    step_to(&cpu, s, 1.1, 5);
    step_to(&gpu, s, 1.2, 5);
    assert_false(same(&cpu, &gpu, s->replicas, true));
    assert_false(s->kind->disordered && same_overlaps(&cpu, &gpu, true, 0, s->replicas));
    destroy(&cpu);
    destroy(&gpu);
}

static void a_gpu_has_the_bits_of_the_cpu(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < COUNT(subjects); n++)
        for (real_kind real = REAL_FLOAT; real <= REAL_DOUBLE; real++) {
            printf("  %s, subject %zu\n", real == REAL_FLOAT ? "float" : "double", n);
            compare(&subjects[n], real);
        }
}

/* The mean energies of the blocks of a population behind 50 sweeps at beta. */
static void block_energies(const subject *s, real_kind real, double beta,
                           double energy[POPULATION_BLOCKS]) {
    const engine_config config = config_of(s, real);
    machine m = machine_of(gpu_engine(&config), s->replicas);
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = stream_run_key(7, 0),
                              .temperature = 1,
                              .sweeps = 50,
                              .rule = flip_rule_at(s->update, &m.e->model, beta)};
    assert_int_equal(m.e->verbs->step(m.e, &step, &m.h), ENGINE_OK);
    for (uint32_t b = 0; b < POPULATION_BLOCKS; b++)
        energy[b] = (double)m.h.block[b].energy / (double)m.h.block[b].replicas;
    destroy(&m);
}

/* Functions of the hardware, which only a GPU has. Their directions belong to other random numbers than those of floats: so
 * energies are compared within their errors. */
static void fast_is_near_float(void **state) {
    (void)state;
    need_gpu();
    const subject s = {&heisenberg2d_kind, {32, 32, 1}, &metropolis_update, 1, 1024, CHECKERBOARD};
    const engine_config config = config_of(&s, REAL_FAST);
    double of_float[POPULATION_BLOCKS], fast[POPULATION_BLOCKS], colder[POPULATION_BLOCKS];
    sample off = {0}, off_colder = {0};
    assert_null(engine_cpu_create(&config));
    block_energies(&s, REAL_FLOAT, 0.9, of_float);
    block_energies(&s, REAL_FAST, 0.9, fast);
    block_energies(&s, REAL_FAST, 0.99, colder);
    for (uint32_t b = 0; b < POPULATION_BLOCKS; b++) {
        sample_add(&off, fast[b] - of_float[b]);
        sample_add(&off_colder, colder[b] - of_float[b]);
    }
    z_series z = z_begin("fast less float", 1), wrong = z_begin("beta 10% too large", 1);
    z_add(&z, sample_z(&off, 0), "energy");
    z_add(&wrong, sample_z(&off_colder, 0), "energy");
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_gpu_has_the_bits_of_the_cpu),
                                       cmocka_unit_test(fast_is_near_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
