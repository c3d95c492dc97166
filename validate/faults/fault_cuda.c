/* Calls of the CUDA runtime that fail on demand (fault.h). The runtime is linked into the program, so
 * that they cannot be replaced from outside: build/paising_faulty is the program linked with
 * -Wl,--wrap for each function below.
 *
 * A call that fails is not made: an allocation gives no memory, a kernel is not started, a copy copies
 * nothing. What a call failed with is told by the next cudaGetLastError, too, as it really is. Releasing
 * (cudaFree and so on) is left alone: the real runtime is sound, and has real memory to release. */
#include "fault.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

/* The functions that the program calls go to the one named __wrap_; __real_ is CUDA's. */
#define WRAPPED(name) __typeof__(name) __real_##name, __wrap_##name

static cudaError_t last_error; /* of a call that failed here */

/* What a call is to fail with: one of its own kind, or of all calls. */
static cudaError_t error_of(fault_kind kind) {
    const int any = fault_due(FAULT_CUDA_ANY), own = fault_due(kind);
    const cudaError_t error = (cudaError_t)(any ? any : own);
    if (error)
        last_error = error;
    return error;
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

/* Both forms of a launch, that of <<< >>> and that of libraries, have these arguments. */
typedef cudaError_t launch(const void *kernel, dim3 grid, dim3 block, void **arguments,
                           size_t shared_bytes, cudaStream_t stream);

static cudaError_t launch_unless_due(launch *real, const void *kernel, dim3 grid, dim3 block,
                                     void **arguments, size_t shared_bytes, cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_LAUNCH);
    return error ? error : real(kernel, grid, block, arguments, shared_bytes, stream);
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

/* That of a launch with attributes. */
WRAPPED(cudaLaunchKernelExC);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                       void **arguments) {
    const cudaError_t error = error_of(FAULT_CUDA_LAUNCH);
    return error ? error : __real_cudaLaunchKernelExC(config, kernel, arguments);
}

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
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaGetDeviceCount(count);
}

WRAPPED(cudaSetDevice);
cudaError_t __wrap_cudaSetDevice(int device) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaSetDevice(device);
}

WRAPPED(cudaGetDevice);
cudaError_t __wrap_cudaGetDevice(int *device) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaGetDevice(device);
}

WRAPPED(cudaGetDeviceProperties);
cudaError_t __wrap_cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaGetDeviceProperties(properties, device);
}

WRAPPED(cudaDeviceGetAttribute);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr name, int device) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaDeviceGetAttribute(value, name, device);
}

WRAPPED(cudaDriverGetVersion);
cudaError_t __wrap_cudaDriverGetVersion(int *version) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaDriverGetVersion(version);
}

WRAPPED(cudaMemGetInfo);
cudaError_t __wrap_cudaMemGetInfo(size_t *available, size_t *total) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaMemGetInfo(available, total);
}

/* --- kernels --- */

WRAPPED(cudaFuncGetAttributes);
cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                         const void *kernel) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaFuncGetAttributes(attributes, kernel);
}

WRAPPED(cudaFuncSetAttribute);
cudaError_t __wrap_cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute name,
                                        int value) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaFuncSetAttribute(kernel, name, value);
}

WRAPPED(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
cudaError_t __wrap_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t shared_bytes, unsigned flags) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error
                 : __real_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                       blocks, kernel, threads, shared_bytes, flags);
}

/* --- streams and events --- */

WRAPPED(cudaStreamCreate);
cudaError_t __wrap_cudaStreamCreate(cudaStream_t *stream) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaStreamCreate(stream);
}

WRAPPED(cudaEventCreate);
cudaError_t __wrap_cudaEventCreate(cudaEvent_t *event) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaEventCreate(event);
}

WRAPPED(cudaEventRecord);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaEventRecord(event, stream);
}

WRAPPED(cudaEventElapsedTime);
cudaError_t __wrap_cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    const cudaError_t error = error_of(FAULT_CUDA_QUERY);
    return error ? error : __real_cudaEventElapsedTime(ms, from, to);
}

/* Counting begins with the program. */
__attribute__((constructor)) static void begin(void) {
    fault_begin();
}
