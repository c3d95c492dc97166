/* The multi-spin-coded engine (Sec. 4): its memory, its replicas out and in, and its table. Its steps are in steps.cu. */
#include "cuda/msc/msc.h"

#include "cuda/device/arrays.h"
#include "cuda/device/blocks.h"
#include "cuda/engine/bytes.h"
#include "cuda/msc/couplings.h"
#include "cuda/msc/state.h"
#include "engine/strips.h"

#include <stdlib.h>

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

static bool msc_shares_scratch(const void *state) {
    return ((const cuda_msc *)state)->scratch != NULL;
}

static const void *msc_stored(const void *state, uint64_t replicas, uint64_t *bytes) {
    const cuda_msc *const s = (const cuda_msc *)state;
    *bytes = msc_machine_words(s->word, replicas) * words_each(s) * sizeof *s->spins;
    return s->spins;
}

static uint64_t msc_at_once(const void *state) {
    const msc_launches *const l = &((const cuda_msc *)state)->launches;
    const msc_launch *const sweep = &l->launch[false][PART_SWEEP];
    const bool shares = sweep->kernel && sweep->kernel->in_shared;
    return MACHINE_LANES * (shares ? RESIDENT_THREADS / sweep->threads * sweep->lattices : 1);
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
                   most = parts < MOST_ROWS_OF_BLOCKS ? parts : MOST_ROWS_OF_BLOCKS;
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

/* --- the table --- */

static uint64_t msc_unit(const engine_config *config) {
    return msc_group_unit(config->word, config->rng);
}

const cuda_spins cuda_msc_spins = {
    .sweeps = msc_sweeps,
    .coding = CODING_MSC,
    .name = "MSC",
    .state_bytes = sizeof(cuda_msc),
    .group_unit = msc_unit,
    .create = msc_create,
    .destroy = msc_destroy,
    .take_sample = msc_take_sample,
    .randomise = msc_randomise,
    .step = msc_advance,
    .shares_scratch = msc_shares_scratch,
    .begin = msc_begin,
    .ahead = msc_ahead,
    .room = msc_room,
    .save = msc_save,
    .load = msc_load,
    .words = msc_words_from,
    .compare = msc_compare,
    .place_of = msc_place_of,
    .reserve = msc_reserve,
    .batched = &msc_batch,
    .rounds = &msc_rounds,
    .exchange = msc_exchange,
    .stored = msc_stored,
    .at_once = msc_at_once,
};
