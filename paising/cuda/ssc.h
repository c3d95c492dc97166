/* The single-spin-coded kernels of the CUDA engine. */
#ifndef PAISING_CUDA_SSC_H
#define PAISING_CUDA_SSC_H

#include "population.h"

/* The spins of a population in single-spin coding: a byte a spin, 1 up and 0 down, the sub-lattices
 * apart, each row by row and padded to a multiple of 16 bytes. */
typedef struct {
    uint32_t size;                     /* L */
    uint32_t half_bytes;               /* from the even to the odd sub-lattice */
    uint64_t replica_bytes;            /* from replica to replica */
    uint8_t *spins;                    /* device [capacity][2][half_bytes] */
    uint8_t *next;                     /* the same, for the resampled population */
    const struct ssc_kernels *kernels; /* what makes its steps */
} cuda_ssc;

/* Allocates, and chooses the kernels; returns 0, or -1 with p->failed set. */
int cuda_ssc_create(cuda_ssc *s, cuda_population *p, const engine_config *config);
void cuda_ssc_destroy(cuda_ssc *s);

/* As those of msc.h. */
void cuda_ssc_randomise(cuda_ssc *s, cuda_population *p, stream_key key);
void cuda_ssc_step(cuda_ssc *s, cuda_population *p, const engine_step *step, step_parts parts,
                   const cuda_range *range);
void cuda_ssc_save(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count, uint8_t *bytes);
void cuda_ssc_load(cuda_ssc *s, cuda_population *p, uint64_t first, uint64_t count,
                   const uint8_t *bytes);

#endif
