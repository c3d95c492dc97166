/* Launches that begin while those before them in the stream end. */
#ifndef PAISING_CUDA_DEVICE_LAUNCHES_CUH
#define PAISING_CUDA_DEVICE_LAUNCHES_CUH

/* What the launch before has written is there behind `await`, which all threads call. `allow` lets the next one begin as
 * soon as all blocks have called it: then none of them waits for room that the next one's blocks take. */
static __device__ __forceinline__ void await_launch_before() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

static __device__ __forceinline__ void allow_next_launch() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

#endif
