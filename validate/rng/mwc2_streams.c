/* Streams of the multiply-with-carry generator of lag 2 (paising/engine/mwc.h), seeded from Philox for each strip,
 * machine word and temperature, in the orders in which a multi-spin-coded sweep uses them up. A strip draws one number
 * for each of its eight rows, a plane after the other, and bit n of a number serves replica n of the machine word.
 * So a spin takes one bit of every eighth number. */
#include "bit_matrix.h"
#include "strip_position.h"

#include <stdlib.h>

#define LANES  32
#define ROWS   STRIP_ROWS
#define PLANES 7 /* drawn in a half sweep, the numbers for corrections counted as one */

/* Numbers of a strip at a temperature: a multiple of ROWS LANES, so that no order has leftovers. */
static size_t strip_draws(const stream_under_test *s) {
    return (size_t)2 * s->shape.sweeps * ROWS * PLANES;
}

static int mwc2_open(stream_under_test *s) {
    strip_position *const at = s->walk = calloc(1, sizeof *at);
    s->numbers = malloc(strip_draws(s) * s->shape.size / 2 * sizeof *s->numbers);
    if (!at || !s->numbers)
        return -1;
    at->temperature = 1;
    return 0;
}

static mwc_state seed_strip(const stream_under_test *s, uint32_t neighbour) {
    const strip_position *const at = s->walk;
    return strip_seeded(s, at, at->strip + neighbour);
}

static void next_strips(stream_under_test *s, uint32_t strips) {
    strip_advance(s, s->walk, strips);
}

/* All numbers of some neighbouring strips, which draw in turn. */
static void draw_in_turn(stream_under_test *s, uint32_t strips) {
    const size_t draws = strip_draws(s);
    for (uint32_t k = 0; k < strips; k++) {
        mwc_state state = seed_strip(s, k);
        for (size_t n = 0; n < draws; n++)
            s->numbers[n * strips + k] = mwc_next(&state);
    }
    s->count = draws * strips;
    next_strips(s, strips);
}

static void refill_strip(stream_under_test *s) {
    draw_in_turn(s, 1);
}

/* A row of strips. */
static void refill_strips(stream_under_test *s) {
    draw_in_turn(s, s->shape.size / 2);
}

/* Every eighth number, row after row. */
static void refill_rows(stream_under_test *s) {
    const size_t draws = strip_draws(s);
    mwc_state state = seed_strip(s, 0);
    for (size_t n = 0; n < draws; n++)
        s->numbers[n % ROWS * (draws / ROWS) + n / ROWS] = mwc_next(&state);
    s->count = draws;
    next_strips(s, 1);
}

/* 32 successive numbers become their bits of lane 0, of lane 1, and so on. */
static void refill_lanes(stream_under_test *s) {
    s->count = strip_draws(s);
    mwc_state state = seed_strip(s, 0);
    for (size_t n = 0; n < s->count; n++)
        s->numbers[n] = mwc_next(&state);
    for (size_t n = 0; n < s->count; n += LANES)
        transpose_bits(s->numbers + n);
    next_strips(s, 1);
}

/* The bits of one lane, 32 draws a number. */
static void refill_lane(stream_under_test *s) {
    const uint32_t lane = *(const uint32_t *)s->kind->definition;
    mwc_state state = seed_strip(s, 0);
    s->count = strip_draws(s) / LANES;
    for (size_t k = 0; k < s->count; k++) {
        uint32_t bits = 0;
        for (uint32_t n = 0; n < LANES; n++)
            bits |= (mwc_next(&state) >> lane & 1) << n;
        s->numbers[k] = bits;
    }
    next_strips(s, 1);
}

/* For each row and lane the bits of all draws, every eighth of the strip's. */
static void refill_spins(stream_under_test *s) {
    const size_t groups = strip_draws(s) / ROWS / LANES;
    mwc_state state = seed_strip(s, 0);
    uint32_t bits[ROWS][LANES];
    for (size_t g = 0; g < groups; g++) {
        for (uint32_t n = 0; n < LANES; n++)
            for (uint32_t row = 0; row < ROWS; row++)
                bits[row][n] = mwc_next(&state);
        for (uint32_t row = 0; row < ROWS; row++) {
            transpose_bits(bits[row]);
            for (uint32_t lane = 0; lane < LANES; lane++)
                s->numbers[(row * LANES + lane) * groups + g] = bits[row][lane];
        }
    }
    s->count = strip_draws(s);
    next_strips(s, 1);
}

/* --- Names --- */

#define MWC2(name, order, definition, refill)                                                      \
    { name, "MWC, lag 2", "strips: " order, FAILS_NONE, definition, mwc2_open, refill }
#define LANE(n) MWC2("mwc2-lane-" #n, "bits of lane " #n, &(const uint32_t){n}, refill_lane)

/* clang-format off */
const stream_kind mwc2_streams[] = {
    MWC2("mwc2-strip", "all draws of a strip", NULL, refill_strip),
    MWC2("mwc2-strips", "neighbouring strips, draw by draw", NULL, refill_strips),
    MWC2("mwc2-lacunary", "every eighth draw", NULL, refill_rows),
    MWC2("mwc2-lanes", "bits of successive draws, lane after lane", NULL, refill_lanes),
    MWC2("mwc2-spins", "bits of every eighth draw, spin after spin", NULL, refill_spins),
    LANE(0), LANE(1), LANE(2), LANE(3), LANE(4), LANE(5), LANE(6), LANE(7),
    LANE(8), LANE(9), LANE(10), LANE(11), LANE(12), LANE(13), LANE(14), LANE(15),
    LANE(16), LANE(17), LANE(18), LANE(19), LANE(20), LANE(21), LANE(22), LANE(23),
    LANE(24), LANE(25), LANE(26), LANE(27), LANE(28), LANE(29), LANE(30), LANE(31),
    {.name = NULL}};
/* clang-format on */
