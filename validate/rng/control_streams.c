/* Generators with known faults, which the batteries must flag: those of M. Weigel's table (Monte
 * Carlo methods for massively parallel computers, Table 2) that can be told in a few lines. Seeds
 * are Philox numbers. */
#include "streams_under_test.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK   4096
#define THREADS 4096 /* of the generators with random seeds; a chunk is a number of each */

static const bool one_sequence = false, random_seeds = true;

static int control_open(stream_under_test *s) {
    uint64_t *const states = s->walk = malloc(THREADS * sizeof *states);
    s->numbers = malloc(CHUNK * sizeof *s->numbers);
    s->count = 0;
    if (!states || !s->numbers)
        return -1;
    for (uint32_t n = 0; n < THREADS; n++) {
        const stream_block b = stream_philox(s->key, n, 0, 0, 0);
        states[n] = (uint64_t)b.number[1] << 32 | b.number[0];
    }
    return 0;
}

static void refill_lcg32(stream_under_test *s) {
    uint64_t *const states = s->walk;
    const bool threads = *(const bool *)s->kind->definition;
    for (size_t n = 0; n < CHUNK; n++) {
        uint64_t *const state = &states[threads ? n : 0];
        *state = s->numbers[n] = lcg_next((uint32_t)*state);
    }
    s->count = CHUNK;
}

static void refill_lcg64(stream_under_test *s) {
    uint64_t *const states = s->walk;
    const bool threads = *(const bool *)s->kind->definition;
    for (size_t n = 0; n < CHUNK; n++) {
        uint64_t *const state = &states[threads ? n : 0];
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
            random_seeds, refill_lcg32, FAILS_SMALL_CRUSH),
    CONTROL("lcg64", "LCG64", "control: one sequence", one_sequence, refill_lcg64, FAILS_CRUSH),
    CONTROL("lcg64-random", "LCG64, random seeds", "control: number n of 4096 threads, then n + 1",
            random_seeds, refill_lcg64, FAILS_CRUSH),
    CONTROL("xorwow", "XORWOW", "control: one sequence", one_sequence, refill_xorwow,
            FAILS_BIG_CRUSH),
    {.name = NULL}};
