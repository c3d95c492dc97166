/* The CUDA engines (Secs. 3 and 4): the same bits as those of the CPU. */
#ifndef PAISING_CUDA_ENGINE_ENGINE_H
#define PAISING_CUDA_ENGINE_ENGINE_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* What is known of a device. */
typedef struct {
    char name[256];
    uint64_t free_bytes; /* device memory that can be had */
    int multiprocessors;
} cuda_device;

/* Number of CUDA devices that can be used; 0 with the reason in `reason` where there is none. */
int cuda_device_count(char *reason, size_t size);

/* Makes device `number` the one in use. Returns 0, or -1 with the reason. */
int cuda_device_open(int number, cuda_device *device, char *reason, size_t size);

/* The name of a device; NULL: it does not answer. The device is asked once, as it takes its time, and engines may be many. */
const char *cuda_device_name(int number);

/* Makes a device that was opened the one in use by the thread that calls. Returns whether it is. */
bool cuda_device_use(int number);

/* Whether there is an engine for a model in a coding. */
int engine_cuda_has(const engine_config *config);

/* Device memory in bytes that an engine of this configuration takes on the device in use; UINT64_MAX: the
 * device does not answer. */
uint64_t engine_cuda_bytes(const engine_config *config);

/* Makes an engine on the device in use. Returns NULL with the reason. */
engine *engine_cuda_create(const engine_config *config, char *reason, size_t size);

C_DECLARATIONS_END

#endif
