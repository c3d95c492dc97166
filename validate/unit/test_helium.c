/* Liquid helium: the potential has published values, and the integers of a pair are those of formulas in double precision,
 * written otherwise than the engine's: u(r) + u(L - r) - 2 u(L/2) and its derivatives, term by term. A box that is too small, and
 * atoms too close, are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helium/engine.h"

static const helium_parameters liquid = {
    .atoms = 100, .walkers = 1, .edge = 16.6, .jastrow_b = 3.07, .mass = 4.002602, .step = 0.82};

static void potential_has_published_values(void **state) {
    static const double value[][2] = {
        {2.963, -10.9480024}, {2.5, 20.4727120}, {3, -10.8883418}, {4, -2.9336233}};
    (void)state;
    for (size_t n = 0; n < sizeof value / sizeof *value; n++)
        assert_true(fabs(helium_potential(value[n][0]) - value[n][1]) < 1e-7);
    assert_true(fabs(helium_potential(2.63692051)) < 1e-5);
    assert_true(fabs(helium_tail(0.02186, 14.305727 / 2) + 1.3096) < 1e-4);
    assert_false(fabs(helium_potential(3.01) + 10.8883418) < 1e-7); /* the control */
}

static double u(double r) {
    return -pow(liquid.jastrow_b / r, 5) / 2;
}

/* Distances along a line that is no axis, from the core to beyond L/2. */
static void integers_are_those_of_formulas(void **state) {
    helium_system s;
    (void)state;
    assert_int_equal(helium_system_make(&s, &liquid), STATUS_OK);
    const double L = liquid.edge, b5 = pow(liquid.jastrow_b, 5);
    for (double wanted = 1.3; wanted < L / 2 + 1; wanted += 0.0371) {
        int32_t d[3];
        for (int k = 0; k < 3; k++)
            d[k] = (int32_t)(wanted * (k + 1) / sqrt(14) / L * 0x1p32);
        double r2 = 0;
        for (int k = 0; k < 3; k++)
            r2 += d[k] * 0x1p-32 * L * (d[k] * 0x1p-32 * L);
        const double r = sqrt(r2), inside = r < L / 2;
        const double ln_psi = inside * (u(r) + u(L - r) - 2 * u(L / 2));
        const double slope = inside * 2.5 * b5 * (pow(r, -6) - pow(L - r, -6));
        const double second = inside * -15 * b5 * (pow(r, -7) + pow(L - r, -7));
        const double potential = inside * helium_potential(r);
        const int32_t repulsion = helium_repulsion(s.constants.repulsion, d[0], d[1], d[2]);
        assert_true(fabs(repulsion * 0x1p-24 + ln_psi) < 1e-6 * (fabs(ln_psi) + 0.2));
        helium_atom_sums sums = {0};
        helium_add_partner(&sums, &s.constants, s.table, d[0], d[1], d[2]);
        assert_true(fabs((double)sums.laplacian * 0x1p-32 + second + 2 * slope / r) <
                    1e-6 * (fabs(second) + 1e-3));
        assert_true(fabs((double)sums.potential * 0x1p-32 - potential) <
                    1e-5 * (fabs(potential) + 1));
        const double square = (double)helium_square(&sums) * 0x1p-36;
        assert_true(fabs(square - slope * slope) < 1e-4 * (slope * slope + 1e-3));
        assert_int_equal(helium_repulsion(s.constants.repulsion, -d[0], -d[1], -d[2]), repulsion);
    }
    assert_int_equal(helium_repulsion(s.constants.repulsion, 0, 0, 0), HELIUM_SATURATED);
    assert_false(helium_accepts(0, HELIUM_SATURATED, INT64_MAX));
    helium_system_free(&s);
}

static double mean_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] / (double)n;
    return sum;
}

/* Gaussians of mean 0, variance 1 and fourth moment 3, independent of each other, and -ln xi of mean 1: means of 200,000,
 * within 5 of their errors (all together wrong with a probability of 5e-6). */
static void proposals_are_gaussian(void **state) {
    enum { NUMBERS = 200000 };
    static double value[9][NUMBERS];
    static const double expected[9] = {0, 0, 0, 1, 1, 1, 3, 0, 1};
    static const double spread[9] = {1, 1, 1, 1.415, 1.415, 1.415, 9.8, 1, 1};
    helium_constants h = {.atoms = 100, .step = 0x1p27, .key = stream_run_key(1, 0)};
    (void)state;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        const helium_proposal p = helium_propose(&h, stream_draw(h.key, STREAM_HELIUM, 0, 0, 0, n),
                                                 stream_draw(h.key, STREAM_HELIUM, 1, 0, 0, n));
        const double g[3] = {p.by[0] / h.step, p.by[1] / h.step, p.by[2] / h.step};
        assert_in_range(p.atom, 0, h.atoms - 1);
        for (int k = 0; k < 3; k++) {
            value[k][n] = g[k];
            value[3 + k][n] = g[k] * g[k];
        }
        value[6][n] = g[0] * g[0] * g[0] * g[0];
        value[7][n] = g[0] * g[1];
        value[8][n] = (double)p.bound * 0x1p-23;
    }
    for (int k = 0; k < 9; k++)
        assert_true(fabs(mean_of(value[k], NUMBERS) - expected[k]) <
                    5 * spread[k] / sqrt((double)NUMBERS));
    /* The control: another fourth moment. */
    assert_false(fabs(mean_of(value[6], NUMBERS) - 2.8) < 5 * spread[6] / sqrt((double)NUMBERS));
}

static void impossible_systems_are_refused(void **state) {
    helium_system s;
    helium_parameters p = liquid;
    (void)state;
    p.edge = 5.2;
    assert_int_equal(helium_system_make(&s, &p), STATUS_REFUSED);
    p = liquid;
    p.atoms = 60000;
    assert_int_equal(helium_system_make(&s, &p), STATUS_REFUSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(potential_has_published_values),
                                       cmocka_unit_test(integers_are_those_of_formulas),
                                       cmocka_unit_test(proposals_are_gaussian),
                                       cmocka_unit_test(impossible_systems_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
