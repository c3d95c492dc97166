/* Families on their way, to and from the host's lists, or its numbers of 64 bits. */
#ifndef PAISING_CUDA_SELECT_FAMILY_COPIES_H
#define PAISING_CUDA_SELECT_FAMILY_COPIES_H

#include "cuda/engine/population.h"
#include "engine/partition.h"

/* Queue that so many families, or parents with theirs, are copied from lists to others, either here or there. */
void cuda_families_copy(cuda_population *p, family_list to, family_list from, uint64_t count);
void cuda_parents_copy(cuda_population *p, parent_list to, parent_list from, uint64_t count);

/* Copy so many families out, or in, and wait for all that was queued. */
void cuda_families_read(cuda_population *p, family_list from, uint64_t count, uint64_t *families);
void cuda_families_write(cuda_population *p, family_list to, uint64_t count,
                         const uint64_t *families);

#endif
