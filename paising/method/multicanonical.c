/* Multicanonical simulation (B. A. Berg, T. Neuhaus, Phys. Lett. B 267, 249, 1991), with many walkers (J. Zierenberg, M. Marenz, W. Janke,
 * Comput. Phys. Commun. 184, 1155, 2013; J. Gross, J. Zierenberg, M. Weigel, W. Janke, Comput. Phys. Commun. 224, 387, 2018): all
 * walkers have the same weights and one histogram H. An iteration is a thermalisation and some steps that count; behind it
 *
 *     W(E) <- W(E) / H(E)    where H(E) > 0,
 *
 * and a level that was not visited keeps its weight over that of the level before, as seen from the most visited one, if it was visited
 * in an earlier iteration; else the two are equal. The weights are ready when the histogram of
 * an iteration has every level that was ever seen, and a small divergence from a flat one. Iterations are short while walkers come to new levels; then each is
 * twice as long as the one before. */
#include "base/ieee_math.h"
#include "flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The new weight of level n, behind level `before`, whose weight was before_was. */
static double next_weight(const flat_window *w, uint32_t n, uint32_t before, double before_was,
                          double sum) {
    if (w->visits[n] > 0)
        return w->ln_w[n] - ieee_log((double)w->visits[n] / sum);
    return w->ln_w[before] + (w->seen[n] ? w->ln_w[n] - before_was : 0);
}

static void divide_weights(const flat *f, flat_window *w) {
    double sum = 0;
    uint32_t top = 0;
    for (uint32_t n = 0; n < w->levels; n++) {
        sum += (double)w->visits[n];
        top = w->visits[n] > w->visits[top] ? n : top;
    }
    const double top_was = w->ln_w[top];
    w->ln_w[top] = next_weight(w, top, top, top_was, sum);
    double was = top_was;
    for (uint32_t n = top + 1; n < w->levels; n++) {
        const double now = next_weight(w, n, n - 1, was, sum);
        was = w->ln_w[n];
        w->ln_w[n] = now;
    }
    was = top_was;
    for (uint32_t n = top; n-- > 0;) {
        const double now = next_weight(w, n, n + 1, was, sum);
        was = w->ln_w[n];
        w->ln_w[n] = now;
    }
    flat_make_thresholds(f, w);
}

static bool end_iteration(flat *f, flat_window *w) {
    if (w->ready)
        return true;
    w->ready = !flat_lacks(f, w, NULL) && flat_divergence(w) < f->given->divergence;
    if (!flat_note(f, w))
        return false;
    divide_weights(f, w);
    w->iteration++;
    memset(w->visits, 0, w->levels * sizeof *w->visits);
    return true;
}

/* Has twice as many steps count from the next iteration on, if this one saw no new level: the divergence that is left is the scatter
 * of its counts. */
static void lengthen(flat *f) {
    uint64_t seen = 0;
    bool lacks = false;
    for (size_t row = 0; row < f->rows; row++)
        seen += f->seen[row];
    for (size_t k = 0; k < f->windows; k++)
        lacks = lacks || flat_lacks(f, &f->window[k], NULL);
    if (!lacks && seen == f->known && f->length <= UINT32_MAX / 4)
        f->length *= 2;
    f->known = seen;
}

static bool stepped(flat *f) {
    const uint32_t before = f->given->thermalisation;
    if (f->in_iteration++ < before) {
        memset(f->visits, 0, f->rows * sizeof *f->visits);
        return true;
    }
    if (f->in_iteration < before + f->length)
        return true;
    bool good = true;
    for (size_t k = 0; k < f->windows && good; k++)
        good = end_iteration(f, &f->window[k]);
    lengthen(f);
    f->in_iteration = 0;
    return good;
}

static const flat_method way = {.stepped = stepped};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    return flat_run(p, engines, folder, &way, signal);
}

extern const method multicanonical_method;
const method multicanonical_method = {.run = run, .bytes = flat_bytes};
