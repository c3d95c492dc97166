/* Counts the families of a population on the device. Members of a family are adjacent. */
#ifndef PAISING_CUDA_SELECT_FAMILIES_CUH
#define PAISING_CUDA_SELECT_FAMILIES_CUH

#include "cuda/device/bisection.cuh"
#include "cuda/engine/population.h"

#include <cub/block/block_scan.cuh>

/* Adds the families of each thread, and their squared sizes, to sums. Threads: full warps. */
static __device__ void sum_families(uint64_t *sum, uint64_t *sum_squares, uint32_t families,
                                    uint64_t squares) {
    const uint64_t all = warp_sum(families), all_squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0 && all) {
        atomic_add(sum, all);
        atomic_add(sum_squares, all_squares);
    }
}

#define FAMILY_EACH 4 /* adjacent replicas of a thread */

static inline unsigned family_tiles(uint64_t replicas, uint32_t threads) {
    return (unsigned)((replicas + FAMILY_EACH * threads - 1) / (FAMILY_EACH * threads));
}

/* Returns where the family of replica `last` begins. The search starts at `last`, since most
 * families are small. */
static __device__ uint64_t family_begin(const uint32_t *family, uint64_t last) {
    const uint32_t x = family[last];
    uint64_t step = 1;
    while (step <= last && family[last - step] == x)
        step *= 2;
    const uint64_t low = step <= last ? last - step + 1 : 0;
    return low + first_equal(family + low, (uint32_t)(last - step / 2 - low), x);
}

/* Adds the families that end among the block's replicas to a report, or to other sums over
 * families. All threads of family_tiles() blocks must call it. The beginning of a family is
 * searched in the block; only that of the first one is searched before the block. */
template <uint32_t THREADS, typename SUMS>
static __device__ void report_families(SUMS *report, const uint32_t *family, uint64_t replicas) {
    typedef cub::BlockScan<uint32_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
    __shared__ typename scan::TempStorage memory;
    __shared__ uint64_t families, squares, first_begin;
    const uint64_t tile = (uint64_t)blockIdx.x * (FAMILY_EACH * THREADS);
    const uint32_t mine = FAMILY_EACH * threadIdx.x;
    uint32_t of[FAMILY_EACH + 2]; /* with the replicas before and behind */
    uint32_t begin[FAMILY_EACH];  /* begin of each one's family, from 1; 0: before the tile */
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH + 2; n++) {
        const uint64_t k = tile + mine + n; /* number of the replica, plus one */
        of[n] = k > 0 && k <= replicas ? family[k - 1] : 0;
    }
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH; n++)
        begin[n] = tile + mine + n == 0 || of[n + 1] != of[n] ? mine + n + 1 : 0;
    if (threadIdx.x == 0) {
        families = squares = 0;
        first_begin = begin[0] == 0 && tile < replicas ? family_begin(family, tile) : tile;
    }
    scan(memory).InclusiveScan(begin, begin, [](uint32_t a, uint32_t b) { return max(a, b); });
    __syncthreads();

    uint32_t ends = 0;
    uint64_t sum = 0;
#pragma unroll
    for (uint32_t n = 0; n < FAMILY_EACH; n++) {
        const uint64_t end = tile + mine + n + 1;
        if (end > replicas || (end < replicas && of[n + 2] == of[n + 1]))
            continue;
        const uint64_t members = end - (begin[n] ? tile + begin[n] - 1 : first_begin);
        if (members == end)
            report->edge[0] = family_run{of[n + 1], (uint32_t)members};
        if (end == replicas)
            report->edge[1] = family_run{of[n + 1], (uint32_t)members};
        ends++;
        sum += members * members;
    }
    sum_families(&families, &squares, ends, sum);
    __syncthreads();
    if (threadIdx.x == 0 && families) {
        atomic_add(&report->families, families);
        atomic_add(&report->family_squares, squares);
    }
}

#endif
