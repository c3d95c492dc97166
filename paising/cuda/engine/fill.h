/* How many populations a GPU works on at a time without one waiting for another: an estimate. */
#ifndef PAISING_CUDA_ENGINE_FILL_H
#define PAISING_CUDA_ENGINE_FILL_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* Whether populations of this configuration go together (bundle.h): those whose selection and step can be launched for
 * several, as a rule, which are too small to fill a device. */
bool launch_batch_serves(const engine_config *config);

/* Populations of this configuration, which may go together or not, that fill a device of so many multiprocessors, 1 at
 * least. In modes that time the stages of a step it is 1: times of populations side by side would not be those of the
 * stages. */
uint32_t cuda_populations_to_fill(const engine_config *config, int multiprocessors, bool together);

C_DECLARATIONS_END

#endif
