/* Flips of Ising spins below an energy ceiling: a flip is proposed with the probability 1/2, and made if the energy then is that of the
 * ceiling at most. So all states up to the ceiling keep the same probability. (Without the half, nothing would be left to chance, and
 * copies of a replica would stay alike.) Engines make them one after the other, since each needs the energy behind the one before.
 *
 * Sites are visited in quads. Near a ceiling most flips wait for the energy that another one has set free. So quads that follow each other are
 * far apart: in the order of sites energy is taken up where it was set free, and a population needs more sweeps to forget. */
#ifndef PAISING_CEILING_H
#define PAISING_CEILING_H

#include "base/portable.h"

#include <stdint.h>

/* Whether a spin flips, at a cost of `change`, by the random number r. room: from the energy up to the ceiling. Both count the spacing of
 * the levels. */
SHARED_FUNCTION int flips_below(int32_t change, int64_t room, uint32_t r) {
    return r >> 31 && change <= room;
}

/* Behind quad n of so many that of n + this follows, modulo their number: the first from the golden section on that leads to all. */
static inline uint32_t ceiling_stride(uint32_t quads) {
    for (uint32_t stride = (uint32_t)((uint64_t)quads * 2654435769u >> 32);; stride++) {
        uint32_t a = stride, b = quads;
        while (b != 0) {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}

#endif
