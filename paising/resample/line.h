/* The line of the parents: they stand on it one after the other, each as long as its weight, in units of 2^-32 of a
 * child. Rules that let points fall on the line, one for each child, and give it to the parent that stands there,
 * have exactly as many children as points, whatever is rounded in the weights; and a parent's children follow from where
 * it begins, which is the sum of the weights before it. A point is counted in units of 1/P of the weight: P times the
 * length T is cut into P strata of T units.
 *
 * Points that have a random number of their own take 64 bits of it, by their number. */
#ifndef PAISING_LINE_H
#define PAISING_LINE_H

#include "engine/engine.h"

/* The random numbers of a selection. */
typedef struct {
    stream_key key;
    uint32_t temperature;
} selection_numbers;

/* Where weight x of the line is among the strata: behind so many whole ones, and so far in the next. */
typedef struct {
    uint64_t strata, rest; /* rest < T */
} line_place;

/* x is at most T. Numbers of 128 bits take long to divide: the quotient, at most P, which is much less than 2^53, is found
 * within 1 by doubles, and put right by what is left. */
SHARED_FUNCTION line_place line_place_of(parent_line line, uint64_t x) {
    line_place place = {0, 0};
    if (line.length == 0)
        return place;
    const uint128 units = (uint128)x * line.points;
    place.strata = (uint64_t)((double)x * ((double)line.points / (double)line.length));
    uint128 whole = (uint128)place.strata * line.length;
    if (whole > units) {
        place.strata--;
        whole -= line.length;
    } else if (units - whole >= line.length) {
        place.strata++;
        whole += line.length;
    }
    place.rest = (uint64_t)(units - whole);
    return place;
}

/* A number from 0 to T - 1, as a random number of 64 bits says. */
SHARED_FUNCTION uint64_t line_scaled(parent_line line, uint64_t random) {
    return (uint64_t)((uint128)random * line.length >> 64);
}

/* The same for the number of point k. */
STREAM_FUNCTION uint64_t line_random(parent_line line, selection_numbers numbers, uint64_t k) {
    const stream_block b =
        stream_draw(numbers.key, STREAM_RESAMPLE, 0, (uint32_t)(k / 2), 0, numbers.temperature);
    const uint32_t low = k % 2 == 0 ? b.number[0] : b.number[2];
    const uint32_t high = k % 2 == 0 ? b.number[1] : b.number[3];
    return line_scaled(line, (uint64_t)high << 32 | low);
}

#endif
