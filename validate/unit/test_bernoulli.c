/* The decisions of the mode `independent` (bernoulli.h): a lane of class c accepts with the
 * probability p_c, to 2^-40 of itself, computed from the numbers of the table; two lanes of a group
 * decide independently; a number that equals a probability's first digit is decided by further ones;
 * and the sweep decides with these frequencies, each lane for itself. */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- Exact probabilities --- */

/* Of itself: */
static const long double bound = 0x1p-40L;

/* What three digits leave of a probability. */
static long double of_three_digits(double p) {
    return floorl(p * 0x1p96L) * 0x1p-96L;
}

/* P(true) after the bit planes: exact, as no more than 45 bits are needed. */
static long double planes_probability(const bernoulli_table *t, size_t c) {
    return ldexpl(t->bits[c], -(int)t->planes);
}

/* P(some point sets one of n lanes of a group, each of class c). A point sets one of them with the probability s;
 * 1 - E (1 - s)^N = sum over k of P(N > k) s (1 - s)^k, where nothing cancels. */
static long double hit_probability(const bernoulli_table *t, size_t c, int lanes) {
    const long double s = lanes * of_three_digits(t->thin[c]) / (256 * t->group);
    long double hit = 0, missed = 1;
    for (uint32_t k = 0; k < BERNOULLI_MOST_POINTS; k++) {
        hit += of_three_digits(t->more_than[k]) * s * missed;
        missed *= 1 - s;
    }
    return hit;
}

/* P(a lane of class c accepts) / p - 1. */
static long double excess(const bernoulli_table *t, size_t c, long double p) {
    const long double decided = planes_probability(t, c);
    return (decided - p + (1 - decided) * hit_probability(t, c, 1)) / p;
}

/* P(neither of two lanes is corrected) - P(one is not)^2: zero for independent lanes. */
static long double dependence(const bernoulli_table *t, size_t c) {
    const long double one = hit_probability(t, c, 1);
    return 2 * one - hit_probability(t, c, 2) - one * one;
}

/* The largest deviations over some tables. */
typedef struct {
    long double excess, dependence, without_points, without_digits, beyond;
    uint32_t least_planes, most_planes;
} extremes;

/* Makes the table, which must be well-formed, and adds its deviations; those of two wrong tables
 * are the negative control: planes alone, and numbers of points compared by their first digit only. */
static void examine(extremes *worst, const double p[SQUARE_GAPS],
                    const long double exact[SQUARE_GAPS], uint32_t size) {
    bernoulli_table table, rounded;
    memset(&table, 0xa5, sizeof table);
    bernoulli_fill(&table, NULL, p, SQUARE_GAPS, size * size / 16);
    assert_true(table.planes <= 45);
    assert_int_equal(table.group, size == 16 ? 16 : 32);
    for (uint32_t k = 1; k < BERNOULLI_MOST_POINTS; k++)
        assert_true(table.more_than[k - 1] >= table.more_than[k]);

    rounded = table;
    for (uint32_t k = 0; k < BERNOULLI_MOST_POINTS; k++)
        rounded.more_than[k] = ldexp(floor(ldexp(table.more_than[k], 32)), -32);
    for (size_t c = 0; c < SQUARE_GAPS; c++) {
        assert_true(table.thin[c] <= 1);
        const long double planes_only = planes_probability(&table, c) / exact[c] - 1;
        worst->excess = fmaxl(worst->excess, fabsl(excess(&table, c, exact[c])));
        worst->dependence = fmaxl(worst->dependence, fabsl(dependence(&table, c)));
        worst->without_points = fmaxl(worst->without_points, fabsl(planes_only));
        worst->without_digits = fmaxl(worst->without_digits, fabsl(excess(&rounded, c, exact[c])));
    }
    worst->beyond = fmaxl(worst->beyond, table.more_than[BERNOULLI_MOST_POINTS - 1]);
    worst->least_planes = table.planes < worst->least_planes ? table.planes : worst->least_planes;
    worst->most_planes = table.planes > worst->most_planes ? table.planes : worst->most_planes;
}

static void assert_exact(const char *what, const extremes *worst) {
    print_message(
        "  %s: probabilities right to 2^%.2Lf of themselves, lanes independent to 2^%.2Lf, "
        "more points than the table has: 2^%.0Lf, %u to %u planes\n",
        what, log2l(worst->excess), log2l(worst->dependence), log2l(worst->beyond),
        worst->least_planes, worst->most_planes);
    assert_true(worst->excess <= bound);
    assert_true(worst->dependence <= bound);
    assert_true(worst->beyond <= 0x1p-50L);
}

/* exp(-8 beta) is 2^-104 at the end: three digits do up to beta = 9.7. */
static void probabilities_are_exact_at_all_temperatures(void **state) {
    (void)state;
    static const uint32_t sizes[] = {16, 64};
    extremes worst = {.least_planes = 99};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int n = 0; n <= 10000; n++) {
            const double beta = 1e-4 * pow(9e4, n / 10000.0);
            const spin_model square = square_model(sizes[i]);
            const flip_rule rule = flip_rule_at(&metropolis_update, &square, beta);
            const long double exact[] = {expl(-8 * (long double)beta),
                                         expl(-4 * (long double)beta)};
            const double p[] = {(double)exact[0], (double)exact[1]};
            examine(&worst, p, exact, sizes[i]);
            for (size_t c = 0; c < SQUARE_GAPS; c++) /* what the engines are told */
                assert_true(fabsl(excess(&rule.bernoulli, c, exact[c])) <= bound);
        }
    assert_exact("beta from 0.0001 to 9", &worst);
    print_message(
        "  negative controls: off by 2^%.2Lf without points, by 2^%.2Lf without further digits\n",
        log2l(worst.without_points), log2l(worst.without_digits));
    assert_true(worst.without_points > 1000 * bound);
    assert_true(worst.without_digits > 1000 * bound);
    assert_int_equal(worst.least_planes, 0);
}

static void probabilities_are_exact_for_any_thresholds(void **state) {
    (void)state;
    static const uint32_t edge[] = {1,          2,          3,          0x7fffffff,
                                    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
                                    0xff800000, 0x00800000, 0x55555555, 0xaaaaaaaa};
    extremes worst = {.least_planes = 99};
    for (size_t i = 0; i < COUNT(edge); i++)
        for (size_t k = 0; k < COUNT(edge); k++) { /* equal ones among them */
            const double p[] = {ldexp(edge[i], -32), ldexp(edge[k], -32)};
            examine(&worst, p, (const long double[]){p[0], p[1]}, 64);
        }
    assert_exact("edge cases", &worst);
    worst = (extremes){.least_planes = 99};
    const stream_key key = {{1, 2}};
    for (uint32_t n = 0; n < 20000; n++) {
        const stream_block r = stream_philox(key, n, 0, 0, 0);
        const double p[] = {ldexp(1 + (r.number[0] >> r.number[2] % 32), -33),
                            ldexp(1 + (r.number[1] >> r.number[3] % 32), -33)};
        examine(&worst, p, (const long double[]){p[0], p[1]}, 64);
    }
    assert_exact("random probabilities", &worst);
}

/* What cannot be needs no probability theory. */
static void zero_never_accepts(void **state) {
    (void)state;
    bernoulli_table table;
    bernoulli_fill(&table, NULL, (const double[]){0, 0.07}, SQUARE_GAPS, 256);
    assert_int_equal(table.bits[0], 0);
    assert_true(table.thin[0] == 0);
}

/* --- Further digits --- */

/* A generator that draws r next, then 0, then the low half of A r: numbers that two further digits decide. */
static mwc_state about_to_draw(uint32_t r) {
    const mwc_state m = {.x2 = 0, .x1 = 0, .c = r};
    return m;
}

/* Draws after which the generator is at `m`, of one that was about to draw r. */
static int draws_before(mwc_state m, uint32_t r) {
    mwc_state walker = about_to_draw(r);
    int draws = 0;
    while (memcmp(&walker, &m, sizeof m) && draws++ < 10)
        mwc_next(&walker);
    return draws;
}

static void equal_digits_are_decided_by_further_ones(void **state) {
    (void)state;
    const uint32_t r = 5;
    /* The further digits are 0 and the low half of 5 A, 0.67: together 2^-32.6. */
    const struct {
        double p;
        int counts, draws;
    } marks[] = {
        {ldexp(r + 0x1p-20, -32), 1, 3}, {ldexp(r + 0x1p-40, -32), 0, 3}, {ldexp(r, -32), 0, 1},
        {ldexp(r + 1, -32), 1, 1},       {ldexp(r - 1, -32), 0, 1},       {1, 1, 1},
    };
    for (size_t n = 0; n < COUNT(marks); n++) {
        mwc_state m = about_to_draw(r);
        const uint32_t mark = mwc_next(&m);
        assert_int_equal(bernoulli_counts(marks[n].p, bernoulli_digit(marks[n].p), mark, &m),
                         marks[n].counts);
        assert_int_equal(draws_before(m, r), marks[n].draws);
    }
    mwc_state last = about_to_draw(UINT32_MAX); /* below 1, whatever follows */
    assert_true(bernoulli_counts(1, bernoulli_digit(1), mwc_next(&last), &last));
    assert_int_equal(draws_before(last, UINT32_MAX), 1);

    /* Numbers of points: entries above the number for certain, by further digits, and not. */
    double more_than[BERNOULLI_MOST_POINTS] = {1, ldexp(r + 1, -32), ldexp(r + 0x1p-20, -32),
                                               ldexp(r + 0x1p-30, -32), ldexp(r + 0x1p-40, -32)};
    mwc_state m = about_to_draw(r);
    assert_int_equal(bernoulli_points(more_than, &m), 4);
    assert_int_equal(draws_before(m, r), 3);
    m = about_to_draw(r + 1);
    assert_int_equal(bernoulli_points(more_than, &m), 1);
    assert_int_equal(draws_before(m, r + 1), 1);
    m = about_to_draw(r - 1);
    assert_int_equal(bernoulli_points(more_than, &m), 5);
    for (uint32_t n = 0; n < BERNOULLI_MOST_POINTS; n++)
        more_than[n] = 1;
    m = about_to_draw(UINT32_MAX);
    assert_int_equal(bernoulli_points(more_than, &m), BERNOULLI_MOST_POINTS);
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
    step.rule = flip_rule_with(DOWNHILL_ALWAYS, &r->worker->model, threshold);
    for (size_t n = 0; !points && n < BERNOULLI_MOST_POINTS; n++)
        step.rule.bernoulli.more_than[n] = 0;
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
    const double p = ldexp(threshold, -32), n = 256, variance = n * p * (1 - p);
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
        cmocka_unit_test(equal_digits_are_decided_by_further_ones),
        cmocka_unit_test(the_sweep_decides_with_these_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
