/* The multi-spin-coded engine (Sec. 4): its memory, and the arguments of its kernels (launch.h). */
#include "cuda/msc/msc.h"

#include "cuda/device/arrays.h"
#include "cuda/device/blocks.h"
#include "cuda/engine/bytes.h"
#include "cuda/msc/couplings.h"
#include "cuda/msc/launch.h"
#include "cuda/msc/stripes.h"
#include "cuda/msc/tiles.h"
#include "engine/strips.h"

#include <stdlib.h>
#include <string.h>

/* The spins of a population in multi-spin coding. */
typedef struct {
    uint32_t word; /* p */
    rng_mode rng;
    visit_plan visits;      /* the checkerboard or tiles */
    uint64_t machine_words; /* capacity */
    /* device [machine_words][N], bit = lane (engine/msc_layout.h, strip.cuh) */
    uint32_t *spins;
    /* device: the same for the resampled population, or packed replicas */
    uint32_t *next;
    void *scratch;       /* device, for lattices too large for a block (request.cuh) */
    lane_counts *counts; /* device [machine_words], of stripes; NULL: lanes are lattices */
    uint32_t *couplings; /* device, for models with couplings (couplings.h) */
    msc_levels levels;   /* of the sample */
    word_range begun;    /* words of the next step that msc_begin has queued; or none */
    group_rule *rules;   /* [groups] of rounds; NULL: there are none */
    double *more_than;   /* device [groups][BERNOULLI_MOST_POINTS] of their rules */
    bool *complement;    /* [groups]: which kernel has the flips of these */
    msc_launches launches;
} cuda_msc;

#define MOST_ROWS 32768u /* of blocks, less than what a grid may have */

static uint64_t words_each(const cuda_msc *m) {
    return (uint64_t)m->launches.shape.quads * 4;
}

/* Returns the blocks, or the machine words, that keep MWC states in device memory. */
static uint32_t stream_blocks(const engine_config *config, int shared_limit, int multiprocessors) {
    const spin_model *const model = &config->model;
    if (cuda_msc_words_have_streams(config))
        return (uint32_t)msc_machine_words(config->word, config->capacity);
    return msc_fits_in_block(msc_kernels_of(model), msc_shape_of(model), shared_limit)
               ? 0
               : (uint32_t)multiprocessors;
}

cudaError_t cuda_msc_stream_blocks(const engine_config *config, uint32_t *blocks) {
    int shared_limit = 0, multiprocessors = 0;
    cudaError_t error = cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_limit);
    if (!error)
        error = cuda_attribute(cudaDevAttrMultiProcessorCount, &multiprocessors);
    *blocks = stream_blocks(config, shared_limit, multiprocessors);
    return error;
}

/* Where bonds may be missing, or edges in two dimensions are no multiples of 16, there are kernels of the mode `independent` alone. */
static bool msc_sweeps(const engine_config *config) {
    const spin_model *const m = &config->model;
    const bool whole = m->dimension == 3 || !has_uneven_edges(m);
    return msc_kernels_of(m) != NULL &&
           (config->rng == RNG_INDEPENDENT || (whole && !m->incomplete));
}

/* Queues the copy of a model's couplings to the device. The copy from pageable memory returns once
 * the source may be freed. */
static void msc_take_sample(void *state, cuda_population *p, const spin_model *model) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint64_t bytes = msc_coupling_bytes(model);
    m->levels =
        msc_levels{(uint32_t)model_counted_at_lowest(model) << 1 | (model->levels.spacing == 4)};
    if (bytes == 0 || p->failed)
        return;
    uint32_t *const registers = (uint32_t *)malloc(bytes);
    if (!registers) {
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for couplings");
        return;
    }
    msc_coupling_fill(model, registers);
    CUDA_CHECK(p,
               cudaMemcpyAsync(m->couplings, registers, bytes, cudaMemcpyHostToDevice, p->stream));
    free(registers);
}

static int msc_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_msc *const m = (cuda_msc *)state;
    *m = cuda_msc{};
    m->word = config->word;
    m->rng = config->rng;
    m->visits = config->visits;
    m->machine_words = msc_machine_words(config->word, config->capacity);
    m->launches = msc_pick_launches(p, &config->model, m->rng, m->word);
    const uint64_t bytes = cuda_msc_spin_bytes(config);
    const uint64_t stream_bytes = cuda_msc_stream_bytes(
        &config->model, stream_blocks(config, p->shared_limit, m->launches.concurrent));
    const uint64_t coupling_bytes = msc_coupling_bytes(&config->model);
    CUDA_CHECK(p, cuda_take(&m->spins, bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&m->next, bytes, ON_DEVICE));
    if (words_each(m) > config->model.sites &&
        !p->failed) /* words without a site are copied, too */
        CUDA_CHECK(p, cudaMemsetAsync(m->spins, 0, bytes, p->stream));
    if (stream_bytes)
        CUDA_CHECK(p, cuda_take(&m->scratch, stream_bytes, ON_DEVICE));
    if (config->model.stripes > 1)
        CUDA_CHECK(p, cuda_take(&m->counts, m->machine_words * sizeof *m->counts, ON_DEVICE));
    if (coupling_bytes)
        CUDA_CHECK(p, cuda_take(&m->couplings, coupling_bytes, ON_DEVICE));
    m->launches.shape.couplings = m->couplings;
    msc_take_sample(m, p, &config->model);
    return p->failed ? -1 : 0;
}

static void msc_destroy(void *state) {
    cuda_msc *const m = (cuda_msc *)state;
    cuda_array_give(m->spins, ON_DEVICE);
    cuda_array_give(m->next, ON_DEVICE);
    cuda_array_give(m->scratch, ON_DEVICE);
    cuda_array_give(m->counts, ON_DEVICE);
    cuda_array_give(m->couplings, ON_DEVICE);
    cuda_array_give(m->more_than, ON_DEVICE);
    free(m->rules);
    free(m->complement);
}

static void msc_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_msc *const m = (cuda_msc *)state;
    m->begun = word_range{};
    if (p->failed || p->replicas == 0)
        return;
    const uint64_t quads =
        sites_of(m->launches.shape) / 4 * msc_machine_words(m->word, p->replicas);
    m->launches.kernels->randomise<<<blocks_for(quads, 256), 256, 0, p->stream>>>(
        m->spins, m->launches.shape, quads, (uint32_t)(p->device.interval.origin / MACHINE_LANES),
        key);
    cuda_check_launch(p, "randomise (MSC)");
}

/* Returns the kernel arguments for a range, ... */
static msc_place place_of(const cuda_population *p, const cuda_range *range) {
    const uint64_t number = p->device.interval.origin + range->first;
    return msc_place{.interval = range->replicas.interval,
                     .inherited = range->inherited,
                     .words = every_word,
                     .first_word = (uint32_t)(number / MACHINE_LANES)};
}

/* ... for a population, ... */
static msc_population population_of(const cuda_msc *m, const cuda_population *p,
                                    const engine_step *step, step_parts parts,
                                    const cuda_range *range) {
    uint32_t *const children = parts & PART_SELECT ? m->next : m->spins;
    return msc_population{.replicas = range->replicas,
                          .place = place_of(p, range),
                          .parents = m->spins,
                          .children = children + range->first / MACHINE_LANES * words_each(m),
                          .scratch = m->scratch,
                          .parent_count = p->replicas,
                          .shape = m->launches.shape,
                          .word = m->word,
                          .lattices = 0,
                          .rng = m->rng,
                          .complement = range->rule->downhill == DOWNHILL_COMPLEMENT,
                          .sweeps = step->sweeps,
                          .temperature = step->temperature,
                          .key = step->key,
                          .levels = m->levels};
}

/* ... and for a step. */
static msc_step request_of(const cuda_msc *m, const cuda_population *p, const engine_step *step,
                           step_parts parts, const cuda_range *range) {
    const uint32_t classes = m->launches.kernels->classes;
    msc_step s = {.own = population_of(m, p, step, parts, range),
                  .points = points_of(&range->rule->bernoulli, classes)};
    if (m->launches.kernels->cut) {
        s.at_sites = site_rule_of(&range->rule->bernoulli, &range->rule->odd.bernoulli);
        s.points = site_points_of(&range->rule->bernoulli, classes);
    } else if (m->rng == RNG_INDEPENDENT) {
        s.planes = branches_of(&range->rule->bernoulli, classes);
    } else {
        s.thresholds = step_rounding(step, range->rule);
    }
    return s;
}

/* Restricts a place to some machine words. */
static void take_words(msc_place *place, const word_range *words) {
    place->words = msc_words{(uint32_t)words->first, (uint32_t)words->count, (uint32_t)words->all};
}

/* Queues the whole step in its place, by the pre-launched kernel where there is one. */
static void launch_place(cuda_msc *m, cuda_population *p, msc_step *step, uint64_t words) {
    if (!msc_launch_prelaunched(&m->launches, p, step, words, NULL))
        msc_launch_step(&m->launches, p, step, WHOLE_STEP, words);
}

/* Releases a pre-launched step, with its place. Returns false if none waits. */
static bool release_place(prelaunch *prelaunch, const msc_place *place) {
    static_assert(sizeof *place % sizeof(uint64_t) == 0 &&
                      sizeof *place <= sizeof prelaunch->host->head,
                  "whole numbers, as many as there is room for");
    if (prelaunch->waits)
        memcpy(prelaunch->host->head, place, sizeof *place);
    return prelaunch_release(prelaunch, sizeof *place / sizeof(uint64_t));
}

/* Kernels with lattices in device memory cannot be split in two launches, which would share the
 * random streams there. */
static bool msc_begin(void *state, cuda_population *p, const engine_step *step,
                      const cuda_range *range, const child_assignment *children,
                      prelaunch *prelaunch) {
    cuda_msc *const m = (cuda_msc *)state;
    const bool complement = range->rule->downhill == DOWNHILL_COMPLEMENT;
    const msc_kernel *const kernel = m->launches.launch[complement][WHOLE_STEP].kernel;
    const word_range words =
        words_of_own(children, msc_machine_words(m->word, assigned_children(children)));
    if (p->failed || words.count == 0 || !kernel || !kernel->in_shared)
        return false;
    msc_place place = place_of(p, range);
    take_words(&place, &words);
    m->begun = words;
    if (release_place(prelaunch, &place))
        return true;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    s.own.place = place;
    launch_place(m, p, &s, words.count);
    return true;
}

static bool msc_ahead(void *state, cuda_population *p, const engine_step *step,
                      const cuda_range *range, const prelaunch *prelaunch) {
    cuda_msc *const m = (cuda_msc *)state;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    return msc_launch_prelaunched(&m->launches, p, &s, msc_machine_words(m->word, range->most),
                                  prelaunch);
}

static bool msc_shares_scratch(const void *state) {
    return ((const cuda_msc *)state)->scratch != NULL;
}

/* Makes the children the next parents; a second call makes these the population again. */
static void msc_exchange(void *state) {
    cuda_msc *const m = (cuda_msc *)state;
    uint32_t *const parents = m->spins;
    m->spins = m->next;
    m->next = parents;
}

static uint64_t msc_at_once(const void *state) {
    const msc_launches *const l = &((const cuda_msc *)state)->launches;
    const msc_launch *const sweep = &l->launch[false][PART_SWEEP];
    const bool shares = sweep->kernel && sweep->kernel->in_shared;
    return MACHINE_LANES * (shares ? RESIDENT_THREADS / sweep->threads * sweep->lattices : 1);
}

/* Sweeps and counts stripes, or sweeps lattices by tiles. Returns the parts of the step that are left. */
static step_parts advance_in_memory(cuda_msc *m, cuda_population *p, const msc_step &step,
                                    step_parts parts, const cuda_range *range) {
    const uint64_t first = range->first / MACHINE_LANES;
    const uint32_t words = (uint32_t)msc_machine_words(m->word, range->most);
    const bool tiles = m->visits.order == VISIT_TILES;
    if (!tiles && m->counts == NULL)
        return parts;
    strip_stream *const streams = (strip_stream *)m->scratch + first * step.own.shape.strips;
    if (parts & PART_SWEEP && tiles)
        msc_sweep_tiles(p, step, m->visits, streams, words);
    else if (parts & PART_SWEEP)
        msc_sweep_stripes(p, step, streams, words);
    if (m->counts == NULL)
        return (step_parts)(parts & ~PART_SWEEP);
    if (parts & PART_MEASURE)
        msc_count_stripes(p, step, m->counts + first, words);
    return (step_parts)0;
}

void cuda_msc_read_stripes(void *state, cuda_population *p, uint64_t first, uint64_t count,
                           uint32_t *unsatisfied, uint32_t *up) {
    const cuda_msc *const m = (const cuda_msc *)state;
    const lane_counts *const from = m->counts + first / MACHINE_LANES;
    const size_t words = count / MACHINE_LANES, each = MACHINE_LANES * sizeof *up;
    CUDA_CHECK(p, cudaMemcpy2DAsync(unsatisfied, each, from->bonds, sizeof *from, each, words,
                                    cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaMemcpy2DAsync(up, each, from->up, sizeof *from, each, words,
                                    cudaMemcpyDeviceToHost, p->stream));
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

static void msc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    cuda_msc *const m = (cuda_msc *)state;
    const word_range begun = m->begun;
    msc_step s = request_of(m, p, step, parts, range);
    const word_range others = {begun.first + begun.count, begun.all - begun.count, begun.all};
    const step_parts left = advance_in_memory(m, p, s, parts, range);
    if (begun.count > 0) {
        take_words(&s.own.place, &others);
        if (others.count > 0)
            launch_place(m, p, &s, others.count);
    } else if (left) {
        msc_launch_step(&m->launches, p, &s, left, msc_machine_words(m->word, range->most));
    }
    m->begun = word_range{};
    if (parts & PART_SELECT)
        msc_exchange(m);
}

static uint8_t *msc_room(void *state) {
    return (uint8_t *)((cuda_msc *)state)->next;
}

static void msc_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                     uint64_t count, uint8_t *bytes) {
    cuda_msc *const m = (cuda_msc *)state;
    if (p->failed || count == 0)
        return;
    const msc_kernels *const kernels = m->launches.kernels;
    const unsigned parts = blocks_for(words_each(m), kernels->pack_sites),
                   most = parts < MOST_ROWS ? parts : MOST_ROWS;
    const dim3 blocks(blocks_for(count, 32), most, blocks_for(parts, most));
    kernels->pack<<<blocks, kernels->pack_threads, 0, p->stream>>>(
        m->spins, m->launches.shape, msc_layout_of(m->word, m->rng, p->replicas), places, first,
        count, bytes);
    cuda_check_launch(p, "pack (MSC)");
}

static void msc_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                     const uint8_t *bytes) {
    cuda_msc *const m = (cuda_msc *)state;
    if (p->failed || count == 0)
        return;
    const uint64_t words = (first + count - 1) / MACHINE_LANES - first / MACHINE_LANES + 1;
    m->launches.kernels->unpack<<<blocks_for(words * words_each(m), 256), 256, 0, p->stream>>>(
        m->spins, m->launches.shape, msc_layout_of(m->word, m->rng, p->replicas), first, count,
        bytes);
    cuda_check_launch(p, "unpack (MSC)");
}

static uint8_t *msc_words_from(const void *state, uint64_t first, uint64_t *each) {
    const cuda_msc *const m = (const cuda_msc *)state;
    *each = words_each(m) * sizeof *m->spins;
    return (uint8_t *)(m->spins + first * words_each(m));
}

/* Without reordering the words of the replicas are those of the lattices. */
static cuda_pair_words msc_compare(void *state, cuda_population *p, uint64_t first, uint64_t offset,
                                   uint64_t words) {
    cuda_msc *const m = (cuda_msc *)state;
    const msc_layout layout = msc_layout_of(m->word, m->rng, p->replicas);
    const uint32_t each = (uint32_t)words_each(m);
    if (!layout.reorder) {
        const uint32_t *const own = m->spins + first / MACHINE_LANES * words_each(m);
        return cuda_pair_words{own, offset ? own + offset / MACHINE_LANES * words_each(m) : m->next,
                               each, each};
    }
    if (p->failed || words == 0)
        return cuda_pair_words{m->next, NULL, each, 0};
    const uint64_t all = words * words_each(m);
    m->launches.kernels->compare<<<blocks_for(all, 256), 256, 0, p->stream>>>(
        msc_comparison{m->spins, m->launches.shape, layout, first, offset, all, m->next});
    cuda_check_launch(p, "compare (MSC)");
    return cuda_pair_words{m->next, NULL, each, 0};
}

static uint32_t msc_place_of(const void *state, uint32_t site) {
    const cuda_msc *const m = (const cuda_msc *)state;
    return m->launches.kernels->word_of_site(m->launches.shape, site);
}

static uint64_t msc_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint64_t words = (end + MACHINE_LANES - 1) / MACHINE_LANES;
    const uint64_t each = words_each(m) * sizeof *m->spins;
    if (words > m->machine_words)
        m->machine_words = cuda_grow(p, (void **)&m->spins, (void **)&m->next,
                                     m->machine_words * each, words * each) /
                           each;
    return m->machine_words * MACHINE_LANES;
}

/* --- launch batches --- */

static_assert(sizeof(msc_population) <= REQUEST_BYTES, "a request fits into its slot");

static bool msc_can_batch(const void *state, const void *other) {
    const cuda_msc *const m = (const cuda_msc *)state, *const o = (const cuda_msc *)other;
    return m->word == o->word && m->rng == o->rng && m->machine_words == o->machine_words &&
           msc_launches_match(&m->launches, &o->launches);
}

static void msc_record_step(void *state, cuda_population *p, const engine_step *step,
                            const cuda_range *range, void *request) {
    cuda_msc *const m = (cuda_msc *)state;
    *(msc_population *)request = population_of(m, p, step, WHOLE_STEP, range);
    msc_exchange(m);
}

static void msc_launch_steps(void *state, cuda_population *p, const engine_step *step,
                             const cuda_range *range, const batch_requests &all) {
    const cuda_msc *const m = (const cuda_msc *)state;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    msc_launch_batch(&m->launches, p, &s, m->machine_words, all);
}

static const cuda_batch_spins msc_batch = {msc_can_batch, msc_record_step, msc_launch_steps};

/* --- rounds --- */

/* Whether there are kernels with the flips of all groups. */
static bool can_round(const cuda_msc *m, const round_plan *plan) {
    bool can = !m->counts && plan->replicas % MACHINE_LANES == 0;
    for (size_t k = 0; k < plan->groups; k++) {
        const flip_rule *const rule = &plan->group[k].rule;
        can = can && rule->clusters == CLUSTERS_NONE &&
              m->launches.of_groups[rule->downhill == DOWNHILL_COMPLEMENT].kernel != NULL;
    }
    return can && !m->launches.kernels->cut && msc_group_unit(m->word, m->rng) == MACHINE_LANES;
}

static bool msc_prepare_rounds(void *state, cuda_population *p, const round_plan *plan) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint32_t classes = m->launches.kernels->classes;
    const size_t bytes = BERNOULLI_MOST_POINTS * sizeof *m->more_than;
    if (!can_round(m, plan))
        return false;
    cuda_array_give(m->more_than, ON_DEVICE);
    free(m->rules);
    free(m->complement);
    m->more_than = NULL;
    m->rules = (group_rule *)calloc(plan->groups, sizeof *m->rules);
    m->complement = (bool *)calloc(plan->groups, sizeof *m->complement);
    if (!m->rules || !m->complement)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for rounds");
    CUDA_CHECK(p, cuda_take(&m->more_than, plan->groups * bytes, ON_DEVICE));
    for (size_t k = 0; k < plan->groups && !p->failed; k++) {
        const bernoulli_table *const table = &plan->group[k].rule.bernoulli;
        m->rules[k] = group_rule{branches_of(table, classes), points_of(table, classes)};
        m->complement[k] = plan->group[k].rule.downhill == DOWNHILL_COMPLEMENT;
        CUDA_CHECK(p, cudaMemcpy(m->more_than + k * BERNOULLI_MOST_POINTS, table->more_than, bytes,
                                 cudaMemcpyHostToDevice));
    }
    return !p->failed;
}

static void msc_make_round(void *state, cuda_population *p, const engine_round *round,
                           const cuda_round *sees) {
    cuda_msc *const m = (cuda_msc *)state;
    const flip_rule none = {};
    const engine_step step = {
        .key = round->key, .temperature = round->temperature, .sweeps = round->sweeps};
    const cuda_range all = {p->device, 0, p->replicas, &none};
    msc_round r = {.own = population_of(m, p, &step, PART_SELECT, &all),
                   .round = *sees,
                   .more_than = m->more_than};
    for (uint32_t k = 0, groups = 0; k < sees->groups; k++) {
        const bool last = k + 1 == sees->groups || m->complement[k + 1] != m->complement[k];
        r.rule[groups++] = m->rules[k];
        if (!last && groups < ROUND_GROUPS)
            continue;
        r.first = k + 1 - groups;
        msc_launch_round(&m->launches, p, &r, groups, m->complement[k]);
        groups = 0;
    }
    msc_exchange(m);
}

static const cuda_round_spins msc_rounds = {msc_prepare_rounds, msc_make_round, NULL};

/* --- the table --- */

static uint64_t msc_unit(const engine_config *config) {
    return msc_group_unit(config->word, config->rng);
}

const cuda_spins cuda_msc_spins = {msc_sweeps,
                                   CODING_MSC,
                                   "MSC",
                                   sizeof(cuda_msc),
                                   msc_unit,
                                   msc_create,
                                   msc_destroy,
                                   msc_take_sample,
                                   msc_randomise,
                                   msc_advance,
                                   msc_shares_scratch,
                                   msc_begin,
                                   msc_ahead,
                                   msc_room,
                                   msc_save,
                                   msc_load,
                                   msc_words_from,
                                   msc_compare,
                                   msc_place_of,
                                   msc_reserve,
                                   &msc_batch,
                                   NULL,
                                   NULL,
                                   &msc_rounds,
                                   msc_exchange,
                                   msc_at_once};
