/* Claims about the solvable chain with which test_other_model.c holds the host against the exact solution:
 * the model describes the states of the chain, all of them, and the solution is that of a sum over them; and
 * its engine is an engine, whose parts one by one are a whole step, and whose copies go out and in. */
#include "validate/lib/chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- all states --- */

#define MOST_SITES 15
#define LEVELS     (3 * (MOST_SITES - 1) / 2 + 1)

/* Bits for the sites, lowest first, as the engine packs them. */
static const uint8_t *pack_state(uint8_t spins[2], uint64_t state) {
    spins[0] = (uint8_t)state;
    spins[1] = (uint8_t)(state >> 8);
    return spins;
}

/* But for the rounding of 2^15 additions. */
static bool close_to(double x, double expected) {
    return fabs(x - expected) <= 1e-10 * fmax(1, fabs(expected));
}

/* Whether the sums over all states at beta are those of a solution. */
static bool sums_are(observables exact, uint32_t n, double beta) {
    double z = 0, e = 0, e2 = 0, abs_m = 0, m2 = 0, m4 = 0;
    for (uint64_t state = 0; state < UINT64_C(1) << n; state++) {
        uint8_t spins[2];
        const double energy = (double)chain_energy(pack_state(spins, state), n) / n;
        const double m = (double)chain_magnetisation(spins, n) / n;
        const double weight = exp(-beta * energy * n);
        z += weight;
        e += weight * energy;
        e2 += weight * energy * energy;
        abs_m += weight * fabs(m);
        m2 += weight * m * m;
        m4 += weight * m * m * m * m;
    }
    return close_to(exact.e, e / z) && close_to(exact.abs_m, abs_m / z) &&
           close_to(exact.c, beta * beta * n * (e2 / z - e / z * (e / z))) &&
           close_to(exact.m2, m2 / z) && close_to(exact.m4, m4 / z) &&
           close_to(exact.beta_f, -log(z));
}

static void the_solution_is_a_sum_over_all_states(void **state) {
    (void)state;
    for (uint32_t sites = 3; sites <= MOST_SITES; sites += 4)
        for (double beta = 0; beta <= 2; beta += 0.25)
            assert_true(sums_are(chain_exact(sites, beta), sites, beta));
    assert_false(sums_are(chain_exact(7, 0.5), 7, 0.5 + 1e-6));
}

/* What all states together have. */
typedef struct {
    bool level[LEVELS]; /* are occupied */
    bool gain[7];       /* what flips gain */
    bool one_unit;      /* |M| is the order unit */
} occurrences;

/* Whether a state has a level, and |M| in whole units; and whether each flip gains what it says. */
static bool state_is_known(const spin_model *model, uint64_t state, occurrences *seen) {
    const uint32_t n = model->edge[0];
    uint8_t spins[2], flipped[2];
    const int64_t energy = chain_energy(pack_state(spins, state), n);
    const int64_t above = energy - model->levels.lowest, level = above / model->levels.spacing;
    const int64_t abs_m = llabs(chain_magnetisation(spins, n));
    if (above < 0 || above % model->levels.spacing != 0 || level >= (int64_t)model->levels.count ||
        abs_m % model->order_unit != 0)
        return false;
    seen->level[level] = true;
    seen->one_unit = seen->one_unit || abs_m == model->order_unit;
    for (uint32_t x = 0; x < n; x++) {
        const uint32_t bit = x % 2 * ((n + 1) / 2) + x / 2;
        const int64_t gain = chain_gain(spins, n, x);
        if (chain_energy(pack_state(flipped, state ^ UINT64_C(1) << bit), n) - energy != gain)
            return false;
        seen->gain[gain > 0 ? gain : 0] = true;
    }
    return true;
}

/* Whether every state has a level and every level a state, and what flips gain are the gaps. */
static bool model_is_true(const spin_model *model) {
    occurrences seen = {.one_unit = false};
    bool gap[7] = {true};
    for (uint64_t state = 0; state < UINT64_C(1) << model->edge[0]; state++)
        if (!state_is_known(model, state, &seen))
            return false;
    for (size_t n = 0; n < model->levels.count; n++)
        if (!seen.level[n])
            return false;
    for (size_t n = 0; n < model->gaps; n++)
        gap[model->gap[n]] = true;
    return seen.one_unit && memcmp(gap, seen.gain, sizeof gap) == 0;
}

static void the_model_is_that_of_all_states(void **state) {
    (void)state;
    for (uint32_t sites = 7; sites <= MOST_SITES; sites += 4) { /* 3 have nothing inside */
        const spin_model model = chain_model(sites);
        assert_true(model_is_true(&model));
        assert_true(model.levels.lowest % 2 != 0 && model.levels.spacing == 2 && model.gaps == 3);
    }
}

static void wrong_models_are_found(void **state) {
    (void)state;
    enum { SPACING, LOWEST, MORE_LEVELS, FEWER_LEVELS, UNIT, GAP, FEWER_GAPS, FAULTS };
    for (int fault = 0; fault < FAULTS; fault++) {
        spin_model model = chain_model(7);
        model.levels.spacing += fault == SPACING ? 2 : 0;
        model.levels.lowest -= fault == LOWEST;
        model.levels.count += fault == MORE_LEVELS;
        model.levels.count -= fault == FEWER_LEVELS;
        model.order_unit += fault == UNIT;
        model.gap[2] += fault == GAP;
        model.gaps -= fault == FEWER_GAPS;
        assert_false(model_is_true(&model));
    }
}

/* --- the engine --- */

#define SITES    31
#define BYTES    4
#define REPLICAS 500
#define CAPACITY (3 * REPLICAS)

typedef struct {
    uint8_t spins[CAPACITY][BYTES];
    uint32_t families[CAPACITY];
    uint32_t levels[CAPACITY];
} copies;

static engine *random_chains(histogram *h) {
    const spin_model model = chain_model(SITES);
    engine *const e = chain_engine(&model, CAPACITY);
    assert_non_null(e);
    assert_int_equal(histogram_create(h, &model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(5, 0), REPLICAS, h), ENGINE_OK);
    return e;
}

/* Makes a step in which all are to have 1.5 copies: at once, or its parts one by one. */
static void step(engine *e, histogram *h, bool at_once) {
    uint64_t tau_hat[3 * (SITES - 1) / 2 + 1];
    for (size_t n = 0; n < sizeof tau_hat / sizeof *tau_hat; n++)
        tau_hat[n] = UINT64_C(3) << 31;
    engine_step s = {.parts = WHOLE_STEP,
                     .key = stream_run_key(5, 0),
                     .temperature = 1,
                     .sweeps = 3,
                     .founders = REPLICAS,
                     .tau_hat = tau_hat,
                     .rule = flip_rule_at(&metropolis_update, &e->model, 0.5)};
    if (at_once) {
        assert_int_equal(e->verbs->step(e, &s, h), ENGINE_OK);
        return;
    }
    for (unsigned part = PART_SELECT; part <= PART_MEASURE; part *= 2) {
        s.parts = (step_parts)part;
        assert_int_equal(e->verbs->step(e, &s, h), ENGINE_OK);
    }
}

static void save(engine *e, uint64_t replicas, copies *c) {
    memset(c, 0, sizeof *c);
    assert_int_equal(e->verbs->read(e, 0, replicas, c->spins[0], c->families), ENGINE_OK);
    assert_int_equal(e->verbs->read_levels(e, 0, replicas, c->levels), ENGINE_OK);
}

static bool same_report(const histogram *g, const histogram *h) {
    return g->population == h->population && g->families == h->families &&
           memcmp(g->block, h->block, sizeof g->block) == 0 &&
           memcmp(g->level, h->level, g->levels.count * sizeof *g->level) == 0;
}

static void parts_are_a_step_and_copies_are_true(void **state) {
    (void)state;
    static copies here, there;
    histogram g, h;
    engine *const e = random_chains(&g), *const f = random_chains(&h);
    assert_true(same_report(&g, &h));
    step(e, &g, true);
    assert_false(same_report(&g, &h));
    step(f, &h, false);
    assert_true(same_report(&g, &h));
    assert_memory_equal(g.parent, h.parent, sizeof g.parent);
    save(e, g.population, &here);
    save(f, h.population, &there);
    assert_memory_equal(&here, &there, sizeof here);
    for (uint64_t k = 0; k < g.population; k++)
        assert_int_equal(level_energy(g.levels, here.levels[k]),
                         chain_energy(here.spins[k], SITES));

    /* Into an engine whose population is another one, in two loads. */
    step(f, &h, true);
    assert_false(same_report(&g, &h));
    const uint64_t half = g.population / 2;
    for (uint64_t first = 0; first < g.population; first += half) {
        const uint64_t count = first + half < g.population ? half : g.population - first;
        assert_int_equal(f->verbs->write(f, first, count, g.population, here.spins[first],
                                         here.families + first),
                         ENGINE_OK);
    }
    assert_int_equal(engine_measure(f, &h), ENGINE_OK);
    assert_true(same_report(&g, &h));
    histogram_destroy(&g);
    histogram_destroy(&h);
    e->verbs->destroy(e);
    f->verbs->destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_is_a_sum_over_all_states),
        cmocka_unit_test(the_model_is_that_of_all_states),
        cmocka_unit_test(wrong_models_are_found),
        cmocka_unit_test(parts_are_a_step_and_copies_are_true),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
