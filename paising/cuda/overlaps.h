/* Overlaps of pairs of replicas on the device (engine/overlaps.h): the same sums as on the CPU, whoever keeps the
 * spins (cuda_spins.compare). */
#ifndef PAISING_CUDA_OVERLAPS_H
#define PAISING_CUDA_OVERLAPS_H

#include "population.h"

/* Of a disordered model; nothing of others. */
typedef struct {
    int2 *waves;            /* device: cosine and sine of each x, [Lx] [Ly] [Lz] */
    overlap_report *report; /* device, the histograms behind it */
    overlap_report *host;   /* pinned, the same */
} cuda_overlaps;

/* Allocates; returns 0, or -1 with p->failed set. */
int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model);
void cuda_overlaps_destroy(cuda_overlaps *o);

/* Reports the overlaps of the pairs of p, which differ as `differ` on the device says; waits for it. */
void cuda_overlaps_report(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, overlap_sums *out);

#endif
