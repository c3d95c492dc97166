/* Thresholds rounded at random (rounding.h): whole part, fraction and rest are the digits of exp(-beta gap), to
 * a relative 2^-40 up to beta = 10 and beyond; of the 2^64 values of u a share of exactly the fraction rounds
 * up, for every lattice and turn; these are spread evenly; and the engines accept so.
 *
 * At beta = 2.5 a decision shows its fraction once in 2^32 times, at beta = 5 once in 2^57. So that it is seen
 * in every decision, a threshold of 2^32 - 1 is planted, which all numbers are below, with the fraction of
 * exp(-8 beta) beside it: rounded up it is 0, which none is. What else an engine does is the same. */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static long double probability_of(const flip_rule *rule, size_t c) {
    const long double fraction = ldexpl(rule->fraction[c] + ldexpl(rule->rest[c], -64), -64);
    return ldexpl(rule->threshold[c] + fraction, -32);
}

static flip_rule rule_of(double p_0, double p_1) {
    const spin_model any_square = square_model(16);
    return flip_rule_of(DOWNHILL_ALWAYS, &any_square, (const double[]){p_0, p_1});
}

static void digits_are_those_of_the_probability(void **state) {
    (void)state;
    flip_rule rule = rule_of(0x123456789abcdp-52, 0x3p-159);
    assert_int_equal(rule.threshold[0], 0x12345678);
    assert_true(rule.fraction[0] == UINT64_C(0x9abcd00000000000) && rule.rest[0] == 0);
    assert_int_equal(rule.threshold[1], 0);
    assert_true(rule.fraction[1] == 0 && rule.rest[1] == 6);
    rule = rule_of(0, 0x1p-33 + 0x1p-85);
    assert_true(rule.threshold[0] == 0 && rule.fraction[0] == 0 && rule.rest[0] == 0);
    assert_true(rule.threshold[1] == 0 && rule.fraction[1] == (UINT64_C(1) << 63) + 2048);
    rule = rule_of(1, 1 - 0x1p-53); /* never rounded up to 2^32, which is 0 */
    for (size_t c = 0; c < 2; c++)
        assert_true(rule.threshold[c] == UINT32_MAX && rule.fraction[c] == 0 && rule.rest[c] == 0);
    rule = rule_of(1 - 0x1p-32, 1 - 0x3p-33);
    assert_true(rule.threshold[0] == UINT32_MAX && rule.fraction[0] == 0);
    assert_true(rule.threshold[1] == UINT32_MAX - 1 && rule.fraction[1] == UINT64_C(1) << 63);
}

static void probabilities_are_exact_at_any_beta(void **state) {
    (void)state;
    const spin_model any_square = square_model(16);
    long double worst = 0, cut_off = 0;
    for (int n = 0; n <= 20000; n++) {
        const double beta = n < 10000 ? 1e-9 * pow(1e10, n / 10000.0) : (n - 10000) / 1000.;
        const flip_rule rule = flip_rule_at(&metropolis_update, &any_square, beta);
        for (size_t c = 0; c < 2; c++) {
            const long double exact = expl(-(long double)beta * any_square.gap[c]);
            worst =
                fmaxl(worst, fabsl(probability_of(&rule, c) / exact - 1) * (exact <= 1 - 0x1p-32L));
            if (beta >= 2 && beta <= 2.77)
                cut_off = fmaxl(cut_off, 1 - rule.threshold[c] / 0x1p32L / exact);
        }
    }
    print_message("  right to 2^%.1Lf; cut off, up to %.0Lf%% too small for beta from 2 to 2.77\n",
                  log2l(worst), 100 * cut_off);
    assert_true(worst < 0x1p-40L);
    assert_true(cut_off > 0.4L); /* negative control */
}

/* --- Which u round up --- */

static const uint32_t lattices[] = {0, 1, 77, 1000003, UINT32_MAX},
                      sweeps[] = {0, 1, 15, 16, 100, UINT32_MAX};

/* The u of a lattice and a sweep is u_0 and a constant modulo 2^64, so that it takes each value for one u_0: it
 * is enough to look at the edges of the fraction. */
static void a_fraction_of_all_u_rounds_up(void **state) {
    (void)state;
    static const uint64_t fractions[] = {0, 1, 12345, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < COUNT(lattices); i++)
        for (size_t k = 0; k < COUNT(sweeps); k++) {
            rounding r = {.whole = {10, 20, 30}};
            const uint32_t turn = sweeps[k] / 16;
            const uint64_t moved = lattices[i] * ROUNDING_LATTICE + turn * ROUNDING_TURN;
            for (size_t n = 0; n < COUNT(fractions); n++) {
                const uint64_t f = fractions[n];
                const uint64_t up[] = {0, f / 2, f - 1},
                               down[] = {f, f + (UINT64_MAX - f) / 2, UINT64_MAX};
                for (size_t c = 0; c < MODEL_MAX_GAPS; c++)
                    r.fraction[c] = f;
                for (size_t e = 0; e < 3; e++)
                    for (uint32_t c = 0; c < MODEL_MAX_GAPS; c++) {
                        r.u = up[e] - moved;
                        if (f > 0)
                            assert_int_equal(
                                round_thresholds(&r, lattices[i], sweeps[k]).threshold[c],
                                10 * c + 11);
                        r.u = down[e] - moved;
                        assert_int_equal(round_thresholds(&r, lattices[i], sweeps[k]).threshold[c],
                                         10 * c + 10);
                    }
            }
        }
}

/* Where the fraction's own rest rounds up, one u more does. */
static void the_rest_rounds_the_fraction(void **state) {
    (void)state;
    uint32_t up = 0;
    for (uint32_t t = 0; t < 1000; t++) {
        const engine_step step = {.key = {{3, 4}}, .temperature = t};
        const stream_block b = stream_draw(step.key, STREAM_ROUNDING, 0, 0, 0, t);
        const uint64_t of_rest = (uint64_t)b.number[3] << 32 | b.number[2];
        const flip_rule rule = {.threshold = {7, 8},
                                .fraction = {100, 200, 300},
                                .rest = {of_rest, of_rest + 1, UINT64_C(1) << 63}};
        const rounding r = step_rounding(&step, &rule);
        assert_true(r.u == ((uint64_t)b.number[1] << 32 | b.number[0]));
        assert_true(r.whole[0] == 7 && r.whole[1] == 8);
        assert_true(r.fraction[0] == 100 && r.fraction[1] == 201);
        up += r.fraction[2] == 301;
    }
    z_series z = z_begin("the rest of a half", 1);
    z_add(&z, (up - 500.) / sqrt(250), "of 1000 temperatures");
    assert_true(z_passed(&z));
}

/* Squared deviations of how many of 1000 lattices and 7 turns are rounded up, for many fractions, by what
 * independent u would have. */
static double unevenness(int independent) {
    enum { LATTICES = 1000, TURNS = 7, FRACTIONS = 200 };
    const stream_key key = {{8, 9}};
    double squares = 0, expected = 0;
    for (uint32_t n = 0; n < FRACTIONS; n++) {
        const stream_block b = stream_draw(key, STREAM_ROUNDING, 0, 0, 0, n);
        rounding r = {.u = (uint64_t)b.number[1] << 32 | b.number[0],
                      .fraction = {(uint64_t)b.number[3] << 32 | b.number[2]}};
        const double f = ldexp((double)r.fraction[0], -64), all = LATTICES * TURNS;
        double up = 0;
        for (uint32_t k = 0; k < LATTICES; k++)
            for (uint32_t turn = 0; turn < TURNS; turn++) {
                const stream_block own = stream_draw(key, STREAM_SSC, k, turn, 0, n);
                if (independent)
                    r.u = (uint64_t)own.number[1] << 32 | own.number[0];
                up += round_thresholds(&r, k, 16 * turn).threshold[0];
            }
        squares += pow(up - all * f, 2);
        expected += all * f * (1 - f);
    }
    return squares / expected;
}

static void what_is_rounded_up_is_spread_evenly(void **state) {
    (void)state;
    const double even = unevenness(0), independent = unevenness(1);
    print_message("  %.4f of the variance of independent numbers, which have %.2f\n", even,
                  independent);
    assert_true(even < 0.01);
    assert_true(independent > 0.5); /* negative control */
}

/* --- Counting --- */

#define TEMPERATURES 100

/* A coding and a mode, and in how many lattices to count. */
typedef struct {
    spin_coding coding;
    rng_mode rng;
    uint32_t size, replicas;
} subject;

/* Of replicas with all spins up, the share that a sweep leaves so, at each temperature: those with a
 * threshold of 0. */
static sample share_rounded_up(const subject *s, uint64_t fraction) {
    const engine_config config = {.coding = s->coding,
                                  .model = square_model(s->size),
                                  .capacity = s->replicas,
                                  .word = 32,
                                  .rng = s->rng};
    replicas r = replicas_create(config, s->replicas);
    engine_step step = {.key = {{20, 28}}, .sweeps = 1};
    step.rule =
        flip_rule_with(DOWNHILL_ALWAYS, &config.model, (const uint32_t[]){UINT32_MAX, UINT32_MAX});
    step.rule.fraction[0] = step.rule.fraction[1] = fraction;
    sample share = {0};
    for (step.temperature = 1; step.temperature <= TEMPERATURES; step.temperature++) {
        memset(r.spins, 0xff, r.bytes * r.count);
        replicas_load(&r);
        replicas_step(&r, step);
        replicas_save(&r);
        double up = 0;
        for (uint64_t k = 0; k < r.count; k++)
            up += spin_up(&r, k, 0, 0);
        sample_add(&share, up / (double)r.count);
    }
    replicas_destroy(&r);
    return share;
}

/* At beta = 4 and 5 the fractions are 5e-5 and 2e-8: a million lattices show 4 times the first and 2^13 times
 * the second. The errors are those of the spread over temperatures, each with a u_0 of its own. */
static void engines_round_up_as_often_as_they_should(void **state) {
    (void)state;
    static const struct {
        double beta;
        int shift;
    } cases[] = {{2, 0}, {2.5, 0}, {3, 0}, {4, 2}, {5, 13}};
    static const subject few[] = {{CODING_SSC, RNG_PHILOX, 4, 20},
                                  {CODING_MSC, RNG_PHILOX, 16, 20 * 32},
                                  {CODING_MSC, RNG_SHARED, 16, 20 * 32},
                                  {CODING_MSC, RNG_LCG, 16, 20 * 32}},
                         many[] = {{CODING_SSC, RNG_PHILOX, 4, 10000}};
    const spin_model any_square = square_model(16);
    z_series z = z_begin("thresholds rounded up", 3 * COUNT(few) + 2);
    z_series cut_off = z_begin("fractions cut off", COUNT(cases));
    for (size_t n = 0; n < COUNT(cases); n++) {
        const uint64_t fraction =
            flip_rule_at(&metropolis_update, &any_square, cases[n].beta).fraction[0]
            << cases[n].shift;
        const double scaled = 0x1p32 * exp(-8 * cases[n].beta);
        const double f = ldexp(scaled - floor(scaled), cases[n].shift);
        const subject *const subjects = n < 3 ? few : many;
        for (size_t m = 0; m < (n < 3 ? COUNT(few) : COUNT(many)); m++) {
            const sample share = share_rounded_up(&subjects[m], fraction);
            z_add(&z, sample_z(&share, f), "%s, beta = %g",
                  subjects[m].coding == CODING_SSC ? "ssc" : rng_name(subjects[m].rng),
                  cases[n].beta);
        }
        const sample none = share_rounded_up(&few[0], 0);
        z_add(&cut_off, sample_z(&none, f), "beta = %g", cases[n].beta);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&cut_off));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_those_of_the_probability),
        cmocka_unit_test(probabilities_are_exact_at_any_beta),
        cmocka_unit_test(a_fraction_of_all_u_rounds_up),
        cmocka_unit_test(the_rest_rounds_the_fraction),
        cmocka_unit_test(what_is_rounded_up_is_spread_evenly),
        cmocka_unit_test(engines_round_up_as_often_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
