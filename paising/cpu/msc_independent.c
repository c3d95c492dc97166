/* Mode `independent`: each of the 32 lanes of a word gets an exact random decision of its own, from bit
 * planes and a correction (bernoulli.h), in the order that streams.h lays down.
 *
 * A vector of strips draws at once: the products of its even strips stand in the 64-bit lanes of one vector,
 * those of its odd strips in another, and their low halves interleave into a vector of words. */
#include "msc_sweep.h"

/* --- the generators of a vector of strips --- */

/* The last two products with their carries, c << 32 | x: of even and of odd strips, the newer one first; of the
 * older one only x counts. */
typedef struct {
    vec64 even[2], odd[2];
} mwc_vector;

static inline mwc_vector mwc_load(const msc_streams *s, size_t strip) {
    const vec64 high_half = ~(vec64){0} << 32;
    const vec64 x2 = (vec64)vec_load(s->x2 + strip), x1 = (vec64)vec_load(s->x1 + strip),
                c = (vec64)vec_load(s->c + strip);
    const mwc_vector m = {{(x1 & ~high_half) | c << 32, x2},
                          {x1 >> 32 | (c & high_half), x2 >> 32}};
    return m;
}

/* Stores the states of `count` strips, or of all if there are more. */
static inline void mwc_store(msc_streams *s, size_t strip, const mwc_vector *m, uint32_t count) {
    vec_store_first(s->x2 + strip, vec_interleave(m->even[1], m->odd[1]), count);
    vec_store_first(s->x1 + strip, vec_interleave(m->even[0], m->odd[0]), count);
    vec_store_first(s->c + strip, vec_interleave(m->even[0] >> 32, m->odd[0] >> 32), count);
}

/* The next product of half the strips. */
static inline vec64 draw_half(vec64 last[2]) {
    const vec64 multiplier = MWC_MULTIPLIER - (vec64){0};
    const vec64 next = vec_multiply_low(last[1], multiplier) + (last[0] >> 32);
    last[1] = last[0];
    last[0] = next;
    return next;
}

/* mwc_next of every strip. */
static inline vec32 draw_words(mwc_vector *m) {
    const vec64 even = draw_half(m->even), odd = draw_half(m->odd);
    return vec_interleave(even, odd);
}

static mwc_state strip_state(const msc_streams *s, size_t strip) {
    const mwc_state m = {s->x1[strip], s->x2[strip], s->c[strip]};
    return m;
}

static void set_strip_state(msc_streams *s, size_t strip, mwc_state m) {
    s->x2[strip] = m.x2;
    s->x1[strip] = m.x1;
    s->c[strip] = m.c;
}

void MSC_NAME(seed_strips)(msc_lattice *lattice, const msc_flips *flips) {
    const uint32_t strips = shape_strips(lattice->shape);
    for (uint32_t strip = 0; strip < strips; strip++) {
        const stream_block seed = stream_draw(flips->step->key, STREAM_MWC, strip,
                                              flips->machine_word, 0, flips->step->temperature);
        set_strip_state(&lattice->streams, strip,
                        mwc_seed(seed.number[0], seed.number[1], seed.number[2], seed.number[3]));
    }
}

/* --- the correction --- */

/* A group of strips, and what its points do. */
typedef struct {
    uint32_t first, strips;       /* the group */
    uint32_t places;              /* strips that a point can hit: those of a full group */
    const bernoulli_ranks *ranks; /* in which classes a point counts */
    const double *more_than;      /* how many points there are */
} point_group;

/* How many classes the marks miss. */
static inline vec32 missed_classes(msc_streams *s, uint32_t classes, const bernoulli_ranks *ranks,
                                   uint32_t first, uint32_t count, vec32 marks) {
    vec32 missed = {0}, equal = {0};
    for (uint32_t k = 1; k < classes; k++) {
        missed += (vec32)(marks >= ranks->digit[k]) & 1;
        equal |= (vec32)(marks == ranks->digit[k]);
    }
    for (uint32_t n = 0; vec_any(equal) && n < count && n < VECTOR_WORDS; n++)
        if (equal[n]) {
            mwc_state state = strip_state(s, first + n);
            missed[n] = bernoulli_missed(ranks, marks[n], &state);
            set_strip_state(s, first + n, state);
        }
    return missed;
}

/* Where a point falls: a lane of a word of hit[], word * 32 + lane. Those that hit no strip fall behind the last. */
#define POINT_WORD(point) ((point) / MACHINE_LANES)
#define POINT_LANE(point) (UINT32_C(1) << (point) % MACHINE_LANES)

/* Strips first .. first + count - 1, or a vector of them if there are more, throw a point each. */
static inline vec32 throw_vector(msc_streams *s, uint32_t classes, const point_group *group,
                                 uint32_t first, uint32_t count) {
    mwc_vector m = mwc_load(s, first);
    const vec32 places = draw_words(&m), marks = draw_words(&m);
    mwc_store(s, first, &m, count);
    const vec32 missed = missed_classes(s, classes, group->ranks, first, count, marks);
    const vec32 row = (places >> 4 & 6) | (places >> 12 & 1),
                strip = places >> 7 & (group->places - 1);
    const vec32 word = (STRIP_ROWS * missed + row) * s->pitch + group->first + strip;
    return word * MACHINE_LANES + places % MACHINE_LANES;
}

/* The points of a group in a half sweep: draws them all before any marks its word, lest the one wait for the other. */
static inline void throw_group(msc_streams *s, uint32_t classes, const point_group *group,
                               uint32_t points) {
    uint32_t point[BERNOULLI_MOST_POINTS + VECTOR_WORDS];
    for (uint32_t drawn = 0, n = 0; drawn < points;) {
        const uint32_t left = points - drawn, rest = group->strips - n,
                       count = left < rest ? left : rest,
                       now = count < VECTOR_WORDS ? count : VECTOR_WORDS;
        vec_store(point + drawn, throw_vector(s, classes, group, group->first + n, now));
        drawn += now;
        n = n + now < group->strips ? n + now : 0;
    }
#pragma GCC unroll 4
    for (uint32_t k = 0; k < points; k++)
        s->hit[POINT_WORD(point[k])] |= POINT_LANE(point[k]);
}

/* Draws how many points there are in half sweep h, and in as many after it as the group has strips. */
static void draw_numbers(msc_streams *s, const point_group *group, uint32_t half_sweeps_left) {
    for (uint32_t n = 0; n < group->strips && n < half_sweeps_left; n++) {
        mwc_state state = strip_state(s, group->first + n);
        s->points[group->first + n] = bernoulli_points(group->more_than, &state);
        set_strip_state(s, group->first + n, state);
    }
}

/* To be compiled into a place where the number of classes is known. */
static inline __attribute__((always_inline)) void
throw_in_classes(msc_lattice *lattice, uint32_t classes, const bernoulli_table *table,
                 uint32_t half_sweep, uint32_t half_sweeps) {
    msc_streams *const s = &lattice->streams;
    const uint32_t strips = shape_strips(lattice->shape);
    const bernoulli_ranks ranks = bernoulli_rank(table, classes);
    for (uint32_t first = 0; first < strips; first += table->group) {
        const point_group group = {first,
                                   first + table->group <= strips ? table->group : strips - first,
                                   table->group, &ranks, table->more_than};
        const uint32_t turn = half_sweep % group.strips;
        if (turn == 0)
            draw_numbers(s, &group, half_sweeps - half_sweep);
        throw_group(s, classes, &group, s->points[first + turn]);
    }
}

void MSC_NAME(throw_points)(msc_lattice *lattice, const bernoulli_table *table, uint32_t half_sweep,
                            uint32_t half_sweeps) {
    if (lattice->shape->gaps == 2)
        throw_in_classes(lattice, 2, table, half_sweep, half_sweeps);
    else
        throw_in_classes(lattice, 3, table, half_sweep, half_sweeps);
}

/* --- bit planes --- */

/* Of two classes: what a plane makes of a decision, by the bits of the thresholds, 2 t_0 + t_1: known where this
 * is compiled into its place. */
static inline vec32 plane(uint32_t bits, vec32 accept, vec32 r, vec32 ones) {
    switch (bits) {
    case 0:
        return accept & r;
    case 1:
        return vec_majority(r, accept, ones);
    case 2:
        return vec_majority(r, accept, ~ones);
    default:
        return accept | r;
    }
}

static inline void one_plane(uint32_t bits, mwc_vector *m, flip_decision *d) {
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        d->accept[i] = plane(bits, d->accept[i], draw_words(m), d->ones[i]);
}

static inline void two_planes(uint32_t bits, mwc_vector *m, flip_decision *d) {
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        const vec32 accept = plane(bits % 4, d->accept[i], draw_words(m), d->ones[i]);
        d->accept[i] = plane(bits / 4, accept, draw_words(m), d->ones[i]);
    }
}

#define ONE(bits)                                                                                  \
    case bits:                                                                                     \
        one_plane(bits, m, d);                                                                     \
        break;
#define TWO(bits)                                                                                  \
    case bits:                                                                                     \
        two_planes(bits, m, d);                                                                    \
        break;
#define FOUR_TIMES_TWO(bits) TWO(bits) TWO(bits + 1) TWO(bits + 2) TWO(bits + 3)

static inline void decide_two_classes(flip_decision *d, mwc_vector *m,
                                      const bernoulli_table *table) {
    if (table->planes % 2)
        switch (bernoulli_plane(table, 0)) { ONE(0) ONE(1) ONE(2) ONE(3) }
    for (uint32_t k = table->planes % 2; k < table->planes; k += 2)
        switch (bernoulli_plane(table, k) + 4 * bernoulli_plane(table, k + 1)) {
            FOUR_TIMES_TWO(0)
            FOUR_TIMES_TWO(4)
            FOUR_TIMES_TWO(8)
            FOUR_TIMES_TWO(12)
        }
}

/* Of three classes: the lanes in classes whose thresholds have the bits 2 t_0 + t_1 + 4 t_2. */
typedef struct {
    vec32 of[8][STRIP_ROWS];
} class_lanes;

static inline void find_classes(class_lanes *lanes, const flip_decision *d) {
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        const vec32 one = d->ones[i], two = d->twos[i], none = ~(one | two);
        const vec32 of[8] = {one & ~one, one,       none, one | none,
                             two,        one | two, ~one, ~(one & ~one)};
        for (uint32_t bits = 0; bits < 8; bits++)
            lanes->of[bits][i] = of[bits];
    }
}

/* A decision is accept | r where its class has the bit, else accept & r: the majority of the three. */
static inline void decide_three_classes(flip_decision *d, const class_lanes *lanes, mwc_vector *m,
                                        const bernoulli_table *table) {
    if (table->planes % 2) {
        const vec32 *const first = lanes->of[bernoulli_plane(table, 0)];
        for (uint32_t i = 0; i < STRIP_ROWS; i++)
            d->accept[i] = vec_majority(draw_words(m), d->accept[i], first[i]);
    }
    for (uint32_t k = table->planes % 2; k < table->planes; k += 2) {
        const vec32 *const first = lanes->of[bernoulli_plane(table, k)],
                           *const second = lanes->of[bernoulli_plane(table, k + 1)];
        for (uint32_t i = 0; i < STRIP_ROWS; i++) {
            const vec32 accept = vec_majority(draw_words(m), d->accept[i], first[i]);
            d->accept[i] = vec_majority(draw_words(m), accept, second[i]);
        }
    }
}

/* --- both --- */

/* The lanes that points hit in the words of some strips, and that are in classes where these count: forgotten for
 * `count` strips, or for all if there are more. */
static inline vec32 take_hit(uint32_t *hit, vec32 counts, uint32_t count) {
    const vec32 lanes = vec_load(hit);
    vec_store_first(hit, (vec32){0}, count);
    return lanes & counts;
}

static inline void take_hits_of_two(flip_decision *d, uint32_t *hit, size_t pitch, uint32_t count,
                                    const bernoulli_table *table) {
    const vec32 other_class = (bernoulli_denser(table) ? 0 : UINT32_MAX) - (vec32){0};
    for (uint32_t i = 0; i < STRIP_ROWS; i++, hit += pitch)
        d->accept[i] |= take_hit(hit, ~(vec32){0}, count) |
                        take_hit(hit + STRIP_ROWS * pitch, d->ones[i] ^ other_class, count);
}

static inline void take_hits_of_three(flip_decision *d, const class_lanes *lanes, uint32_t *hit,
                                      size_t pitch, uint32_t count, const bernoulli_table *table) {
    const bernoulli_ranks ranks = bernoulli_rank(table, 3);
    const uint32_t densest = bernoulli_bit(ranks.of[0]), two = densest | bernoulli_bit(ranks.of[1]);
    for (uint32_t i = 0; i < STRIP_ROWS; i++, hit += pitch)
        d->accept[i] |= take_hit(hit, ~(vec32){0}, count) |
                        take_hit(hit + STRIP_ROWS * pitch, lanes->of[two][i], count) |
                        take_hit(hit + 2 * STRIP_ROWS * pitch, lanes->of[densest][i], count);
}

void MSC_NAME(decide_independent)(flip_decision *d, msc_lattice *lattice, uint32_t top,
                                  uint32_t column, const bernoulli_table *table) {
    const msc_shape *const shape = lattice->shape;
    msc_streams *const s = &lattice->streams;
    const size_t first = (size_t)top / STRIP_ROWS * shape->columns + column;
    const uint32_t count = shape->columns - column;
    mwc_vector m = mwc_load(s, first);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        d->accept[i] = (vec32){0};
    if (shape->gaps == 2) {
        decide_two_classes(d, &m, table);
        take_hits_of_two(d, s->hit + first, s->pitch, count, table);
    } else {
        class_lanes lanes;
        find_classes(&lanes, d);
        decide_three_classes(d, &lanes, &m, table);
        take_hits_of_three(d, &lanes, s->hit + first, s->pitch, count, table);
    }
    mwc_store(s, first, &m, count);
}
