/* The multi-spin-coded engine (engine/spins.h): what others need of it. */
#ifndef PAISING_CUDA_MSC_MSC_H
#define PAISING_CUDA_MSC_MSC_H

#include "cuda/engine/spins.h"

/* Sets *blocks to the blocks that keep MWC states in device memory, on the current device
 * (engine/bytes.h). */
cudaError_t cuda_msc_stream_blocks(const spin_model *model, uint32_t *blocks);

#endif
