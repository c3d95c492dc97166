/* The Philox of streams.h as nvcc compiles it, run on a GPU: for test_streams.c. */
#ifndef PAISING_PHILOX_CUDA_H
#define PAISING_PHILOX_CUDA_H

#include "base/portable.h"
#include "engine/streams.h"

#include <stddef.h>

/* A known answer. */
typedef struct {
    stream_key key;
    uint32_t counter[4];
    stream_block answer;
} philox_vector;

typedef enum { PHILOX_COMPUTED, PHILOX_NO_DEVICE, PHILOX_FAILED } philox_status;

C_DECLARATIONS_BEGIN

/* Computes the numbers at the counters of vector[count], a thread each, into computed[count], which
 * passes through the device's memory: what no thread writes comes back as it was. If it could not,
 * reason[size] says why. */
philox_status philox_on_device(const philox_vector vector[], stream_block computed[], size_t count,
                               char *reason, size_t size);

C_DECLARATIONS_END

#endif
