/* Profiles of replicas (engine/profiles.h), counted on the device. */
#ifndef PAISING_CUDA_ENGINE_PROFILES_H
#define PAISING_CUDA_ENGINE_PROFILES_H

#include "cuda/engine/state.h"

engine_status cuda_profiles_read(engine *base, uint64_t first, uint64_t count, uint32_t *up);
void cuda_profiles_destroy(cuda_profiles *p);

#endif
