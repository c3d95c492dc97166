/* Profiles of lattices: how many spins are up in each plane x_d = x, d = 0 .. dimension - 1 and x = 0 .. edge[d] - 1, one direction
 * after the other. They are what sums at wave vectors along the edges are made of. Of a stripe they are those of its own rows. */
#ifndef PAISING_PROFILES_H
#define PAISING_PROFILES_H

#include "engine.h"

C_DECLARATIONS_BEGIN

/* The planes of a lattice, or of a stripe. */
uint32_t profile_planes(const spin_model *m);

/* Fills up[planes] of one replica, whose spins are as `read` of engine.h gives them: an Ising model on a lattice of even edges. */
void profile_of(const spin_model *m, const uint8_t *spins, uint32_t *up);

/* Room to read profiles of an engine by. */
typedef struct {
    uint64_t piece; /* replicas that are read at once */
    uint8_t *spins; /* [piece][packed bytes]; NULL: the engine has profiles of its own */
    uint32_t *families;
} profile_room;

/* Makes room for the profiles of `replicas` replicas. Returns 0, or -1 without memory. */
int profile_room_create(profile_room *r, const engine *e, uint64_t replicas);
void profile_room_destroy(profile_room *r);
uint64_t profile_room_bytes(const spin_model *m, uint64_t replicas);

/* Fills up[replicas][planes] from replica 0 on: by the engine's verb, or from the spins that it gives. */
engine_status profiles_read(engine *e, const profile_room *r, uint64_t replicas, uint32_t *up);

C_DECLARATIONS_END

#endif
