/* Streams of the MWC of the mode `independent`, seeded from Philox for each strip, machine word and
 * temperature. They are consumed as streams.h says for the decisions at beta = 0.4: in each half sweep
 * what fixes the correction of a group of strips, and K bit planes of eight rows. */
#include "bit_matrix.h"
#include "strip_position.h"

#include "validate/lib/strip_draws.h"

#include <stdlib.h>

#define ROWS STRIP_ROWS

typedef struct {
    enum {
        LOCKSTEP, /* draw n of all strips of a row of strips, then draw n + 1: neighbouring threads */
        SUCCESSIVE,   /* all draws of a strip in a step, then the next strip */
        ENDLESS,      /* the draws of one strip, never seeded anew */
        BITS_OF_LANE, /* the planes' bits of one lane and row, 32 planes a number, plane after plane;
                         then the next lane, then the next row */
        LANES_OF_BITS, /* the same numbers, the 32 lanes of a group of planes one after the other */
        CORRECTIONS    /* what fixes the numbers of points, and the points, strip by strip */
    } order;
} strip_order;

static const strip_order lockstep = {LOCKSTEP}, successive = {SUCCESSIVE}, endless = {ENDLESS},
                         bits_of_lane = {BITS_OF_LANE}, lanes_of_bits = {LANES_OF_BITS},
                         corrections = {CORRECTIONS};

/* What a strip has drawn in a step, by use. */
typedef struct {
    uint32_t *plane;      /* [row][half sweep][plane] */
    uint32_t *correction; /* [corrections] */
    size_t corrections;
} strip_record;

typedef struct {
    bernoulli_table table;
    strip_position at;

    /* Strip by strip. */
    mwc_state *states;
    uint32_t *points;
    strip_draws *draws;
    strip_record *records;
    int recording; /* what is drawn now is a correction */
} strip_walk;

flip_rule strip_rule(uint32_t size) {
    const spin_model model = square_model(size);
    return flip_rule_at(&metropolis_update, &model, 0.4);
}

/* Numbers of a strip's corrections in a half sweep, on the average: one for each point's place and mark,
 * and now and then one for how many there are. */
static double corrections_each(const strip_walk *w) {
    double points = 1;
    for (uint32_t n = 0; n < BERNOULLI_MOST_POINTS; n++)
        points += 2 * w->table.more_than[n];
    return points / w->table.group;
}

/* Draws of a strip in a step, on the average. */
static size_t draws_each(const stream_under_test *s) {
    const strip_walk *const w = s->walk;
    return (size_t)(2 * s->shape.sweeps * (ROWS * w->table.planes + corrections_each(w)));
}

/* Plane words of a row of a strip in a step: a multiple of 32. */
static size_t row_words(const stream_under_test *s) {
    const strip_walk *const w = s->walk;
    return 2 * (size_t)s->shape.sweeps * w->table.planes;
}

/* More corrections than a strip ever has: of a turn's points in each half sweep. */
static size_t most_corrections(const stream_under_test *s) {
    return 2 * (size_t)s->shape.sweeps * (2 * BERNOULLI_MOST_POINTS / 8 + 1);
}

static size_t buffer_numbers(const stream_under_test *s) {
    const strip_order *const order = s->kind->definition;
    switch (order->order) {
    case LOCKSTEP:
        return draws_each(s) * s->shape.size / 2;
    case CORRECTIONS:
        return most_corrections(s);
    case BITS_OF_LANE:
    case LANES_OF_BITS:
        return ROWS * row_words(s);
    default:
        return draws_each(s);
    }
}

static mwc_state seed_strip(const stream_under_test *s, uint32_t strip) {
    const strip_walk *const w = s->walk;
    return strip_seeded(s, &w->at, strip);
}

/* Memory that lasts as long as the stream: behind the numbers. */
static void *behind(uint8_t **free_bytes, size_t bytes) {
    void *const taken = *free_bytes;
    *free_bytes += (bytes + 15) / 16 * 16;
    return taken;
}

static int strip_open(stream_under_test *s) {
    const uint32_t strips = strip_count(s);
    strip_walk *const w = s->walk = calloc(1, sizeof *w);
    if (!w)
        return -1;
    w->table = strip_rule(s->shape.size).bernoulli;
    w->at.temperature = 1;
    const size_t numbers = buffer_numbers(s), planes = ROWS * row_words(s),
                 corrections_most = most_corrections(s);
    const size_t each =
        (sizeof *w->states + sizeof *w->points + sizeof *w->draws + sizeof *w->records) +
        (planes + corrections_most) * sizeof(uint32_t);
    uint8_t *bytes =
        malloc(numbers * sizeof *s->numbers + strips * each + 16 * (5 + 2 * (size_t)strips));
    if (!bytes)
        return -1;
    s->numbers = behind(&bytes, numbers * sizeof *s->numbers);
    w->states = behind(&bytes, strips * sizeof *w->states);
    w->points = behind(&bytes, strips * sizeof *w->points);
    w->draws = behind(&bytes, strips * sizeof *w->draws);
    w->records = behind(&bytes, strips * sizeof *w->records);
    for (uint32_t strip = 0; strip < strips; strip++) {
        w->records[strip].plane = behind(&bytes, planes * sizeof(uint32_t));
        w->records[strip].correction = behind(&bytes, corrections_most * sizeof(uint32_t));
    }
    w->states[0] = seed_strip(s, 0); /* ENDLESS keeps it */
    return 0;
}

static void next_strips(stream_under_test *s, uint32_t strips) {
    strip_walk *const w = s->walk;
    strip_advance(s, &w->at, strips);
}

/* --- Draws as they come --- */

static void refill_lockstep(stream_under_test *s) {
    strip_walk *const w = s->walk;
    const uint32_t columns = s->shape.size / 2;
    const size_t draws = draws_each(s);
    mwc_state *restrict const states = w->states;
    for (uint32_t j = 0; j < columns; j++)
        states[j] = seed_strip(s, w->at.strip + j);
    for (size_t n = 0; n < draws; n++) {
        uint32_t *restrict const numbers = s->numbers + n * columns;
        for (uint32_t j = 0; j < columns; j++)
            numbers[j] = mwc_next(&states[j]);
    }
    s->count = draws * columns;
    next_strips(s, columns);
}

/* The draws of one strip. */
static void draw_on(stream_under_test *s, mwc_state *state) {
    s->count = draws_each(s);
    for (size_t n = 0; n < s->count; n++)
        s->numbers[n] = mwc_next(state);
}

static void refill_successive(stream_under_test *s) {
    mwc_state state = seed_strip(s, ((strip_walk *)s->walk)->at.strip);
    draw_on(s, &state);
    next_strips(s, 1);
}

static void refill_endless(stream_under_test *s) {
    draw_on(s, ((strip_walk *)s->walk)->states);
}

/* --- Draws by their use --- */

static uint32_t next_of_walk(void *walk, uint32_t strip) {
    strip_walk *const w = walk;
    const uint32_t number = mwc_next(&w->states[strip]);
    strip_record *const r = &w->records[strip];
    if (w->recording)
        r->correction[r->corrections++] = number;
    return number;
}

/* All draws of a lattice's strips in a step, when the first of them is wanted. */
static void record_lattice(const stream_under_test *s) {
    strip_walk *const w = s->walk;
    const size_t words = row_words(s);
    if (w->at.strip > 0)
        return;
    for (uint32_t strip = 0; strip < strip_count(s); strip++) {
        w->states[strip] = seed_strip(s, strip);
        w->records[strip].corrections = 0;
    }
    strip_lattice l = {.table = &w->table,
                       .strips = strip_count(s),
                       .half_sweeps = 2 * s->shape.sweeps,
                       .next = next_of_walk,
                       .sources = w,
                       .points = w->points};
    for (; l.half_sweep < l.half_sweeps; l.half_sweep++) {
        w->recording = 1;
        draw_corrections(&l, w->draws);
        w->recording = 0;
        draw_planes(&l, w->draws);
        for (uint32_t strip = 0; strip < strip_count(s); strip++)
            for (uint32_t row = 0; row < ROWS; row++)
                for (uint32_t k = 0; k < w->table.planes; k++)
                    w->records[strip].plane[row * words + l.half_sweep * w->table.planes + k] =
                        w->draws[strip].planes[k][row];
    }
}

static void refill_corrections(stream_under_test *s) {
    record_lattice(s);
    const strip_walk *const w = s->walk;
    const strip_record *const r = &w->records[w->at.strip];
    s->count = r->corrections;
    memcpy(s->numbers, r->correction, r->corrections * sizeof *s->numbers);
    next_strips(s, 1);
}

static void refill_bits(stream_under_test *s) {
    record_lattice(s);
    const strip_order *const order = s->kind->definition;
    const strip_walk *const w = s->walk;
    const size_t groups = row_words(s) / 32;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t g = 0; g < groups; g++) {
            uint32_t *const bits = w->records[w->at.strip].plane + (row * groups + g) * 32;
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
    {                                                                                              \
        name, "MWC of lag 2", "mode independent: " order, FAILS_NONE, &(definition), strip_open,   \
            refill                                                                                 \
    }

const stream_kind strip_streams[] = {
    STRIPS("mwc-strips", "neighbouring strips, draw by draw", lockstep, refill_lockstep),
    STRIPS("mwc-strip", "all draws of a strip", successive, refill_successive),
    STRIPS("mwc-endless", "one strip, never seeded anew", endless, refill_endless),
    STRIPS("mwc-lane", "plane bits of one lane", bits_of_lane, refill_bits),
    STRIPS("mwc-lanes", "plane bits, lane after lane", lanes_of_bits, refill_bits),
    STRIPS("mwc-points", "numbers of the corrections", corrections, refill_corrections),
    {.name = NULL}};
