/* The line of the parents. Parents lie one after the other on a line. The length of a parent is its
 * weight, in units of 2^-32 of a child.
 *
 * Some resampling rules place one point per child on the line. A parent has as many children as
 * points fall on it, so that the number of children is exact whatever was rounded in the weights.
 * The sum of the weights before a parent says where the parent begins; nothing else is needed to
 * find its children.
 *
 * Points are counted in units of 1/P of the weight, P the number of points: P times the length T is
 * cut into P strata of T units. Where each point has a random number of its own, this is a number
 * of 64 bits, counted by the number of the point. */
#ifndef PAISING_LINE_H
#define PAISING_LINE_H

#include "engine/engine.h"

/* The random numbers of one selection: key and index of the temperature. */
typedef struct {
    stream_key key;
    uint32_t temperature;
} selection_numbers;

/* Position of weight x among the strata: the whole strata before it, and the rest in the next one. */
typedef struct {
    uint64_t strata, rest; /* less than T */
} line_place;

/* Requires x <= T. A division of 128 bits is slow. Doubles give the quotient, which is at most P
 * and so far below 2^53, to within 1; the remainder then corrects it. */
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

/* Maps a random number of 64 bits to 0 .. T - 1. */
SHARED_FUNCTION uint64_t line_scaled(parent_line line, uint64_t random) {
    return (uint64_t)((uint128)random * line.length >> 64);
}

/* The random number of point k, from 0 to T - 1. */
STREAM_FUNCTION uint64_t line_random(parent_line line, selection_numbers numbers, uint64_t k) {
    const stream_block b =
        stream_draw(numbers.key, STREAM_RESAMPLE, 0, (uint32_t)(k / 2), 0, numbers.temperature);
    const uint32_t low = k % 2 == 0 ? b.number[0] : b.number[2];
    const uint32_t high = k % 2 == 0 ? b.number[1] : b.number[3];
    return line_scaled(line, (uint64_t)high << 32 | low);
}

#endif
