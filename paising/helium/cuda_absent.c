/* In place of the engine for GPUs, for programs that were built without nvcc. */
#include "engine.h"

#ifndef PAISING_CUDA

helium_engine *helium_cuda_create(const helium_system *s, int device, uint32_t blocks,
                                  helium_analyst analyst) {
    (void)s;
    (void)device;
    (void)blocks;
    (void)analyst;
    complain(STATUS_REFUSED, "--device cuda: this program was built without CUDA");
    return NULL;
}
#endif
