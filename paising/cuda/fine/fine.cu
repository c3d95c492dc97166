/* The engine of lattices without energy levels in single-spin coding: memory, launches, copies (step.cuh, levels.h). */
#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/spins.h"
#include "cuda/fine/instances.cuh"
#include "cuda/fine/levels.h"

#include <math.h>
#include <stdlib.h>

#define FEWEST_IN_SHARED  8 /* warps of a multiprocessor: with fewer, spins are in device memory */
#define RESERVED_OF_BLOCK 1024 /* bytes of shared memory that the system takes */
#define MOST_WORDS        4    /* of 32 replicas that a warp has */
#define FEWEST_WARPS      5    /* of a multiprocessor, for warps of several words */

/* The spins of a population: words of a site of 32 replicas, bit = replica % 32, the words of the same replicas together. */
typedef struct {
    spin_model model;
    uint32_t *spins;   /* device [words][N], and a few */
    uint32_t *next;    /* the same for the resampled population, or packed replicas */
    uint64_t bytes;    /* of each of the two */
    uint8_t *tables;   /* device: rows, base (tables.h) */
    fine_flips *flips; /* device */
    fine_levels levels;
    fine_flips *of_groups; /* device [groups] of rounds; NULL: there are none */
    bool *complement;      /* [groups]: which kernel has the flips of these */
    uint64_t bound;        /* sum of |J| */
    bool in_shared;
    size_t shared_bytes; /* of a word of replicas */
    unsigned most_words; /* that a warp can have */
    unsigned processors;
    bool cube;                 /* whose sweeps are made by patterns (rows.cuh), */
    uint32_t *threshold;       /* device [N][PATTERNS] with these thresholds; */
    uint32_t *group_threshold; /* device [groups][N][PATTERNS] of rounds; NULL: there are none */
} cuda_fine;

/* --- launches of steps --- */

/* How many of `all` words a warp takes: so many that a multiprocessor still has enough warps. */
static unsigned words_of_warp(const cuda_fine *s, uint64_t all) {
    unsigned words = s->most_words;
    while (words > 1 && all < FEWEST_WARPS * words * s->processors)
        words /= 2;
    return words;
}

/* The two tables, one after the other. */
static graph_row *rows_in(uint8_t *tables) {
    return (graph_row *)tables;
}

static int32_t *base_in(const cuda_fine *s, uint8_t *tables) {
    return (int32_t *)(rows_in(tables) +
                       2 * (size_t)fine_quads((uint32_t)s->model.sites) * 2 * s->model.dimension);
}

/* How a step is launched. */
typedef struct {
    bool patterns;  /* by those of rows.cuh */
    unsigned words; /* of a warp */
    size_t shared_bytes;
} fine_launch;

static fine_launch launch_of(const cuda_fine *s, bool complement, uint64_t words) {
    const uint32_t edge = s->model.edge[0];
    const size_t rows =
        edge * edge * MACHINE_LANES * (edge <= 8 ? sizeof(uint8_t) : sizeof(uint16_t));
    if (s->cube && !complement)
        return fine_launch{true, 1, s->shared_bytes + rows};
    const unsigned each = words_of_warp(s, words);
    return fine_launch{false, each, each * s->shared_bytes};
}

/* Queues the thresholds of so many tables of weights. */
static void queue_thresholds(cuda_fine *s, cuda_population *p, const fine_flips *flips,
                             unsigned tables, uint32_t *threshold) {
    const uint32_t sites = (uint32_t)s->model.sites;
    if (p->failed)
        return;
    fill_thresholds<<<dim3(blocks_for(sites * PATTERNS, COPY_THREADS), tables), COPY_THREADS, 0,
                      p->stream>>>(rows_in(s->tables), base_in(s, s->tables), flips, sites,
                                   fine_quads(sites), threshold);
    cuda_check_launch(p, "fill_thresholds");
}

static void prepare_kernels(cuda_fine *s, cuda_population *p) {
    const size_t spins = fine_room((uint32_t)s->model.sites) * sizeof(uint32_t),
                 limit = (size_t)p->shared_limit;
    int processors = 1;
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &processors));
    s->processors = (unsigned)processors;
    s->in_shared = FEWEST_IN_SHARED * (spins + RESERVED_OF_BLOCK) <= limit;
    s->shared_bytes = s->in_shared ? spins : 0;
    s->cube = s->in_shared && s->model.dimension == 3 && s->model.edge[0] == s->model.edge[1] &&
              s->model.edge[1] == s->model.edge[2] && kernel_of_cube(s->model.edge[0]) != NULL;
    s->most_words = s->in_shared ? MOST_WORDS : 1;
    while (s->most_words > 1 && FEWEST_WARPS * (s->most_words * spins + RESERVED_OF_BLOCK) > limit)
        s->most_words /= 2;
    for (unsigned words = 1; words <= s->most_words; words *= 2)
        for (const bool complement : {false, true})
            cuda_allow_shared(
                p, (const void *)kernel_of(s->model.dimension, s->in_shared, complement, words),
                words * s->shared_bytes);
    if (s->cube)
        cuda_allow_shared(p, (const void *)kernel_of_cube(s->model.edge[0]),
                          launch_of(s, false, 0).shared_bytes);
}

/* Fills them. The copy from pageable memory returns once the source may be freed. */
static void fine_take_sample(void *state, cuda_population *p, const spin_model *model) {
    cuda_fine *const s = (cuda_fine *)state;
    s->model = *model;
    const size_t bytes = cuda_fine_table_bytes(model);
    uint8_t *const tables = (uint8_t *)malloc(bytes);
    if (!tables)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the couplings");
    if (!p->failed) {
        s->bound = fine_fill_tables(model, base_in(s, tables), rows_in(tables));
        CUDA_CHECK(p, cudaMemcpyAsync(s->tables, tables, bytes, cudaMemcpyHostToDevice, p->stream));
    }
    free(tables);
}

/* --- functions of the coding --- */

static int fine_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_fine *const s = (cuda_fine *)state;
    *s = cuda_fine{};
    s->model = config->model;
    s->bytes = cuda_fine_spin_bytes(config);
    CUDA_CHECK(p, cuda_take(&s->spins, s->bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->next, s->bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->tables, cuda_fine_table_bytes(&config->model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->flips, sizeof *s->flips, ON_DEVICE));
    if (!p->failed) /* what no replica has is copied with the others, and must be defined */
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, s->bytes, p->stream));
    if (fine_levels_create(&s->levels, p, config))
        return -1;
    prepare_kernels(s, p);
    if (s->cube)
        CUDA_CHECK(p,
                   cuda_take(&s->threshold, cuda_fine_threshold_bytes(&config->model), ON_DEVICE));
    fine_take_sample(s, p, &config->model);
    return p->failed ? -1 : 0;
}

static void fine_destroy(void *state) {
    cuda_fine *const s = (cuda_fine *)state;
    cuda_array_give(s->spins, ON_DEVICE);
    cuda_array_give(s->next, ON_DEVICE);
    cuda_array_give(s->tables, ON_DEVICE);
    cuda_array_give(s->flips, ON_DEVICE);
    cuda_array_give(s->of_groups, ON_DEVICE);
    free(s->complement);
    cuda_array_give(s->threshold, ON_DEVICE);
    cuda_array_give(s->group_threshold, ON_DEVICE);
    fine_levels_destroy(&s->levels);
}

static graph_copy spins_of(const cuda_fine *s) {
    return graph_copy{s->spins, (uint32_t)s->model.sites, (uint32_t)s->model.sites};
}

static void fine_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_fine *const s = (cuda_fine *)state;
    if (p->failed || p->replicas == 0)
        return;
    randomise<<<blocks_for(p->replicas, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        spins_of(s), p->replicas, (uint32_t)p->device.interval.origin, key);
    cuda_check_launch(p, "randomise (fine)");
}

/* What a kernel needs of a step of a range, whose flips are on the device. */
static fine_step step_of(cuda_fine *s, const cuda_population *p, const engine_step *step,
                         step_parts parts, const cuda_range *range, const fine_flips *flips,
                         const uint32_t *threshold) {
    return fine_step{.replicas = range->replicas,
                     .parents = s->spins,
                     .children = parts & PART_SELECT ? s->next : s->spins,
                     .base = (const int4 *)base_in(s, s->tables),
                     .rows = (const uint4 *)rows_in(s->tables),
                     .flips = flips,
                     .pattern = threshold,
                     .energy = s->levels.energy,
                     .order = s->levels.order,
                     .sites = (uint32_t)s->model.sites,
                     .quads = fine_quads((uint32_t)s->model.sites),
                     .sweeps = step->sweeps,
                     .temperature = step->temperature,
                     .keys = ssc_keys_of(step->key),
                     .thresholds = step_rounding(step, range->rule),
                     .first = range->first,
                     .first_replica = (uint32_t)(p->device.interval.origin + range->first)};
}

static void launch_step(cuda_fine *s, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    const fine_step k = step_of(s, p, step, parts, range, s->flips, s->threshold);
    const uint64_t end = (range->first + range->most + MACHINE_LANES - 1) / MACHINE_LANES,
                   words = end - range->first / MACHINE_LANES;
    if (parts & PART_SWEEP)
        CUDA_CHECK(p, cudaMemcpyAsync(s->flips, range->rule->fine, sizeof *s->flips,
                                      cudaMemcpyHostToDevice, p->stream));
    if (p->failed || range->most == 0)
        return;
    const bool complement = range->rule->downhill != DOWNHILL_ALWAYS;
    const fine_launch l = launch_of(s, complement, words);
    fine_kernel *const kernel =
        l.patterns ? kernel_of_cube(s->model.edge[0])
                   : kernel_of(s->model.dimension, s->in_shared, complement, l.words);
    if (l.patterns && parts & PART_SWEEP)
        queue_thresholds(s, p, s->flips, 1, s->threshold);
    kernel<<<blocks_for(words, l.words), 32, l.shared_bytes, p->stream>>>(k, parts);
    cuda_check_launch(p, "step_fine");
}

static void fine_exchange(void *state) {
    cuda_fine *const s = (cuda_fine *)state;
    uint32_t *const parents = s->spins;
    s->spins = s->next;
    s->next = parents;
}

static const void *fine_stored(const void *state, uint64_t replicas, uint64_t *bytes) {
    const cuda_fine *const s = (const cuda_fine *)state;
    *bytes = (replicas + MACHINE_LANES - 1) / MACHINE_LANES * s->model.sites * sizeof *s->spins;
    return s->spins;
}

/* A block is a warp, and has one, two or four words of replicas. */
static uint64_t fine_at_once(const void *) {
    return RESIDENT_THREADS;
}

static void fine_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                         const cuda_range *range) {
    cuda_fine *const s = (cuda_fine *)state;
    launch_step(s, p, step, parts, range);
    if (parts & PART_SELECT)
        fine_exchange(s);
    if (parts & PART_MEASURE)
        fine_levels_report(&s->levels, p, step, range, s->bound);
}

static void fine_collect(void *state, cuda_population *p, const engine_step *step,
                         histogram out[]) {
    fine_levels_collect(&((cuda_fine *)state)->levels, p, step, out);
}

static bool fine_complete(void *state, cuda_population *p, histogram *out) {
    return fine_levels_complete(&((cuda_fine *)state)->levels, p, out);
}

static void fine_expect(const void *state, cuda_population *p, const expected_copies *copies) {
    fine_levels_expect(&((const cuda_fine *)state)->levels, p, copies);
}

static int64_t *fine_energies(const void *state) {
    return ((const cuda_fine *)state)->levels.energy;
}

static uint8_t *fine_room(void *state) {
    return (uint8_t *)((cuda_fine *)state)->next;
}

static void fine_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                      uint64_t count, uint8_t *bytes) {
    pack_replicas(spins_of((const cuda_fine *)state), p, places, first, count, bytes);
}

static void fine_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                      const uint8_t *bytes) {
    unpack_replicas(spins_of((const cuda_fine *)state), p, first, count, bytes);
}

/* The bits of site i of replicas k .. k + 31; those behind the `words` words are 0. */
static __device__ __forceinline__ uint32_t word_from(const graph_copy &s, uint64_t words,
                                                     uint64_t k, uint32_t i) {
    const uint64_t word = k / MACHINE_LANES;
    const uint32_t low = word < words ? s.spins[word * s.stride + i] : 0,
                   high = word + 1 < words ? s.spins[(word + 1) * s.stride + i] : 0;
    return __funnelshift_r(low, high, (uint32_t)(k % MACHINE_LANES));
}

/* Writes where replica first + k differs from replica first + offset + k, or with offset 0 from differ[]. One thread a site of
 * 32 pairs. */
static __global__ void compare(graph_copy s, uint64_t all_words, uint64_t first, uint64_t offset,
                               uint64_t words, uint32_t *differ) {
    const uint64_t n = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x, word = n / s.sites;
    const uint32_t i = (uint32_t)(n % s.sites);
    const uint64_t k = first + word * MACHINE_LANES;
    if (word < words)
        differ[n] = word_from(s, all_words, k, i) ^
                    (offset ? word_from(s, all_words, k + offset, i) : differ[n]);
}

static cuda_pair_words fine_compare(void *state, cuda_population *p, uint64_t first,
                                    uint64_t offset, uint64_t words) {
    cuda_fine *const s = (cuda_fine *)state;
    const uint32_t sites = (uint32_t)s->model.sites;
    const uint32_t *const from = s->spins + first / MACHINE_LANES * sites;
    if (offset > 0 && first % MACHINE_LANES == 0) /* offsets are whole words */
        return cuda_pair_words{from, from + offset / MACHINE_LANES * sites, sites, sites};
    if (!p->failed && words > 0) {
        compare<<<blocks_for(words * s->model.sites, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
            spins_of(s), (p->replicas + MACHINE_LANES - 1) / MACHINE_LANES, first, offset, words,
            s->next);
        cuda_check_launch(p, "compare (fine)");
    }
    return cuda_pair_words{s->next, NULL, sites, 0};
}

static uint32_t fine_place_of(const void *, uint32_t site) {
    return site;
}

static uint64_t fine_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_fine *const s = (cuda_fine *)state;
    const uint32_t sites = (uint32_t)s->model.sites;
    if (end > word_places(s->bytes, sites))
        s->bytes =
            cuda_grow(p, (void **)&s->spins, (void **)&s->next, s->bytes, word_bytes(end, sites));
    return word_places(s->bytes, sites);
}

static uint64_t fine_unit(const engine_config *) {
    return 1;
}

static bool fine_sweeps(const engine_config *config) {
    return config->model.levels.fine && config->model.spins == SPINS_ISING &&
           config->model.graph == NULL;
}

/* --- rounds --- */

/* The launch of groups whose flips one kernel has, from a first one on. */
typedef struct {
    fine_launch launch;
    fine_round_kernel *kernel;
    uint32_t end; /* of these groups */
} fine_round_launch;

static fine_round_launch round_launch_from(const cuda_fine *s, uint32_t first, size_t groups,
                                           uint64_t words) {
    const bool complement = s->complement[first];
    uint32_t end = first + 1;
    while (end < groups && s->complement[end] == complement)
        end++;
    const fine_launch l = launch_of(s, complement, (end - first) * words);
    return fine_round_launch{
        l,
        l.patterns ? round_kernel_of_cube(s->model.edge[0])
                   : round_kernel_of(s->model.dimension, s->in_shared, complement, l.words),
        end};
}

static bool can_round(const round_plan *plan) {
    bool can = plan->replicas % MACHINE_LANES == 0;
    for (size_t k = 0; k < plan->groups; k++)
        can = can && plan->group[k].rule.fine != NULL;
    return can;
}

static bool fine_prepare_rounds(void *state, cuda_population *p, const round_plan *plan) {
    cuda_fine *const s = (cuda_fine *)state;
    if (!can_round(plan))
        return false;
    free(s->complement);
    s->complement = (bool *)calloc(plan->groups, sizeof *s->complement);
    if (!s->complement)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for rounds");
    cuda_array_give(s->of_groups, ON_DEVICE);
    s->of_groups = NULL;
    CUDA_CHECK(p, cuda_take(&s->of_groups, plan->groups * sizeof *s->of_groups, ON_DEVICE));
    for (size_t k = 0; k < plan->groups && !p->failed; k++) {
        s->complement[k] = plan->group[k].rule.downhill != DOWNHILL_ALWAYS;
        CUDA_CHECK(p, cudaMemcpy(s->of_groups + k, plan->group[k].rule.fine, sizeof *s->of_groups,
                                 cudaMemcpyHostToDevice));
    }
    cuda_array_give(s->group_threshold, ON_DEVICE);
    s->group_threshold = NULL;
    if (s->cube) {
        CUDA_CHECK(p, cuda_take(&s->group_threshold,
                                plan->groups * s->model.sites * PATTERNS * sizeof(uint32_t),
                                ON_DEVICE));
        queue_thresholds(s, p, s->of_groups, (unsigned)plan->groups, s->group_threshold);
    }
    for (uint32_t first = 0; first < plan->groups && !p->failed;) {
        const fine_round_launch l =
            round_launch_from(s, first, plan->groups, plan->replicas / MACHINE_LANES);
        cuda_allow_shared(p, (const void *)l.kernel, l.launch.shared_bytes);
        first = l.end;
    }
    return !p->failed;
}

static void fine_make_round(void *state, cuda_population *p, const engine_round *round,
                            const cuda_round *sees) {
    cuda_fine *const s = (cuda_fine *)state;
    const flip_rule none = {};
    const engine_step step = {
        .key = round->key, .temperature = round->temperature, .sweeps = round->sweeps};
    const cuda_range all = {p->device, 0, p->replicas, &none};
    fine_round r = {.step =
                        step_of(s, p, &step, PART_SELECT, &all, s->of_groups, s->group_threshold),
                    .round = *sees,
                    .chains = sees->words * MACHINE_LANES,
                    .keys = fine_keys_for(s->bound),
                    .key = s->levels.key[0]};
    while (r.first < sees->groups) {
        const fine_round_launch l = round_launch_from(s, r.first, sees->groups, sees->words);
        const dim3 blocks(blocks_for(sees->words, l.launch.words), l.end - r.first);
        cuda_launch_early(p, "round_fine", l.kernel, blocks, 32, l.launch.shared_bytes, r);
        r.first = l.end;
    }
    fine_exchange(s);
    fine_levels_sort_groups(&s->levels, p, r.keys, sees, r.chains);
}

static void fine_take_round(const void *state, const cuda_round *sees, uint32_t group,
                            histogram *out) {
    const cuda_fine *const s = (const cuda_fine *)state;
    fine_levels_take_group(&s->levels, fine_keys_for(s->bound), sees, sees->words * MACHINE_LANES,
                           group, out);
}

static const cuda_round_spins fine_rounds = {fine_prepare_rounds, fine_make_round, fine_take_round};

/* All groups take their probabilities from the same place, and are sorted in the same arrays. */
static bool fine_shares_scratch(const void *) {
    return true;
}

const cuda_spins cuda_fine_spins = {.sweeps = fine_sweeps,
                                    .coding = CODING_SSC,
                                    .name = "SSC without levels",
                                    .state_bytes = sizeof(cuda_fine),
                                    .group_unit = fine_unit,
                                    .create = fine_create,
                                    .destroy = fine_destroy,
                                    .take_sample = fine_take_sample,
                                    .randomise = fine_randomise,
                                    .step = fine_advance,
                                    .shares_scratch = fine_shares_scratch,
                                    .begin = NULL,
                                    .ahead = NULL,
                                    .room = fine_room,
                                    .save = fine_save,
                                    .load = fine_load,
                                    .words = NULL,
                                    .compare = fine_compare,
                                    .place_of = fine_place_of,
                                    .reserve = fine_reserve,
                                    .batched = NULL,
                                    .walk = NULL,
                                    .collect = fine_collect,
                                    .rounds = &fine_rounds,
                                    .exchange = fine_exchange,
                                    .stored = fine_stored,
                                    .at_once = fine_at_once,
                                    .energies = fine_energies,
                                    .complete = fine_complete,
                                    .expect = fine_expect};
