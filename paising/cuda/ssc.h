/* The single-spin-coded kernels of the CUDA engine (spins.h): their state, into which the hybrid variant
 * looks. */
#ifndef PAISING_CUDA_SSC_H
#define PAISING_CUDA_SSC_H

#include "spins.h"

/* The spins of a population in single-spin coding: a byte a spin, 1 up and 0 down, the sub-lattices
 * apart, each row by row and padded to a multiple of 16 bytes. */
typedef struct {
    uint32_t size;                     /* L */
    uint32_t half_bytes;               /* from the even to the odd sub-lattice */
    uint64_t replica_bytes;            /* from replica to replica */
    uint8_t *spins;                    /* device [capacity][2][half_bytes] */
    uint8_t *next;                     /* the same, for the resampled population, or packed */
    const struct ssc_kernels *kernels; /* what makes its steps */
} cuda_ssc;

#endif
