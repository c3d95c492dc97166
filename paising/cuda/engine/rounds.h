/* Rounds of groups of replicas (engine/rounds.h) on the device. A round is four launches and one wait: exchanges are decided, all groups
 * step (cuda_round_spins), their pairs are compared, and the totals go to pinned memory. Everything else stays on the device. */
#ifndef PAISING_CUDA_ENGINE_ROUNDS_H
#define PAISING_CUDA_ENGINE_ROUNDS_H

#include "cuda/engine/round_state.h"

/* The verbs (engine/async.h). */
engine_status cuda_rounds_plan(engine *base, const round_plan *plan, bool *can);
engine_status cuda_rounds_submit(engine *base, const engine_round *round);
engine_status cuda_rounds_wait(engine *base, histogram out[], overlap_sums overlaps[]);
engine_status cuda_rounds_complete(engine *base, histogram out[]);

void cuda_rounds_destroy(cuda_rounds *r, cuda_population *p);

#endif
