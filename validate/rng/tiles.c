/* The double checkerboard, and the sequential order, on the CPU. */
#include "tiles.h"

#include "engine/streams.h"
#include "streams_under_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A tile with the sites around it. */
typedef struct {
    int8_t spin[TILE + 2][TILE + 2];
} tile;

/* Threads whose turns make one sequence: all that draw from one sequence together, or one. */
static uint32_t threads_of_sequence(generator_id g) {
    switch (g) {
    case GENERATOR_LCG32_SKIPPED:
    case GENERATOR_LCG64_SKIPPED:
    case GENERATOR_FIBONACCI_521:
    case GENERATOR_FIBONACCI_1279:
    case GENERATOR_MTGP32:
        return GENERATOR_BLOCK;
    case GENERATOR_XORSHIFT_WEYL:
        return 32;
    default:
        return 1;
    }
}

int tiles_create(tile_lattice *l, const tile_setup *setup) {
    const uint32_t size = setup->size, tiles = size / TILE;
    const generator *const g = &generators[setup->generator];
    *l = (tile_lattice){.setup = *setup, .blocks = tiles * tiles / 2, .threads = GENERATOR_BLOCK};
    if (setup->hits == 0) {
        l->blocks = 1;
        l->threads = threads_of_sequence(setup->generator);
        l->numbers = malloc((size + GENERATOR_BLOCK) * sizeof *l->numbers);
    }
    l->words = generator_words(g, l->threads);
    l->words += l->words % 2; /* an even number: states stay aligned to 8 bytes */
    l->spins = malloc((size_t)size * size);
    l->states = calloc(l->blocks * l->words, sizeof *l->states);
    if (!l->spins || !l->states || (setup->hits == 0 && !l->numbers))
        return -1;
    const stream_key key = stream_run_key(setup->seed, 1);
    /* The last block alone: all multipliers of MWC are made for it, and others only read them. */
    const uint32_t last = l->blocks - 1;
    g->seed(l->states + last * l->words, l->threads, last, l->blocks, setup->seed);
#pragma omp parallel if (size >= 1024 && setup->generator != GENERATOR_EXTERNAL)
    {
#pragma omp for nowait
        for (uint32_t row = 0; row < size; row++)
            for (uint32_t x = 0; x < size; x++)
                l->spins[(size_t)row * size + x] =
                    stream_philox(key, x, row, 0, 0).number[0] % 2 ? 1 : -1;
#pragma omp for
        for (uint32_t b = 0; b < last; b++)
            g->seed(l->states + b * l->words, l->threads, b, l->blocks, setup->seed);
    }
    return 0;
}

void tiles_destroy(tile_lattice *l) {
    free(l->spins);
    free(l->states);
    free(l->numbers);
}

/* --- A step of tiles --- */

/* Copies a tile from the lattice, or back without its surroundings; its first site is (row, column). */
static void read_tile(const tile_lattice *l, tile *t, uint32_t row, uint32_t column) {
    const uint32_t size = l->setup.size;
    for (uint32_t y = 0; y < TILE + 2; y++)
        for (uint32_t x = 0; x < TILE + 2; x++)
            t->spin[y][x] = l->spins[(size_t)((row + y + size - 1) % size) * size +
                                     (column + x + size - 1) % size];
}

static void write_tile(tile_lattice *l, const tile *t, uint32_t row, uint32_t column) {
    for (uint32_t y = 0; y < TILE; y++)
        memcpy(l->spins + (size_t)(row + y) * l->setup.size + column, t->spin[y + 1] + 1, TILE);
}

static bool flips(const uint32_t threshold[2], int parallel, uint32_t number) {
    return parallel <= 0 || number < threshold[parallel == 2];
}

static void half_sweep(tile *t, uint32_t parity, const uint32_t threshold[2],
                       const uint32_t numbers[GENERATOR_BLOCK]) {
    for (uint32_t n = 0; n < GENERATOR_BLOCK; n++) {
        const uint32_t y = n / (TILE / 2), x = n % (TILE / 2) * 2 + (y + parity) % 2;
        int8_t *const s = &t->spin[y + 1][x + 1];
        const int parallel = *s * (t->spin[y][x + 1] + t->spin[y + 2][x + 1] + t->spin[y + 1][x] +
                                   t->spin[y + 1][x + 2]);
        if (flips(threshold, parallel, numbers[n]))
            *s = (int8_t) - *s;
    }
}

static void update_tiles(tile_lattice *l, uint32_t colour) {
    const uint32_t half = l->setup.size / TILE / 2;
    const generator *const g = &generators[l->setup.generator];
#pragma omp parallel for if (l->blocks >= 1024)
    for (uint32_t b = 0; b < l->blocks; b++) {
        const uint32_t row = b / half, column = b % half * 2 + (row + colour) % 2;
        uint32_t numbers[GENERATOR_BLOCK];
        tile t;
        read_tile(l, &t, row * TILE, column * TILE);
        for (uint32_t n = 0; n < 2 * l->setup.hits; n++) {
            g->draw(l->states + b * l->words, GENERATOR_BLOCK, numbers);
            half_sweep(&t, n % 2, l->setup.threshold, numbers);
        }
        write_tile(l, &t, row * TILE, column * TILE);
    }
}

/* --- The sequential order --- */

/* At least a number for each site of a row. */
static void draw_for_a_row(tile_lattice *l) {
    const uint32_t size = l->setup.size;
    l->drawn -= l->unread;
    memmove(l->numbers, l->numbers + l->unread, l->drawn * sizeof *l->numbers);
    l->unread = 0;
    for (; l->drawn < size; l->drawn += l->threads)
        generators[l->setup.generator].draw(l->states, l->threads, l->numbers + l->drawn);
}

/* A row of a lattice at work. */
typedef struct {
    int8_t *here;
    const int8_t *above, *below;
    const uint32_t *number;
} row_cursor;

static row_cursor row_of(tile_lattice *l, uint32_t row) {
    const uint32_t size = l->setup.size;
    draw_for_a_row(l);
    return (row_cursor){l->spins + (size_t)row * size,
                        l->spins + (size_t)((row + size - 1) % size) * size,
                        l->spins + (size_t)((row + 1) % size) * size, l->numbers + l->unread};
}

/* The same row of `count` lattices: site after site, and the lattices at each, because the next site of one has to wait.
 * Only a flip that costs energy takes a number, as serial programs have it. If every site took one, numbers of a site would
 * be 2^20 apart, and their lowest 20 bits the same with LCG32: a fault of its own. */
TEMPLATE void sweep_row(tile_lattice lattices[], uint32_t count, uint32_t row) {
    const tile_setup *const s = &lattices->setup;
    const uint32_t size = s->size, t2 = s->threshold[1], t4 = s->threshold[0];
    const uint64_t all = UINT64_C(1) << 32, limit[] = {all, all, all, t2, t4};
    row_cursor c[TILES_SIDE_BY_SIDE];
    int left[TILES_SIDE_BY_SIDE];
    for (uint32_t k = 0; k < count; k++) {
        c[k] = row_of(&lattices[k], row);
        left[k] = c[k].here[size - 1];
    }
    for (uint32_t x = 0; x < size; x++)
        for (uint32_t k = 0; k < count; k++) {
            const int spin = c[k].here[x], right = c[k].here[x + 1 < size ? x + 1 : 0],
                      parallel = spin * (c[k].above[x] + c[k].below[x] + left[k] + right);
            left[k] = spin - 2 * spin * (*c[k].number < limit[parallel / 2 + 2]); /* no branch */
            c[k].here[x] = (int8_t)left[k];
            c[k].number += parallel > 0;
        }
    for (uint32_t k = 0; k < count; k++)
        lattices[k].unread = (uint32_t)(c[k].number - lattices[k].numbers);
}

static void sweep_in_sequence(tile_lattice lattices[], uint32_t count) {
    for (uint32_t row = 0; row < lattices->setup.size; row++)
        if (count == TILES_SIDE_BY_SIDE)
            sweep_row(lattices, TILES_SIDE_BY_SIDE, row);
        else
            for (uint32_t k = 0; k < count; k++)
                sweep_row(&lattices[k], 1, row);
}

/* Threads of a sequence take turns: the last one has the number before the first that is drawn. */
static void start_one(uint32_t *states, uint32_t count, generator_id id, uint64_t seed) {
    uint32_t words[SEQUENCE_WORDS];
    const uint32_t threads = GENERATOR_BLOCK, last = threads - 1;
    generators[id].seed(words, threads, 0, 1, seed);
    if (id == GENERATOR_LCG32_SKIPPED)
        states[0] = lcg32_step(&words[last], LCG_MULTIPLIER, LCG_INCREMENT);
    else if (id == GENERATOR_LCG64_SKIPPED) {
        uint64_t x = (uint64_t)words[threads + last] << 32 | words[last];
        lcg64_step(&x, LCG64_MULTIPLIER, LCG64_INCREMENT);
        states[0] = (uint32_t)x;
        states[count] = (uint32_t)(x >> 32);
    } else
        for (size_t k = 0; k < SEQUENCE_WORDS; k++)
            states[k * count] = words[k];
}

void sequence_start(const tile_setup *setup, uint32_t count, uint32_t *states, uint32_t *keys) {
#pragma omp parallel for
    for (uint32_t n = 0; n < count; n++) {
        const stream_key key = stream_run_key(setup->seed + n, 1);
        memcpy(keys + 2 * (size_t)n, key.word, sizeof key.word);
        start_one(states + n, count, setup->generator, setup->seed + n);
    }
}

/* --- Steps --- */

static int64_t energy_of(const tile_lattice *l) {
    const uint32_t size = l->setup.size;
    int64_t energy = 0;
    for (uint32_t row = 0; row < size; row++) {
        const int8_t *const here = l->spins + (size_t)row * size, *const below =
                                                                      l->spins +
                                                                      (size_t)((row + 1) % size) *
                                                                          size;
        int sum = here[size - 1] * here[0];
        for (uint32_t x = 0; x + 1 < size; x++)
            sum += here[x] * here[x + 1];
        for (uint32_t x = 0; x < size; x++)
            sum += here[x] * below[x];
        energy -= sum;
    }
    return energy;
}

void tiles_advance(tile_lattice lattices[], uint32_t count, uint32_t steps, int64_t energy[]) {
    for (uint32_t n = 0; n < steps; n++) {
        if (lattices->setup.hits == 0)
            sweep_in_sequence(lattices, count);
        else
            for (uint32_t k = 0; k < 2 * count; k++)
                update_tiles(&lattices[k / 2], k % 2);
        for (uint32_t k = 0; k < count; k++)
            energy[(size_t)n * count + k] = energy_of(&lattices[k]);
    }
}
