/* Spin glasses of vectors against what is exact:
 *
 *   - a ring of spins with any J has Z = sum_l (2 l + 1) prod i_l(beta J) with n = 3, and sum_l prod I_l(beta J) with n = 2
 *   - where spins s and couplings J are replaced by e s and e e' J with signs e, energies are the same bit for bit, and reflected spins
 *     but for e
 *
 * Planted faults: one J of the other sign; a bond that its sites' signs leave out. (Bits: reference/plain_vectors.c by test_plain.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "validate/lib/vector_ways.h"

#include "validate/lib/statistics.h" /* behind streams.h, whose arguments have the name of a type here */

/* Couplings of a lattice with an edge of 4: of bonds in x alone some J of either sign, so that there are rings of four spins. */
static couplings rings_of(uint32_t flipped) {
    couplings c;
    assert_true(couplings_create(&c, 2, (const uint32_t[]){4, 4, 1}) &&
                couplings_allocate_values(&c));
    for (uint32_t site = 0; site < c.sites; site++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, site, 5, 0, 0);
        const int32_t J = (int32_t)(b.number[0] % (1u << 20)) + (1 << 19);
        couplings_set_value(&c, 2 * site,
                            (b.number[1] >> 31) ^ (site % 4 == 0 && flipped) ? -J : J);
        assert_true(couplings_remove(&c, 2 * site + 1));
    }
    return c;
}

/* ln Z of all rings. With J < 0 the term of l has the sign (-1)^l. */
static double rings_ln_z(uint32_t n, const couplings *c, double beta) {
    double sum = 0;
    for (uint32_t y = 0; y < 4; y++) {
        double z = 0;
        for (int l = 0; l < 12; l++) {
            double term = n == 3 ? 2 * l + 1 : l > 0 ? 2 : 1;
            for (uint32_t x = 0; x < 4; x++) {
                const double J = vector_coupling(c, 4 * y + x, 0);
                term *= bessel(n, l, beta * fabs(J)) * (J < 0 && l % 2 == 1 ? -1 : 1);
            }
            z += term;
        }
        sum += log(z);
    }
    return sum;
}

static void compare_rings(z_series *z, const way *w, bool wrong) {
    const double beta = 1.2, h = 1e-4;
    couplings c = rings_of(0), told = rings_of(wrong);
    const spin_model m = model_of(w, 4);
    vector_lattice l = vector_lattice_of(&m);
    sample energies = {0};
    assert_int_equal(ssc_vectors_take_sample(&l, &c), 0);
    for (uint32_t k = 0; k < 400; k++) {
        double spin[MOST];
        int64_t energy;
        uint32_t order;
        simulate(&l, w->update, beta, k, 25, spin);
        ssc_vectors_measure(&l, spin, &energy, &order);
        sample_add(&energies, (double)energy / VECTOR_ONE);
    }
    const double exact =
        -(rings_ln_z(l.components, &told, beta + h) - rings_ln_z(l.components, &told, beta - h)) /
        (2 * h);
    z_add(z, sample_z(&energies, exact), "rings, %s, %s", m.title, w->update->name);
    free(l.couplings);
    couplings_destroy(&c);
    couplings_destroy(&told);
}

static const way glasses[] = {{&heisenberg_glass2d_kind, &metropolis_update, REAL_FLOAT, 1},
                              {&heisenberg_glass2d_kind, &heat_bath_update, REAL_DOUBLE, 0},
                              {&xy_glass2d_kind, &metropolis_update, REAL_DOUBLE, 0},
                              {&xy_glass2d_kind, &heat_bath_update, REAL_FLOAT, 2}};
enum { GLASSES = sizeof glasses / sizeof *glasses };

static void rings_of_any_couplings(void **state) {
    (void)state;
    z_series z = z_begin("rings with couplings", GLASSES),
             wrong = z_begin("one J of a ring of the other sign", GLASSES);
    for (size_t n = 0; n < GLASSES; n++) {
        compare_rings(&z, &glasses[n], false);
        compare_rings(&wrong, &glasses[n], true);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* The energy of random spins in random couplings, where each site has a sign: of its spin, and of its couplings but for bond `spared`. */
static int64_t energy_with_signs(const way *w, bool signs, uint64_t spared) {
    const spin_model m = model_of(w, 4);
    vector_lattice l = vector_lattice_of(&m);
    couplings c;
    int64_t energy;
    uint32_t order;
    double spin[MOST];
    bool negative[MOST];
    assert_true(couplings_create(&c, m.dimension, m.edge) && couplings_allocate_values(&c));
    ssc_vectors_randomise(&l, spin, KEY, 0);
    for (uint32_t i = 0; i < l.sites; i++) {
        negative[i] = signs && stream_draw(KEY, STREAM_WALK, i, 6, 0, 0).number[0] >> 31;
        for (uint32_t n = i * l.components; n < (i + 1) * l.components && negative[i]; n++)
            if (l.real == REAL_DOUBLE)
                spin[n] = -spin[n];
            else
                ((float *)(void *)spin)[n] *= -1;
    }
    for (uint64_t bond = 0; bond < c.bonds; bond++) {
        const uint64_t i = bond / m.dimension,
                       j = couplings_neighbour(&c, i, (uint32_t)(bond % m.dimension));
        const stream_block b = stream_draw(KEY, STREAM_WALK, (uint32_t)bond, 7, 0, 0);
        const int32_t J = (int32_t)(b.number[0] >> 10) - (1 << 21);
        couplings_set_value(&c, bond, negative[i] != negative[j] && bond != spared ? -J : J);
    }
    assert_int_equal(ssc_vectors_take_sample(&l, &c), 0);
    ssc_vectors_measure(&l, spin, &energy, &order);
    free(l.couplings);
    couplings_destroy(&c);
    return energy;
}

static void signs_of_sites_change_nothing(void **state) {
    (void)state;
    for (size_t n = 0; n < GLASSES; n++) {
        const int64_t energy = energy_with_signs(&glasses[n], false, UINT64_MAX);
        uint32_t seen = 0;
        assert_true(energy == energy_with_signs(&glasses[n], true, UINT64_MAX));
        for (uint64_t spared = 0; spared < 32; spared++)
            seen += energy != energy_with_signs(&glasses[n], true, spared);
        assert_in_range(seen, 8, 24); /* of the bonds between sites of different signs */
    }
    for (uint32_t draw = 0; draw < 100; draw++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, draw, 2, 0, 0),
                           c = stream_draw(KEY, STREAM_WALK, draw, 3, 0, 0);
        const vector_float_spin s = vector_float_any(3, b.number),
                                h = vector_float_any(3, c.number),
                                r = vector_float_reflected(3, s, h),
                                t = vector_float_reflected(3, vector_float_scaled(3, s, -1),
                                                           vector_float_scaled(3, h, -1));
        for (int k = 0; k < 3; k++)
            assert_true(r.at[k] == -t.at[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rings_of_any_couplings),
                                       cmocka_unit_test(signs_of_sites_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
