/* The children of a share on a device (engine/share.h): who their parents are, and which of them are made before their
 * guests have come. */
#ifndef PAISING_CUDA_CHILDREN_H
#define PAISING_CUDA_CHILDREN_H

#include "engine_state.h"

/* Verbs of a share. */
engine_status cuda_children_breed(engine *base, const engine_step *step, uint64_t *children);
engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count, uint32_t *places);
engine_status cuda_children_adopt(engine *base, const share_adoption *children,
                                  const engine_step *step);
engine_status cuda_children_foster(engine *base, const foster_parent *below,
                                   const foster_parent *above);

/* Adds the families of guests to a report of the step, in which the device has counted those of the others. */
void cuda_children_report(const cuda_guests *g, histogram *out);

/* Queues that the report forgets a step that was begun and will not be made. */
void cuda_children_forget(cuda_guests *g, cuda_population *p);

#endif
