/* Named sections of host code for profilers (NVTX ranges). Without a profiler a section costs a
 * test of a pointer; without NVTX in the toolkit, nothing. A kernel belongs to the sections that
 * are open when it is launched. */
#ifndef PAISING_CUDA_DEVICE_NVTX_SECTION_H
#define PAISING_CUDA_DEVICE_NVTX_SECTION_H

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
static inline int nvtxRangePushA(const char *) {
    return 0;
}
static inline int nvtxRangePop(void) {
    return 0;
}
#endif

#include <stdint.h>
#include <stdio.h>

/* Open as long as the object lives. */
struct nvtx_section {
    explicit nvtx_section(const char *name) {
        nvtxRangePushA(name);
    }

    /* A temperature by its index: temperature_88. */
    explicit nvtx_section(uint32_t temperature) {
        char name[32];
        snprintf(name, sizeof name, "temperature_%u", temperature);
        nvtxRangePushA(name);
    }

    ~nvtx_section() {
        nvtxRangePop();
    }

    nvtx_section(const nvtx_section &) = delete;
    nvtx_section &operator=(const nvtx_section &) = delete;
};

#endif
