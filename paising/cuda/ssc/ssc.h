/* The single-spin-coded kernels of the CUDA engine (spins.h): their state, into which the hybrid variant
 * looks. */
#ifndef PAISING_CUDA_SSC_SSC_H
#define PAISING_CUDA_SSC_SSC_H

#include "cuda/engine/spins.h"

/* How a step is launched. */
typedef struct {
    const struct ssc_kernels *kernels;
    uint32_t group;   /* threads of the replicas that are worked on together */
    uint32_t threads; /* of a block: whole groups */
    size_t shared_bytes;
} ssc_launch;

/* The spins of a population in single-spin coding: a byte a spin, 1 up and 0 down, the sub-lattices
 * apart, each layer by layer, row by row and padded to a multiple of 16 bytes. */
typedef struct {
    spin_model model;
    uint32_t half_bytes;    /* from the even to the odd sub-lattice */
    uint64_t replica_bytes; /* from replica to replica */
    uint64_t places;        /* of the next two */
    uint8_t *spins;         /* device [places][2][half_bytes] */
    uint8_t *next;          /* the same, for the resampled population, or packed */
    void *sites;            /* device [2][half_bytes] bits or neighbours of sites (ssc_sites.h) */
    ssc_launch launch;
} cuda_ssc;

#endif
