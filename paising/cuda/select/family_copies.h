/* Copies of families between lists on the device or host and arrays of 64-bit numbers. */
#ifndef PAISING_CUDA_SELECT_FAMILY_COPIES_H
#define PAISING_CUDA_SELECT_FAMILY_COPIES_H

#include "cuda/engine/population.h"
#include "engine/partition.h"

/* Queue copies of `count` families, or of parents with their families. Each list may be on the
 * device or on the host. */
void cuda_families_copy(cuda_population *p, family_list to, family_list from, uint64_t count);
void cuda_parents_copy(cuda_population *p, parent_list to, parent_list from, uint64_t count);

/* Copy `count` families from or to the device, and wait for the stream. */
void cuda_families_read(cuda_population *p, family_list from, uint64_t count, uint64_t *families);
void cuda_families_write(cuda_population *p, family_list to, uint64_t count,
                         const uint64_t *families);

#endif
