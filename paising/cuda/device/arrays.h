/* Arrays on the device, or pinned on the host. Hundreds of small populations are made one after the other
 * (device/fleet.h), and each allocation takes the driver as long as some steps take them: small arrays are cut from
 * pages; what is given back is not cut again, and a page goes with the last of its arrays. Any thread may call these at any time. */
#ifndef PAISING_CUDA_DEVICE_ARRAYS_H
#define PAISING_CUDA_DEVICE_ARRAYS_H

#include <cuda_runtime.h>
#include <stddef.h>

typedef enum { ON_DEVICE, PINNED, ARRAY_PLACES } array_place;

/* Memory of the device in use, or of the host, aligned to 256 bytes. What is in it is not known. */
cudaError_t cuda_array_take(void **array, size_t bytes, array_place place);

/* Gives an array back; there may be none. */
void cuda_array_give(void *array, array_place place);

template <typename T> cudaError_t cuda_take(T **array, size_t bytes, array_place place) {
    return cuda_array_take((void **)array, bytes, place);
}

#endif
