/* The engines of the runs in flight: how many they are, and their creation. */
#ifndef PAISING_POOL_H
#define PAISING_POOL_H

#include "placement.h"

typedef struct {
    device_placement place;
    engine *
        *member; /* [room], alike but for the couplings; [count] are at work, [made] are there */
    uint32_t count, made, room;
    double start; /* when their creation began (clock.h), the opening of the device not counted */
} engine_pool;

/* How many runs, or samples if there are several, are to be in flight: as many as the parameters ask for
 * (--in-flight), or as fill the device and are worth it; not more than there are, and than fit into memory; but one. */
uint32_t pool_size(const parameters *p, const device_placement *place, memory_share own);

/* Memory in bytes that so many runs in flight need, of the host and of the GPU. */
uint64_t pool_host_bytes(const device_placement *place, memory_share own, uint32_t count);
uint64_t pool_device_bytes(const device_placement *place, uint32_t count);

/* Sees whether one run fits, and as many as were asked for. If they do not, a line on stderr says how many
 * do: STATUS_REFUSED where there is not even one, or where a checkpoint is resumed, which holds as many;
 * else STATUS_OK. */
exit_status pool_check(const parameters *p, const device_placement *place, memory_share own);

/* Finds the device that the parameters ask for, and how many engines there will be: f->room, which becomes
 * p->in_flight. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr: the device is not there, or its
 * memory or the host's is too small. */
exit_status pool_find(engine_pool *f, parameters *p, memory_share own);

/* How many threads are to have engines of the fleet at work: as many as there are processors, where there is one of a GPU
 * for each, or a CPU engine, which then has no threads of its own; else one. Ranks speak with one another by one. */
int pool_threads(const engine_pool *f);

/* The fleet of number n of so many threads, which calls this: it shares the room for engines with those of the others.
 * Returns STATUS_OK, or STATUS_FAILED after a line on stderr. */
exit_status pool_divide(const engine_pool *f, uint32_t threads, uint32_t n, engine_pool *part);

/* Puts one more engine to work there, on a sample (NULL: the model has none), which must stay as long. Returns it, or
 * NULL with the reason, as messages say it. */
engine *pool_add(engine_pool *f, const couplings *sample, char *reason, size_t size);

/* Finds the device, and creates all engines of one sample; if memory ends before, p->in_flight is how many there
 * are. Returns as pool_find; STATUS_REFUSED, too, if there is not even one. */
exit_status pool_create(engine_pool *f, parameters *p, const couplings *sample, memory_share own);

/* Takes all engines from their work, so that some may be added; and the fleet away. */
void pool_clear(engine_pool *f);
void pool_destroy(engine_pool *f);

#endif
