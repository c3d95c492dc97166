/* The devices of this machine, and the current one. */
#include "cuda/engine/engine.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_DEVICES 64

/* CUDA reports a missing driver as one that is too old. It is missing if neither its library nor
 * its kernel module is there. */
static bool driver_is_missing(cudaError_t error) {
    if (error != cudaErrorInsufficientDriver)
        return false;
    void *const library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library != NULL)
        dlclose(library);
    return library == NULL || access("/proc/driver/nvidia/version", F_OK) != 0;
}

int cuda_device_count(char *reason, size_t size) {
    int count = 0;
    /* Loads all kernels with the context, not one by one during the first run. The driver reads
     * this once, at the first call. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    snprintf(reason, size, "%s",
             driver_is_missing(error) || error == cudaErrorNoDevice || error == cudaSuccess
                 ? "there is no NVIDIA GPU (or no driver of one) on this machine"
                 : cudaGetErrorString(error));
    return 0;
}

int cuda_device_open(int number, cuda_device *device, char *reason, size_t size) {
    cudaDeviceProp properties;
    size_t free_bytes = 0, total_bytes = 0;
    cudaError_t error = cudaSetDevice(number);
    if (!error)
        error = cudaGetDeviceProperties(&properties, number);
    if (!error)
        error = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (error) {
        snprintf(reason, size, "%s", cudaGetErrorString(error));
        return -1;
    }
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    device->free_bytes = free_bytes;
    device->multiprocessors = properties.multiProcessorCount;
    return 0;
}

bool cuda_device_use(int number) {
    return cudaSetDevice(number) == cudaSuccess;
}

const char *cuda_device_name(int number) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char name[MOST_DEVICES][256];
    cudaDeviceProp properties;
    if (number < 0 || number >= MOST_DEVICES)
        return NULL;
    pthread_mutex_lock(&lock);
    if (name[number][0] == '\0' && cudaGetDeviceProperties(&properties, number) == cudaSuccess)
        snprintf(name[number], sizeof name[number], "%s", properties.name);
    pthread_mutex_unlock(&lock);
    return name[number][0] != '\0' ? name[number] : NULL;
}
