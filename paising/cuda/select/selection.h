/* Selection of the parents of a population, by a rule or by a given list, and its families. */
#ifndef PAISING_CUDA_SELECT_SELECTION_H
#define PAISING_CUDA_SELECT_SELECTION_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"

/* Queues the resampling: parent[], family[], and the sums over the founders' blocks. The size of
 * the new population is in report->population on the device. If it exceeds the capacity, the
 * kernels that follow do nothing. */
void cuda_selection_resample(cuda_population *p, const engine_step *step);

/* Makes the parents of the last selection, so many, the population again; nothing was measured since. */
void cuda_selection_take_back(cuda_population *p, uint64_t parents);

/* Pre-launches the next selection (device/prelaunch.h), of a population or of an interval, unless
 * its rule needs counted points. Work that is queued before its release waits with it; the caller
 * then cancels it. */
void cuda_selection_ahead(cuda_population *p);

/* The same for launch batches (engine/launch_batch.h). can_batch: whether the next selection can be
 * batched. record: writes the request of one member to pinned memory. launch: serves all members,
 * in the stream of one of them. */
bool cuda_selection_can_batch(const cuda_population *p, const engine_step *step);
void cuda_selection_record(cuda_population *p, const engine_step *step, void *request);
void cuda_selection_launch(cuda_population *p, const batch_requests &all);

/* The offspring list of an interval: parents and families of `room` children, from child `skip`
 * on. */
typedef struct {
    uint32_t *parent, *family; /* device [room] */
    uint64_t room, skip;
    selection_count *count; /* pinned: the number of all children */
} offspring_list;

/* Queues the selection for the replicas of an interval (engine/partition.h). The number of children
 * goes to report->population and to list->count, the parents to the list. `again`: the step's
 * children were counted before, and others are to be listed. Returns whether a pre-launched
 * selection was released. */
bool cuda_selection_count_offspring(cuda_population *p, const engine_step *step,
                                    const offspring_list *list, bool again);

/* Queues the selection of given parents: step->parents[step->children], at most the capacity. */
void cuda_selection_inherit(cuda_population *p, const engine_step *step);

/* Queues the statistics of the families of a population that was not resampled. */
void cuda_selection_count_families(cuda_population *p, uint64_t replicas);

#endif
