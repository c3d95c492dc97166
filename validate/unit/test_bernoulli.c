/* The decisions of the mode `independent` (bernoulli.h): a lane of class c accepts with the
 * probability p_c, to a relative 2^-40, computed from the integers of the table and their fractions,
 * which rounding turns into integers as often as it should; two lanes of a group decide independently;
 * and the sweep decides with these frequencies, each lane for itself.
 */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#include "base/ieee_math.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- Exact probabilities --- */

/* Of what is computed, relative. */
static const long double bound = 0x1p-40L;

typedef struct {
    bernoulli_table table;
    bernoulli_fractions fractions;
} filled;

static filled fill(const double p[2]) {
    filled t;
    memset(&t, 0xa5, sizeof t);
    bernoulli_fill(&t.table, &t.fractions, p, SQUARE_GAPS);
    return t;
}

/* P(true) after the bit planes, by their recursion: exact, as no more than 32 bits are needed. */
static long double planes_probability(const bernoulli_table *t, size_t c) {
    long double accepted = 0;
    for (uint32_t plane = 0; plane < t->planes; plane++)
        accepted = t->bits[c] >> plane & 1 ? (1 + accepted) / 2 : accepted / 2;
    return accepted;
}

/* P(a group has more than k points), on average over what last[k] is rounded to. */
static long double more_than(const filled *t, uint32_t k) {
    return ldexpl(UINT32_MAX - t->table.last[k] + ldexpl(t->fractions.last[k], -64), -32);
}

/* P(a point sets one of n lanes of a group, each of class c), if marks below `thin` count. A point does so
 * with the probability n thin / 2^24 / 256, and the (k+1)th is the first if k others miss. */
static long double touched_by(const filled *t, long double thin, int lanes) {
    const long double hit = lanes * thin / 0x1p32L;
    long double touched = 0, missed_all = 1;
    for (uint32_t k = 0; k < BERNOULLI_MAX_POINTS; k++) {
        touched += more_than(t, k) * missed_all * hit;
        missed_all *= 1 - hit;
    }
    return touched;
}

/* The same, on average over what thin[c] is rounded to. */
static long double touched_probability(const filled *t, size_t c, int lanes) {
    const long double up = ldexpl(t->fractions.thin[c], -64);
    return (1 - up) * touched_by(t, t->table.thin[c], lanes) +
           up * touched_by(t, t->table.thin[c] + 1.0L, lanes);
}

/* P(a lane of class c accepts) - p. */
static long double excess(const filled *t, size_t c, long double p) {
    const long double planes = planes_probability(&t->table, c);
    return planes - p + (1 - planes) * touched_probability(t, c, 1);
}

/* P(two lanes are corrected) - P(one is)^2: zero for independent lanes. */
static long double dependence(const filled *t, size_t c) {
    const long double one = touched_probability(t, c, 1);
    return 2 * one - touched_probability(t, c, 2) - one * one;
}

/* The largest deviations over some tables, relative to p_c + least. */
typedef struct {
    long double least;
    long double excess, dependence, without_points, one_point, cut_off;
    uint32_t most_planes;
} extremes;

/* Makes the table, which must be well-formed, and adds its deviations from exact[]; those of wrong tables are
 * the negative control: planes alone, no more than one point a group, and fractions cut off. */
static void examine(extremes *worst, const double p[2], const long double exact[2]) {
    const filled t = fill(p);
    filled single = t, cut_off = t;
    assert_in_range(t.table.planes, 1, 32);
    for (uint32_t k = 1; k < BERNOULLI_MAX_POINTS; k++) {
        assert_true(more_than(&t, k) <= more_than(&t, k - 1));
        single.table.last[k] = UINT32_MAX;
        single.fractions.last[k] = 0;
    }
    memset(&cut_off.fractions, 0, sizeof cut_off.fractions);
    for (size_t c = 0; c < SQUARE_GAPS; c++) {
        assert_true(t.table.thin[c] + (t.fractions.thin[c] > 0) <= 1u << BERNOULLI_MARK_BITS);
        const long double unit = exact[c] + worst->least;
        const long double planes_only = planes_probability(&t.table, c) - exact[c];
        worst->excess = fmaxl(worst->excess, fabsl(excess(&t, c, exact[c])) / unit);
        worst->dependence = fmaxl(worst->dependence, fabsl(dependence(&t, c)) / unit);
        worst->without_points = fmaxl(worst->without_points, fabsl(planes_only) / unit);
        worst->one_point = fmaxl(worst->one_point, fabsl(excess(&single, c, exact[c])) / unit);
        worst->cut_off = fmaxl(worst->cut_off, fabsl(excess(&cut_off, c, exact[c])) / unit);
    }
    worst->most_planes = t.table.planes > worst->most_planes ? t.table.planes : worst->most_planes;
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
        const double beta = 6e-8 * pow(8 / 6e-8, n / 20000.0);
        const double p[2] = {ieee_exp(-8 * beta), ieee_exp(-4 * beta)};
        examine(&worst, p,
                (const long double[]){expl(-8 * (long double)beta), expl(-4 * (long double)beta)});
    }
    assert_exact("beta from 6e-8 to 8", &worst);
    print_message(
        "  negative controls: off by 2^%.2Lf without points, by 2^%.2Lf with at most one, by "
        "2^%.2Lf with fractions cut off\n",
        log2l(worst.without_points), log2l(worst.one_point), log2l(worst.cut_off));
    assert_true(worst.without_points > 1000 * bound);
    assert_true(worst.one_point > 1000 * bound);
    assert_true(worst.cut_off > 1000 * bound);
}

/* What is nearly certain is right to 2^-32. */
static void the_hottest_probabilities_are_not_far_off(void **state) {
    (void)state;
    for (int n = 23; n <= 53; n++) {
        const double p = fmin(1 - 0x1.9p0 * ldexp(1, -n), 1 - 0x1p-32);
        const filled t = fill((const double[]){p, 1 - 0x1p-32});
        assert_true(fabsl(excess(&t, 0, p)) <= 0x1p-32L);
        assert_true(fabsl(excess(&t, 1, 1 - 0x1p-32L)) <= bound);
    }
}

/* Where one p_c is tiny and the other is not, as at no temperature, marks are rounded to 0 or 1 and groups have
 * more points than one: an error of second order, below 2^-68. */
static void probabilities_are_exact_for_any_thresholds(void **state) {
    (void)state;
    static const double edge[] = {
        0,      0x1p-45,        0x1p-33,        0x1p-32,        0x3p-32,        0x7fffffffp-32,
        0.5,    0x80000001p-32, 0xfffffffep-32, 0xffffffffp-32, 0xff800000p-32, 0x00800000p-32,
        1. / 3, 2. / 3};
    extremes worst = {.least = 0x1p-28L};
    for (size_t i = 0; i < COUNT(edge); i++)
        for (size_t k = 0; k < COUNT(edge); k++) /* equal ones among them */
            examine(&worst, (const double[]){edge[i], edge[k]},
                    (const long double[]){edge[i], edge[k]});
    assert_exact("edge cases", &worst);
    worst = (extremes){.least = 0x1p-28L};
    const stream_key key = {{1, 2}};
    for (uint32_t n = 0; n < 20000; n++) {
        const stream_block r = stream_philox(key, n, 0, 0, 0);
        const double p[2] = {ldexp(r.number[0], -32 - (int)(r.number[2] % 16)),
                             ldexp(r.number[1], -32 - (int)(r.number[3] % 16))};
        examine(&worst, p, (const long double[]){p[0], p[1]});
    }
    assert_exact("random probabilities", &worst);
}

/* What cannot be, and what is all but certain, need no probability theory. */
static void zero_never_accepts(void **state) {
    (void)state;
    filled t = fill((const double[]){0, 0x12345678p-32});
    assert_int_equal(t.table.bits[0], 0);
    assert_int_equal(t.table.thin[0], 0);
    assert_true(t.fractions.thin[0] == 0);
    t = fill((const double[]){0xffffffffp-32, 0xffffffffp-32});
    assert_true(planes_probability(&t.table, 0) == 1 - 0x1p-32L);
}

/* A share of exactly the fraction of all random numbers rounds an entry; which number is for which. */
static void entries_are_rounded_by_their_fractions(void **state) {
    (void)state;
    const filled t = fill((const double[]){ieee_exp(-20), ieee_exp(-10)});
    const uint64_t of_last = t.fractions.last[0], of_thin = t.fractions.thin[0];
    assert_true(of_last > 0 && of_thin > 0);
    for (int up = 0; up < 2; up++) {
        const bernoulli_table to = bernoulli_round(&t.table, &t.fractions, of_last - (uint64_t)up,
                                                   of_thin - (uint64_t)!up);
        assert_int_equal(to.last[0], t.table.last[0] - (uint32_t)up);
        assert_int_equal(to.thin[0], t.table.thin[0] + (uint32_t)!up);
        assert_int_equal(to.thin[1], t.table.thin[1]);
        assert_int_equal(to.planes, t.table.planes);
        assert_memory_equal(to.bits, t.table.bits, sizeof to.bits);
    }
}

/* At beta = 2 to 5, how often a step rounds last[0] and thin[0], and both: they are independent. */
static void steps_round_as_often_as_they_should(void **state) {
    (void)state;
    enum { STEPS = 100000 };
    static const double betas[] = {2, 2.5, 3, 4, 5};
    const spin_model any_square = square_model(16);
    z_series z = z_begin("entries rounded", 3 * COUNT(betas));
    for (size_t n = 0; n < COUNT(betas); n++) {
        engine_step step = {.key = {{6, (uint32_t)n}}, .rule = flip_rule_at(&any_square, betas[n])};
        const double of_last = ldexp((double)step.rule.bernoulli_fractions.last[0], -64),
                     of_thin = ldexp((double)step.rule.bernoulli_fractions.thin[0], -64);
        double last = 0, thin = 0, both = 0;
        for (step.temperature = 0; step.temperature < STEPS; step.temperature++) {
            const bernoulli_table to = step_bernoulli(&step, &step.rule);
            const int rounds_last = to.last[0] != step.rule.bernoulli.last[0],
                      rounds_thin = to.thin[0] != step.rule.bernoulli.thin[0];
            last += rounds_last;
            thin += rounds_thin;
            both += rounds_last && rounds_thin;
        }
        const double p[] = {of_last, of_thin, of_last * of_thin}, count[] = {last, thin, both};
        for (size_t i = 0; i < 3; i++)
            z_add(&z, (count[i] - STEPS * p[i]) / sqrt(STEPS * p[i] * (1 - p[i])), "beta = %g, %s",
                  betas[n],
                  i == 0   ? "last"
                  : i == 1 ? "thin"
                           : "both");
    }
    assert_true(z_passed(&z));
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
    for (size_t n = 0; !points && n < BERNOULLI_MAX_POINTS; n++) {
        step.rule.bernoulli.last[n] = UINT32_MAX;
        step.rule.bernoulli_fractions.last[n] = 0;
    }
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
        cmocka_unit_test(the_hottest_probabilities_are_not_far_off),
        cmocka_unit_test(zero_never_accepts),
        cmocka_unit_test(entries_are_rounded_by_their_fractions),
        cmocka_unit_test(steps_round_as_often_as_they_should),
        cmocka_unit_test(the_sweep_decides_with_these_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
