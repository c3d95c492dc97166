/* Companions: engines of one thread, alike but for the couplings, whose steps are made together. A small population is a
 * few blocks, and a GPU works on 128 kernels at a time at most; to launch one takes a thread, and the driver that all
 * threads wait for, longer than its estimates. So what an engine of a bundle is asked for is only noted, until `depart`
 * makes one launch of each kernel for all (companions.cuh), in the stream that they share:
 *
 *   overlaps of the populations at hand, where they were asked for      compare, measure, publish
 *   their next steps, those together that are decided by the same flips  select, step
 *
 * Each waits for its own report. What is not noted goes alone, in the same stream: steps of which only a part is made, of
 * groups, or by given parents, and selections that want more than a request has room for. */
#ifndef PAISING_CUDA_LAUNCH_BATCH_H
#define PAISING_CUDA_LAUNCH_BATCH_H

#include "engine_state.h"

/* Takes an engine into the bundle of another, if it can be there and there is room. */
void launch_batch_join(engine *base, engine *other);

/* Takes it out: before its population goes, when nothing is under way. */
void launch_batch_leave(cuda_engine *self);

/* Notes the step that it is to start. Returns false if it goes alone. */
bool launch_batch_takes_step(cuda_engine *self);

/* Sends off what is noted in its bundle, if it is in one. */
void launch_batch_flush(engine *base);

/* Begins to report the overlaps of its population, with those of its batch if it is in one; and waits for them. */
engine_status launch_batch_overlaps(engine *base, overlap_sums *out);
engine_status launch_batch_wait_overlaps(engine *base);

/* Forgets what is noted of it. */
void launch_batch_forget(cuda_engine *self);

#endif
