/* The devices that there are, and the one in use. */
#include "engine.h"

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_DEVICES 64

int cuda_device_count(char *reason, size_t size) {
    int count = 0;
    /* The kernels are to be loaded with the context, not one by one in the middle of the first run;
     * the driver reads this once, at the first call. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    snprintf(reason, size, "%s", error ? cudaGetErrorString(error) : "no CUDA device is there");
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
