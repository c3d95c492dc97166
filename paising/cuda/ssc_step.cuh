/* The kernel of a temperature step in single-spin coding (Sec. 3): one byte a spin, the sub-lattices apart, a group
 * of threads a pair of replicas. What it computes, bit for bit: metropolis_sweep() and
 * measure_lattice() in reference/plain.c.
 *
 * One kernel makes a whole temperature step: it reads two parents, sweeps them theta times and
 * measures them while they lie in shared memory (in device memory where the lattice is too large),
 * and writes the children: two bytes of device memory a spin and temperature. While they are worked
 * on, the two spins of a site share a byte: those of replica k, which is even, are in the low
 * nibbles, those of replica k + 1 in the high ones. A thread takes the sites of a quad (streams.h)
 * at once: where rows are a multiple of four sites, as the four bytes of a register, eight spins for
 * the price of one. What each flip has to itself is a quarter of a Philox call, less what the pair
 * shares of it (ssc_numbers.h), and two comparisons. With the stages apart the same kernel
 * makes the parts of the step one by one (step_parts). */
#ifndef PAISING_CUDA_SSC_STEP_CUH
#define PAISING_CUDA_SSC_STEP_CUH

#include "publish.cuh"
#include "ssc_flips.cuh"

/* Waits for the threads of the pair. */
template <uint32_t SIZE> static __device__ __forceinline__ void wait_for_group() {
    if (SIZE > ANY_QUADS && group_for(SIZE) <= 32)
        __syncwarp();
    else
        __syncthreads();
}

/* Antiparallel bonds and spins up: what a thread has seen of a replica. */
struct spin_counts {
    uint32_t bonds, ups;
};

/* Adds those of a quad, or of a site, of the even sub-lattice and of that across it. */
static __device__ __forceinline__ void count_spins(spin_counts seen[2], uint32_t even, uint32_t odd,
                                                   uint32_t ups) {
    const uint32_t bonds = antiparallel(even, ups), up = even + odd;
#pragma unroll
    for (uint32_t n = 0; n < 2; n++) {
        seen[n].bonds = __dp4a(bonds >> 4 * n & 0x0f0f0f0fu, 0x01010101u, seen[n].bonds);
        seen[n].ups = __dp4a(up >> 4 * n & 0x0f0f0f0fu, 0x01010101u, seen[n].ups);
    }
}

/* What a thread sees of its pair. */
template <uint32_t SIZE>
static __device__ __forceinline__ void measure_pair(spin_counts seen[2], const uint8_t *lattice,
                                                    uint32_t half_bytes, const ssc_step &step,
                                                    uint32_t member) {
    const uint8_t *const even = lattice, *const odd = lattice + half_bytes;
    if constexpr (SIZE == ANY_SITES) {
        for (uint32_t site = member; site < step.size * step.size / 2; site += step.group)
            count_spins(seen, even[site], odd[site], ups_around_site(odd, step.size, 0, site));
    } else {
        const thread_quads<SIZE> mine(step, 0, member);
        constexpr int unrolled = SIZE > ANY_QUADS ? UNROLLED_QUADS : 1;
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            count_spins(seen, ((const uint32_t *)even)[place.own],
                        ((const uint32_t *)odd)[place.own],
                        ups_around((const uint32_t *)odd, place));
        }
    }
}

/* Sixteen bytes of two replicas as one, and back. */
static __device__ __forceinline__ uint4 paired(uint4 a, uint4 b) {
    return uint4{a.x | b.x << 4, a.y | b.y << 4, a.z | b.z << 4, a.w | b.w << 4};
}

static __device__ __forceinline__ uint4 one_of(uint4 pair, uint32_t n) {
    const uint32_t bit = 4 * n, mask = 0x01010101;
    return uint4{pair.x >> bit & mask, pair.y >> bit & mask, pair.z >> bit & mask,
                 pair.w >> bit & mask};
}

/* Adds up what the threads of a block have seen, and reports its replicas, `first` and those after it.
 * `sums` has room for all of them, and all threads must call it; those of no pair have seen nothing. */
static __device__ __forceinline__ void report_block(const ssc_step &step, spin_counts *sums,
                                                    const spin_counts seen[2], uint32_t group,
                                                    uint64_t first, uint64_t population) {
    const uint32_t replicas = 2 * BLOCK_THREADS / group, pair = threadIdx.x / group;
    for (uint32_t n = threadIdx.x; n < replicas; n += BLOCK_THREADS)
        sums[n] = spin_counts{0, 0};
    __syncthreads();
    for (uint32_t n = 0; n < 2; n++) {
        spin_counts add = seen[n];
        if (group >= 32) {
            const uint64_t both = warp_sum((uint64_t)add.ups << 32 | add.bonds);
            add = spin_counts{(uint32_t)both, (uint32_t)(both >> 32)};
        }
        if (group < 32 || threadIdx.x % 32 == 0) {
            atomicAdd(&sums[2 * pair + n].bonds, add.bonds);
            atomicAdd(&sums[2 * pair + n].ups, add.ups);
        }
    }
    __syncthreads();
    const uint32_t half = step.size * step.size / 2;
    for (uint32_t n = threadIdx.x; n / 32 * 32 < replicas; n += BLOCK_THREADS) {
        const bool counts = n < replicas && first + n < population;
        const uint32_t up = counts ? sums[n].ups : 0;
        report_replicas(&step.replicas, counts, first + n, population,
                        counts ? sums[n].bonds / 2 : 0, up > half ? up - half : half - up);
    }
}

/* The parts of the step for the replicas of a block, if there are any. */
template <step_parts PARTS, bool IN_SHARED, uint32_t SIZE>
static __device__ __forceinline__ void step_block(const ssc_step &step) {
    constexpr bool collects = PARTS & PART_SELECT, sweeps = PARTS & PART_SWEEP,
                   measures = PARTS & PART_MEASURE;
    constexpr uint32_t least_group = group_for(SIZE > ANY_QUADS ? SIZE : 0);
    extern __shared__ uint4 shared[];
    __shared__ spin_counts sums[2 * BLOCK_THREADS / least_group];
    const uint64_t population = step.replicas.report->population;
    const uint32_t group = SIZE > ANY_QUADS ? group_for(SIZE) : step.group;
    const uint32_t half_bytes = SIZE > ANY_QUADS ? SIZE * SIZE / 2 : step.half_bytes;
    const uint32_t member = threadIdx.x % group, pair = threadIdx.x / group;
    const uint64_t first = (uint64_t)blockIdx.x * (2 * BLOCK_THREADS / group);
    if (population > step.replicas.capacity || first >= population)
        return;
    /* The last one of an odd number of replicas makes a pair with itself. */
    const uint64_t k[2] = {first + 2 * pair, min(first + 2 * pair + 1, population - 1)};
    const bool active = k[0] < population;
    const uint32_t vectors = 2 * half_bytes / sizeof(uint4); /* of a replica */
    uint4 *const child[2] = {(uint4 *)step.children + k[0] * vectors,
                             (uint4 *)step.children + k[1] * vectors};
    uint4 *const spins = IN_SHARED ? shared + pair * vectors : child[0];
    uint8_t *const lattice = (uint8_t *)spins;

    if (active) {
        const uint4 *from[2] = {child[0], child[1]};
        if (collects)
            for (uint32_t n = 0; n < 2; n++)
                from[n] =
                    (const uint4 *)step.parents + (uint64_t)step.replicas.parent[k[n]] * vectors;
        for (uint32_t n = member; n < vectors; n += group)
            spins[n] = paired(from[0][n], from[1][n]);
    }
    __syncthreads();

    if (sweeps) {
        const uint32_t replica[2] = {step.first_replica + (uint32_t)k[0],
                                     step.first_replica + (uint32_t)k[1]};
        for (uint32_t sweep = 0; sweep < step.sweeps;) {
            pair_sweep now;
            for (uint32_t n = 0; n < 2; n++)
                now.thresholds[n] = round_thresholds(&step.thresholds, replica[n], sweep);
            const uint32_t turn_end = min(step.sweeps, sweep + ROUNDING_SWEEPS);
#pragma unroll 1
            for (; sweep < turn_end; sweep++) {
                for (uint32_t n = 0; n < 2; n++)
                    now.moment[n] = ssc_moment_of(&step.keys, replica[n], sweep);
#pragma unroll 1
                for (uint32_t parity = 0; parity < 2; parity++) {
                    if (active)
                        sweep_sub_lattice<SIZE>(lattice, half_bytes, step, now, parity, member);
                    wait_for_group<SIZE>();
                }
            }
        }
    }

    spin_counts seen[2] = {};
    if (active && measures)
        measure_pair<SIZE>(seen, lattice, half_bytes, step, member);
    if (!IN_SHARED) /* children take the place of what is measured */
        __syncthreads();
    if (active && (collects || sweeps || !IN_SHARED))
        for (uint32_t n = member; n < vectors; n += group) {
            const uint4 both = spins[n];
            child[0][n] = one_of(both, 0);
            child[1][n] = one_of(both, 1);
        }
    if (measures)
        report_block(step, sums, seen, group, first, population);
}

template <step_parts PARTS, bool IN_SHARED, uint32_t SIZE>
static __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_AT_ONCE)
    step_replicas(const __grid_constant__ ssc_step step) {
    step_block<PARTS, IN_SHARED, SIZE>(step);
    if (PARTS & PART_MEASURE)
        publish_when_last(step.replicas);
}

#endif
