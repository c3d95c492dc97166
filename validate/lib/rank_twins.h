/* A population in one engine, and the same one on all ranks (ranks/ranks.h), to be held against each other. */
#ifndef PAISING_RANK_TWINS_H
#define PAISING_RANK_TWINS_H

#include "engine/async.h"
#include "model/bond_list.h"
#include "validate/lib/rank_engines.h"
#include "validate/lib/some_models.h"

#define SEED 16

typedef struct {
    spin_coding coding;
    uint32_t word;
    rng_mode rng;
    size_t model;
    uint64_t population;
    double dbeta;
    size_t steps;
} parameter_set;

static made_model models[] = {{.kind = &square_kind, .size = {{16}}},
                              {.kind = &cubic_kind, .size = {{4}}},
                              {.kind = &glass2d_kind, .size = {{16}}},
                              {.kind = &glass3d_kind, .size = {{4, 6, 4}}, .cut = {"open", 0.1}},
                              {.kind = &glass3d_kind, .size = {{64, 32, 32}}},
                              {.kind = &glass3d_kind, .size = {{4, 6, 4}}, .gaussian = true},
                              {.kind = &heisenberg3d_kind, .size = {{4}}},
                              {.kind = &xy_glass2d_kind, .size = {{16}}},
                              {.kind = &square_kind, .size = {{4}}}, /* become graphs (set_up) */
                              {.kind = &square_kind, .size = {{4}}}};
#define LARGE_MODEL      4
#define GAUSSIAN_MODEL   5
#define HEISENBERG_MODEL 6
#define XY_GLASS_MODEL   7 /* of doubles */
#define GRAPH_MODEL      8 /* with levels; and without, of decimal numbers */
#define FINE_GRAPH_MODEL 9

/* Kinds of engine, without a population. */
static const parameter_set engine_kinds[] = {
    {CODING_SSC, 32, RNG_INDEPENDENT, 0, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, 1, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, 2, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, 3, 0, 0, 0},
    {CODING_MSC, 32, RNG_INDEPENDENT, 0, 0, 0, 0},
    {CODING_MSC, 64, RNG_INDEPENDENT, 1, 0, 0, 0},
    {CODING_MSC, 8, RNG_INDEPENDENT, 2, 0, 0, 0},
    {CODING_MSC, 32, RNG_INDEPENDENT, 3, 0, 0, 0},
    {CODING_MSC, 16, RNG_PHILOX, 0, 0, 0, 0},
    {CODING_MSC, 64, RNG_PHILOX, 2, 0, 0, 0},
    {CODING_MSC, 8, RNG_SHARED, 0, 0, 0, 0},
    {CODING_MSC, 64, RNG_SHARED, 2, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, GAUSSIAN_MODEL, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, HEISENBERG_MODEL, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, XY_GLASS_MODEL, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, GRAPH_MODEL, 0, 0, 0},
    {CODING_SSC, 32, RNG_INDEPENDENT, FINE_GRAPH_MODEL, 0, 0, 0}};

/* Whether the engines of a plan simulate a model: GPUs have no graphs without levels. */
static inline bool plan_has(int plan, size_t model) {
    return plan < ON_GPUS || model != FINE_GRAPH_MODEL;
}

#define GRAPH_SITES 53

static spin_graph graphs[2]; /* with levels, and without */

/* Sites have two to four bonds; a fifth of them have a field. Numbers are multiples of 1 / unit. */
static inline void make_graph(spin_graph *g, uint32_t unit) {
    bond_list list = bond_list_of(GRAPH_SITES);
    char reason[200];
    list.unit = unit;
    for (uint32_t i = 0; i < GRAPH_SITES; i++) {
        const int64_t value = (int64_t)(i * 7 % 5) - 7;
        assert_true(bond_list_add(&list, i, (i + 1) % GRAPH_SITES, value * unit / 3));
        if (i % 2 == 0)
            assert_true(bond_list_add(&list, i, (i + 11) % GRAPH_SITES, value * unit / 7));
        if (i % 5 == 0)
            assert_true(bond_list_add_field(&list, i, (1 - (int64_t)i % 3) * unit));
    }
    assert_true(graph_create(g, &list, reason, sizeof reason));
    bond_list_destroy(&list);
}

static inline int set_up(void **state) {
    (void)state;
    const int failed = make_models(models, COUNT(models));
    make_graph(&graphs[0], 21);
    make_graph(&graphs[1], 3000003);
    assert_true(!graphs[0].levels.fine && graphs[1].levels.fine);
    models[GRAPH_MODEL].model = graph_model(&graphs[0], NULL);
    models[FINE_GRAPH_MODEL].model = graph_model(&graphs[1], NULL);
    models[XY_GLASS_MODEL].model.real = REAL_DOUBLE;
    return failed;
}

static inline int tear_down(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(graphs); n++)
        graph_destroy(&graphs[n]);
    flip_tables_forget();
    return destroy_models(models, COUNT(models));
}

/* The same population in one engine, and on all ranks. */
typedef struct {
    engine *worker[2];
    histogram report[2];
    overlap_sums pairs[2];
    uint8_t *spins[2];
    uint32_t *families[2];
    uint32_t *levels[2];
    uint64_t *tau_hat;
    engine_config config;
} twins;

static inline twins create(const parameter_set *p, int plan) {
    char reason[300];
    twins t = {.config = {.coding = p->coding,
                          .model = models[p->model].model,
                          .capacity = population_capacity(p->population, p->word),
                          .word = p->word,
                          .rng = p->rng}};
    t.worker[0] = engine_cpu_create(&t.config);
    t.worker[1] = ranks_engine(&t.config, p->population, plan, &maker, reason, sizeof reason);
    if (t.worker[1] == NULL && plan >= ON_GPUS) {
        print_message("SKIP %s\n", reason);
        t.worker[0]->verbs->destroy(t.worker[0]);
        skip();
    }
    assert_non_null(t.worker[0]);
    assert_non_null(t.worker[1]);
    t.tau_hat = calloc(t.worker[0]->model.levels.count, sizeof *t.tau_hat);
    assert_non_null(t.tau_hat);
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(histogram_create(&t.report[n], &t.worker[n]->model), 0);
        assert_int_equal(overlap_sums_create(&t.pairs[n], &t.config.model), 0);
        t.spins[n] = calloc(t.config.capacity, model_packed_bytes(&t.config.model));
        t.families[n] = calloc(t.config.capacity, sizeof **t.families);
        t.levels[n] = calloc(t.config.capacity, sizeof **t.levels);
        assert_true(t.spins[n] && t.families[n] && t.levels[n]);
    }
    return t;
}

static inline void destroy(twins *t) {
    for (size_t n = 0; n < 2; n++) {
        t->worker[n]->verbs->destroy(t->worker[n]);
        histogram_destroy(&t->report[n]);
        overlap_sums_destroy(&t->pairs[n]);
        free(t->spins[n]);
        free(t->families[n]);
        free(t->levels[n]);
    }
    free(t->tau_hat);
}

/* That what an engine was asked for is done; what failed, if not. */
static inline void claim_ok(const engine *e, engine_status status) {
    if (status != ENGINE_OK)
        fail_msg("%s: status %d: %s", e->name, (int)status, e->error);
}

/* Whether two reports differ in the sums of levels, or of blocks. Of energies without levels these belong to the sums. */
static inline bool levels_differ(const histogram *a, const histogram *b) {
    const size_t levels = a->end - a->first;
    return a->first != b->first || a->end != b->end ||
           memcmp(a->level + a->first, b->level + a->first, levels * sizeof *a->level) ||
           (a->levels.fine &&
            memcmp(a->energy + a->first, b->energy + a->first, levels * sizeof *a->energy));
}

static inline bool blocks_differ(const histogram *a, const histogram *b) {
    return memcmp(a->block, b->block, sizeof a->block) ||
           (a->levels.fine &&
            memcmp(a->energy2_high, b->energy2_high, POPULATION_BLOCKS * sizeof *a->energy2_high));
}

/* What the two reports first differ in; NULL: nothing. Sums over founders and parents are not known of a population
 * that was loaded. */
static inline const char *reports_differ(const twins *t, bool loaded) {
    const histogram *const a = &t->report[0], *const b = &t->report[1];
    if (a->population != b->population)
        return "population";
    if (a->families != b->families || a->family_squares != b->family_squares)
        return "families";
    if (levels_differ(a, b))
        return "level sums";
    if (blocks_differ(a, b))
        return "block sums";
    if (!loaded && memcmp(a->founder, b->founder, sizeof a->founder))
        return "founder sums";
    return !loaded && memcmp(a->parent, b->parent, sizeof a->parent) ? "parent sums" : NULL;
}

/* The same of the replicas; read in two parts, of which the second begins anywhere. */
static inline const char *replicas_differ(twins *t) {
    const uint64_t all = t->report[0].population, part = all / 3;
    const size_t bytes = model_packed_bytes(&t->config.model);
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        claim_ok(e, e->verbs->read(e, 0, part, t->spins[n], t->families[n]));
        claim_ok(e, e->verbs->read(e, part, all - part, t->spins[n] + part * bytes,
                                   t->families[n] + part));
        claim_ok(e, e->verbs->read_levels(e, 0, all, t->levels[n]));
    }
    if (memcmp(t->families[0], t->families[1], all * sizeof **t->families))
        return "families of replicas";
    if (memcmp(t->levels[0], t->levels[1], all * sizeof **t->levels))
        return "levels of replicas";
    return memcmp(t->spins[0], t->spins[1], all * bytes) ? "spins" : NULL;
}

static inline const char *overlaps_differ(twins *t) {
    const overlap_sums *const a = &t->pairs[0], *const b = &t->pairs[1];
    if (!t->config.model.disordered)
        return NULL;
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->overlaps(t->worker[n], &t->pairs[n]));
    const size_t differ = OVERLAP_PARTS * a->scale.differ_bins * sizeof *a->differ,
                 walls = OVERLAP_PARTS * a->scale.wall_bins * sizeof *a->walls;
    if (a->pairs != b->pairs || a->relatives != b->relatives)
        return "pairs";
    if (a->family_logs != b->family_logs)
        return "logarithms of families";
    return memcmp(a->block, b->block, sizeof a->block) ||
                   memcmp(a->vectors, b->vectors, sizeof a->vectors) ||
                   memcmp(a->differ, b->differ, differ) || memcmp(a->walls, b->walls, walls)
               ? "overlaps"
               : NULL;
}

/* All of it. */
static inline const char *differ(twins *t, bool loaded) {
    const char *what = replicas_differ(t);
    what = what != NULL ? what : reports_differ(t, loaded);
    return what != NULL ? what : overlaps_differ(t);
}

static inline void claim_same(twins *t, bool loaded) {
    const char *const what = differ(t, loaded);
    if (what != NULL)
        fail_msg("%s: not the same", what);
}

static inline void begin(twins *t, uint64_t population) {
    for (size_t n = 0; n < 2; n++)
        claim_ok(t->worker[n], t->worker[n]->verbs->randomise(t->worker[n], stream_run_key(SEED, 0),
                                                              population, &t->report[n]));
}

/* A step, of which the report says how many replicas each level has before it is complete: the next step is decided by that. */
static inline engine_status advance_one(engine *e, const engine_step *step, histogram *out) {
    const struct engine_async_verbs *const async = e->verbs->async;
    if (async == NULL)
        return e->verbs->step(e, step, out);
    const engine_status started = async->submit(e, step);
    const engine_status status = started == ENGINE_OK ? async->wait(e, out) : started;
    if (status != ENGINE_OK)
        return status;
    uint64_t *const before = calloc(out->levels.count, sizeof *before);
    assert_non_null(before);
    for (size_t k = 0; k < out->levels.count; k++)
        before[k] = out->level[k].replicas;
    claim_ok(e, async->wait_all(e, out));
    for (size_t k = 0; k < out->levels.count; k++)
        assert_int_equal(before[k], out->level[k].replicas);
    free(before);
    return status;
}

/* Both make a step by t->tau_hat, which is expected, or one with another rule, or none; returns what came of it in each. */
static inline void advance(twins *t, uint64_t founders, size_t index, double beta,
                           engine_status status[2]) {
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(SEED, 0),
                              .temperature = (uint32_t)index,
                              .sweeps = 2,
                              .founders = founders,
                              .tau_hat = t->tau_hat,
                              .rule = flip_rule_at(&metropolis_update, &t->config.model, beta)};
    engine_step other = step;
    other.rule = flip_rule_at(&metropolis_update, &t->config.model, beta / 2);
    for (size_t n = 0; n < 2; n++) {
        if (index % 3 > 0 && t->worker[n]->verbs->async != NULL)
            t->worker[n]->verbs->async->hint(t->worker[n], index % 3 == 1 ? &step : &other);
        status[n] = advance_one(t->worker[n], &step, &t->report[n]);
    }
}

/* Anneals as long as the twins agree and the population lives; returns in what they differ, and *temperature where.
 * Replicas are compared at every other temperature, since what is wrong with one stays. */
static inline const char *anneal_twins(twins *t, const parameter_set *p, size_t *temperature) {
    engine_status status[2] = {ENGINE_OK, ENGINE_OK};
    begin(t, p->population);
    for (size_t index = 0; status[0] == ENGINE_OK; index++) {
        *temperature = index;
        const bool whole = index % 2 == 0 || index == p->steps;
        const char *const what = whole ? differ(t, false) : reports_differ(t, false);
        if (what != NULL || index == p->steps)
            return what;
        resampling_tau_hat(&t->report[0], p->dbeta, p->population, t->tau_hat);
        advance(t, p->population, index + 1, p->dbeta * (double)(index + 1), status);
        if (status[0] != status[1])
            fail_msg("step %zu: status %d (%s) and %d (%s)", index, (int)status[0],
                     t->worker[0]->error, (int)status[1], t->worker[1]->error);
    }
    return NULL;
}

#endif
