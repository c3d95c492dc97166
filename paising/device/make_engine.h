/* From parameters to an engine: which device, and whether the population fits. */
#ifndef PAISING_MAKE_ENGINE_H
#define PAISING_MAKE_ENGINE_H

#include "base/message.h"
#include "engine/engine.h"

/* Where an engine is to run, and what it takes there. */
typedef struct {
    engine_config config;
    bool gpu;
    char device[256];          /* the name of the GPU, or of the processor */
    uint64_t host_bytes;       /* that the engine needs */
    uint64_t host_available;   /* UINT64_MAX: not known */
    uint64_t device_bytes;     /* that it needs of the GPU's memory; 0 without one */
    uint64_t device_available; /* likewise */
} engine_place;

/* Finds the device that the parameters ask for and makes it the one in use. Returns STATUS_OK, or
 * STATUS_REFUSED after a line on stderr: it is not there. */
exit_status find_place(const parameters *p, engine_place *place);

/* Sees whether the engine fits beside what the simulation itself needs. Returns STATUS_OK, or
 * STATUS_REFUSED after a line on stderr that names what would fit. */
exit_status check_place(const parameters *p, const engine_place *place);

/* Makes the engine that the parameters ask for. Returns NULL after a line on stderr: the device is
 * not there, or its memory or the host's is too small. *start is when the making began (clock.h),
 * the opening of the device not counted. */
engine *make_engine(const parameters *p, double *start);

#endif
