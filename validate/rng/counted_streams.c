/* Streams of Philox numbers at the counters of streams.h. A stream is defined by the order in which
 * the dimensions of its counters are walked through, the fastest first. A chunk of its buffer holds
 * the first two of them, one of which is always the place in a block of four numbers. */
#include "streams_under_test.h"

#include <stdlib.h>

/* --- Definitions --- */

typedef enum {
    NUMBERS,       /* of a block */
    QUADS,         /* of sites, or of rows: N/4 positions */
    SITES,         /* N positions */
    COLUMNS,       /* of a quad of rows ... */
    QUADS_OF_ROWS, /* ... whose columns are in a row */
    BIT_BLOCKS,    /* 128 sites a position */
    REPLICAS,
    REPLICA_QUADS,
    LANE_QUADS, /* of a machine word ... */
    LANE_WORDS, /* ... of lane slots counted by fours */
    MACHINE_WORDS,
    WORDS, /* of p lanes */
    SWEEPS,
    TEMPERATURES,
    RUNS /* without end; every order's last */
} dimension;

#define DIMENSIONS 8

typedef struct {
    stream_purpose purpose;
    uint32_t rounds;             /* of Philox */
    dimension order[DIMENSIONS]; /* fastest first */
    uint32_t word;               /* p */
    enum {
        NO_LCG,
        ALL_LANES, /* each number begins the LCG of a word: its p lanes, then the next number's */
        LAST_LANE  /* lane p - 1 only */
    } lcg;
} counted_order;

static const counted_order
    ssc_sites = {STREAM_SSC, 10, {NUMBERS, QUADS, SWEEPS, REPLICAS, TEMPERATURES, RUNS}, 1, NO_LCG},
    ssc_replicas = {STREAM_SSC,
                    10,
                    {REPLICAS, NUMBERS, QUADS, SWEEPS, TEMPERATURES, RUNS},
                    1,
                    NO_LCG},
    ssc_sweeps = {STREAM_SSC,
                  10,
                  {SWEEPS, NUMBERS, TEMPERATURES, QUADS, REPLICAS, RUNS},
                  1,
                  NO_LCG},
    philox7_sites = {STREAM_SSC,
                     7,
                     {NUMBERS, QUADS, SWEEPS, REPLICAS, TEMPERATURES, RUNS},
                     1,
                     NO_LCG},
    philox7_replicas = {STREAM_SSC,
                        7,
                        {REPLICAS, NUMBERS, QUADS, SWEEPS, TEMPERATURES, RUNS},
                        1,
                        NO_LCG},
    philox7_sweeps = {STREAM_SSC,
                      7,
                      {SWEEPS, NUMBERS, TEMPERATURES, QUADS, REPLICAS, RUNS},
                      1,
                      NO_LCG},
    resample = {STREAM_RESAMPLE, 10, {NUMBERS, REPLICA_QUADS, TEMPERATURES, RUNS}, 1, NO_LCG},
    randomise_ssc = {STREAM_RANDOMISE, 10, {NUMBERS, BIT_BLOCKS, REPLICAS, RUNS}, 1, NO_LCG},
    randomise_msc = {STREAM_RANDOMISE, 10, {NUMBERS, QUADS, MACHINE_WORDS, RUNS}, 32, NO_LCG},
    philox_lanes = {STREAM_PHILOX,
                    10,
                    {NUMBERS, LANE_QUADS, SITES, SWEEPS, LANE_WORDS, TEMPERATURES, RUNS},
                    32,
                    NO_LCG},
    philox_sites = {STREAM_PHILOX,
                    10,
                    {SITES, NUMBERS, SWEEPS, LANE_QUADS, LANE_WORDS, TEMPERATURES, RUNS},
                    32,
                    NO_LCG},
    philox_sweeps = {STREAM_PHILOX,
                     10,
                     {SWEEPS, NUMBERS, TEMPERATURES, SITES, LANE_QUADS, LANE_WORDS, RUNS},
                     32,
                     NO_LCG},
    shared_sites = {STREAM_SHARED,
                    10,
                    {COLUMNS, NUMBERS, QUADS_OF_ROWS, SWEEPS, WORDS, TEMPERATURES, RUNS},
                    32,
                    NO_LCG},
    shared_words = {STREAM_SHARED,
                    10,
                    {WORDS, NUMBERS, QUADS, SWEEPS, TEMPERATURES, RUNS},
                    32,
                    NO_LCG},
    shared_sweeps = {STREAM_SHARED,
                     10,
                     {SWEEPS, NUMBERS, TEMPERATURES, QUADS, WORDS, RUNS},
                     32,
                     NO_LCG},
    lcg_lanes = {STREAM_LCG,
                 10,
                 {NUMBERS, QUADS, SWEEPS, WORDS, TEMPERATURES, RUNS},
                 32,
                 ALL_LANES},
    lcg_sites = {STREAM_LCG,
                 10,
                 {NUMBERS, QUADS, SWEEPS, WORDS, TEMPERATURES, RUNS},
                 32,
                 LAST_LANE},
    lcg_lanes_64 = {STREAM_LCG,
                    10,
                    {NUMBERS, QUADS, SWEEPS, WORDS, TEMPERATURES, RUNS},
                    64,
                    ALL_LANES},
    lcg_sites_64 = {
        STREAM_LCG, 10, {NUMBERS, QUADS, SWEEPS, WORDS, TEMPERATURES, RUNS}, 64, LAST_LANE};

/* --- The walk --- */

typedef struct {
    uint32_t extent;
    uint32_t step[4]; /* what one step adds to position, owner, sweep and temperature */
    uint32_t at;
} walk_dimension;

typedef struct {
    walk_dimension dimension[DIMENSIONS];
    uint32_t *seeds; /* of the words' LCG */
} walk;

static walk_dimension make_dimension(dimension d, const stream_shape *shape, uint32_t word) {
    const uint32_t sites = shape->size * shape->size, columns = shape->size / 2;
    switch (d) {
    case NUMBERS:
        return (walk_dimension){4, {0}, 0};
    case QUADS:
        return (walk_dimension){sites / 4, {1}, 0};
    case SITES:
        return (walk_dimension){sites, {1}, 0};
    case COLUMNS:
        return (walk_dimension){columns, {1}, 0};
    case QUADS_OF_ROWS:
        return (walk_dimension){shape->size / 2, {columns}, 0};
    case BIT_BLOCKS:
        return (walk_dimension){sites / 128, {1}, 0};
    case REPLICAS:
        return (walk_dimension){shape->replicas, {0, 1}, 0};
    case REPLICA_QUADS:
        return (walk_dimension){shape->replicas / 4, {0, 1}, 0};
    case LANE_QUADS:
        return (walk_dimension){8, {0, 1}, 0};
    case LANE_WORDS:
        return (walk_dimension){shape->replicas / 32, {0, 8}, 0};
    case MACHINE_WORDS:
        return (walk_dimension){shape->replicas / 32, {0, 1}, 0};
    case WORDS:
        return (walk_dimension){shape->replicas / word, {0, 1}, 0};
    case SWEEPS:
        return (walk_dimension){shape->sweeps, {0, 0, 1}, 0};
    case TEMPERATURES:
        return (walk_dimension){shape->temperatures, {0, 0, 0, 1}, 0};
    case RUNS:
        break;
    }
    return (walk_dimension){UINT32_MAX, {0}, 0};
}

static int counted_open(stream_under_test *s) {
    const counted_order *const order = s->kind->definition;
    walk *const w = s->walk = calloc(1, sizeof *w);
    if (!w)
        return -1;
    for (size_t n = 0; n < DIMENSIONS; n++) {
        w->dimension[n] = make_dimension(order->order[n], &s->shape, order->word);
        if (order->order[n] == RUNS)
            break;
    }
    const size_t draws = (size_t)w->dimension[0].extent * w->dimension[1].extent;
    const size_t numbers = order->lcg == NO_LCG ? draws : draws * order->word;
    /* The seeds of a chunk stand behind its numbers. */
    s->numbers = malloc((numbers + draws) * sizeof *s->numbers);
    if (!s->numbers)
        return -1;
    w->seeds = s->numbers + numbers;
    return 0;
}

/* Goes to the next chunk. */
static void walk_on(stream_under_test *s) {
    const counted_order *const order = s->kind->definition;
    walk *const w = s->walk;
    size_t n = 2;
    while (order->order[n] != RUNS && ++w->dimension[n].at == w->dimension[n].extent)
        w->dimension[n++].at = 0;
    if (order->order[n] == RUNS)
        stream_next_run(s);
}

/* stream_draw, or what it would give with seven rounds. */
static inline stream_block draw(uint32_t rounds, stream_key key, stream_purpose purpose,
                                uint32_t position, uint32_t owner, uint32_t sweep,
                                uint32_t temperature) {
    if (rounds == 10)
        return stream_draw(key, purpose, position, owner, sweep, temperature);
    const philox4x32_key_t k = {{key.word[0], key.word[1]}};
    const philox4x32_ctr_t c = {
        {(uint32_t)purpose << STREAM_POSITION_BITS | position, owner, sweep, temperature}};
    const philox4x32_ctr_t x = philox4x32_R(7, c, k);
    return (stream_block){{x.v[0], x.v[1], x.v[2], x.v[3]}};
}

/* Draws the blocks at the counters base + n step: number k of block n goes to out[block_stride n +
 * number_stride k]. Inlined with constants, so that the compiler makes vectors of the loop. */
__attribute__((always_inline)) static inline void
draw_blocks(uint32_t rounds, stream_key key, stream_purpose purpose, const uint32_t base[4],
            const uint32_t step[4], uint32_t blocks, size_t block_stride, size_t number_stride,
            uint32_t *restrict out) {
    const uint32_t position = base[0], owner = base[1], sweep = base[2], temperature = base[3];
    const uint32_t to_position = step[0], to_owner = step[1], to_sweep = step[2];
    for (uint32_t n = 0; n < blocks; n++) {
        const stream_block b = draw(rounds, key, purpose, position + n * to_position,
                                    owner + n * to_owner, sweep + n * to_sweep, temperature);
        out[block_stride * n] = b.number[0];
        out[block_stride * n + number_stride] = b.number[1];
        out[block_stride * n + 2 * number_stride] = b.number[2];
        out[block_stride * n + 3 * number_stride] = b.number[3];
    }
}

/* The Philox numbers of the chunk at which the walk stands. */
static void draw_chunk(const stream_under_test *s, uint32_t *out) {
    const counted_order *const order = s->kind->definition;
    const walk *const w = s->walk;
    const bool numbers_first = order->order[0] == NUMBERS;
    const walk_dimension blocks = w->dimension[numbers_first ? 1 : 0];
    uint32_t base[4] = {0, 0, 0, order->purpose == STREAM_RANDOMISE ? 0 : 1};
    for (size_t n = 2; order->order[n] != RUNS; n++)
        for (size_t k = 0; k < 4; k++)
            base[k] += w->dimension[n].at * w->dimension[n].step[k];
    const uint32_t *const step = blocks.step, n = blocks.extent;
    if (order->rounds == 7 && numbers_first)
        draw_blocks(7, s->key, order->purpose, base, step, n, 4, 1, out);
    else if (order->rounds == 7)
        draw_blocks(7, s->key, order->purpose, base, step, n, 1, n, out);
    else if (numbers_first)
        draw_blocks(10, s->key, order->purpose, base, step, n, 4, 1, out);
    else
        draw_blocks(10, s->key, order->purpose, base, step, n, 1, n, out);
}

/* The LCGs of the words that the seeds begin. */
static void multiply(uint32_t *restrict numbers, const uint32_t *restrict seeds, size_t count,
                     uint32_t lanes) {
    for (size_t n = 0; n < count; n++) {
        uint32_t r = seeds[n];
        for (uint32_t lane = 0; lane < lanes; lane++) {
            numbers[n * lanes + lane] = r;
            r = lcg_next(r);
        }
    }
}

/* The last lanes of these words: p - 1 steps of the LCG are one of another multiplier and increment,
 * which its values at 0 and 1 give. */
static void multiply_last(uint32_t *numbers, const uint32_t *seeds, size_t count, uint32_t lanes) {
    uint32_t at_0 = 0, at_1 = 1;
    for (uint32_t lane = 1; lane < lanes; lane++) {
        at_0 = lcg_next(at_0);
        at_1 = lcg_next(at_1);
    }
    for (size_t n = 0; n < count; n++)
        numbers[n] = at_0 + (at_1 - at_0) * seeds[n];
}

static void counted_refill(stream_under_test *s) {
    const counted_order *const order = s->kind->definition;
    walk *const w = s->walk;
    s->count = (size_t)w->dimension[0].extent * w->dimension[1].extent;
    draw_chunk(s, order->lcg == NO_LCG ? s->numbers : w->seeds);
    if (order->lcg == ALL_LANES) {
        multiply(s->numbers, w->seeds, s->count, order->word);
        s->count *= order->word;
    } else if (order->lcg == LAST_LANE)
        multiply_last(s->numbers, w->seeds, s->count, order->word);
    walk_on(s);
}

/* --- Names --- */

#define COUNTED(name, generator, order, definition, expected)                                      \
    { name, generator, order, expected, &(definition), counted_open, counted_refill }

const stream_kind counted_streams[] = {
    COUNTED("ssc-sites", "Philox4x32-10", "SSC: sites of a replica", ssc_sites, FAILS_NONE),
    COUNTED("ssc-replicas", "Philox4x32-10", "SSC: replicas at a site", ssc_replicas, FAILS_NONE),
    COUNTED("ssc-sweeps", "Philox4x32-10", "SSC: sweeps of a spin", ssc_sweeps, FAILS_NONE),
    COUNTED("resample", "Philox4x32-10", "resampling: replicas", resample, FAILS_NONE),
    COUNTED("randomise-ssc", "Philox4x32-10", "first spins: bits of a replica", randomise_ssc,
            FAILS_NONE),
    COUNTED("randomise-msc", "Philox4x32-10", "first spins: sites of a machine word", randomise_msc,
            FAILS_NONE),
    COUNTED("philox-lanes", "Philox4x32-10", "mode philox: lanes of a word", philox_lanes,
            FAILS_NONE),
    COUNTED("philox-sites", "Philox4x32-10", "mode philox: sites of a lane", philox_sites,
            FAILS_NONE),
    COUNTED("philox-sweeps", "Philox4x32-10", "mode philox: sweeps of a spin", philox_sweeps,
            FAILS_NONE),
    COUNTED("shared-sites", "Philox4x32-10", "mode shared: sites of a word", shared_sites,
            FAILS_NONE),
    COUNTED("shared-words", "Philox4x32-10", "mode shared: words at a site", shared_words,
            FAILS_NONE),
    COUNTED("shared-sweeps", "Philox4x32-10", "mode shared: sweeps of a site", shared_sweeps,
            FAILS_NONE),
    COUNTED("philox7-sites", "Philox4x32-7", "as ssc-sites", philox7_sites, FAILS_NONE),
    COUNTED("philox7-replicas", "Philox4x32-7", "as ssc-replicas", philox7_replicas, FAILS_NONE),
    COUNTED("philox7-sweeps", "Philox4x32-7", "as ssc-sweeps", philox7_sweeps, FAILS_NONE),
    COUNTED("lcg-lanes", "Philox4x32-10 x LCG", "mode lcg, p = 32: lanes of a word", lcg_lanes,
            FAILS_SMALL_CRUSH),
    COUNTED("lcg-sites", "Philox4x32-10 x LCG", "mode lcg, p = 32: sites of the last lane",
            lcg_sites, FAILS_NONE),
    COUNTED("lcg-lanes-64", "Philox4x32-10 x LCG", "mode lcg, p = 64: lanes of a word",
            lcg_lanes_64, FAILS_SMALL_CRUSH),
    COUNTED("lcg-sites-64", "Philox4x32-10 x LCG", "mode lcg, p = 64: sites of the last lane",
            lcg_sites_64, FAILS_NONE),
    {.name = NULL}};
