/* The kernel of a temperature step in multi-spin coding (Sec. 4). It equals update_word() in
 * reference/plain_msc.h and measure_lattice() in reference/plain.c, for 32 replicas at once.
 *
 * The selection (select/selection.cu) has found the parents. One kernel makes the rest of the step:
 * a group of threads collects the lattice of a machine word (32 replicas) from the parents, sweeps
 * it theta times, measures it and writes it back. Meanwhile the lattice is in shared memory. So the
 * population is read and written once for each temperature, 2/8 byte a spin.
 *
 * In mode `independent` a thread keeps the random streams of its strips in registers. A word of 32
 * spins then costs some 55 instructions a sweep: four for each of some 7 bit planes, three of them
 * for the random number; 7 for the site; 2 for memory; 7 for the correction. The rest are branches
 * and addresses. On the cubic lattice a site takes some 12 instructions, with couplings 22.
 *
 * The smallest lattices share a block. A lattice that is too large for a block's shared memory is
 * swept in slabs (slabs.cuh). Where that is impossible, lattice and streams stay in device memory.
 *
 * With separate stages, and in the modes that compare numbers, the same kernel makes the parts of
 * the step one by one (step_parts). */
#ifndef PAISING_CUDA_MSC_STEP_CUH
#define PAISING_CUDA_MSC_STEP_CUH

#include "cuda/device/prelaunch.cuh"
#include "cuda/msc/flips.cuh"
#include "cuda/msc/gather.cuh"
#include "cuda/msc/kernels.cuh"
#include "cuda/msc/measure.cuh"
#include "cuda/report/publish.cuh"

/* --- shared memory --- */

/* Parts of a block's shared memory: its lattices, if they are there; for the sweeps of mode
 * `independent` a board for each warp; a plan and counts for each lattice; and the end of the
 * launch's words. */
struct block_memory {
    uint32_t boards; /* offset in bytes */
    gather_plan *plans;
    lane_counts *counts;
    uint32_t *end;
};

template <typename LATTICE>
static __host__ __device__ constexpr size_t board_bytes(step_parts parts, rng_mode rng) {
    return rng == RNG_INDEPENDENT && parts & PART_SWEEP ? sizeof(point_board<LATTICE::words>) : 0;
}

template <typename LATTICE>
static size_t block_bytes(const msc_kernel &kernel, const lattice_shape &shape, uint32_t lattices,
                          uint32_t threads) {
    const size_t lattice = kernel.in_shared ? shape.quads * sizeof(uint4) : 0;
    return boards_behind(lattices * lattice) +
           threads / 32 * board_bytes<LATTICE>(kernel.parts, kernel.rng) +
           lattices * (sizeof(gather_plan) + sizeof(lane_counts)) + sizeof(uint32_t);
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, bool IN_SHARED>
static __device__ __forceinline__ block_memory part_memory(uint4 *shared,
                                                           const msc_population &own) {
    block_memory m;
    m.boards = IN_SHARED ? boards_behind(own.lattices * own.shape.quads * sizeof(uint4)) : 0;
    m.plans = (gather_plan *)((char *)shared + m.boards +
                              blockDim.x / 32 * board_bytes<LATTICE>(PARTS, RNG));
    m.counts = (lane_counts *)(m.plans + own.lattices);
    m.end = (uint32_t *)(m.counts + own.lattices);
    return m;
}

/* --- the sweeps --- */

/* Strips of a thread: first, first + stride, ..., as far as they exist. In a block's place without
 * lattice, `first` is far behind the last strip. */
struct thread_strips {
    uint32_t first, stride;
    uint32_t lattice; /* offset of their lattice in bytes */
    uint32_t owner;   /* machine word that numbers their streams */
};

/* Rounds the thresholds in the sweeps where this is due. */
template <rng_mode RNG, typename STEP>
static __device__ __forceinline__ void round_limits(const STEP &step, sweep_place &at) {
    if constexpr (RNG != RNG_INDEPENDENT)
        if (at.half_sweep % (2 * ROUNDING_SWEEPS) == 0)
            at.limits = round_thresholds(&step.thresholds, at.machine_word, at.half_sweep / 2);
}

/* Makes the sweeps with the streams in registers. */
template <typename LATTICE, rng_mode RNG, int LANES, int EACH, typename STEP>
static __device__ __forceinline__ void sweep_kept(const STEP &step, const msc_population &own,
                                                  const thread_strips &strips, sweep_place at) {
    kept_strips<LATTICE, EACH> k;
#pragma unroll
    for (int n = 0; n < EACH; n++) {
        const uint32_t strip = strips.first + n * strips.stride;
        k.place[n] = LATTICE::place_of(step.own.shape, strip, strips.lattice);
        k.bonds[n] = LATTICE::bonds_of(own.shape, strip);
        k.group[n] = kept(strips_of_group(step.points, step.own.shape.strips, strip));
        k.stream[n] = seeded_stream(own, strip, strips.owner);
    }
    if constexpr (keeps_spins<LATTICE, RNG, EACH>())
        k.spins = load_spins<LATTICE>(at, k.place[0], has_strip<RNG>(at, k.place[0], k.group[0]));
#pragma unroll 1
    for (at.half_sweep = 0; at.half_sweep < 2 * step.own.sweeps; at.half_sweep++) {
        round_limits<RNG>(step, at);
        flip_strips<LATTICE, RNG, LANES, 0, EACH>(k, step, at);
        __syncthreads();
    }
}

/* Makes the sweeps of any number of strips, with the streams in memory, if the mode has any. */
template <typename LATTICE, rng_mode RNG, int LANES>
static __device__ __forceinline__ void sweep_loop(const msc_step &step, const msc_population &own,
                                                  const thread_strips &strips, sweep_place at,
                                                  strip_stream *streams) {
    const uint32_t all = step.own.shape.strips;
    if (RNG == RNG_INDEPENDENT)
        for (uint32_t strip = strips.first; strip < all; strip += strips.stride)
            streams[strip] = seeded_stream(own, strip, strips.owner);
#pragma unroll 1
    for (at.half_sweep = 0; at.half_sweep < 2 * step.own.sweeps; at.half_sweep++) {
        round_limits<RNG>(step, at);
        for (uint32_t strip = strips.first; __any_sync(FULL_WARP, strip < all);
             strip += strips.stride) {
            const typename LATTICE::place place =
                LATTICE::place_of(step.own.shape, strip, strips.lattice);
            strip_stream s = {};
            if (RNG == RNG_INDEPENDENT && strip < all)
                s = streams[strip];
            const uint32_t group = strips_of_group(step.points, all, strip);
            strip_spins spins = load_spins<LATTICE>(at, place, has_strip<RNG>(at, place, group));
            flip_strip<LATTICE, RNG, LANES>(step, at, place, LATTICE::bonds_of(own.shape, strip),
                                            group, s, spins);
            if (RNG == RNG_INDEPENDENT && strip < all)
                streams[strip] = s;
        }
        __syncthreads();
    }
}

/* --- the other parts of a step --- */

/* Adds a thread's strips to the counts of its lattice. Threads: full warps, in which `width`
 * adjacent threads have one lattice. */
template <typename LATTICE, int EACH>
static __device__ __forceinline__ void measure_lattice(void *lattices, const lattice_shape &shape,
                                                       const thread_strips &strips, uint32_t width,
                                                       lane_counts *counts) {
    static_assert(EACH * LATTICE::strip_bonds < 1 << 7, "counters of a thread's strips");
    lattice_counters<EACH ? 7 : 19> sum = {}; /* of EACH strips; of as many as memory holds */
    for (uint32_t strip = strips.first; strip < shape.strips; strip += strips.stride) {
        const strip_counters c =
            LATTICE::count(lattices, shape, LATTICE::place_of(shape, strip, strips.lattice),
                           LATTICE::bonds_of(shape, strip));
        sum.bonds.add(c.bonds);
        sum.up.add(c.up);
    }
    add_counters(sum, width, counts);
}

/* Parts of a word's report. They take long, so that different warps make them. */
enum report_part { REPORT_LEVELS, REPORT_BLOCKS, REPORT_FOUNDERS, REPORT_PARTS };

/* Makes a part of the report of machine word w from the counts of its lanes. Threads: a full
 * warp. */
template <bool CUT>
static __device__ void report_word(const msc_population &own, const msc_place &place, uint32_t w,
                                   const lane_counts &counts, report_part part) {
    const uint32_t lane = threadIdx.x & 31;
    const uint64_t population = children_of(own.replicas, place.interval);
    const msc_layout layout = msc_layout_of(own.word, own.rng, population);
    const uint64_t k = msc_replica(&layout, (uint64_t)w * MACHINE_LANES + lane);
    const uint32_t half = sites_of(own.shape) / 2, up = counts.up[lane];
    /* In units of 4, and of 2. */
    const uint32_t levels = own.levels.lowest_and_shift;
    const uint32_t level = CUT ? (counts.bonds[lane] - (levels >> 1)) >> (levels & 1)
                               : counts.bonds[lane] / 2,
                   order = up > half ? up - half : half - up;
    const bool is_replica = k < population;
    if (part == REPORT_LEVELS)
        report_levels(&own.replicas, is_replica, k, level, order);
    else if (part == REPORT_BLOCKS)
        report_blocks(&own.replicas, &place.interval, is_replica, k, population, level, order);
    else
        report_founders(&own.replicas, is_replica, k + place.inherited, level);
}

/* --- the kernel --- */

/* Reads the number of the block again, so that no register keeps it. */
static __device__ __forceinline__ uint32_t block_number() {
    uint32_t number;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
    return number;
}

/* Makes the step for the block's lattices, and then for those that follow by as many as the grid
 * has places. `step` has the flip rule; `own` and `place` are the population and its place, which
 * differ from those in `step` in a launch batch. */
template <typename LATTICE, step_parts PARTS, rng_mode RNG, int LANES, int EACH, bool IN_SHARED>
static __device__ __forceinline__ void make_step_of(const msc_step &step, const msc_population &own,
                                                    const msc_place &place) {
    constexpr bool collects = PARTS & PART_SELECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const block_memory memory = part_memory<LATTICE, PARTS, RNG, IN_SHARED>(shared, step.own);
    const uint32_t quads = step.own.shape.quads, stride = blockDim.x / step.own.lattices;
    const uint32_t member = threadIdx.x % stride, group = threadIdx.x / stride,
                   warp = threadIdx.x / 32;
    const uint32_t words = words_at_hand(own, place), in_flight = gridDim.x * step.own.lattices;
    if (threadIdx.x == 0) /* the sweeps have no register for it */
        *memory.end = words;

    for (uint32_t first = blockIdx.x * step.own.lattices; first < words; first += in_flight) {
        const uint32_t w = word_at(place, first + group);
        const bool active = first + group < words;
        uint4 *const child = (uint4 *)own.children + (uint64_t)w * quads;
        uint4 *const lattice = IN_SHARED ? shared + group * quads : child;
        const thread_strips strips = {
            active ? member : NO_STRIP / 2, stride, /* beyond the last, by any stride */
            IN_SHARED ? place_in_window(lattice) : 0, place.first_word + w};
        void *const lattices = IN_SHARED ? shared_window() : child;

        if (collects)
            for (uint32_t n = warp; n < step.own.lattices; n += blockDim.x / 32)
                if (first + n < words)
                    fill_plan(&memory.plans[n], own, place, word_at(place, first + n));
        if (measures)
            for (uint32_t n = threadIdx.x; n < step.own.lattices * 2 * MACHINE_LANES;
                 n += blockDim.x)
                ((uint32_t *)memory.counts)[n] = 0;
        __syncthreads();

        if (active && collects)
            for (uint32_t at = member; at < quads; at += GATHERED_QUADS * stride) {
                const uint32_t distance = at + (GATHERED_QUADS - 1) * stride < quads ? stride : 0;
                store_gathered(
                    lattice, at, distance,
                    gather(&memory.plans[group], (const uint4 *)own.parents + at, quads, distance));
            }
        else if (active && IN_SHARED)
            for (uint32_t at = member; at < quads; at += stride)
                lattice[at] = child[at];
        __syncthreads();

        if (sweeps) {
            sweep_place at = {strips.owner, 0, lattices, LATTICE::distances(step.own.shape),
                              {},           {}};
            if (RNG == RNG_INDEPENDENT)
                at.board = place_on_board<LATTICE::words>(place_in_window(shared) + memory.boards,
                                                          step.points.group);
            if constexpr (EACH > 0)
                sweep_kept<LATTICE, RNG, LANES, EACH>(step, own, strips, at);
            else
                sweep_loop<LATTICE, RNG, LANES>(step, own, strips, at,
                                                (strip_stream *)own.scratch +
                                                    blockIdx.x * (uint64_t)step.own.shape.strips);
        }

        if (measures) {
            allow_next_launch(); /* lets publish become resident; earlier it would take room */
            measure_lattice<LATTICE, EACH>(lattices, own.shape, strips, stride < 32 ? stride : 32,
                                           &memory.counts[group]);
        }
        /* The block computes again where its lattices belong: the sweeps have no register for that
         * either. */
        const uint32_t swept = IN_SHARED ? block_number() * step.own.lattices : first,
                       end = *memory.end;
        if (swept + group < end && IN_SHARED && (collects || sweeps)) {
            uint4 *const to =
                (uint4 *)own.children + (uint64_t)word_at(place, swept + group) * quads;
#pragma unroll 4
            for (uint32_t at = member; at < quads; at += stride)
                to[at] = lattice[at];
        }
        __syncthreads();
        if (measures)
            for (uint32_t n = warp; n < REPORT_PARTS * step.own.lattices; n += blockDim.x / 32)
                if (swept + n / REPORT_PARTS < end)
                    report_word<LATTICE::cut>(own, place, word_at(place, swept + n / REPORT_PARTS),
                                              memory.counts[n / REPORT_PARTS],
                                              (report_part)(n % REPORT_PARTS));
        if (IN_SHARED)
            break; /* the grid has a place for each */
        __syncthreads();
    }
}

template <typename LATTICE, step_parts PARTS, rng_mode RNG, int LANES, int EACH, bool IN_SHARED>
static __global__ void __launch_bounds__(MOST_THREADS)
    make_step(const __grid_constant__ msc_step step) {
    await_launch_before();
    make_step_of<LATTICE, PARTS, RNG, LANES, EACH, IN_SHARED>(step, step.own, step.own.place);
}

/* The same with the place from a mailbox, or from `step` if `number` is 0. One kernel serves both,
 * since launches of both kinds alternate. */
template <typename LATTICE, int EACH>
static __global__ void __launch_bounds__(MOST_THREADS)
    make_prelaunched_step(const __grid_constant__ msc_step step, const device_mailbox *device,
                          uint32_t number) {
    __shared__ msc_place place;
    if (number == 0) {
        await_launch_before();
        fetch_request(&place, &step.own.place);
    } else if (!mailbox_await(&place, sizeof place, device, number)) {
        return;
    }
    make_step_of<LATTICE, WHOLE_STEP, RNG_INDEPENDENT, MACHINE_LANES, EACH, true>(step, step.own,
                                                                                  place);
}

/* The same for a launch batch: equal flip rules, EACH strips a thread, lattices in shared
 * memory. */
template <typename LATTICE, int EACH>
static __global__ void __launch_bounds__(MOST_THREADS)
    make_batch_steps(const __grid_constant__ msc_step step,
                     const __grid_constant__ batch_requests all) {
    __shared__ msc_population own;
    fetch_own_request(&own, all);
    make_step_of<LATTICE, WHOLE_STEP, RNG_INDEPENDENT, MACHINE_LANES, EACH, true>(step, own,
                                                                                  own.place);
    publish_when_last(own.replicas);
}

#endif
