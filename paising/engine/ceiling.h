/* Flips of Ising spins below an energy ceiling: a flip is proposed with the probability 1/2, and made if the energy then is that of the
 * ceiling at most. So all states up to the ceiling keep the same probability. (Without the half, nothing would be left to chance, and
 * copies of a replica would stay alike.) Engines make them one after the other, since each needs the energy behind the one before.
 *
 * Sites are visited in quads. Near a ceiling most flips wait for the energy that another one has set free. So the order is another one in each
 * sweep: in a fixed one energy goes the same ways again, and a population needs more sweeps to forget. */
#ifndef PAISING_CEILING_H
#define PAISING_CEILING_H

#include "base/portable.h"

#include <stdint.h>

/* Whether a spin flips, at a cost of `change`, by the random number r. room: from the energy up to the ceiling. Both count the spacing of
 * the levels. */
SHARED_FUNCTION int flips_below(int32_t change, int64_t room, uint32_t r) {
    return r >> 31 && change <= room;
}

/* A sweep visits quad `first`, and then that which is `apart` quads on, modulo their number. */
typedef struct {
    uint32_t first, apart;
} quad_order;

/* The order of `quads` quads in a sweep of all replicas, by the random numbers of the position behind the last quad, of replica 0. Quads that follow each other
 * are between a half and three quarters of all apart, and as much more as it takes to visit each of them. */
SHARED_FUNCTION quad_order order_below(uint32_t quads, const uint32_t random[4]) {
    const uint32_t first = (uint32_t)((uint64_t)random[0] * quads >> 32);
    for (uint32_t apart = quads / 2 + (uint32_t)((uint64_t)random[1] * (quads / 4 + 1) >> 32);;
         apart++) {
        uint32_t a = apart, b = quads;
        while (b != 0) {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return (quad_order){first, apart};
    }
}

#endif
