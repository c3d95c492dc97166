/* The hybrid variant of the SSC engine (Sec. 5, Table 5). At every temperature the population is
 * copied to the host, resampled there by one core (eq. 2) with the code of the CPU engines, and
 * copied back. Sweeps and measurement stay on the device. The results have the same bits. */
#ifndef PAISING_CUDA_ENGINE_HYBRID_H
#define PAISING_CUDA_ENGINE_HYBRID_H

#include "cpu/population.h"
#include "cuda/ssc/ssc.h"

typedef struct {
    population replicas; /* levels, families and parents; no magnetisations */
    uint8_t *parents;    /* pinned [capacity][replica_bytes] */
    uint8_t *children;   /* pinned [capacity][replica_bytes], after resampling */
} cuda_hybrid;

/* Allocates. Returns 0, or -1 with p->failed set. */
int cuda_hybrid_create(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s, uint64_t capacity);
void cuda_hybrid_destroy(cuda_hybrid *h);

/* Selects the parents of population p with spins s, by eq. (2) or by the step's list. Kernels that
 * follow see the population as after any other selection. Returns ENGINE_OK, ENGINE_EXTINCT,
 * ENGINE_OUTGROWN, or ENGINE_FAILED with p->failed set. */
engine_status cuda_hybrid_resample(cuda_hybrid *h, cuda_population *p, const cuda_ssc *s,
                                   const engine_step *step);

#endif
