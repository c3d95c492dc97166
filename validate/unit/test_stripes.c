/* Lattices that are cut into stripes (model_stripe) have the neighbours of the whole lattice. At beta = 1000 Metropolis' rule is
 * deterministic: a flip that costs no energy is made, another one is not. So engines are held to a plain loop over the whole
 * lattice, spin by spin, and their counts of stripes to another one; likewise updates by tiles (engine/msc_tiles.h). In equilibrium
 * the bonds at the edges of tiles and of stripes have the energy of the others. (Random numbers: reference/plain_stripes.c and plain_cubes.c by
 * test_plain.sh.) */
#include "validate/lib/gpu_engine.h"
#include "validate/lib/statistics.h"

#include "engine/streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    spin_model lattice;
    uint32_t stripes;
    uint64_t lattices;
    int8_t *s; /* [lattices][N], sites along x, then y, then z */
} striped;

#define CHECKERBOARD                                                                               \
    { .order = VISIT_CHECKERBOARD, .hits = 1 }
#define TILES(T, k)                                                                                \
    { .order = VISIT_TILES, .tile = T, .hits = k }
#define PALINDROME(T, k)                                                                           \
    { .order = VISIT_TILES, .tile = T, .hits = k, .palindrome = true }

static const struct {
    const model_kind *kind;
    uint32_t edge[3], stripes;
    uint64_t lattices;
    visit_plan visits;
} cases[] = {{&square_kind, {32, 32, 1}, 2, 16, CHECKERBOARD},
             {&square_kind, {16, 64, 1}, 4, 24, CHECKERBOARD},
             {&square_kind, {48, 128, 1}, 8, 4, CHECKERBOARD},
             {&square_kind, {32, 256, 1}, 16, 6, CHECKERBOARD},
             {&square_kind, {64, 512, 1}, 32, 2, CHECKERBOARD},
             {&square_kind, {64, 48, 1}, 2, 32, CHECKERBOARD},
             {&square_kind, {128, 512, 1}, 8, 4, CHECKERBOARD},
             {&square_kind, {64, 768, 1}, 4, 8, CHECKERBOARD},
             {&cubic_kind, {4, 4, 4}, 2, 16, CHECKERBOARD},
             {&cubic_kind, {8, 6, 8}, 4, 8, CHECKERBOARD},
             {&cubic_kind, {4, 10, 48}, 8, 12, CHECKERBOARD},
             {&cubic_kind, {12, 4, 32}, 16, 2, CHECKERBOARD},
             {&cubic_kind, {4, 6, 128}, 32, 3, CHECKERBOARD},
             {&square_kind, {16, 16, 1}, 1, 32, TILES(8, 3)},
             {&square_kind, {128, 128, 1}, 1, 32, TILES(64, 2)},
             {&square_kind, {48, 96, 1}, 2, 16, TILES(8, 2)},
             {&square_kind, {32, 128, 1}, 4, 16, PALINDROME(16, 2)},
             {&square_kind, {192, 128, 1}, 1, 32, TILES(32, 1)},
             {&square_kind, {128, 256, 1}, 2, 16, PALINDROME(64, 4)},
             {&square_kind, {96, 1024, 1}, 32, 2, TILES(16, 3)},
             {&cubic_kind, {16, 16, 16}, 1, 32, TILES(8, 3)},
             {&cubic_kind, {48, 16, 32}, 1, 32, PALINDROME(8, 2)},
             {&cubic_kind, {16, 32, 64}, 4, 8, TILES(8, 2)},
             {&cubic_kind, {32, 64, 64}, 2, 16, PALINDROME(16, 2)},
             {&cubic_kind, {32, 32, 1024}, 32, 1, TILES(16, 1)}};

static uint64_t site_at(const spin_model *m, uint32_t x, uint32_t y, uint32_t z) {
    return ((uint64_t)(z % m->edge[2]) * m->edge[1] + y % m->edge[1]) * m->edge[0] + x % m->edge[0];
}

/* The neighbours of a site. */
static uint32_t neighbours(const spin_model *m, uint64_t site, uint64_t of[6]) {
    const uint32_t x = (uint32_t)(site % m->edge[0]),
                   y = (uint32_t)(site / m->edge[0] % m->edge[1]),
                   z = (uint32_t)(site / m->edge[0] / m->edge[1]);
    const uint64_t all[6] = {site_at(m, x + 1, y, z), site_at(m, x + m->edge[0] - 1, y, z),
                             site_at(m, x, y + 1, z), site_at(m, x, y + m->edge[1] - 1, z),
                             site_at(m, x, y, z + 1), site_at(m, x, y, z + m->edge[2] - 1)};
    memcpy(of, all, sizeof all);
    return 2 * m->dimension;
}

static uint32_t colour_of(const spin_model *m, uint64_t site) {
    return (uint32_t)(site % m->edge[0] + site / m->edge[0] % m->edge[1] +
                      site / m->edge[0] / m->edge[1]) %
           2;
}

static int field_at(const spin_model *m, const int8_t *s, uint64_t site) {
    uint64_t of[6];
    int sum = 0;
    const uint32_t count = neighbours(m, site, of);
    for (uint32_t n = 0; n < count; n++)
        sum += s[of[n]];
    return sum;
}

static uint32_t tile_colour_of(const spin_model *m, uint64_t site, uint32_t tile) {
    return (uint32_t)(site % m->edge[0] / tile + site / m->edge[0] % m->edge[1] / tile +
                      site / m->edge[0] / m->edge[1] / tile) %
           2;
}

/* Updates the sites of a colour; of a colour of tiles, or (tile = 0) of the lattice. */
static void half_sweep(const spin_model *m, int8_t *s, uint32_t colour, uint32_t tile,
                       uint32_t tile_colour) {
    for (uint64_t site = 0; site < m->sites; site++)
        if (colour_of(m, site) == colour &&
            (tile == 0 || tile_colour_of(m, site, tile) == tile_colour) &&
            s[site] * field_at(m, s, site) <= 0)
            s[site] = (int8_t)-s[site];
}

static void hit(const spin_model *m, int8_t *s, const visit_plan *v, uint32_t tile_colour,
                uint32_t hits, uint32_t first_colour) {
    for (uint32_t n = 0; n < hits; n++) {
        half_sweep(m, s, first_colour, v->tile, tile_colour);
        half_sweep(m, s, 1 - first_colour, v->tile, tile_colour);
    }
}

static void update(const spin_model *m, int8_t *s, const visit_plan *v) {
    const uint32_t half = v->palindrome ? v->hits / 2 : v->hits;
    if (v->order == VISIT_CHECKERBOARD) {
        hit(m, s, v, 0, 1, 0);
        return;
    }
    hit(m, s, v, 0, half, 0);
    hit(m, s, v, 1, half, 0);
    hit(m, s, v, 1, v->hits - half, 1);
    hit(m, s, v, 0, v->hits - half, 1);
}

/* Where a site is: the number of its stripe, and its bit there (engine.h, `read`). */
static uint64_t place_of(const striped *t, uint64_t site, uint32_t *bit) {
    const spin_model *const m = &t->lattice;
    const uint64_t sites = m->sites / t->stripes, in_stripe = site % sites;
    *bit = (uint32_t)(colour_of(m, site) * (sites / 2) + in_stripe / 2);
    return site / sites;
}

/* Copies the spins of all lattices to stripes, or back. */
static void copy(const striped *t, uint8_t *packed, bool to_stripes) {
    const uint64_t bytes = t->lattice.sites / t->stripes / 8;
    for (uint64_t k = 0; k < t->lattices; k++)
        for (uint64_t site = 0; site < t->lattice.sites; site++) {
            uint32_t bit;
            const uint64_t stripe = k * t->stripes + place_of(t, site, &bit);
            uint8_t *const byte = &packed[stripe * bytes + bit / 8];
            int8_t *const s = &t->s[k * t->lattice.sites + site];
            if (to_stripes && *s > 0)
                *byte |= (uint8_t)(1u << bit % 8);
            else if (!to_stripes)
                *s = *byte >> bit % 8 & 1 ? 1 : -1;
        }
}

static void claim_counts(const striped *t, engine *e) {
    const spin_model *const m = &t->lattice;
    const uint64_t lanes = t->lattices * t->stripes;
    uint32_t *const counts = calloc(4 * lanes, sizeof *counts);
    assert_non_null(counts);
    uint32_t *const bonds = counts, *const up = counts + lanes, *const unsatisfied = up + lanes,
                    *const spins = unsatisfied + lanes;
    for (uint64_t k = 0; k < t->lattices; k++)
        for (uint64_t site = 0; site < m->sites; site++) {
            const int8_t *const s = t->s + k * m->sites;
            uint32_t bit;
            const uint64_t lane = k * t->stripes + place_of(t, site, &bit);
            up[lane] += s[site] > 0;
            if (colour_of(m, site) == 0)
                bonds[lane] +=
                    (uint32_t)((int)(2 * m->dimension) - s[site] * field_at(m, s, site)) / 2;
        }
    if (e->verbs->read_stripes == NULL) { /* lattices */
        free(counts);
        return;
    }
    assert_int_equal(e->verbs->read_stripes(e, 0, lanes, unsatisfied, spins), ENGINE_OK);
    assert_memory_equal(unsatisfied, bonds, lanes * sizeof *bonds);
    assert_memory_equal(spins, up, lanes * sizeof *up);
    free(counts);
}

static engine_config config_of(size_t n, const spin_model *m) {
    return (engine_config){.coding = CODING_MSC,
                           .model = cases[n].stripes > 1 ? model_stripe(*m, cases[n].stripes) : *m,
                           .capacity = cases[n].lattices * cases[n].stripes,
                           .word = 32,
                           .rng = RNG_INDEPENDENT,
                           .visits = cases[n].visits};
}

static void claim_case(size_t n, engine *(*create)(const engine_config *)) {
    striped t = {cases[n].kind->create(cases[n].edge), cases[n].stripes, cases[n].lattices, NULL};
    const spin_model *const m = &t.lattice;
    const uint64_t lanes = t.lattices * t.stripes, spins = t.lattices * m->sites;
    const engine_config config = config_of(n, m);
    const stream_key key = stream_run_key(2017, (uint32_t)n);
    engine *const e = create(&config);
    histogram h;
    uint8_t *const packed = calloc(spins / 8, 1);
    uint32_t *const families = calloc(lanes, sizeof *families);
    t.s = calloc(spins, 1);
    assert_true(e != NULL && packed != NULL && families != NULL && t.s != NULL);
    for (uint64_t i = 0; i < spins; i++)
        t.s[i] = stream_philox(key, (uint32_t)i, 1, 2, 3).number[0] & 1 ? 1 : -1;
    for (uint64_t k = 0; k < lanes; k++)
        families[k] = (uint32_t)k;
    copy(&t, packed, true);
    assert_int_equal(e->verbs->write(e, 0, lanes, lanes, packed, families), ENGINE_OK);
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = key,
                              .temperature = 1,
                              .sweeps = 3,
                              .founders = lanes,
                              .rule = flip_rule_at(update_kinds[0], &e->model, 1000)};
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
    histogram_destroy(&h);
    assert_int_equal(e->verbs->read(e, 0, lanes, packed, families), ENGINE_OK);

    int8_t *const found = calloc(spins, 1), *const whole = t.s;
    assert_non_null(found);
    t.s = found;
    copy(&t, packed, false);
    for (uint64_t k = 0; k < t.lattices; k++)
        for (uint32_t sweeps = 0; sweeps < step.sweeps; sweeps++)
            update(m, whole + k * m->sites, &cases[n].visits);
    assert_memory_equal(found, whole, spins);
    claim_counts(&t, e);
    e->verbs->destroy(e);
    free(found);
    free(whole);
    free(packed);
    free(families);
}

static void stripes_are_the_whole_lattice(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        claim_case(n, engine_cpu_create);
}

static void stripes_are_the_whole_lattice_on_a_gpu(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        claim_case(n, gpu_engine);
}

/* Fills packed spins after two steps of a few updates from random spins at beta = 0.44. */
static void spins_after(const engine_config *config, uint32_t seed, const update_kind *acceptance,
                        engine *(*create)(const engine_config *), uint8_t *packed) {
    uint32_t *const families = calloc(config->capacity, sizeof *families);
    engine *const e = create(config);
    histogram h;
    assert_true(e != NULL && families != NULL);
    engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                        .key = stream_run_key(2019, seed),
                        .sweeps = 5,
                        .founders = config->capacity,
                        .rule = flip_rule_at(acceptance, &e->model, 0.44)};
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, step.key, config->capacity, &h), ENGINE_OK);
    for (step.temperature = 1; step.temperature <= 2; step.temperature++)
        assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
    assert_int_equal(e->verbs->read(e, 0, config->capacity, packed, families), ENGINE_OK);
    histogram_destroy(&h);
    e->verbs->destroy(e);
    free(families);
}

static void claim_same_bits(const engine_config *config, uint32_t seed) {
    const uint64_t bytes = config->capacity * config->model.sites / 8;
    const update_kind *const acceptances[] = {&metropolis_update, &heat_bath_update};
    uint8_t *const cpu = calloc(bytes, 1), *const gpu = calloc(bytes, 1);
    assert_true(cpu != NULL && gpu != NULL);
    for (size_t n = 0; n < 2; n++) {
        spins_after(config, seed, acceptances[n], engine_cpu_create, cpu);
        spins_after(config, seed, acceptances[n], gpu_engine, gpu);
        assert_memory_equal(cpu, gpu, bytes);
    }
    free(cpu);
    free(gpu);
}

static void a_gpu_has_the_same_bits(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const spin_model m = cases[n].kind->create(cases[n].edge);
        const engine_config config = config_of(n, &m);
        claim_same_bits(&config, (uint32_t)n);
    }
}

/* So many that a GPU sweeps some of them after others (cuda/msc/resident.cu). */
static void a_gpu_has_the_same_bits_of_many_words(void **state) {
    const uint32_t edge[MODEL_MAX_DIMENSION] = {64, 48, 1};
    (void)state;
    need_gpu();
    const engine_config config = {.coding = CODING_MSC,
                                  .model = model_stripe(square_kind.create(edge), 2),
                                  .capacity = 32 * 2500,
                                  .word = 32,
                                  .rng = RNG_INDEPENDENT,
                                  .visits = CHECKERBOARD};
    claim_same_bits(&config, 0);
}

/* --- equilibrium --- */

#define TILE     8
#define WIDTH    64
#define HEIGHT   128
#define LATTICES 64
#define STRIPES  2

/* The share of unsatisfied bonds that lead to the first column of a tile, and to the first row of a stripe, each less that of others
 * in their direction. */
static void add_excess(const striped *t, uint64_t lattice, sample *at_tiles, sample *at_stripes) {
    const spin_model *const m = &t->lattice;
    const int8_t *const s = t->s + lattice * m->sites;
    double unsatisfied[4] = {0},
           bonds[4] = {0}; /* others and edges of tiles; likewise of stripes */
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const int8_t spin = s[site_at(m, x, y, 0)];
            const uint32_t tile = x % TILE == 0, stripe = 2 + (y % (HEIGHT / STRIPES) == 0);
            bonds[tile]++;
            bonds[stripe]++;
            unsatisfied[tile] += spin != s[site_at(m, x + WIDTH - 1, y, 0)];
            unsatisfied[stripe] += spin != s[site_at(m, x, y + HEIGHT - 1, 0)];
        }
    sample_add(at_tiles, unsatisfied[1] / bonds[1] - unsatisfied[0] / bonds[0]);
    sample_add(at_stripes, unsatisfied[3] / bonds[3] - unsatisfied[2] / bonds[2]);
}

/* Adds z-scores after so many updates by tiles, of k hits each, from random spins. */
static void compare_bonds(z_series *z, uint32_t updates, uint32_t k) {
    const uint32_t edge[MODEL_MAX_DIMENSION] = {WIDTH, HEIGHT, 1};
    const uint64_t lanes = LATTICES * STRIPES;
    striped t = {square_kind.create(edge), STRIPES, LATTICES, calloc(LATTICES, WIDTH * HEIGHT)};
    const engine_config config = {.coding = CODING_MSC,
                                  .model = model_stripe(t.lattice, STRIPES),
                                  .capacity = lanes,
                                  .word = 32,
                                  .rng = RNG_INDEPENDENT,
                                  .visits = TILES(TILE, k)};
    uint8_t *const packed = calloc(LATTICES, WIDTH * HEIGHT / 8);
    engine *const e = engine_cpu_create(&config);
    uint32_t families[LATTICES * STRIPES];
    sample at_tiles = {0}, at_stripes = {0};
    histogram h;
    assert_true(e != NULL && packed != NULL && t.s != NULL);
    const engine_step step = {.parts = PART_SWEEP,
                              .key = stream_run_key(2021, 0),
                              .temperature = 1,
                              .sweeps = updates,
                              .rule = flip_rule_at(&metropolis_update, &e->model, 0.4)};
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, step.key, lanes, &h), ENGINE_OK);
    assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
    assert_int_equal(e->verbs->read(e, 0, lanes, packed, families), ENGINE_OK);
    copy(&t, packed, false);
    for (uint64_t n = 0; n < LATTICES; n++)
        add_excess(&t, n, &at_tiles, &at_stripes);
    z_add(z, sample_z(&at_tiles, 0), "edges of tiles");
    z_add(z, sample_z(&at_stripes, 0), "edges of stripes");
    histogram_destroy(&h);
    e->verbs->destroy(e);
    free(packed);
    free(t.s);
}

/* Negative control: one update, in which the tiles of the first colour come to equilibrium with random neighbours. */
static void bonds_at_edges_are_as_others(void **state) {
    (void)state;
    z_series z = z_begin("bonds at edges", 2), wrong = z_begin("after one update", 2);
    compare_bonds(&z, 60, 4);
    compare_bonds(&wrong, 1, 30);
    assert_true(z_passed(&z) && z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stripes_are_the_whole_lattice),
                                       cmocka_unit_test(stripes_are_the_whole_lattice_on_a_gpu),
                                       cmocka_unit_test(a_gpu_has_the_same_bits),
                                       cmocka_unit_test(a_gpu_has_the_same_bits_of_many_words),
                                       cmocka_unit_test(bonds_at_edges_are_as_others)};
    return cmocka_run_group_tests_name("stripes", tests, NULL, NULL);
}
