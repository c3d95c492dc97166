/* The CUDA engine of spins that are vectors. */
#ifndef PAISING_CUDA_VECTORS_VECTORS_H
#define PAISING_CUDA_VECTORS_VECTORS_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* Makes an engine on the current device, of this name. Returns NULL with the reason. */
engine *cuda_vectors_create(const engine_config *config, const char *device, char *reason,
                            size_t size);

C_DECLARATIONS_END

#endif
