/* An interval of a population in a CUDA engine (engine/partition.h). */
#ifndef PAISING_CUDA_PARTITION_PARTITION_H
#define PAISING_CUDA_PARTITION_PARTITION_H

#include "cuda/engine/state.h"

extern const struct partition_verbs cuda_partition_verbs;

/* Allocates what an interval needs, unless that was done; frees it. p->failed is set on failure. */
void cuda_partition_create(cuda_remote *r, cuda_population *p, const spin_model *model);
void cuda_partition_destroy(cuda_remote *r);

#endif
