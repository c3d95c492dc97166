/* Parents of the children that guests have, on their way to a device. */
#ifndef PAISING_CUDA_FOSTER_PARENTS_H
#define PAISING_CUDA_FOSTER_PARENTS_H

#include "engine/share.h"
#include "population.h"

/* Where they stand on the host meanwhile, pinned. */
typedef struct {
    uint32_t *place;    /* [room] */
    family_list family; /* [room] */
    uint64_t room;
} cuda_foster_parents;

/* Sees to room for the parents of so many children; what stands there is lost. p->failed is set without memory. */
void cuda_foster_parents_reserve(cuda_foster_parents *f, cuda_population *p, uint64_t children);
void cuda_foster_parents_destroy(cuda_foster_parents *f);

/* Queues that so many parents, and families, get to lists on the device, by way of the room from place `at` on. */
void cuda_foster_parents_bring(const cuda_foster_parents *f, cuda_population *p,
                               const foster_parent *parents, uint64_t count, uint64_t at,
                               uint32_t *to, const family_list &families);

#endif
