/* The seeded faults: in what a right engine is told, or in sweeps made here, which without a fault give the
 * bits of the SSC engine. */
#include "faults.h"
#include "engine/capacity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THRESHOLD_FACTOR 1.001

/* The neighbours of a site, sites counted as in engine/engine.h: even sub-lattice first, row by row. */
typedef struct {
    uint32_t of[4];
} neighbours;

typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    fault_kind fault;
    uint32_t size, sites;
    uint64_t target, replicas;  /* R and R_{i-1} */
    uint64_t *copies;           /* [levels] */
    engine_step step;           /* as the inner engine gets it */
    uint32_t sweeps;            /* of the sweeps made here */
    neighbours *neighbour;      /* [sites] */
    int8_t *spin, *old;         /* [sites] one replica */
    uint8_t *packed;            /* one replica as engines save it */
    uint32_t *lcg;              /* [sites / 2][threads a site] */
    uint32_t threads;           /* a power of two, at least the capacity */
    uint32_t multiplier, added; /* the step of each thread's part of the LCG32 sequence */
} faulty;

/* --- The lattice --- */

static uint32_t site_at(uint32_t size, uint32_t row, uint32_t column) {
    row %= size;
    column %= size;
    return (row + column) % 2 * (size * size / 2) + row * (size / 2) + column / 2;
}

static void find_neighbours(faulty *f) {
    const uint32_t size = f->size;
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t column = 0; column < size; column++)
            f->neighbour[site_at(size, row, column)] = (neighbours){
                {site_at(size, row, column + 1), site_at(size, row, column + size - 1),
                 site_at(size, row + 1, column), site_at(size, row + size - 1, column)}};
}

/* The sum of the neighbours that a site knows: without the bond of sites 0 and N/2, if that is the
 * fault. */
static int field(const faulty *f, const int8_t *spin, uint32_t site) {
    int sum = 0;
    for (int n = 0; n < 4; n++) {
        const uint32_t other = f->neighbour[site].of[n];
        if (f->fault != FAULT_BOND || site + other != f->sites / 2 || (site && other))
            sum += spin[other];
    }
    return sum;
}

/* --- The sweeps --- */

/* A 32-bit number for a site of replica k: those of SSC, or a faulty one. */
static uint32_t draw(faulty *f, uint64_t k, uint32_t sweep, uint32_t site) {
    const uint32_t half = f->sites / 2, place = site % half;
    if (f->fault == FAULT_LCG32) {
        uint32_t *const state = &f->lcg[place * f->threads + k];
        const uint32_t number = *state;
        *state = number * f->multiplier + f->added;
        return number;
    }
    const uint32_t quad = site / half * ((half + 3) / 4) + place / 4;
    return stream_draw(f->step.key, STREAM_SSC, quad, (uint32_t)k, sweep, f->step.temperature)
        .number[place % 4];
}

/* Metropolis on one site: the gain 2 s h of a flip is accepted when r < 2^32 exp(-beta gain). */
static void update(const faulty *f, const int8_t *spin, uint32_t site, uint32_t number,
                   int8_t *new_spin) {
    const int gain = 2 * spin[site] * field(f, spin, site);
    const double unit = ldexp(f->step.rule.threshold[1], -32); /* exp(-4 beta) */
    int accept = gain <= 0;
    if (gain == 8)
        accept = number < f->step.rule.threshold[0];
    else if (gain == 4)
        accept = number < f->step.rule.threshold[1];
    else if (gain > 0) /* where a bond is missing */
        accept = number < ldexp(pow(unit, gain / 4.0), 32);
    new_spin[site] = (int8_t)(accept ? -spin[site] : spin[site]);
}

static void sweep_replica(faulty *f, uint64_t k, uint32_t sweep) {
    const int8_t *from = f->spin;
    if (f->fault == FAULT_COLOURS)
        from = memcpy(f->old, f->spin, f->sites);
    for (uint32_t site = 0; site < f->sites; site++)
        update(f, from, site, draw(f, k, sweep, site), f->spin);
}

static engine_status sweep_population(faulty *f, uint64_t replicas) {
    for (uint64_t k = 0; k < replicas; k++) {
        uint32_t family;
        engine_status status = f->inner->save(f->inner, k, 1, f->packed, &family);
        if (status != ENGINE_OK)
            return status;
        for (uint32_t i = 0; i < f->sites; i++)
            f->spin[i] = f->packed[i / 8] >> i % 8 & 1 ? 1 : -1;
        for (uint32_t sweep = 0; sweep < f->sweeps; sweep++)
            sweep_replica(f, k, sweep);
        memset(f->packed, 0, (f->sites + 7) / 8);
        for (uint32_t i = 0; i < f->sites; i++)
            f->packed[i / 8] |= (uint8_t)((f->spin[i] > 0) << i % 8);
        status = f->inner->load(f->inner, k, 1, replicas, f->packed, &family);
        if (status != ENGINE_OK)
            return status;
    }
    return ENGINE_OK;
}

static int sweeps_itself(fault_kind fault) {
    return fault != FAULT_THRESHOLD && fault != FAULT_TAU;
}

/* --- The engine --- */

static engine_status faulty_randomise(engine *self, stream_key key, uint64_t replicas,
                                      histogram *out) {
    faulty *const f = (faulty *)self;
    uint32_t number = key.word[0];
    if (f->fault == FAULT_LCG32)
        for (size_t n = 0; n < (size_t)f->sites / 2 * f->threads; n++)
            f->lcg[n] = number = lcg_next(number);
    f->replicas = replicas;
    return f->inner->randomise(f->inner, key, replicas, out);
}

static engine_status faulty_start(engine *self, const engine_step *step) {
    faulty *const f = (faulty *)self;
    f->step = *step;
    if (f->fault == FAULT_TAU) {
        const double factor = (double)f->replicas / (double)f->target;
        for (size_t n = 0; n < f->inner->model.levels.count; n++)
            f->copies[n] = (uint64_t)((double)step->copies[n] * factor + 0.5);
        f->step.copies = f->copies;
    }
    if (f->fault == FAULT_THRESHOLD) {
        uint32_t wrong[MODEL_MAX_GAPS];
        for (size_t n = 0; n < f->inner->model.gaps; n++)
            wrong[n] = (uint32_t)fmin(step->rule.threshold[n] * THRESHOLD_FACTOR, UINT32_MAX);
        f->step.rule = flip_rule_with(&f->inner->model, wrong);
    }
    if (sweeps_itself(f->fault)) {
        f->sweeps = step->sweeps;
        f->step.sweeps = 0;
    }
    return f->inner->start(f->inner, &f->step);
}

static engine_status faulty_finish(engine *self, histogram *out) {
    faulty *const f = (faulty *)self;
    engine_status status = f->inner->finish(f->inner, out);
    if (status == ENGINE_OK && sweeps_itself(f->fault)) {
        parent_sums parent[POPULATION_BLOCKS];
        memcpy(parent, out->parent, sizeof parent);
        const uint64_t replicas = out->population;
        status = sweep_population(f, replicas);
        if (status == ENGINE_OK)
            status = engine_measure(f->inner, out);
        memcpy(out->parent, parent, sizeof parent);
    }
    f->replicas = out->population;
    return status;
}

static engine_status faulty_overlaps(engine *self, overlap_sums *out) {
    faulty *const f = (faulty *)self;
    return f->inner->overlaps(f->inner, out);
}

static void faulty_destroy(engine *self) {
    faulty *const f = (faulty *)self;
    f->inner->destroy(f->inner);
    free(f->copies);
    free(f->neighbour);
    free(f->spin);
    free(f->old);
    free(f->packed);
    free(f->lcg);
    free(f);
}

/* `threads` steps of the LCG as one. */
static void set_leap(faulty *f, size_t steps) {
    f->multiplier = 1;
    f->added = 0;
    for (size_t n = 0; n < steps; n++) {
        f->multiplier *= LCG_MULTIPLIER;
        f->added = lcg_next(f->added);
    }
}

engine *fault_plant(fault_kind fault, engine *right, const parameters *p) {
    if (fault == FAULT_NONE)
        return right;
    faulty *const f = calloc(1, sizeof *f);
    if (!f) {
        right->destroy(right);
        return NULL;
    }
    *f = (faulty){.face = *right,
                  .inner = right,
                  .fault = fault,
                  .size = p->size.edge[0],
                  .sites = p->size.edge[0] * p->size.edge[0],
                  .target = p->population,
                  .threads = 1};
    f->face.randomise = faulty_randomise;
    f->face.start = faulty_start;
    f->face.finish = faulty_finish;
    f->face.overlaps = faulty_overlaps;
    f->face.destroy = faulty_destroy;
    while (f->threads < population_capacity(p->population, p->word))
        f->threads *= 2;
    const size_t sequences = fault == FAULT_LCG32 ? (size_t)f->sites / 2 * f->threads : 1;
    f->copies = calloc(right->model.levels.count, sizeof *f->copies);
    f->neighbour = calloc(f->sites, sizeof *f->neighbour);
    f->spin = malloc(f->sites);
    f->old = malloc(f->sites);
    f->packed = malloc((f->sites + 7) / 8);
    f->lcg = malloc(sequences * sizeof *f->lcg);
    if (!f->copies || !f->neighbour || !f->spin || !f->old || !f->packed || !f->lcg) {
        faulty_destroy(&f->face);
        return NULL;
    }
    find_neighbours(f);
    set_leap(f, sequences);
    return &f->face;
}
