/* From parameters to a device: which one, and whether the population fits; and an engine there. */
#ifndef PAISING_PLACEMENT_H
#define PAISING_PLACEMENT_H

#include "base/message.h"
#include "engine/capacity.h"
#include "engine/engine.h"
#include "ranks/ranks.h"
#include "settings/parameters.h"

/* Host memory in bytes that a simulation needs beside its engines: once, and for each run in flight. */
typedef struct {
    uint64_t once, each;
} memory_share;

/* Where engines are to run, and what one of them takes there. */
typedef struct {
    engine_config config;
    uint64_t population; /* R */
    bool gpu;
    device_kind asked; /* the device that was asked for */
    uint32_t
        fill; /* populations that fill the device, about; of samples, one for each processor of a CPU */
    bool together;       /* populations side by side may have their steps launched together on it */
    char device[256];    /* the name of the GPU, or of the processor */
    char no_gpu[300];    /* why it is not the GPU that -D auto prefers; or empty */
    uint64_t host_bytes; /* that the engine needs */
    uint64_t host_available;              /* UINT64_MAX: not known */
    uint64_t device_bytes;                /* that it needs of the GPU's memory; 0 without one */
    uint64_t device_available;            /* likewise */
    memory_need *host_need, *device_need; /* what these bytes follow from */
} device_placement;

/* Sees to it that OpenMP starts no more threads than there are processors, and says so on stderr if
 * OMP_NUM_THREADS asks for more, as rank 0 for all: they would only wait for one another, and of very many libgomp crashes.
 * placement_find calls it; to be called by programs that make engines without. */
void placement_limit_threads(void);

/* Finds the device that the parameters ask for and makes it the one in use. Returns STATUS_OK, or
 * STATUS_REFUSED after a line on stderr: it is not there. */
exit_status placement_find(const parameters *p, device_placement *place);

/* Makes its device the one in use by the thread that calls. Returns whether it is. */
bool placement_use(const device_placement *place);

/* Describes a GPU that need not be here, for an estimate: its name and its memory in bytes (UINT64_MAX:
 * not known), on a host of which nothing is known. */
device_placement placement_like(const parameters *p, const char *device, uint64_t memory);

/* Sees whether an engine fits beside the `own` bytes of host memory that the simulation itself needs.
 * Returns STATUS_OK, or STATUS_REFUSED after a line on stderr that names what would fit. */
exit_status placement_check(const parameters *p, const device_placement *place, uint64_t own);

/* The largest population that fits beside the `own` bytes; 0 if none does. */
uint64_t placement_largest_population(const device_placement *place, uint64_t own);

/* Engines of ranks, each on the device that its rank has; their `device` is a device_kind. */
extern const rank_maker placement_of_rank;

/* What each of several ranks takes: needs[ranks]. */
void placement_describe_ranks(const device_placement *place, rank_needs needs[]);

/* Creates an engine there. Returns NULL with the reason, as messages say it. */
engine *placement_engine(const device_placement *place, char *reason, size_t size);

#endif
