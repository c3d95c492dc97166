/* The multi-spin-coded engine's kernels (Sec. 4). What they compute: metropolis_sweep() and
 * measure_lattice() in reference/plain.c, for 32 replicas at once, the random numbers being others.
 *
 * One kernel makes a whole temperature step: a group of threads collects the lattice of a machine word (32
 * replicas) from the parents, sweeps it theta times and measures it while it lies in shared memory, and writes
 * it back: the population is read and written once per temperature, 2/8 byte per spin. A spin flip costs about
 * K / 32 draws of the MWC and as many three-input logic operations, K some 9 bit planes, and 14/32 operations
 * for the site itself (msc_flips.cuh).
 *
 *   fused_step   lattices of fixed size, L = 16, 32, 64, 128: a thread holds the random streams of
 *                its strips in registers; the smallest lattices share a block
 *   large_step   any other L: a block a lattice, threads loop over the strips; the streams lie beside
 *                the lattice, in shared memory as long as both fit, else in device memory
 *
 * With the stages apart the same kernels make the parts of the step one by one (step_parts). */
#include "msc.h"

#include "bytes.h"
#include "msc_copies.cuh"
#include "msc_flips.cuh"
#include "msc_measure.cuh"

/* --- what both kernels do around the sweeps --- */

/* A kernel makes the parts for which it was compiled, or those that the step names. */
#define ANY_PARTS ((step_parts)0)

template <step_parts PARTS>
static __device__ __forceinline__ bool makes(const msc_step &step, step_parts part) {
    return ((PARTS == ANY_PARTS ? step.parts : PARTS) & part) != 0;
}

/* Reports the replicas of machine word w from the counts of its lanes; called by a full warp. */
static __device__ void report_word(const msc_step &step, uint64_t w, const uint32_t *bonds,
                                   const uint32_t *up) {
    const uint32_t lane = threadIdx.x & 31;
    const uint64_t population = step.replicas.report->population;
    const msc_layout layout = msc_layout_of(step.word, step.rng, population);
    const uint64_t k = msc_replica(&layout, w * MACHINE_LANES + lane);
    const uint32_t half = step.size * step.size / 2;
    const uint32_t half_m = up[lane] > half ? up[lane] - half : half - up[lane];
    report_replicas(&step.replicas, k < population, k, population, bonds[lane] / 2, half_m);
}

/* Machine words of the population at hand; none if it outgrew its memory. */
static __device__ uint64_t words_at_hand(const msc_step &step) {
    const uint64_t population = step.replicas.report->population;
    return population <= step.replicas.capacity ? msc_machine_words(step.word, population) : 0;
}

/* Four words of machine word w, from word `at` on: collected from the parents, or what stands there. */
static __device__ __forceinline__ uint4 first_words(bool collects, const gather_plan *plan,
                                                    const msc_step &step, uint32_t words_each,
                                                    uint64_t w, uint32_t at) {
    if (collects)
        return gather(plan, step.parents, words_each, at);
    return *(const uint4 *)(step.children + w * words_each + at);
}

/* --- lattices of fixed size --- */

/* How a block is laid out: STRIPS strips a lattice, each thread serving EACH of them. */
template <uint32_t L> struct fused_shape {
    static constexpr uint32_t strips = L * L / 16;
    static constexpr uint32_t each = strips > 512 ? 2 : 1;
    static constexpr uint32_t group = strips / each; /* threads a lattice */
    static constexpr uint32_t lattices = group < 32 ? 32 / group : 1;
    static constexpr uint32_t threads = group * lattices;
    static constexpr uint32_t blocks = threads < 64 ? 16 : 1024 / threads; /* a multiprocessor */
    static constexpr uint32_t words = L * L;
    static constexpr size_t shared_bytes =
        lattices * (words * sizeof(uint32_t) + sizeof(gather_plan) + 2 * MACHINE_LANES * 4);
};

/* The sweeps of a lattice. Mode `lcg` asks for p before them, by a branch that all threads take alike: in
 * the loop it would cost a thirtieth. */
template <rng_mode RNG, int LANES, uint32_t L>
static __device__ __forceinline__ void sweep_fused(uint32_t *lattice, const msc_step &step,
                                                   uint32_t owner, uint32_t member, mwc streams[]) {
    typedef fused_shape<L> shape;
    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
#pragma unroll 1
        for (uint32_t parity = 0; parity < 2; parity++) {
#pragma unroll
            for (int n = 0; n < shape::each; n++)
                flip_strip<RNG, LANES>(lattice, step, L, owner, sweep, parity,
                                       member + n * shape::group, streams[n]);
            __syncthreads();
        }
}

template <step_parts PARTS, rng_mode RNG, uint32_t L>
static __global__ void __launch_bounds__(fused_shape<L>::threads, fused_shape<L>::blocks)
    fused_step(const __grid_constant__ msc_step step) {
    typedef fused_shape<L> shape;
    const bool collects = makes<PARTS>(step, PART_SELECT), sweeps = makes<PARTS>(step, PART_SWEEP),
               measures = makes<PARTS>(step, PART_MEASURE);
    extern __shared__ uint4 shared[];
    uint32_t *const lattices = (uint32_t *)shared;
    gather_plan *const plans = (gather_plan *)(lattices + shape::lattices * shape::words);
    uint32_t(*const counts)[2][MACHINE_LANES] =
        (uint32_t(*)[2][MACHINE_LANES])(plans + shape::lattices);

    const uint32_t member = threadIdx.x % shape::group, group = threadIdx.x / shape::group;
    const uint64_t first_word = (uint64_t)blockIdx.x * shape::lattices;
    const uint64_t w = first_word + group, words = words_at_hand(step);
    const uint32_t owner = step.first_word + (uint32_t)w; /* of the random streams */
    const bool active = w < words;
    uint32_t *const lattice = lattices + group * shape::words;
    if (first_word >= words)
        return;

    if (collects)
        for (uint32_t n = threadIdx.x / 32; n < shape::lattices; n += shape::threads / 32)
            if (first_word + n < words)
                fill_plan(&plans[n], step, first_word + n);
    if (measures)
        for (uint32_t n = threadIdx.x; n < shape::lattices * 2 * MACHINE_LANES; n += shape::threads)
            ((uint32_t *)counts)[n] = 0;
    __syncthreads();

    if (active)
        for (uint32_t at = 4 * member; at < shape::words; at += 4 * shape::group)
            *(uint4 *)(lattice + at) =
                first_words(collects, &plans[group], step, shape::words, w, at);
    mwc streams[shape::each];
    if (sweeps && RNG == RNG_INDEPENDENT)
#pragma unroll
        for (int n = 0; n < shape::each; n++)
            streams[n] = mwc_seeded(step, member + n * shape::group, owner);
    __syncthreads();

    if (sweeps) {
        if (RNG != RNG_LCG || step.word >= MACHINE_LANES)
            sweep_fused<RNG, MACHINE_LANES, L>(lattice, step, owner, member, streams);
        else if (step.word == 16)
            sweep_fused<RNG, 16, L>(lattice, step, owner, member, streams);
        else
            sweep_fused<RNG, 8, L>(lattice, step, owner, member, streams);
    }

    if (measures) {
        lane_counter<12> bonds, up;
        bonds.clear();
        up.clear();
#pragma unroll
        for (int n = 0; n < shape::each; n++)
            measure_strip(lattice, L, member + n * shape::group, bonds, up);
        const uint32_t neighbours = shape::group < 32 ? shape::group : 32;
        bonds.add_neighbours(neighbours);
        up.add_neighbours(neighbours);
        for (uint32_t lane = member % neighbours; lane < MACHINE_LANES; lane += neighbours) {
            atomicAdd(&counts[group][0][lane], bonds.count(lane));
            atomicAdd(&counts[group][1][lane], up.count(lane));
        }
    }
    if (active && (collects || sweeps))
        for (uint32_t at = 4 * member; at < shape::words; at += 4 * shape::group)
            *(uint4 *)(step.children + w * shape::words + at) = *(const uint4 *)(lattice + at);
    if (measures) {
        __syncthreads();
        for (uint32_t n = threadIdx.x / 32; n < shape::lattices; n += shape::threads / 32)
            if (first_word + n < words)
                report_word(step, first_word + n, counts[n][0], counts[n][1]);
    }
}

/* --- lattices of any size --- */

#define LARGE_THREADS 1024

/* As sweep_fused, the streams in memory. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void sweep_large(uint32_t *lattice, uint64_t *streams,
                                                   const msc_step &step, uint32_t owner) {
    const uint32_t size = step.size, strips = size * size / 16;
    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
        for (uint32_t parity = 0; parity < 2; parity++) {
            for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS) {
                mwc m = {0, 0};
                if (RNG == RNG_INDEPENDENT)
                    m = {(uint32_t)streams[strip], (uint32_t)(streams[strip] >> 32)};
                flip_strip<RNG, LANES>(lattice, step, size, owner, sweep, parity, strip, m);
                if (RNG == RNG_INDEPENDENT)
                    streams[strip] = (uint64_t)m.c << 32 | m.x;
            }
            __syncthreads();
        }
}

template <step_parts PARTS, rng_mode RNG, int LANES, bool IN_SHARED>
static __global__ void __launch_bounds__(LARGE_THREADS)
    large_step(const __grid_constant__ msc_step step) {
    const bool collects = makes<PARTS>(step, PART_SELECT), sweeps = makes<PARTS>(step, PART_SWEEP),
               measures = makes<PARTS>(step, PART_MEASURE);
    extern __shared__ uint4 shared[];
    __shared__ gather_plan plan;
    __shared__ uint32_t counts[2][MACHINE_LANES];
    const uint32_t size = step.size, words_each = size * size, strips = words_each / 16;
    const uint64_t words = words_at_hand(step);

    for (uint64_t w = blockIdx.x; w < words; w += gridDim.x) {
        uint32_t *const child = step.children + w * words_each;
        const uint32_t owner = step.first_word + (uint32_t)w; /* of the random streams */
        uint32_t *const lattice = IN_SHARED ? (uint32_t *)shared : child;
        uint64_t *const streams = IN_SHARED ? (uint64_t *)(lattice + words_each)
                                            : step.streams + (uint64_t)blockIdx.x * strips;
        if (collects && threadIdx.x < 32)
            fill_plan(&plan, step, w);
        if (measures && threadIdx.x < 2 * MACHINE_LANES)
            ((uint32_t *)counts)[threadIdx.x] = 0;
        __syncthreads();

        if (collects || IN_SHARED)
            for (uint32_t at = 4 * threadIdx.x; at < words_each; at += 4 * LARGE_THREADS)
                *(uint4 *)(lattice + at) = first_words(collects, &plan, step, words_each, w, at);
        if (sweeps && RNG == RNG_INDEPENDENT)
            for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS) {
                const mwc m = mwc_seeded(step, strip, owner);
                streams[strip] = (uint64_t)m.c << 32 | m.x;
            }
        __syncthreads();

        if (sweeps)
            sweep_large<RNG, LANES>(lattice, streams, step, owner);

        if (measures) {
            lane_counter<24> bonds, up;
            bonds.clear();
            up.clear();
            for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS)
                measure_strip(lattice, size, strip, bonds, up);
            bonds.add_neighbours(32);
            up.add_neighbours(32);
            const uint32_t lane = threadIdx.x & 31;
            atomicAdd(&counts[0][lane], bonds.count(lane));
            atomicAdd(&counts[1][lane], up.count(lane));
        }
        if (IN_SHARED && (collects || sweeps))
            for (uint32_t at = 4 * threadIdx.x; at < words_each; at += 4 * LARGE_THREADS)
                *(uint4 *)(child + at) = *(const uint4 *)(lattice + at);
        __syncthreads();
        if (measures && threadIdx.x < 32)
            report_word(step, w, counts[0], counts[1]);
        __syncthreads();
    }
}

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
                        .threshold = {range->rule->threshold[0], range->rule->threshold[1]},
                        .bernoulli = range->rule->bernoulli,
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

static void msc_save(void *state, cuda_population *p, uint64_t replicas, uint64_t first,
                     uint64_t count) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint64_t words_each = (uint64_t)m->size * m->size;
    save_bytes<<<blocks_for(count * words_each / 8, 256), 256, 0, p->stream>>>(
        m->spins, words_each, msc_layout_of(m->word, m->rng, replicas), first, count, msc_room(m));
    cuda_check_launch(p, "save_bytes (MSC)");
}

static void msc_load(void *state, cuda_population *p, uint64_t replicas, uint64_t first,
                     uint64_t count) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint64_t words_each = (uint64_t)m->size * m->size;
    load_bytes<<<blocks_for(count * words_each / 8, 256), 256, 0, p->stream>>>(
        m->spins, words_each, msc_layout_of(m->word, m->rng, replicas), first, count, msc_room(m));
    cuda_check_launch(p, "load_bytes (MSC)");
}

static uint64_t msc_unit(const engine_config *config) {
    return msc_group_unit(config->word, config->rng);
}

const cuda_spins cuda_msc_spins = {"square",    CODING_MSC, "MSC",       sizeof(cuda_msc),
                                   msc_unit,    msc_create, msc_destroy, msc_randomise,
                                   msc_advance, msc_room,   msc_save,    msc_load};
