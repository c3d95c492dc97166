/* The seeded faults: in what a right engine is told, or in sweeps made here, which without a fault give the
 * bits of the SSC engine. */
#include "faults.h"
#include "engine/capacity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THRESHOLD_FACTOR 1.001
#define THIRD_FACTOR     1.01
#define LANES            32 /* of which one is given wrong couplings */
#define WRONG_LANE       7

/* The neighbours of a site, sites counted as in engine/engine.h: even sub-lattice first, row by row; and what J the
 * site takes each bond for. In direction d the one forward is number 2 d, the one back 2 d + 1. */
typedef struct {
    uint32_t of[2 * MODEL_MAX_DIMENSION];
    int8_t j[2 * MODEL_MAX_DIMENSION];
} neighbours;

typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    fault_kind fault;
    uint32_t sites;
    uint64_t target, replicas;  /* R and R_{i-1} */
    uint64_t *tau_hat;          /* [levels] */
    engine_step step;           /* as the inner engine gets it */
    uint32_t sweeps;            /* of the sweeps made here */
    neighbours *neighbour;      /* [sites] as most replicas have them ... */
    neighbours *others;         /* [sites] ... and those of one lane */
    int8_t *spin, *old;         /* [sites] one replica */
    uint8_t *packed;            /* one replica as engines save it */
    uint32_t *lcg;              /* [sites / 2][threads a site] */
    uint32_t threads;           /* a power of two, at least the capacity */
    uint32_t multiplier, added; /* the step of each thread's part of the LCG32 sequence */
} faulty;

/* --- The lattice --- */

/* The number of a site that couplings.h counts. */
static uint32_t number_of(const spin_model *m, uint64_t site) {
    const uint64_t row = site / m->edge[0], column = site % m->edge[0];
    const uint64_t colour = (row / m->edge[1] + row % m->edge[1] + column) % 2;
    return (uint32_t)((colour * m->sites + row * m->edge[0]) / 2 + column / 2);
}

/* The lattice, each site with the couplings of the site that stands `shift` behind it. */
static void find_neighbours(const faulty *f, neighbours *of, uint64_t shift) {
    const spin_model *const m = &f->inner->model;
    couplings lattice = {.dimension = m->dimension, .sites = m->sites, .bonds = m->bonds};
    memcpy(lattice.edge, m->edge, sizeof lattice.edge);
    for (uint64_t site = 0; site < m->sites; site++)
        for (uint32_t d = 0; d < m->dimension; d++) {
            const uint32_t here = number_of(m, site),
                           there = number_of(m, couplings_neighbour(&lattice, site, d));
            const int j = m->sample ? couplings_sign(m->sample, (site + shift) % m->sites, d) : 1;
            of[here].of[2 * d] = there;
            of[there].of[2 * d + 1] = here;
            of[here].j[2 * d] = of[there].j[2 * d + 1] = (int8_t)j;
        }
}

/* Spoils the bond forward from a site: the first one, or the first of J = -1. */
static void spoil_bond(const faulty *f) {
    uint32_t here = 0;
    while (f->fault == FAULT_SIGN && here + 1 < f->sites && f->neighbour[here].j[0] > 0)
        here++;
    const uint32_t there = f->neighbour[here].of[0];
    int8_t *const mine = &f->neighbour[here].j[0], *const other = &f->neighbour[there].j[1];
    if (f->fault == FAULT_SIGN)
        *mine = 1;
    else if (f->fault == FAULT_BOND)
        *mine = *other = 0;
    else if (f->fault == FAULT_TWICE)
        *mine = *other = (int8_t)(2 * *mine);
}

/* What a site feels. */
static int field(const neighbours *n, uint32_t bonds, const int8_t *spin) {
    int sum = 0;
    for (uint32_t b = 0; b < bonds; b++)
        sum += n->j[b] * spin[n->of[b]];
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

/* Metropolis on one site: a flip that gains so much is accepted when r < 2^32 exp(-beta gain). */
static int accepts(const faulty *f, int gain, uint32_t number) {
    const spin_model *const m = &f->inner->model;
    const uint32_t *const threshold = f->step.rule.threshold;
    if (gain <= 0)
        return 1;
    for (size_t n = 0; n < m->gaps; n++)
        if (gain == (int)m->gap[n])
            return number < threshold[n];
    const double unit = ldexp(threshold[m->gaps - 1], -32); /* exp(-4 beta) */
    return number < ldexp(pow(unit, gain / 4.0), 32);       /* where a bond is spoilt */
}

static void sweep_replica(faulty *f, uint64_t k, uint32_t sweep) {
    const uint32_t bonds = f->inner->model.coordination;
    const bool lane = f->fault == FAULT_LANE && k % LANES == WRONG_LANE;
    const neighbours *const neighbour = lane ? f->others : f->neighbour;
    const int8_t *from = f->spin;
    if (f->fault == FAULT_COLOURS)
        from = memcpy(f->old, f->spin, f->sites);
    for (uint32_t site = 0; site < f->sites; site++) {
        const int gain = 2 * from[site] * field(&neighbour[site], bonds, from);
        const int flips = accepts(f, gain, draw(f, k, sweep, site));
        f->spin[site] = (int8_t)(flips ? -from[site] : from[site]);
    }
}

static engine_status sweep_population(faulty *f, uint64_t replicas) {
    for (uint64_t k = 0; k < replicas; k++) {
        uint32_t family;
        engine_status status = f->inner->verbs->read(f->inner, k, 1, f->packed, &family);
        if (status != ENGINE_OK)
            return status;
        for (uint32_t i = 0; i < f->sites; i++)
            f->spin[i] = f->packed[i / 8] >> i % 8 & 1 ? 1 : -1;
        for (uint32_t sweep = 0; sweep < f->sweeps; sweep++)
            sweep_replica(f, k, sweep);
        memset(f->packed, 0, (f->sites + 7) / 8);
        for (uint32_t i = 0; i < f->sites; i++)
            f->packed[i / 8] |= (uint8_t)((f->spin[i] > 0) << i % 8);
        status = f->inner->verbs->write(f->inner, k, 1, replicas, f->packed, &family);
        if (status != ENGINE_OK)
            return status;
    }
    return ENGINE_OK;
}

/* Measures what was swept here. An engine does not know the founders of replicas that it was given, so that their sums are
 * made here; the parents are those of its own report. */
static engine_status measure_population(faulty *f, histogram *out) {
    parent_sums parent[POPULATION_BLOCKS];
    memcpy(parent, out->parent, sizeof parent);
    engine_status status = engine_measure(f->inner, out);
    memcpy(out->parent, parent, sizeof parent);
    for (uint64_t k = 0; status == ENGINE_OK && k < out->population; k++) {
        uint32_t family;
        uint32_t level;
        status = f->inner->verbs->read(f->inner, k, 1, f->packed, &family);
        if (status == ENGINE_OK)
            status = f->inner->verbs->read_levels(f->inner, k, 1, &level);
        if (status == ENGINE_OK)
            histogram_add_founder(out, family, f->step.founders, level);
    }
    return status;
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
    return f->inner->verbs->randomise(f->inner, key, replicas, out);
}

static engine_status faulty_step(engine *self, const engine_step *step, histogram *out) {
    faulty *const f = (faulty *)self;
    f->step = *step;
    if (f->fault == FAULT_TAU) {
        const double factor = (double)f->replicas / (double)f->target;
        for (size_t n = 0; n < f->inner->model.levels.count; n++)
            f->tau_hat[n] = (uint64_t)((double)step->tau_hat[n] * factor + 0.5);
        f->step.tau_hat = f->tau_hat;
    }
    if (f->fault == FAULT_THRESHOLD || f->fault == FAULT_THIRD) {
        uint32_t wrong[MODEL_MAX_GAPS];
        for (size_t n = 0; n < f->inner->model.gaps; n++) {
            const double factor = f->fault == FAULT_THRESHOLD ? THRESHOLD_FACTOR
                                  : n == 2                    ? THIRD_FACTOR
                                                              : 1;
            wrong[n] = (uint32_t)fmin(step->rule.threshold[n] * factor, UINT32_MAX);
        }
        f->step.rule = flip_rule_with(f->step.rule.downhill, &f->inner->model, wrong);
    }
    if (fault_sweeps(f->fault)) {
        f->sweeps = step->sweeps;
        f->step.sweeps = 0;
    }
    engine_status status = f->inner->verbs->step(f->inner, &f->step, out);
    if (status == ENGINE_OK && fault_sweeps(f->fault)) {
        status = sweep_population(f, out->population);
        if (status == ENGINE_OK)
            status = measure_population(f, out);
    }
    f->replicas = out->population;
    return status;
}

/* A replica does not differ from itself. */
static engine_status faulty_overlaps(engine *self, overlap_sums *out) {
    faulty *const f = (faulty *)self;
    const overlap_pair alike = {.differ = 0};
    const engine_status status = f->inner->verbs->overlaps(f->inner, out);
    if (status == ENGINE_OK && f->fault == FAULT_ITSELF) {
        overlap_sums_begin(out, f->replicas);
        for (uint64_t k = 0; k < out->pairs; k++)
            overlap_sums_add(out, k, &alike);
    }
    return status;
}

static void faulty_destroy(engine *self) {
    faulty *const f = (faulty *)self;
    f->inner->verbs->destroy(f->inner);
    free(f->tau_hat);
    free(f->neighbour);
    free(f->others);
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

static engine_status faulty_read_levels(engine *self, uint64_t first, uint64_t count,
                                        uint32_t *levels) {
    engine *const e = ((faulty *)self)->inner;
    return e->verbs->read_levels(e, first, count, levels);
}

static const struct engine_verbs faulty_verbs = {.randomise = faulty_randomise,
                                                 .step = faulty_step,
                                                 .overlaps = faulty_overlaps,
                                                 .read_levels = faulty_read_levels,
                                                 .destroy = faulty_destroy};

engine *fault_plant(fault_kind fault, engine *right, const parameters *p) {
    if (fault == FAULT_NONE)
        return right;
    faulty *const f = calloc(1, sizeof *f);
    if (!f) {
        right->verbs->destroy(right);
        return NULL;
    }
    *f = (faulty){.face = *right,
                  .inner = right,
                  .fault = fault,
                  .sites = (uint32_t)right->model.sites,
                  .target = p->population,
                  .threads = 1};
    f->face.verbs = &faulty_verbs;
    if (fault == FAULT_PARITY)
        f->face.model.levels.lowest += right->model.levels.spacing / 2;
    while (f->threads < population_capacity(p->population, p->word))
        f->threads *= 2;
    const size_t sequences = fault == FAULT_LCG32 ? (size_t)f->sites / 2 * f->threads : 1;
    f->tau_hat = calloc(right->model.levels.count, sizeof *f->tau_hat);
    f->neighbour = calloc(f->sites, sizeof *f->neighbour);
    f->others = calloc(f->sites, sizeof *f->others);
    f->spin = malloc(f->sites);
    f->old = malloc(f->sites);
    f->packed = malloc((f->sites + 7) / 8);
    f->lcg = malloc(sequences * sizeof *f->lcg);
    if (!f->tau_hat || !f->neighbour || !f->others || !f->spin || !f->old || !f->packed ||
        !f->lcg) {
        faulty_destroy(&f->face);
        return NULL;
    }
    find_neighbours(f, f->neighbour, 0);
    find_neighbours(f, f->others, 1);
    spoil_bond(f);
    set_leap(f, sequences);
    return &f->face;
}
