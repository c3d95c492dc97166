/* Flips of Ising spins below an energy ceiling: a flip is proposed with the probability 1/2, and made if the energy then is that of the
 * ceiling at most. So all states up to the ceiling keep the same probability. (Without the half, nothing would be left to chance, and
 * copies of a replica would stay alike.) Engines make them one after the other, since each needs the energy behind the one before. */
#ifndef PAISING_CEILING_H
#define PAISING_CEILING_H

#include "base/portable.h"

#include <stdint.h>

/* Whether a spin flips, at a cost of `change`, by the random number r. room: from the energy up to the ceiling. Both count the spacing of
 * the levels. */
SHARED_FUNCTION int flips_below(int32_t change, int64_t room, uint32_t r) {
    return r >> 31 && change <= room;
}

#endif
