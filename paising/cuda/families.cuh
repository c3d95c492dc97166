/* Counting the families of a population on the device, whose members stand side by side. */
#ifndef PAISING_CUDA_FAMILIES_CUH
#define PAISING_CUDA_FAMILIES_CUH

#include "bisection.cuh"
#include "population.h"

/* Adds a thread's families, and the squares of how many they are, to sums; called by full warps. */
static __device__ void sum_families(uint64_t *sum, uint64_t *sum_squares, uint32_t families,
                                    uint64_t squares) {
    const uint64_t all = warp_sum(families), all_squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0 && all) {
        atomic_add(sum, all);
        atomic_add(sum_squares, all_squares);
    }
}

/* Adds that family of so many replicas whose last one is replica k, if it is, to a report, or to other sums over families;
 * called by all threads of a block. */
template <typename SUMS>
static __device__ void report_family_of(SUMS *report, const uint32_t *family, uint64_t k,
                                        uint64_t replicas) {
    __shared__ uint64_t families, squares;
    uint64_t members = 0;
    if (threadIdx.x == 0)
        families = squares = 0;
    __syncthreads();
    if (k < replicas && (k + 1 == replicas || family[k + 1] != family[k]))
        members = k + 1 - first_of_run(family, k);
    if (members == k + 1)
        report->edge[0] = family_run{family[k], members};
    if (members > 0 && k + 1 == replicas)
        report->edge[1] = family_run{family[k], members};
    sum_families(&families, &squares, members > 0, members * members);
    __syncthreads();
    if (threadIdx.x == 0 && families) {
        atomic_add(&report->families, families);
        atomic_add(&report->family_squares, squares);
    }
}

#endif
