/* Estimates how many populations keep a GPU busy at a time. */
#ifndef PAISING_CUDA_ENGINE_FILL_H
#define PAISING_CUDA_ENGINE_FILL_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* Returns how many populations of this configuration fill a device, at least 1. `together`: they
 * may be launched as a batch. It is 1 where the stages of a step are timed, since populations side
 * by side would distort the times. */
uint32_t cuda_populations_to_fill(const engine_config *config, int multiprocessors, bool together);

C_DECLARATIONS_END

#endif
