/* The hybrid variant of the SSC engine (Sec. 5, Table 5): at every temperature the population is
 * copied to the host, resampled there (eq. 2) by one core with the code of the CPU engines, and
 * copied back. Sweeps and measurement stay on the device, and the bits are the same. */
#ifndef PAISING_CUDA_ENGINE_HYBRID_H
#define PAISING_CUDA_ENGINE_HYBRID_H

#include "cpu/population.h"
#include "cuda/ssc/ssc.h"

typedef struct {
    population replicas; /* levels, families and parents; magnetisations are not kept here */
    uint8_t *parents;    /* pinned [capacity][replica_bytes] */
    uint8_t *children;   /* the same, for the resampled population */
} cuda_hybrid;

/* Allocates; returns 0, or -1 with p->failed set. */
int cuda_hybrid_create(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s, uint64_t capacity);
void cuda_hybrid_destroy(cuda_hybrid *h);

/* Selects the parents of the population p with the spins s, by eq. (2) or as told. What the device then
 * queues sees it as any other. Returns ENGINE_OK, ENGINE_EXTINCT, ENGINE_OUTGROWN, or ENGINE_FAILED with
 * p->failed set. */
engine_status cuda_hybrid_resample(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s,
                                   const engine_step *step);

#endif
