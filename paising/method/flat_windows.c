/* The windows of flat-histogram methods, their walkers, and exchanges between them. */
#include "flat.h"

#include "base/clock.h"
#include "base/ieee_math.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sweeps in which walkers must have come into their windows. */
#define DRIVEN_SWEEPS 10000

/* Of a glass or a graph, walks there cool in COLDEST stages of as many sweeps. */
#define COOLING_SWEEPS 10
#define COLDEST        8

/* Seconds of a piece of a walk, between which the walk can pause; and attempts of the first one. */
#define PIECE_SECONDS 0.05
#define FIRST_PIECE   4096

/* Where a walker was last of the two ends of the energy. */
enum { NOWHERE, BEGUN, TURNED };

static bool allocate(flat *f) {
    const spin_model *const m = &f->steps.engine->model;
    const uint64_t R = f->replicas;
    f->occurs = calloc(m->levels.count, sizeof *f->occurs);
    f->walks = calloc(f->windows, sizeof *f->walks);
    f->ln_w = calloc(f->rows, sizeof *f->ln_w);
    f->made_of = calloc(f->rows, sizeof *f->made_of);
    f->seen = calloc(f->rows, sizeof *f->seen);
    f->block = calloc(f->rows, sizeof *f->block);
    f->visits = calloc(f->rows, sizeof *f->visits);
    f->threshold = calloc(f->rows * f->changes, sizeof *f->threshold);
    f->change = calloc(f->changes, sizeof *f->change);
    f->counts = calloc(FLAT_GROUPS * f->rows, sizeof *f->counts);
    f->least = calloc(R, sizeof *f->least);
    f->most = calloc(R, sizeof *f->most);
    f->piece = calloc(f->rows, sizeof *f->piece);
    f->piece_least = calloc(R, sizeof *f->piece_least);
    f->piece_most = calloc(R, sizeof *f->piece_most);
    f->level = calloc(R, sizeof *f->level);
    f->parent = calloc(R, sizeof *f->parent);
    f->walker = calloc(R, sizeof *f->walker);
    f->way_of = calloc(R, sizeof *f->way_of);
    f->order = m->disordered ? NULL : calloc(FLAT_GROUPS, sizeof *f->order);
    for (size_t g = 0; f->order != NULL && g < FLAT_GROUPS; g++)
        if (reweighting_create(&f->order[g], m->levels))
            return false;
    return (f->order || m->disordered) && f->occurs && f->walks && f->ln_w && f->made_of &&
           f->seen && f->block && f->visits && f->threshold && f->change && f->counts && f->least &&
           f->most && f->level && f->parent && f->walker && f->way_of && f->piece &&
           f->piece_least && f->piece_most;
}

/* Lists the changes that attempts can make. Returns false without memory. */
static bool list_changes(flat *f) {
    const spin_model *const m = &f->steps.engine->model;
    bool *const made = malloc(f->changes * sizeof *made);
    const bool found = made != NULL && walk_find_changes(m, made);
    for (uint32_t c = 0; c < f->changes && found; c++)
        if (made[c])
            f->change[f->kinds++] = (walk_change){c, (int32_t)walk_levels_up(m, c)};
    free(made);
    return found;
}

bool flat_has_all(const flat *f) {
    return f->from_lowest && f->to_highest;
}

bool flat_windows_create(flat *f) {
    const spin_model *const m = &f->steps.engine->model;
    const walk_range all = walk_range_of(m, f->given->boundary),
                     range = parameters_range(f->given, m);
    const uint32_t windows = f->given->windows,
                   levels = walk_window_levels(range, windows, f->given->window_overlap);
    f->from_lowest = range.lowest == all.lowest;
    f->to_highest = range.lowest + range.count == all.lowest + all.count;
    f->windows = windows;
    f->rows = (size_t)windows * levels;
    f->changes = walk_changes(m);
    f->replicas = windows * f->given->population;
    f->window = calloc(windows, sizeof *f->window);
    if (f->window == NULL || !allocate(f) || !walk_find_levels(m, f->occurs) || !list_changes(f))
        return false;
    for (uint32_t k = 0; k < windows; k++) {
        const size_t row = (size_t)k * levels;
        flat_window *const w = &f->window[k];
        *w = (flat_window){.lowest = walk_window_lowest(range, windows, levels, k),
                           .levels = levels,
                           .ln_w = f->ln_w + row,
                           .made_of = f->made_of + row,
                           .seen = f->seen + row,
                           .block = f->block + row,
                           .visits = f->visits + row,
                           .threshold = f->threshold + row * f->changes,
                           .ln_f = 1,
                           .iteration = 1};
        f->walks[k] = (walk_window){.first = k * f->given->population,
                                    .count = f->given->population,
                                    .lowest = w->lowest,
                                    .levels = levels,
                                    .threshold = w->threshold,
                                    .visits = f->piece + row};
        for (uint32_t n = 0; n < levels; n++)
            w->made_of[n] = NAN;
        flat_make_thresholds(f, w);
    }
    for (uint64_t n = 0; n < f->replicas; n++)
        f->walker[n] = (uint32_t)n;
    return true;
}

void flat_windows_destroy(flat *f) {
    for (size_t g = 0; f->order != NULL && g < FLAT_GROUPS; g++)
        reweighting_destroy(&f->order[g]);
    void *const array[] = {f->window, f->occurs, f->made_of, f->walks,       f->ln_w,
                           f->seen,   f->block,  f->visits,  f->threshold,   f->counts,
                           f->least,  f->most,   f->level,   f->parent,      f->walker,
                           f->way_of, f->diary,  f->piece,   f->piece_least, f->piece_most,
                           f->order,  f->change};
    for (size_t n = 0; n < sizeof array / sizeof *array; n++)
        free(array[n]);
}

/* --- walks --- */

/* Whether no attempt of a walk was lost. */
static bool is_complete(flat *f, uint32_t attempts) {
    for (size_t k = 0; k < f->windows; k++) {
        uint64_t sum = 0;
        for (uint32_t n = 0; n < f->window[k].levels; n++)
            sum += f->window[k].block[n];
        if (sum != f->given->population * attempts)
            return flat_fail(f,
                             "%s failed: the histogram of walk %" PRIu32 " has %" PRIu64
                             " attempts, and %" PRIu64 " were made",
                             f->steps.engine->name, f->walk, sum, f->given->population * attempts);
    }
    return true;
}

/* The extreme levels that were seen in any window. */
static void find_ends(const flat *f, uint32_t *lowest, uint32_t *highest) {
    *lowest = UINT32_MAX;
    *highest = 0;
    for (size_t k = 0; k < f->windows; k++)
        for (uint32_t n = 0; n < f->window[k].levels; n++)
            if (f->window[k].seen[n]) {
                const uint32_t level = f->window[k].lowest + n;
                *lowest = level < *lowest ? level : *lowest;
                *highest = level > *highest ? level : *highest;
            }
}

/* Follows walkers between the lowest level and the highest one, and counts those that come back to the lowest in a step that is measured. Of
 * a walk that touches both ends the order is not known: the second one counts in the next walk there. */
static void follow_walkers(flat *f) {
    uint32_t lowest, highest;
    find_ends(f, &lowest, &highest);
    for (uint64_t n = 0; n < f->replicas; n++) {
        uint8_t *const way = &f->way_of[f->walker[n]];
        if (f->least[n] == lowest && *way != BEGUN) {
            f->round_trips += *way == TURNED && flat_measures(f);
            *way = BEGUN;
        } else if (f->most[n] == highest && *way == BEGUN)
            *way = TURNED;
    }
}

bool flat_is_stopped(const flat *f) {
    return f->stop != NULL && __atomic_load_n(f->stop, __ATOMIC_RELAXED) != 0;
}

static void begin_walk(flat *f) {
    f->walk++;
    memset(f->block, 0, f->rows * sizeof *f->block);
    memset(f->least, UINT8_MAX, f->replicas * sizeof *f->least);
    memset(f->most, 0, f->replicas * sizeof *f->most);
}

/* Attempts of the next piece of a walk that has so many left: whole blocks of random numbers, but for the last piece. */
static uint32_t piece_of(const flat *f, uint32_t left) {
    const double fit = f->attempt_seconds > 0 ? PIECE_SECONDS / f->attempt_seconds : FIRST_PIECE;
    return fit < left - 4.0 ? (uint32_t)fit / 4 * 4 + 4 : left;
}

/* Makes a piece, and adds it to its walk. */
static bool make_piece(flat *f, uint32_t attempts) {
    engine *const e = f->steps.engine;
    const double begun = clock_seconds();
    const engine_walk walk = {.key = flat_key(f),
                              .number = f->walk,
                              .begin = f->made,
                              .attempts = attempts,
                              .window = f->walks,
                              .windows = f->windows,
                              .least = f->piece_least,
                              .most = f->piece_most};
    if (!flat_engine_did(f, e->verbs->walk(e, &walk)))
        return false;
    for (size_t row = 0; row < f->rows; row++)
        f->block[row] += f->piece[row];
    for (uint64_t n = 0; n < f->replicas; n++) {
        f->least[n] = f->piece_least[n] < f->least[n] ? f->piece_least[n] : f->least[n];
        f->most[n] = f->piece_most[n] > f->most[n] ? f->piece_most[n] : f->most[n];
    }
    f->made += attempts;
    f->attempt_seconds = (clock_seconds() - begun) / attempts;
    return true;
}

bool flat_walk(flat *f, uint32_t attempts) {
    if (f->made == 0)
        begin_walk(f);
    while (f->made < attempts) {
        if (!make_piece(f, piece_of(f, attempts - f->made)))
            return false;
        if (f->made < attempts && flat_is_stopped(f))
            return true;
    }
    f->made = 0;
    if (!is_complete(f, attempts))
        return false;
    for (size_t k = 0; k < f->windows; k++)
        for (uint32_t n = 0; n < f->window[k].levels; n++)
            if (f->window[k].block[n] > 0 && !f->window[k].seen[n]) {
                f->window[k].seen[n] = true;
                f->discovered = clock_seconds();
            }
    if (f->found)
        follow_walkers(f);
    return true;
}

/* --- the beginning --- */

/* The same of spins that have a byte each. High states of Baxter and Wu have all spins down, low ones of Blume and Capel S = 0 where
 * that is the lowest energy. */
static void order_bytes(const spin_model *m, bool low, uint8_t *spins) {
    const state_lattice l = state_lattice_of(m);
    const uint8_t last = (uint8_t)(m->spins != SPINS_POTTS ? model_states(m) - 1 : 0),
                  other = (uint8_t)(m->spins == SPINS_POTTS);
    const bool zero = m->spins == SPINS_BLUME_CAPEL && m->levels.lowest == 0;
    for (uint32_t i = 0; i < l.sites; i++) {
        const uint32_t x = i % l.edge[0], y = i / l.edge[0] % l.edge[1],
                       z = i / l.edge[0] / l.edge[1];
        const bool first = m->spins != SPINS_BAXTER_WU && (x + y + z) % 2 == 0;
        spins[i] = low && zero ? 1 : low || first ? last : other;
    }
}

/* Fills one state of a window: in the lower half of the levels all spins are up, else those of the even sub-lattice. */
static void order_state(const flat *f, const flat_window *w, uint8_t *spins) {
    const spin_model *const m = &f->steps.engine->model;
    const bool low = 2 * w->lowest + w->levels <= m->levels.count;
    if (m->spins != SPINS_ISING) {
        order_bytes(m, low, spins);
        return;
    }
    memset(spins, 0, model_packed_bytes(m));
    for (size_t i = 0; i < m->sites; i++)
        spins[i / 8] |= (uint8_t)((low || i < m->sites / 2) << i % 8);
}

#define WRITTEN_TOGETHER 256 /* replicas */

/* Writes the ordered states. */
static bool write_ordered(flat *f) {
    engine *const e = f->steps.engine;
    const size_t bytes = model_packed_bytes(&e->model);
    uint8_t *const spins = calloc(WRITTEN_TOGETHER, bytes);
    uint32_t family[WRITTEN_TOGETHER];
    bool good = spins != NULL || flat_fail(f, "not enough memory for the first states");
    for (uint64_t first = 0, count; first < f->replicas && good; first += count) {
        const uint64_t left = f->replicas - first;
        count = left < WRITTEN_TOGETHER ? left : WRITTEN_TOGETHER;
        for (uint64_t n = 0; n < count; n++) {
            order_state(f, &f->window[(first + n) / f->given->population], spins + n * bytes);
            family[n] = (uint32_t)(first + n);
        }
        good = flat_engine_did(f, e->verbs->write(e, first, count, f->replicas, spins, family));
    }
    free(spins);
    return good && flat_engine_did(f, engine_measure(e, &f->steps.report));
}

/* The distance of a level from a window. */
static uint32_t distance(const flat_window *w, int64_t level) {
    const int64_t below = (int64_t)w->lowest - level, above = level - (w->lowest + w->levels - 1);
    return (uint32_t)(below > 0 ? below : above > 0 ? above : 0);
}

/* The levels that count as one on the way to a window: of a graph half of the largest change, so that its couplings may have any size. */
static uint32_t way_unit(const spin_model *m) {
    const uint32_t half = m->graph != NULL ? m->graph->most_change / 2 : 0;
    return half > 1 ? half : 1;
}

/* The threshold of a change on the way to a window: one that does not lead away is made. From outside of the window one that leads `away`
 * units away has the probability 2^(-cold away), the exponent rounded down; cold 0: it is not made. */
static uint32_t way_threshold(uint32_t from, uint32_t to, uint32_t cold, uint32_t unit) {
    if (to <= from)
        return WALK_CERTAIN;
    const uint64_t shift = (uint64_t)cold * (to - from) / unit;
    return from == 0 || cold == 0 || shift > 31 ? 0 : WALK_CERTAIN >> shift;
}

/* Fills the thresholds of the way to a window, over all levels. */
static void make_way(const flat *f, const flat_window *w, size_t levels, uint32_t cold,
                     uint32_t *threshold) {
    const uint32_t unit = way_unit(&f->steps.engine->model);
    for (size_t k = 0; k < f->kinds; k++) {
        for (size_t n = 0; n < levels; n++) {
            const int64_t to = (int64_t)n + f->change[k].up;
            threshold[n * f->changes + f->change[k].c] =
                to >= 0 && to < (int64_t)levels
                    ? way_threshold(distance(w, (int64_t)n), distance(w, to), cold, unit)
                    : 0;
        }
    }
}

/* How cold a sweep of the way is. From ordered states no change leads away; of a glass or a graph, whose states of low energy are not
 * known, the walk cools again and again. */
static uint32_t cold_of(const flat *f, uint32_t sweep) {
    return walk_reaches_bottom(&f->steps.engine->model)
               ? 0
               : 1 + (sweep - 1) / COOLING_SWEEPS % COLDEST;
}

/* Whether all walkers are in their windows. */
static bool have_arrived(const flat *f) {
    bool all = true;
    for (uint64_t n = 0; n < f->replicas; n++)
        all = all && distance(&f->window[n / f->given->population], f->level[n]) == 0;
    return all;
}

/* Takes the lowest and the highest energy that was met into account, in levels. */
static void note_ends(const flat *f, uint32_t *lowest, uint32_t *highest) {
    for (uint64_t n = 0; n < f->replicas; n++) {
        *lowest = f->least[n] < *lowest ? f->least[n] : *lowest;
        *highest = f->most[n] > *highest ? f->most[n] : *highest;
    }
}

/* Says that there are windows without walkers. Returns false. */
static bool fail_to_arrive(flat *f, uint32_t lowest, uint32_t highest) {
    const energy_levels levels = f->steps.engine->model.levels;
    return flat_fail(f,
                     "walkers have not come into their windows in %d sweeps: fewer --windows, or a "
                     "wider range of energies; those that were met are from %.15g to %.15g J",
                     DRIVEN_SWEEPS, (double)level_energy(levels, lowest) / level_unit(levels),
                     (double)level_energy(levels, highest) / level_unit(levels));
}

static bool drive(flat *f, walk_window way[], uint32_t *threshold, uint64_t *visits) {
    engine *const e = f->steps.engine;
    const size_t levels = e->model.levels.count;
    uint32_t lowest = UINT32_MAX, highest = 0, cold = UINT32_MAX;
    for (size_t k = 0; k < f->windows; k++) {
        way[k] = (walk_window){.first = f->walks[k].first,
                               .count = f->walks[k].count,
                               .levels = (uint32_t)levels,
                               .threshold = threshold + k * levels * f->changes,
                               .visits = visits};
    }
    engine_walk walk = {.key = flat_key(f),
                        .attempts = (uint32_t)e->model.sites,
                        .window = way,
                        .windows = f->windows,
                        .least = f->least,
                        .most = f->most};
    for (f->walk = 1; f->walk <= DRIVEN_SWEEPS; f->walk++) {
        walk.number = f->walk;
        for (size_t k = 0; k < f->windows && cold != cold_of(f, f->walk); k++)
            make_way(f, &f->window[k], levels, cold_of(f, f->walk),
                     threshold + k * levels * f->changes);
        cold = cold_of(f, f->walk);
        if (!flat_engine_did(f, e->verbs->walk(e, &walk)) ||
            !flat_engine_did(f, e->verbs->read_levels(e, 0, f->replicas, f->level)))
            return false;
        if (have_arrived(f))
            return true;
        note_ends(f, &lowest, &highest);
    }
    return fail_to_arrive(f, lowest, highest);
}

bool flat_windows_begin(flat *f) {
    const size_t levels = f->steps.engine->model.levels.count;
    if (!flat_engine_did(f, stepper_randomise(&f->steps, flat_key(f), f->replicas)))
        return false;
    if (f->windows == 1 && flat_has_all(f))
        return true;
    walk_window *const way = calloc(f->windows, sizeof *way);
    uint32_t *const threshold = calloc(f->windows * levels * f->changes, sizeof *threshold);
    uint64_t *const visits = calloc(levels, sizeof *visits);
    const bool room = way != NULL && threshold != NULL && visits != NULL;
    const bool good = room && (!walk_reaches_bottom(&f->steps.engine->model) || write_ordered(f)) &&
                      drive(f, way, threshold, visits);
    free(way);
    free(threshold);
    free(visits);
    return good || (room ? false : flat_fail(f, "not enough memory for the ways to the windows"));
}

/* --- exchanges --- */

/* The weight of a level in a window; -INFINITY outside of it. */
static double ln_weight(const flat_window *w, uint32_t level) {
    return level - w->lowest < w->levels ? w->ln_w[level - w->lowest] : -INFINITY;
}

/* Whether walkers number r of windows k and k + 1 are exchanged: a number of 64 bits decides. */
static bool is_accepted(const flat *f, size_t k, uint64_t r) {
    const uint64_t R = f->given->population;
    const flat_window *const w = &f->window[k], *const v = &f->window[k + 1];
    const uint32_t here = f->level[k * R + r], there = f->level[(k + 1) * R + r];
    const double p = ieee_exp(ln_weight(w, there) + ln_weight(v, here) -
                              (ln_weight(w, here) + ln_weight(v, there)));
    const stream_block b =
        stream_draw(flat_key(f), STREAM_EXCHANGE, (uint32_t)k, (uint32_t)(r / 2), 0, f->taken);
    const uint64_t u = (uint64_t)b.number[2 * (r % 2)] << 32 | b.number[2 * (r % 2) + 1];
    return p >= 1 || u < (uint64_t)(0x1p64 * p);
}

bool flat_exchange(flat *f) {
    engine *const e = f->steps.engine;
    const uint64_t R = f->given->population;
    if (f->windows == 1)
        return true;
    if (!flat_engine_did(f, e->verbs->read_levels(e, 0, f->replicas, f->level)))
        return false;
    for (uint64_t n = 0; n < f->replicas; n++)
        f->parent[n] = (uint32_t)n;
    for (size_t k = f->taken % 2; k + 1 < f->windows; k += 2)
        for (uint64_t r = 0; r < R; r++) {
            const uint64_t low = k * R + r, high = low + R;
            f->window[k].exchanges += f->found;
            if (!is_accepted(f, k, r))
                continue;
            const uint32_t walker = f->walker[low];
            f->parent[low] = (uint32_t)high;
            f->parent[high] = (uint32_t)low;
            f->walker[low] = f->walker[high];
            f->walker[high] = walker;
            f->window[k].accepted += f->found;
        }
    const engine_step step = {.parts = PART_SELECT | PART_MEASURE,
                              .key = flat_key(f),
                              .temperature = f->taken + 1,
                              .founders = f->replicas,
                              .parents = f->parent,
                              .children = f->replicas};
    return flat_engine_did(f, e->verbs->step(e, &step, &f->steps.report));
}
