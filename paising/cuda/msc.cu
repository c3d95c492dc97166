/* The multi-spin-coded engine's kernels (Sec. 4).
 *
 * One kernel makes a whole temperature step: a group of threads collects the lattice of a machine
 * word (32 replicas) from the parents, sweeps it theta times and measures it while it lies in
 * shared memory, and writes it back: the population is read and written once per temperature, 2/8
 * byte per spin. A spin flip costs about K / 32 draws of the MWC and as many three-input logic
 * operations, K some 9 bit planes, and 14/32 operations for the site itself (cuda_msc.cuh).
 *
 *   fused_step   lattices of fixed size, L = 16, 32, 64, 128: a thread holds the random streams of
 *                its strips in registers; the smallest lattices share a block
 *   large_step   any other L: a block a lattice, threads loop over the strips; the streams lie beside
 *                the lattice, in shared memory as long as both fit, else in device memory
 *
 * With the stages apart the same kernels make the parts of the step one by one (step_parts). */
#include "bytes.h"
#include "msc.h"

#include "msc.cuh"

/* --- what both kernels do around the sweeps --- */

/* Energy level and magnetisation of the replicas of machine word w, from the counts of its lanes;
 * called by a full warp. */
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

/* Four words of the lattice of machine word w, from word `at` on, as its kernel begins: collected
 * from the parents, or what stands there. */
template <step_parts PARTS>
static __device__ __forceinline__ uint4 first_words(const gather_plan *plan, const msc_step &step,
                                                    uint32_t words_each, uint64_t w, uint32_t at) {
    if (PARTS & PART_COLLECT)
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

template <step_parts PARTS, rng_mode RNG, int WORD, uint32_t L>
static __global__ void __launch_bounds__(fused_shape<L>::threads, fused_shape<L>::blocks)
    fused_step(const __grid_constant__ msc_step step) {
    typedef fused_shape<L> shape;
    constexpr bool collects = PARTS & PART_COLLECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    extern __shared__ uint4 shared[];
    uint32_t *const lattices = (uint32_t *)shared;
    gather_plan *const plans = (gather_plan *)(lattices + shape::lattices * shape::words);
    uint32_t(*const counts)[2][MACHINE_LANES] =
        (uint32_t(*)[2][MACHINE_LANES])(plans + shape::lattices);

    const uint32_t member = threadIdx.x % shape::group, group = threadIdx.x / shape::group;
    const uint64_t first_word = (uint64_t)blockIdx.x * shape::lattices;
    const uint64_t w = first_word + group, words = words_at_hand(step);
    const bool active = w < words;
    uint32_t *const lattice = lattices + group * shape::words;
    if (first_word >= words)
        return;

    if (collects)
        for (uint32_t n = threadIdx.x / 32; n < shape::lattices; n += shape::threads / 32)
            if (first_word + n < words)
                make_plan(&plans[n], step, first_word + n);
    if (measures)
        for (uint32_t n = threadIdx.x; n < shape::lattices * 2 * MACHINE_LANES; n += shape::threads)
            ((uint32_t *)counts)[n] = 0;
    __syncthreads();

    if (active)
        for (uint32_t at = 4 * member; at < shape::words; at += 4 * shape::group)
            *(uint4 *)(lattice + at) = first_words<PARTS>(&plans[group], step, shape::words, w, at);
    mwc streams[shape::each];
    if (sweeps && RNG == RNG_INDEPENDENT)
#pragma unroll
        for (int n = 0; n < shape::each; n++)
            streams[n] = mwc_seeded(step, member + n * shape::group, (uint32_t)w);
    __syncthreads();

    if (sweeps)
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
#pragma unroll 1
            for (uint32_t parity = 0; parity < 2; parity++) {
#pragma unroll
                for (int n = 0; n < shape::each; n++)
                    flip_strip<RNG, WORD>(lattice, step, L, (uint32_t)w, sweep, parity,
                                          member + n * shape::group, streams[n]);
                __syncthreads();
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

template <step_parts PARTS, rng_mode RNG, int WORD, bool IN_SHARED>
static __global__ void __launch_bounds__(LARGE_THREADS)
    large_step(const __grid_constant__ msc_step step) {
    constexpr bool collects = PARTS & PART_COLLECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    extern __shared__ uint4 shared[];
    __shared__ gather_plan plan;
    __shared__ uint32_t counts[2][MACHINE_LANES];
    const uint32_t size = step.size, words_each = size * size, strips = words_each / 16;
    const uint64_t words = words_at_hand(step);

    for (uint64_t w = blockIdx.x; w < words; w += gridDim.x) {
        uint32_t *const child = step.children + w * words_each;
        uint32_t *const lattice = IN_SHARED ? (uint32_t *)shared : child;
        uint64_t *const streams = IN_SHARED ? (uint64_t *)(lattice + words_each)
                                            : step.streams + (uint64_t)blockIdx.x * strips;
        if (collects && threadIdx.x < 32)
            make_plan(&plan, step, w);
        if (measures && threadIdx.x < 2 * MACHINE_LANES)
            ((uint32_t *)counts)[threadIdx.x] = 0;
        __syncthreads();

        if (collects || IN_SHARED)
            for (uint32_t at = 4 * threadIdx.x; at < words_each; at += 4 * LARGE_THREADS)
                *(uint4 *)(lattice + at) = first_words<PARTS>(&plan, step, words_each, w, at);
        if (sweeps && RNG == RNG_INDEPENDENT)
            for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS) {
                const mwc m = mwc_seeded(step, strip, (uint32_t)w);
                streams[strip] = (uint64_t)m.c << 32 | m.x;
            }
        __syncthreads();

        if (sweeps)
            for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
                for (uint32_t parity = 0; parity < 2; parity++) {
                    for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS) {
                        mwc m = {0, 0};
                        if (RNG == RNG_INDEPENDENT)
                            m = {(uint32_t)streams[strip], (uint32_t)(streams[strip] >> 32)};
                        flip_strip<RNG, WORD>(lattice, step, size, (uint32_t)w, sweep, parity,
                                              strip, m);
                        if (RNG == RNG_INDEPENDENT)
                            streams[strip] = (uint64_t)m.c << 32 | m.x;
                    }
                    __syncthreads();
                }

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

/* --- beginnings, and copies for save and load --- */

static __global__ void randomise(uint32_t *spins, uint64_t quads_each, uint64_t quads,
                                 stream_key key) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n < quads) {
        const stream_block b = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(n % quads_each),
                                           (uint32_t)(n / quads_each), 0, 0);
        ((uint4 *)spins)[n] = make_uint4(b.number[0], b.number[1], b.number[2], b.number[3]);
    }
}

/* A thread a byte of eight sites. */
static __global__ void save_bytes(const uint32_t *spins, uint64_t words_each, msc_layout layout,
                                  uint64_t first, uint64_t count, uint8_t *bytes) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count * words_each / 8)
        return;
    const uint64_t slot = msc_slot(&layout, first + n / (words_each / 8));
    const uint32_t *const site =
        spins + slot / MACHINE_LANES * words_each + n % (words_each / 8) * 8;
    uint32_t byte = 0;
    for (int i = 0; i < 8; i++)
        byte |= (site[i] >> slot % MACHINE_LANES & 1) << i;
    bytes[n] = (uint8_t)byte;
}

static __global__ void load_bytes(uint32_t *spins, uint64_t words_each, msc_layout layout,
                                  uint64_t first, uint64_t count, const uint8_t *bytes) {
    const uint64_t n = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count * words_each / 8)
        return;
    const uint64_t slot = msc_slot(&layout, first + n / (words_each / 8));
    const uint32_t lane = 1u << slot % MACHINE_LANES;
    uint32_t *const site = spins + slot / MACHINE_LANES * words_each + n % (words_each / 8) * 8;
    for (int i = 0; i < 8; i++) {
        if (bytes[n] >> i & 1)
            atomicOr(&site[i], lane);
        else
            atomicAnd(&site[i], ~lane);
    }
}

/* --- launches --- */

static unsigned blocks_for(uint64_t items, unsigned threads) {
    return (unsigned)((items + threads - 1) / threads);
}

static size_t large_shared_bytes(uint32_t size) {
    const size_t words = (size_t)size * size, strips = words / 16;
    return words * sizeof(uint32_t) + strips * sizeof(uint64_t);
}

/* Whether large_step finds room for a lattice and its streams in shared memory, beside what it always
 * needs there. */
static bool fits_in_block(uint32_t size, size_t shared_limit) {
    return large_shared_bytes(size) + sizeof(gather_plan) + 2 * MACHINE_LANES * sizeof(uint32_t) +
               64 <=
           shared_limit;
}

template <step_parts PARTS, rng_mode RNG, int WORD, uint32_t L>
static void launch_fused(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    typedef fused_shape<L> shape;
    const auto kernel = fused_step<PARTS, RNG, WORD, L>;
    CUDA_CHECK(p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)shape::shared_bytes));
    kernel<<<blocks_for(m->machine_words, shape::lattices), shape::threads, shape::shared_bytes,
             p->stream>>>(step);
    cuda_check_launch(p, "fused_step (MSC)");
}

template <step_parts PARTS, rng_mode RNG, int WORD, bool IN_SHARED>
static void launch_large(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    const auto kernel = large_step<PARTS, RNG, WORD, IN_SHARED>;
    const size_t bytes = IN_SHARED ? large_shared_bytes(m->size) : 0;
    CUDA_CHECK(
        p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<m->concurrent, LARGE_THREADS, bytes, p->stream>>>(step);
    cuda_check_launch(p, "large_step (MSC)");
}

template <step_parts PARTS, rng_mode RNG, int WORD>
static void launch_any_size(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    if (fits_in_block(m->size, p->shared_limit))
        launch_large<PARTS, RNG, WORD, true>(m, p, step);
    else
        launch_large<PARTS, RNG, WORD, false>(m, p, step);
}

/* The modes that are meant to be fast. */
template <step_parts PARTS, rng_mode RNG, int WORD>
static void launch_fast(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    if (m->size == 16)
        launch_fused<PARTS, RNG, WORD, 16>(m, p, step);
    else if (m->size == 32)
        launch_fused<PARTS, RNG, WORD, 32>(m, p, step);
    else if (m->size == 64)
        launch_fused<PARTS, RNG, WORD, 64>(m, p, step);
    else if (m->size == 128 && fused_shape<128>::shared_bytes <= p->shared_limit)
        launch_fused<PARTS, RNG, WORD, 128>(m, p, step);
    else
        launch_any_size<PARTS, RNG, WORD>(m, p, step);
}

/* The modes in which p decides which lanes share a Philox number. */
template <step_parts PARTS, int WORD>
static void launch_word(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    if (m->rng == RNG_LCG)
        launch_fast<PARTS, RNG_LCG, WORD>(m, p, step);
    else
        launch_any_size<PARTS, RNG_SHARED, WORD>(m, p, step);
}

template <step_parts PARTS>
static void launch_mode(const cuda_msc *m, cuda_population *p, const msc_step &step) {
    if (m->rng == RNG_INDEPENDENT)
        launch_fast<PARTS, RNG_INDEPENDENT, MACHINE_LANES>(m, p, step);
    else if (m->rng == RNG_PHILOX)
        launch_any_size<PARTS, RNG_PHILOX, MACHINE_LANES>(m, p, step);
    else if (m->word == 8)
        launch_word<PARTS, 8>(m, p, step);
    else if (m->word == 16)
        launch_word<PARTS, 16>(m, p, step);
    else if (m->word == 32)
        launch_word<PARTS, 32>(m, p, step);
    else
        launch_word<PARTS, 64>(m, p, step);
}

/* Collecting and measuring draw no random numbers: one kernel does it for every mode. */
static void launch_step(const cuda_msc *m, cuda_population *p, const msc_step &step,
                        step_parts parts) {
    if (p->failed)
        return;
    switch (parts) {
    case WHOLE_STEP:
        return launch_mode<WHOLE_STEP>(m, p, step);
    case PART_COLLECT:
        return launch_fast<PART_COLLECT, RNG_INDEPENDENT, MACHINE_LANES>(m, p, step);
    case PART_SWEEP:
        return launch_mode<PART_SWEEP>(m, p, step);
    case PART_MEASURE:
        return launch_fast<PART_MEASURE, RNG_INDEPENDENT, MACHINE_LANES>(m, p, step);
    }
}

/* --- the engine's part --- */

/* Blocks that large_step keeps in flight. */
static int large_blocks(void) {
    int device = 0, multiprocessors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    return multiprocessors;
}

uint32_t cuda_msc_stream_blocks(uint32_t size) {
    return fits_in_block(size, cuda_shared_limit()) ? 0 : (uint32_t)large_blocks();
}

static uint64_t stream_bytes(uint32_t size) {
    return cuda_msc_stream_bytes(size, cuda_msc_stream_blocks(size));
}

int cuda_msc_create(cuda_msc *m, cuda_population *p, const engine_config *config) {
    *m = cuda_msc{};
    m->size = config->size;
    m->word = config->word;
    m->rng = config->rng;
    m->machine_words = msc_machine_words(config->word, config->capacity);
    m->concurrent = large_blocks();
    const uint64_t bytes = cuda_msc_spin_bytes(config);
    CUDA_CHECK(p, cudaMalloc(&m->spins, bytes));
    CUDA_CHECK(p, cudaMalloc(&m->next, bytes));
    if (stream_bytes(m->size))
        CUDA_CHECK(p, cudaMalloc(&m->streams, stream_bytes(m->size)));
    return p->failed ? -1 : 0;
}

void cuda_msc_destroy(cuda_msc *m) {
    cudaFree(m->spins);
    cudaFree(m->next);
    cudaFree(m->streams);
}

void cuda_msc_randomise(cuda_msc *m, cuda_population *p, stream_key key) {
    if (p->failed)
        return;
    const uint64_t quads_each = (uint64_t)m->size * m->size / 4;
    const uint64_t quads = quads_each * msc_machine_words(m->word, p->replicas);
    randomise<<<blocks_for(quads, 256), 256, 0, p->stream>>>(m->spins, quads_each, quads, key);
    cuda_check_launch(p, "randomise (MSC)");
}

void cuda_msc_step(cuda_msc *m, cuda_population *p, const engine_step *step, step_parts parts) {
    const bool collects = parts & PART_COLLECT;
    const msc_step s = {.replicas = p->device,
                        .parents = m->spins,
                        .children = collects ? m->next : m->spins,
                        .streams = m->streams,
                        .parent_count = p->replicas,
                        .size = m->size,
                        .word = m->word,
                        .rng = m->rng,
                        .sweeps = step->sweeps,
                        .temperature = step->temperature,
                        .key = step->key,
                        .threshold = {step->threshold[0], step->threshold[1]},
                        .bernoulli = step->bernoulli};
    launch_step(m, p, s, parts);
    if (collects) {
        uint32_t *const parents = m->spins;
        m->spins = m->next;
        m->next = parents;
    }
}

void cuda_msc_measure(cuda_msc *m, cuda_population *p) {
    const msc_step s = {.replicas = p->device,
                        .children = m->spins,
                        .size = m->size,
                        .word = m->word,
                        .rng = m->rng};
    launch_step(m, p, s, PART_MEASURE);
}

void cuda_msc_save(cuda_msc *m, cuda_population *p, uint64_t replicas, uint64_t first,
                   uint64_t count, uint8_t *bytes) {
    const uint64_t words_each = (uint64_t)m->size * m->size;
    save_bytes<<<blocks_for(count * words_each / 8, 256), 256, 0, p->stream>>>(
        m->spins, words_each, msc_layout_of(m->word, m->rng, replicas), first, count, bytes);
    cuda_check_launch(p, "save_bytes (MSC)");
}

void cuda_msc_load(cuda_msc *m, cuda_population *p, uint64_t replicas, uint64_t first,
                   uint64_t count, const uint8_t *bytes) {
    const uint64_t words_each = (uint64_t)m->size * m->size;
    load_bytes<<<blocks_for(count * words_each / 8, 256), 256, 0, p->stream>>>(
        m->spins, words_each, msc_layout_of(m->word, m->rng, replicas), first, count, bytes);
    cuda_check_launch(p, "load_bytes (MSC)");
}
