/* Spins that are vectors against exact results, which are derived here by other means:
 *
 *   - directions drawn are uniform, and those of the heat bath have the density exp(K cos) around the field: moments by quadrature
 *   - the 2 x 2 lattice is a ring of four spins with doubled couplings: Z = sum_l (2 l + 1) i_l(K)^4 with n = 3, and sum_l I_l(K)^4
 *     with n = 2, of modified Bessel functions, K = 2 beta
 *   - on any lattice beta = (n - 1) <sum s . h> / <sum (h^2 - (s . h)^2)>, from the Laplacian of exp(beta s . h) over the directions
 *     of a spin s in the field h of its neighbours
 *   - long chains on that lattice tell beta to a percent, for each update
 *   - the energy of 64 x 64 spins that are nearly parallel is the sum over the bonds in double precision, to the rounding of each
 *   - over-relaxation keeps the energy, and no update lets norms drift; tiles have the bits of the checkerboard, and that beta
 *
 * Planted faults: half of the angles, poles too frequent, beta 10% and 1% too large, sums of floats, a field too small, |h| in place of
 * h^2 and no renormalisation.
 * (Bits: reference/plain_vectors.c by test_plain.sh.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "validate/lib/vector_ways.h"

#include "validate/lib/statistics.h" /* behind streams.h, whose arguments have the name of a type here */

#define DRAWS    4000
#define REPLICAS 1500

/* Component c of spin i of a replica. */
static double component(const vector_lattice *l, const void *spin, uint32_t i, uint32_t c) {
    const size_t at = (size_t)i * l->components + c;
    return l->real == REAL_DOUBLE ? ((const double *)spin)[at] : (double)((const float *)spin)[at];
}

/* --- Directions --- */

/* The mean of cos^power of the density exp(K cos): over the circle, or over the sphere. */
static double mean_cosine(uint32_t n, double K, int power) {
    double sum = 0, all = 0;
    for (int k = 0; k < 20000; k++) {
        const double angle = M_PI * (k + 0.5) / 20000,
                     weight = exp(K * (cos(angle) - 1)) * (n == 3 ? sin(angle) : 1);
        sum += weight * pow(cos(angle), power);
        all += weight;
    }
    return sum / all;
}

typedef enum { NO_FAULT, HALF_OF_THE_ANGLES, POLES_TOO_FREQUENT, SMALLER_FIELD } fault;

/* The first two moments of the cosines of the spins drawn with each of three axes. */
static void compare_directions(z_series *z, uint32_t n, bool is_float, fault planted) {
    sample one[3] = {{0}}, two[3] = {{0}};
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        stream_block b = stream_draw(KEY, STREAM_WALK, draw, 0, 0, n);
        if (planted == HALF_OF_THE_ANGLES)
            b.number[1] /= 2;
        const vector_float_spin f = vector_float_any(n, b.number);
        vector_double_spin s = vector_double_any(n, b.number);
        if (planted == POLES_TOO_FREQUENT) {
            const double z_of = cos(M_PI * b.number[0] * 0x1p-32), less = sqrt(1 - z_of * z_of);
            const vector_double_turn t = vector_double_turn_by(b.number[1]);
            s = (vector_double_spin){{less * t.cosine, less * t.sine, z_of}};
        }
        for (uint32_t c = 0; c < n; c++) {
            const double x = is_float ? (double)f.at[c] : s.at[c];
            sample_add(&one[c], x);
            sample_add(&two[c], x * x);
        }
    }
    for (uint32_t c = 0; c < n; c++) {
        z_add(z, sample_z(&one[c], 0), "n = %u, component %u", n, c);
        z_add(z, sample_z(&two[c], 1. / n), "n = %u, square of component %u", n, c);
    }
}

static void directions_are_uniform(void **state) {
    (void)state;
    z_series z = z_begin("any direction", 20), half = z_begin("half of the angles", 6),
             poles = z_begin("poles too frequent", 6);
    for (int is_float = 0; is_float < 2; is_float++) {
        compare_directions(&z, 2, is_float, NO_FAULT);
        compare_directions(&z, 3, is_float, NO_FAULT);
    }
    compare_directions(&half, 3, true, HALF_OF_THE_ANGLES);
    compare_directions(&poles, 3, false, POLES_TOO_FREQUENT);
    assert_true(z_passed(&z));
    assert_true(z_detected(&half) && z_detected(&poles));
}

/* The heat bath in a field of this K = beta |h|, in an oblique direction: moments of the cosine with the field, and of those with an
 * axis across, whose square has the mean (1 - <cos^2>) / (n - 1). */
static void compare_heat_bath(z_series *z, uint32_t n, bool is_float, double K, fault planted) {
    const double axis[2][3] = {{0.6, -0.8, 0}, {0.36, 0.48, -0.8}},
                 other[2][3] = {{0.8, 0.6, 0}, {0.8, -0.6, 0}};
    const double *const along = axis[n - 2], *const across = other[n - 2];
    const double length = planted == SMALLER_FIELD ? 2.7 : 3, beta = K / 3;
    const double first = mean_cosine(n, K, 1), second = mean_cosine(n, K, 2);
    sample one = {0}, two = {0}, beside = {0}, beside_2 = {0};
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        const vector_numbers of = {KEY, n, (uint32_t)(8 * K), is_float, draw};
        vector_float_spin f = {{1, 0, 0}}, field_f;
        vector_double_spin d = {{1, 0, 0}}, field_d;
        for (int c = 0; c < 3; c++) {
            field_d.at[c] = length * along[c];
            field_f.at[c] = (float)field_d.at[c];
        }
        if (is_float)
            f = vector_float_updated(n, true, (float)beta, f, field_f, &of);
        else
            d = vector_double_updated(n, true, beta, d, field_d, &of);
        double cosine = 0, sine = 0;
        for (int c = 0; c < 3; c++) {
            const double x = is_float ? (double)f.at[c] : d.at[c];
            cosine += x * along[c];
            sine += x * across[c];
        }
        sample_add(&one, cosine - first);
        sample_add(&two, cosine * cosine);
        sample_add(&beside, sine);
        sample_add(&beside_2, sine * sine);
    }
    z_add(z, sample_z(&one, 0), "n = %u, K = %g: cosine", n, K);
    z_add(z, sample_z(&two, second), "n = %u, K = %g: its square", n, K);
    z_add(z, sample_z(&beside, 0), "n = %u, K = %g: across", n, K);
    z_add(z, sample_z(&beside_2, (1 - second) / (n - 1)), "n = %u, K = %g: its square", n, K);
}

static void heat_bath_has_its_density(void **state) {
    (void)state;
    const double K[] = {0.01, 0.3, 0.7, 4, 60};
    z_series z = z_begin("heat bath", 4 * 2 * 2 * 5), smaller = z_begin("a field too small", 8);
    for (uint32_t n = 2; n <= 3; n++) {
        for (int is_float = 0; is_float < 2; is_float++)
            for (int k = 0; k < 5; k++)
                compare_heat_bath(&z, n, is_float, K[k], NO_FAULT);
        compare_heat_bath(&smaller, n, true, 4, SMALLER_FIELD);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&smaller));
}

/* --- The ring --- */

/* ln Z of a ring of four. */
static double ring(uint32_t n, double K) {
    double z = 0;
    for (int l = 0; l < 30; l++)
        z += (n == 3 ? 2 * l + 1 : l > 0 ? 2 : 1) * pow(bessel(n, l, K), 4);
    return log(z);
}

/* <E> of the 2 x 2 lattice: -d ln Z / d beta. */
static double square_energy(uint32_t n, double beta) {
    return -(ring(n, 2 * beta + 1e-4) - ring(n, 2 * beta - 1e-4)) / 1e-4;
}

static void compare_ring(z_series *z, const way *w, double beta, double expected_at) {
    const spin_model m = model_of(w, 2);
    const vector_lattice l = vector_lattice_of(&m);
    sample energies = {0};
    for (uint32_t k = 0; k < REPLICAS; k++) {
        double spin[MOST];
        int64_t energy;
        uint32_t order;
        simulate(&l, w->update, beta, k, 25, spin);
        ssc_vectors_measure(&l, spin, &energy, &order);
        sample_add(&energies, (double)energy / VECTOR_ONE);
    }
    z_add(z, sample_z(&energies, square_energy(l.components, expected_at)), "%s, %s, beta = %g",
          m.title, w->update->name, beta);
}

static const way ways[] = {{&heisenberg2d_kind, &metropolis_update, REAL_FLOAT, 0},
                           {&heisenberg2d_kind, &heat_bath_update, REAL_FLOAT, 1},
                           {&heisenberg2d_kind, &heat_bath_update, REAL_DOUBLE, 0},
                           {&xy2d_kind, &metropolis_update, REAL_DOUBLE, 1},
                           {&xy2d_kind, &metropolis_update, REAL_FLOAT, 0},
                           {&xy2d_kind, &heat_bath_update, REAL_FLOAT, 0},
                           {&xy2d_kind, &heat_bath_update, REAL_DOUBLE, 2},
                           {&heisenberg2d_kind, &wolff_update, REAL_FLOAT, 0},
                           {&heisenberg2d_kind, &swendsen_wang_update, REAL_DOUBLE, 0},
                           {&xy2d_kind, &wolff_update, REAL_DOUBLE, 0},
                           {&xy2d_kind, &swendsen_wang_update, REAL_FLOAT, 1}};
enum { WAYS = sizeof ways / sizeof *ways };

static void square_is_a_ring(void **state) {
    (void)state;
    assert_true(fabs(square_energy(3, 1) / 4 + 1.211783140) < 1e-7);
    z_series z = z_begin("2 x 2 lattice", 2 * WAYS), cold = z_begin("beta 10% too large", WAYS);
    for (size_t n = 0; n < WAYS; n++) {
        compare_ring(&z, &ways[n], 0.25, 0.25);
        compare_ring(&z, &ways[n], 1, 1);
        compare_ring(&cold, &ways[n], 1.1, 1);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&cold));
}

/* --- One percent of beta --- */

enum { CHAINS = 100, WARM = 25 };

/* As many sweeps as make the deviation some 6 errors. A spin that may go anywhere moves in one of three attempts. */
static uint32_t sweeps_of(const way *w) {
    const bool is_xy = w->kind == &xy2d_kind;
    return w->update == &metropolis_update ? (is_xy ? 14000 : 10000)
           : w->update == &wolff_update    ? 30000
           : w->update->clusters           ? (is_xy ? 14000 : 28000)
                                           : 3000;
}

/* The mean energy of long chains on the 2 x 2 lattice, each measured behind every sweep. */
static void compare_long_chains(z_series *z, const way *w, double beta, double expected_at) {
    const spin_model m = model_of(w, 2);
    const vector_lattice l = vector_lattice_of(&m);
    const visit_plan plan = {.order = VISIT_CHECKERBOARD};
    const engine_step step = {.key = KEY, .temperature = 1};
    const vector_rule rule = vector_rule_at(w->update, beta);
    const uint32_t sweeps = WARM + sweeps_of(w);
    sample means = {0};
    for (uint32_t k = 0; k < CHAINS; k++) {
        double spin[MOST], sum = 0;
        uint32_t label[MOST], order;
        int64_t energy;
        ssc_vectors_randomise(&l, spin, KEY, k);
        for (uint32_t n = 0; n < sweeps; n++) {
            const ssc_flips flips = {.step = &step, .replica = k, .sweep = n};
            if (w->update->clusters != CLUSTERS_NONE)
                ssc_vectors_flip_clusters(&l, spin, &flips, &rule, w->update->clusters, label);
            else
                ssc_vectors_sweep(&l, spin, &flips, &rule, &plan, 1);
            if (n < WARM)
                continue;
            ssc_vectors_measure(&l, spin, &energy, &order);
            sum += (double)energy / VECTOR_ONE;
        }
        sample_add(&means, sum / (sweeps - WARM));
    }
    z_add(z, sample_z(&means, square_energy(l.components, expected_at)), "%s, %s", m.title,
          w->update->name);
}

/* Of the acceptance, the heat bath and the bonds of clusters, of any kind of number. */
static void a_percent_of_beta_is_seen(void **state) {
    (void)state;
    static const size_t some[] = {1, 5,
                                  7}; /* a heat bath of either kind of spin, and Wolff's clusters */
    z_series z = z_begin("2 x 2 lattice, long chains", WAYS),
             cold = z_begin("beta 1% too large", 3);
    for (size_t n = 0; n < WAYS; n++) {
        const double beta = ways[n].update->clusters ? 0.6 : 1;
        compare_long_chains(&z, &ways[n], beta, beta);
    }
    for (size_t n = 0; n < 3; n++) {
        const double beta = ways[some[n]].update->clusters ? 0.6 : 1;
        compare_long_chains(&cold, &ways[some[n]], 1.01 * beta, beta);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&cold));
    assert_int_equal(cold.exceeded, 3);
}

/* --- beta by the identity, and norms --- */

/* (n - 1) sum s . h - beta sum (h^2 - (s . h)^2), whose mean is 0. */
static double identity(const vector_lattice *l, const void *spin, double beta) {
    double sum = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        uint32_t around[2 * MODEL_MAX_DIMENSION];
        vector_neighbours(l, i, i % l->edge[0], i / l->edge[0] % l->edge[1],
                          i / l->edge[0] / l->edge[1], around);
        double sh = 0, hh = 0;
        for (uint32_t c = 0; c < l->components; c++) {
            double h = 0;
            for (uint32_t d = 0; d < 2 * l->dimension; d++)
                h += component(l, spin, around[d], c);
            sh += h * component(l, spin, i, c);
            hh += h * h;
        }
        sum += (l->components - 1) * sh - beta * (hh - sh * sh);
    }
    return sum;
}

static void compare_beta(z_series *z, const way *w, double beta, double told) {
    const spin_model m = model_of(w, 4);
    const vector_lattice l = vector_lattice_of(&m);
    sample off = {0};
    for (uint32_t k = 0; k < 150; k++) {
        double spin[MOST];
        simulate(&l, w->update, beta, k, 30, spin);
        sample_add(&off, identity(&l, spin, told));
    }
    z_add(z, sample_z(&off, 0), "%s, %s, beta = %g", m.title, w->update->name, beta);
}

static void spins_tell_beta(void **state) {
    (void)state;
    const way cubic[] = {{&heisenberg3d_kind, &heat_bath_update, REAL_FLOAT, 1},
                         {&xy3d_kind, &metropolis_update, REAL_DOUBLE, 1}};
    z_series z = z_begin("beta by the identity", WAYS + 2),
             wrong = z_begin("beta 10% too large", 4);
    for (size_t n = 0; n < WAYS; n++)
        compare_beta(&z, &ways[n], 0.9, 0.9);
    for (size_t n = 0; n < 2; n++)
        compare_beta(&z, &cubic[n], 0.6, 0.6);
    for (size_t n = 0; n < 2; n++) {
        compare_beta(&wrong, &cubic[n], 0.66, 0.6);
        compare_beta(&wrong, &ways[n], 0.99, 0.9);
    }
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* One tile of the whole lattice is a checkerboard; four tiles of each colour keep beta, by any number of threads. */
static void tiles_keep_beta(void **state) {
    (void)state;
    const way w = {&xy2d_kind, &heat_bath_update, REAL_DOUBLE, 0};
    const spin_model m = model_of(&w, 8);
    const vector_lattice l = vector_lattice_of(&m);
    const visit_plan one = {.order = VISIT_TILES, .tile = 8, .hits = 3},
                     some = {.order = VISIT_TILES, .tile = 2, .hits = 4};
    double in_tiles[MOST], checkerboard[MOST];
    z_series z = z_begin("beta by the identity, tiles", 1);
    sample off = {0};
    simulate_in_order(&l, w.update, 1, &one, 0, 2, 1, in_tiles);
    simulate(&l, w.update, 1, 0, 6, checkerboard);
    assert_memory_equal(in_tiles, checkerboard, model_packed_bytes(&m));
    for (uint32_t k = 0; k < 150; k++) {
        simulate_in_order(&l, w.update, 1, &some, k, 8, 1, in_tiles);
        sample_add(&off, identity(&l, in_tiles, 1));
    }
    z_add(&z, sample_z(&off, 0), "%s", m.title);
    assert_true(z_passed(&z));
    simulate_in_order(&l, w.update, 1, &some, 149, 8, 2, checkerboard);
    assert_memory_equal(in_tiles, checkerboard, model_packed_bytes(&m));
    simulate(&l, w.update, 1, 149, 8, checkerboard);
    assert_memory_not_equal(in_tiles, checkerboard, model_packed_bytes(&m));
}

/* The largest | s^2 - 1 |. */
static double norm_error(const vector_lattice *l, const void *spin) {
    double most = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        double square = 0;
        for (uint32_t c = 0; c < l->components; c++)
            square += component(l, spin, i, c) * component(l, spin, i, c);
        most = fmax(most, fabs(square - 1));
    }
    return most;
}

/* A lattice that is drawn once and then reflected 10^5 times. Without the step of Newton's method, or with |h| for h^2, norms
 * drift: the same reflections of a spin in a field are made here. */
static void norms_do_not_drift(void **state) {
    (void)state;
    for (size_t n = 0; n < WAYS; n++) {
        way w = ways[n];
        const double limit = w.real == REAL_DOUBLE ? 2e-15 : 1e-6;
        double spin[MOST];
        w.reflections = 1000;
        const spin_model m = model_of(&w, 2);
        const vector_lattice l = vector_lattice_of(&m);
        simulate(&l, w.update, 1, 0, 100, spin);
        assert_true(norm_error(&l, spin) < limit);
    }
    vector_float_spin s = {{0.6f, 0.8f, 0}}, by_length = s;
    for (uint32_t k = 0; k < 100000; k++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, k, 1, 0, 0);
        const vector_float_spin h = vector_float_any(3, b.number);
        const float twice = 2 * vector_float_product(3, s, h) / vector_float_product(3, h, h),
                    by = 2 * vector_float_product(3, by_length, h) /
                         sqrtf(vector_float_product(3, h, h) * 1.001f);
        for (int c = 0; c < 3; c++) {
            s.at[c] = twice * h.at[c] - s.at[c];
            by_length.at[c] = by * h.at[c] - by_length.at[c];
        }
    }
    printf("  (negative control) without Newton's step s^2 - 1 = %.1e, with |h| %.1e\n",
           (double)vector_float_product(3, s, s) - 1,
           (double)vector_float_product(3, by_length, by_length) - 1);
    assert_true(fabs((double)vector_float_product(3, s, s) - 1) > 1e-6);
    assert_false(fabs((double)vector_float_product(3, by_length, by_length) - 1) < 1e-6);
}

/* Spins of 64 x 64 within 20 degrees of an axis, whose energy is large: each bond is rounded to a 2^-20, and then nothing. */
static void energies_are_sums_of_whole_numbers(void **state) {
    (void)state;
    enum { EDGE = 64, SITES = EDGE * EDGE };
    static float spin[SITES * 3];
    for (size_t k = 0; k < 2; k++) {
        const way w = {k == 0 ? &xy2d_kind : &heisenberg2d_kind, &metropolis_update, REAL_FLOAT, 0};
        const spin_model m = model_of(&w, EDGE);
        const vector_lattice l = vector_lattice_of(&m);
        const uint32_t n = l.components;
        double sum = 0;
        float of_floats = 0;
        int64_t energy;
        uint32_t order;
        for (uint32_t i = 0; i < SITES; i++) {
            const stream_block b = stream_draw(KEY, STREAM_WALK, i, 5, 0, n);
            double v[3] = {1}, square = 1;
            for (uint32_t c = 1; c < n; c++) {
                v[c] = 0.5 * (b.number[c] * 0x1p-32 - 0.5);
                square += v[c] * v[c];
            }
            for (uint32_t c = 0; c < n; c++)
                spin[n * i + c] = (float)(v[c] / sqrt(square));
        }
        for (uint32_t i = 0; i < SITES; i++)
            for (uint32_t d = 0; d < 2; d++) {
                const uint32_t x = i % EDGE, y = i / EDGE,
                               j = d == 0 ? y * EDGE + (x + 1) % EDGE : (i + EDGE) % SITES;
                double product = 0;
                for (uint32_t c = 0; c < n; c++)
                    product += component(&l, spin, i, c) * component(&l, spin, j, c);
                sum -= product;
                of_floats -= (float)product;
            }
        ssc_vectors_measure(&l, spin, &energy, &order);
        const double limit = 6 * sqrt(2. * SITES / 12); /* units; a false alarm in 10^8 */
        assert_true(fabs((double)energy - VECTOR_ONE * sum) < limit);
        assert_false(fabs((double)of_floats - sum) * VECTOR_ONE < limit); /* negative control */
    }
}

static void over_relaxation_keeps_the_energy(void **state) {
    (void)state;
    for (uint32_t draw = 0; draw < 1000; draw++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, draw, 2, 0, 0),
                           c = stream_draw(KEY, STREAM_WALK, draw, 3, 0, 0);
        for (uint32_t n = 2; n <= 3; n++) {
            const vector_double_spin s = vector_double_any(n, b.number),
                                     h = vector_double_any(n, c.number),
                                     r = vector_double_reflected(n, s, h);
            assert_true(fabs(vector_double_product(n, s, h) - vector_double_product(n, r, h)) <
                        4e-15);
            const vector_double_spin back = vector_double_reflected(n, r, h);
            assert_true(fabs(vector_double_product(n, back, s) - 1) < 1e-14);
        }
    }
    const vector_double_spin s = {{0, 1, 0}}, none = {{0, 0, 0}};
    assert_true(vector_double_reflected(3, s, none).at[1] == 1);
}

/* exp, log and angles against the C library. */
static void functions_are_those_of_the_library(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 2000; k++) {
        const stream_block b = stream_draw(KEY, STREAM_WALK, k, 4, 0, 0);
        const double x = -30 * (b.number[0] * 0x1p-32), u = (b.number[1] + 0.5) * 0x1p-32,
                     angle = M_PI / 2 *
                             ((b.number[2] >> 30) + ((int32_t)(b.number[2] << 2) + 2.) * 0x1p-32);
        assert_true(fabs(vector_double_exp(x) / exp(x) - 1) < 2e-14);
        assert_true(fabs((double)vector_float_exp((float)x) / exp((float)x) - 1) < 3e-6);
        assert_true(fabs(vector_double_log(u) - log(u)) < 4e-16 * (1 - log(u)));
        assert_true(fabs((double)vector_float_log((float)u) - log((float)u)) < 2e-7 * (1 - log(u)));
        assert_true(fabs(vector_double_turn_by(b.number[2]).sine - sin(angle)) < 3e-15);
        assert_true(fabs(vector_double_turn_by(b.number[2]).cosine - cos(angle)) < 3e-15);
        assert_true(fabs((double)vector_float_turn_by(b.number[2]).cosine - cos(angle)) < 2e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_those_of_the_library),
                                       cmocka_unit_test(directions_are_uniform),
                                       cmocka_unit_test(heat_bath_has_its_density),
                                       cmocka_unit_test(square_is_a_ring),
                                       cmocka_unit_test(a_percent_of_beta_is_seen),
                                       cmocka_unit_test(spins_tell_beta),
                                       cmocka_unit_test(tiles_keep_beta),
                                       cmocka_unit_test(norms_do_not_drift),
                                       cmocka_unit_test(energies_are_sums_of_whole_numbers),
                                       cmocka_unit_test(over_relaxation_keeps_the_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
