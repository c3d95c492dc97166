/* Claims about the last replicas of the largest population, whose numbers are just below 2^32:
 *
 *  - two shares that meet there draw, sweep, select and count what one does that has the replicas of both, in every mode
 *    of which engines hold shares, on the CPU and on a GPU; families are numbered as they should be;
 *  - so do the children of a share, and remote parents whose family is the last of all;
 *  - control: where numbers lose their highest bit other random numbers are drawn, which is seen: a share that stands 2^31
 *    replicas before has other spins, other flips of the same spins, and other children of the same parents;
 *  - a share has no place with a number of more than 32 bits. */
#include "engine/partition.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/some_models.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ALL          ((uint64_t)UINT32_MAX)
#define BORDER       (ALL + 1 - 2048) /* between the shares; room for children behind it */
#define HALF         128              /* replicas on either side */

static engine *cpu_engine(const engine_config *config) {
    engine *const e = engine_cpu_create(config);
    assert_non_null(e);
    return e;
}

typedef engine *engine_maker(const engine_config *config);

/* What is tried. */
typedef struct {
    const model_kind *kind;
    lattice_size size;
    rng_mode rng;
    uint32_t word;
} way;

static const way ways[] = {
    {&square_kind, {{16}}, RNG_INDEPENDENT, 32}, {&square_kind, {{16}}, RNG_PHILOX, 8},
    {&square_kind, {{16}}, RNG_SHARED, 8},       {&square_kind, {{16}}, RNG_SHARED, 64},
    {&glass3d_kind, {{6}}, RNG_INDEPENDENT, 32},
};

/* An engine, its report, and its replicas. */
typedef struct {
    engine *worker;
    couplings sample;
    histogram report;
    uint64_t count, children;
    uint8_t *spins;
    uint64_t *tau_hat;
    uint32_t *families, *places, *inherited;
} share;

#define MOST (8 * 2 * HALF)

static share share_create(const way *w, engine_maker *make) {
    share s = {.count = 0};
    const engine_config config = {.coding = CODING_MSC,
                                  .model = some_model(w->kind, w->size, 3, &s.sample),
                                  .capacity = MOST,
                                  .word = w->word,
                                  .rng = w->rng};
    s.worker = make(&config);
    assert_int_equal(histogram_create(&s.report, &config.model), 0);
    s.spins = calloc(MOST, model_packed_bytes(&config.model));
    s.families = calloc(MOST, sizeof *s.families);
    s.inherited = calloc(MOST, sizeof *s.inherited);
    s.places = calloc(MOST, sizeof *s.places);
    s.tau_hat = calloc(config.model.levels.count, sizeof *s.tau_hat);
    assert_true(s.spins && s.families && s.inherited && s.places && s.tau_hat);
    for (size_t n = 0; n < config.model.levels.count; n++) /* 0.5 to 2.2 */
        s.tau_hat[n] = (UINT64_C(1) << 31) + n % 17 * 431234567;
    return s;
}

static void share_destroy(share *s) {
    s->worker->verbs->destroy(s->worker);
    couplings_destroy(&s->sample);
    histogram_destroy(&s->report);
    free(s->spins);
    free(s->families);
    free(s->inherited);
    free(s->places);
    free(s->tau_hat);
}

static engine_step step_of(const share *s, step_parts parts) {
    return (engine_step){.parts = parts,
                         .key = stream_run_key(11, 0),
                         .temperature = 3,
                         .sweeps = 2,
                         .founders = ALL,
                         .rule = flip_rule_at(&metropolis_update, &s->worker->model, 0.3)};
}

static void save(share *s) {
    engine *const e = s->worker;
    assert_int_equal(e->verbs->read(e, 0, s->count, s->spins, s->families), ENGINE_OK);
}

/* The share has so many replicas of a population from number `origin` on, drawn at random. */
static void draw(share *s, uint64_t origin, uint64_t count) {
    engine *const e = s->worker;
    s->count = count;
    e->verbs->partition->hold(e, origin, ALL);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(11, 0), count, &s->report), ENGINE_OK);
    save(s);
}

static void sweep(share *s) {
    const engine_step step = step_of(s, PART_SWEEP | PART_MEASURE);
    assert_int_equal(s->worker->verbs->step(s->worker, &step, &s->report), ENGINE_OK);
    save(s);
}

/* Counts the children, and lists their parents. */
static void count_offspring(share *s) {
    engine *const e = s->worker;
    engine_step step = step_of(s, WHOLE_STEP);
    step.tau_hat = s->tau_hat;
    assert_int_equal(e->verbs->partition->count_offspring(e, &step, &s->children), ENGINE_OK);
    assert_true(s->children > 0 && s->children <= MOST);
    const parent_list to = {s->places, s->inherited};
    assert_int_equal(e->verbs->partition->parents(e, 0, s->children, to), ENGINE_OK);
}

/* --- two shares and one --- */

static void claim_replicas(const share *all, const share part[2]) {
    const size_t bytes = model_packed_bytes(&all->worker->model);
    for (size_t n = 0; n < 2; n++) {
        assert_memory_equal(all->spins + n * HALF * bytes, part[n].spins, HALF * bytes);
        assert_memory_equal(all->families + n * HALF, part[n].families,
                            HALF * sizeof *all->families);
    }
}

static void claim_children(const share *all, const share part[2]) {
    assert_int_equal(all->children, part[0].children + part[1].children);
    for (uint64_t k = 0, first = 0; k < all->children; k++) {
        const size_t n = k >= part[0].children;
        first = n ? part[0].children : 0;
        assert_int_equal(all->places[k], part[n].places[k - first] + n * HALF);
        assert_int_equal(all->inherited[k], part[n].inherited[k - first]);
        assert_int_equal(all->inherited[k], BORDER - HALF + all->places[k]);
    }
}

static void claim_reports(const share *all, const share part[2]) {
    const histogram *const h = &all->report, *const a = &part[0].report, *const b = &part[1].report;
    assert_true(h->edge[0].family == BORDER - HALF && a->edge[1].family == BORDER - 1);
    assert_true(h->edge[1].family == BORDER + HALF - 1 && b->edge[0].family == BORDER);
    assert_int_equal(h->families, 2 * HALF);
    for (size_t k = 0; k < POPULATION_BLOCKS; k++) {
        assert_int_equal(h->block[k].energy, a->block[k].energy + b->block[k].energy);
        assert_int_equal(h->block[k].replicas,
                         k == POPULATION_BLOCKS * BORDER / ALL ? 2 * HALF : 0);
        assert_int_equal(h->founder[k].replicas, h->block[k].replicas);
    }
}

/* The share that stands 2^31 before the other has the same replicas, loaded; what it makes of them. */
static void claim_other_numbers(share *here, share *before) {
    engine *const e = before->worker;
    const size_t bytes = HALF * model_packed_bytes(&e->model);
    draw(here, BORDER, HALF);
    draw(before, BORDER - (UINT64_C(1) << 31), HALF);
    assert_memory_not_equal(here->spins, before->spins, bytes);
    assert_int_equal(e->verbs->write(e, 0, HALF, HALF, here->spins, here->families), ENGINE_OK);
    before->count = HALF;
    assert_int_equal(engine_measure(e, &before->report), ENGINE_OK);
    count_offspring(here);
    count_offspring(before);
    assert_true(here->children != before->children ||
                memcmp(here->places, before->places, here->children * sizeof *here->places) != 0);
    draw(here, BORDER, HALF);
    sweep(here);
    uint8_t *const swept = malloc(bytes);
    assert_non_null(swept);
    memcpy(swept, here->spins, bytes);
    draw(here, BORDER, HALF);
    assert_int_equal(e->verbs->write(e, 0, HALF, HALF, here->spins, here->families), ENGINE_OK);
    sweep(before);
    assert_memory_not_equal(swept, before->spins, bytes);
    free(swept);
}

static void claim_way(const way *w, engine_maker *make) {
    share all = share_create(w, make), part[2] = {share_create(w, make), share_create(w, make)};
    draw(&all, BORDER - HALF, 2 * HALF);
    draw(&part[0], BORDER - HALF, HALF);
    draw(&part[1], BORDER, HALF);
    claim_replicas(&all, part);
    for (uint64_t k = 0; k < 2 * HALF; k++)
        assert_int_equal(all.families[k], BORDER - HALF + k);
    share *const each[] = {&all, &part[0], &part[1]};
    for (size_t n = 0; n < COUNT(each); n++)
        sweep(each[n]);
    claim_replicas(&all, part);
    claim_reports(&all, part);
    for (size_t n = 0; n < COUNT(each); n++)
        count_offspring(each[n]);
    claim_children(&all, part);
    claim_other_numbers(&part[1], &part[0]);
    for (size_t n = 0; n < COUNT(each); n++)
        share_destroy(each[n]);
}

static void shares_meet_at_high_numbers(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(ways); n++)
        claim_way(&ways[n], cpu_engine);
}

static void they_do_on_a_gpu(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < COUNT(ways); n++)
        claim_way(&ways[n], gpu_engine);
}

/* Of the children that were counted all but the first LEAVING become the share, and behind them children of remote parents of
 * two families: the last one that is here, and the last of all. */
#define LEAVING        10
#define REMOTE_PARENTS 20
#define LAST           (uint32_t)(ALL - 1)

static void assign(share *s) {
    engine *const e = s->worker;
    const struct partition_verbs *const verbs = e->verbs->partition;
    const size_t bytes = REMOTE_PARENTS * model_packed_bytes(&e->model);
    const child_assignment children = {.origin = BORDER,
                                       .population = ALL,
                                       .first = LEAVING,
                                       .own = s->children - LEAVING,
                                       .above = REMOTE_PARENTS};
    uint32_t places[REMOTE_PARENTS], families[REMOTE_PARENTS];
    const parent_list none = {NULL}, above = {places, families};
    uint8_t *const spins =
        verbs->allocate_pinned ? verbs->allocate_pinned(e, bytes) : malloc(bytes);
    assert_non_null(spins);
    memcpy(spins, s->spins, bytes);
    for (uint32_t n = 0; n < REMOTE_PARENTS; n++) {
        places[n] = (uint32_t)s->count + n / 2;
        families[n] = n < 15 ? s->inherited[s->children - 1] : LAST;
    }
    assert_true(verbs->reserve(e, s->count + REMOTE_PARENTS) >= s->count + REMOTE_PARENTS);
    assert_int_equal(verbs->put(e, s->count, REMOTE_PARENTS, spins), ENGINE_OK);
    assert_int_equal(verbs->assign(e, &children, NULL), ENGINE_OK);
    assert_int_equal(verbs->attach(e, none, above), ENGINE_OK);
    const engine_step step = step_of(s, WHOLE_STEP);
    assert_int_equal(e->verbs->step(e, &step, &s->report), ENGINE_OK);
    if (verbs->free_pinned)
        verbs->free_pinned(e, spins);
    else
        free(spins);
    s->count = assigned_children(&children);
    save(s);
}

/* The families of a share with children of remote parents, as its report has them. */
static void claim_families(const share *s) {
    uint64_t families = 0, squares = 0, members = 0;
    for (uint64_t k = 0; k < s->count; k++) {
        const bool ends = k + 1 == s->count || s->families[k + 1] != s->families[k];
        members++;
        families += ends;
        squares += ends ? members * members : 0;
        members = ends ? 0 : members;
    }
    assert_int_equal(s->report.families, families);
    assert_int_equal(s->report.family_squares, squares);
    assert_int_equal(s->report.edge[0].family, s->inherited[LEAVING]);
    assert_int_equal(s->report.edge[1].family, LAST);
    assert_int_equal(s->report.edge[1].members, 5);
    assert_int_equal(s->report.founder[POPULATION_BLOCKS - 1].replicas, s->count);
}

static void children_are_assigned(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(ways); n++) {
        share s = share_create(&ways[n], cpu_engine);
        draw(&s, BORDER - HALF, 2 * HALF);
        count_offspring(&s);
        assign(&s);
        claim_families(&s);
        share_destroy(&s);
    }
}

static void claim_same(const share *a, const share *b) {
    const size_t bytes = model_packed_bytes(&a->worker->model);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->spins, b->spins, a->count * bytes);
    assert_memory_equal(a->families, b->families, a->count * sizeof *a->families);
    assert_memory_equal(a->report.block, b->report.block, sizeof a->report.block);
    assert_memory_equal(a->report.founder, b->report.founder, sizeof a->report.founder);
}

/* A GPU's share is the CPU's. */
static void a_gpu_has_the_same(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < COUNT(ways); n++) {
        share part[2] = {share_create(&ways[n], cpu_engine), share_create(&ways[n], gpu_engine)};
        for (size_t k = 0; k < 2; k++) {
            draw(&part[k], BORDER - HALF, 2 * HALF);
            sweep(&part[k]);
        }
        claim_same(&part[0], &part[1]);
        for (size_t k = 0; k < 2; k++)
            count_offspring(&part[k]);
        assert_int_equal(part[0].children, part[1].children);
        assert_memory_equal(part[0].places, part[1].places,
                            part[0].children * sizeof *part[0].places);
        assert_memory_equal(part[0].inherited, part[1].inherited,
                            part[0].children * sizeof *part[0].inherited);
        for (size_t k = 0; k < 2; k++) {
            assign(&part[k]);
            claim_families(&part[k]);
        }
        claim_same(&part[0], &part[1]);
        share_destroy(&part[0]);
        share_destroy(&part[1]);
    }
}

static void places_have_32_bits(void **state) {
    (void)state;
    share s = share_create(&ways[0], cpu_engine);
    assert_true(partition_places(s.worker, MOST) >= MOST);
    assert_int_equal(partition_places(s.worker, ALL + 1), 0);
    assert_non_null(strstr(s.worker->error, "no places for 4294967296 replicas"));
    share_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_meet_at_high_numbers), cmocka_unit_test(they_do_on_a_gpu),
        cmocka_unit_test(children_are_assigned),       cmocka_unit_test(a_gpu_has_the_same),
        cmocka_unit_test(places_have_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
