/* Claims: a flip of any cost is made with the probability of its update, by whole numbers alone. Population annealing of a 4 x 4
 * glass with Gaussian couplings gives the e, C, betaF and q_l of its 2^16 states, which are those of an independent program.
 * An exchange of two replicas is accepted with the probability of the two Boltzmann distributions, whatever their energies are.
 * Multi-histogram analysis of exact populations, whose energies it counts in bins, misses the exact e, C and betaF up to beta = 5
 * by less than 0.7 of the errors that a run of 2 10^5 replicas states.
 * Couplings of +1 and -1 as values give the bits of the engine with levels. Drawn couplings have the moments of their distribution,
 * and those of two samples are independent. The exact states of 2000 samples of 3 x 3 obey [e a bond] = -beta (1 - [q_l]) and, on
 * the Nishimori line beta = J0, [e a bond] = -J0. Sums of squares have 128 bits. A file of couplings reads as it was written.
 * False-alarm probability 1e-6 a family of comparisons. Negative controls: flips of another temperature, bonds at the places of
 * others, bins 30 times as wide, variance 1/2, couplings shared by two samples, another beta. */
#include "engine/disorder.h"
#include "engine/engine.h"
#include "engine/rounds.h"
#include "estimate/disorder_average.h"
#include "estimate/observables.h"
#include "estimate/overlap.h"
#include "estimate/reweighting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <omp.h>

#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

/* --- flips --- */

/* 2^64 times the probability of a flip: of the numbers x from 0 on, or up to the last, that flip. */
static double share(const fine_flips *t, downhill_flips downhill, int64_t cost) {
    uint64_t low = 0, high = UINT64_MAX; /* x = low decides as 0 does, x = high not */
    const int first = fine_flip(t, downhill, cost, 0, 0);
    if (fine_flip(t, downhill, cost, UINT32_MAX, UINT64_MAX) == first)
        return first;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (fine_flip(t, downhill, cost, (uint32_t)(middle >> 32), middle << 32) == first)
            low = middle;
        else
            high = middle;
    }
    return first ? 0x1p-64 * (double)high : 1 - 0x1p-64 * (double)high;
}

/* The largest deviation of shares, relative to the probability and 2^-58, from those at inverse temperature beta. */
static double deviation(const fine_flips *t, double beta) {
    double most = 0;
    for (int64_t cost = 1; cost < INT64_C(1) << 32; cost += cost / 3 + 1)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double w = exp(-beta * (double)cost / FINE_UNIT);
            const double heat = sign > 0 ? w / (1 + w) : 1 / (1 + w), one = sign > 0 ? w : 1;
            const double of_heat = share(t, DOWNHILL_COMPLEMENT, sign * cost) - heat,
                         of_one = share(t, DOWNHILL_ALWAYS, sign * cost) - one;
            most = fmax(most, fabs(of_heat) / (heat + 0x1p-20));
            most = fmax(most, fabs(of_one) / (one + 0x1p-20));
        }
    return most;
}

static void flips_have_their_probability(void **state) {
    (void)state;
    for (double beta = 0.01; beta < 20; beta *= 2.7) {
        const fine_flips *const t = fine_flips_at(beta, FINE_UNIT);
        assert_non_null(t);
        assert_ptr_equal(t, fine_flips_at(beta, FINE_UNIT));
        assert_true(deviation(t, beta) < 1e-12);
        assert_true(deviation(t, beta * 1.0001) > 1e-8); /* negative control */
        assert_true(fabs(share(t, DOWNHILL_COMPLEMENT, 0) - 0.5) < 1e-15);
        assert_int_equal(share(t, DOWNHILL_ALWAYS, 0), 1);
    }
}

/* The largest deviation of thresholds of exchanges between beta[k] and beta[k + 1], relative to the probability and 2^-20, from those of
 * steps that are `factor` times as large; rises of up to 2^50. */
static double exchange_deviation(const exchange_table *t, const double beta[], double factor) {
    double most = 0;
    for (uint32_t k = 0; k < 2; k++)
        for (int64_t rise = 1; rise < INT64_C(1) << 50; rise += rise / 5 + 1) {
            const double p = exp(-factor * (beta[k + 1] - beta[k]) * (double)rise / FINE_UNIT),
                         found = 0x1p-64 * (double)exchange_threshold(*t, k, rise);
            most = fmax(most, fabs(found - p) / (p + 0x1p-20));
        }
    return most;
}

static void exchanges_have_their_probability(void **state) {
    (void)state;
    static const double beta[] = {0.3, 0.3001, 0.45};
    const spin_model model =
        model_without_levels(glass2d_kind.create((const uint32_t[]){4, 4, 1}), FINE_UNIT, 0);
    exchange_table t;
    assert_int_equal(exchange_table_create(&t, &model, beta, 3), 0);
    assert_true(exchange_deviation(&t, beta, 1) < 1e-11);
    assert_true(exchange_deviation(&t, beta, 1.0001) > 1e-5); /* negative control */
    for (uint32_t r = 0; r < 100; r++) {
        assert_true(exchange_is_accepted(t, stream_run_key(1, 0), 1, 0, r, 0));
        assert_true(exchange_is_accepted(t, stream_run_key(1, 0), 1, 1, r, -INT64_MAX));
        assert_false(exchange_is_accepted(t, stream_run_key(1, 0), 1, 1, r, INT64_MAX));
    }
    free(t.threshold);
}

/* --- a sample by its states --- */

/* Exact averages of a sample at an inverse temperature, per spin or bond. */
typedef struct {
    double e, c, beta_f, link;
} exact_averages;

/* From all states; the energy of a bond is taken from its value. */
static exact_averages enumerate(const couplings *c, double beta) {
    const uint32_t sites = (uint32_t)c->sites, bonds = (uint32_t)c->bonds;
    double *const along = calloc(bonds, sizeof *along), *const j = calloc(bonds, sizeof *j);
    uint32_t *const end = calloc(bonds, sizeof *end);
    double z = 0, e = 0, e2 = 0, link = 0;
    assert_true(along != NULL && end != NULL && j != NULL);
    for (uint32_t b = 0; b < bonds; b++) {
        end[b] = (uint32_t)couplings_neighbour(c, b / c->dimension, b % c->dimension);
        j[b] = (double)c->value[b] / FINE_UNIT;
    }
    for (uint32_t spins = 0; spins < 1u << (sites - 1); spins++) { /* the last spin is down */
        double energy = 0;
        uint64_t apart = 0;
        for (uint32_t b = 0; b < bonds; b++) {
            const uint32_t differ = (spins >> b / c->dimension ^ spins >> end[b]) & 1;
            apart |= (uint64_t)differ << b;
            energy -= differ ? -j[b] : j[b];
        }
        const double w = exp(-beta * energy);
        z += w;
        e += w * energy;
        e2 += w * energy * energy;
        for (uint32_t b = 0; b < bonds; b++)
            along[b] += apart >> b & 1 ? -w : w;
    }
    for (uint32_t b = 0; b < bonds; b++)
        link += along[b] / z * (along[b] / z) / bonds;
    free(along);
    free(end);
    free(j);
    return (exact_averages){.e = e / z / sites,
                            .c = beta * beta * (e2 / z - e / z * (e / z)) / sites,
                            .beta_f = -log(2 * z) / sites,
                            .link = link};
}

static uint64_t splitmix(uint64_t *x) {
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The sample of the independent program: pairs of Box and Muller from splitmix64, bond 2 s to the right, 2 s + 1 upwards. */
static couplings known_sample(void) {
    couplings c;
    uint64_t x = 1;
    assert_true(couplings_create(&c, 2, (const uint32_t[]){4, 4, 1}) &&
                couplings_allocate_values(&c));
    for (uint64_t b = 0; b < c.bonds; b += 2) {
        const double u = ((double)(splitmix(&x) >> 11) + 0.5) * 0x1p-53,
                     v = ((double)(splitmix(&x) >> 11) + 0.5) * 0x1p-53, r = sqrt(-2 * log(u)),
                     turn = 2 * acos(-1) * v;
        couplings_set_value(&c, b, (int32_t)floor(r * cos(turn) * FINE_UNIT + 0.5));
        couplings_set_value(&c, b + 1, (int32_t)floor(r * sin(turn) * FINE_UNIT + 0.5));
    }
    return c;
}

/* Rounding to 2^-20 changes these by some 1e-7. */
static void states_are_those_of_another_program(void **state) {
    (void)state;
    static const double known[][5] = {
        {0.2, -0.3757697250, 0.0739169896, -0.7308442837, 0.0375438639},
        {0.5, -0.8516765896, 0.2954588904, -0.9200971754, 0.2078999709},
        {1, -1.1621589864, 0.2940504783, -1.4415909198, 0.4712998034},
        {2, -1.2891883921, 0.1690632220, -2.6865902467, 0.8261718081},
        {4, -1.3127462499, 0.0260648889, -5.2996866250, 0.9888380600},
    };
    couplings c = known_sample();
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        const exact_averages x = enumerate(&c, known[n][0]);
        assert_true(fabs(x.e - known[n][1]) < 1e-6 && fabs(x.c - known[n][2]) < 1e-6);
        assert_true(fabs(x.beta_f - known[n][3]) < 3e-6 && fabs(x.link - known[n][4]) < 1e-6);
    }
    couplings_destroy(&c);
}

/* --- annealing --- */

enum { RUNS = 12, STEPS = 10, OBSERVED = 5, VALUES = 4 };

/* Anneals to beta = 2 by couplings[1], whose exact averages are those of couplings[0], with sums of the flips scaled. */
static void add_annealed(const couplings *of, const couplings *by, double factor, uint32_t update,
                         z_series *series) {
    const spin_model model = model_of_sample(glass2d_kind.create((const uint32_t[]){4, 4, 1}), by);
    const engine_config config = {.coding = CODING_SSC, .model = model, .capacity = 3000};
    const double step = 0.2;
    engine *const e = engine_cpu_create(&config);
    sample found[OBSERVED][VALUES] = {{{0}}};
    overlap_sums sums;
    assert_non_null(e);
    assert_int_equal(overlap_sums_create(&sums, &model), 0);
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    histogram h;
    assert_int_equal(histogram_create(&h, &e->model), 0);
    for (uint32_t run = 0; run < RUNS; run++) {
        const stream_key key = stream_run_key(52, run);
        double ln_z = 16 * log(2);
        assert_int_equal(e->verbs->randomise(e, key, 2000, &h), ENGINE_OK);
        for (uint32_t n = 1; n <= STEPS; n++) {
            ln_z += resampling_tau_hat(&h, step, 2000, tau_hat);
            const engine_step s = {
                .parts = WHOLE_STEP,
                .key = key,
                .temperature = n,
                .sweeps = 4,
                .founders = 2000,
                .tau_hat = tau_hat,
                .rule = flip_rule_at(update_kinds[update], &e->model, factor * step * n)};
            assert_int_equal(e->verbs->step(e, &s, &h), ENGINE_OK);
            ln_z += log((double)h.population / 2000);
            if (n % 2 == 1)
                continue;
            const run_averages a = population_averages(&h, 16, ln_z);
            const double beta = step * n;
            assert_int_equal(e->verbs->overlaps(e, &sums), ENGINE_OK);
            const overlap_row q = overlap_compute(&sums, &h, &e->model, NULL);
            sample *const x = found[n / 2 - 1];
            sample_add(&x[0], a.e);
            sample_add(&x[1], beta * beta * 16 * (a.e2 - a.e * a.e) * 2000 / 1999);
            sample_add(&x[2], -ln_z / 16);
            sample_add(&x[3], q.value[OVERLAP_LINK]);
        }
    }
    for (size_t n = 0; n < OBSERVED; n++) {
        const double beta = 2 * step * (double)(n + 1);
        const exact_averages x = enumerate(of, beta);
        const double expected[VALUES] = {x.e, x.c, x.beta_f, x.link};
        for (size_t v = 0; v < VALUES; v++)
            z_add(series, sample_z(&found[n][v], expected[v]), "value %zu at beta = %g", v, beta);
    }
    histogram_destroy(&h);
    free(tau_hat);
    overlap_sums_destroy(&sums);
    e->verbs->destroy(e);
}

static void annealing_gives_the_states(void **state) {
    (void)state;
    couplings c = known_sample(), moved = known_sample();
    for (uint64_t b = 0; b < c.bonds; b++) /* the pattern of neighbours of another site */
        couplings_set_value(&moved, b, c.value[(b + 2) % c.bonds / 2 * 2 + (b + 1) % 2]);
    z_series series = z_begin("annealing", 2 * OBSERVED * VALUES),
             hot = z_begin("flips of 0.7 beta", OBSERVED * VALUES),
             wrong = z_begin("bonds of others", OBSERVED * VALUES);
    for (uint32_t update = UPDATE_OF_metropolis; update <= UPDATE_OF_heat_bath; update++)
        add_annealed(&c, &c, 1, update, &series);
    add_annealed(&c, &c, 0.7, UPDATE_OF_metropolis, &hot);
    add_annealed(&c, &moved, 1, UPDATE_OF_metropolis, &wrong);
    assert_true(z_passed(&series));
    assert_true(z_detected(&hot) && z_detected(&wrong)); /* negative controls */
    couplings_destroy(&c);
    couplings_destroy(&moved);
}

/* --- bins of the multi-histogram analysis --- */

enum { HALF_OF_STATES = 1 << 15, COLD_STEPS = 20, MANY_REPLICAS = 200000, BINNED_VALUES = 3 };

static const double cold_step = 0.25; /* of beta, to 5 */

static int by_energy(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The energies of the states with the last spin down, in order. */
static int64_t *energies_of(const couplings *c) {
    int64_t *const energy = calloc(HALF_OF_STATES, sizeof *energy);
    assert_non_null(energy);
    for (uint32_t spins = 0; spins < HALF_OF_STATES; spins++)
        for (uint32_t b = 0; b < c->bonds; b++) {
            const uint32_t end = (uint32_t)couplings_neighbour(c, b / 2, b % 2);
            energy[spins] -= (spins >> b / 2 ^ spins >> end) & 1 ? -c->value[b] : c->value[b];
        }
    qsort(energy, HALF_OF_STATES, sizeof *energy, by_energy);
    return energy;
}

/* The analysis of the expected numbers of some 1e15 replicas at each temperature, of all states, in bins that are so many times as wide as
 * those of the program. */
static void analyse_exactly(reweighting *r, const couplings *c, int64_t wider) {
    spin_model model = model_of_sample(glass2d_kind.create(c->edge), c);
    energy_levels bins = reweighting_levels(&model);
    int64_t *const energy = energies_of(c);
    histogram h;
    histogram_gap gap;
    bins.spacing *= wider;
    bins.count = bins.count / 2 / (uint32_t)wider * 2 + 3;
    bins.lowest = -(int64_t)(bins.count / 2) * bins.spacing;
    model.levels.count = HALF_OF_STATES;
    assert_int_equal(histogram_create(&h, &model) | reweighting_create(r, bins), 0);
    memcpy(h.energy, energy, HALF_OF_STATES * sizeof *energy);
    h.end = HALF_OF_STATES;
    for (uint32_t n = 0; n <= COLD_STEPS; n++) {
        const double beta_f = 16 * enumerate(c, cold_step * n).beta_f;
        h.population = 0;
        for (size_t k = 0; k < HALF_OF_STATES; k++) {
            const double e = (double)energy[k] / FINE_UNIT;
            h.level[k].replicas = (uint64_t)(2e15 * exp(beta_f - cold_step * n * e) + 0.5);
            h.population += h.level[k].replicas;
        }
        assert_int_equal(reweighting_add(r, &h, cold_step * n, beta_f), 0);
    }
    assert_int_equal(reweighting_solve(r, &gap), REWEIGHTING_OK);
    histogram_destroy(&h);
    free(energy);
}

/* The errors of e, C and betaF of a run of MANY_REPLICAS at its temperatures. */
static void errors_of_a_run(const couplings *c, double error[COLD_STEPS][BINNED_VALUES]) {
    const engine_config config = {.coding = CODING_SSC,
                                  .model = model_of_sample(glass2d_kind.create(c->edge), c),
                                  .capacity = MANY_REPLICAS + MANY_REPLICAS / 16};
    const annealing_plan plan = {4, MANY_REPLICAS, 1, COLD_STEPS, cold_step, 1, 0};
    engine *const e = engine_cpu_create(&config);
    free_energy_path path;
    observables before, row;
    histogram h;
    assert_non_null(e);
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(4, 0), MANY_REPLICAS, &h), ENGINE_OK);
    free_energy_start(&path, 16, 2);
    before = observables_compute(&h, 16, 0, &path, NULL);
    for (uint32_t n = 1; n <= COLD_STEPS; n++) {
        const double ln_q = resampling_tau_hat(&h, cold_step, MANY_REPLICAS, tau_hat);
        const engine_step s = annealing_step(e, &plan, 0, n, tau_hat);
        assert_int_equal(e->verbs->step(e, &s, &h), ENGINE_OK);
        free_energy_step(&path, &h, ln_q, 1);
        row = observables_compute(&h, 16, cold_step * n, &path, &before);
        error[n - 1][0] = row.error_e;
        error[n - 1][1] = row.error_c;
        error[n - 1][2] = row.error_beta_f;
        before = row;
    }
    e->verbs->destroy(e);
    histogram_destroy(&h);
    free(tau_hat);
}

/* How far e, C and betaF are off, over those errors: the largest of all temperatures and of the middles between them. */
static double bias_of_bins(const couplings *c, int64_t wider,
                           double error[COLD_STEPS][BINNED_VALUES]) {
    double most = 0;
    reweighting r;
    analyse_exactly(&r, c, wider);
    const double half_bin = 0.5 / 16 * (double)r.levels.spacing / FINE_UNIT;
    for (uint32_t n = 1; n < 2 * COLD_STEPS; n++) {
        const double beta = cold_step * (n + 1) / 2;
        const observables row = reweighting_at(&r, 16, beta);
        const exact_averages x = enumerate(c, beta);
        const double off[BINNED_VALUES] = {row.e - x.e, row.c - x.c, row.beta_f - 16 * x.beta_f};
        /* where many states count, bins miss as much to either side */
        assert_true(fabs(off[0]) < half_bin * (beta > 1 ? 1.1 : 0.2));
        for (size_t v = 0; v < BINNED_VALUES; v++)
            most = fmax(most, fabs(off[v]) / error[n / 2][v]);
    }
    reweighting_destroy(&r);
    return most;
}

static void bins_miss_less_than_errors(void **state) {
    (void)state;
    double error[COLD_STEPS][BINNED_VALUES];
    couplings c = known_sample();
    errors_of_a_run(&c, error);
    const double bias = bias_of_bins(&c, 1, error), of_wide = bias_of_bins(&c, 30, error);
    printf("  bias of bins: %.2f of an error, of bins 30 times as wide %.1f\n", bias, of_wide);
    assert_true(bias < 0.7);
    assert_true(of_wide > 1); /* negative control */
    couplings_destroy(&c);
}

/* --- couplings that are whole numbers --- */

/* Anneals 64 replicas of a sample to beta = 0.9, and copies their spins. */
static uint64_t annealed_spins(const couplings *by, uint32_t update, double factor,
                               uint8_t *spins) {
    const model_kind *const kind = by->dimension == 2 ? &glass2d_kind : &glass3d_kind;
    const engine_config config = {.coding = CODING_SSC,
                                  .model = model_of_sample(kind->create(by->edge), by),
                                  .capacity = 256,
                                  .resampling = RESAMPLE_SYSTEMATIC};
    engine *const e = engine_cpu_create(&config);
    uint32_t families[256];
    histogram h;
    assert_non_null(e);
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(3, 0), 64, &h), ENGINE_OK);
    for (uint32_t n = 1; n <= 6; n++) {
        resampling_tau_hat(&h, 0.15, 64, tau_hat);
        const engine_step s = {
            .parts = WHOLE_STEP,
            .key = stream_run_key(3, 0),
            .temperature = n,
            .sweeps = 3,
            .founders = 64,
            .line = resampling_line(&h, RESAMPLE_SYSTEMATIC, tau_hat, 64),
            .tau_hat = tau_hat,
            .rule = flip_rule_at(update_kinds[update], &e->model, factor * 0.15 * n)};
        assert_int_equal(e->verbs->step(e, &s, &h), ENGINE_OK);
    }
    assert_int_equal(e->verbs->read(e, 0, h.population, spins, families), ENGINE_OK);
    const uint64_t replicas = h.population;
    histogram_destroy(&h);
    free(tau_hat);
    e->verbs->destroy(e);
    return replicas;
}

/* J = +1 and -1 as values give the bits of the engine with levels. */
static void whole_couplings_give_the_bits_of_levels(void **state) {
    (void)state;
    static const uint32_t edges[2][3] = {{6, 8, 1}, {4, 6, 4}};
    static uint8_t right[256 * 12], fine[256 * 12], wrong[256 * 12];
    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t update = UPDATE_OF_metropolis; update <= UPDATE_OF_heat_bath; update++) {
            couplings signs, values;
            assert_true(couplings_create(&signs, n + 2, edges[n]) &&
                        couplings_create(&values, n + 2, edges[n]) &&
                        couplings_allocate_values(&values));
            disorder_draw(&signs, (disorder){7, n, 0.5});
            for (uint64_t b = 0; b < signs.bonds; b++)
                couplings_set_value(&values, b,
                                    couplings_negative(&signs, b) ? -(int32_t)FINE_UNIT
                                                                  : (int32_t)FINE_UNIT);
            const uint64_t replicas = annealed_spins(&signs, update, 1, right);
            const size_t bytes = replicas * ((signs.sites + 7) / 8);
            assert_int_equal(annealed_spins(&values, update, 1, fine), replicas);
            assert_memory_equal(fine, right, bytes);
            annealed_spins(&values, update, 1.1, wrong); /* negative control */
            assert_memory_not_equal(wrong, right, bytes);
            couplings_destroy(&signs);
            couplings_destroy(&values);
        }
}

/* --- samples --- */

static couplings draw(uint32_t number, double mean, double width) {
    couplings c;
    assert_true(couplings_create(&c, 2, (const uint32_t[]){3, 3, 1}));
    assert_true(disorder_draw_gaussian(&c, (disorder){2015, number, 0}, mean, width));
    return c;
}

static double value_of(const couplings *c, uint64_t bond) {
    return (double)c->value[bond] / FINE_UNIT;
}

/* z of the moments 1, 2, 3, 4 of the couplings of 2000 samples, and of the product of those of a sample and the one `shift` behind. */
static void add_moments(double width, uint32_t shift, z_series *series) {
    static const double expected[] = {0, 1, 0, 3, 0};
    sample power[5] = {{0}};
    for (uint32_t s = 0; s < 2000; s++) {
        couplings c = draw(s, 0, width), other = draw(s + shift, 0, width);
        double product = 0;
        for (uint64_t b = 0; b < c.bonds; b++) {
            const double j = value_of(&c, b);
            for (int n = 0; n < 4; n++)
                sample_add(&power[n], pow(j, n + 1));
            product += j * value_of(&other, b);
        }
        sample_add(&power[4], product);
        couplings_destroy(&c);
        couplings_destroy(&other);
    }
    for (size_t n = 0; n < 5; n++)
        z_add(series, sample_z(&power[n], expected[n]), "moment %zu", n);
}

static void couplings_have_their_distribution(void **state) {
    (void)state;
    z_series series = z_begin("moments", 5), narrow = z_begin("variance 1/2", 5),
             shared = z_begin("shared", 5);
    add_moments(1, 1, &series);
    add_moments(sqrt(0.5), 1, &narrow);
    add_moments(1, 0, &shared);
    assert_true(z_passed(&series));
    assert_true(z_detected(&narrow) && z_detected(&shared)); /* negative controls */
}

enum { SAMPLES = 2000 };

/* z of [e a bond + beta width^2 (1 - q_l)] over the samples, as it is printed for variance 1; `drawn`: the width of the couplings. */
static double identity_z(double drawn, double beta) {
    sample_row *const row = calloc(SAMPLES, sizeof *row);
    assert_non_null(row);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        couplings c = draw(s, 0, drawn);
        const exact_averages x = enumerate(&c, beta);
        row[s].beta = beta;
        row[s].value[DISORDER_E] = x.e;
        row[s].value[DISORDER_LINK] = x.link;
        row[s].value[DISORDER_SELF] = 1;
        couplings_destroy(&c);
    }
    const gaussian_identity found = disorder_identity(row, SAMPLES, 1, 0, 2, 1);
    free(row);
    return found.mean / found.error;
}

/* z of [e a bond] + J0. */
static double nishimori_z(double mean, double beta) {
    sample off = {0, 0, 0};
    for (uint32_t s = 0; s < SAMPLES; s++) {
        couplings c = draw(s, mean, 1);
        sample_add(&off, enumerate(&c, beta).e / 2 + mean);
        couplings_destroy(&c);
    }
    return sample_z(&off, 0);
}

static void samples_obey_the_identities(void **state) {
    (void)state;
    z_series series = z_begin("identities", 3), control = z_begin("wrong identities", 2);
    z_add(&series, identity_z(1, 0.5), "integration by parts, beta = 0.5");
    z_add(&series, identity_z(1, 1), "integration by parts, beta = 1");
    z_add(&series, nishimori_z(0.8, 0.8), "Nishimori line, 0.8");
    z_add(&control, identity_z(sqrt(0.5), 1), "variance 1/2");
    z_add(&control, nishimori_z(0.8, 1.3), "off the line");
    assert_true(z_passed(&series));
    assert_true(z_detected(&control));
    assert_int_equal(control.exceeded, control.planned);
}

/* --- sums, files --- */

static void squares_have_128_bits(void **state) {
    (void)state;
    couplings c = known_sample();
    spin_model model = model_of_sample(glass2d_kind.create((const uint32_t[]){4, 4, 1}), &c);
    histogram h;
    model.levels.count = 2;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.population = POPULATION_BLOCKS * 3;
    h.energy[0] = -(INT64_C(1) << 36);
    h.energy[1] = 3;
    for (uint64_t k = 0; k < h.population; k++)
        histogram_add(&h, k, k % 3 == 2, 0);
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        assert_int_equal(h.block[b].energy2, 9);
        assert_int_equal(h.energy2_high[b], 2 << 8);
        assert_int_equal(h.block[b].energy, 3 - (INT64_C(1) << 37));
    }
    histogram_clear(&h);
    assert_int_equal(h.energy2_high[0], 0);
    histogram_destroy(&h);
    couplings_destroy(&c);
}

static void a_file_reads_as_it_was_written(void **state) {
    (void)state;
    static const char *const wrong[] = {"0 0 0 0 129\n", "0 0 0 0 1x\n", "0 0 0 0 nan\n"};
    couplings c = known_sample(), again;
    char name[] = "/tmp/gaussian_XXXXXX";
    FILE *file = fdopen(mkstemp(name), "w");
    assert_non_null(file);
    couplings_write(&c, file, "glass2d", NULL);
    fclose(file);
    assert_int_equal(couplings_read_real(&again, 2, c.edge, (bond_reading){0}, name), STATUS_OK);
    assert_int_equal(couplings_fingerprint(&again), couplings_fingerprint(&c));
    assert_memory_equal(again.value, c.value, c.bonds * sizeof *c.value);
    assert_int_equal(couplings_most_cost(&again, 5), couplings_most_cost(&c, 5));
    again.value[3]++;
    assert_int_not_equal(couplings_fingerprint(&again), couplings_fingerprint(&c));
    couplings_destroy(&again);
    assert_int_equal(couplings_read(&again, 2, c.edge, (bond_reading){0}, name), STATUS_REFUSED);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        file = fopen(name, "w");
        assert_non_null(file);
        fputs(wrong[n], file);
        fclose(file);
        assert_int_equal(couplings_read_real(&again, 2, c.edge, (bond_reading){0}, name),
                         STATUS_REFUSED);
    }
    unlink(name);
    couplings_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flips_have_their_probability),
        cmocka_unit_test(exchanges_have_their_probability),
        cmocka_unit_test(states_are_those_of_another_program),
        cmocka_unit_test(annealing_gives_the_states),
        cmocka_unit_test(bins_miss_less_than_errors),
        cmocka_unit_test(whole_couplings_give_the_bits_of_levels),
        cmocka_unit_test(couplings_have_their_distribution),
        cmocka_unit_test(samples_obey_the_identities),
        cmocka_unit_test(squares_have_128_bits),
        cmocka_unit_test(a_file_reads_as_it_was_written),
    };
    omp_set_num_threads(1); /* two would wait for each other */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flip_tables_forget();
    return failed;
}
