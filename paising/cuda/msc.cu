/* The multi-spin-coded engine (Sec. 4): its memory, which kernel makes which part of a step (msc_step.cuh),
 * and their launches. */
#include "msc.h"

#include "bytes.h"
#include "msc_copies.cuh"
#include "msc_slabs.cuh"
#include "msc_step.cuh"

#include <string.h>

/* --- kernels and launches --- */

/* A kernel of a step (make_step), for some parts of it in a mode. */
struct msc_kernel {
    void (*function)(const msc_step);
    step_parts parts;
    rng_mode rng;
    uint32_t lanes; /* of a word in a machine word, in modes `shared` and `lcg`; 32 in the others */
    uint32_t
        each; /* strips that a thread keeps in registers, at most; 0: it loops over its strips */
    bool in_shared; /* the lattice lies in shared memory */
};

/* How it is launched. */
typedef struct {
    const msc_kernel *kernel;
    uint32_t lattices, threads; /* of a block */
    size_t shared_bytes;
} msc_launch;

/* The spins of a population in multi-spin coding. */
typedef struct {
    uint32_t size; /* L */
    uint32_t word; /* p */
    rng_mode rng;
    uint64_t machine_words; /* capacity */
    uint32_t *spins; /* device [machine_words][L^2], bit = lane (msc_layout.h, msc_strip.cuh) */
    uint32_t *next;  /* the same, for the resampled population, or packed */
    void *scratch;   /* device, where a lattice is too large for a block (msc_request.cuh) */
    slab_cut cut;    /* then, in mode `independent`, for the sweeps; no slabs: it is not cut */
    int concurrent; /* blocks in flight, one a multiprocessor, where lattices lie in device memory */
    msc_launch launch[WHOLE_STEP + 1]; /* by step_parts: what makes them */
} cuda_msc;

static unsigned blocks_for(uint64_t items, unsigned threads) {
    return (unsigned)((items + threads - 1) / threads);
}

template <step_parts PARTS, rng_mode RNG, int LANES, int EACH, bool IN_SHARED>
static constexpr msc_kernel kernel_of() {
    return {make_step<PARTS, RNG, LANES, EACH, IN_SHARED>, PARTS, RNG, LANES, EACH, IN_SHARED};
}

#define KEPT(PARTS, EACH) kernel_of<PARTS, RNG_INDEPENDENT, MACHINE_LANES, EACH, true>()
#define INDEPENDENT(PARTS)                                                                         \
    KEPT(PARTS, 1), KEPT(PARTS, 2), KEPT(PARTS, 3),                                                \
        kernel_of<PARTS, RNG_INDEPENDENT, MACHINE_LANES, 0, false>()
#define COMPARISON(RNG, LANES)                                                                     \
    kernel_of<PART_SWEEP, RNG, LANES, 0, true>(), kernel_of<PART_SWEEP, RNG, LANES, 0, false>()
#define LCG(LANES) kernel_of<PART_SWEEP, RNG_LCG, LANES, 1, true>(), COMPARISON(RNG_LCG, LANES)

/* Every combination that a launch can ask for. The modes that compare numbers have kernels for the sweeps alone, and in
 * these code for one p: beside other code they would want for registers and predicates. */
static const msc_kernel kernels[] = {INDEPENDENT(WHOLE_STEP),
                                     INDEPENDENT(PART_SELECT),
                                     INDEPENDENT(PART_SWEEP),
                                     INDEPENDENT(PART_MEASURE),
                                     LCG(8),
                                     LCG(16),
                                     LCG(MACHINE_LANES),
                                     COMPARISON(RNG_SHARED, 8),
                                     COMPARISON(RNG_SHARED, 16),
                                     COMPARISON(RNG_SHARED, MACHINE_LANES),
                                     COMPARISON(RNG_PHILOX, MACHINE_LANES)};

#define FULL_BLOCK 64 /* threads of a block that holds several of the smallest lattices */
#define MOST_EACH  3  /* strips of a thread, as far as threads are enough */

static uint32_t strips_of(uint32_t size) {
    return size * size / 16;
}

/* A block for a kernel whose threads have so many strips, or more if there are not enough threads. */
static msc_launch launch_of(const msc_kernel *kernel, uint32_t size, uint32_t each) {
    const uint32_t strips = strips_of(size);
    msc_launch l = {.kernel = kernel, .lattices = 1};
    if (strips < FULL_BLOCK && FULL_BLOCK % strips == 0 && kernel->in_shared)
        l.lattices = FULL_BLOCK / strips;
    l.threads = (l.lattices * strips / each + 31) / 32 * 32;
    if (!kernel->each && l.threads > MOST_THREADS)
        l.threads = MOST_THREADS;
    l.shared_bytes =
        shared_bytes(kernel->parts, kernel->rng, kernel->in_shared, size, l.lattices, l.threads);
    return l;
}

/* Strips that threads of a kernel may have. */
static bool may_have(const msc_kernel *kernel, uint32_t each) {
    return kernel->each ? each == kernel->each : kernel->in_shared || each == 1;
}

/* Whether a block can be so large, with its memory; of a lattice that shares its block threads have one strip. */
static bool is_possible(const msc_launch *l, uint32_t size, uint32_t each, int shared_limit) {
    const bool whole_warps = each == 1 || strips_of(size) >= FULL_BLOCK;
    return whole_warps && l->threads <= MOST_THREADS && l->shared_bytes <= (size_t)shared_limit;
}

/* Whether a lattice and the correction of its strips find room in a block's shared memory. */
static bool fits_in_block(uint32_t size, int shared_limit) {
    for (const msc_kernel &kernel : kernels) {
        if (kernel.rng != RNG_INDEPENDENT || !(kernel.parts & PART_SWEEP) || !kernel.in_shared)
            continue;
        const msc_launch l = launch_of(&kernel, size, kernel.each);
        if (is_possible(&l, size, kernel.each, shared_limit))
            return true;
    }
    return false;
}

/* Strips that a multiprocessor has at work at a time, on the average over a half sweep; less something where only one
 * block is there, which does nothing while it waits for its last thread. */
static double strips_at_work(const msc_launch *l, uint32_t size, int blocks) {
    const uint32_t strips = l->lattices * strips_of(size);
    return (blocks > 1 ? blocks : 0.9 * blocks) * strips / ((strips + l->threads - 1) / l->threads);
}

/* Picks the kernel for some parts that keeps the device busiest. */
static msc_launch pick_launch(cuda_population *p, step_parts parts, rng_mode rng, uint32_t word,
                              uint32_t size) {
    msc_launch best = {};
    double most = 0;
    /* Collecting and measuring draw no random numbers: one kernel does it for every mode. */
    if (!(parts & PART_SWEEP))
        rng = RNG_INDEPENDENT;
    if (rng == RNG_SHARED_REORDER)
        rng = RNG_SHARED;
    const bool asks =
        rng == RNG_SHARED || rng == RNG_LCG; /* for p; the others draw for each lane */
    const uint32_t lanes = asks && word < MACHINE_LANES ? word : MACHINE_LANES;
    for (const msc_kernel &kernel : kernels)
        for (uint32_t each = 1; each <= MOST_EACH; each++) {
            msc_launch l = launch_of(&kernel, size, each);
            if (kernel.rng != rng || kernel.lanes != lanes || !may_have(&kernel, each) ||
                kernel.parts != parts || !is_possible(&l, size, each, p->shared_limit) ||
                (best.kernel && !kernel.in_shared))
                continue;
            int blocks = 0;
            cuda_allow_shared(p, (const void *)kernel.function, l.shared_bytes);
            CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                              &blocks, kernel.function, (int)l.threads, l.shared_bytes));
            if (strips_at_work(&l, size, blocks) > most || !best.kernel) {
                most = strips_at_work(&l, size, blocks);
                best = l;
            }
        }
    return best;
}

/* Lets the sweeps be made by slabs where lattices are too large for a block. */
static void prepare_slabs(cuda_msc *m, cuda_population *p) {
    int blocks = 0;
    if (p->failed || m->rng != RNG_INDEPENDENT || fits_in_block(m->size, p->shared_limit))
        return;
    const slab_cut cut = cut_lattice(m->size, (uint32_t)m->concurrent, (size_t)p->shared_limit);
    if (cut.slabs == 0)
        return;
    const size_t bytes = slab_shared_bytes(m->size, cut.rows);
    cuda_allow_shared(p, (const void *)sweep_slabs, bytes);
    CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sweep_slabs, MOST_THREADS,
                                                                bytes));
    if (blocks > 0)
        m->cut = cut;
}

static void launch_slabs(const cuda_msc *m, cuda_population *p, msc_step *step) {
    const unsigned blocks = m->cut.lattices * m->cut.slabs;
    slab_cut cut = m->cut;
    void *arguments[] = {step, &cut};
    if (p->failed)
        return;
    CUDA_CHECK(p, cudaMemsetAsync(m->scratch, 0, post_bytes(m->size, cut), p->stream));
    CUDA_CHECK(p,
               cudaLaunchCooperativeKernel(sweep_slabs, dim3(blocks), dim3(MOST_THREADS), arguments,
                                           slab_shared_bytes(m->size, cut.rows), p->stream));
}

/* Makes some parts of a step for the machine words of a range: together, or where what sweeps does nothing else, one
 * after the other. */
static void launch_step(const cuda_msc *m, cuda_population *p, msc_step *step, step_parts parts,
                        uint64_t words) {
    const bool alone = parts & PART_SWEEP && (m->cut.slabs || !m->launch[parts].kernel);
    if (alone && parts & PART_SELECT)
        launch_step(m, p, step, PART_SELECT, words);
    if (p->failed)
        return;
    if (alone && m->cut.slabs) {
        launch_slabs(m, p, step);
    } else {
        const msc_launch *const l = &m->launch[alone ? PART_SWEEP : parts];
        const unsigned blocks =
            l->kernel->in_shared ? blocks_for(words, l->lattices) : (unsigned)m->concurrent;
        step->lattices = l->lattices;
        l->kernel->function<<<blocks, l->threads, l->shared_bytes, p->stream>>>(*step);
        cuda_check_launch(p, "make_step (MSC)");
    }
    if (alone && parts & PART_MEASURE)
        launch_step(m, p, step, PART_MEASURE, words);
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
        CUDA_CHECK(p, cudaMalloc(&m->scratch, stream_bytes));
    for (const step_parts parts : {PART_SELECT, PART_SWEEP, PART_MEASURE, WHOLE_STEP})
        m->launch[parts] = pick_launch(p, parts, m->rng, m->word, m->size);
    prepare_slabs(m, p);
    return p->failed ? -1 : 0;
}

static void msc_destroy(void *state) {
    cuda_msc *const m = (cuda_msc *)state;
    cudaFree(m->spins);
    cudaFree(m->next);
    cudaFree(m->scratch);
}

static void msc_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_msc *const m = (cuda_msc *)state;
    if (p->failed)
        return;
    const uint64_t quads_each = (uint64_t)m->size * m->size / 4;
    const uint64_t quads = quads_each * msc_machine_words(m->word, p->replicas);
    randomise<<<blocks_for(quads, 256), 256, 0, p->stream>>>(m->spins, m->size, quads, key);
    cuda_check_launch(p, "randomise (MSC)");
}

static void msc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    cuda_msc *const m = (cuda_msc *)state;
    const bool collects = parts & PART_SELECT;
    const uint64_t first_word = range->first / MACHINE_LANES;
    uint32_t *const children = collects ? m->next : m->spins;
    msc_step s = {.replicas = range->replicas,
                  .parents = m->spins,
                  .children = children + first_word * m->size * m->size,
                  .scratch = m->scratch,
                  .parent_count = p->replicas,
                  .size = m->size,
                  .word = m->word,
                  .rng = m->rng,
                  .sweeps = step->sweeps,
                  .temperature = step->temperature,
                  .key = step->key,
                  .thresholds = step_rounding(step, range->rule),
                  .planes = branches_of(&range->rule->bernoulli),
                  .points = points_of(&range->rule->bernoulli),
                  .first_word = (uint32_t)first_word};
    launch_step(m, p, &s, parts, msc_machine_words(m->word, range->most));
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
        m->spins, m->size, msc_layout_of(m->word, m->rng, replicas), first, count, msc_room(m),
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

static bool msc_sweeps(const spin_model *model) {
    return strcmp(model->name, square_kind.name) == 0 && model->edge[0] == model->edge[1];
}

const cuda_spins cuda_msc_spins = {msc_sweeps,  CODING_MSC, "MSC",       sizeof(cuda_msc),
                                   msc_unit,    msc_create, msc_destroy, msc_randomise,
                                   msc_advance, msc_room,   msc_save,    msc_load};
