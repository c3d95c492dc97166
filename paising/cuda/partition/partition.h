/* The share of a population in a CUDA engine (engine/share.h). */
#ifndef PAISING_CUDA_PARTITION_PARTITION_H
#define PAISING_CUDA_PARTITION_PARTITION_H

#include "cuda/engine/state.h"

extern const struct partition_verbs cuda_partition_verbs;

/* What it has beside a population: made unless it is there, and freed. p->failed is set without memory. */
void cuda_partition_create(cuda_remote *r, cuda_population *p, const spin_model *model);
void cuda_partition_destroy(cuda_remote *r);

#endif
