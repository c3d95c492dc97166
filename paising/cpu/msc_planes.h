/* Mode `independent`: each of the 32 lanes of a word gets its own exact random decision, from bit
 * planes and from the points that hit it (bernoulli.h, msc_points.c). */
#ifndef PAISING_CPU_MSC_PLANES_H
#define PAISING_CPU_MSC_PLANES_H

#include "engine/engine.h"
#include "msc_mwc.h"

/* The decisions for a strip of eight rows, for a vector of columns. */
typedef struct {
    vec32 ones[STRIP_ROWS];   /* unsatisfied bonds modulo 2; with two classes, the class */
    vec32 twos[STRIP_ROWS];   /* with three classes: whether the class is 2 (or 3, for which
                               * any decision will do) */
    vec32 accept[STRIP_ROWS]; /* result: 1 with the probability of the lane's class */
    vec32 odd[STRIP_ROWS];    /* if bonds may be missing: sites with an odd number of them */
} flip_decision;

/* Applies one bit plane to a decision between two classes. bits = 2 t_0 + t_1, the threshold bits
 * of the classes; the compiler removes the switch where it is a constant. */
TEMPLATE vec32 plane(uint32_t bits, vec32 accept, vec32 r, vec32 ones) {
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

TEMPLATE void one_plane(uint32_t bits, mwc_vector *m, flip_decision *d) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        d->accept[i] = plane(bits, d->accept[i], draw_words(m), d->ones[i]);
}

TEMPLATE void two_planes(uint32_t bits, mwc_vector *m, flip_decision *d) {
#pragma GCC unroll 8
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

TEMPLATE void decide_two_classes(flip_decision *d, mwc_vector *m, const bernoulli_table *table) {
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

/* With three classes, or where bonds may be missing: of[bits] are the lanes in classes whose threshold has its bit set, bits = 2
 * t_0 + t_1 + 4 t_2. */
typedef struct {
    vec32 of[8][STRIP_ROWS];
} class_lanes;

TEMPLATE void find_classes(class_lanes *lanes, const flip_decision *d, uint32_t classes) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        vec32 two = {0};
        if (classes == 3)
            two = d->twos[i];
        const vec32 one = d->ones[i], none = ~(one | two);
        const vec32 of[8] = {one & ~one, one,       none, one | none,
                             two,        one | two, ~one, ~(one & ~one)};
        for (uint32_t bits = 0; bits < 8; bits++)
            lanes->of[bits][i] = of[bits];
    }
}

/* A decision becomes accept | r if the threshold of its class has the bit set, else accept & r.
 * That is the majority of accept, r and the bit. */
TEMPLATE void decide_three_classes(flip_decision *d, const class_lanes *lanes, mwc_vector *m,
                                   const bernoulli_table *table) {
    if (table->planes % 2) {
        const vec32 *const first = lanes->of[bernoulli_plane(table, 0)];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < STRIP_ROWS; i++)
            d->accept[i] = vec_majority(draw_words(m), d->accept[i], first[i]);
    }
    for (uint32_t k = table->planes % 2; k < table->planes; k += 2) {
        const vec32 *const first = lanes->of[bernoulli_plane(table, k)],
                           *const second = lanes->of[bernoulli_plane(table, k + 1)];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < STRIP_ROWS; i++) {
            const vec32 accept = vec_majority(draw_words(m), d->accept[i], first[i]);
            d->accept[i] = vec_majority(draw_words(m), accept, second[i]);
        }
    }
}

/* The same where bonds may be missing: the bit is that of the classes of the site. */
TEMPLATE void decide_by_site(flip_decision *d, const class_lanes *lanes, mwc_vector *m,
                             const flip_rule *rule) {
    const uint32_t planes = rule->bernoulli.planes;
    for (uint32_t k = 0; k < planes; k += k == 0 && planes % 2 ? 1 : 2)
        for (uint32_t i = 0; i < STRIP_ROWS; i++)
            for (uint32_t p = k; p < planes && p < k + (k == 0 && planes % 2 ? 1 : 2); p++) {
                const vec32 bit = vec_select(
                    d->odd[i], lanes->of[bernoulli_odd_plane(&rule->odd.bernoulli, p)][i],
                    lanes->of[bernoulli_plane(&rule->bernoulli, p)][i]);
                d->accept[i] = vec_majority(draw_words(m), d->accept[i], bit);
            }
}

/* Returns the lanes hit by points in classes for which these count, and clears the hits of the
 * first `count` strips, or of all if count is larger. */
TEMPLATE vec32 take_hit(uint32_t *hit, vec32 counts, uint32_t count) {
    const vec32 lanes = vec_load(hit);
    vec_store_first(hit, (vec32){0}, count);
    return lanes & counts;
}

TEMPLATE void take_hits_of_two(flip_decision *d, uint32_t *hit, size_t pitch, uint32_t count,
                               const bernoulli_table *table) {
    const vec32 other_class = (bernoulli_denser(table) ? 0 : UINT32_MAX) - (vec32){0};
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++, hit += pitch)
        d->accept[i] |= take_hit(hit, ~(vec32){0}, count) |
                        take_hit(hit + STRIP_ROWS * pitch, d->ones[i] ^ other_class, count);
}

TEMPLATE void take_hits_of_three(flip_decision *d, const class_lanes *lanes, uint32_t *hit,
                                 size_t pitch, uint32_t count, const bernoulli_ranks *ranks) {
    const uint32_t densest = bernoulli_bit(ranks->of[0]),
                   two = densest | bernoulli_bit(ranks->of[1]);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++, hit += pitch)
        d->accept[i] |= take_hit(hit, ~(vec32){0}, count) |
                        take_hit(hit + STRIP_ROWS * pitch, lanes->of[two][i], count) |
                        take_hit(hit + 2 * STRIP_ROWS * pitch, lanes->of[densest][i], count);
}

/* ranks: of the classes of sites with an even number of bonds, and with an odd one. */
TEMPLATE void take_hits_by_site(flip_decision *d, const class_lanes *lanes, uint32_t *hit,
                                size_t pitch, uint32_t count, uint32_t classes,
                                const bernoulli_ranks ranks[2]) {
    uint32_t counting[2] = {
        0}; /* the classes in which a point counts that misses so many of them */
    for (uint32_t missed = classes; missed-- > 0;) {
        for (uint32_t odd = 0; odd < 2; odd++)
            counting[odd] |= bernoulli_bit(ranks[odd].of[classes - 1 - missed]);
        for (uint32_t i = 0; i < STRIP_ROWS; i++)
            d->accept[i] |= take_hit(
                hit + (STRIP_ROWS * missed + i) * pitch,
                vec_select(d->odd[i], lanes->of[counting[1]][i], lanes->of[counting[0]][i]), count);
    }
}

/* DOWNHILL_COMPLEMENT: half of the decisions that are accepted, and of the ties, chosen at random. */
TEMPLATE void take_half(flip_decision *d, const vec32 ties[STRIP_ROWS], mwc_vector *m) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        d->accept[i] = (d->accept[i] | ties[i]) & draw_words(m);
}

/* Fills d->accept for a vector of strips with the numbers from `first` on, or for the first `count` of them if there are
 * fewer. There are two classes in two dimensions, three in three. ties: NULL but for DOWNHILL_COMPLEMENT. */
TEMPLATE void decide_by_planes(flip_decision *d, msc_lattice *lattice, uint32_t dimension, bool cut,
                               size_t first, uint32_t count, const flip_rule *rule,
                               const bernoulli_ranks ranks[2], const vec32 *ties) {
    const bernoulli_table *const table = &rule->bernoulli;
    msc_streams *const s = &lattice->streams;
    mwc_vector m = mwc_load(s, first);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        d->accept[i] = (vec32){0};
    if (cut) {
        class_lanes lanes;
        find_classes(&lanes, d, dimension);
        decide_by_site(d, &lanes, &m, rule);
        take_hits_by_site(d, &lanes, s->hit + first, s->pitch, count, dimension, ranks);
    } else if (dimension == 2) {
        decide_two_classes(d, &m, table);
        take_hits_of_two(d, s->hit + first, s->pitch, count, table);
    } else {
        class_lanes lanes;
        find_classes(&lanes, d, 3);
        decide_three_classes(d, &lanes, &m, table);
        take_hits_of_three(d, &lanes, s->hit + first, s->pitch, count, &ranks[0]);
    }
    if (ties)
        take_half(d, ties, &m);
    mwc_store(s, first, &m, count);
}

#endif
