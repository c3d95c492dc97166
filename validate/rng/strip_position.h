/* Where a walk through the strips of a simulation is, in the order in which streams of the mode `independent` are
 * tested: strip after strip, then machine words, temperatures and runs. */
#ifndef PAISING_STRIP_POSITION_H
#define PAISING_STRIP_POSITION_H

#include "engine/mwc.h"
#include "streams_under_test.h"

#define STRIP_ROWS 8

typedef struct {
    uint32_t strip, machine_word;
    uint32_t temperature; /* the first is 1 */
} strip_position;

/* Strips of a machine word. */
static inline uint32_t strip_count(const stream_under_test *s) {
    return s->shape.size / STRIP_ROWS * s->shape.size / 2;
}

/* The generator of a strip of the machine word at hand. */
static inline mwc_state strip_seeded(const stream_under_test *s, const strip_position *at,
                                     uint32_t strip) {
    const stream_block b =
        stream_draw(s->key, STREAM_MWC, strip, at->machine_word, 0, at->temperature);
    return mwc_seed(b.number[0], b.number[1], b.number[2], b.number[3]);
}

/* Goes on by some strips. */
static inline void strip_advance(stream_under_test *s, strip_position *at, uint32_t strips) {
    at->strip += strips;
    if (at->strip < strip_count(s))
        return;
    at->strip = 0;
    if (++at->machine_word < s->shape.replicas / 32)
        return;
    at->machine_word = 0;
    if (++at->temperature <= s->shape.temperatures)
        return;
    at->temperature = 1;
    stream_next_run(s);
}

#endif
