/* All that tests of engines know of CUDA. */
#include "gpu_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef PAISING_CUDA

#include "cuda/engine/engine.h"

uint64_t need_gpu(void) {
    char reason[300];
    cuda_device device;
    if (cuda_device_count(reason, sizeof reason) == 0 ||
        cuda_device_open(0, &device, reason, sizeof reason) != 0) {
        print_message("SKIP: %s\n", reason);
        skip();
    }
    return device.free_bytes;
}

bool gpu_has(const engine_config *config) {
    return engine_cuda_has(config);
}

engine *gpu_engine(const engine_config *config) {
    const uint64_t available = need_gpu(), need = engine_cuda_bytes(config);
    char reason[300] = "";
    if (need > available && need < UINT64_MAX) {
        print_message("SKIP: %.0f MB needed on the device, %.0f MB available\n",
                      1e-6 * (double)need, 1e-6 * (double)available);
        skip();
    }
    engine *const e = engine_cuda_create(config, reason, sizeof reason);
    if (e == NULL)
        fail_msg("%s", reason);
    return e;
}

#else

uint64_t need_gpu(void) {
    print_message("SKIP: built without CUDA\n");
    skip(); /* does not return */
    abort();
}

bool gpu_has(const engine_config *config) {
    (void)config;
    return false;
}

engine *gpu_engine(const engine_config *config) {
    (void)config;
    need_gpu();
    return NULL;
}

#endif
