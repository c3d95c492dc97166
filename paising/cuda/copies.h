/* What the host is told of single replicas of a CUDA engine between two steps, and tells it: verbs of engine/engine.h. */
#ifndef PAISING_CUDA_COPIES_H
#define PAISING_CUDA_COPIES_H

#include "engine_state.h"

engine_status cuda_copies_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels);
engine_status cuda_copies_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                               uint64_t *families);
engine_status cuda_copies_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                               const uint8_t *spins, const uint64_t *families);

/* Pairs of them. */
engine_status cuda_copies_overlaps(engine *base, overlap_sums *out);

#endif
