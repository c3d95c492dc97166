/* Liquid helium: the potential has published values, and the integers of a pair are those of formulas in double precision,
 * written otherwise than the engine's: u(r) + u(L - r) - 2 u(L/2) and its derivatives, term by term. A box that is too small, and
 * atoms too close, are refused. The change of an atom's sums is that of ln psi over all pairs, moves there and back are accepted as the
 * weights of their states, and repulsions end where a GPU no longer looks for them. */
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
        const uint32_t repulsion = helium_repulsion(s.constants.repulsion, d[0], d[1], d[2]);
        assert_true(fabs(repulsion * 0x1p-24 + ln_psi) < 1e-6 * (fabs(ln_psi) + 0.2));
        helium_atom_sums sums = {0};
        helium_add_partner(&sums, &s.constants, s.table, helium_fraction(d[0]),
                           helium_fraction(d[1]), helium_fraction(d[2]));
        assert_true(fabs((double)helium_sum_of(&sums, sums.laplacian) * 0x1p-32 + second +
                         2 * slope / r) < 1e-6 * (fabs(second) + 1e-3));
        assert_true(fabs((double)helium_sum_of(&sums, sums.potential) * 0x1p-32 - potential) <
                    1e-5 * (fabs(potential) + 1));
        const double square = (double)helium_square(&sums) * 0x1p-36;
        assert_true(fabs(square - slope * slope) < 1e-4 * (slope * slope + 1e-3));
        assert_int_equal(helium_repulsion(s.constants.repulsion, -d[0], -d[1], -d[2]), repulsion);
    }
    assert_int_equal(helium_repulsion(s.constants.repulsion, 0, 0, 0), HELIUM_SATURATED);
    assert_false(helium_accepts(0, HELIUM_SATURATED, INT64_MAX));
    helium_system_free(&s);
}

/* From reach on, the integer of a repulsion is 0: for all floats up to 1/4. The control: just before it is not always. */
static void repulsions_end_at_reach(void **state) {
    static const uint32_t atoms[] = {2, 64, 512, 4000, 65536};
    (void)state;
    for (size_t n = 0; n < sizeof atoms / sizeof *atoms; n++) {
        helium_system s;
        helium_parameters p = liquid;
        p.atoms = atoms[n];
        p.edge = n == 0 ? 8 : cbrt(atoms[n] / 0.02186);
        assert_int_equal(helium_system_make(&s, &p), STATUS_OK);
        const float scale = s.constants.repulsion, reach = s.constants.reach;
        int inside = 0;
        for (float r2 = nextafterf(0.98f * reach, 1); r2 < 0.25f; r2 = nextafterf(r2, 1))
            if (r2 < reach)
                inside += helium_repulsion_at(scale, r2) != 0;
            else
                assert_int_equal(helium_repulsion_at(scale, r2), 0);
        assert_true(inside > 0);
        assert_int_equal(helium_repulsion_at(scale, 0.25f), 0);
        helium_system_free(&s);
    }
}

/* --- ln psi of a walker --- */

#define ATOMS 100

/* Of all pairs i < j; `images`: at their nearest images. */
static int64_t all_repulsions(const helium_constants *h, uint32_t x[3][ATOMS], bool images) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < ATOMS; i++)
        for (uint32_t j = 0; j < i; j++) {
            int32_t d[3];
            bool far = false;
            for (int k = 0; k < 3; k++) {
                d[k] = (int32_t)(x[k][i] - x[k][j]);
                far = far || d[k] != (int64_t)x[k][i] - x[k][j];
            }
            sum += images || !far ? helium_repulsion(h->repulsion, d[0], d[1], d[2]) : 0;
        }
    return sum;
}

static uint64_t repulsions_of(const helium_constants *h, uint32_t x[3][ATOMS], uint32_t atom) {
    uint64_t sum = 0;
    for (uint32_t j = 0; j < ATOMS; j++)
        if (j != atom)
            sum +=
                helium_repulsion(h->repulsion, (int32_t)(x[0][j] - x[0][atom]),
                                 (int32_t)(x[1][j] - x[1][atom]), (int32_t)(x[2][j] - x[2][atom]));
    return sum;
}

/* What a move changes in the sums of its atom is what it changes in ln psi of all pairs, to the last unit; and the engine accepts
 * the moves that follow from ln psi. The control: pairs that are nearest over an edge of the box left out. */
static void moves_follow_ln_psi(void **state) {
    helium_system s;
    uint32_t x[3][ATOMS], made[3][ATOMS];
    uint32_t accepted = 0, wrong_control = 0;
    (void)state;
    assert_int_equal(helium_system_make(&s, &liquid), STATUS_OK);
    const helium_constants *const h = &s.constants;
    helium_engine *const e = helium_cpu_create(&s);
    assert_non_null(e);
    helium_start(&s, &x[0][0]);
    assert_true(e->verbs->write(e, &x[0][0]));
    assert_true(e->verbs->run(e, 1, 3, NULL, NULL));
    assert_true(e->verbs->read(e, &made[0][0]));
    for (uint32_t n = 0; n < 3 * ATOMS; n++) {
        const helium_proposal p = helium_propose(h, stream_draw(h->key, STREAM_HELIUM, 0, 0, 0, n),
                                                 stream_draw(h->key, STREAM_HELIUM, 1, 0, 0, n));
        const int64_t before = all_repulsions(h, x, true), other = all_repulsions(h, x, false);
        const uint64_t of_atom = repulsions_of(h, x, p.atom);
        for (int k = 0; k < 3; k++)
            x[k][p.atom] += (uint32_t)p.by[k];
        const int64_t change = all_repulsions(h, x, true) - before;
        assert_int_equal((int64_t)(repulsions_of(h, x, p.atom) - of_atom), change);
        wrong_control += all_repulsions(h, x, false) - other != change;
        if (repulsions_of(h, x, p.atom) < HELIUM_SATURATED && change < p.bound)
            accepted++;
        else
            for (int k = 0; k < 3; k++)
                x[k][p.atom] -= (uint32_t)p.by[k];
    }
    assert_memory_equal(x, made, sizeof x);
    assert_in_range(accepted, ATOMS / 2, 2 * ATOMS);
    assert_true(wrong_control > ATOMS);
    e->verbs->destroy(e);
    helium_system_free(&s);
}

/* Two states that differ by 0.4 in ln psi: the counts of accepted moves there and back, over those of proposals, are as their
 * weights, exp(-0.8), within 5 errors of 200,000 proposals. The control: exp(-0.4). */
static void acceptance_is_detailed(void **state) {
    enum { PROPOSALS = 200000 };
    const uint64_t low = 1 << 20, high = low + (uint64_t)(0.4 * (double)HELIUM_UNIT);
    const helium_constants h = {.atoms = 100, .step = 0x1p27, .key = stream_run_key(2, 0)};
    uint32_t up = 0, down = 0;
    (void)state;
    for (uint32_t n = 0; n < PROPOSALS; n++) {
        const helium_proposal p = helium_propose(&h, stream_draw(h.key, STREAM_HELIUM, 0, 0, 0, n),
                                                 stream_draw(h.key, STREAM_HELIUM, 1, 0, 0, n));
        up += (uint32_t)helium_accepts(low, high, p.bound);
        down += (uint32_t)helium_accepts(high, low, p.bound);
    }
    const double ratio = (double)up / down, error = sqrt(exp(-0.8) * (1 - exp(-0.8)) / PROPOSALS);
    assert_int_equal(down, PROPOSALS);
    assert_true(fabs(ratio - exp(-0.8)) < 5 * error);
    assert_false(fabs(ratio - exp(-0.4)) < 5 * error);
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
    p = liquid;
    p.step = 0.9 * 0x1p-20 * p.edge;
    assert_int_equal(helium_system_make(&s, &p), STATUS_REFUSED);
    p.step = 1.1 * 0x1p-20 * p.edge;
    assert_int_equal(helium_system_make(&s, &p), STATUS_OK);
    helium_system_free(&s);
}

/* At the least b, the closest pair has a potential that becomes an integer; the strongest wave function that is allowed has a start in
 * which no atom is near saturation. */
static void extremes_are_within_the_integers(void **state) {
    helium_system s;
    helium_parameters p = liquid;
    (void)state;
    p.jastrow_b = 1;
    assert_int_equal(helium_system_make(&s, &p), STATUS_OK);
    assert_true(s.table[0].c[0] < 0x1p51f);
    helium_system_free(&s);
    p.atoms = ATOMS;
    p.jastrow_b = p.edge / 5 / 0.7;
    assert_int_equal(helium_system_make(&s, &p), STATUS_OK);
    uint32_t x[3][ATOMS];
    helium_start(&s, &x[0][0]);
    for (uint32_t i = 0; i < ATOMS; i++)
        assert_true(repulsions_of(&s.constants, x, i) < HELIUM_SATURATED / 2);
    helium_system_free(&s);
    p.jastrow_b *= 1.001;
    assert_int_equal(helium_system_make(&s, &p), STATUS_REFUSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(potential_has_published_values),
                                       cmocka_unit_test(integers_are_those_of_formulas),
                                       cmocka_unit_test(repulsions_end_at_reach),
                                       cmocka_unit_test(moves_follow_ln_psi),
                                       cmocka_unit_test(acceptance_is_detailed),
                                       cmocka_unit_test(proposals_are_gaussian),
                                       cmocka_unit_test(impossible_systems_are_refused),
                                       cmocka_unit_test(extremes_are_within_the_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
