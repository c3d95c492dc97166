/* The decisions of the mode `independent` (bernoulli.h): a lane of class c accepts with the
 * probability T_c / 2^32, to 2^-34, computed exactly from the integers of the table; two lanes of a
 * group decide independently; and the sweep decides with these frequencies, each lane for itself.
 */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- Exact probabilities --- */

/* The rounding of thin[c] moves a probability by lambda 2^-25 < 2^-35, as there are at most 1/4
 * points in 256 lanes; that of last[], by 2^-33 for each number of points, counts for a lane only
 * once in 256 times. The sum of both stays below: */
static const long double bound = 0x1p-34L;

/* P(true) after the bit planes, by their recursion: exact, as no more than 32 bits are needed. */
static long double planes_probability(const bernoulli_table *t, size_t c) {
    long double accepted = 0;
    for (uint32_t plane = 0; plane < t->planes; plane++)
        accepted = t->bits[c] >> plane & 1 ? (1 + accepted) / 2 : accepted / 2;
    return accepted;
}

/* P(no point sets any of n lanes of a group, each of class c). A point sets one of them with the
 * probability n thin / 2^24 / 256; that there are at most k points has (last[k] + 1) / 2^32. */
static long double untouched_probability(const bernoulli_table *t, size_t c, int lanes) {
    const long double missed = 1 - lanes * (long double)t->thin[c] / 0x1p32L;
    long double untouched = 0, below = 0, missed_all = 1;
    for (uint32_t k = 0; k <= BERNOULLI_MAX_POINTS; k++) {
        const long double at_most_k = k < BERNOULLI_MAX_POINTS ? (t->last[k] + 1.0L) / 0x1p32L : 1;
        untouched += (at_most_k - below) * missed_all;
        missed_all *= missed;
        below = at_most_k;
    }
    return untouched;
}

/* P(a lane of class c accepts) - T_c / 2^32. */
static long double excess(const bernoulli_table *t, size_t c, uint32_t threshold) {
    return 1 - (1 - planes_probability(t, c)) * untouched_probability(t, c, 1) -
           (long double)threshold / 0x1p32L;
}

/* P(neither of two lanes is corrected) - P(one is not)^2: zero for independent lanes. */
static long double dependence(const bernoulli_table *t, size_t c) {
    const long double one = untouched_probability(t, c, 1);
    return untouched_probability(t, c, 2) - one * one;
}

/* The largest deviations over some tables. */
typedef struct {
    long double excess, dependence, without_points, one_point;
    uint32_t most_planes;
} extremes;

/* Makes the table, which must be well-formed, and adds its deviations; those of two wrong tables
 * are the negative control: planes alone, and no more than one point a group. */
static void examine(extremes *worst, uint32_t threshold_0, uint32_t threshold_1) {
    const uint32_t threshold[SQUARE_GAPS] = {threshold_0, threshold_1};
    bernoulli_table table, single;
    memset(&table, 0xa5, sizeof table);
    bernoulli_fill(&table, threshold, SQUARE_GAPS);
    assert_in_range(table.planes, 1, 32);
    for (uint32_t k = 1; k < BERNOULLI_MAX_POINTS; k++)
        assert_true(table.last[k - 1] <= table.last[k]);

    single = table;
    for (uint32_t k = 1; k < BERNOULLI_MAX_POINTS; k++)
        single.last[k] = UINT32_MAX;
    for (size_t c = 0; c < SQUARE_GAPS; c++) {
        assert_true(table.thin[c] <= 1u << BERNOULLI_MARK_BITS);
        const long double planes_only =
            planes_probability(&table, c) - (long double)threshold[c] / 0x1p32L;
        worst->excess = fmaxl(worst->excess, fabsl(excess(&table, c, threshold[c])));
        worst->dependence = fmaxl(worst->dependence, fabsl(dependence(&table, c)));
        worst->without_points = fmaxl(worst->without_points, fabsl(planes_only));
        worst->one_point = fmaxl(worst->one_point, fabsl(excess(&single, c, threshold[c])));
    }
    worst->most_planes = table.planes > worst->most_planes ? table.planes : worst->most_planes;
}

static void assert_exact(const char *what, const extremes *worst) {
    print_message("  %s: probabilities right to 2^%.2Lf, lanes independent to 2^%.2Lf, at most %u "
                  "planes\n",
                  what, log2l(worst->excess), log2l(worst->dependence), worst->most_planes);
    assert_true(worst->excess <= bound);
    assert_true(worst->dependence <= bound);
}

static void probabilities_are_exact_at_all_temperatures(void **state) {
    (void)state;
    extremes worst = {0};
    for (int n = 0; n <= 20000; n++) {
        const double beta = 1e-4 * pow(2e4, n / 20000.0);
        examine(&worst, (uint32_t)ldexp(exp(-8 * beta), 32), (uint32_t)ldexp(exp(-4 * beta), 32));
    }
    assert_exact("beta from 0.0001 to 2", &worst);
    print_message(
        "  negative controls: off by 2^%.2Lf without points, by 2^%.2Lf with at most one\n",
        log2l(worst.without_points), log2l(worst.one_point));
    assert_true(worst.without_points > 1000 * bound);
    assert_true(worst.one_point > 1000 * bound);
}

static void probabilities_are_exact_for_any_thresholds(void **state) {
    (void)state;
    static const uint32_t edge[] = {0,          1,          2,          3,          0x7fffffff,
                                    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xff800000,
                                    0x00800000, 0x55555555, 0xaaaaaaaa};
    extremes worst = {0};
    for (size_t i = 0; i < COUNT(edge); i++)
        for (size_t k = 0; k < COUNT(edge); k++)
            examine(&worst, edge[i], edge[k]); /* equal ones among them */
    assert_exact("edge cases", &worst);
    worst = (extremes){0};
    const stream_key key = {{1, 2}};
    for (uint32_t n = 0; n < 20000; n++) {
        const stream_block r = stream_philox(key, n, 0, 0, 0);
        examine(&worst, r.number[0] >> r.number[2] % 32, r.number[1] >> r.number[3] % 32);
    }
    assert_exact("random thresholds", &worst);
}

/* What cannot be, and what is all but certain, need no probability theory. */
static void zero_never_accepts(void **state) {
    (void)state;
    bernoulli_table table;
    bernoulli_fill(&table, (const uint32_t[]){0, 0x12345678}, SQUARE_GAPS);
    assert_int_equal(table.bits[0], 0);
    assert_int_equal(table.thin[0], 0);
    bernoulli_fill(&table, (const uint32_t[]){0xffffffff, 0xffffffff}, SQUARE_GAPS);
    assert_true(planes_probability(&table, 0) == 1 - 0x1p-32L);
}

/* --- Frequencies in the sweep --- */

#define SIZE     16
#define REPLICAS 16384
#define REPEATS  6

/* Replica k before a sweep: all spins up, where d = 0 (class 0), or one in four of the odd
 * sub-lattice down so that every even site has d = 1 (class 1): x + 3 y is odd on odd sites, and
 * its four odd values modulo 8 surround every even site. */
static void prepare(replicas *r, size_t c) {
    memset(r->spins, 0xff, REPLICAS * r->bytes);
    for (uint64_t k = 0; c == 1 && k < REPLICAS; k++)
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = (y + 1) % 2; x < SIZE; x += 2)
                set_spin(r, k, x, y, (x + 3 * y) % 8 != 1);
}

/* Adds the flips of the even sub-lattice: of each strip, 8 rows of a column in 32 replicas. */
static void count_flips(sample *flips, const replicas *r) {
    for (uint32_t word = 0; word < REPLICAS / 32; word++)
        for (uint32_t column = 0; column < SIZE / 2; column++)
            for (uint32_t top = 0; top < SIZE; top += 8) {
                uint32_t strip = 0;
                for (uint32_t lane = 0; lane < 32; lane++)
                    for (uint32_t y = top; y < top + 8; y++)
                        strip += !spin_up(r, word * 32 + lane, 2 * column + y % 2, y);
                sample_add(flips, strip);
            }
}

/* The flips in REPEATS sweeps of prepared populations with the table of these thresholds. The even
 * sub-lattice is swept first. */
static sample sweep_prepared(replicas *r, const uint32_t threshold[2], size_t c, int points) {
    sample flips = {0};
    engine_step step = {.key = {{20, 26}}, .sweeps = 1};
    step.rule = flip_rule_with(&r->worker->model, threshold);
    for (size_t n = 0; !points && n < BERNOULLI_MAX_POINTS; n++)
        step.rule.bernoulli.last[n] = UINT32_MAX;
    for (step.temperature = 1; step.temperature <= REPEATS; step.temperature++) {
        prepare(r, c);
        replicas_load(r);
        replicas_step(r, step);
        replicas_save(r);
        count_flips(&flips, r);
    }
    return flips;
}

/* Adds two z-scores for a probability: of the frequency, and of the spread over strips, which is
 * binomial for independent lanes: its variance is 256 p (1 - p), and the fourth central moment of
 * the binomial distribution gives the error of that. */
static void compare_with_binomial(z_series *z, const sample *flips, uint32_t threshold, size_t c) {
    const double p = ldexp(threshold, -32), n = BERNOULLI_GROUP, variance = n * p * (1 - p);
    const double fourth = variance * (1 + (3 * n - 6) * p * (1 - p));
    if (threshold == 0) {
        z_add(z, flips->mean == 0 ? 0 : INFINITY, "threshold 0, class %zu", c);
        return;
    }
    z_add(z, (flips->mean - n * p) / sqrt(variance / flips->n),
          "frequency, threshold %08x, class %zu", threshold, c);
    z_add(z, (sample_variance(flips) - variance) / sqrt((fourth - variance * variance) / flips->n),
          "spread over strips, threshold %08x, class %zu", threshold, c);
}

/* Many decisions, so that z is normal: 13 million each, in 49152 strips. */
static void the_sweep_decides_with_these_probabilities(void **state) {
    (void)state;
    static const uint32_t thresholds[][2] = {
        {0x20000000, 0x60000000}, /* planes alone decide */
        {0x04390000, 0x08390000}, /* much to correct in both classes */
        {0xc75e0b4b, 0xe1e6dbb3}, /* beta = 1/32 */
        {0x0ce84a5f, 0x396abfb1}, /* beta = 0.375 */
        {0x00000000, 0xff000000},
    };
    z_series z = z_begin("decisions of the sweep", 2 * 2 * COUNT(thresholds) - 1);
    z_series wrong = z_begin("planes without points", 4);
    replicas r = replicas_create((engine_config){.coding = CODING_MSC,
                                                 .model = square_model(SIZE),
                                                 .capacity = REPLICAS,
                                                 .word = 32,
                                                 .rng = RNG_INDEPENDENT},
                                 REPLICAS);
    for (size_t n = 0; n < COUNT(thresholds); n++)
        for (size_t c = 0; c < 2; c++) {
            const sample flips = sweep_prepared(&r, thresholds[n], c, 1);
            compare_with_binomial(&z, &flips, thresholds[n][c], c);
        }
    for (size_t c = 0; c < 2; c++) {
        const sample flips = sweep_prepared(&r, thresholds[1], c, 0);
        compare_with_binomial(&wrong, &flips, thresholds[1][c], c);
    }
    replicas_destroy(&r);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_are_exact_at_all_temperatures),
        cmocka_unit_test(probabilities_are_exact_for_any_thresholds),
        cmocka_unit_test(zero_never_accepts),
        cmocka_unit_test(the_sweep_decides_with_these_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
