/* Launches of the kernels of spins that are vectors (kernels.cuh), a table for each kind of components.
 *
 * A replica has its even sub-lattice, then the odd one, and of each first all x components, then y, then z. Site x, y, z of a
 * sub-lattice is number ((z Ly + y) Lx + x) / 2 of it. */
#ifndef PAISING_CUDA_VECTORS_KERNELS_H
#define PAISING_CUDA_VECTORS_KERNELS_H

#include "engine/engine.h"

#include <cuda_runtime.h>

/* Replicas first .. first + count - 1 in device memory. */
typedef struct {
    void *spins;           /* of all replicas */
    uint64_t first, count; /* count: from 1 */
    uint32_t origin;       /* the number of replica 0 for random numbers */
    vector_lattice lattice;
    stream_key key;
    uint32_t temperature;
    cudaStream_t stream;
} vector_pass;

typedef struct {
    /* Draws the replicas. */
    void (*randomise)(const vector_pass *pass);
    /* Makes updates. By tiles a block has a tile in shared memory, whose hits it makes. Else a block has a replica there, if it fits
     * into `shared` bytes, or there is a launch for each half sweep. */
    void (*sweep)(const vector_pass *pass, const vector_rule *rule, const visit_plan *plan,
                  uint32_t sweeps, size_t shared);
    /* Computes energy[] and order[] of the replicas; sums[][4] is room. */
    void (*measure)(const vector_pass *pass, unsigned long long *sums, int64_t *energy,
                    uint32_t *order);
    /* Copies the replicas to components in the order of `read` of engine.h, or from there. */
    void (*copy)(const vector_pass *pass, void *packed, bool load);
} vector_kernels;

extern const vector_kernels vector_float_kernels, vector_double_kernels, vector_fast_kernels;

#endif
