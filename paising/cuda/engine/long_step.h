/* Long steps, which can be given up (engine_step.stop).
 *
 * A kernel cannot be interrupted, and in multi-spin coding a sweep cannot be the end of a launch: the random streams are in
 * registers. So replicas make the pieces of a long step: first all children are collected, or of a step without selection the spins are
 * copied; then a launch after the other makes all sweeps of some replicas, in about PIECE_SECONDS, which may be of several groups; then
 * all are measured. Before each launch the host looks at `stop`. If the step is given up, the parents, or the copy, are the population
 * again.
 *
 * A piece has no fewer replicas than the device sweeps at a time, since it would take as long. Steps that are expected to be
 * shorter than a piece are not cut. */
#ifndef PAISING_CUDA_ENGINE_LONG_STEP_H
#define PAISING_CUDA_ENGINE_LONG_STEP_H

#include "cuda/engine/state.h"

#define PIECE_SECONDS 0.5

/* Allocates, and sets base.heeds_stop where steps can be cut. Returns 0, or -1 with the population's `failed` set. */
int cuda_long_step_create(cuda_engine *self, const engine_config *config);
void cuda_long_step_destroy(cuda_engine *self);

/* Whether the step can be given up, and is expected to be long. */
bool cuda_long_step_is_due(const cuda_engine *self);

/* Queues the first piece. Pre: all children are collected, where the step selects. */
void cuda_long_step_begin(cuda_engine *self);

/* Makes the other pieces, and queues the measurement. Or returns ENGINE_STOPPED, or why there are no children. */
engine_status cuda_long_step_end(cuda_engine *self);

/* Learns from a step that was not cut, which took so many seconds. */
void cuda_long_step_learn(cuda_engine *self, double seconds);

#endif
