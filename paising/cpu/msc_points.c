/* Mode `independent`, the correction (bernoulli.h). Seeds the random streams of the strips, and
 * throws points at their words before the bit planes decide (msc_planes.h). streams.h defines the
 * order of random numbers. */
#include "msc_mwc.h"
#include "msc_sweep.h"

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

/* A group of strips and its points. */
typedef struct {
    uint32_t first, strips;       /* number of the first strip, and number of strips */
    uint32_t places;              /* strips of a full group, at which points are aimed */
    const bernoulli_ranks *ranks; /* the classes in which a point counts */
    const double *more_than;      /* distribution of the number of points */
} point_group;

/* The number of classes for which points with these marks do not count. */
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

/* Room for points: of each the index of its word in hit[], and its lane. Points aimed beyond the strips of the group
 * are lost: they fall in the last column, which belongs to no strip. */
#define POINT_ROOM (BERNOULLI_MOST_POINTS + VECTOR_WORDS)
typedef struct {
    uint32_t word[POINT_ROOM], lane[POINT_ROOM];
} thrown_points;

/* Throws one point from each of strips first .. first + count - 1, at most a vector of them: points n, n + 1, ... of `to`. */
static inline void throw_vector(msc_streams *s, uint32_t classes, const point_group *group,
                                uint32_t first, uint32_t count, thrown_points *to, uint32_t n) {
    mwc_vector m = mwc_load(s, first);
    const vec32 places = draw_words(&m), marks = draw_words(&m);
    mwc_store(s, first, &m, count);
    const vec32 missed = missed_classes(s, classes, group->ranks, first, count, marks);
    const vec32 row = (places >> 4 & 6) | (places >> 12 & 1),
                strip = places >> 7 & (group->places - 1);
    const vec32 column =
        vec_select((vec32)(strip < group->strips), group->first + strip, s->pitch - 1 - (vec32){0});
    vec_store(to->word + n, (STRIP_ROWS * missed + row) * s->pitch + column);
    vec_store(to->lane + n, places % MACHINE_LANES);
}

/* --- where bonds may be missing --- */

/* The classes of both kinds of sites, and which sites of the sub-lattice are of which kind. */
typedef struct {
    const msc_shape *shape;
    const uint32_t *odd; /* [rows][pitch] */
    bernoulli_ranks ranks[2];
} site_classes;

/* 1 if word `row` of a strip is of a site with an odd number of bonds. */
static inline uint32_t is_odd(const site_classes *of, uint32_t strip, uint32_t row) {
    const msc_shape *const shape = of->shape;
    if (strip >= shape_strips(shape)) /* there is none: the point is lost */
        return 0;
    const size_t y = (size_t)(strip / shape->columns) * STRIP_ROWS + row;
    return of->odd[y * shape->pitch + strip % shape->columns] & 1;
}

/* Throws one point from a strip. */
static void throw_one(msc_streams *s, const site_classes *of, const point_group *group,
                      uint32_t from) {
    mwc_state state = strip_state(s, from);
    const uint32_t place = mwc_next(&state), mark = mwc_next(&state);
    const uint32_t row = (place >> 4 & 6) | (place >> 12 & 1),
                   strip = group->first + (place >> 7 & (group->places - 1));
    const bernoulli_ranks *const ranks = &of->ranks[is_odd(of, strip, row)];
    const uint32_t missed = bernoulli_missed_of_all(ranks, mark, &state);
    set_strip_state(s, from, state);
    if (missed < ranks->classes)
        s->hit[(STRIP_ROWS * missed + row) * s->pitch + strip] |= UINT32_C(1)
                                                                  << place % MACHINE_LANES;
}

static void throw_group_at_sites(msc_streams *s, const site_classes *of, const point_group *group,
                                 uint32_t points) {
    for (uint32_t n = 0; n < points; n++)
        throw_one(s, of, group, group->first + n % group->strips);
}

/* --- all points of a half sweep --- */

/* Throws the points of a group in a half sweep. All points are drawn before the first is marked, so
 * that drawing does not wait for memory. */
static inline void throw_group(msc_streams *s, uint32_t classes, const point_group *group,
                               uint32_t points) {
    thrown_points point;
    for (uint32_t drawn = 0, n = 0; drawn < points;) {
        const uint32_t left = points - drawn, rest = group->strips - n,
                       count = left < rest ? left : rest,
                       now = count < VECTOR_WORDS ? count : VECTOR_WORDS;
        throw_vector(s, classes, group, group->first + n, now, &point, drawn);
        drawn += now;
        n = n + now < group->strips ? n + now : 0;
    }
#pragma GCC unroll 4
    for (uint32_t k = 0; k < points; k++)
        s->hit[point.word[k]] |= UINT32_C(1) << point.lane[k];
}

/* Draws the numbers of points for this half sweep and the next ones, one from each strip of the
 * group. */
static void draw_numbers(msc_streams *s, const point_group *group, uint32_t half_sweeps_left) {
    for (uint32_t n = 0; n < group->strips && n < half_sweeps_left; n++) {
        mwc_state state = strip_state(s, group->first + n);
        s->points[group->first + n] = bernoulli_points(group->more_than, &state);
        set_strip_state(s, group->first + n, state);
    }
}

TEMPLATE void throw_in_classes(msc_lattice *lattice, uint32_t classes, const flip_rule *rule,
                               uint32_t begin, uint32_t end, uint32_t half_sweep,
                               uint32_t half_sweeps) {
    const bernoulli_table *const table = &rule->bernoulli;
    const msc_shape *const shape = lattice->shape;
    msc_streams *const s = &lattice->streams;
    const bernoulli_ranks ranks = bernoulli_rank(table, classes);
    site_classes of_sites = {shape, NULL, {ranks}};
    if (shape->odd) {
        of_sites.odd = shape->odd + half_sweep % 2 * shape->half;
        of_sites.ranks[1] = bernoulli_rank_odd(&rule->odd.bernoulli, classes);
    }
    for (uint32_t first = begin; first < end; first += table->group) {
        const point_group group = {first, first + table->group <= end ? table->group : end - first,
                                   table->group, &ranks, table->more_than};
        const uint32_t turn = half_sweep % group.strips;
        if (turn == 0)
            draw_numbers(s, &group, half_sweeps - half_sweep);
        if (shape->odd)
            throw_group_at_sites(s, &of_sites, &group, s->points[first + turn]);
        else
            throw_group(s, classes, &group, s->points[first + turn]);
    }
}

void MSC_NAME(throw_points)(msc_lattice *lattice, const flip_rule *rule, uint32_t begin,
                            uint32_t end, uint32_t half_sweep, uint32_t half_sweeps) {
    if (lattice->shape->gaps == 2)
        throw_in_classes(lattice, 2, rule, begin, end, half_sweep, half_sweeps);
    else
        throw_in_classes(lattice, 3, rule, begin, end, half_sweep, half_sweeps);
}
