/* The heat bath against exact results. On the 4 x 4 lattice the energy forgets as fast as the sweep of all 65536 states
 * says: its autocorrelation after one sweep and after two. Population annealing by heat baths gives the exact energy,
 * specific heat and free energy, in SSC and in MSC. (Bits and frequencies of flips: test_ssc_streams.c, test_msc_streams.c,
 * test_acceptance.c.) */
#include "reference/exact.h"
#include "validate/lib/all_states.h"
#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

#include <omp.h>
#include <string.h>

#define BETA 0.4
#define LAGS 2 /* sweeps */

/* --- Autocorrelation of the energy --- */

static double energy[ALL_STATES];

/* The energy that a flip of a spin costs. */
static double flip_cost(uint32_t state, uint32_t site) {
    return energy[state ^ 1u << site] - energy[state];
}

/* Replaces f[s] by its mean over the states to which a half sweep leads from state s. Spins of a colour do not
 * depend on each other, so that they are updated one after the other. */
static void expect_half_sweep(const update_kind *update, uint32_t colour, double f[ALL_STATES]) {
    static double after[ALL_STATES];
    for (uint32_t site = 0; site < ALL_SITES; site++) {
        if ((site + site / ALL_EDGE) % 2 != colour)
            continue;
        for (uint32_t s = 0; s < ALL_STATES; s++) {
            const double p = update->accept(BETA, flip_cost(s, site));
            after[s] = p * f[s ^ 1u << site] + (1 - p) * f[s];
        }
        memcpy(f, after, sizeof after);
    }
}

/* Mean and variance of the energy, and its autocorrelation after 1 .. LAGS sweeps. */
typedef struct {
    double mean, variance, rho[LAGS];
} energy_memory;

static energy_memory exact_memory(const update_kind *update) {
    static double weight[ALL_STATES], later[ALL_STATES];
    energy_memory m = {0};
    double sum = 0, squares = 0;
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        energy[s] = later[s] = 2. * all_unsatisfied(s, NULL) - 2 * ALL_SITES;
        weight[s] = exp(-BETA * energy[s]);
        sum += weight[s];
    }
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        weight[s] /= sum;
        m.mean += weight[s] * energy[s];
        squares += weight[s] * energy[s] * energy[s];
    }
    m.variance = squares - m.mean * m.mean;
    for (uint32_t lag = 0; lag < LAGS; lag++) {
        double product = 0;
        expect_half_sweep(update, 1, later); /* the last one first: what it leads to is known */
        expect_half_sweep(update, 0, later);
        for (uint32_t s = 0; s < ALL_STATES; s++)
            product += weight[s] * energy[s] * later[s];
        m.rho[lag] = (product - m.mean * m.mean) / m.variance;
    }
    return m;
}

#define REPLICAS   100000
#define THERMALISE 60 /* rho(60) of either update is below 1e-9 */

static engine_step sweeps_at(const update_kind *update, const spin_model *m, uint32_t temperature,
                             uint32_t sweeps) {
    return (engine_step){.parts = PART_SWEEP | PART_MEASURE,
                         .key = {{1963, 4}},
                         .temperature = temperature,
                         .sweeps = sweeps,
                         .rule = flip_rule_at(update, m, BETA)};
}

/* Adds the z-scores of the mean energy and of rho of independent replicas. */
static void compare_memory(z_series *z, const update_kind *update, const energy_memory *expected) {
    const spin_model m = square_model(ALL_EDGE);
    const engine_config config = {.coding = CODING_SSC, .model = m, .capacity = REPLICAS};
    static uint32_t level[LAGS + 1][REPLICAS];
    engine *const e = engine_cpu_create(&config);
    histogram h;
    assert_non_null(e);
    assert_int_equal(histogram_create(&h, &m), 0);
    assert_int_equal(e->verbs->randomise(e, (stream_key){{1963, 4}}, REPLICAS, &h), ENGINE_OK);
    for (uint32_t n = 0; n <= LAGS; n++) {
        const engine_step step = sweeps_at(update, &m, n + 1, n == 0 ? THERMALISE : 1);
        assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
        assert_int_equal(e->verbs->read_levels(e, 0, REPLICAS, level[n]), ENGINE_OK);
    }
    for (uint32_t lag = 0; lag <= LAGS; lag++) {
        sample products = {0};
        for (uint32_t k = 0; k < REPLICAS; k++) {
            const double first = (double)level_energy(m.levels, level[0][k]) - expected->mean,
                         then = (double)level_energy(m.levels, level[lag][k]) - expected->mean;
            sample_add(&products, lag == 0 ? first : first * then / expected->variance);
        }
        z_add(z, sample_z(&products, lag == 0 ? 0 : expected->rho[lag - 1]), "%s, %s %u",
              update->name, lag == 0 ? "mean energy," : "rho", lag);
    }
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* The numbers are those of another program; e of the lattice is that of Kaufman's solution. Negative controls: replicas
 * updated by Metropolis' rule, which have another memory and the same energy. */
static void the_energy_forgets_as_fast_as_it_should(void **state) {
    (void)state;
    const energy_memory bath = exact_memory(&heat_bath_update),
                        other = exact_memory(&metropolis_update);
    assert_true(fabs(bath.rho[0] - 0.53453612) < 1e-8 && fabs(bath.rho[1] - 0.28266626) < 1e-8);
    assert_true(fabs(other.rho[0] - 0.48541357) < 1e-8 && fabs(other.rho[1] - 0.15098783) < 1e-8);
    assert_true(fabs(bath.mean / ALL_SITES - exact_thermodynamics(ALL_EDGE, BETA).e) < 1e-10);
    z_series z = z_begin("memory of the energy", 2 * (LAGS + 1)),
             wrong = z_begin("Metropolis for a heat bath", LAGS + 1);
    compare_memory(&z, &heat_bath_update, &bath);
    compare_memory(&z, &metropolis_update, &other);
    compare_memory(&wrong, &metropolis_update, &bath);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* --- Population annealing --- */

#define RUNS  48
#define STEPS 8

/* Adds the z-scores of e, C and beta F at every second temperature. */
static void compare_annealing(z_series *z, engine_config config, const annealing_plan *plan) {
    static run_averages row[RUNS][STEPS + 1];
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    for (uint32_t run = 0; run < RUNS; run++)
        anneal(e, plan, run, row[run]);
    e->verbs->destroy(e);
    for (size_t n = 2; n <= STEPS; n += 2) {
        const double beta = plan->dbeta * (double)n;
        const exact_result exact = exact_thermodynamics(config.model.edge[0], beta);
        const double expected[] = {
            [ENERGY] = exact.e, [SPECIFIC_HEAT] = exact.c, [BETA_F] = exact.beta_f};
        double value[QUANTITIES], error[QUANTITIES];
        jackknife_runs(&row[0][n], STEPS + 1, RUNS, beta, (double)config.model.sites, value, error);
        for (quantity q = ENERGY; q <= BETA_F; q++)
            z_add(z, z_of_student((value[q] - expected[q]) / error[q], RUNS - 1),
                  "%s, beta = %.2f, %s", coding_name(config.coding), beta, quantity_name[q]);
    }
}

/* Negative control: thresholds that are 5% too large. */
static void annealed_populations_are_in_equilibrium(void **state) {
    (void)state;
    const engine_config ssc = {.coding = CODING_SSC, .model = square_model(8), .capacity = 1000},
                        msc = {.coding = CODING_MSC,
                               .model = square_model(16),
                               .capacity = 1000,
                               .word = 32};
    annealing_plan plan = {.seed = 7,
                           .population = 600,
                           .sweeps = 10,
                           .steps = STEPS,
                           .dbeta = 0.06,
                           .threshold_factor = 1};
    while (update_kinds[plan.update] != &heat_bath_update)
        plan.update++;
    annealing_plan wrong_plan = plan;
    wrong_plan.threshold_factor = 1.05;
    for (int coding = 0; coding < 2; coding++) {
        const engine_config config = coding == 0 ? ssc : msc;
        z_series z = z_begin("annealing by heat baths", 3 * STEPS / 2),
                 wrong = z_begin("thresholds 5% off", 3 * STEPS / 2);
        compare_annealing(&z, config, &plan);
        compare_annealing(&wrong, config, &wrong_plan);
        assert_true(z_passed(&z));
        assert_true(z_detected(&wrong));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_forgets_as_fast_as_it_should),
        cmocka_unit_test(annealed_populations_are_in_equilibrium),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
