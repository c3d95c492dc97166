/* Overlaps of populations of vectors: pairs are measured on the device, some at a time, and added up by the host. */
#ifndef PAISING_CUDA_VECTORS_OVERLAPS_H
#define PAISING_CUDA_VECTORS_OVERLAPS_H

#include "cuda/vectors/request.h"

typedef struct {
    uint64_t at_once;  /* pairs that there is room for; 0: the model has no overlaps */
    vector_pair *pair; /* device, [at_once] */
    vector_pair *host; /* pinned, likewise */
    uint32_t *family;  /* pinned, [2 capacity] */
    int2 *waves;       /* device, cosines and sines of one direction behind the other */
} cuda_vector_overlaps;

/* Allocates. Returns 0, or -1 with p->failed set. */
int cuda_vector_overlaps_create(cuda_vector_overlaps *o, cuda_population *p,
                                const engine_config *config);
void cuda_vector_overlaps_destroy(cuda_vector_overlaps *o);

/* What pairs are measured by. */
typedef struct {
    const vector_kernels *kernels;
    const vector_lattice *lattice;
    const spin_model *model;
} cuda_vector_measure;

/* Fills *out with the overlaps of the pairs of replicas first .. first + count - 1 (engine.h, group_overlaps), whose first spin is at
 * `spins`; with `families` the logarithms of the families, too. Waits for the stream. */
void cuda_vector_overlaps_fill(const cuda_vector_overlaps *o, cuda_population *p,
                               const cuda_vector_measure *by, const void *spins, uint64_t first,
                               uint64_t count, bool families, overlap_sums *out);

/* Adds pairs to sums that were begun: replicas of this population from place `first` on, and others. Spins are on the device; the
 * families of `pairs` are any memory, and own_family is not read. Waits likewise. */
void cuda_vector_overlaps_add(const cuda_vector_overlaps *o, cuda_population *p,
                              const cuda_vector_measure *by, uint64_t first,
                              const vector_pairs *pairs, overlap_sums *out);

#endif
