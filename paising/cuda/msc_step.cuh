/* The kernels of a temperature step in multi-spin coding (Sec. 4). What they compute: metropolis_sweep() and
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
#ifndef PAISING_CUDA_MSC_STEP_CUH
#define PAISING_CUDA_MSC_STEP_CUH

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
    threshold_set limits;
    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
        if (RNG != RNG_INDEPENDENT && sweep % ROUNDING_SWEEPS == 0)
            limits = round_thresholds(&step.thresholds, owner, sweep);
#pragma unroll 1
        for (uint32_t parity = 0; parity < 2; parity++) {
#pragma unroll
            for (int n = 0; n < shape::each; n++)
                flip_strip<RNG, LANES>(lattice, step, limits, L, owner, sweep, parity,
                                       member + n * shape::group, streams[n]);
            __syncthreads();
        }
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

    const uint32_t member = threadIdx.x % shape::group;
    const uint32_t group = shape::lattices > 1 ? threadIdx.x / shape::group : 0;
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
    threshold_set limits;
    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
        if (RNG != RNG_INDEPENDENT && sweep % ROUNDING_SWEEPS == 0)
            limits = round_thresholds(&step.thresholds, owner, sweep);
        for (uint32_t parity = 0; parity < 2; parity++) {
            for (uint32_t strip = threadIdx.x; strip < strips; strip += LARGE_THREADS) {
                mwc m = {0, 0};
                if (RNG == RNG_INDEPENDENT)
                    m = {(uint32_t)streams[strip], (uint32_t)(streams[strip] >> 32)};
                flip_strip<RNG, LANES>(lattice, step, limits, size, owner, sweep, parity, strip, m);
                if (RNG == RNG_INDEPENDENT)
                    streams[strip] = (uint64_t)m.c << 32 | m.x;
            }
            __syncthreads();
        }
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

#endif
