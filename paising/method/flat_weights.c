/* Weights of the levels, and what the histogram says of them. */
#include "flat.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^31 min(1, exp ln_p), rounded, and at least 1: what has a weight can be reached. */
static uint32_t threshold_of(double ln_p) {
    if (ln_p >= 0)
        return WALK_CERTAIN;
    const uint32_t threshold = (uint32_t)(0x1p31 * ieee_exp(ln_p) + 0.5);
    return threshold > 0 ? threshold : 1;
}

/* Whether the weight of a level of a window is not the one that its thresholds were made of. */
static bool has_changed(const flat_window *w, int64_t n) {
    return w->ln_w[n] != w->made_of[n];
}

/* Whether level n of a window is one, and may have states. */
static bool is_there(const flat *f, const flat_window *w, int64_t n) {
    return n >= 0 && n < w->levels && f->occurs[w->lowest + n];
}

/* Makes the threshold of a change from level n. */
static void make_threshold(const flat *f, flat_window *w, int64_t n, walk_change change) {
    const int64_t to = n + change.up;
    w->threshold[(size_t)n * f->changes + change.c] =
        to >= 0 && to < w->levels ? threshold_of(w->ln_w[to] - w->ln_w[n]) : 0;
}

void flat_make_thresholds(const flat *f, flat_window *w) {
    for (int64_t n = 0; n < w->levels; n++)
        for (size_t k = 0; k < f->kinds && has_changed(w, n); k++) {
            const int64_t from = n - f->change[k].up;
            if (is_there(f, w, n))
                make_threshold(f, w, n, f->change[k]);
            if (is_there(f, w, from) && !has_changed(w, from))
                make_threshold(f, w, from, f->change[k]);
        }
    memcpy(w->made_of, w->ln_w, w->levels * sizeof *w->made_of);
}

double flat_divergence(const flat_window *w) {
    double sum = 0, divergence = 0, seen = 0;
    for (uint32_t n = 0; n < w->levels; n++) {
        sum += (double)w->visits[n];
        seen += w->seen[n];
    }
    for (uint32_t n = 0; n < w->levels; n++) {
        const double h = (double)w->visits[n] / sum;
        if (w->seen[n])
            divergence += h > 0 ? h * ieee_log(h * seen) : INFINITY;
    }
    return divergence;
}

double flat_flatness(const flat_window *w) {
    double sum = 0, least = INFINITY, seen = 0;
    for (uint32_t n = 0; n < w->levels; n++)
        if (w->seen[n]) {
            sum += (double)w->visits[n];
            least = fmin(least, (double)w->visits[n]);
            seen++;
        }
    return sum > 0 ? least * seen / sum : 0;
}

/* Whether a level from first on, and below end, was seen. */
static bool has_seen(const flat_window *w, uint32_t first, uint32_t end) {
    for (uint32_t level = first; level < end; level++)
        if (w->seen[level - w->lowest])
            return true;
    return false;
}

/* The energy of a level, in J. */
static double energy_of(const flat *f, uint32_t level) {
    const energy_levels levels = f->steps.engine->model.levels;
    return (double)level_energy(levels, level) / level_unit(levels);
}

/* Whether no walker of window k was seen at an end of the levels, or at one that it shares with window `other`. */
static bool lacks_end(const flat *f, size_t k, uint32_t level, const char *name, char *missing) {
    const flat_window *const w = &f->window[k];
    if (w->seen[level - w->lowest])
        return false;
    if (missing != NULL)
        snprintf(missing, FLAT_MISSING_SIZE, "the %s energy, %.15g J", name, energy_of(f, level));
    return true;
}

static bool lacks_shared(const flat *f, size_t k, size_t other, char *missing) {
    const flat_window *const w = &f->window[k], *const low = &f->window[other < k ? other : k];
    const uint32_t first = f->window[other < k ? k : other].lowest, end = low->lowest + low->levels;
    if (has_seen(w, first, end))
        return false;
    if (missing != NULL)
        snprintf(missing, FLAT_MISSING_SIZE,
                 "an energy that it shares with window %zu, from %.15g to %.15g J", other,
                 energy_of(f, first), energy_of(f, end - 1));
    return true;
}

bool flat_lacks(const flat *f, const flat_window *w, char missing[FLAT_MISSING_SIZE]) {
    const spin_model *const m = &f->steps.engine->model;
    const size_t k = (size_t)(w - f->window);
    if (k > 0 ? lacks_shared(f, k, k - 1, missing)
              : f->from_lowest && walk_reaches_bottom(m) &&
                    lacks_end(f, k, w->lowest, "lowest", missing))
        return true;
    return k + 1 < f->windows ? lacks_shared(f, k, k + 1, missing)
                              : f->to_highest && walk_reaches_top(m) &&
                                    lacks_end(f, k, w->lowest + w->levels - 1, "highest", missing);
}

bool flat_note(flat *f, const flat_window *w) {
    if (f->noted == f->room) {
        flat_iteration *const more = realloc(f->diary, (2 * f->room + 64) * sizeof *f->diary);
        if (more == NULL)
            return flat_fail(f, "not enough memory for the diary of the weights");
        f->diary = more;
        f->room = 2 * f->room + 64;
    }
    uint32_t lowest = w->levels, levels = 0;
    for (uint32_t n = w->levels; n-- > 0;)
        if (w->seen[n]) {
            lowest = n;
            levels++;
        }
    f->diary[f->noted++] = (flat_iteration){.window = (double)(w - f->window),
                                            .iteration = w->iteration,
                                            .steps = f->taken + 1.0,
                                            .levels = levels,
                                            .lowest = w->lowest + (double)lowest,
                                            .divergence = flat_divergence(w),
                                            .flatness = flat_flatness(w),
                                            .ln_f = f->way->blocks ? w->ln_f : 0,
                                            .ready = w->ready};
    return true;
}
