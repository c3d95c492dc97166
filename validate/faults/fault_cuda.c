/* Calls of the CUDA runtime that fail on demand (fault.h). The runtime is linked into the program, so
 * that they cannot be replaced from outside: build/paising_faulty is the program linked with
 * -Wl,--wrap for each function below.
 *
 * A call that fails is not made: an allocation gives no memory, a kernel is not started, a copy copies
 * nothing. What a launch failed with is told by the next cudaGetLastError, as it really is. Releasing
 * (cudaFree and so on) is left alone: the real runtime is sound, and has real memory to release. */
#include "fault.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

/* The functions that the program calls go to the one named __wrap_; __real_ is CUDA's. */
#define WRAPPED(name) __typeof__(name) __real_##name, __wrap_##name

/* What a call is to fail with: one of its own kind, or of all calls. */
static cudaError_t error_of(fault_kind kind) {
    const int any = fault_due(FAULT_CUDA_ANY), own = fault_due(kind);
    return (cudaError_t)(any ? any : own);
}

/* --- memory --- */

WRAPPED(cudaMalloc);
cudaError_t __wrap_cudaMalloc(void **memory, size_t size) {
    const cudaError_t error = error_of(FAULT_CUDA_MALLOC);
    return error ? error : __real_cudaMalloc(memory, size);
}

WRAPPED(cudaHostAlloc);
cudaError_t __wrap_cudaHostAlloc(void **memory, size_t size, unsigned flags) {
    const cudaError_t error = error_of(FAULT_CUDA_MALLOC);
    return error ? error : __real_cudaHostAlloc(memory, size, flags);
}

/* --- copies --- */

WRAPPED(cudaMemcpy);
cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    const cudaError_t error = error_of(FAULT_CUDA_COPY);
    return error ? error : __real_cudaMemcpy(to, from, size, kind);
}

WRAPPED(cudaMemcpyAsync);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t size,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_COPY);
    return error ? error : __real_cudaMemcpyAsync(to, from, size, kind, stream);
}

WRAPPED(cudaMemsetAsync);
cudaError_t __wrap_cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_COPY);
    return error ? error : __real_cudaMemsetAsync(to, value, size, stream);
}

/* --- waiting --- */

WRAPPED(cudaStreamSynchronize);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_WAIT),
                      real = __real_cudaStreamSynchronize(stream);
    return error ? error : real;
}

/* --- launches --- */

static cudaError_t last_error; /* of a launch that failed here */

/* Both forms of a launch, that of <<< >>> and that of libraries, have these arguments. */
typedef cudaError_t launch(const void *kernel, dim3 grid, dim3 block, void **arguments,
                           size_t shared_bytes, cudaStream_t stream);

static cudaError_t launch_unless_due(launch *real, const void *kernel, dim3 grid, dim3 block,
                                     void **arguments, size_t shared_bytes, cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_LAUNCH);
    if (!error)
        return real(kernel, grid, block, arguments, shared_bytes, stream);
    last_error = error;
    return error;
}

launch __real_cudaLaunchKernel, __wrap_cudaLaunchKernel;
cudaError_t __wrap_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes, cudaStream_t stream) {
    return launch_unless_due(__real_cudaLaunchKernel, kernel, grid, block, arguments, shared_bytes,
                             stream);
}

/* What the compiler puts in place of kernel<<<...>>>() calls this one since CUDA 13. */
#if CUDART_VERSION >= 13000
launch __real___cudaLaunchKernel, __wrap___cudaLaunchKernel;
cudaError_t __wrap___cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared_bytes, cudaStream_t stream) {
    return launch_unless_due(__real___cudaLaunchKernel, kernel, grid, block, arguments,
                             shared_bytes, stream);
}
#endif

WRAPPED(cudaGetLastError);
cudaError_t __wrap_cudaGetLastError(void) {
    const cudaError_t injected = last_error, real = __real_cudaGetLastError();
    last_error = cudaSuccess;
    return injected ? injected : real;
}

WRAPPED(cudaPeekAtLastError);
cudaError_t __wrap_cudaPeekAtLastError(void) {
    return last_error ? last_error : __real_cudaPeekAtLastError();
}

/* --- devices --- */

WRAPPED(cudaGetDeviceCount);
cudaError_t __wrap_cudaGetDeviceCount(int *count) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaGetDeviceCount(count);
}

WRAPPED(cudaSetDevice);
cudaError_t __wrap_cudaSetDevice(int device) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaSetDevice(device);
}

WRAPPED(cudaGetDeviceProperties);
cudaError_t __wrap_cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaGetDeviceProperties(properties, device);
}

WRAPPED(cudaMemGetInfo);
cudaError_t __wrap_cudaMemGetInfo(size_t *available, size_t *total) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaMemGetInfo(available, total);
}

WRAPPED(cudaStreamCreate);
cudaError_t __wrap_cudaStreamCreate(cudaStream_t *stream) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaStreamCreate(stream);
}

WRAPPED(cudaEventRecord);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const int error = fault_due(FAULT_CUDA_ANY);
    return error ? (cudaError_t)error : __real_cudaEventRecord(event, stream);
}

/* Counting begins with the program. */
__attribute__((constructor)) static void begin(void) {
    fault_begin();
}
