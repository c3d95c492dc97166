/* Transitions of first order (transition.h). */
#include "transition.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdlib.h>

#define BISECTIONS 60
#define BIN        1 /* J */

/* Levels within BIN: the last of them, their mean energy, and ln of the sum of their g; after smooth() its mean over TRANSITION_SMOOTHED bins. */
typedef struct {
    size_t level;
    double energy, ln_g;
} point;

static double energy_of(energy_levels levels, size_t n) {
    return (double)level_energy(levels, n) / level_unit(levels);
}

static double ln_of_sum(double a, double b) {
    const double top = fmax(a, b);
    return top + ieee_log(ieee_exp(a - top) + ieee_exp(b - top));
}

/* Fills at[] with bins of the levels that are known, in their order. Returns their number. */
static size_t list_bins(const double ln_g[], energy_levels levels, point at[]) {
    size_t count = 0, members = 0;
    double bin = 0;
    for (size_t n = 0; n < levels.count; n++) {
        const double energy = energy_of(levels, n),
                     own = floor((energy - energy_of(levels, 0)) / BIN);
        if (isnan(ln_g[n]))
            continue;
        if (count == 0 || own > bin) {
            at[count++] = (point){n, energy, ln_g[n]};
            members = 1;
            bin = own;
            continue;
        }
        point *const last = &at[count - 1];
        members++;
        *last = (point){n, last->energy + (energy - last->energy) / (double)members,
                        ln_of_sum(last->ln_g, ln_g[n])};
    }
    return count;
}

/* Averages ln g, in place; points at both ends are lost. Returns how many are left. */
static size_t smooth(point at[], size_t count) {
    size_t left = 0;
    for (; left + TRANSITION_SMOOTHED <= count; left++) {
        double sum = 0;
        for (size_t n = 0; n < TRANSITION_SMOOTHED; n++)
            sum += at[left + n].ln_g;
        const point middle = at[left + TRANSITION_SMOOTHED / 2];
        at[left].ln_g = sum / TRANSITION_SMOOTHED;
        at[left].level = middle.level;
        at[left].energy = middle.energy;
    }
    return left;
}

/* How far the line from a to b is above c. */
static double gap(const point *a, const point *b, const point *c) {
    const double slope = (b->ln_g - a->ln_g) / (b->energy - a->energy);
    return a->ln_g + slope * (c->energy - a->energy) - c->ln_g;
}

/* Fills hull[] with the places of the points on the concave hull. Returns their number. */
static size_t make_hull(const point at[], size_t count, size_t hull[]) {
    size_t corners = 0;
    for (size_t n = 0; n < count; n++) {
        while (corners > 1 && gap(&at[hull[corners - 2]], &at[n], &at[hull[corners - 1]]) >= 0)
            corners--;
        hull[corners++] = n;
    }
    return corners;
}

/* ln of the weight at beta of the energies from `first` to `end`, which is not among them; and their mean energy. */
static double ln_weight(const double ln_g[], energy_levels levels, double beta, size_t first,
                        size_t end, double *mean) {
    double top = -INFINITY, sum = 0, energies = 0;
    for (size_t n = first; n < end; n++)
        if (!isnan(ln_g[n]))
            top = fmax(top, ln_g[n] - beta * energy_of(levels, n));
    for (size_t n = first; n < end; n++) {
        const double energy = energy_of(levels, n);
        const double weight = isnan(ln_g[n]) ? 0 : ieee_exp(ln_g[n] - beta * energy - top);
        sum += weight;
        energies += weight * energy;
    }
    *mean = energies / sum;
    return top + ieee_log(sum);
}

/* Finds the beta at which both sides of a level have the same weight, which of the lower one grows with beta. */
static void weigh_sides(const double ln_g[], energy_levels levels, size_t valley, transition *t) {
    const double most = 100 / (t->high - t->low); /* from here on one side has all of the weight */
    double least_beta = t->beta_height - most, most_beta = t->beta_height + most;
    for (int n = 0; n < BISECTIONS; n++) {
        double low, high;
        t->beta_weight = (least_beta + most_beta) / 2;
        const double below = ln_weight(ln_g, levels, t->beta_weight, 0, valley + 1, &low),
                     above =
                         ln_weight(ln_g, levels, t->beta_weight, valley + 1, levels.count, &high);
        t->heat = high - low;
        if (below < above)
            least_beta = t->beta_weight;
        else
            most_beta = t->beta_weight;
    }
}

/* Of the points between a and b: the one that is farthest below the line, and the area in between. */
static double area_below(const point at[], size_t a, size_t b, size_t *valley) {
    double area = 0, most = 0;
    for (size_t n = a + 1; n < b; n++) {
        const double below = gap(&at[a], &at[b], &at[n]);
        area += below * (at[n + 1].energy - at[n - 1].energy) / 2;
        *valley = below > most ? n : *valley;
        most = fmax(most, below);
    }
    return area;
}

/* Chooses two neighbouring corners of the hull. */
static bool find_peaks(const point at[], const size_t hull[], size_t corners, transition *t,
                       size_t *level) {
    double largest = 0;
    for (size_t n = 0; n + 1 < corners; n++) {
        const point *const a = &at[hull[n]], *const b = &at[hull[n + 1]];
        size_t valley = hull[n];
        const double area = area_below(at, hull[n], hull[n + 1], &valley);
        if (hull[n + 1] - hull[n] < TRANSITION_BINS || b->ln_g <= a->ln_g || area <= largest)
            continue;
        largest = area;
        *level = at[valley].level;
        *t = (transition){.beta_height = (b->ln_g - a->ln_g) / (b->energy - a->energy),
                          .barrier = gap(a, b, &at[valley]),
                          .low = a->energy,
                          .valley = at[valley].energy,
                          .high = b->energy};
    }
    return largest > 0;
}

bool transition_find(const double ln_g[], energy_levels levels, transition *t) {
    point *const at = malloc(levels.count * sizeof *at);
    size_t *const hull = malloc(levels.count * sizeof *hull), valley = 0;
    bool found = at != NULL && hull != NULL;
    if (found) {
        const size_t count = smooth(at, list_bins(ln_g, levels, at));
        found = find_peaks(at, hull, make_hull(at, count, hull), t, &valley);
    }
    if (found)
        weigh_sides(ln_g, levels, valley, t);
    free(at);
    free(hull);
    return found;
}
