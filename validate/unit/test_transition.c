/* Claims: of a density of states that is the sum of two planted Gaussians of the energy, tilted by exp(beta_t E), the peaks, the barrier, both
 * temperatures and the latent heat are found as the two Gaussians say, up to what the averages over five levels change. A concave density, one whose
 * peaks are fewer than 20 bins apart, and three levels have no transition; a level that is not known changes little. Controls: a
 * Gaussian of twice the height, and a closer one, have other values. */
#include "estimate/transition.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEVELS 801
#define BETA   0.7

static void check_close(double computed, double expected, double tolerance) {
    if (!(fabs(computed - expected) <= tolerance))
        fail_msg("expected %.17g, computed %.17g", expected, computed);
}

/* Two Gaussians: their centres, widths, and the logarithm of the second height over the first. */
typedef struct {
    double centre[2], width[2], ln_height;
} planted;

static const planted usual = {{-1100, -400}, {60, 90}, 0.4};

/* Levels -1600, -1598, ..., 0. */
static const energy_levels levels = {.lowest = -1600, .spacing = 2, .count = LEVELS};

static void fill(const planted *p, double ln_g[LEVELS]) {
    for (int n = 0; n < LEVELS; n++) {
        const double e = -1600 + 2 * n, a = (e - p->centre[0]) / p->width[0],
                     b = (e - p->centre[1]) / p->width[1];
        const double x = -a * a / 2, y = -b * b / 2 + p->ln_height, top = fmax(x, y);
        ln_g[n] = top + log(exp(x - top) + exp(y - top)) + BETA * e;
    }
}

/* beta less BETA at which both have the same area: Gaussians at d have the areas height width exp(-d centre + d^2 width^2 / 2). */
static double equal_areas(const planted *p) {
    double low = -0.01, high = 0.01;
    for (int n = 0; n < 60; n++) {
        const double d = (low + high) / 2;
        const double excess = log(p->width[0] / p->width[1]) - p->ln_height -
                              d * (p->centre[0] - p->centre[1]) +
                              d * d * (p->width[0] * p->width[0] - p->width[1] * p->width[1]) / 2;
        low = excess < 0 ? d : low;
        high = excess < 0 ? high : d;
    }
    return low;
}

/* The same of heights: a Gaussian at d has the height exp(-d centre + d^2 width^2 / 2). */
static double equal_heights(const planted *p) {
    planted same = *p;
    same.width[0] = same.width[1] = 1;
    double low = -0.01, high = 0.01;
    for (int n = 0; n < 60; n++) {
        const double d = (low + high) / 2;
        const double excess = -p->ln_height - d * (p->centre[0] - p->centre[1]) +
                              d * d * (p->width[0] * p->width[0] - p->width[1] * p->width[1]) / 2;
        low = excess < 0 ? d : low;
        high = excess < 0 ? high : d;
    }
    return low;
}

/* ln of the lowest point over the peaks, from the two Gaussians at that beta. */
static double planted_barrier(const planted *p, double d) {
    double least = INFINITY, most = -INFINITY;
    for (double e = p->centre[0]; e < p->centre[1]; e += 0.5) {
        const double a = (e - p->centre[0]) / p->width[0], b = (e - p->centre[1]) / p->width[1];
        const double y = log(exp(-a * a / 2) + exp(-b * b / 2 + p->ln_height)) - d * e;
        least = fmin(least, y);
        most = fmax(most, y);
    }
    return most - least;
}

/* The probability at beta of energies up to `valley`. */
static double part_below(const double ln_g[LEVELS], double beta, double valley) {
    double below = 0, all = 0;
    for (int n = 0; n < LEVELS; n++) {
        const double e = -1600 + 2 * n, weight = exp(ln_g[n] - beta * e);
        all += weight;
        below += e <= valley ? weight : 0;
    }
    return below / all;
}

static void two_peaks(void **state) {
    (void)state;
    double ln_g[LEVELS];
    transition t;
    const double heights = equal_heights(&usual), areas = equal_areas(&usual);
    fill(&usual, ln_g);
    assert_true(transition_find(ln_g, levels, &t));
    const double low = usual.centre[0] - heights * usual.width[0] * usual.width[0],
                 high = usual.centre[1] - heights * usual.width[1] * usual.width[1];
    check_close(t.beta_height, BETA + heights, 1e-6);
    check_close(t.barrier, planted_barrier(&usual, heights), 0.03);
    check_close(t.low, low, 4);
    check_close(t.high, high, 4);
    assert_true(t.valley > t.low + 100 && t.valley < t.high - 100);
    check_close(t.beta_weight, BETA + areas, 1e-6);
    check_close(part_below(ln_g, t.beta_weight, t.valley), 0.5, 1e-9);
    check_close(t.heat,
                usual.centre[1] - usual.centre[0] -
                    areas * (usual.width[1] * usual.width[1] - usual.width[0] * usual.width[0]),
                0.05);
}

/* --- controls --- */

static void other_gaussians_have_other_values(void **state) {
    (void)state;
    double ln_g[LEVELS];
    transition t, other;
    planted higher = usual, closer = usual;
    higher.ln_height += log(2);
    closer.centre[1] -= 100;
    fill(&usual, ln_g);
    assert_true(transition_find(ln_g, levels, &t));
    fill(&higher, ln_g);
    assert_true(transition_find(ln_g, levels, &other));
    assert_true(other.beta_weight > t.beta_weight + 5e-4);
    assert_true(other.beta_height > t.beta_height + 5e-4);
    fill(&closer, ln_g);
    assert_true(transition_find(ln_g, levels, &other));
    assert_true(other.heat < t.heat - 80);
    assert_true(other.barrier < t.barrier - 1);
}

/* A wide shallow gap has the larger area, a narrow one, which is deeper, the smaller. */
static void the_larger_area_is_taken(void **state) {
    (void)state;
    double ln_g[LEVELS];
    transition t;
    for (int n = 0; n < LEVELS; n++) {
        const double e = -1600 + 2 * n, x = e / 800 + 1, a = (e + 1000) / 80, b = (e + 300) / 12;
        ln_g[n] = -20 * x * x - 3 * exp(-a * a / 2) - 6 * exp(-b * b / 2) + BETA * e;
    }
    assert_true(transition_find(ln_g, levels, &t));
    check_close(t.valley, -1000, 20);
    assert_true(t.barrier > 1 && t.barrier < 3);
}

static void unknown_levels_change_little(void **state) {
    (void)state;
    double ln_g[LEVELS];
    transition t, other;
    fill(&usual, ln_g);
    assert_true(transition_find(ln_g, levels, &t));
    ln_g[0] = ln_g[300] = ln_g[301] = ln_g[LEVELS - 1] = NAN;
    assert_true(transition_find(ln_g, levels, &other));
    check_close(other.beta_height, t.beta_height, 1e-5);
    check_close(other.barrier, t.barrier, 0.02);
    check_close(other.heat, t.heat, 1);
}

static void concave_or_narrow_is_none(void **state) {
    (void)state;
    double ln_g[LEVELS];
    transition t;
    const energy_levels few = {.lowest = -1600, .spacing = 2, .count = 3};
    const planted one = {{-700, -700}, {90, 90}, 0}, narrow = {{-712, -688}, {4, 4}, 0};
    fill(&one, ln_g);
    assert_false(transition_find(ln_g, levels, &t));
    fill(&narrow, ln_g);
    assert_false(transition_find(ln_g, levels, &t));
    assert_false(transition_find(ln_g, few, &t));
    fill(&usual, ln_g);
    for (int n = 0; n < LEVELS; n++)
        ln_g[n] -= 2 * BETA * (-1600 + 2 * n);
    assert_false(transition_find(ln_g, levels, &t)); /* its beta is -BETA */
    for (int n = 0; n < LEVELS; n++)
        ln_g[n] = NAN;
    assert_false(transition_find(ln_g, levels, &t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_peaks), cmocka_unit_test(other_gaussians_have_other_values),
        cmocka_unit_test(the_larger_area_is_taken), cmocka_unit_test(unknown_levels_change_little),
        cmocka_unit_test(concave_or_narrow_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
