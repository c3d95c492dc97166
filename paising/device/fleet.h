/* The engines of the runs in flight: how many they are, and their creation. */
#ifndef PAISING_FLEET_H
#define PAISING_FLEET_H

#include "place.h"

typedef struct {
    engine_place place;
    engine *
        *member; /* [room], alike but for the couplings; [count] are at work, [made] are there */
    uint32_t count, made, room;
    double start; /* when their creation began (clock.h), the opening of the device not counted */
} engine_fleet;

/* How many runs, or samples if there are several, are to be in flight: as many as the parameters ask for
 * (--in-flight), or as fill the device and are worth it; not more than there are, and than fit into memory; but one. */
uint32_t fleet_size(const parameters *p, const engine_place *place, memory_share own);

/* Memory in bytes that so many runs in flight need, of the host and of the GPU. */
uint64_t fleet_host_bytes(const engine_place *place, memory_share own, uint32_t count);
uint64_t fleet_device_bytes(const engine_place *place, uint32_t count);

/* Sees whether one run fits, and as many as were asked for. If they do not, a line on stderr says how many
 * do: STATUS_REFUSED where there is not even one, or where a checkpoint is resumed, which holds as many;
 * else STATUS_OK. */
exit_status fleet_check(const parameters *p, const engine_place *place, memory_share own);

/* Finds the device that the parameters ask for, and how many engines there will be: f->room, which becomes
 * p->in_flight. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr: the device is not there, or its
 * memory or the host's is too small. */
exit_status fleet_find(engine_fleet *f, parameters *p, memory_share own);

/* How many threads are to have engines of the fleet at work: as many as there are processors, where there is one of a GPU
 * for each, or a CPU engine, which then has no threads of its own; else one. Ranks speak with one another by one. */
int fleet_threads(const engine_fleet *f);

/* The fleet of number n of so many threads, which calls this: it shares the room for engines with those of the others.
 * Returns STATUS_OK, or STATUS_FAILED after a line on stderr. */
exit_status fleet_divide(const engine_fleet *f, uint32_t threads, uint32_t n, engine_fleet *part);

/* Puts one more engine to work there, on a sample (NULL: the model has none), which must stay as long. Returns it, or
 * NULL with the reason, as messages say it. */
engine *fleet_add(engine_fleet *f, const couplings *sample, char *reason, size_t size);

/* Finds the device, and creates all engines of one sample; if memory ends before, p->in_flight is how many there
 * are. Returns as fleet_find; STATUS_REFUSED, too, if there is not even one. */
exit_status fleet_create(engine_fleet *f, parameters *p, const couplings *sample, memory_share own);

/* Takes all engines from their work, so that some may be added; and the fleet away. */
void fleet_clear(engine_fleet *f);
void fleet_destroy(engine_fleet *f);

#endif
