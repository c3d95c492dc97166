/* How many populations a GPU works on at a time without one waiting for another: an estimate. */
#ifndef PAISING_CUDA_FILL_H
#define PAISING_CUDA_FILL_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* Populations of this configuration that fill a device of so many multiprocessors, 1 at least. In modes that
 * time the stages of a step it is 1: times of populations side by side would not be those of the stages. */
uint32_t cuda_populations_to_fill(const engine_config *config, int multiprocessors);

C_DECLARATIONS_END

#endif
