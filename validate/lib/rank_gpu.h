/* Engines of ranks on GPUs, for tests. */
#ifndef VALIDATE_RANK_GPU_H
#define VALIDATE_RANK_GPU_H

#include "engine/engine.h"

/* An engine on the GPU of this rank's place on its host, in turn if these are fewer. NULL, with the reason, if there is none. */
engine *make_on_gpu(const engine_config *config, char *reason, size_t size);

#endif
