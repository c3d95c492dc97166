/* Streams of the MWC of the mode `independent`, seeded from Philox for each strip, machine word and
 * temperature, and consumed as streams.h lays down for the decisions at beta = 0.4: in each half
 * sweep K bit planes of eight rows, a number that fixes the number of correction points, and a
 * number for each point. */
#include "bit_matrix.h"
#include "streams_under_test.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 uint128;

#define ROWS        8 /* of a strip */
#define MWC_MODULUS (((uint64_t)MWC_MULTIPLIER << 32) - 1)

typedef struct {
    enum {
        LOCKSTEP, /* draw n of all strips of a row of strips, then draw n + 1: neighbouring threads */
        SUCCESSIVE,   /* all draws of a strip in a step, then the next strip */
        ENDLESS,      /* the draws of one strip, never seeded anew */
        BITS_OF_LANE, /* the planes' bits of one lane and row, 32 planes a number, plane after plane;
                         then the next lane, then the next row */
        LANES_OF_BITS, /* the same numbers, the 32 lanes of a group of planes one after the other */
        CORRECTIONS    /* what fixes the number of points, and the points, strip by strip */
    } order;
} strip_order;

static const strip_order lockstep = {LOCKSTEP}, successive = {SUCCESSIVE}, endless = {ENDLESS},
                         bits_of_lane = {BITS_OF_LANE}, lanes_of_bits = {LANES_OF_BITS},
                         corrections = {CORRECTIONS};

typedef struct {
    bernoulli_table table;
    uint64_t skip; /* A^(8 K) mod (A 2^32 - 1): what 8 K draws multiply the state by */
    uint32_t strip, machine_word, temperature;
    uint32_t *planes;  /* [row][half sweep][plane] */
    uint64_t states[]; /* [column] */
} strip_walk;

flip_rule strip_rule(void) {
    const spin_model any_size = square_model(16);
    return flip_rule_at(&any_size, 0.4);
}

/* Draws of a strip in a step, the corrections' points not counted. */
static size_t strip_draws(const stream_under_test *s) {
    const strip_walk *const w = s->walk;
    return 2 * (size_t)s->shape.sweeps * (ROWS * w->table.planes + 1);
}

/* Plane words of a row of a strip in a step: a multiple of 32. */
static size_t row_words(const stream_under_test *s) {
    const strip_walk *const w = s->walk;
    return 2 * (size_t)s->shape.sweeps * w->table.planes;
}

static size_t buffer_numbers(const stream_under_test *s) {
    const strip_order *const order = s->kind->definition;
    switch (order->order) {
    case LOCKSTEP:
        return strip_draws(s) * s->shape.size / 2;
    case CORRECTIONS:
        return 2 * (size_t)s->shape.sweeps * (1 + BERNOULLI_MAX_POINTS);
    default:
        return strip_draws(s);
    }
}

/* The multiplier of `draws` draws. An MWC state is that of a Lehmer generator. */
static uint64_t skip_multiplier(uint32_t draws) {
    uint64_t power = 1;
    while (draws-- > 0)
        power = (uint64_t)((uint128)power * MWC_MULTIPLIER % MWC_MODULUS);
    return power;
}

static uint64_t seed_strip(const stream_under_test *s, uint32_t strip) {
    const strip_walk *const w = s->walk;
    const stream_block seed =
        stream_draw(s->key, STREAM_MWC, strip, w->machine_word, 0, w->temperature);
    return mwc_seed(seed.number[0], seed.number[1]);
}

static int strip_open(stream_under_test *s) {
    strip_walk *const w = s->walk = calloc(1, sizeof *w + s->shape.size / 2 * sizeof(uint64_t));
    if (!w)
        return -1;
    w->table = strip_rule().bernoulli;
    w->skip = skip_multiplier(ROWS * w->table.planes);
    w->temperature = 1;
    /* The planes of a chunk stand behind its numbers. */
    const size_t numbers = buffer_numbers(s);
    s->numbers = malloc((numbers + ROWS * row_words(s)) * sizeof *s->numbers);
    if (!s->numbers)
        return -1;
    w->planes = s->numbers + numbers;
    w->states[0] = seed_strip(s, 0); /* ENDLESS keeps it */
    return 0;
}

/* Goes on by some strips, then machine words, temperatures and runs. */
static void next_strips(stream_under_test *s, uint32_t strips) {
    strip_walk *const w = s->walk;
    w->strip += strips;
    if (w->strip < s->shape.size / ROWS * s->shape.size / 2)
        return;
    w->strip = 0;
    if (++w->machine_word < s->shape.replicas / 32)
        return;
    w->machine_word = 0;
    if (++w->temperature <= s->shape.temperatures)
        return;
    w->temperature = 1;
    stream_next_run(s);
}

/* --- Draws as they come --- */

static void refill_lockstep(stream_under_test *s) {
    strip_walk *const w = s->walk;
    const uint32_t columns = s->shape.size / 2;
    const size_t draws = strip_draws(s);
    uint64_t *restrict const states = w->states;
    for (uint32_t j = 0; j < columns; j++)
        states[j] = seed_strip(s, w->strip + j);
    for (size_t n = 0; n < draws; n++) {
        uint32_t *restrict const numbers = s->numbers + n * columns;
        for (uint32_t j = 0; j < columns; j++)
            numbers[j] = mwc_next(&states[j]);
    }
    s->count = draws * columns;
    next_strips(s, columns);
}

/* The draws of one strip. */
static void draw_on(stream_under_test *s, uint64_t *state) {
    s->count = strip_draws(s);
    for (size_t n = 0; n < s->count; n++)
        s->numbers[n] = mwc_next(state);
}

static void refill_successive(stream_under_test *s) {
    uint64_t state = seed_strip(s, ((strip_walk *)s->walk)->strip);
    draw_on(s, &state);
    next_strips(s, 1);
}

static void refill_endless(stream_under_test *s) {
    draw_on(s, ((strip_walk *)s->walk)->states);
}

/* --- Draws by their use --- */

/* Takes the number of points and the points. Returns how many numbers that were, written to
 * numbers[]. */
static size_t draw_points(const bernoulli_table *table, uint64_t *state, uint32_t *numbers) {
    size_t count = 0;
    const uint32_t number = numbers[count++] = mwc_next(state);
    for (uint32_t n = 0; n < BERNOULLI_MAX_POINTS && number > table->last[n]; n++)
        numbers[count++] = mwc_next(state);
    return count;
}

static void refill_corrections(stream_under_test *s) {
    const strip_walk *const w = s->walk;
    uint64_t state = seed_strip(s, w->strip);
    s->count = 0;
    for (uint32_t half = 0; half < 2 * s->shape.sweeps; half++) {
        state = (uint64_t)((uint128)state * w->skip % MWC_MODULUS);
        s->count += draw_points(&w->table, &state, s->numbers + s->count);
    }
    next_strips(s, 1);
}

/* All plane words of a strip in a step. */
static void draw_planes(const stream_under_test *s) {
    const strip_walk *const w = s->walk;
    const size_t words = row_words(s);
    uint64_t state = seed_strip(s, w->strip);
    uint32_t points[1 + BERNOULLI_MAX_POINTS], *planes = w->planes;
    for (uint32_t half = 0; half < 2 * s->shape.sweeps; half++) {
        for (uint32_t plane = 0; plane < w->table.planes; plane++, planes++)
            for (uint32_t row = 0; row < ROWS; row++)
                planes[row * words] = mwc_next(&state);
        draw_points(&w->table, &state, points);
    }
}

static void refill_bits(stream_under_test *s) {
    const strip_order *const order = s->kind->definition;
    const strip_walk *const w = s->walk;
    const size_t groups = row_words(s) / 32;
    draw_planes(s);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t g = 0; g < groups; g++) {
            uint32_t *const bits = w->planes + (row * groups + g) * 32;
            transpose_bits(bits);
            for (size_t lane = 0; lane < 32; lane++)
                s->numbers[order->order == BITS_OF_LANE ? (row * 32 + lane) * groups + g
                                                        : (row * groups + g) * 32 + lane] =
                    bits[lane];
        }
    s->count = ROWS * groups * 32;
    next_strips(s, 1);
}

/* --- Names --- */

#define STRIPS(name, order, definition, refill)                                                    \
    { name, "MWC64X", "mode independent: " order, FAILS_NONE, &(definition), strip_open, refill }

const stream_kind strip_streams[] = {
    STRIPS("mwc-strips", "neighbouring strips, draw by draw", lockstep, refill_lockstep),
    STRIPS("mwc-strip", "all draws of a strip", successive, refill_successive),
    STRIPS("mwc-endless", "one strip, never seeded anew", endless, refill_endless),
    STRIPS("mwc-lane", "plane bits of one lane", bits_of_lane, refill_bits),
    STRIPS("mwc-lanes", "plane bits, lane after lane", lanes_of_bits, refill_bits),
    STRIPS("mwc-points", "numbers of the corrections", corrections, refill_corrections),
    {.name = NULL}};
