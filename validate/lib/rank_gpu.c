/* Engines of ranks on GPUs, where the tests are built with CUDA. */
#include "rank_gpu.h"

#include <stdio.h>
#ifdef PAISING_CUDA
#include "cuda/engine/engine.h"
#include "ranks/ranks.h"
#endif

engine *make_on_gpu(const engine_config *config, char *reason, size_t size) {
#ifdef PAISING_CUDA
    engine_config own = *config;
    cuda_device device;
    const int count = cuda_device_count(reason, size);
    if (count == 0)
        return NULL;
    own.device_number = (int)ranks_world().place % count;
    own.device_is_shared = ranks_world().neighbours > (uint32_t)count;
    return cuda_device_open(own.device_number, &device, reason, size)
               ? NULL
               : engine_cuda_create(&own, reason, size);
#else
    (void)config;
    snprintf(reason, size, "built without CUDA");
    return NULL;
#endif
}
