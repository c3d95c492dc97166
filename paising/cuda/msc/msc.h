/* The multi-spin-coded engine (engine/spins.h): what others need of it. */
#ifndef PAISING_CUDA_MSC_MSC_H
#define PAISING_CUDA_MSC_MSC_H

#include "cuda/engine/spins.h"

/* Sets *blocks to the lattices of machine words for which MWC states are kept in device memory, on the current device
 * (engine/bytes.h). */
cudaError_t cuda_msc_stream_blocks(const engine_config *config, uint32_t *blocks);

/* Reads the counts of stripes (engine.h, read_stripes): `first` and `count` are of whole machine words. */
void cuda_msc_read_stripes(void *state, cuda_population *p, uint64_t first, uint64_t count,
                           uint32_t *unsatisfied, uint32_t *up);

#endif
