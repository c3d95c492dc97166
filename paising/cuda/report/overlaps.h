/* Overlaps of pairs of replicas on the device (engine/overlaps.h). The sums equal those of the CPU.
 * The codings provide the differences (cuda_spins.compare). */
#ifndef PAISING_CUDA_REPORT_OVERLAPS_H
#define PAISING_CUDA_REPORT_OVERLAPS_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"

/* Buffers of a model with couplings; empty for other models. */
typedef struct {
    int2 *waves; /* device: cosine and sine of each x, [Lx] [Ly] [Lz] */
    uint8_t *
        missing; /* device: [N / 2] the bonds of each even site that are missing, if any may be; else NULL */
    overlap_report *report; /* device; the histograms follow */
    overlap_report *host;   /* pinned; the same layout */
} cuda_overlaps;

/* Allocates. Returns 0, or -1 with p->failed set. */
int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model);
void cuda_overlaps_destroy(cuda_overlaps *o);

/* Takes the missing bonds of a sample. */
void cuda_overlaps_take_sample(const cuda_overlaps *o, cuda_population *p, const spin_model *model);

/* Pairs of a population. The first replicas are in this engine, adjacent; of the second ones the
 * families are here. */
typedef struct {
    const uint32_t *family, *partner; /* device [count] */
    uint64_t count, number,
        pairs; /* pairs `number`, `number` + 1, ... of `pairs` of the population */
} cuda_pairs;

/* Adds the overlaps of pairs to `out`, which overlap_sums_begin has begun. `differ`: device buffer
 * of the differences. `families`: also adds the logarithms of the local families. Waits for the
 * stream. */
void cuda_overlaps_add(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                       const uint32_t *differ, const cuda_pairs *pairs, bool families,
                       overlap_sums *out);

/* Sets `out` to the overlaps of all pairs of p. Waits for the stream. */
void cuda_overlaps_report(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, overlap_sums *out);

/* The same for launch batches (engine/launch_batch.h). join clears the report, once. record writes
 * the request of one member to pinned memory, for sums that collect will set. launch serves all
 * members, in the stream of p; o is that of one of them. collect waits for one member's sums. */
void cuda_overlaps_join(const cuda_overlaps *o, cuda_population *p, const spin_model *model);
void cuda_overlaps_record(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const uint32_t *differ, void *request, overlap_sums *out);
void cuda_overlaps_launch(const cuda_overlaps *o, cuda_population *p, const batch_requests &all);
void cuda_overlaps_collect(const cuda_overlaps *o, cuda_population *p, overlap_sums *out);

#endif
