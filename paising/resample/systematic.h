/* Systematic resampling: points at equal distances, a comb whose offset is one random number (J.
 * Carpenter, P. Clifford, P. Fearnhead, 1999). The number of children of a parent is one of the two
 * integers next to its expectation, and so is that of any contiguous group of parents. */
#ifndef PAISING_SYSTEMATIC_H
#define PAISING_SYSTEMATIC_H

#include "line.h"

/* The common position of all points in their strata. */
STREAM_FUNCTION uint64_t systematic_offset(parent_line line, selection_numbers numbers) {
    return line_random(line, numbers, 0);
}

/* The number of children of all parents before weight x of the line. */
STREAM_FUNCTION uint64_t systematic_before(parent_line line, selection_numbers numbers,
                                           uint64_t offset, uint64_t x) {
    (void)numbers;
    const line_place place = line_place_of(line, x);
    return place.strata + (offset < place.rest ? 1 : 0);
}

#endif
