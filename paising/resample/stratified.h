/* Stratified resampling: one point in each stratum, at a position that its own random number
 * chooses (G. Kitagawa, 1996). */
#ifndef PAISING_STRATIFIED_H
#define PAISING_STRATIFIED_H

#include "line.h"

/* The number of children of all parents before weight x of the line. */
STREAM_FUNCTION uint64_t stratified_before(parent_line line, selection_numbers numbers,
                                           uint64_t offset, uint64_t x) {
    (void)offset;
    const line_place place = line_place_of(line, x);
    return place.strata + (line_random(line, numbers, place.strata) < place.rest ? 1 : 0);
}

#endif
