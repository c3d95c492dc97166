/* What a step of a CUDA engine queues in the stream of its population. */
#ifndef PAISING_CUDA_ENGINE_QUEUE_H
#define PAISING_CUDA_ENGINE_QUEUE_H

#include "cuda/engine/state.h"

/* Records an event between the stages, if the engine has it. */
void cuda_set_mark(cuda_engine *self, int mark);

/* Whether the host selects the parents of the step. */
bool cuda_selects_on_host(const cuda_engine *self);

/* Whether replicas are stripes, of which nothing is reported. */
bool cuda_has_stripes(const cuda_engine *self);

/* Queues some parts of the step for a range of the population. */
void cuda_queue_parts(cuda_engine *self, step_parts parts, const cuda_range *range);

/* Prepares the groups of a step, and queues some parts of it for replicas first .. end - 1 of the groups, several groups at a time
 * where they share no scratch. Groups that are measured are whole. */
engine_status cuda_prepare_groups(cuda_engine *self);
void cuda_queue_groups(cuda_engine *self, step_parts parts, uint64_t first, uint64_t end);

/* Queues the measurement of the whole population. Pre: no groups. */
void cuda_queue_measurement(cuda_engine *self);

/* Queues the step, or of a long one what comes before its pieces (long_step.h). */
engine_status cuda_queue_step(cuda_engine *self);

#endif
