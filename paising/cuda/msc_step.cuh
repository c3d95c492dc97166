/* The kernel of a temperature step in multi-spin coding (Sec. 4). What it computes: metropolis_sweep() and
 * measure_lattice() in reference/plain.c, for 32 replicas at once, the random numbers being others.
 *
 * One kernel makes a whole temperature step: a group of threads collects the lattice of a machine word (32
 * replicas) from the parents, sweeps it theta times and measures it while it lies in shared memory, and writes
 * it back: the population is read and written once per temperature, 2/8 byte per spin. In mode `independent` a
 * thread keeps the random streams of its strips in registers, and a spin flip costs some K / 32 draws of the MWC
 * and as many three-input logic operations, K some 7 bit planes; the site itself costs 6/32 operations, its
 * memory 3/32 accesses of 16 bytes a strip, and the correction a fifth of all.
 *
 * The smallest lattices share a block. A lattice that is too large for a block's shared memory stays in device
 * memory, and its streams with it.
 *
 * With the stages apart the same kernel makes the parts of the step one by one (step_parts). */
#ifndef PAISING_CUDA_MSC_STEP_CUH
#define PAISING_CUDA_MSC_STEP_CUH

#include "msc_flips.cuh"
#include "msc_gather.cuh"
#include "msc_measure.cuh"

#define MOST_THREADS 1024

/* A kernel makes the parts for which it was compiled, or those that the step names. */
#define ANY_PARTS ((step_parts)0)

template <step_parts PARTS>
static __device__ __forceinline__ bool makes(const msc_step &step, step_parts part) {
    return ((PARTS == ANY_PARTS ? step.parts : PARTS) & part) != 0;
}

/* --- shared memory --- */

/* Counts of a lattice's lanes. */
struct lane_counts {
    uint32_t bonds[MACHINE_LANES], up[MACHINE_LANES];
};

/* The parts of a block's shared memory: its lattices, if they lie there, a board for each warp (mode
 * `independent`), and for each lattice a plan and counts. */
struct block_memory {
    uint4 *lattices;
    point_board *boards;
    gather_plan *plans;
    lane_counts *counts;
};

static size_t shared_bytes(bool in_shared, rng_mode rng, uint32_t size, uint32_t lattices, uint32_t threads) {
    const size_t lattice = in_shared ? (size_t)size * size * sizeof(uint32_t) : 0;
    const size_t boards = rng == RNG_INDEPENDENT ? threads / 32 * sizeof(point_board) : 0;
    return boards + lattices * (lattice + sizeof(gather_plan) + sizeof(lane_counts));
}

template <bool IN_SHARED, rng_mode RNG>
static __device__ __forceinline__ block_memory part_memory(uint4 *shared, const msc_step &step) {
    block_memory m;
    m.lattices = shared;
    m.boards = (point_board *)(shared + (IN_SHARED ? step.lattices * (step.size * step.size / 4) : 0));
    m.plans = (gather_plan *)(m.boards + (RNG == RNG_INDEPENDENT ? blockDim.x / 32 : 0));
    m.counts = (lane_counts *)(m.plans + step.lattices);
    return m;
}

/* --- the sweeps --- */

/* The strips of a thread, first, first + stride, ...: EACH of them at most, in registers, or any number, in
 * memory. A warp goes on together as long as one of its threads has a strip: the first, beginning at `warp`. */
template <int EACH> struct thread_strips {
    strip_place place[EACH];
    strip_stream stream[EACH];
    uint32_t first, warp, stride;
};

template <> struct thread_strips<0> {
    strip_stream *stream; /* of the whole lattice, in mode `independent` */
    uint32_t first, warp, stride;
};

template <rng_mode RNG, int EACH>
static __device__ __forceinline__ void begin_strips(thread_strips<EACH> &strips, const msc_step &step,
                                                    uint32_t owner) {
    if constexpr (EACH > 0) {
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            const uint32_t strip = strips.first + n * strips.stride;
            strips.place[n] = place_strip(step.size, strip < step.size * step.size / 16 ? strip : 0);
            strips.stream[n] = seeded_stream(step, strip, owner);
        }
    } else if (RNG == RNG_INDEPENDENT) {
        for (uint32_t strip = strips.first; strip < step.size * step.size / 16; strip += strips.stride)
            strips.stream[strip] = seeded_stream(step, strip, owner);
    }
}

/* Strip n of a thread and those after it. */
template <rng_mode RNG, int LANES, int N, int EACH>
static __device__ __forceinline__ void flip_from(thread_strips<EACH> &strips, uint4 *lattice,
                                                 const msc_step &step, sweep_place at,
                                                 point_board *board) {
    if constexpr (N < EACH) {
        at.strip = strips.first + N * strips.stride;
        if (__any_sync(FULL_WARP, at.strip < step.size * step.size / 16))
            flip_strip<RNG, LANES>(lattice, step, at, strips.place[N], strips.stream[N], board);
        flip_from<RNG, LANES, N + 1>(strips, lattice, step, at, board);
    }
}

template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void flip_loop(thread_strips<0> &strips, uint4 *lattice,
                                                 const msc_step &step, sweep_place at,
                                                 point_board *board) {
    const uint32_t end = step.size * step.size / 16;
    for (uint32_t done = 0; strips.warp + done < end; done += strips.stride) {
        at.strip = strips.first + done;
        const uint32_t strip = min(at.strip, end - 1);
        strip_stream s = {};
        if (RNG == RNG_INDEPENDENT)
            s = strips.stream[strip];
        flip_strip<RNG, LANES>(lattice, step, at, place_strip(step.size, strip), s, board);
        if (RNG == RNG_INDEPENDENT && at.strip < end)
            strips.stream[strip] = s;
    }
}

/* The sweeps of a block's lattices. */
template <rng_mode RNG, int LANES, int EACH>
static __device__ __forceinline__ void sweep_lattice(thread_strips<EACH> &strips, uint4 *lattice,
                                                     const msc_step &step, uint32_t owner, point_board *board) {
#pragma unroll 1
    for (uint32_t half_sweep = 0; half_sweep < 2 * step.sweeps; half_sweep++) {
        const sweep_place at = {owner, half_sweep, 0};
        if constexpr (EACH > 0)
            flip_from<RNG, LANES, 0>(strips, lattice, step, at, board);
        else
            flip_loop<RNG, LANES>(strips, lattice, step, at, board);
        __syncthreads();
    }
}

/* --- the other parts of a step --- */

/* Adds a thread's strips to the counts of its lattice; called by full warps, `width` neighbouring threads of
 * which serve one lattice. */
template <int EACH>
static __device__ __forceinline__ void measure_lattice(const uint4 *lattice, uint32_t size, uint32_t first,
                                                       uint32_t stride, uint32_t width,
                                                       lane_counts *counts) {
    lane_counter<EACH ? 12 : 24> bonds, up;
    bonds.clear();
    up.clear();
    for (uint32_t strip = first; strip < size * size / 16; strip += stride)
        measure_strip(lattice, size, strip, bonds, up);
    bonds.add_neighbours(width);
    up.add_neighbours(width);
    for (uint32_t lane = first % width; lane < MACHINE_LANES; lane += width) {
        atomicAdd(&counts->bonds[lane], bonds.count(lane));
        atomicAdd(&counts->up[lane], up.count(lane));
    }
}

/* Reports the replicas of machine word w from the counts of its lanes; called by a full warp. */
static __device__ void report_word(const msc_step &step, uint64_t w, const lane_counts &counts) {
    const uint32_t lane = threadIdx.x & 31;
    const uint64_t population = step.replicas.report->population;
    const msc_layout layout = msc_layout_of(step.word, step.rng, population);
    const uint64_t k = msc_replica(&layout, w * MACHINE_LANES + lane);
    const uint32_t half = step.size * step.size / 2, up = counts.up[lane];
    report_replicas(&step.replicas, k < population, k, population, counts.bonds[lane] / 2,
                    up > half ? up - half : half - up);
}

/* Machine words of the population at hand; none if it outgrew its memory. */
static __device__ uint64_t words_at_hand(const msc_step &step) {
    const uint64_t population = step.replicas.report->population;
    return population <= step.replicas.capacity ? msc_machine_words(step.word, population) : 0;
}

/* --- the kernel --- */

/* A block makes the step for its lattices, and then for those that are as far on as the grid has places. */
template <step_parts PARTS, rng_mode RNG, int LANES, int EACH, bool IN_SHARED>
static __global__ void __launch_bounds__(MOST_THREADS)
    make_step(const __grid_constant__ msc_step step) {
    const bool collects = makes<PARTS>(step, PART_SELECT), sweeps = makes<PARTS>(step, PART_SWEEP),
               measures = makes<PARTS>(step, PART_MEASURE);
    extern __shared__ uint4 shared[];
    const block_memory memory = part_memory<IN_SHARED, RNG>(shared, step);
    const uint32_t quads = step.size * step.size / 4, stride = blockDim.x / step.lattices;
    const uint32_t member = threadIdx.x % stride, group = threadIdx.x / stride, warp = threadIdx.x / 32;
    const uint64_t words = words_at_hand(step), in_flight = (uint64_t)gridDim.x * step.lattices;

    for (uint64_t first = (uint64_t)blockIdx.x * step.lattices; first < words; first += in_flight) {
        const uint64_t w = first + group;
        const uint32_t owner = step.first_word + (uint32_t)w; /* of the random streams */
        const bool active = w < words;
        uint4 *const child = (uint4 *)step.children + w * quads;
        uint4 *const lattice = IN_SHARED ? memory.lattices + group * quads : child;

        if (collects)
            for (uint32_t n = warp; n < step.lattices; n += blockDim.x / 32)
                if (first + n < words)
                    fill_plan(&memory.plans[n], step, first + n);
        if (measures)
            for (uint32_t n = threadIdx.x; n < step.lattices * 2 * MACHINE_LANES; n += blockDim.x)
                ((uint32_t *)memory.counts)[n] = 0;
        if (sweeps && RNG == RNG_INDEPENDENT)
            clear_board(&memory.boards[warp]);
        __syncthreads();

        if (active && (collects || IN_SHARED))
            for (uint32_t at = member; at < quads; at += stride)
                lattice[at] = collects ? gather(&memory.plans[group], step.parents, quads, at) : child[at];
        thread_strips<EACH> strips;
        strips.first = active ? member : quads / 4;
        strips.warp = warp * 32 % stride;
        strips.stride = stride;
        if constexpr (EACH == 0)
            strips.stream = step.streams + blockIdx.x * (quads / 4);
        if (sweeps)
            begin_strips<RNG>(strips, step, owner);
        __syncthreads();

        if (sweeps)
            sweep_lattice<RNG, LANES>(strips, lattice, step, owner, &memory.boards[warp]);

        if (measures)
            measure_lattice<EACH>(lattice, step.size, member, stride, stride < 32 ? stride : 32,
                                  &memory.counts[group]);
        if (active && IN_SHARED && (collects || sweeps))
            for (uint32_t at = member; at < quads; at += stride)
                child[at] = lattice[at];
        __syncthreads();
        if (measures)
            for (uint32_t n = warp; n < step.lattices; n += blockDim.x / 32)
                if (first + n < words)
                    report_word(step, first + n, memory.counts[n]);
        if (IN_SHARED)
            break; /* the grid has a place for each */
        __syncthreads();
    }
}

#endif
