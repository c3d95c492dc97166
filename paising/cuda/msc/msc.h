/* The multi-spin-coded kernels of the CUDA engine (spins.h): what must be known of them beside. */
#ifndef PAISING_CUDA_MSC_MSC_H
#define PAISING_CUDA_MSC_MSC_H

#include "cuda/engine/spins.h"

/* The blocks that keep MWC states in device memory, on the device in use (bytes.h). */
cudaError_t cuda_msc_stream_blocks(const spin_model *model, uint32_t *blocks);

#endif
