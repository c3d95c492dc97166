/* Claims: the moments of the overlap (reference/overlap.c) are those of all pairs of states, on 3 x 3 with any
 * couplings; on 4 x 4 <q^2> is the mean square of the correlations <s_i s_j>, and with all J = +1 <|q|> at low
 * temperature is 1 less what single turned spins take; without couplings that matter, at beta = 0, they are those
 * of N free signs. */
#include "engine/disorder.h"
#include "reference/overlap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static couplings some_sample(uint32_t edge, uint32_t s, double p) {
    couplings c;
    assert_true(couplings_create(&c, 2, (uint32_t[]){edge, edge, 1}));
    disorder_draw(&c, (disorder){2026, s, p});
    return c;
}

static int energy(const couplings *c, uint32_t spins) {
    int sum = 0;
    for (uint32_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < 2; d++) {
            const uint32_t other = (uint32_t)couplings_neighbour(c, site, d);
            const int aligned = (spins >> site ^ spins >> other) & 1 ? -1 : 1;
            sum -= couplings_sign(c, site, d) * aligned;
        }
    return sum;
}

static int agree(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void moments_are_those_of_all_pairs(void **state) {
    (void)state;
    static const double betas[] = {0, 0.3, 1, 2};
    for (uint32_t s = 0; s < 6; s++)
        for (size_t k = 0; k < 4; k++) {
            couplings c = some_sample(3, s, 0.5);
            double weight[512];
            long double all = 0, abs_q = 0, q2 = 0, q4 = 0;
            for (uint32_t a = 0; a < 512; a++)
                weight[a] = exp(-betas[k] * energy(&c, a));
            for (uint32_t a = 0; a < 512; a++)
                for (uint32_t b = 0; b < 512; b++) {
                    const long double q = 1 - 2.0L * __builtin_popcount(a ^ b) / 9;
                    const long double pair = (long double)weight[a] * weight[b];
                    all += pair;
                    abs_q += pair * fabsl(q);
                    q2 += pair * q * q;
                    q4 += pair * q * q * q * q;
                }
            overlap_moments m;
            assert_true(overlap_thermodynamics(&c, betas[k], &m));
            assert_true(agree(m.abs_q, (double)(abs_q / all)));
            assert_true(agree(m.q2, (double)(q2 / all)));
            assert_true(agree(m.q4, (double)(q4 / all)));
            couplings_set(&c, s, !couplings_negative(&c, s)); /* negative control */
            assert_true(overlap_thermodynamics(&c, betas[k], &m));
            assert_true(k == 0 || !agree(m.q2, (double)(q2 / all)));
            couplings_destroy(&c);
        }
}

static void squares_are_those_of_correlations(void **state) {
    (void)state;
    couplings c = some_sample(4, 1, 0.5);
    const double beta = 0.8;
    double correlation[16][16] = {{0}}, z = 0, expected = 0;
    for (uint32_t a = 0; a < 1u << 16; a++) {
        const double weight = exp(-beta * energy(&c, a));
        z += weight;
        for (uint32_t i = 0; i < 16; i++)
            for (uint32_t j = 0; j < 16; j++)
                correlation[i][j] += (a >> i ^ a >> j) & 1 ? -weight : weight;
    }
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++)
            expected += correlation[i][j] * correlation[i][j] / (z * z * 256);
    overlap_moments m;
    assert_true(overlap_thermodynamics(&c, beta, &m));
    assert_true(agree(m.q2, expected));
    couplings_destroy(&c);
}

static void the_ends_of_beta(void **state) {
    (void)state;
    couplings c = some_sample(4, 0, 1);
    overlap_moments m;
    assert_true(overlap_thermodynamics(&c, 0, &m));
    assert_true(agree(m.q2, 1.0 / 16) && agree(m.q4, (3.0 * 16 - 2) / (16 * 16 * 16)));
    assert_true(
        overlap_thermodynamics(&c, 4, &m)); /* of 16 spins one is turned, in either replica */
    assert_true(fabs(m.abs_q - (1 - 2 * 16 * exp(-8 * 4) * 2 / 16)) < 1e-15);
    couplings_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_all_pairs),
        cmocka_unit_test(squares_are_those_of_correlations),
        cmocka_unit_test(the_ends_of_beta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
