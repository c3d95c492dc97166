/* Wang-Landau simulation (F. Wang, D. P. Landau, Phys. Rev. Lett. 86, 2050, 2001). W = 1 / g, and g(E) is multiplied by f
 * for each attempt behind which a walker is at E. All walkers have one g, which changes behind a block of attempts of each
 * of them, by the sum of their histograms. When the histogram is flat, ln f is halved and the histogram is cleared. By 1/t
 * (R. E. Belardinelli, V. D. Pereyra, Phys. Rev. E 75, 046701, 2007) ln f = K / t once that is larger, for K levels and t
 * attempts of all walkers. Below --last-ln-f the weights are fixed, and production begins. */
#include "flat.h"

#include <math.h>
#include <string.h>

/* Levels that nobody has seen have the smallest ln g there is: with ln g = 0 they would hold the walkers that find them. */
static void raise_unseen(flat_window *w) {
    double most = -INFINITY;
    for (uint32_t n = 0; n < w->levels; n++)
        most = w->seen[n] && w->ln_w[n] > most ? w->ln_w[n] : most;
    for (uint32_t n = 0; n < w->levels; n++)
        w->ln_w[n] = w->seen[n] ? w->ln_w[n] : most;
}

/* Levels over attempts: 1/t, with t in attempts for each level. */
static double by_time(const flat_window *w) {
    double levels = 0;
    for (uint32_t n = 0; n < w->levels; n++)
        levels += w->seen[n];
    return levels / (double)w->attempts;
}

static void walked(const flat *f, flat_window *w) {
    for (uint32_t n = 0; n < w->levels; n++) {
        w->ln_w[n] -= w->ln_f * (double)w->block[n];
        w->attempts += w->block[n];
    }
    raise_unseen(w);
    w->ln_f = w->by_time ? by_time(w) : w->ln_f;
    flat_make_thresholds(f, w);
}

/* Halves ln f if the histogram is flat. */
static bool refine(flat *f, flat_window *w) {
    const double last = f->given->last_ln_f;
    if (w->by_time) {
        w->ready = w->ln_f < last;
        return !w->ready || flat_note(f, w);
    }
    if (flat_lacks(f, w, NULL) || flat_flatness(w) <= f->given->flatness)
        return true;
    w->ready = w->ln_f / 2 < last;
    if (!flat_note(f, w))
        return false;
    w->ln_f /= 2;
    w->iteration++;
    memset(w->visits, 0, w->levels * sizeof *w->visits);
    w->by_time = f->given->refinement == REFINEMENT_BY_TIME && w->ln_f <= by_time(w);
    return true;
}

static bool stepped(flat *f) {
    bool good = true;
    for (size_t k = 0; k < f->windows && good; k++)
        good = f->window[k].ready || refine(f, &f->window[k]);
    return good;
}

static const flat_method way = {.blocks = true, .walked = walked, .stepped = stepped};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    return flat_run(p, engines, folder, &way, signal);
}

extern const method wang_landau_method;
const method wang_landau_method = {.run = run, .bytes = flat_bytes};
