/* The engines of the runs in flight: how many they are, and their creation. */
#ifndef PAISING_FLEET_H
#define PAISING_FLEET_H

#include "place.h"

typedef struct {
    engine **member; /* [count], all of one configuration on one device */
    uint32_t count;
    double start; /* when their creation began (clock.h), the opening of the device not counted */
} engine_fleet;

/* How many runs are to be in flight: as many as the parameters ask for (--in-flight), or as fill the device;
 * not more than there are runs, and than fit into memory; but one. */
uint32_t fleet_size(const parameters *p, const engine_place *place, memory_share own);

/* Memory in bytes that so many runs in flight need, of the host and of the GPU. */
uint64_t fleet_host_bytes(const engine_place *place, memory_share own, uint32_t count);
uint64_t fleet_device_bytes(const engine_place *place, uint32_t count);

/* Sees whether one run fits, and as many as were asked for. If they do not, a line on stderr says how many
 * do: STATUS_REFUSED where there is not even one, or where a checkpoint is resumed, which holds as many;
 * else STATUS_OK. */
exit_status fleet_check(const parameters *p, const engine_place *place, memory_share own);

/* Finds the device that the parameters ask for, and creates the engines there, of a sample (NULL: the model has
 * none); their number becomes p->in_flight. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr: the device is not there, or its
 * memory or the host's is too small. */
exit_status fleet_create(engine_fleet *f, parameters *p, const couplings *sample, memory_share own);
void fleet_destroy(engine_fleet *f);

#endif
