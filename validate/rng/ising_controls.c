/* The scalar checkerboard simulation, and its generators of known faults. */
#include "ising_controls.h"
#include "streams_under_test.h"

#include <stdlib.h>

/* The spins of a sub-lattice stand row by row, L/2 a row: column j of row y is x = 2 j + ((y +
 * sub-lattice) mod 2), as in paising/cpu/msc_lattice.h. */
struct control_lattice {
    uint32_t size, columns, pitch;
    size_t threads;    /* N/2, each with a number for a half sweep */
    int32_t *spins;    /* +1, -1; [sub-lattice][row][pitch], copies of the ends on both sides */
    uint32_t *numbers; /* [threads] */
    control_generator generator;
    uint64_t multiplier, increment; /* of an LCG, from a thread's number to its next */
    uint32_t *state;                /* [threads] of LCG32; [6][threads] of XORWOW */
    uint64_t *state_64;             /* [threads] of LCG64 */
};

static int32_t *row_of(const control_lattice *l, uint32_t parity, uint32_t row) {
    return l->spins + ((size_t)parity * l->size + row) * l->pitch + 1;
}

static void close_row(int32_t *row, uint32_t columns) {
    row[-1] = row[columns - 1];
    row[columns] = row[0];
}

/* --- Generators --- */

static uint64_t seed_number(stream_key key, uint32_t n) {
    const stream_block b = stream_philox(key, n, 0, 0, 0);
    return (uint64_t)b.number[1] << 32 | b.number[0];
}

/* Seeds the threads of an LCG modulo 2^64, or 2^32 in the lower halves of everything. */
static void seed_lcg(control_lattice *l, uint64_t multiplier, uint64_t increment, int skipped,
                     stream_key key) {
    uint64_t state = seed_number(key, 0);
    l->multiplier = skipped ? 1 : multiplier;
    l->increment = skipped ? 0 : increment;
    for (size_t n = 0; n < l->threads; n++) {
        l->state_64[n] = skipped ? state : seed_number(key, (uint32_t)n);
        l->state[n] = (uint32_t)l->state_64[n];
        state = state * multiplier + increment;
        if (skipped) { /* one step more for every thread */
            l->increment = l->increment * multiplier + increment;
            l->multiplier *= multiplier;
        }
    }
}

static void seed(control_lattice *l, int skipped, stream_key key) {
    switch (l->generator) {
    case CONTROL_LCG32:
        seed_lcg(l, LCG_MULTIPLIER, LCG_INCREMENT, skipped, key);
        break;
    case CONTROL_LCG64:
        seed_lcg(l, LCG64_MULTIPLIER, LCG64_INCREMENT, skipped, key);
        break;
    case CONTROL_XORWOW:
        for (size_t n = 0; n < 6 * l->threads; n++)
            l->state[n] = (uint32_t)seed_number(key, (uint32_t)n);
        break;
    }
}

/* XORWOW (control_streams.c) of every thread. */
static void draw_xorwow(control_lattice *l) {
    const size_t threads = l->threads;
    uint32_t *restrict const x = l->state, *restrict const numbers = l->numbers;
    for (size_t n = 0; n < threads; n++) {
        const uint32_t t = x[n] ^ x[n] >> 2, v = x[4 * threads + n];
        for (size_t k = 0; k < 4; k++)
            x[k * threads + n] = x[(k + 1) * threads + n];
        x[4 * threads + n] = (v ^ v << 4) ^ (t ^ t << 1);
        x[5 * threads + n] += 362437;
        numbers[n] = x[4 * threads + n] + x[5 * threads + n];
    }
}

/* A number for every thread. */
static void draw(control_lattice *l) {
    uint32_t *restrict const numbers = l->numbers, *restrict const state = l->state;
    uint64_t *restrict const state_64 = l->state_64;
    const uint32_t multiplier = (uint32_t)l->multiplier, increment = (uint32_t)l->increment;
    const uint64_t multiplier_64 = l->multiplier, increment_64 = l->increment;
    switch (l->generator) {
    case CONTROL_LCG32:
        for (size_t n = 0; n < l->threads; n++)
            numbers[n] = state[n] = state[n] * multiplier + increment;
        break;
    case CONTROL_LCG64:
        for (size_t n = 0; n < l->threads; n++) {
            state_64[n] = state_64[n] * multiplier_64 + increment_64;
            numbers[n] = (uint32_t)(state_64[n] >> 32);
        }
        break;
    case CONTROL_XORWOW:
        draw_xorwow(l);
        break;
    }
}

/* --- The lattice --- */

control_lattice *control_create(uint32_t size, control_generator generator, int skipped,
                                stream_key key) {
    control_lattice *const l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    *l = (control_lattice){.size = size,
                           .columns = size / 2,
                           .pitch = size / 2 + 2,
                           .threads = (size_t)size * size / 2,
                           .generator = generator};
    l->spins = malloc(2 * (size_t)size * l->pitch * sizeof *l->spins);
    l->numbers = malloc(l->threads * sizeof *l->numbers);
    l->state = malloc(6 * l->threads * sizeof *l->state);
    l->state_64 = malloc(l->threads * sizeof *l->state_64);
    if (!l->spins || !l->numbers || !l->state || !l->state_64) {
        control_destroy(l);
        return NULL;
    }
    for (uint32_t row = 0; row < 2 * size; row++) {
        for (uint32_t j = 0; j < l->columns; j++) {
            const stream_block b = stream_draw(key, STREAM_RANDOMISE, j, row, 0, 0);
            row_of(l, 0, row)[j] = b.number[0] % 2 ? 1 : -1;
        }
        close_row(row_of(l, 0, row), l->columns);
    }
    seed(l, skipped, key);
    return l;
}

void control_destroy(control_lattice *l) {
    free(l->spins);
    free(l->numbers);
    free(l->state);
    free(l->state_64);
    free(l);
}

/* One row of a sub-lattice: a number each. */
static void flip_row(control_lattice *l, uint32_t parity, uint32_t row, const uint32_t *threshold) {
    const uint32_t columns = l->columns, t0 = threshold[0], t1 = threshold[1];
    int32_t *restrict const here = row_of(l, parity, row);
    const int32_t *const above = row_of(l, !parity, (row + l->size - 1) % l->size),
                         *const middle = row_of(l, !parity, row),
                         *const below = row_of(l, !parity, (row + 1) % l->size),
                         *const side = (row + parity) % 2 ? middle + 1 : middle - 1;
    const uint32_t *const number = l->numbers + (size_t)row * columns;
    for (uint32_t j = 0; j < columns; j++) {
        const int32_t parallel = here[j] * (above[j] + below[j] + middle[j] + side[j]);
        const int32_t flips =
            (parallel <= 0) | ((parallel == 2) & (number[j] < t1)) | (number[j] < t0);
        here[j] *= 1 - 2 * flips;
    }
    close_row(here, columns);
}

void control_sweep(control_lattice *l, const uint32_t threshold[2]) {
    for (uint32_t parity = 0; parity < 2; parity++) {
        draw(l);
        for (uint32_t row = 0; row < l->size; row++)
            flip_row(l, parity, row, threshold);
    }
}

int64_t control_energy(const control_lattice *l) {
    int64_t energy = 0;
    for (uint32_t row = 0; row < l->size; row++) {
        const int32_t *const here = row_of(l, 0, row), *const middle = row_of(l, 1, row),
                             *const above = row_of(l, 1, (row + l->size - 1) % l->size),
                             *const below = row_of(l, 1, (row + 1) % l->size),
                             *const side = row % 2 ? middle + 1 : middle - 1;
        for (uint32_t j = 0; j < l->columns; j++)
            energy -= here[j] * (above[j] + below[j] + middle[j] + side[j]);
    }
    return energy;
}
