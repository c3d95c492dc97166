/* The children of a share on a device (engine/share.h): who their parents are, and which of them are made before their
 * guests have come. */
#ifndef PAISING_CUDA_PARTITION_CHILDREN_H
#define PAISING_CUDA_PARTITION_CHILDREN_H

#include "cuda/engine/state.h"

/* Verbs of a share. */
engine_status cuda_children_count_offspring(engine *base, const engine_step *step,
                                            uint64_t *children);
engine_status cuda_children_parents(engine *base, uint64_t first, uint64_t count, parent_list to);
uint64_t cuda_children_room(const engine *base);
engine_status cuda_children_assign(engine *base, const child_assignment *children,
                                   const engine_step *step);
engine_status cuda_children_attach(engine *base, parent_list below, parent_list above);

/* Queues the selection of the next step ahead (cuda_selection_ahead), that the host is told of its children, and the step for
 * those that need not wait. */
void cuda_children_ahead(cuda_engine *self, const engine_step *step);

/* The children of a share as a range, whose parents and families are those that are noted: known before the step is, but for the
 * share and where these stand (`inherited`). */
cuda_range cuda_children_range(const cuda_engine *self, const engine_step *step);

/* Waits until what is queued beside finds the notes. */
void cuda_children_await(cuda_engine *self);

/* Queues that the population gets the families of the children, and these are counted. Unless the step is made from the notes,
 * guests' children have got theirs, the parents of the others come too, and what is queued next where guests come
 * waits for it. */
void cuda_children_inherit(cuda_engine *self);

/* Whether some of the share that was adopted descend from guests: the others are all made at once. */
bool cuda_children_have_remote(const cuda_remote *r);

/* Waits for the families of the step: of guests, and of the others, which the device has counted: before anything is begun that
 * would go before them there. Adds them to its report. */
void cuda_children_report(cuda_remote *r, cuda_population *p);
void cuda_children_complete(const cuda_remote *r, histogram *out);

/* Queues that the report forgets a step that was begun and will not be made. */
void cuda_children_forget(cuda_remote *r, cuda_population *p);

#endif
