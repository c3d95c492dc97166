/* Generators with known faults, which the batteries must flag: those of M. Weigel's table (Monte
 * Carlo methods for massively parallel computers, Table 2) that can be told in a few lines. Seeds
 * are Philox numbers. */
#include "streams_under_test.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 4096

/* How many threads take turns. Birthday spacings find LCG64 in the vectors of eight neighbouring
 * threads: the fewer threads, the more vectors of each eight. With those of a warp, Crush flags the two
 * statistics that the table says; with 4096 none. */
static const uint32_t one_sequence = 1, warp = 32, most_threads = CHUNK;

static int control_open(stream_under_test *s) {
    uint64_t *const states = s->walk = malloc(most_threads * sizeof *states);
    s->numbers = malloc(CHUNK * sizeof *s->numbers);
    s->count = 0;
    if (!states || !s->numbers)
        return -1;
    for (uint32_t n = 0; n < most_threads; n++) {
        const stream_block b = stream_philox(s->key, n, 0, 0, 0);
        states[n] = (uint64_t)b.number[1] << 32 | b.number[0];
    }
    return 0;
}

static void refill_lcg32(stream_under_test *s) {
    uint64_t *const states = s->walk;
    const uint32_t threads = *(const uint32_t *)s->kind->definition;
    for (size_t n = 0; n < CHUNK; n++) {
        uint64_t *const state = &states[n % threads];
        *state = s->numbers[n] = lcg_next((uint32_t)*state);
    }
    s->count = CHUNK;
}

static void refill_lcg64(stream_under_test *s) {
    uint64_t *const states = s->walk;
    const uint32_t threads = *(const uint32_t *)s->kind->definition;
    for (size_t n = 0; n < CHUNK; n++) {
        uint64_t *const state = &states[n % threads];
        *state = *state * LCG64_MULTIPLIER + LCG64_INCREMENT;
        s->numbers[n] = (uint32_t)(*state >> 32);
    }
    s->count = CHUNK;
}

/* XORWOW (G. Marsaglia, J. Stat. Softw. 8, 14 (2003)), as in cuRAND: a xorshift of five words
 * and a Weyl sequence. */
static void refill_xorwow(stream_under_test *s) {
    uint32_t *const state = s->walk;
    uint32_t x = state[0], y = state[1], z = state[2], w = state[3], v = state[4], d = state[5];
    for (size_t n = 0; n < CHUNK; n++) {
        const uint32_t t = x ^ x >> 2;
        x = y;
        y = z;
        z = w;
        w = v;
        v = (v ^ v << 4) ^ (t ^ t << 1);
        d += 362437;
        s->numbers[n] = v + d;
    }
    const uint32_t last[6] = {x, y, z, w, v, d};
    memcpy(state, last, sizeof last);
    s->count = CHUNK;
}

#define CONTROL(name, generator, order, definition, refill, expected)                              \
    { name, generator, order, expected, &(definition), control_open, refill }

const stream_kind control_streams[] = {
    CONTROL("lcg32", "LCG32", "control: one sequence", one_sequence, refill_lcg32,
            FAILS_SMALL_CRUSH),
    CONTROL("lcg32-random", "LCG32, random seeds", "control: number n of 4096 threads, then n + 1",
            most_threads, refill_lcg32, FAILS_SMALL_CRUSH),
    CONTROL("lcg64", "LCG64", "control: one sequence", one_sequence, refill_lcg64, FAILS_CRUSH),
    CONTROL("lcg64-random", "LCG64, random seeds", "control: number n of 32 threads, then n + 1",
            warp, refill_lcg64, FAILS_CRUSH),
    CONTROL("xorwow", "XORWOW", "control: one sequence", one_sequence, refill_xorwow,
            FAILS_BIG_CRUSH),
    {.name = NULL}};
