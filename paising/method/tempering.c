/* Parallel tempering (replica exchange): R chains of replicas, one replica at each temperature. Before each step the replicas of
 * neighbouring temperatures beta < beta' are exchanged with probability min[1, exp((beta - beta') (E - E'))], at even and odd
 * temperatures in turn (Hukushima and Nemoto, J. Phys. Soc. Jpn. 65, 1604). An exchange is a selection with given parents. */
#include "tempering.h"

#include "base/ieee_math.h"
#include "settings/plans.h"

#include <stdlib.h>

/* Where a replica was last of the two ends, on its way from the lowest beta to the highest and back. */
enum { NOWHERE, BEGUN, TURNED };

/* Chains from which on threads are worth it. */
#define MANY_CHAINS 4096

static bool create(series *s) {
    tempering *const t = s->state;
    t->replicas = s->temperatures * s->given->population;
    t->level = calloc(t->replicas, sizeof *t->level);
    t->parent = calloc(t->replicas, sizeof *t->parent);
    t->walker = calloc(t->replicas, sizeof *t->walker);
    t->way = calloc(t->replicas, sizeof *t->way);
    t->accepted = calloc(s->given->measurements * (s->temperatures - 1), sizeof *t->accepted);
    t->up = calloc(s->temperatures, sizeof *t->up);
    t->down = calloc(s->temperatures, sizeof *t->down);
    if (!t->level || !t->parent || !t->walker || !t->way || !t->accepted || !t->up || !t->down ||
        block_counts_create(&t->energies, s->temperatures, s->model.levels.count) ||
        (tempering_has_overlaps(s) &&
         overlap_series_create(&t->overlaps, &s->model, s->temperatures, s->given->measurements,
                               overlap_pairs(s->given->population))) ||
        !tempering_moves_create(s))
        return false;
    for (uint64_t k = 0; k < t->replicas; k++)
        t->walker[k] = (uint32_t)k;
    return true;
}

static void destroy(series *s) {
    tempering *const t = s->state;
    free(t->level);
    free(t->parent);
    free(t->walker);
    free(t->way);
    free(t->accepted);
    free(t->up);
    free(t->down);
    block_counts_destroy(&t->energies);
    overlap_series_destroy(&t->overlaps);
    tempering_moves_destroy(t);
}

/* Whether the exchange of pair k is accepted in chain r: a number of 64 bits decides. */
static bool is_accepted(const series *s, size_t k, uint64_t r) {
    const tempering *const t = s->state;
    const uint64_t R = s->given->population;
    const int64_t rise = (int64_t)t->level[k * R + r] - t->level[(k + 1) * R + r];
    if (rise <= 0)
        return true;
    const energy_levels levels = s->steps.engine->model.levels;
    const double spacing = (double)levels.spacing / level_unit(levels),
                 p = ieee_exp((s->beta[k] - s->beta[k + 1]) * (spacing * (double)rise));
    const stream_block b =
        stream_draw(series_key(s), STREAM_EXCHANGE, (uint32_t)k, (uint32_t)(r / 2), 0, s->taken);
    const uint64_t u = (uint64_t)b.number[2 * (r % 2)] << 32 | b.number[2 * (r % 2) + 1];
    return p >= 1 || u < (uint64_t)(0x1p64 * p);
}

/* Exchanges the replicas of pair k of temperatures where that is accepted. Returns in how many chains. */
static uint64_t exchange(series *s, size_t k) {
    tempering *const t = s->state;
    const uint64_t R = s->given->population;
    uint64_t accepted = 0;
#pragma omp parallel for reduction(+ : accepted) schedule(static) if (R >= MANY_CHAINS)
    for (uint64_t r = 0; r < R; r++)
        if (is_accepted(s, k, r)) {
            t->parent[k * R + r] = (uint32_t)((k + 1) * R + r);
            t->parent[(k + 1) * R + r] = (uint32_t)(k * R + r);
            accepted++;
        }
    return accepted;
}

/* Counts the walkers of each temperature by the end where they were last. */
static void count_ways(series *s) {
    tempering *const t = s->state;
    for (uint64_t k = 0; k < t->replicas; k++) {
        const uint8_t way = t->way[t->walker[k]];
        t->up[k / s->given->population] += way == BEGUN;
        t->down[k / s->given->population] += way == TURNED;
    }
}

/* Moves the walkers, and counts those that have come back to the lowest beta from the highest. */
static void follow_walkers(series *s) {
    tempering *const t = s->state;
    const uint64_t R = s->given->population, last = t->replicas - R;
    uint32_t *const before = t->level; /* which is not needed any more */
    for (uint64_t k = 0; k < t->replicas; k++)
        before[k] = t->walker[k];
    for (uint64_t k = 0; k < t->replicas; k++)
        t->walker[k] = before[t->parent[k]];
    for (uint64_t r = 0; r < R; r++) {
        uint8_t *const low = &t->way[t->walker[r]], *const high = &t->way[t->walker[last + r]];
        t->round_trips += *low == TURNED && s->taken >= s->given->thermalisation;
        *low = BEGUN;
        *high = *high == BEGUN ? TURNED : *high;
    }
    if (s->taken >= s->given->thermalisation)
        count_ways(s);
}

static bool next(series *s, engine_step *step) {
    tempering *const t = s->state;
    engine *const e = s->steps.engine;
    if (e->verbs->read_levels(e, 0, t->replicas, t->level) != ENGINE_OK)
        return series_fail(s, "%s failed: %.200s", e->name, e->error);
    if (!tempering_move(s))
        return false;
    for (uint64_t k = 0; k < t->replicas; k++)
        t->parent[k] = (uint32_t)k;
    for (size_t k = s->taken % 2; k + 1 < s->temperatures; k += 2) {
        const uint64_t accepted = exchange(s, k);
        if (s->taken >= s->given->thermalisation)
            t->accepted[(s->taken - s->given->thermalisation) * (s->temperatures - 1) + k] =
                (uint32_t)accepted;
    }
    follow_walkers(s);
    step->parts |= PART_SELECT;
    step->parents = t->parent;
    step->children = t->replicas;
    return true;
}

static bool transfer(section_file *f, series *s) {
    tempering *const t = s->state;
    const uint32_t before = s->given->thermalisation;
    const uint64_t made = s->taken > before ? s->taken - before : 0;
    if (!section_transfer(f, t->walker, t->replicas * sizeof *t->walker) ||
        !section_transfer(f, t->way, t->replicas * sizeof *t->way) ||
        !section_transfer(f, t->accepted, made * (s->temperatures - 1) * sizeof *t->accepted) ||
        !SECTION_VALUE(f, t->round_trips) ||
        !section_transfer(f, t->up, s->temperatures * sizeof *t->up) ||
        !section_transfer(f, t->down, s->temperatures * sizeof *t->down) ||
        !section_transfer(f, t->moves.sums, s->temperatures * sizeof *t->moves.sums) ||
        !block_counts_transfer(f, &t->energies) ||
        (tempering_has_overlaps(s) && !overlap_series_transfer(f, &t->overlaps, made)))
        return false;
    for (uint64_t k = 0; k < t->replicas; k++)
        if (t->walker[k] >= t->replicas || t->way[k] > TURNED)
            return section_altered(f);
    return true;
}

static const series_method way = {.state_bytes = sizeof(tempering),
                                  .create = create,
                                  .destroy = destroy,
                                  .next = next,
                                  .measured = tempering_record,
                                  .transfer = transfer,
                                  .write = tempering_write};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    if (p->moves != MOVES_NONE && p->graph != NULL)
        return complain(STATUS_REFUSED,
                        "--moves houdayer: an odd edge makes a lattice a graph; even edges are "
                        "needed");
    return series_run(p, engines, folder, &way, signal);
}

static memory_share bytes(const parameters *p) {
    const uint64_t temperatures = parameters_populations(p);
    const spin_model model = parameters_replica(p);
    const bool overlaps = model.disordered && overlap_pairs(p->population) > 0;
    memory_share share = series_bytes(p);
    share.each += temperatures * p->population * (3 * sizeof(uint32_t) + sizeof(uint8_t)) +
                  (temperatures - 1) * p->measurements * sizeof(uint32_t) +
                  temperatures * TIME_BLOCKS * model.levels.count * sizeof(uint64_t) +
                  (overlaps ? overlap_series_bytes(&model, temperatures, p->measurements) : 0) +
                  tempering_moves_bytes(p);
    return share;
}

extern const method tempering_method;
const method tempering_method = {.run = run, .bytes = bytes};
