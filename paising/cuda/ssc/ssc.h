/* The state of the single-spin-coded engine (engine/spins.h), which the hybrid variant reads. */
#ifndef PAISING_CUDA_SSC_SSC_H
#define PAISING_CUDA_SSC_SSC_H

#include "cuda/engine/spins.h"
#include "cuda/ssc/walk.h"

/* A launch of a step. */
typedef struct {
    const struct ssc_kernels *kernels;
    uint32_t group;   /* threads of the replicas that share registers */
    uint32_t threads; /* of a block: whole groups */
    size_t shared_bytes;
} ssc_launch;

/* The spins of a population in single-spin coding: a byte a spin, 1 up and 0 down. The sub-lattices
 * are separate, each layer by layer, row by row, padded to a multiple of 16 bytes. */
typedef struct {
    spin_model model;
    uint32_t half_bytes;    /* from the even to the odd sub-lattice */
    uint64_t replica_bytes; /* from replica to replica */
    uint64_t places;        /* of `spins` and `next` */
    uint8_t *spins;         /* device [places][2][half_bytes] */
    /* device: the same for the resampled population, or packed replicas */
    uint8_t *next;
    visit_plan visits;
    uint32_t *label; /* device [places][N] of cluster updates; NULL: it has none */
    uint32_t lowest; /* model_counted_at_lowest */
    /* device [2][half_bytes] bits, and which bonds are missing, or neighbours (sites.h) */
    void *sites;
    ssc_launch launch[2]; /* of the flips of DOWNHILL_ALWAYS, and of others */
    cuda_walks walks;     /* of walkers */
} cuda_ssc;

#endif
