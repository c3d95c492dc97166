/* What a strip of the mode `independent` draws for one sub-lattice, and what it decides by that, written
 * from the definitions alone (streams.h, bernoulli.h). Where its numbers come from is the caller's: an
 * engine's generator, or one that is planted. */
#ifndef PAISING_STRIP_DRAWS_H
#define PAISING_STRIP_DRAWS_H

#include "engine/bernoulli.h"

#define STRIP_HEIGHT 8 /* rows of a strip */

typedef struct {
    uint32_t planes[32][STRIP_HEIGHT]; /* [plane][row] */
    uint32_t points;
    uint32_t point[BERNOULLI_MAX_POINTS];
} strip_draws;

/* Draws with next(state), a number after the other. */
static inline strip_draws draw_strip(const bernoulli_table *table, uint32_t (*next)(void *state),
                                     void *state) {
    strip_draws n = {.points = 0};
    for (uint32_t plane = 0; plane < table->planes; plane++)
        for (uint32_t row = 0; row < STRIP_HEIGHT; row++)
            n.planes[plane][row] = next(state);
    const uint32_t number = next(state);
    for (uint32_t k = 0; k < BERNOULLI_MAX_POINTS; k++)
        n.points += table->last[k] < number;
    for (uint32_t k = 0; k < n.points; k++)
        n.point[k] = next(state);
    return n;
}

/* The decisions of all lanes for class c in one of the rows: bit by bit. */
static inline uint32_t strip_accepts(const strip_draws *n, const bernoulli_table *table, uint32_t c,
                                     uint32_t row) {
    uint32_t accept = 0;
    for (uint32_t plane = 0; plane < table->planes; plane++) {
        const uint32_t r = n->planes[plane][row];
        accept = table->bits[c] >> plane & 1 ? accept | r : accept & r;
    }
    for (uint32_t k = 0; k < n->points; k++)
        if (n->point[k] / 32 % STRIP_HEIGHT == row && n->point[k] / 256 < table->thin[c])
            accept |= 1u << n->point[k] % 32;
    return accept;
}

#endif
