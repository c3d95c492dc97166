/* Children of an interval on a device (engine/partition.h): their parents, and which children are
 * made before remote parents have arrived. */
#ifndef PAISING_CUDA_PARTITION_CHILDREN_H
#define PAISING_CUDA_PARTITION_CHILDREN_H

#include "cuda/engine/state.h"

/* Verbs of engine/partition.h. */
engine_status cuda_children_count_offspring(engine *base, const engine_step *step,
                                            uint64_t *children);
engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count, parent_list to);
uint64_t cuda_children_room(const engine *base);
engine_status cuda_children_assign(engine *base, const child_assignment *children,
                                   const engine_step *step);
engine_status cuda_children_attach(engine *base, parent_list below, parent_list above);

/* Pre-launches the selection of the next step (cuda_selection_ahead), publish_boundary, and the
 * step for children that do not wait. */
void cuda_children_ahead(cuda_engine *self, const engine_step *step);

/* Returns the children of an interval as a range, which reads the offspring list. Before the step
 * is known, the range lacks the interval and `inherited`. */
cuda_range cuda_children_range(const cuda_engine *self, const engine_step *step);

/* Waits until the offspring list is complete, for work queued in side streams. */
void cuda_children_await(cuda_engine *self);

/* Queues the copying and counting of the children's families. If the step does not read the
 * offspring list, this also copies the parents, and the transfer stream waits for it. */
void cuda_children_inherit(cuda_engine *self);

/* Whether some assigned children have remote parents. */
bool cuda_children_have_remote(const cuda_remote *r);

/* report waits for the families of the step, remote and local ones. Call it before the next
 * selection is queued. complete copies them to `out`. */
void cuda_children_report(cuda_remote *r, cuda_population *p);
void cuda_children_complete(const cuda_remote *r, histogram *out);

/* Queues the clearing of a report whose step was begun but will not be made. */
void cuda_children_forget(cuda_remote *r, cuda_population *p);

#endif
