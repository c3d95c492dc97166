/* Systematic resampling: the points stand at equal distances, a comb that one random number moves (J. Carpenter,
 * P. Clifford, P. Fearnhead, 1999). A parent has one of the two integers next to what it expects, and parents
 * together too. */
#ifndef PAISING_SYSTEMATIC_H
#define PAISING_SYSTEMATIC_H

#include "line.h"

/* The place of all points in their strata. */
STREAM_FUNCTION uint64_t systematic_offset(parent_line line, selection_numbers numbers) {
    return line_random(line, numbers, 0);
}

/* The children of the parents that stand before weight x of the line. */
SHARED_FUNCTION uint64_t systematic_before(parent_line line, uint64_t offset, uint64_t x) {
    const line_place place = line_place_of(line, x);
    return place.strata + (offset < place.rest ? 1 : 0);
}

#endif
