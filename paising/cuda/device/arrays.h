/* Arrays in device memory or in pinned host memory.
 *
 * Hundreds of small populations are made by several threads (device/pool.h), and an allocation
 * takes the driver as long as some steps take them. So small arrays are cut from pages, of which each is twice as large as the
 * one before. Space that is given back is not reused; a page is freed with its last array. Thread: any, at any time. */
#ifndef PAISING_CUDA_DEVICE_ARRAYS_H
#define PAISING_CUDA_DEVICE_ARRAYS_H

#include <cuda_runtime.h>
#include <stddef.h>

typedef enum { ON_DEVICE, PINNED, ARRAY_PLACES } array_place;

/* Allocates on the current device or on the host, aligned to 256 bytes. The contents are
 * undefined. */
cudaError_t cuda_array_take(void **array, size_t bytes, array_place place);

/* Gives an array back; NULL is allowed. */
void cuda_array_give(void *array, array_place place);

template <typename T> cudaError_t cuda_take(T **array, size_t bytes, array_place place) {
    return cuda_array_take((void **)array, bytes, place);
}

#endif
