/* What the strips of a lattice draw in a half sweep in the mode `independent`, and what they decide by that,
 * written from the definitions alone (streams.h, bernoulli.h). Where the numbers come from is the caller's: an
 * engine's generators, or ones that are planted. */
#ifndef PAISING_STRIP_DRAWS_H
#define PAISING_STRIP_DRAWS_H

#include "engine/bernoulli.h"

#include <stdbool.h>
#include <string.h>

#define STRIP_HEIGHT 8  /* rows of a strip */
#define STRIP_PLANES 64 /* more than any table has */

/* The next number of a strip. */
typedef uint32_t strip_source(void *sources, uint32_t strip);

/* The strips of a lattice. */
typedef struct {
    const bernoulli_table *table;
    const bernoulli_classes *odd; /* of sites with an odd number of bonds; NULL: there are none */
    bool (*is_odd)(const void *sites, uint32_t strip,
                   uint32_t row); /* which these are of the sub-lattice at hand */
    const void *sites;
    uint32_t strips;
    uint32_t half_sweep, half_sweeps; /* of a temperature */
    strip_source *next;
    void *sources;
    uint32_t *points; /* [strips] numbers of points, which are drawn some half sweeps ahead */
    bool halves;      /* DOWNHILL_COMPLEMENT: a further word for each row */
} strip_lattice;

/* A strip in a half sweep. */
typedef struct {
    uint32_t planes[STRIP_PLANES][STRIP_HEIGHT]; /* [plane][row] */
    uint32_t hit[MODEL_MAX_GAPS][STRIP_HEIGHT];  /* [class][row] lanes that points set */
    uint32_t half[STRIP_HEIGHT];                 /* [row] lanes whose accepted flips are made */
} strip_draws;

/* A uniform number, as many digits of which are drawn as must be: one, or three. */
typedef struct {
    const strip_lattice *lattice;
    uint32_t strip, first;
    uint64_t more;
    bool has_more;
} uniform;

static inline uniform draw_uniform(const strip_lattice *l, uint32_t strip) {
    const uniform u = {.lattice = l, .strip = strip, .first = l->next(l->sources, strip)};
    return u;
}

static inline bool is_below(uniform *u, double p) {
    const double scaled = p * 0x1p32, rest = scaled - (double)(uint64_t)scaled;
    if (u->first != (uint64_t)scaled || rest == 0)
        return u->first < scaled;
    if (!u->has_more) {
        u->more = (uint64_t)u->lattice->next(u->lattice->sources, u->strip) << 32;
        u->more |= u->lattice->next(u->lattice->sources, u->strip);
        u->has_more = true;
    }
    return u->more < (uint64_t)(rest * 0x1p64);
}

/* Points of the group's half sweep h + n, for each strip n. */
static inline void draw_numbers(const strip_lattice *l, uint32_t first, uint32_t group) {
    for (uint32_t n = 0; n < group && l->half_sweep + n < l->half_sweeps; n++) {
        uniform u = draw_uniform(l, first + n);
        l->points[first + n] = 0;
        while (l->points[first + n] < BERNOULLI_MOST_POINTS &&
               is_below(&u, l->table->more_than[l->points[first + n]]))
            l->points[first + n]++;
    }
}

static inline void draw_point(const strip_lattice *l, uint32_t first, uint32_t strip,
                              strip_draws draws[]) {
    const uint32_t place = l->next(l->sources, strip);
    uniform mark = draw_uniform(l, strip);
    const uint32_t lane = place % 32, row = place / 32 % 4 * 2 + place / 4096 % 2,
                   hit = first + place / 128 % l->table->group;
    const bool odd = l->odd != NULL && hit < l->strips && l->is_odd(l->sites, hit, row);
    const double *const thin = odd ? l->odd->thin : l->table->thin;
    for (int c = 0; c < MODEL_MAX_GAPS; c++) /* of fewer classes the others have thin = 0 */
        if (is_below(&mark, thin[c]) && hit < l->strips)
            draws[hit].hit[c][row] |= 1u << lane;
}

/* Draws what all strips need in the half sweep, before the bit planes and for them: draws[strips]. */
static inline void draw_corrections(const strip_lattice *l, strip_draws draws[]) {
    memset(draws, 0, l->strips * sizeof *draws);
    for (uint32_t first = 0; first < l->strips; first += l->table->group) {
        const uint32_t left = l->strips - first,
                       group = left < l->table->group ? left : l->table->group;
        if (l->half_sweep % group == 0)
            draw_numbers(l, first, group);
        for (uint32_t k = 0; k < l->points[first + l->half_sweep % group]; k++)
            draw_point(l, first, first + k % group, draws);
    }
}

static inline void draw_planes(const strip_lattice *l, strip_draws draws[]) {
    const uint32_t planes = l->table->planes;
    for (uint32_t strip = 0; strip < l->strips; strip++) {
        for (uint32_t k = 0, side_by_side; k < planes; k += side_by_side) {
            side_by_side = k == 0 && planes % 2 ? 1 : 2;
            for (uint32_t row = 0; row < STRIP_HEIGHT; row++)
                for (uint32_t n = k; n < k + side_by_side; n++)
                    draws[strip].planes[n][row] = l->next(l->sources, strip);
        }
        for (uint32_t row = 0; l->halves && row < STRIP_HEIGHT; row++)
            draws[strip].half[row] = l->next(l->sources, strip);
    }
}

/* The decisions of all lanes for class c in one of the rows: bit by bit. bits: the digits of the classes of its site. */
static inline uint32_t strip_accepts_by(const strip_draws *n, const bernoulli_table *table,
                                        const uint64_t bits[], uint32_t c, uint32_t row) {
    uint32_t accept = 0;
    for (uint32_t plane = 0; plane < table->planes; plane++) {
        const uint32_t r = n->planes[plane][row];
        accept = bits[c] >> plane & 1 ? accept | r : accept & r;
    }
    return accept | n->hit[c][row];
}

static inline uint32_t strip_accepts(const strip_draws *n, const bernoulli_table *table, uint32_t c,
                                     uint32_t row) {
    return strip_accepts_by(n, table, table->bits, c, row);
}

#endif
