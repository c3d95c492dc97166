/* Launch batches: one launch of each kernel serves several engines.
 *
 * A small population fills a few blocks, and a GPU runs at most 128 kernels at a time. Launching a
 * kernel costs a thread and the driver's lock more time than a small kernel runs. So the members of
 * a batch, which differ in their couplings only, record what they are asked for.
 * launch_batch_flush() then launches each kernel once for all members (batch_requests.cuh), in the
 * stream that they share:
 *
 *   overlaps of the current populations               measure, publish
 *   next steps, one launch for each set of thresholds select, step
 *
 * Each member waits for its own report. Some work is launched alone, in the same stream: partial
 * steps, groups, given parents, and selections that do not fit into a request.
 *
 * Thread: all members belong to one host thread. */
#ifndef PAISING_CUDA_ENGINE_LAUNCH_BATCH_H
#define PAISING_CUDA_ENGINE_LAUNCH_BATCH_H

#include "cuda/engine/state.h"

/* Adds an engine to the batch of `other`, if the two are compatible and a slot is free. */
void launch_batch_join(engine *base, engine *other);

/* Removes an engine from its batch. Pre: none of its work is pending; its population still
 * exists. */
void launch_batch_leave(cuda_engine *self);

/* Records the step that is to start. Returns false if the step must be launched alone. */
bool launch_batch_takes_step(cuda_engine *self);

/* Launches everything that the members of the engine's batch have recorded. Does nothing without a
 * batch. */
void launch_batch_flush(engine *base);

/* overlaps records the request for the overlaps of the engine's population; without a batch it
 * measures them at once. wait_overlaps launches recorded requests and waits for the sums. */
engine_status launch_batch_overlaps(engine *base, overlap_sums *out);
engine_status launch_batch_wait_overlaps(engine *base);

/* Discards what the engine has recorded. */
void launch_batch_forget(cuda_engine *self);

#endif
