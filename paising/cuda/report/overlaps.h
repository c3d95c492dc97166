/* Overlaps of pairs of replicas on the device (engine/overlaps.h): the same sums as on the CPU, whoever keeps the
 * spins (cuda_spins.compare). */
#ifndef PAISING_CUDA_REPORT_OVERLAPS_H
#define PAISING_CUDA_REPORT_OVERLAPS_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"

/* Of a disordered model; nothing of others. */
typedef struct {
    int2 *waves;            /* device: cosine and sine of each x, [Lx] [Ly] [Lz] */
    overlap_report *report; /* device, the histograms behind it */
    overlap_report *host;   /* pinned, the same */
} cuda_overlaps;

/* Allocates; returns 0, or -1 with p->failed set. */
int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model);
void cuda_overlaps_destroy(cuda_overlaps *o);

/* Pairs of a population: of replicas here, from one on, with as many whose families are known. */
typedef struct {
    family_list family, partner;   /* [count] on the device */
    uint64_t count, number, pairs; /* numbers `number`, ... of `pairs` of the population */
} cuda_pairs;

/* Adds the overlaps of pairs, which differ as `differ` on the device says, to sums that were begun; and the logarithms
 * of the families here, if these are wanted. Waits for it. */
void cuda_overlaps_add(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                       const uint32_t *differ, const cuda_pairs *pairs, bool families,
                       overlap_sums *out);

/* Reports the overlaps of all pairs of p; waits for it. */
void cuda_overlaps_report(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, overlap_sums *out);

/* The same for companions (bundle.h): the beginning, once; what the kernels are told of one of them, as a request, for sums
 * that it takes the place of; their launch for all, in the stream of one of them; and waiting for the sums. */
void cuda_overlaps_join(const cuda_overlaps *o, cuda_population *p, const spin_model *model);
void cuda_overlaps_record(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, void *request, overlap_sums *out);
void cuda_overlaps_launch(cuda_population *p, const batch_requests &all);
void cuda_overlaps_collect(const cuda_overlaps *o, cuda_population *p, overlap_sums *out);

#endif
