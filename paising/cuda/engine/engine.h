/* The CUDA engines (Secs. 3 and 4). Their results equal those of the CPU engines bit for bit. */
#ifndef PAISING_CUDA_ENGINE_ENGINE_H
#define PAISING_CUDA_ENGINE_ENGINE_H

#include "engine/engine.h"

C_DECLARATIONS_BEGIN

/* Properties of a device. */
typedef struct {
    char name[256];
    uint64_t free_bytes; /* free device memory */
    int multiprocessors;
} cuda_device;

/* Returns the number of usable CUDA devices; 0 with the reason in `reason` if there is none. */
int cuda_device_count(char *reason, size_t size);

/* Makes device `number` the current one. Returns 0, or -1 with the reason. */
int cuda_device_open(int number, cuda_device *device, char *reason, size_t size);

/* Returns the name of a device, or NULL if it does not answer. The first call asks the driver,
 * which is slow; the name is kept for later calls. Any thread may call it. */
const char *cuda_device_name(int number);

/* Makes an open device the current one of the calling thread. Returns whether it is. */
bool cuda_device_use(int number);

/* Whether there is an engine for this model and coding. */
int engine_cuda_has(const engine_config *config);

/* Device memory in bytes that an engine of this configuration allocates on the current device;
 * UINT64_MAX if the device does not answer. */
uint64_t engine_cuda_bytes(const engine_config *config);

/* Makes an engine on the current device. Returns NULL with the reason. */
engine *engine_cuda_create(const engine_config *config, char *reason, size_t size);

C_DECLARATIONS_END

#endif
