/* The engine of spins that are vectors in single-spin coding: memory, and which kernels make a step (kernels.cuh). Levels and the
 * report are those of energies without levels (cuda/fine/levels.h). */
#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/spins.h"
#include "cuda/fine/levels.h"
#include "cuda/vectors/overlaps.h"
#include "cuda/vectors/request.h"
#include "engine/vector_arithmetic.h"

#include <math.h>
#include <stdlib.h>

#define SUMS_BYTES        1024 /* of shared memory, beside the spins */
#define FEWEST_FOR_BLOCKS 64   /* replicas: of fewer, each is divided among blocks */
#define BOND_MARGIN       64   /* of a bond in units of 2^-20, by norms that are not quite 1 */

/* The spins of a population (request.h), and room for the next one. */
typedef struct {
    vector_lattice lattice;
    visit_plan plan;
    void *spins, *next; /* device */
    uint64_t places;    /* replicas that fit into each of the two */
    vector_sums *sums;  /* device, [capacity] */
    const vector_kernels *of;
    fine_levels levels;
    cuda_vector_overlaps overlaps;
    uint32_t *label; /* device, [capacity][N] with cluster updates */
    uint64_t bound;  /* of |E| */
    bool in_shared;
    bool heat_bath;     /* of rounds; and their groups, */
    vector_beta *betas; /* device */
} cuda_vectors;

static const vector_kernels *kernels_of(real_kind real) {
    return real == REAL_FLOAT    ? &vector_float_kernels
           : real == REAL_DOUBLE ? &vector_double_kernels
                                 : &vector_fast_kernels;
}

/* --- launches --- */

/* What all launches for so many replicas from place `first` on have in common. */
static vector_launch launch_for(const cuda_vectors *s, cuda_population *p, uint64_t first,
                                uint64_t replicas) {
    vector_launch l = {.p = p, .replicas = replicas, .r = {}};
    l.r.spins = (uint8_t *)s->spins + first * vector_bytes(&s->lattice);
    l.r.lattice = s->lattice;
    l.r.plan = s->plan;
    l.r.in_tiles = s->plan.order == VISIT_TILES;
    l.r.plan.hits = l.r.in_tiles ? s->plan.hits : 1;
    l.r.stage.end = 1;
    l.r.first_replica = (uint32_t)(p->device.interval.origin + first);
    l.r.sums = s->sums + first;
    l.r.energy = s->levels.energy + first;
    l.r.order = s->levels.order + first;
    return l;
}

/* Both sub-lattices in device memory, for each hit of the stage. */
static void sweep_halves(const cuda_vectors *s, vector_launch l) {
    const visit_stage stage = l.r.stage;
    for (uint32_t hit = stage.first; hit < stage.end && !l.p->failed; hit++)
        for (uint32_t n = 0; n < 2; n++) {
            l.r.stage.first = hit;
            l.r.parity = n ^ stage.odd_first;
            s->of->half(&l);
        }
}

/* The hits of an update by tiles. */
static void sweep_tiles(const cuda_vectors *s, vector_launch l) {
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(&l.r.plan, stage);
    for (uint32_t k = 0; k < stages; k++) {
        l.r.stage = stage[k];
        if (!s->of->tiles(&l))
            sweep_halves(s, l);
    }
}

/* Reflections of whole lattices in device memory, behind an update. */
static void over_relax(const cuda_vectors *s, vector_launch *l) {
    for (uint32_t half = 0; half < 2 * s->lattice.reflections; half++) {
        l->r.parity = half % 2;
        s->of->reflect(l);
    }
}

/* The updates of lattices in device memory. Two of them go to the other array and back; the last of an odd number stays. */
static void sweep_lattices(const cuda_vectors *s, vector_launch l, void *other) {
    void *const spins = l.r.spins;
    for (uint32_t update = 0; update < l.r.sweeps && !l.p->failed; update++) {
        const bool back = update % 2 == 1, is_last = update + 1 == l.r.sweeps;
        l.r.sweep = update * l.r.plan.hits;
        if (l.r.in_tiles)
            sweep_tiles(s, l);
        else if ((is_last && !back) || !s->of->regions(&l, back ? spins : other))
            sweep_halves(s, l);
        else
            l.r.spins = back ? spins : other;
        over_relax(s, &l);
    }
}

/* The cluster updates of the replicas from place `first` on. */
static void flip_clusters(const cuda_vectors *s, vector_launch l, stream_key key,
                          cluster_flips which, uint64_t first) {
    for (l.r.sweep = 0; l.r.sweep < l.r.sweeps && !l.p->failed; l.r.sweep++) {
        s->of->clusters(&l, key, which, s->label + first * s->lattice.sites);
        over_relax(s, &l);
    }
}

/* --- functions of the coding --- */

/* The place of a site among both sub-lattices. */
static uint64_t place_of(const vector_lattice *l, uint64_t i) {
    const uint64_t row = i / l->edge[0], odd = i % l->edge[0] + row % l->edge[1] + row / l->edge[1];
    return odd % 2 * (l->sites / 2) + i / 2;
}

/* Sorts couplings as sites.cuh has them: to[2 d][2][N / 2]. */
template <typename REAL>
static void fill_couplings(const vector_lattice *l, const couplings *sample, REAL *to) {
    for (uint64_t bond = 0; bond < sample->bonds; bond++) {
        const uint64_t i = bond / l->dimension;
        const uint32_t d = (uint32_t)(bond % l->dimension);
        const REAL J = (REAL)vector_coupling(sample, i, d);
        to[2 * d * l->sites + place_of(l, i)] = J;
        to[(2 * d + 1) * l->sites + place_of(l, couplings_neighbour(sample, i, d))] = J;
    }
}

/* No |E| is larger. */
static uint64_t bound_of(const spin_model *model) {
    double sum = model->sample ? 0 : (double)model->bonds;
    for (uint64_t b = 0; model->sample && b < model->sample->bonds; b++)
        sum += fabs(
            vector_coupling(model->sample, b / model->dimension, (uint32_t)(b % model->dimension)));
    return (uint64_t)ceil(sum * (VECTOR_ONE + BOND_MARGIN)) + model->bonds;
}

static void vectors_take_sample(void *state, cuda_population *p, const spin_model *model) {
    cuda_vectors *const s = (cuda_vectors *)state;
    s->bound = bound_of(model);
    if (!model->sample)
        return;
    const uint64_t bytes = cuda_vector_coupling_bytes(model);
    void *const host = malloc(bytes);
    if (!host)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the couplings");
    if (!p->failed) {
        if (model->real == REAL_DOUBLE)
            fill_couplings(&s->lattice, model->sample, (double *)host);
        else
            fill_couplings(&s->lattice, model->sample, (float *)host);
        CUDA_CHECK(p, cudaMemcpyAsync(s->lattice.couplings, host, bytes, cudaMemcpyHostToDevice,
                                      p->stream));
    }
    free(host);
}

static int vectors_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_vectors *const s = (cuda_vectors *)state;
    *s = cuda_vectors{};
    s->lattice = vector_lattice_of(&config->model);
    s->plan = config->visits;
    s->of = kernels_of(s->lattice.real);
    const uint64_t bytes = cuda_vector_spin_bytes(config);
    s->places = config->capacity;
    CUDA_CHECK(p, cuda_array_take(&s->spins, bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_array_take(&s->next, bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->sums, config->capacity * sizeof *s->sums, ON_DEVICE));
    if (config->model.coupled)
        CUDA_CHECK(p, cuda_array_take(&s->lattice.couplings,
                                      cuda_vector_coupling_bytes(&config->model), ON_DEVICE));
    vectors_take_sample(s, p, &config->model);
    if (engine_has_clusters(config))
        CUDA_CHECK(p, cuda_take(&s->label, cuda_ssc_label_bytes(config), ON_DEVICE));
    if (fine_levels_create(&s->levels, p, config) ||
        cuda_vector_overlaps_create(&s->overlaps, p, config))
        return -1;
    const size_t each = vector_bytes(&s->lattice);
    s->in_shared =
        config->capacity >= FEWEST_FOR_BLOCKS && each + SUMS_BYTES <= (size_t)p->shared_limit;
    if (s->in_shared)
        s->of->allow_shared(p, &s->lattice);
    return p->failed ? -1 : 0;
}

static void vectors_destroy(void *state) {
    cuda_vectors *const s = (cuda_vectors *)state;
    cuda_array_give(s->spins, ON_DEVICE);
    cuda_array_give(s->next, ON_DEVICE);
    cuda_array_give(s->sums, ON_DEVICE);
    cuda_array_give(s->lattice.couplings, ON_DEVICE);
    cuda_array_give(s->label, ON_DEVICE);
    cuda_array_give(s->betas, ON_DEVICE);
    cuda_vector_overlaps_destroy(&s->overlaps);
    fine_levels_destroy(&s->levels);
}

static void vectors_randomise(void *state, cuda_population *p, stream_key key) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    const vector_launch l = launch_for(s, p, 0, p->replicas);
    if (!p->failed && p->replicas > 0)
        s->of->randomise(&l, key);
}

static void vectors_advance(void *state, cuda_population *p, const engine_step *step,
                            step_parts parts, const cuda_range *range) {
    cuda_vectors *const s = (cuda_vectors *)state;
    const void *const parents = s->spins;
    if (parts & PART_SELECT) {
        s->spins = s->next;
        s->next = (void *)parents;
    }
    vector_launch l = launch_for(s, p, range->first, range->most);
    l.r.report = range->replicas.report;
    l.r.capacity = range->replicas.capacity;
    l.r.parents = parents;
    l.r.parent = range->replicas.parent;
    l.r.rule = range->rule->vectors;
    l.r.beta = (float)l.r.rule.beta;
    l.r.keys = ssc_keys_of(step->key);
    l.r.temperature = step->temperature;
    l.r.sweeps = step->sweeps;
    if (p->failed || range->most == 0)
        return;
    const cluster_flips which = range->rule->clusters;
    if (s->in_shared && (which == CLUSTERS_NONE || !(parts & PART_SWEEP))) {
        s->of->step(&l, parts);
    } else {
        if (parts & PART_SELECT)
            s->of->collect(&l);
        if (parts & PART_SWEEP && which != CLUSTERS_NONE)
            flip_clusters(s, l, step->key, which, range->first);
        else if (parts & PART_SWEEP)
            sweep_lattices(s, l, (uint8_t *)s->next + range->first * vector_bytes(&s->lattice));
        if (parts & PART_MEASURE)
            s->of->measure(&l);
    }
    if (parts & PART_MEASURE)
        fine_levels_report(&s->levels, p, step, range, s->bound);
}

static void vectors_collect(void *state, cuda_population *p, const engine_step *step,
                            histogram out[]) {
    fine_levels_collect(&((cuda_vectors *)state)->levels, p, step, out);
}

static bool vectors_complete(void *state, cuda_population *p, histogram *out) {
    return fine_levels_complete(&((cuda_vectors *)state)->levels, p, out);
}

static void vectors_expect(const void *state, cuda_population *p, const expected_copies *copies) {
    fine_levels_expect(&((const cuda_vectors *)state)->levels, p, copies);
}

static uint8_t *vectors_room(void *state) {
    return (uint8_t *)((cuda_vectors *)state)->next;
}

static void vectors_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                         uint64_t count, uint8_t *bytes) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    const vector_launch l = launch_for(s, p, 0, count);
    if (!p->failed && count > 0)
        s->of->pack(&l, places, first, count, bytes);
}

static void vectors_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                         const uint8_t *bytes) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    const vector_launch l = launch_for(s, p, 0, count);
    if (!p->failed && count > 0)
        s->of->unpack(&l, first, count, bytes);
}

static int64_t *vectors_energies(const void *state) {
    return ((const cuda_vectors *)state)->levels.energy;
}

static uint64_t vectors_unit(const engine_config *) {
    return 1;
}

static bool vectors_sweeps(const engine_config *config) {
    return config->model.spins == SPINS_VECTOR;
}

static void vectors_overlaps(const void *state, cuda_population *p, const spin_model *model,
                             uint64_t first, uint64_t count, bool families, overlap_sums *out) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    const cuda_vector_measure by = {s->of, &s->lattice, model};
    cuda_vector_overlaps_fill(&s->overlaps, p, &by,
                              (const uint8_t *)s->spins + first * vector_bytes(&s->lattice), first,
                              count, families, out);
}

static void vectors_compare(const void *state, cuda_population *p, const spin_model *model,
                            const pair_range *pairs, overlap_sums *out) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    const cuda_vector_measure by = {s->of, &s->lattice, model};
    const vector_pairs of = {(const uint8_t *)s->spins + pairs->first * vector_bytes(&s->lattice),
                             s->next,
                             NULL,
                             pairs->partners.family,
                             pairs->number,
                             pairs->count};
    vector_launch l = launch_for(s, p, 0, pairs->count);
    l.r.spins = s->next;
    if (p->failed || pairs->count == 0)
        return;
    s->of->unpack(&l, 0, pairs->count, (const uint8_t *)pairs->partners.spins);
    cuda_vector_overlaps_add(&s->overlaps, p, &by, pairs->first, &of, out);
}

static uint64_t vectors_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_vectors *const s = (cuda_vectors *)state;
    const uint64_t each = vector_bytes(&s->lattice);
    if (end > s->places)
        s->places = cuda_grow(p, &s->spins, &s->next, s->places * each, end * each) / each;
    return s->places;
}

/* --- rounds --- */

static bool vectors_prepare_rounds(void *state, cuda_population *p, const round_plan *plan) {
    cuda_vectors *const s = (cuda_vectors *)state;
    const vector_rule *const first = &plan->group[0].rule.vectors;
    bool alike = s->in_shared && plan->replicas % MACHINE_LANES == 0;
    for (size_t k = 0; k < plan->groups; k++)
        alike = alike && plan->group[k].rule.clusters == CLUSTERS_NONE &&
                plan->group[k].rule.vectors.heat_bath == first->heat_bath;
    if (!alike)
        return false;
    vector_beta *const betas = (vector_beta *)malloc(plan->groups * sizeof *betas);
    if (!betas)
        return false;
    for (size_t k = 0; k < plan->groups; k++) {
        const double beta = plan->group[k].rule.vectors.beta;
        betas[k] = vector_beta{beta, (float)beta};
    }
    s->heat_bath = first->heat_bath;
    cuda_array_give(s->betas, ON_DEVICE);
    s->betas = NULL;
    CUDA_CHECK(p, cuda_take(&s->betas, plan->groups * sizeof *s->betas, ON_DEVICE));
    if (!p->failed)
        CUDA_CHECK(
            p, cudaMemcpy(s->betas, betas, plan->groups * sizeof *betas, cudaMemcpyHostToDevice));
    free(betas);
    return !p->failed;
}

static void vectors_make_round(void *state, cuda_population *p, const engine_round *round,
                               const cuda_round *sees) {
    cuda_vectors *const s = (cuda_vectors *)state;
    const void *const parents = s->spins;
    const uint64_t chains = (uint64_t)sees->words * MACHINE_LANES;
    s->spins = s->next;
    s->next = (void *)parents;
    vector_round r = {};
    (vector_request &)r = launch_for(s, p, 0, p->replicas).r;
    r.parents = parents;
    r.rule.heat_bath = s->heat_bath;
    r.keys = ssc_keys_of(round->key);
    r.temperature = round->temperature;
    r.sweeps = round->sweeps;
    r.round = *sees;
    r.betas = s->betas;
    if (p->failed)
        return;
    s->of->round(p, &r);
    fine_levels_add_groups(&s->levels, p, fine_keys_for(s->bound), sees, chains);
}

static void vectors_take_round(const void *state, const cuda_round *sees, uint32_t group,
                               histogram *out) {
    const cuda_vectors *const s = (const cuda_vectors *)state;
    fine_levels_take_group(&s->levels, fine_keys_for(s->bound), sees, sees->words * MACHINE_LANES,
                           group, out);
}

static const cuda_round_spins vector_rounds = {vectors_prepare_rounds, vectors_make_round,
                                               vectors_take_round};

/* All groups are sorted in the same arrays. */
static bool vectors_share_scratch(const void *) {
    return true;
}

const cuda_spins cuda_vector_spins = {.sweeps = vectors_sweeps,
                                      .coding = CODING_SSC,
                                      .name = "SSC of vectors",
                                      .state_bytes = sizeof(cuda_vectors),
                                      .group_unit = vectors_unit,
                                      .create = vectors_create,
                                      .destroy = vectors_destroy,
                                      .take_sample = vectors_take_sample,
                                      .randomise = vectors_randomise,
                                      .step = vectors_advance,
                                      .shares_scratch = vectors_share_scratch,
                                      .begin = NULL,
                                      .ahead = NULL,
                                      .room = vectors_room,
                                      .save = vectors_save,
                                      .load = vectors_load,
                                      .words = NULL,
                                      .compare = NULL,
                                      .place_of = NULL,
                                      .reserve = vectors_reserve,
                                      .batched = NULL,
                                      .walk = NULL,
                                      .collect = vectors_collect,
                                      .rounds = &vector_rounds,
                                      .energies = vectors_energies,
                                      .overlaps = vectors_overlaps,
                                      .compare_packed = vectors_compare,
                                      .complete = vectors_complete,
                                      .expect = vectors_expect};
