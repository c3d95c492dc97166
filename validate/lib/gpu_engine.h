/* Engines on the first GPU, for tests; a test that asks for one is skipped where that cannot be. */
#ifndef PAISING_GPU_ENGINE_H
#define PAISING_GPU_ENGINE_H

#include "engine/engine.h"

#include <stdbool.h>

/* Skips the test where there is no GPU. Returns the device memory that can be had. */
uint64_t need_gpu(void);

/* Whether GPUs have an engine for a model in a coding. */
bool gpu_has(const engine_config *config);

/* Makes an engine, or skips the test, also where memory is short. */
engine *gpu_engine(const engine_config *config);

#endif
