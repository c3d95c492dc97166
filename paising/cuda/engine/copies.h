/* Verbs of engine/engine.h that copy single replicas between host and device, between two steps. */
#ifndef PAISING_CUDA_ENGINE_COPIES_H
#define PAISING_CUDA_ENGINE_COPIES_H

#include "cuda/engine/state.h"

engine_status cuda_copies_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels);
engine_status cuda_copies_energies(engine *base, uint64_t first, uint64_t count, int64_t *energies);
engine_status cuda_copies_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                               uint32_t *families);
engine_status cuda_copies_hashes(engine *base, uint64_t first, uint64_t count, uint64_t *hashes,
                                 uint32_t *families);
engine_status cuda_copies_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                                const uint8_t *spins, const uint32_t *families);

#endif
