/* The kernel of a temperature step in single-spin coding (Sec. 3). It equals sweep_lattice() and
 * measure_lattice() in reference/plain.c bit for bit, and for other models cpu/ssc_lattice.c.
 *
 * One kernel makes a whole temperature step. A group of threads reads some parents, sweeps them
 * theta times, measures them and writes the children. Meanwhile the lattices are in shared memory,
 * or in device memory where they are too large. So a spin costs two bytes of traffic to device
 * memory for each temperature.
 *
 * During the step a register holds eight spins in its nibbles: four sites of two lattices
 * (quads.cuh), or one site of eight lattices (octets.cuh). A thread updates the sites of a quad
 * (engine/streams.h) at once. The work of a single flip is a quarter of a Philox call, less what
 * lattices share of it (engine/ssc_numbers.h), and a comparison with the threshold of its energy.
 * Octets look the threshold up; quads compare with all thresholds, which are in registers.
 *
 * With separate stages the same kernel makes the parts of the step one by one (step_parts). */
#ifndef PAISING_CUDA_SSC_STEP_CUH
#define PAISING_CUDA_SSC_STEP_CUH

#include "cuda/device/launches.cuh"
#include "cuda/ssc/flips.cuh"

/* Adds what the block's threads have counted, and reports its replicas from `first` on. `sums` has
 * room for all of them. All threads of the block must call it, with zero counts for missing
 * replicas. */
template <class LATTICES>
static __device__ __forceinline__ void report_block(const ssc_step &step, spin_counts *sums,
                                                    const spin_counts *seen, uint64_t first,
                                                    uint64_t population) {
    constexpr uint32_t together = LATTICES::together;
    const uint32_t threads = LATTICES::threads(), group = LATTICES::group(step),
                   replicas = together * (threads / group), mine = threadIdx.x / group * together;
    for (uint32_t n = threadIdx.x; n < replicas; n += threads)
        sums[n] = spin_counts{0, 0};
    __syncthreads();
#pragma unroll
    for (uint32_t n = 0; n < together; n++) {
        spin_counts add = seen[n];
        if (group >= 32) {
            const uint64_t both = warp_sum((uint64_t)add.ups << 32 | add.bonds);
            add = spin_counts{(uint32_t)both, (uint32_t)(both >> 32)};
        }
        if (group < 32 || threadIdx.x % 32 == 0) {
            atomicAdd(&sums[mine + n].bonds, add.bonds);
            atomicAdd(&sums[mine + n].ups, add.ups);
        }
    }
    __syncthreads();
    for (uint32_t n = threadIdx.x; n / 32 * 32 < replicas; n += threads) {
        const bool counts = n < replicas && first + n < population;
        const uint32_t up = counts ? sums[n].ups : 0, half = step.half_sites;
        uint32_t level = counts ? sums[n].bonds / 2 : 0;
        const uint32_t order = up > half ? up - half : half - up;
        if (LATTICES::cut && counts)
            level = (sums[n].bonds - step.lowest) >> step.level_shift;
        report_levels(&step.replicas, counts, first + n, level, order);
        report_blocks(&step.replicas, &step.replicas.interval, counts, first + n, population, level,
                      order);
        report_founders(&step.replicas, counts, first + n, level);
    }
}

/* Makes parts of the step for the replicas of a block, if there are any. */
template <class LATTICES, step_parts PARTS>
static __device__ __forceinline__ void step_block(const ssc_step &step) {
    constexpr bool collects = PARTS & PART_SELECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    constexpr uint32_t together = LATTICES::together;
    extern __shared__ uint4 shared[];
    __shared__ spin_counts sums[LATTICES::most_replicas];
    const uint64_t population = step.replicas.report->population;
    const uint32_t group = LATTICES::group(step), threads = LATTICES::threads();
    const uint64_t first_of_block = (uint64_t)blockIdx.x * (together * (threads / group));
    if (population > step.replicas.capacity || first_of_block >= population)
        return;
    /* Missing replicas at the end are replaced by the last one. */
    const uint64_t first = first_of_block + together * (threadIdx.x / group), last = population - 1;
    const bool active = first <= last;
    LATTICES lattices(step, shared, first, last);

    if (active)
        lattices.template load<collects>(step, first, last);
    __syncthreads();

    if (sweeps)
        for (uint32_t sweep = 0; sweep < step.sweeps;) {
            if (halt_asked(step.replicas, sweep))
                break;
            lattices.begin_turn(step, first, last, sweep);
            const uint32_t turn_end = min(step.sweeps, sweep + ROUNDING_SWEEPS);
#pragma unroll 1
            for (; sweep < turn_end; sweep++) {
                lattices.begin_sweep(step, first, last, sweep);
#pragma unroll 1
                for (uint32_t parity = 0; parity < 2; parity++) {
                    if (active)
                        lattices.sweep_sub_lattice(step, parity);
                    lattices.wait(step);
                }
            }
        }

    spin_counts seen[together] = {};
    if (measures) /* lets publish become resident */
        allow_next_launch();
    if (active && measures)
        lattices.measure(seen, step);
    if (LATTICES::in_place) /* children overwrite what is measured */
        __syncthreads();
    if (active && (collects || sweeps || LATTICES::in_place))
        lattices.store(step, first, last);
    if (measures)
        report_block<LATTICES>(step, sums, seen, first_of_block, population);
}

template <class LATTICES, step_parts PARTS>
static __global__ void __launch_bounds__(LATTICES::most_threads, LATTICES::blocks_at_once)
    step_replicas(const __grid_constant__ ssc_step step) {
    step_block<LATTICES, PARTS>(step);
}

#endif
