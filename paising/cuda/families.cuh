/* Counting the families of a population on the device, whose members stand side by side. */
#ifndef PAISING_CUDA_FAMILIES_CUH
#define PAISING_CUDA_FAMILIES_CUH

#include "bisection.cuh"
#include "population.h"

/* Adds a thread's families, and the squares of how many they are, to the report; called by full warps. */
static __device__ void report_families(cuda_report *report, uint32_t families, uint64_t squares) {
    const uint64_t all = warp_sum(families), all_squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0 && all) {
        atomic_add(&report->families, all);
        atomic_add(&report->family_squares, all_squares);
    }
}

/* The same for that family of so many replicas whose last one is replica k, if it is. */
static __device__ void report_family_of(cuda_report *report, const uint32_t *family, uint64_t k,
                                        uint64_t replicas) {
    uint64_t members = 0;
    if (k < replicas && (k + 1 == replicas || family[k + 1] != family[k]))
        members = k + 1 - first_of_run(family, k);
    if (members == k + 1)
        report->edge[0] = family_run{family[k], members};
    if (members > 0 && k + 1 == replicas)
        report->edge[1] = family_run{family[k], members};
    report_families(report, members > 0, members * members);
}

#endif
