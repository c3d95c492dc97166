/* The kernel of a temperature step in single-spin coding (Sec. 3): one byte a spin, the sub-lattices apart, a group
 * of threads some replicas together. What it computes, bit for bit: metropolis_sweep() and
 * measure_lattice() in reference/plain.c, and for the other models cpu/ssc_lattice.c.
 *
 * One kernel makes a whole temperature step: it reads parents, sweeps them theta times and
 * measures them while they lie in shared memory (in device memory where the lattice is too large),
 * and writes the children: two bytes of device memory a spin and temperature. While they are worked
 * on, a register has eight spins in its nibbles, eight for the price of one: of four sites of two lattices
 * (ssc_quads.cuh), or of one site of eight lattices (ssc_octets.cuh). A thread takes the sites of a quad
 * (streams.h) at once. What each flip has to itself is a quarter of a Philox call, less what the
 * lattices share of it (ssc_numbers.h), and a comparison: with the threshold of its energy, looked up, or in
 * ssc_quads.cuh, which has these in registers, with each. With the stages apart the same kernel makes the parts of
 * the step one by one (step_parts). */
#ifndef PAISING_CUDA_SSC_STEP_CUH
#define PAISING_CUDA_SSC_STEP_CUH

#include "cuda/device/launches.cuh"
#include "cuda/ssc/flips.cuh"

/* Adds up what the threads of a block have seen, and reports its replicas, `first` and those after it.
 * `sums` has room for all of them, and all threads must call it; those of no replica have seen nothing. */
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
        const uint32_t level = counts ? sums[n].bonds / 2 : 0,
                       order = up > half ? up - half : half - up;
        report_levels(&step.replicas, counts, first + n, level, order);
        report_blocks(&step.replicas, &step.replicas.interval, counts, first + n, population, level,
                      order);
        report_founders(&step.replicas, counts, first + n, level);
    }
}

/* The parts of the step for the replicas of a block, if there are any. */
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
    /* Where too few are left, the last one takes the places of those that are missing. */
    const uint64_t first = first_of_block + together * (threadIdx.x / group), last = population - 1;
    const bool active = first <= last;
    LATTICES lattices(step, shared, first, last);

    if (active)
        lattices.template load<collects>(step, first, last);
    __syncthreads();

    if (sweeps)
        for (uint32_t sweep = 0; sweep < step.sweeps;) {
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
    if (measures) /* to publish the report */
        allow_next_launch();
    if (active && measures)
        lattices.measure(seen, step);
    if (LATTICES::in_place) /* children take the place of what is measured */
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
