/* Stratified resampling: a point in each stratum, where its own random number says (G. Kitagawa, 1996). */
#ifndef PAISING_STRATIFIED_H
#define PAISING_STRATIFIED_H

#include "line.h"

/* The children of the parents that stand before weight x of the line. */
STREAM_FUNCTION uint64_t stratified_before(parent_line line, selection_numbers numbers,
                                           uint64_t x) {
    const line_place place = line_place_of(line, x);
    return place.strata + (line_random(line, numbers, place.strata) < place.rest ? 1 : 0);
}

#endif
