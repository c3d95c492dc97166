/* The CUDA engine of words of 32 samples (engine/sample_sums.h). Its sums equal those of the CPU. */
#ifndef PAISING_CUDA_SAMPLES_SAMPLES_H
#define PAISING_CUDA_SAMPLES_SAMPLES_H

#include "engine/sample_sums.h"

#include <stddef.h>

C_DECLARATIONS_BEGIN

/* Makes an engine on the current device. Flips are those of DOWNHILL_ALWAYS. Returns NULL with the reason: too many chains for a block,
 * or no memory. */
sample_engine *sample_cuda_create(const sample_plan *plan, char *reason, size_t size);

C_DECLARATIONS_END

#endif
