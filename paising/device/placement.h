/* Placement: the device for given parameters, whether the population fits into its memory, and
 * creation of engines there. */
#ifndef PAISING_PLACEMENT_H
#define PAISING_PLACEMENT_H

#include "base/message.h"
#include "engine/capacity.h"
#include "engine/engine.h"
#include "engine/sample_sums.h"
#include "ranks/ranks.h"
#include "settings/parameters.h"

/* Bytes of host memory that a simulation needs besides its engines: once, and per run in flight. */
typedef struct {
    uint64_t once, each;
} memory_share;

/* The device for engines, and what one engine needs there. */
typedef struct {
    engine_config config;
    uint64_t population;  /* R */
    uint64_t populations; /* of R replicas, in one engine */
    bool gpu;
    device_kind asked; /* the requested device */
    uint32_t fill; /* populations that fill the device, approximately; for samples on a CPU, one per
                    * processor */
    bool together; /* side by side, steps of populations may be launched as a batch ... */
    bool batched;  /* ... and are */
    char device[256];                     /* name of the GPU or processor */
    char no_gpu[300];                     /* why -D auto has not chosen a GPU; or empty */
    uint64_t host_bytes;                  /* host memory that the engine needs */
    uint64_t host_available;              /* UINT64_MAX: unknown */
    uint64_t device_bytes;                /* GPU memory that the engine needs; 0 without a GPU */
    uint64_t device_available;            /* UINT64_MAX: unknown */
    memory_need *host_need, *device_need; /* functions that computed these needs */
} device_placement;

/* Limits OpenMP to one thread per processor. Warns on stderr, on rank 0, if OMP_NUM_THREADS asks
 * for more: surplus threads wait for one another, and libgomp crashes with very many.
 * placement_find calls it; programs that create engines without placement_find must do so. */
void placement_limit_threads(void);

/* Finds the requested device and makes it current. Returns STATUS_OK, or STATUS_REFUSED after a
 * message on stderr if the device is not available. */
exit_status placement_find(const parameters *p, device_placement *place);

/* Makes the device current for the calling thread. Returns whether that succeeded. */
bool placement_use(const device_placement *place);

/* Describes a GPU that need not be present, for an estimate: its name and memory in bytes
 * (UINT64_MAX: unknown). Nothing is known of its host. */
device_placement placement_like(const parameters *p, const char *device, uint64_t memory);

/* Checks that an engine fits besides `own` bytes of host memory for the simulation itself. Returns
 * STATUS_OK, or STATUS_REFUSED after a message on stderr that names the population that would fit. */
exit_status placement_check(const parameters *p, const device_placement *place, uint64_t own);

/* The largest population that fits besides the `own` bytes; 0 if none does. */
uint64_t placement_largest_population(const device_placement *place, uint64_t own);

/* Engines of ranks, each on the rank's own device; their `device` argument is a device_kind. */
extern const rank_maker placement_of_rank;

/* Fills needs[ranks] with the memory that each rank needs. */
void placement_describe_ranks(const device_placement *place, rank_needs needs[]);

/* Creates an engine for words of samples on the device (--record bins). Returns NULL and the reason, for a message, on failure. */
sample_engine *placement_sample_engine(const device_placement *place, const sample_plan *plan,
                                       char *reason, size_t size);

/* Creates an engine on the device. Returns NULL and the reason, for a message, on failure. */
engine *placement_engine(const device_placement *place, char *reason, size_t size);

#endif
