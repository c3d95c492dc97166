/* The Philox of streams.h on the device (philox_cuda.h). */
#include "philox_cuda.h"

#include <stdio.h>

#define THREADS 64 /* a block */

static __global__ void philox(const philox_vector *vector, stream_block *computed, size_t count) {
    const size_t n = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (n < count) {
        const uint32_t *const c = vector[n].counter;
        computed[n] = stream_philox(vector[n].key, c[0], c[1], c[2], c[3]);
    }
}

/* Copies both arrays to the device, runs the kernel, and copies the second one back. */
static cudaError_t run(const philox_vector *vector, philox_vector *vector_there,
                       stream_block *computed, stream_block *computed_there, size_t count) {
    const size_t bytes = count * sizeof *computed;
    cudaError_t error =
        cudaMemcpy(vector_there, vector, count * sizeof *vector, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaMemcpy(computed_there, computed, bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
        return error;
    philox<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS>>>(vector_there, computed_there,
                                                                     count);
    error = cudaGetLastError();
    return error == cudaSuccess
               ? cudaMemcpy(computed, computed_there, bytes, cudaMemcpyDeviceToHost)
               : error;
}

philox_status philox_on_device(const philox_vector vector[], stream_block computed[], size_t count,
                               char *reason, size_t size) {
    int devices = 0;
    const cudaError_t asked = cudaGetDeviceCount(&devices);
    if (asked != cudaSuccess || devices == 0) {
        snprintf(reason, size, "no GPU is there (%s)", cudaGetErrorString(asked));
        return PHILOX_NO_DEVICE;
    }
    philox_vector *vector_there = NULL;
    stream_block *computed_there = NULL;
    cudaError_t error = cudaMalloc(&vector_there, count * sizeof *vector_there);
    if (error == cudaSuccess)
        error = cudaMalloc(&computed_there, count * sizeof *computed_there);
    if (error == cudaSuccess)
        error = run(vector, vector_there, computed, computed_there, count);
    cudaFree(vector_there);
    cudaFree(computed_there);
    if (error == cudaSuccess)
        return PHILOX_COMPUTED;
    snprintf(reason, size, "%s", cudaGetErrorString(error));
    return PHILOX_FAILED;
}
