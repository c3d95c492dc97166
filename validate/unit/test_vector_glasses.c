/* Spin glasses of vectors against what is exact:
 *
 *   - a ring of spins with any J has Z = sum_l (2 l + 1) prod i_l(beta J) with n = 3, and sum_l prod I_l(beta J) with n = 2
 *   - where spins s and couplings J are replaced by e s and e e' J with signs e, energies are the same bit for bit, and reflected spins
 *     but for e; and so are overlaps of two replicas
 *   - overlaps (engine/vector_overlaps.h): sums by plain loops; waves of one direction; moments of random directions at beta = 0, derived below; those of XY rings
 *     <q^2> = sum_ij g_ij^2 / N^2 and <q_l> = the mean of g_ij^2 over the bonds, g_ij = <s_i . s_j>; two replicas of which one is the
 *     other rotated
 *
 * Planted faults: one J of the other sign; a bond that its sites' signs leave out; a component too few in q^4; a pair of the same family
 * counted. (Bits: reference/plain_vectors.c by test_plain.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/overlap.h"
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

/* --- Overlaps --- */

/* A glass with Gaussian-like couplings, and what its pairs are measured with. */
typedef struct {
    spin_model m;
    couplings c;
    vector_lattice l;
    overlap_waves waves;
} glass;

static void glass_create(glass *g, const way *w) {
    g->m = model_of(w, 4);
    assert_true(couplings_create(&g->c, g->m.dimension, g->m.edge) &&
                couplings_allocate_values(&g->c));
    for (uint64_t bond = 0; bond < g->c.bonds; bond++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, (uint32_t)bond, 7, 0, 0);
        couplings_set_value(&g->c, bond, (int32_t)(b.number[0] >> 10) - (1 << 21));
    }
    g->m = model_of_sample(g->m, &g->c);
    g->l = vector_lattice_of(&g->m);
    assert_int_equal(ssc_vectors_take_sample(&g->l, &g->c), 0);
    assert_int_equal(overlap_waves_create(&g->waves, &g->m), 0);
}

static void glass_destroy(glass *g) {
    overlap_waves_destroy(&g->waves);
    free(g->l.couplings);
    couplings_destroy(&g->c);
}

static double component(const vector_lattice *l, const void *spin, uint32_t i, uint32_t c) {
    const size_t at = (size_t)i * l->components + c;
    return l->real == REAL_DOUBLE ? ((const double *)spin)[at] : (double)((const float *)spin)[at];
}

static double dot(const vector_lattice *l, const void *a, uint32_t i, const void *b, uint32_t j) {
    double sum = 0;
    for (uint32_t c = 0; c < l->components; c++)
        sum += component(l, a, i, c) * component(l, b, j, c);
    return sum;
}

/* q^2 as the mean of (a_i . a_j) (b_i . b_j) over all pairs of sites, q_l and q_s. */
typedef struct {
    double q2, link, self;
} plain_overlaps;

static plain_overlaps overlaps_of(const vector_lattice *l, const void *a, const void *b) {
    const double N = l->sites, bonds = (double)l->dimension * l->sites;
    plain_overlaps o = {0, 0, 0};
    for (uint32_t i = 0; i < l->sites; i++) {
        uint32_t around[2 * MODEL_MAX_DIMENSION];
        const uint32_t x = i % l->edge[0], row = i / l->edge[0];
        vector_neighbours(l, i, x, row % l->edge[1], row / l->edge[1], around);
        for (uint32_t j = 0; j < l->sites; j++)
            o.q2 += dot(l, a, i, a, j) * dot(l, b, i, b, j) / (N * N);
        for (uint32_t d = 0; d < l->dimension; d++) {
            const double p = dot(l, a, i, a, around[2 * d]), q = dot(l, b, i, b, around[2 * d]);
            o.link += p * q / bonds;
            o.self += (p * p + q * q) / 2 / bonds;
        }
    }
    return o;
}

/* The mean over all pairs of the values of `count` replicas. */
static void values_of(const glass *g, const void *spins, const uint32_t *family, uint64_t count,
                      double value[OVERLAP_VALUES], uint64_t *relatives) {
    overlap_sums sums;
    assert_int_equal(overlap_sums_create(&sums, &g->m), 0);
    ssc_vectors_overlaps(&g->l, &g->m, &g->waves, spins, family, 2, count, &sums);
    overlap_values(&sums, &g->m, value);
    *relatives = sums.relatives;
    overlap_sums_destroy(&sums);
}

#define FEW 40 /* replicas: eight pairs, since pairs are 32 replicas apart */

static void overlaps_are_those_of_plain_loops(void **state) {
    (void)state;
    for (size_t n = 0; n < GLASSES; n++) {
        glass g;
        uint32_t family[FEW];
        uint64_t relatives;
        double value[OVERLAP_VALUES], mean_of[3] = {0};
        glass_create(&g, &glasses[n]);
        const size_t bytes = model_packed_bytes(&g.m);
        uint8_t *const spins = malloc(FEW * bytes);
        for (uint32_t k = 0; k < FEW; k++) {
            simulate(&g.l, glasses[n].update, 1, k, 3, spins + k * bytes);
            family[k] = k == 33 ? 1 : k; /* replicas 1 and 33 are relatives */
        }
        for (uint32_t k = 0; k < 8; k++) {
            const plain_overlaps o = overlaps_of(&g.l, spins + k * bytes, spins + (k + 32) * bytes);
            const double of[3] = {o.q2, o.link, o.self};
            for (int v = 0; v < 3 && k != 1; v++)
                mean_of[v] += of[v] / 7;
        }
        values_of(&g, spins, family, FEW, value, &relatives);
        assert_int_equal(relatives, 1);
        assert_true(fabs(value[OVERLAP_Q2] - mean_of[0]) < 1e-5);
        assert_true(fabs(value[OVERLAP_LINK] - mean_of[1]) < 1e-5);
        assert_true(fabs(value[OVERLAP_SELF] - mean_of[2]) < 1e-5);
        family[33] = 33; /* (negative control) */
        values_of(&g, spins, family, FEW, value, &relatives);
        assert_int_equal(relatives, 0);
        assert_false(fabs(value[OVERLAP_Q2] - mean_of[0]) < 1e-5);
        free(spins);
        glass_destroy(&g);
    }
}

/* q(k) of a replica along x and one whose spins along x follow a cosine in one direction is 1/2 there, and 0 in the others. */
static void waves_are_those_of_their_direction(void **state) {
    (void)state;
    const way w = {&heisenberg_glass3d_kind, &metropolis_update, REAL_DOUBLE, 0};
    glass g;
    glass_create(&g, &w);
    for (uint32_t of = 0; of < 3; of++) {
        double a[MOST] = {0}, b[MOST] = {0};
        for (uint32_t i = 0; i < g.l.sites; i++) {
            a[3 * i] = 1;
            b[3 * i] = cos(M_PI / 2 * (i >> 2 * of & 3)); /* x, y or z of an edge of 4 */
        }
        const vector_pair pair = ssc_vectors_pair(&g.l, a, b, &g.waves);
        for (uint32_t d = 0; d < 3; d++)
            assert_true(fabs((double)pair.cosine[d][0] / 0x1p34 / g.l.sites - (d == of ? 0.5 : 0)) <
                            1e-4 &&
                        fabs((double)pair.sine[d][0] / 0x1p34 / g.l.sites) < 1e-4);
    }
    glass_destroy(&g);
}

/* At beta = 0, of independent directions: E q^2 = 1 / N, E q^4 = 1 / N^2 + 2 (N - 1) / (n^2 N^3), E q_l = 0, E q_s = 1 / n, E |q(k)|^2 = 1
 * / N. A plaquette has E kappa^2 = 1 / 4, and with each of its neighbours across a bond E kappa kappa' = 1 / 16 but for the sign; a
 * triple product has the mean square 2 / 9, and two of them are not correlated. Squares of these are what two replicas have. */
static void random_directions_have_exact_moments(void **state) {
    (void)state;
    z_series z = z_begin("overlaps at beta = 0", 6 * GLASSES),
             wrong = z_begin("a component too few in q^4", GLASSES);
    for (size_t w = 0; w < GLASSES; w++) {
        glass g;
        sample of[6] = {{0}};
        overlap_sums sums;
        glass_create(&g, &glasses[w]);
        assert_int_equal(overlap_sums_create(&sums, &g.m), 0);
        const double N = g.l.sites, n = g.l.components;
        for (uint32_t k = 0; k < 3000; k++) {
            double a[MOST], b[MOST], value[OVERLAP_VALUES];
            ssc_vectors_randomise(&g.l, a, KEY, 2 * k);
            ssc_vectors_randomise(&g.l, b, KEY, 2 * k + 1);
            const vector_pair pair = ssc_vectors_pair(&g.l, a, b, &g.waves);
            overlap_sums_begin(&sums, 64);
            vector_overlaps_add(&sums, 0, &pair, &g.m, vector_overlap_bonds(&g.m));
            overlap_values(&sums, &g.m, value);
            const overlap_value which[6] = {OVERLAP_Q2,   OVERLAP_Q4,   OVERLAP_LINK,
                                            OVERLAP_SELF, OVERLAP_WAVE, OVERLAP_CHIRAL2};
            for (int v = 0; v < 6; v++)
                sample_add(&of[v], value[which[v]]);
        }
        const double chiral = n == 2 ? (1. / 16 + 4. / 256) / N : 4. / 81 / (2 * N),
                     q4 = 1 / (N * N) + 2 * (N - 1) / (n * n * N * N * N),
                     expected[6] = {1 / N, q4, 0, 1 / n, 1 / N, chiral};
        for (int v = 0; v < 6; v++)
            z_add(&z, sample_z(&of[v], expected[v]), "%s, value %d", g.m.title, v);
        z_add(&wrong, sample_z(&of[1], 1 / (N * N) + 2 * (N - 1) / ((n - 1) * (n - 1) * N * N * N)),
              "%s", g.m.title);
        overlap_sums_destroy(&sums);
        glass_destroy(&g);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* <s_i . s_j> of XY spins on ring y, with `far` bonds from i on between them. */
static double ring_correlation(const couplings *c, double beta, uint32_t y, uint32_t i,
                               uint32_t far) {
    double sum = 0, all = 0;
    for (int l = -12; l <= 12; l++) {
        double with = 1, without = 1;
        for (uint32_t x = 0; x < 4; x++) {
            const double J = vector_coupling(c, 4 * y + x, 0), K = beta * fabs(J);
            const int raised = l + ((x + 4 - i) % 4 < far);
            with *= bessel(2, abs(raised), K) * (J < 0 && raised % 2 ? -1 : 1);
            without *= bessel(2, abs(l), K) * (J < 0 && l % 2 ? -1 : 1);
        }
        sum += with;
        all += without;
    }
    return sum / all;
}

static void overlaps_of_rings(void **state) {
    (void)state;
    const double beta = 1.2;
    const way w = {&xy_glass2d_kind, &heat_bath_update, REAL_FLOAT, 1};
    z_series z = z_begin("overlaps of XY rings", 2), wrong = z_begin("beta 25% too small", 2);
    for (int fault = 0; fault < 2; fault++) {
        couplings c = rings_of(0);
        spin_model m = model_of(&w, 4);
        vector_lattice l = vector_lattice_of(&m);
        sample q2 = {0}, link = {0};
        double expected_q2 = 0, expected_link = 0;
        assert_int_equal(ssc_vectors_take_sample(&l, &c), 0);
        for (uint32_t k = 0; k < 600; k++) {
            float a[MOST], b[MOST];
            simulate(&l, w.update, fault ? 0.75 * beta : beta, 2 * k, 20, a);
            simulate(&l, w.update, fault ? 0.75 * beta : beta, 2 * k + 1, 20, b);
            sample_add(&q2, overlaps_of(&l, a, b).q2);
            double sum = 0;
            for (uint32_t i = 0; i < 16; i++) {
                const uint32_t j = i % 4 < 3 ? i + 1 : i - 3;
                sum += dot(&l, a, i, a, j) * dot(&l, b, i, b, j) / 16;
            }
            sample_add(&link, sum);
        }
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t far = 0; far < 4; far++) {
                    const double g = ring_correlation(&c, beta, y, i, far);
                    expected_q2 += g * g / 256;
                    expected_link += far == 1 ? g * g / 16 : 0;
                }
        z_add(fault ? &wrong : &z, sample_z(&q2, expected_q2), "q2");
        z_add(fault ? &wrong : &z, sample_z(&link, expected_link), "q_l");
        free(l.couplings);
        couplings_destroy(&c);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* Changes the signs of the sites of both replicas and of their bonds; and turns the second replica by a quarter around z. */
static void signs_and_rotations_change_no_overlap(void **state) {
    (void)state;
    for (size_t n = 0; n < GLASSES; n++) {
        glass g;
        way w = glasses[n];
        double a[MOST], b[MOST];
        w.real = REAL_DOUBLE;
        glass_create(&g, &w);
        ssc_vectors_randomise(&g.l, a, KEY, 0);
        ssc_vectors_randomise(&g.l, b, KEY, 1);
        const vector_pair one = ssc_vectors_pair(&g.l, a, b, &g.waves),
                          own = ssc_vectors_pair(&g.l, a, a, &g.waves);
        bool negative[MOST];
        for (uint32_t i = 0; i < g.l.sites; i++) {
            negative[i] = stream_draw(KEY, STREAM_WALK, i, 6, 0, 0).number[0] >> 31;
            for (uint32_t k = i * g.l.components; k < (i + 1) * g.l.components && negative[i];
                 k++) {
                a[k] = -a[k];
                b[k] = -b[k];
            }
        }
        for (uint64_t bond = 0; bond < g.c.bonds; bond++) {
            const uint64_t i = bond / g.m.dimension,
                           j = couplings_neighbour(&g.c, i, (uint32_t)(bond % g.m.dimension));
            if (negative[i] != negative[j])
                couplings_set_value(&g.c, bond, -g.c.value[bond]);
        }
        const vector_pair stale = ssc_vectors_pair(&g.l, a, b, &g.waves);
        free(g.l.couplings);
        assert_int_equal(ssc_vectors_take_sample(&g.l, &g.c), 0);
        vector_pair same = ssc_vectors_pair(&g.l, a, b, &g.waves);
        assert_memory_equal(&same, &one, sizeof one);
        if (g.l.components == 2) /* (negative control) chirality has the signs of J */
            assert_true(stale.chirality != one.chirality);
        for (uint32_t i = 0; i < g.l.sites; i++) {
            memcpy(b + i * g.l.components, a + i * g.l.components, g.l.components * sizeof *b);
            b[i * g.l.components] = -a[i * g.l.components + 1];
            b[i * g.l.components + 1] = a[i * g.l.components];
        }
        const vector_pair turned = ssc_vectors_pair(&g.l, a, b, &g.waves);
        overlap_sums of_own, of_turned;
        assert_int_equal(overlap_sums_create(&of_own, &g.m), 0);
        assert_int_equal(overlap_sums_create(&of_turned, &g.m), 0);
        overlap_sums_begin(&of_own, 64);
        overlap_sums_begin(&of_turned, 64);
        vector_overlaps_add(&of_own, 0, &own, &g.m, vector_overlap_bonds(&g.m));
        vector_overlaps_add(&of_turned, 0, &turned, &g.m, vector_overlap_bonds(&g.m));
        assert_memory_equal(of_own.block, of_turned.block, sizeof of_own.block);
        assert_true(turned.product[1] != own.product[1]);
        assert_in_range(llabs(turned.chirality - own.chirality), 0, 3 * g.l.sites);
        overlap_sums_destroy(&of_own);
        overlap_sums_destroy(&of_turned);
        glass_destroy(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rings_of_any_couplings),
                                       cmocka_unit_test(signs_of_sites_change_nothing),
                                       cmocka_unit_test(overlaps_are_those_of_plain_loops),
                                       cmocka_unit_test(waves_are_those_of_their_direction),
                                       cmocka_unit_test(random_directions_have_exact_moments),
                                       cmocka_unit_test(overlaps_of_rings),
                                       cmocka_unit_test(signs_and_rotations_change_no_overlap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
