/* Walks in single-spin coding, threads over walkers. Those of Ising spins and graphs equal, bit for bit, walk() in reference/plain_flat.c; the
 * numbers of states of the others are held to enumeration (validate/physics/test_states.py). The sites of a piece of the walk are drawn
 * once for all walkers; each thread has a histogram of its own, and these are added behind the walk. */
#include "walk.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_links(walk_space *space, const spin_graph *g) {
    space->of_graph = malloc(g->sites * sizeof *space->of_graph);
    space->link = malloc((2 * g->bonds + 1) * sizeof *space->link);
    if (space->of_graph == NULL || space->link == NULL)
        return false;
    walk_fill_graph(g, space->of_graph, space->link);
    return true;
}

int walk_space_create(walk_space *space, const spin_model *model) {
    *space = (walk_space){.changes = walk_changes(model),
                          .site = malloc(WALK_PIECE * sizeof *space->site)};
    if (model->spins != SPINS_ISING)
        space->states = state_lattice_of(model);
    if (model->graph != NULL)
        return make_links(space, model->graph) && space->site != NULL ? 0 : -1;
    space->bond = walk_bonds(model);
    return space->bond != NULL && space->site != NULL ? 0 : -1;
}

void walk_space_destroy(walk_space *space) {
    free(space->bond);
    free(space->of_graph);
    free(space->link);
    free(space->site);
    free(space->visits);
}

/* Threads count the levels of all windows. */
uint64_t walk_space_bytes(const engine_config *config, uint32_t threads) {
    const spin_model *const m = &config->model;
    const uint64_t bonds =
        m->graph != NULL ? m->sites * sizeof(walk_site_of_graph) + 2 * m->bonds * sizeof(walk_link)
                         : m->sites * m->coordination * sizeof(uint32_t);
    return bonds + WALK_PIECE * sizeof(uint32_t) +
           threads * engine_populations(config) * m->levels.count * sizeof(uint64_t);
}

/* Makes room for the histograms of so many threads. Returns false without memory. */
static bool make_rows(walk_space *space, size_t rows, uint32_t threads) {
    if (rows > space->rows) {
        free(space->visits);
        space->visits = malloc(threads * rows * sizeof *space->visits);
        space->rows = space->visits != NULL ? rows : 0;
    }
    if (rows <= space->rows)
        memset(space->visits, 0, threads * rows * sizeof *space->visits);
    return rows <= space->rows;
}

/* Whether all walkers are in levels of their windows. */
static bool windows_fit(engine *e, const engine_walk *w, const uint32_t *level) {
    for (size_t k = 0; k < w->windows; k++)
        for (uint64_t n = w->window[k].first, end = n + w->window[k].count; n < end; n++)
            if (level[n] - w->window[k].lowest >= w->window[k].levels) {
                snprintf(e->error, sizeof e->error, "a walker is outside of its window");
                return false;
            }
    return true;
}

/* Where a walker is in its window, and its extreme levels. */
typedef struct {
    uint32_t at, least, most;
} walk_place;

static walk_place place_of(const engine_walk *w, const walk_window *v, uint32_t walker,
                           uint32_t level) {
    return (walk_place){level - v->lowest, w->least[walker], w->most[walker]};
}

/* Counts the level behind an attempt. */
static inline void count_level(walk_place *place, const walk_window *v, uint64_t *visits) {
    const uint32_t level = place->at + v->lowest;
    visits[place->at]++;
    place->least = level < place->least ? level : place->least;
    place->most = level > place->most ? level : place->most;
}

static void leave(const walk_place *place, const engine_walk *w, const walk_window *v,
                  uint32_t walker, uint32_t *level) {
    *level = place->at + v->lowest;
    w->least[walker] = place->least;
    w->most[walker] = place->most;
}

/* The attempts first .. first + count - 1 of a walker. visits[]: of its window. */
static void go_on(const engine_walk *w, const walk_window *v, const walk_space *space, uint32_t z,
                  uint32_t first, uint32_t count, uint32_t walker, int8_t *spin, uint32_t *level,
                  uint64_t *visits) {
    stream_block numbers = {{0}};
    walk_place place = place_of(w, v, walker, *level);
    for (uint32_t a = 0; a < count; a++) {
        const uint32_t site = space->site[a], *const bond = space->bond + (size_t)site * z;
        uint32_t satisfied = 0;
        for (uint32_t b = 0; b < z; b++)
            satisfied += (spin[site] == spin[bond[b] >> 1]) ^ (bond[b] & 1);
        if (a % 4 == 0)
            numbers = walk_numbers(w->key, w->number, (first + a) / 4, space->origin + walker);
        if (numbers.number[a % 4] >> 1 < v->threshold[place.at * (z + 1) + satisfied]) {
            spin[site] = (int8_t)-spin[site];
            place.at += satisfied - z / 2;
        }
        count_level(&place, v, visits);
    }
    leave(&place, w, v, walker, level);
}

/* The same of a spin with other states than Ising's. */
static void go_on_states(const engine *e, const engine_walk *w, const walk_window *v,
                         const walk_space *space, uint32_t first, uint32_t count, uint32_t walker,
                         uint8_t *spin, uint32_t *level, uint64_t *visits) {
    const state_lattice *const l = &space->states;
    const uint32_t z = e->model.coordination, changes = space->changes;
    const int32_t spacing = (int32_t)e->model.levels.spacing;
    stream_block numbers = {{0}}, proposals = {{0}};
    walk_place place = place_of(w, v, walker, *level);
    for (uint32_t a = 0; a < count; a++) {
        const uint32_t site = space->site[a], *const bond = space->bond + (size_t)site * z;
        uint8_t around[STATE_NEIGHBOURS];
        for (uint32_t b = 0; b < z; b++)
            around[b] = spin[bond[b] >> 1];
        if (a % 4 == 0) {
            numbers = walk_numbers(w->key, w->number, (first + a) / 4, space->origin + walker);
            proposals = walk_proposals(w->key, w->number, (first + a) / 4, space->origin + walker);
        }
        const uint32_t to = walk_proposal(proposals.number[a % 4], l->states, spin[site]);
        const walk_change change = walk_change_of(l, spacing, around, z, spin[site], to);
        if (numbers.number[a % 4] >> 1 < v->threshold[place.at * changes + change.c]) {
            spin[site] = (uint8_t)to;
            place.at += (uint32_t)change.up;
        }
        count_level(&place, v, visits);
    }
    leave(&place, w, v, walker, level);
}

/* The same of a graph. */
static void go_on_graph(const engine_walk *w, const walk_window *v, const walk_space *space,
                        uint32_t first, uint32_t count, uint32_t walker, int8_t *spin,
                        uint32_t *level, uint64_t *visits) {
    const uint32_t changes = space->changes;
    stream_block numbers = {{0}};
    walk_place place = place_of(w, v, walker, *level);
    for (uint32_t a = 0; a < count; a++) {
        const walk_site_of_graph site = space->of_graph[space->site[a]];
        int32_t cost = site.base;
        for (uint32_t n = site.begin; n < site.end; n++)
            cost += spin[space->link[n].place] > 0 ? space->link[n].weight : 0;
        const walk_change change = walk_graph_change(cost, spin[site.place] > 0, changes / 2);
        if (a % 4 == 0)
            numbers = walk_numbers(w->key, w->number, (first + a) / 4, space->origin + walker);
        if (numbers.number[a % 4] >> 1 < v->threshold[(size_t)place.at * changes + change.c]) {
            spin[site.place] = (int8_t)-spin[site.place];
            place.at += (uint32_t)change.up;
        }
        count_level(&place, v, visits);
    }
    leave(&place, w, v, walker, level);
}

/* Draws the sites of a piece. */
static void draw_sites(const engine_walk *w, uint32_t first, uint32_t count, uint32_t sites,
                       uint32_t *site) {
    stream_block numbers = {{0}};
    for (uint32_t a = 0; a < count; a++) {
        if (a % 4 == 0)
            numbers = walk_sites(w->key, w->number, (first + a) / 4);
        site[a] = walk_site(numbers.number[a % 4], sites);
    }
}

engine_status cpu_walk(engine *e, walk_space *space, const engine_walk *w, int8_t *spins,
                       uint32_t *level) {
    const uint32_t z = e->model.coordination, sites = (uint32_t)e->model.sites,
                   threads = e->threads;
    size_t rows = 0;
    for (size_t k = 0; k < w->windows; k++)
        rows += w->window[k].levels;
    if (!windows_fit(e, w, level))
        return ENGINE_FAILED;
    if (!make_rows(space, rows, threads)) {
        snprintf(e->error, sizeof e->error, "not enough memory for histograms of %zu levels", rows);
        return ENGINE_FAILED;
    }
    const walk_window *const last = &w->window[w->windows - 1];
    for (uint64_t n = 0; n < last->first + last->count; n++) {
        w->least[n] = UINT32_MAX;
        w->most[n] = 0;
    }
    const uint32_t end = w->begin + w->attempts;
    for (uint32_t first = w->begin; first < end; first += WALK_PIECE) {
        const uint32_t left = end - first, count = left < WALK_PIECE ? left : WALK_PIECE;
        draw_sites(w, first, count, sites, space->site);
        size_t row = 0;
        for (size_t k = 0; k < w->windows; row += w->window[k++].levels) {
            const walk_window *const v = &w->window[k];
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
            for (uint64_t n = v->first; n < v->first + v->count; n++) {
                uint64_t *const visits = space->visits + (size_t)omp_get_thread_num() * rows + row;
                if (e->model.graph != NULL)
                    go_on_graph(w, v, space, first, count, (uint32_t)n, spins + n * sites,
                                &level[n], visits);
                else if (e->model.spins == SPINS_ISING)
                    go_on(w, v, space, z, first, count, (uint32_t)n, spins + n * sites, &level[n],
                          visits);
                else
                    go_on_states(e, w, v, space, first, count, (uint32_t)n,
                                 (uint8_t *)spins + n * sites, &level[n], visits);
            }
        }
    }
    size_t row = 0;
    for (size_t k = 0; k < w->windows; row += w->window[k++].levels)
        for (uint32_t n = 0; n < w->window[k].levels; n++) {
            w->window[k].visits[n] = 0;
            for (uint32_t t = 0; t < threads; t++)
                w->window[k].visits[n] += space->visits[t * rows + row + n];
        }
    return ENGINE_OK;
}
