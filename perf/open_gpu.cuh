/* What programs that time kernels of their own ask of a GPU. */
#ifndef PERF_OPEN_GPU_CUH
#define PERF_OPEN_GPU_CUH

#include <cuda_runtime.h>
#include <stdio.h>

/* Says in reason[size] what has failed, and why. Returns -1. */
static int failed(const char *what, cudaError_t error, char *reason, size_t size) {
    snprintf(reason, size, "%s: %s", what, cudaGetErrorString(error));
    return -1;
}

/* Takes GPU `number` into use; its name goes to name[size]. Returns 0, or -1 with the reason in reason[size]. */
static int open_gpu(int number, char *name, char *reason, size_t size) {
    cudaDeviceProp device;
    cudaError_t error = cudaSetDevice(number);
    if (!error)
        error = cudaGetDeviceProperties(&device, number);
    if (error)
        return failed("no GPU", error, reason, size);
    snprintf(name, size, "%s", device.name);
    return 0;
}

#endif
