/* The engine for the CPU: threads share the walkers, and the partners of an atom are taken by vectors. Each loop over pairs is
 * compiled for several instruction sets; the loader picks one (target_clones). */
#include "engine.h"

#include "base/signals.h"

#include <stdlib.h>

typedef struct {
    helium_engine common;
    uint32_t *coordinate; /* [walkers][3][atoms] */
} cpu_engine;

#ifdef __x86_64__
#define FOR_EACH_PROCESSOR                                                                         \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* --- Moves --- */

typedef struct {
    uint64_t before, after;
} repulsions;

/* Of an atom at two places with atoms first .. end-1. */
FOR_EACH_PROCESSOR
static repulsions sum_repulsions(float scale, const uint32_t *restrict x,
                                 const uint32_t *restrict y, const uint32_t *restrict z,
                                 uint32_t first, uint32_t end, const uint32_t from[3],
                                 const uint32_t to[3]) {
    const uint32_t a0 = from[0], a1 = from[1], a2 = from[2], b0 = to[0], b1 = to[1], b2 = to[2];
    uint64_t before = 0, after = 0;
    for (uint32_t j = first; j < end; j++) {
        before += helium_repulsion(scale, (int32_t)(x[j] - a0), (int32_t)(y[j] - a1),
                                   (int32_t)(z[j] - a2));
        after += helium_repulsion(scale, (int32_t)(x[j] - b0), (int32_t)(y[j] - b1),
                                  (int32_t)(z[j] - b2));
    }
    return (repulsions){before, after};
}

/* Makes update number n. Returns 1 if the move is accepted. */
static uint64_t update(const helium_constants *h, uint32_t *coordinate, uint32_t walker,
                       uint64_t n) {
    const uint32_t atoms = h->atoms;
    const helium_proposal p = helium_propose(
        h, stream_draw(h->key, STREAM_HELIUM, 0, walker, (uint32_t)(n >> 32), (uint32_t)n),
        stream_draw(h->key, STREAM_HELIUM, 1, walker, (uint32_t)(n >> 32), (uint32_t)n));
    uint32_t from[3], to[3];
    for (uint32_t k = 0; k < 3; k++) {
        from[k] = coordinate[k * atoms + p.atom];
        to[k] = from[k] + (uint32_t)p.by[k];
    }
    const uint32_t *const x = coordinate, *const y = x + atoms, *const z = y + atoms;
    const repulsions left = sum_repulsions(h->repulsion, x, y, z, 0, p.atom, from, to);
    const repulsions right = sum_repulsions(h->repulsion, x, y, z, p.atom + 1, atoms, from, to);
    if (!helium_accepts(left.before + right.before, left.after + right.after, p.bound))
        return 0;
    for (uint32_t k = 0; k < 3; k++)
        coordinate[k * atoms + p.atom] = to[k];
    return 1;
}

/* --- Analyses --- */

static inline float fraction(uint32_t d) {
    return helium_fraction((int32_t)d);
}

FOR_EACH_PROCESSOR
static void sum_pairs(const helium_system *s, const uint32_t *coordinate, helium_sums *sums,
                      uint64_t *radial) {
    const uint32_t atoms = s->p.atoms;
    const uint32_t *const x = coordinate, *const y = x + atoms, *const z = y + atoms;
    for (uint32_t i = 0; i < atoms; i++) {
        helium_atom_sums of_atom = {0};
        for (uint32_t j = 0; j < atoms; j++)
            if (j != i) {
                const uint32_t bin =
                    helium_add_partner(&of_atom, &s->constants, s->table, fraction(x[j] - x[i]),
                                       fraction(y[j] - y[i]), fraction(z[j] - z[i]));
                if (bin < HELIUM_RADIAL_BINS)
                    radial[bin]++;
            }
        sums->potential += helium_sum_of(&of_atom, of_atom.potential);
        sums->laplacian += helium_sum_of(&of_atom, of_atom.laplacian);
        sums->square += helium_square(&of_atom);
    }
}

/* Adds to radial[] alone. */
FOR_EACH_PROCESSOR
static void count_pairs(const helium_system *s, const uint32_t *coordinate, uint64_t *radial) {
    const uint32_t atoms = s->p.atoms;
    const uint32_t *const x = coordinate, *const y = x + atoms, *const z = y + atoms;
    for (uint32_t i = 0; i < atoms; i++)
        for (uint32_t j = 0; j < i; j++) {
            const uint32_t bin =
                helium_bin(fraction(x[j] - x[i]), fraction(y[j] - y[i]), fraction(z[j] - z[i]));
            if (bin < HELIUM_RADIAL_BINS)
                radial[bin] += 2;
        }
}

static void sum_waves(const helium_system *s, const uint32_t *coordinate, helium_shape *shape) {
    const uint32_t atoms = s->p.atoms;
    for (uint32_t wave = 0; wave < 3 * HELIUM_WAVE_NUMBERS; wave++) {
        const uint32_t *const x = coordinate + wave / HELIUM_WAVE_NUMBERS * atoms;
        int64_t sum[2] = {0, 0};
        for (uint32_t i = 0; i < atoms; i++)
            helium_add_wave(sum, (wave % HELIUM_WAVE_NUMBERS + 1) * x[i]);
        const uint64_t power = helium_power(sum);
        shape->structure[wave % HELIUM_WAVE_NUMBERS][0] += (uint32_t)power;
        shape->structure[wave % HELIUM_WAVE_NUMBERS][1] += power >> 32;
    }
}

static void analyse_walker(const helium_system *s, helium_extent extent, const uint32_t *coordinate,
                           helium_analysis *a, helium_shape *shape) {
    *a = (helium_analysis){.accepted = a->accepted};
    if (extent == HELIUM_ALL)
        sum_pairs(s, coordinate, &a->sums, shape->radial);
    else
        count_pairs(s, coordinate, shape->radial);
    sum_waves(s, coordinate, shape);
}

void helium_shape_add(helium_shape *to, const helium_shape *shape) {
    for (uint32_t bin = 0; bin < HELIUM_RADIAL_BINS; bin++)
        to->radial[bin] += shape->radial[bin];
    for (uint32_t n = 0; n < HELIUM_WAVE_NUMBERS; n++) {
        uint64_t *const sum = to->structure[n];
        sum[0] += shape->structure[n][0];
        sum[1] += shape->structure[n][1] + (sum[0] >> 32);
        sum[0] = (uint32_t)sum[0];
    }
}

void helium_analyse(const helium_system *s, helium_extent extent, uint32_t walkers,
                    const uint32_t *coordinate, helium_analysis *analysis, helium_shape *shape) {
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t w = 0; w < walkers; w++) {
        helium_shape own = {{0}, {{0}}};
        analyse_walker(s, extent, coordinate + (size_t)w * 3 * s->p.atoms, &analysis[w], &own);
#pragma omp critical
        helium_shape_add(shape, &own);
    }
}

/* --- The engine --- */

static bool run(helium_engine *engine, uint32_t times, uint32_t macroupdates,
                helium_analysis *analysis, helium_shape *shape) {
    cpu_engine *const e = (cpu_engine *)engine;
    const helium_system *const s = engine->system;
    const uint32_t walkers = s->p.walkers;
    const uint64_t first = engine->updates, each = (uint64_t)macroupdates * s->p.atoms;
#pragma omp parallel for schedule(dynamic, 1)
    for (uint32_t w = 0; w < walkers; w++) {
        uint32_t *const coordinate = e->coordinate + (size_t)w * 3 * s->p.atoms;
        helium_shape own = {{0}, {{0}}};
        for (uint32_t t = 0; t < times && signals_pending() == 0; t++) {
            uint64_t accepted = 0;
            for (uint64_t n = 0; n < each && signals_pending() == 0; n++)
                accepted += update(&s->constants, coordinate, s->first + w, first + t * each + n);
            if (analysis == NULL)
                continue;
            helium_analysis *const a = &analysis[(size_t)t * walkers + w];
            a->accepted = accepted;
            analyse_walker(s, HELIUM_ALL, coordinate, a, &own);
        }
        if (analysis == NULL)
            continue;
#pragma omp critical
        helium_shape_add(shape, &own);
    }
    engine->updates += times * each;
    return true;
}

static bool read_walkers(helium_engine *engine, uint32_t *coordinate) {
    const cpu_engine *const e = (cpu_engine *)engine;
    const helium_parameters *const p = &engine->system->p;
    memcpy(coordinate, e->coordinate, (size_t)p->walkers * 3 * p->atoms * sizeof *coordinate);
    return true;
}

static bool write_walkers(helium_engine *engine, const uint32_t *coordinate) {
    cpu_engine *const e = (cpu_engine *)engine;
    const helium_parameters *const p = &engine->system->p;
    memcpy(e->coordinate, coordinate, (size_t)p->walkers * 3 * p->atoms * sizeof *coordinate);
    return true;
}

static void destroy(helium_engine *engine) {
    free(((cpu_engine *)engine)->coordinate);
    free(engine);
}

helium_engine *helium_cpu_create(const helium_system *s) {
    static const helium_verbs verbs = {run, read_walkers, write_walkers, destroy};
    cpu_engine *const e = malloc(sizeof *e);
    uint32_t *const coordinate = malloc((size_t)s->p.walkers * 3 * s->p.atoms * sizeof *coordinate);
    if (e == NULL || coordinate == NULL) {
        complain(STATUS_REFUSED, "no memory for %u walkers of %u atoms", s->p.walkers, s->p.atoms);
        free(e);
        free(coordinate);
        return NULL;
    }
    *e = (cpu_engine){{&verbs, s, 0}, coordinate};
    return &e->common;
}
