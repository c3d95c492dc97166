/* Resampling (eq. 2). The number of copies of a replica is floor(tau-hat) or one more, with the mean
 * tau-hat, independently of every other replica, so that R_i has the mean R and the variance
 * sum f (1 - f), f the fraction of tau-hat. Children are copies of their parents, spin for spin, in
 * the order of the parents, in every coding, mode and word size, whether every parent has one child
 * or one of them has nearly all. A population that dies out or outgrows its memory is reported. */
#include "cpu/population.h"
#include "validate/lib/annealer.h"
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define EDGE         16
#define PARENTS      1050
#define TARGET       1000
#define DRAWS        10000

/* --- The distribution of the copies, directly --- */

/* Parents of 40 energy levels, tau-hat between about 0.2 and 4. */
static population make_parents(histogram *h) {
    const spin_model model = square_model(EDGE);
    population p;
    assert_int_equal(population_create(&p, 2 * PARENTS, RESAMPLE_NEAREST), 0);
    assert_int_equal(histogram_create(h, &model), 0);
    population_found(&p, PARENTS);
    for (uint32_t j = 0; j < PARENTS; j++) {
        p.level[j] = 60 + stream_philox((stream_key){{1, 1}}, j, 0, 0, 0).number[0] % 40;
        p.order[j] = 0;
    }
    population_report(&p, &(engine_step){.parts = PART_MEASURE}, h);
    return p;
}

/* tau-hat of eq. (2) as it stands there; `renormalised` is 0 for tau. */
static double tau_hat(const population *p, uint32_t j, double dbeta, int renormalised) {
    double q = 0;
    for (uint64_t k = 0; k < p->replicas; k++)
        q += exp(-dbeta * (double)level_energy(square_model(EDGE).levels, p->level[k])) /
             (double)p->replicas;
    const double tau =
        exp(-dbeta * (double)level_energy(square_model(EDGE).levels, p->level[j])) / q;
    return renormalised ? tau * TARGET / (double)p->replicas : tau;
}

/* What DRAWS resamplings of one population gave. */
typedef struct {
    sample population;        /* R_i */
    double successive;        /* mean product of successive deviations of R_i from R */
    uint32_t copies[PARENTS]; /* all together */
    uint32_t fewest[PARENTS], most[PARENTS];
} copies_drawn;

/* Resamples at the temperature indices 1 .. DRAWS; the engine is given `target`. */
static const copies_drawn *draw_copies(population *p, const histogram *h, double dbeta,
                                       uint64_t target) {
    static copies_drawn drawn;
    uint64_t copies[EDGE * EDGE + 1];
    double last = 0;
    engine_step step = {.key = {{3, 14}}, .founders = PARENTS, .tau_hat = copies};
    drawn = (copies_drawn){.successive = 0};
    memset(drawn.fewest, 0xff, sizeof drawn.fewest);
    resampling_tau_hat(h, dbeta, target, copies);
    for (step.temperature = 1; step.temperature <= DRAWS; step.temperature++) {
        uint32_t of_parent[PARENTS] = {0};
        population_found(p, PARENTS);
        assert_int_equal(population_select(p, &step), ENGINE_OK);
        for (uint64_t k = 0; k < p->replicas; k++)
            of_parent[p->parent[k]]++;
        for (uint32_t j = 0; j < PARENTS; j++) {
            drawn.copies[j] += of_parent[j];
            drawn.fewest[j] = of_parent[j] < drawn.fewest[j] ? of_parent[j] : drawn.fewest[j];
            drawn.most[j] = of_parent[j] > drawn.most[j] ? of_parent[j] : drawn.most[j];
        }
        const double off = (double)p->replicas - TARGET;
        drawn.successive += off * last / DRAWS;
        last = off;
        sample_add(&drawn.population, (double)p->replicas);
    }
    population_found(p, PARENTS);
    return &drawn;
}

/* Adds four z-scores: for the mean and the variance of R_i, the correlation of successive R_i, and a
 * chi-square over the parents' copies. */
static void compare_with_eq_2(z_series *z, const population *p, const copies_drawn *drawn,
                              double dbeta) {
    double variance = 0, chi_square = 0;
    for (uint32_t j = 0; j < PARENTS; j++) {
        const double expected = tau_hat(p, j, dbeta, 1), f = expected - floor(expected);
        const double off = drawn->copies[j] - DRAWS * expected;
        variance += f * (1 - f);
        chi_square += off * off / (DRAWS * f * (1 - f));
    }
    z_add(z, (drawn->population.mean - TARGET) / sqrt(variance / DRAWS), "mean of R_i = %.3f",
          drawn->population.mean);
    z_add(z, (sample_variance(&drawn->population) / variance - 1) / sqrt(2. / DRAWS),
          "variance of R_i = %.2f, expected %.2f", sample_variance(&drawn->population), variance);
    z_add(z, drawn->successive / variance * sqrt(DRAWS), "correlation of successive R_i");
    z_add(z, z_of_chi_square(chi_square, PARENTS), "copies of the parents");
}

static void copies_have_the_distribution_of_eq_2(void **state) {
    (void)state;
    static const double steps[] = {0.02, -0.01, 0.03};
    histogram h;
    population p = make_parents(&h);
    z_series z = z_begin("copies", 4 * COUNT(steps)), tau = z_begin("tau, not tau-hat", 4);
    for (size_t n = 0; n < COUNT(steps); n++) {
        const copies_drawn *const drawn = draw_copies(&p, &h, steps[n], TARGET);
        compare_with_eq_2(&z, &p, drawn, steps[n]);
        for (uint32_t j = 0; j < PARENTS; j++) {
            const double whole = floor(tau_hat(&p, j, steps[n], 1));
            assert_true(drawn->fewest[j] >= whole && drawn->most[j] <= whole + 1);
        }
    }
    /* Negative control: tau = tau-hat if the target were the population at hand. */
    compare_with_eq_2(&tau, &p, draw_copies(&p, &h, steps[0], PARENTS), steps[0]);
    population_destroy(&p);
    histogram_destroy(&h);
    assert_true(z_passed(&z));
    assert_true(z_detected(&tau));
}

/* --- The population of an annealing --- */

/* Adds two z-scores for the R_i of all temperatures of some runs, each in units of its standard
 * deviation given the histogram before it: their mean and their mean square. `renormalised` = 0: tau
 * in place of tau-hat, the negative control. */
static void compare_populations(z_series *z, engine_config config, int renormalised) {
    enum { RUNS = 10 };
    const annealing_plan plan = {.seed = 2,
                                 .population = 400,
                                 .sweeps = 2,
                                 .steps = 100,
                                 .dbeta = 0.004,
                                 .threshold_factor = 1};
    replicas r = replicas_create(config, 0);
    sample deviation = {0};
    double squares = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        replicas_randomise(&r, stream_run_key(plan.seed, run), plan.population);
        for (size_t i = 1; i <= plan.steps; i++) {
            const histogram *const h = &r.report;
            double q = 0, variance = 0;
            for (size_t n = h->first; n < h->end; n++)
                q += (double)h->level[n].replicas *
                     exp(-plan.dbeta * (double)level_energy(h->levels, n));
            for (size_t n = h->first; n < h->end; n++) {
                const double e = (double)level_energy(h->levels, n);
                const double mean = (double)plan.population * exp(-plan.dbeta * e) / q;
                const double f = mean - floor(mean);
                variance += (double)h->level[n].replicas * f * (1 - f);
            }
            resampling_tau_hat(h, plan.dbeta, renormalised ? plan.population : h->population,
                               r.tau_hat);
            replicas_step(&r, annealing_step(r.worker, &plan, run, i, r.tau_hat));
            const double off = (double)r.report.population - (double)plan.population;
            sample_add(&deviation, off / sqrt(variance));
            squares += off * off / variance;
        }
    }
    replicas_destroy(&r);
    z_add(z, deviation.mean * sqrt(deviation.n), "%s, mean of R_i", coding_name(config.coding));
    z_add(z, z_of_chi_square(squares, deviation.n), "%s, variance of R_i",
          coding_name(config.coding));
}

static void populations_have_the_mean_and_variance_of_eq_2(void **state) {
    (void)state;
    const engine_config ssc = {.coding = CODING_SSC, .model = square_model(4), .capacity = 1000};
    const engine_config msc = {.coding = CODING_MSC,
                               .model = square_model(16),
                               .capacity = 1000,
                               .word = 32,
                               .rng = RNG_INDEPENDENT};
    z_series z = z_begin("populations", 4), tau = z_begin("tau, not tau-hat", 4);
    compare_populations(&z, ssc, 1);
    compare_populations(&z, msc, 1);
    compare_populations(&tau, ssc, 0);
    compare_populations(&tau, msc, 0);
    assert_true(z_passed(&z));
    assert_true(z_detected(&tau));
}

/* --- Children --- */

/* Calls check for SSC and for MSC in every mode and word size. */
static void for_each_engine(uint64_t capacity, void (*check)(engine_config)) {
    check((engine_config){.coding = CODING_SSC, .model = square_model(16), .capacity = capacity});
    for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++)
        for (uint32_t word = 8; word <= 64; word *= 2)
            check((engine_config){.coding = CODING_MSC,
                                  .model = square_model(16),
                                  .capacity = capacity,
                                  .word = word,
                                  .rng = rng});
}

/* The level of a replica, from its spins. */
static size_t level_of(const replicas *r, uint64_t k) {
    int antiparallel = 0;
    for (uint32_t y = 0; y < r->size; y++)
        for (uint32_t x = y % 2; x < r->size; x += 2)
            antiparallel += antiparallel_neighbours(r, k, x, y);
    return (size_t)antiparallel / 2;
}

/* Resamples without a sweep by r->tau_hat and holds the children against those that eq. (2) and
 * streams.h define. Returns how many are wrong, the sums over the founders' blocks included. */
static uint64_t wrong_children(replicas *r, uint32_t temperature) {
    const engine_step step = {.key = {{9, 8}}, .temperature = temperature};
    const uint64_t parents = r->count;
    uint8_t *const spins = malloc(parents * r->bytes);
    uint32_t *const families = malloc(parents * sizeof *families);
    parent_sums block[POPULATION_BLOCKS] = {{0}};
    uint64_t children = 0, wrong = 0;
    assert_true(spins && families);
    memcpy(spins, r->spins, parents * r->bytes);
    memcpy(families, r->families, parents * sizeof *families);
    replicas before = *r;
    before.spins = spins;

    replicas_step(r, step);
    replicas_save(r);
    for (uint64_t j = 0; j < parents; j++) {
        const uint64_t tau = r->tau_hat[level_of(&before, j)];
        const uint32_t number =
            stream_draw(step.key, STREAM_RESAMPLE, 0, (uint32_t)(j / 4), 0, temperature)
                .number[j % 4];
        parent_sums *const sums = &block[256 * families[j] / r->founders];
        sums->parents++;
        sums->tau_hat += tau;
        for (uint64_t copies = (tau >> 32) + (number < (uint32_t)tau); copies > 0; copies--) {
            wrong += children >= r->count || r->families[children] != families[j] ||
                     memcmp(r->spins + children * r->bytes, spins + j * r->bytes, r->bytes);
            children++;
        }
    }
    wrong += children != r->count;
    wrong += memcmp(block, r->report.parent, sizeof block) != 0;
    free(spins);
    free(families);
    return wrong;
}

/* tau-hat for every level: the same, and another one for level 0. */
static void set_copies(replicas *r, double all, double lowest) {
    for (size_t n = 0; n < r->worker->model.levels.count; n++)
        r->tau_hat[n] = (uint64_t)ldexp(n == 0 ? lowest : all, 32);
}

static void check_children(engine_config config) {
    replicas r = replicas_create(config, 0);
    replicas_randomise(&r, (stream_key){{7, config.word}}, 333);
    /* Usual weights, twice; few parents far apart; many children each. */
    for (uint32_t temperature = 1; temperature <= 2; temperature++) {
        resampling_tau_hat(&r.report, 0.03, 333, r.tau_hat);
        assert_int_equal(wrong_children(&r, temperature), 0);
    }
    set_copies(&r, 0.05, 0);
    assert_int_equal(wrong_children(&r, 3), 0);
    assert_in_range(r.count, 1, 50);
    set_copies(&r, 20.3, 0);
    assert_int_equal(wrong_children(&r, 4), 0);
    /* Negative control: a parent that is not the engine's. */
    set_copies(&r, 1, 0);
    r.spins[100 * r.bytes] ^= 1;
    assert_true(wrong_children(&r, 5) > 0);
    replicas_destroy(&r);
}

static void children_are_copies_of_their_parents(void **state) {
    (void)state;
    for_each_engine(1200, check_children);
}

/* One replica in its ground state among random ones gets nearly all children. */
static void check_strong_selection(engine_config config) {
    static const uint64_t favourite[] = {0, 31, 77, 299};
    for (size_t n = 0; n < COUNT(favourite); n++) {
        replicas r = replicas_create(config, 0);
        replicas_randomise(&r, (stream_key){{7, config.word}}, 300);
        memset(r.spins + favourite[n] * r.bytes, 0xff, r.bytes);
        replicas_load(&r);
        set_copies(&r, 0.01, 290.5);
        assert_int_equal(wrong_children(&r, 1), 0);
        assert_in_range(r.report.level[0].replicas, 290, 291);
        assert_true(r.report.family_squares >= 290 * 290);
        replicas_destroy(&r);
    }
}

static void one_parent_can_have_nearly_all_children(void **state) {
    (void)state;
    for_each_engine(600, check_strong_selection);
}

/* --- Populations that end a run --- */

static void check_ends(engine_config config) {
    replicas r = replicas_create(config, 0);
    const engine_step step = {
        .parts = WHOLE_STEP, .temperature = 1, .founders = 100, .tau_hat = r.tau_hat};
    replicas_randomise(&r, (stream_key){{1, 2}}, 100);
    set_copies(&r, 4, 4); /* exactly the capacity */
    assert_int_equal(r.worker->verbs->step(r.worker, &step, &r.report), ENGINE_OK);
    assert_int_equal(r.report.population, config.capacity);

    replicas_randomise(&r, (stream_key){{1, 2}}, 100);
    set_copies(&r, 4 + 1. / 16, 4); /* six more expected */
    assert_int_equal(r.worker->verbs->step(r.worker, &step, &r.report), ENGINE_OUTGROWN);
    replicas_randomise(&r, (stream_key){{1, 2}}, 100);
    set_copies(&r, 2147483647., 0);
    assert_int_equal(r.worker->verbs->step(r.worker, &step, &r.report), ENGINE_OUTGROWN);

    replicas_randomise(&r, (stream_key){{1, 2}}, 100);
    set_copies(&r, 0, 0);
    assert_int_equal(r.worker->verbs->step(r.worker, &step, &r.report), ENGINE_EXTINCT);
    replicas_destroy(&r);
}

static void extinct_and_outgrown_populations_are_reported(void **state) {
    (void)state;
    for_each_engine(400, check_ends);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_have_the_distribution_of_eq_2),
        cmocka_unit_test(populations_have_the_mean_and_variance_of_eq_2),
        cmocka_unit_test(children_are_copies_of_their_parents),
        cmocka_unit_test(one_parent_can_have_nearly_all_children),
        cmocka_unit_test(extinct_and_outgrown_populations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
