/* Who the parents are, of the population of a CUDA engine: by the rule, or as told; and its families. */
#ifndef PAISING_CUDA_SELECT_SELECTION_H
#define PAISING_CUDA_SELECT_SELECTION_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"

/* Queues the resampling: parent[], family[], and the sums over the blocks of the parents. The new
 * population size is known on the device, in report->population, and if it exceeds the capacity no
 * kernel that follows does anything. */
void cuda_selection_resample(cuda_population *p, const engine_step *step);

/* Queues the next selection ahead, behind a gate that it opens (gate.h), if its rule needs nothing else: of a population, or of a
 * share. Whatever else is queued before waits with it: dismiss the gate. */
void cuda_selection_ahead(cuda_population *p);

/* The same for companions (companions.cuh): whether the next selection of a population is one that they make together;
 * what the kernel is told of it, as a request; and its launch for all, in the stream of one of them. */
bool cuda_selection_can_batch(const cuda_population *p, const engine_step *step);
void cuda_selection_record(cuda_population *p, const engine_step *step, void *request);
void cuda_selection_launch(cuda_population *p, const batch_requests &all);

/* Where the children of a share's replicas are noted: parents and families of `room` of them, from number `skip` on. */
typedef struct {
    uint32_t *parent;   /* [room] device */
    family_list family; /* likewise */
    uint64_t room, skip;
    selection_count *count; /* pinned: of all */
} offspring_list;

/* Queues the first of these for the replicas of a share (engine/share.h): how many children they have becomes
 * known in report->population and to the host, and they are noted. `again`: that was done before in this step, for others.
 * Returns whether the selection was queued ahead. */
bool cuda_selection_count_offspring(cuda_population *p, const engine_step *step,
                                    const offspring_list *list, bool again);

/* Queues the same for given parents: step->parents[step->children], at most the capacity. */
void cuda_selection_inherit(cuda_population *p, const engine_step *step);

/* Queues the statistics of the families of so many replicas, of a population that was not resampled. */
void cuda_selection_count_families(cuda_population *p, uint64_t replicas);

#endif
