/* Families on their way between the device and the host, where each is a number of 64 bits. */
#ifndef PAISING_CUDA_FAMILY_COPIES_H
#define PAISING_CUDA_FAMILY_COPIES_H

#include "population.h"

/* Copy so many families out, or in, and wait for all that was queued. */
void cuda_families_read(cuda_population *p, family_list from, uint64_t count, uint64_t *families);
void cuda_families_write(cuda_population *p, family_list to, uint64_t count,
                         const uint64_t *families);

#endif
