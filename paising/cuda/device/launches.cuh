/* Launches that begin while the launch before them in the stream ends (programmatic dependent
 * launch). */
#ifndef PAISING_CUDA_DEVICE_LAUNCHES_CUH
#define PAISING_CUDA_DEVICE_LAUNCHES_CUH

/* await: behind it, all that the launch before has written is visible. All threads must call it.
 * allow: the next launch may begin once all blocks have called it, and then none of them waits for
 * room that the next one's blocks take. */
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
