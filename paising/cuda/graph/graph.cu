/* The engine of graphs in single-spin coding: memory, choice of kernels (step.cuh), launches, copies. */
#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/spins.h"
#include "cuda/graph/below.cuh"
#include "cuda/graph/slice_step.cuh"
#include "cuda/graph/walk.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FEW_CHANGES 1024 /* whose thresholds are in shared memory */
#define FEWEST_IN_SHARED                                                                           \
    8 /* warps of a multiprocessor: with fewer, the spins are in device memory */
#define RESERVED_OF_BLOCK 1024 /* bytes of shared memory that the system takes */

typedef void graph_kernel(const graph_step, step_parts);
typedef void slice_kernel(const graph_step, step_parts, const slice_tables);

/* The spins of a population: words of a site of 32 replicas, bit = replica % 32, the words of the same replicas together. */
typedef struct {
    spin_model model;
    uint32_t stride; /* words of 32 replicas */
    graph_sizes sizes;
    graph_slices slices;
    uint32_t *spins; /* device [words][stride], and a few */
    uint32_t *next;  /* the same for the resampled population, or packed replicas */
    uint64_t bytes;  /* of each of the two */
    uint8_t *tables; /* device: quads, base, rows, fields, and those of slices.h */
    uint64_t *flips; /* device: a flip_table */
    bool in_shared, few_changes;
    bool in_slices; /* with the kernels of slice_step.cuh, where they know the flips */
    size_t shared_bytes, slice_bytes;
    cuda_walks walks; /* of walkers */
} cuda_graph;

/* --- kernels and launches --- */

template <bool IN_SHARED, bool FEW_CHANGES>
static graph_kernel *kernel_for(downhill_flips downhill) {
    return downhill == DOWNHILL_COMPLEMENT ? step_graph<IN_SHARED, FEW_CHANGES, true>
                                           : step_graph<IN_SHARED, FEW_CHANGES, false>;
}

static graph_kernel *kernel_of(const cuda_graph *s, downhill_flips downhill) {
    if (s->in_shared)
        return s->few_changes ? kernel_for<true, true>(downhill)
                              : kernel_for<true, false>(downhill);
    return s->few_changes ? kernel_for<false, true>(downhill) : kernel_for<false, false>(downhill);
}

/* The kernel of slice_step.cuh for so many digits. */
template <bool COMPLEMENT> static slice_kernel *slice_kernel_for(uint32_t bits) {
    return bits == 2 ? step_slices<2, COMPLEMENT> : step_slices<3, COMPLEMENT>;
}

static slice_kernel *slice_kernel_of(const cuda_graph *s, downhill_flips downhill) {
    const bool complement = downhill == DOWNHILL_COMPLEMENT;
    const uint32_t bits = slice_bits(&s->slices, complement);
    return complement ? slice_kernel_for<true>(bits) : slice_kernel_for<false>(bits);
}

static void launch_below(const cuda_graph *s, cuda_population *p, const graph_step &step,
                         step_parts parts, uint64_t words) {
    if (s->in_shared)
        step_below<true><<<(unsigned)words, 32, s->shared_bytes, p->stream>>>(step, parts);
    else
        step_below<false><<<(unsigned)words, 32, 0, p->stream>>>(step, parts);
}

static size_t flip_bytes(const spin_graph *g) {
    return cuda_graph_flip_bytes(g);
}

/* Chooses where spins and thresholds are, and raises the limits of shared memory. */
static void prepare_kernels(cuda_graph *s, cuda_population *p) {
    const size_t changes = 2 * (size_t)s->model.graph->most_change + 1,
                 spins = (s->stride + 4) * sizeof(uint32_t);
    s->few_changes = changes <= MOST_FEW_CHANGES;
    const size_t table = s->few_changes ? changes * sizeof(uint32_t) : 0;
    s->in_shared =
        FEWEST_IN_SHARED * (spins + table + RESERVED_OF_BLOCK) <= (size_t)p->shared_limit;
    s->shared_bytes = (s->in_shared ? spins : 0) + table;
    cuda_allow_shared(p, (const void *)kernel_of(s, DOWNHILL_ALWAYS), s->shared_bytes);
    cuda_allow_shared(p, (const void *)kernel_of(s, DOWNHILL_COMPLEMENT), s->shared_bytes);
    cuda_allow_shared(p, (const void *)step_below<true>, s->shared_bytes);
    s->slice_bytes = spins + SLICE_MOST_BITS * SLICE_PLACES * sizeof(uint32_t);
    s->in_slices =
        s->slices.groups > 0 &&
        FEWEST_IN_SHARED * (s->slice_bytes + RESERVED_OF_BLOCK) <= (size_t)p->shared_limit;
    if (!s->in_slices)
        return;
    cuda_allow_shared(p, (const void *)slice_kernel_of(s, DOWNHILL_ALWAYS), s->slice_bytes);
    cuda_allow_shared(p, (const void *)slice_kernel_of(s, DOWNHILL_COMPLEMENT), s->slice_bytes);
}

/* The tables, one after the other. */
typedef struct {
    graph_quad *quads;
    int32_t *base;
    graph_row *rows;
    int64_t *field;
    slice_group *groups;
    int32_t *start;
    uint32_t *links;
} table_places;

static table_places places_in(const cuda_graph *s, uint8_t *tables) {
    table_places at;
    at.rows = (graph_row *)tables;
    at.quads = (graph_quad *)(at.rows + s->sizes.rows);
    at.base = (int32_t *)(at.quads + s->sizes.quads);
    at.groups = (slice_group *)(at.base + 4 * (size_t)s->sizes.quads);
    at.start = (int32_t *)(at.groups + s->slices.groups);
    at.links = (uint32_t *)(at.start + (size_t)s->slices.groups * SLICE_PLACES);
    at.field = (int64_t *)(at.links + (size_t)s->slices.rows * SLICE_PLACES);
    return at;
}

/* Fills them. The copy from pageable memory returns once the source may be freed. */
static void fill_tables(cuda_graph *s, cuda_population *p) {
    const spin_graph *const g = s->model.graph;
    const size_t bytes = cuda_graph_table_bytes(g);
    uint8_t *const tables = (uint8_t *)calloc(1, bytes);
    if (!tables)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the graph");
    if (!p->failed) {
        const table_places at = places_in(s, tables);
        graph_fill_tables(g, at.quads, at.base, at.rows);
        if (s->slices.groups > 0)
            graph_fill_slices(g, &s->slices, at.groups, at.start, at.links);
        memcpy(at.field, g->field, g->sites * sizeof *g->field);
        CUDA_CHECK(p, cudaMemcpyAsync(s->tables, tables, bytes, cudaMemcpyHostToDevice, p->stream));
    }
    free(tables);
}

static bool has_fields(const spin_graph *g) {
    uint32_t i = 0;
    while (i < g->sites && g->field[i] == 0)
        i++;
    return i < g->sites;
}

/* Copies the probabilities of a rule, and returns them as kernels see them. */
static flip_table take_flips(cuda_graph *s, cuda_population *p, const flip_rule *rule) {
    const size_t changes = 2 * (size_t)s->model.graph->most_change + 1;
    flip_table t = {.most = s->model.graph->most_change};
    t.fraction = s->flips;
    t.rest = t.fraction + changes;
    t.threshold = (uint32_t *)(t.rest + changes);
    if (rule->table)
        CUDA_CHECK(p, cudaMemcpyAsync(s->flips, rule->table->fraction, flip_bytes(s->model.graph),
                                      cudaMemcpyHostToDevice, p->stream));
    return t;
}

/* --- functions of the coding --- */

static void graph_take_sample(void *, cuda_population *, const spin_model *) {
}

static int graph_create_spins(void *state, cuda_population *p, const engine_config *config) {
    cuda_graph *const s = (cuda_graph *)state;
    *s = cuda_graph{};
    s->model = config->model;
    s->stride = cuda_graph_stride(&config->model);
    s->sizes = graph_sizes_of(config->model.graph);
    s->slices = graph_slices_of(config->model.graph);
    s->bytes = cuda_graph_spin_bytes(config);
    CUDA_CHECK(p, cuda_take(&s->spins, s->bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->next, s->bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->tables, cuda_graph_table_bytes(config->model.graph), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->flips, flip_bytes(config->model.graph), ON_DEVICE));
    if (!p->failed) /* what no replica has is copied with the others, and must be defined */
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, s->bytes, p->stream));
    prepare_kernels(s, p);
    fill_tables(s, p);
    return p->failed ? -1 : 0;
}

static void graph_destroy_spins(void *state) {
    cuda_graph *const s = (cuda_graph *)state;
    cuda_array_give(s->spins, ON_DEVICE);
    cuda_array_give(s->next, ON_DEVICE);
    cuda_array_give(s->tables, ON_DEVICE);
    cuda_array_give(s->flips, ON_DEVICE);
    cuda_walks_destroy(&s->walks);
}

static graph_copy spins_of(const cuda_graph *s) {
    return graph_copy{s->spins, (uint32_t)s->model.sites, s->stride};
}

static void graph_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_graph *const s = (cuda_graph *)state;
    if (p->failed || p->replicas == 0)
        return;
    randomise<<<blocks_for(p->replicas, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        spins_of(s), p->replicas, (uint32_t)p->device.interval.origin, key);
    cuda_check_launch(p, "randomise (graph)");
}

static slice_tables slice_tables_of(const cuda_graph *s, downhill_flips downhill) {
    const table_places at = places_in(s, s->tables);
    slice_tables t = {.groups = (const uint4 *)at.groups,
                      .start = at.start,
                      .links = at.links,
                      .count = s->slices.groups,
                      .shift = s->slices.shift,
                      .odd = s->slices.odd,
                      .change = {}};
    slice_changes(&s->slices, downhill == DOWNHILL_COMPLEMENT, t.change);
    return t;
}

static void graph_exchange(void *state) {
    cuda_graph *const s = (cuda_graph *)state;
    uint32_t *const parents = s->spins;
    s->spins = s->next;
    s->next = parents;
}

static const void *graph_stored(const void *state, uint64_t replicas, uint64_t *bytes) {
    const cuda_graph *const s = (const cuda_graph *)state;
    *bytes = (replicas + MACHINE_LANES - 1) / MACHINE_LANES * s->stride * sizeof *s->spins;
    return s->spins;
}

/* A block is a warp, and has a word of replicas. */
static uint64_t graph_at_once(const void *) {
    return RESIDENT_THREADS;
}

static void graph_advance(void *state, cuda_population *p, const engine_step *step,
                          step_parts parts, const cuda_range *range) {
    cuda_graph *const s = (cuda_graph *)state;
    const spin_graph *const g = s->model.graph;
    const bool collects = parts & PART_SELECT, sweeps = parts & PART_SWEEP;
    const table_places at = places_in(s, s->tables);
    graph_step k = {.replicas = range->replicas,
                    .parents = s->spins,
                    .children = collects ? s->next : s->spins,
                    .quads = (const uint4 *)at.quads,
                    .base = (const int4 *)at.base,
                    .rows = (const uint4 *)at.rows,
                    .field = has_fields(g) ? at.field : NULL,
                    .flips = {},
                    .sites = g->sites,
                    .stride = s->stride,
                    .quad_count = s->sizes.quads,
                    .sweeps = step->sweeps,
                    .temperature = step->temperature,
                    .keys = ssc_keys_of(step->key),
                    .thresholds = step_rounding(step, range->rule),
                    .downhill = range->rule->downhill,
                    .ceiling = (range->rule->states.most - s->model.levels.lowest) /
                               s->model.levels.spacing,
                    .first = range->first,
                    .first_replica = (uint32_t)(p->device.interval.origin + range->first)};
    if (sweeps)
        k.flips = take_flips(s, p, range->rule);
    const uint64_t end = (range->first + range->most + MACHINE_LANES - 1) / MACHINE_LANES,
                   words = end - range->first / MACHINE_LANES;
    if (p->failed || words == 0)
        return;
    if (sweeps && range->rule->states.bounded)
        launch_below(s, p, k, parts, words);
    else if (sweeps && s->in_slices && k.downhill != DOWNHILL_OF_ITS_OWN)
        slice_kernel_of(s, k.downhill)<<<(unsigned)words, 32, s->slice_bytes, p->stream>>>(
            k, parts, slice_tables_of(s, k.downhill));
    else
        kernel_of(s, k.downhill)<<<(unsigned)words, 32, s->shared_bytes, p->stream>>>(k, parts);
    cuda_check_launch(p, "step_graph");
    if (collects)
        graph_exchange(s);
}

static void graph_walk(void *state, cuda_population *p, const engine_walk *walk) {
    cuda_graph *const s = (cuda_graph *)state;
    const graph_words words = {s->spins, s->stride};
    cuda_graph_walk(&s->walks, &words, &s->model, p, walk);
}

static uint8_t *graph_room(void *state) {
    return (uint8_t *)((cuda_graph *)state)->next;
}

static void graph_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                       uint64_t count, uint8_t *bytes) {
    pack_replicas(spins_of((const cuda_graph *)state), p, places, first, count, bytes);
}

static void graph_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                       const uint8_t *bytes) {
    unpack_replicas(spins_of((const cuda_graph *)state), p, first, count, bytes);
}

static uint64_t graph_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_graph *const s = (cuda_graph *)state;
    if (end > word_places(s->bytes, s->stride))
        s->bytes = cuda_grow(p, (void **)&s->spins, (void **)&s->next, s->bytes,
                             word_bytes(end, s->stride));
    return word_places(s->bytes, s->stride);
}

static uint64_t graph_unit(const engine_config *) {
    return 1;
}

static bool graph_sweeps(const engine_config *config) {
    return config->model.graph != NULL && !config->model.levels.fine;
}

/* All groups take their probabilities from the same place. */
static bool graph_shares_scratch(const void *) {
    return true;
}

/* Graphs have no overlaps. */
const cuda_spins cuda_graph_spins = {.sweeps = graph_sweeps,
                                     .coding = CODING_SSC,
                                     .name = "SSC of a graph",
                                     .state_bytes = sizeof(cuda_graph),
                                     .group_unit = graph_unit,
                                     .create = graph_create_spins,
                                     .destroy = graph_destroy_spins,
                                     .take_sample = graph_take_sample,
                                     .randomise = graph_randomise,
                                     .step = graph_advance,
                                     .shares_scratch = graph_shares_scratch,
                                     .begin = NULL,
                                     .ahead = NULL,
                                     .room = graph_room,
                                     .save = graph_save,
                                     .load = graph_load,
                                     .words = NULL,
                                     .reserve = graph_reserve,
                                     .walk = graph_walk,
                                     .exchange = graph_exchange,
                                     .stored = graph_stored,
                                     .at_once = graph_at_once};
