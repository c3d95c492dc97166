/* The multi-spin-coded engine (Sec. 4): its memory, which kernel makes which part of a step (msc_step.cuh),
 * and their launches. */
#include "msc.h"

#include "bytes.h"
#include "msc_copies.cuh"
#include "msc_step.cuh"

/* --- kernels and launches --- */

/* The spins of a population in multi-spin coding. */
typedef struct {
    uint32_t size; /* L */
    uint32_t word; /* p */
    rng_mode rng;
    uint64_t machine_words; /* capacity */
    uint32_t *spins;        /* device [machine_words][2][L][L/2], bit = lane (msc_layout.h) */
    uint32_t *next;         /* the same, for the resampled population, or packed */
    uint64_t *streams;      /* device, MWC states where a lattice is too large for one block */
    int concurrent;         /* blocks that large_step keeps in flight: one a multiprocessor */
    const struct msc_kernel *kernel[WHOLE_STEP + 1]; /* by step_parts: what makes them */
} cuda_msc;

static unsigned blocks_for(uint64_t items, unsigned threads) {
    return (unsigned)((items + threads - 1) / threads);
}

static size_t large_shared_bytes(uint32_t size) {
    const size_t words = (size_t)size * size, strips = words / 16;
    return words * sizeof(uint32_t) + strips * sizeof(uint64_t);
}

/* Whether large_step finds room for a lattice and its streams in shared memory, beside what it always
 * needs there. */
static bool fits_in_block(uint32_t size, int shared_limit) {
    return large_shared_bytes(size) + sizeof(gather_plan) + 2 * MACHINE_LANES * sizeof(uint32_t) +
               64 <=
           (size_t)shared_limit;
}

/* A kernel of a step, and how it is launched. */
struct msc_kernel {
    void (*function)(const msc_step);
    uint32_t size;       /* the L that it is for; 0: any */
    uint32_t threads;    /* a block */
    uint32_t lattices;   /* a block; 0: blocks in flight loop over the lattices */
    bool in_shared;      /* the lattice lies in shared memory */
    size_t shared_bytes; /* a block, if for one L */
};

template <step_parts PARTS, rng_mode RNG, uint32_t L> static constexpr msc_kernel fused() {
    typedef fused_shape<L> shape;
    return {fused_step<PARTS, RNG, L>, L,    shape::threads,
            shape::lattices,           true, shape::shared_bytes};
}

template <step_parts PARTS, rng_mode RNG, int LANES, bool IN_SHARED>
static constexpr msc_kernel large() {
    return {large_step<PARTS, RNG, LANES, IN_SHARED>, 0, LARGE_THREADS, 0, IN_SHARED, 0};
}

/* The kernels that make some parts of a step in a mode: the first that suits L serves, the last suits any. */
struct kernels_by_size {
    step_parts parts;
    rng_mode rng;
    uint32_t lanes; /* of a word in a machine word, in modes `shared` and `lcg`; 32 in the others */
    msc_kernel kernel[6];
};

template <step_parts PARTS, rng_mode RNG, int LANES>
static constexpr kernels_by_size for_any_size() {
    return {
        PARTS, RNG, LANES, {large<PARTS, RNG, LANES, true>(), large<PARTS, RNG, LANES, false>()}};
}

/* The modes that are meant to be fast. */
template <step_parts PARTS, rng_mode RNG, int LANES>
static constexpr kernels_by_size for_each_size() {
    return {PARTS,
            RNG,
            LANES,
            {fused<PARTS, RNG, 16>(), fused<PARTS, RNG, 32>(), fused<PARTS, RNG, 64>(),
             fused<PARTS, RNG, 128>(), large<PARTS, RNG, LANES, true>(),
             large<PARTS, RNG, LANES, false>()}};
}

/* Every combination that pick_kernel can ask for. Where a kernel has no registers to spare (large_step of
 * mode `lcg`) or draws little (mode `shared`), code for one p is up to a fifth slower beside that for others. */
static const kernels_by_size kernels[] = {
    for_each_size<WHOLE_STEP, RNG_INDEPENDENT, MACHINE_LANES>(),
    for_each_size<PART_SELECT, RNG_INDEPENDENT, MACHINE_LANES>(),
    for_each_size<PART_SWEEP, RNG_INDEPENDENT, MACHINE_LANES>(),
    for_each_size<PART_MEASURE, RNG_INDEPENDENT, MACHINE_LANES>(),
    for_each_size<ANY_PARTS, RNG_LCG, 8>(),
    for_each_size<ANY_PARTS, RNG_LCG, 16>(),
    for_each_size<ANY_PARTS, RNG_LCG, MACHINE_LANES>(),
    for_any_size<ANY_PARTS, RNG_SHARED, 8>(),
    for_any_size<ANY_PARTS, RNG_SHARED, 16>(),
    for_any_size<ANY_PARTS, RNG_SHARED, MACHINE_LANES>(),
    for_any_size<ANY_PARTS, RNG_PHILOX, MACHINE_LANES>()};

static bool suits(const msc_kernel *kernel, uint32_t size, int shared_limit) {
    if (kernel->size)
        return kernel->size == size && kernel->shared_bytes <= (size_t)shared_limit;
    return !kernel->in_shared || fits_in_block(size, shared_limit);
}

static const msc_kernel *pick_kernel(step_parts parts, rng_mode rng, uint32_t word, uint32_t size,
                                     int shared_limit) {
    /* Collecting and measuring draw no random numbers: one kernel does it for every mode. */
    if (!(parts & PART_SWEEP))
        rng = RNG_INDEPENDENT;
    if (rng == RNG_SHARED_REORDER)
        rng = RNG_SHARED;
    const kernels_by_size *row = kernels;
    const bool asks =
        rng == RNG_SHARED || rng == RNG_LCG; /* for p; the others draw for each lane */
    const uint32_t lanes = asks && word < MACHINE_LANES ? word : MACHINE_LANES;
    while (row->rng != rng || (row->parts != parts && row->parts != ANY_PARTS) ||
           row->lanes != lanes)
        row++;
    const msc_kernel *kernel = row->kernel;
    while (!suits(kernel, size, shared_limit))
        kernel++;
    return kernel;
}

static size_t dynamic_bytes(const msc_kernel *kernel, uint32_t size) {
    if (kernel->size)
        return kernel->shared_bytes;
    return kernel->in_shared ? large_shared_bytes(size) : 0;
}

/* Picks the kernels of all parts, and lets them have their shared memory. */
static void prepare_kernels(cuda_msc *m, cuda_population *p) {
    for (const step_parts parts : {PART_SELECT, PART_SWEEP, PART_MEASURE, WHOLE_STEP}) {
        const msc_kernel *const kernel =
            pick_kernel(parts, m->rng, m->word, m->size, p->shared_limit);
        m->kernel[parts] = kernel;
        cuda_allow_shared(p, (const void *)kernel->function, dynamic_bytes(kernel, m->size));
    }
}

static void launch_step(const cuda_msc *m, cuda_population *p, const msc_step &step,
                        uint64_t words) {
    const msc_kernel *const kernel = m->kernel[step.parts];
    if (p->failed)
        return;
    const unsigned blocks =
        kernel->lattices ? blocks_for(words, kernel->lattices) : (unsigned)m->concurrent;
    kernel->function<<<blocks, kernel->threads, dynamic_bytes(kernel, m->size), p->stream>>>(step);
    cuda_check_launch(p, kernel->size ? "fused_step (MSC)" : "large_step (MSC)");
}

/* --- the engine's part --- */

/* The blocks that keep MWC states in device memory, on a device of so many multiprocessors. */
static uint32_t stream_blocks(uint32_t size, int shared_limit, int multiprocessors) {
    return fits_in_block(size, shared_limit) ? 0 : (uint32_t)multiprocessors;
}

cudaError_t cuda_msc_stream_blocks(uint32_t size, uint32_t *blocks) {
    int shared_limit = 0, multiprocessors = 0;
    cudaError_t error = cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_limit);
    if (!error)
        error = cuda_attribute(cudaDevAttrMultiProcessorCount, &multiprocessors);
    *blocks = stream_blocks(size, shared_limit, multiprocessors);
    return error;
}

static int msc_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_msc *const m = (cuda_msc *)state;
    *m = cuda_msc{};
    m->size = config->model.edge[0];
    m->word = config->word;
    m->rng = config->rng;
    m->machine_words = msc_machine_words(config->word, config->capacity);
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &m->concurrent));
    const uint64_t bytes = cuda_msc_spin_bytes(config);
    const uint64_t stream_bytes =
        cuda_msc_stream_bytes(m->size, stream_blocks(m->size, p->shared_limit, m->concurrent));
    CUDA_CHECK(p, cudaMalloc(&m->spins, bytes));
    CUDA_CHECK(p, cudaMalloc(&m->next, bytes));
    if (stream_bytes)
        CUDA_CHECK(p, cudaMalloc(&m->streams, stream_bytes));
    prepare_kernels(m, p);
    return p->failed ? -1 : 0;
}

static void msc_destroy(void *state) {
    cuda_msc *const m = (cuda_msc *)state;
    cudaFree(m->spins);
    cudaFree(m->next);
    cudaFree(m->streams);
}

static void msc_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_msc *const m = (cuda_msc *)state;
    if (p->failed)
        return;
    const uint64_t quads_each = (uint64_t)m->size * m->size / 4;
    const uint64_t quads = quads_each * msc_machine_words(m->word, p->replicas);
    randomise<<<blocks_for(quads, 256), 256, 0, p->stream>>>(m->spins, quads_each, quads, key);
    cuda_check_launch(p, "randomise (MSC)");
}

static void msc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    cuda_msc *const m = (cuda_msc *)state;
    const bool collects = parts & PART_SELECT;
    const uint64_t first_word = range->first / MACHINE_LANES;
    uint32_t *const children = collects ? m->next : m->spins;
    const msc_step s = {.replicas = range->replicas,
                        .parents = m->spins,
                        .children = children + first_word * m->size * m->size,
                        .streams = m->streams,
                        .parent_count = p->replicas,
                        .size = m->size,
                        .word = m->word,
                        .rng = m->rng,
                        .sweeps = step->sweeps,
                        .temperature = step->temperature,
                        .key = step->key,
                        .thresholds = step_rounding(step, range->rule),
                        .bernoulli = step_bernoulli(step, range->rule),
                        .parts = parts,
                        .first_word = (uint32_t)first_word};
    launch_step(m, p, s, msc_machine_words(m->word, range->most));
    if (collects) {
        uint32_t *const parents = m->spins;
        m->spins = m->next;
        m->next = parents;
    }
}

static uint8_t *msc_room(void *state) {
    return (uint8_t *)((cuda_msc *)state)->next;
}

static void copy(cuda_msc *m, cuda_population *p, uint64_t replicas, uint64_t first, uint64_t count,
                 bool load) {
    const uint64_t words_each = (uint64_t)m->size * m->size;
    copy_bytes<<<blocks_for(count * words_each / 8, 256), 256, 0, p->stream>>>(
        m->spins, words_each, msc_layout_of(m->word, m->rng, replicas), first, count, msc_room(m),
        load);
    cuda_check_launch(p, "copy_bytes (MSC)");
}

static void msc_save(void *state, cuda_population *p, uint64_t replicas, uint64_t first,
                     uint64_t count) {
    copy((cuda_msc *)state, p, replicas, first, count, false);
}

static void msc_load(void *state, cuda_population *p, uint64_t replicas, uint64_t first,
                     uint64_t count) {
    copy((cuda_msc *)state, p, replicas, first, count, true);
}

static uint64_t msc_unit(const engine_config *config) {
    return msc_group_unit(config->word, config->rng);
}

const cuda_spins cuda_msc_spins = {"square",    CODING_MSC, "MSC",       sizeof(cuda_msc),
                                   msc_unit,    msc_create, msc_destroy, msc_randomise,
                                   msc_advance, msc_room,   msc_save,    msc_load};
