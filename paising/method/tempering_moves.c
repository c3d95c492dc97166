/* Cluster moves of two chains at one temperature (engine/houdayer.h), made on the host: spins are read from the engine, and written back.
 * Pairs are chains r and r + R/2. Clusters that percolate turn over all that differs, which changes nothing: where that is so, the
 * run ends and says with which sizes. */
#include "settings/plans.h"
#include "tempering.h"

#include <omp.h>
#include <stdlib.h>

/* A set has half of the sites at most, which percolates on a cubic lattice (from 0.312 on), and not on a square one (0.593). Clusters
 * percolate where they hold this part of the set, in the mean, and the set so much of the lattice: two chains of a phase without
 * order, whose sites differ at random. Of chains in one valley the set is smaller. */
#define PERCOLATING_SHARE 0.9
#define PERCOLATING_SET   0.3

/* The lowest beta with moves in three dimensions, where another is not given: T = J (Zhu, Ochoa, Katzgraber). */
#define USUAL_START_3D 1

/* Sites of pairs from which on threads are worth it. */
#define SMALL 65536

/* Steps whose moves are counted before that is judged; of shorter runs all but the last. */
#define JUDGED_STEPS 50

double tempering_moves_start(const parameters *p) {
    return p->moves_from == 0 && parameters_kind(p)->dimension == 3 ? USUAL_START_3D
                                                                    : p->moves_from;
}

static size_t first_with_moves(const parameters *p, const double beta[], size_t temperatures) {
    const double from = tempering_moves_start(p);
    size_t k = 0;
    while (k < temperatures && (p->moves == MOVES_NONE || beta[k] < from))
        k++;
    return k;
}

static uint64_t room_of(uint64_t replicas, const spin_model *model, uint64_t threads) {
    return replicas * (model_packed_bytes(model) + sizeof(uint32_t)) +
           houdayer_lattice_bytes(model) + threads * houdayer_work_bytes(model);
}

uint64_t tempering_moves_bytes(const parameters *p) {
    const spin_model model = parameters_replica(p);
    return p->moves == MOVES_NONE ? 0
                                  : room_of(parameters_populations(p) * p->population, &model,
                                            (uint64_t)omp_get_max_threads());
}

bool tempering_moves_create(series *s) {
    tempering_moves *const m = &((tempering *)s->state)->moves;
    const spin_model *const model = &s->model;
    m->first = first_with_moves(s->given, s->beta, s->temperatures);
    m->sums = calloc(s->temperatures, sizeof *m->sums);
    if (m->first == s->temperatures)
        return m->sums != NULL;
    const uint64_t replicas = (s->temperatures - m->first) * s->given->population;
    m->spins = malloc(replicas * model_packed_bytes(model));
    m->families = malloc(replicas * sizeof *m->families);
    m->work = malloc((size_t)omp_get_max_threads() * houdayer_work_bytes(model));
    return !houdayer_lattice_create(&m->lattice, model) && m->spins != NULL &&
           m->families != NULL && m->work != NULL && m->sums != NULL;
}

void tempering_moves_destroy(tempering *t) {
    tempering_moves *const m = &t->moves;
    houdayer_lattice_destroy(&m->lattice);
    free(m->spins);
    free(m->families);
    free(m->work);
    free(m->sums);
}

static uint64_t number_of(const series *s, size_t k, uint64_t r) {
    const stream_block b =
        stream_draw(series_key(s), STREAM_EXCHANGE, (uint32_t)k, (uint32_t)r, 1, s->taken);
    return (uint64_t)b.number[0] << 32 | b.number[1];
}

/* Adds to the energy of a replica, in units of J / unit. */
static void raise_energy(series *s, uint64_t replica, int64_t rise) {
    tempering *const t = s->state;
    if (t->energy != NULL)
        t->energy[replica] += rise;
    else
        t->level[replica] += (uint32_t)(rise / s->model.levels.spacing);
}

/* Moves the pairs of temperature k. */
static void move_pairs(series *s, size_t k) {
    tempering *const t = s->state;
    tempering_moves *const m = &t->moves;
    const uint64_t R = s->given->population, pairs = R / 2, bytes = model_packed_bytes(&s->model),
                   work = houdayer_work_bytes(&s->model);
    uint8_t *const spins = m->spins + (k - m->first) * R * bytes;
    uint64_t moves = 0, cluster = 0, set = 0;
#pragma omp parallel for reduction(+ : moves, cluster, set) schedule(static)                   \
    if (pairs * s->model.sites > SMALL)
    for (uint64_t r = 0; r < pairs; r++) {
        const houdayer_outcome made =
            houdayer_move(&m->lattice, spins + r * bytes, spins + (r + pairs) * bytes,
                          number_of(s, k, r), m->work + (size_t)omp_get_thread_num() * work);
        raise_energy(s, k * R + r, made.rise);
        raise_energy(s, k * R + r + pairs, -made.rise);
        moves += made.set > 0;
        cluster += made.cluster;
        set += made.set;
    }
    m->sums[k].moves += moves;
    m->sums[k].cluster += cluster;
    m->sums[k].set += set;
}

/* Fails where the clusters counted so far percolate. */
static bool judge(series *s) {
    const tempering_moves *const m = &((tempering *)s->state)->moves;
    const double sites = (double)s->model.sites;
    for (size_t k = m->first; k < s->temperatures && s->model.dimension == 3; k++) {
        const double moves = (double)m->sums[k].moves, cluster = (double)m->sums[k].cluster,
                     set = (double)m->sums[k].set;
        if (cluster > PERCOLATING_SHARE * set && set > PERCOLATING_SET * sites * moves)
            return series_fail(s,
                               "--moves houdayer: clusters percolate at beta = %.6g: in the mean "
                               "%.3f of the sites are in one, of %.3f in which two chains "
                               "differ; --moves-from must be above that beta",
                               s->beta[k], cluster / moves / sites, set / moves / sites);
    }
    return true;
}

/* Random states at the beginning differ at random: moves are counted from the middle of the thermalisation on. */
static bool keep_count(series *s) {
    tempering_moves *const m = &((tempering *)s->state)->moves;
    const uint64_t from = s->given->thermalisation / 2, judged = from + JUDGED_STEPS,
                   last = (uint64_t)s->given->thermalisation + s->given->measurements - 1;
    if (s->taken == from)
        for (size_t k = 0; k < s->temperatures; k++)
            m->sums[k] = (cluster_sums){0};
    return s->taken != (judged < last ? judged : last) || judge(s);
}

bool tempering_move(series *s) {
    tempering *const t = s->state;
    tempering_moves *const m = &t->moves;
    engine *const e = s->steps.engine;
    const uint64_t R = s->given->population, first = m->first * R, count = t->replicas - first;
    if (count == 0)
        return true;
    if (!keep_count(s))
        return false;
    if (e->verbs->read(e, first, count, m->spins, m->families) != ENGINE_OK)
        return series_fail(s, "%s failed: %.200s", e->name, e->error);
    for (size_t k = m->first; k < s->temperatures; k++)
        move_pairs(s, k);
    if (e->verbs->write(e, first, count, t->replicas, m->spins, m->families) != ENGINE_OK)
        return series_fail(s, "%s failed: %.200s", e->name, e->error);
    return true;
}
