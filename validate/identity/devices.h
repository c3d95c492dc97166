/* What an engine of a comparison runs on: a number of CPU threads, or a GPU. Everything that knows
 * of CUDA in the identity tests stands behind this. */
#ifndef PAISING_IDENTITY_DEVICES_H
#define PAISING_IDENTITY_DEVICES_H

#include "engine/engine.h"

#include <stdbool.h>

typedef struct {
    bool cuda;
    int number; /* which GPU, or how many threads */
} identity_device;

/* The CPU with as many threads as OpenMP gives this program. */
identity_device identity_all_threads(void);

/* Reads "cpu", "cpu:THREADS", "cuda" or "cuda:N". Returns whether it is one of them. */
bool identity_read_device(identity_device *device, const char *text);

/* Writes it as it can be read again. Returns text. */
#define DEVICE_TEXT_SIZE 24
const char *identity_device_text(char text[DEVICE_TEXT_SIZE], identity_device device);

/* Whether the device is there, and if not, why. */
bool identity_device_is_there(identity_device device, char *reason, size_t size);

/* To be called before a verb of one of its engines. */
void identity_use_device(identity_device device);

/* Makes an engine, device_number of the configuration aside. Returns NULL with the reason. */
engine *identity_make_engine(identity_device device, engine_config config, char *reason,
                             size_t size);

#endif
