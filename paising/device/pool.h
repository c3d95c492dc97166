/* The engine pool: one engine for each run in flight. */
#ifndef PAISING_POOL_H
#define PAISING_POOL_H

#include "placement.h"

typedef struct {
    device_placement place;
    engine **member; /* [room] engines, equal but for their couplings; [made] exist, and the first
                      * [count] are in use */
    uint32_t count, made, room;
    double start; /* when creation began (clock.h), without opening the device */
} engine_pool;

/* The number of runs, or samples if there are several, in flight. It is what the parameters ask for
 * (--in-flight), or else what fills the device and pays. It is limited by the number of runs or
 * samples and by memory, and is at least one. */
uint32_t pool_size(const parameters *p, const device_placement *place, memory_share own);

/* Bytes of memory that `count` runs in flight need: of the host, and of the GPU. */
uint64_t pool_host_bytes(const device_placement *place, memory_share own, uint32_t count);
uint64_t pool_device_bytes(const device_placement *place, uint32_t count);

/* Checks that one run fits, and the requested number. Otherwise a message on stderr says how many
 * fit. Returns STATUS_REFUSED if not even one fits, or if a resumed checkpoint holds more; else
 * STATUS_OK. */
exit_status pool_check(const parameters *p, const device_placement *place, memory_share own);

/* Finds the requested device and the number of engines, f->room, which is stored in p->in_flight.
 * Returns STATUS_OK; or STATUS_REFUSED after a message on stderr if the device is not available, or
 * its memory or the host's is too small. */
exit_status pool_find(engine_pool *f, parameters *p, memory_share own);

/* The number of threads that drive engines of the pool. With a GPU: one per engine, at most one per
 * processor, and fewer for engines of launch batches, of which a thread drives several. With CPU engines: one per processor if there is an engine for each, which then uses no
 * threads of its own; else one. With ranks it is one, because ranks communicate one call at a time. */
int pool_threads(const engine_pool *f);

/* Fills *part with part number n of `threads` of the pool. Each thread calls it for itself; parts
 * share the room for engines. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status pool_divide(const engine_pool *f, uint32_t threads, uint32_t n, engine_pool *part);

/* Adds an engine for `sample` (NULL for models without couplings). The sample must outlive its use.
 * Returns the engine, or NULL and the reason, for a message. */
engine *pool_add(engine_pool *f, const couplings *sample, char *reason, size_t size);

/* The same for the model of a graph of the same kind, for which an engine is always made. The graph must outlive the engine's use. */
engine *pool_add_graph(engine_pool *f, const spin_model *model, char *reason, size_t size);

/* Finds the device and creates all engines, for one sample. If memory runs out, p->in_flight
 * becomes the number that were created. Returns the statuses of pool_find; STATUS_REFUSED also if
 * no engine was created. */
exit_status pool_create(engine_pool *f, parameters *p, const couplings *sample, memory_share own);

/* pool_clear marks all engines as unused, so that pool_add can reuse them. pool_destroy destroys
 * them. */
void pool_clear(engine_pool *f);
void pool_destroy(engine_pool *f);

#endif
