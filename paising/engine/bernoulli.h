/* Bernoulli decisions from bit planes: the tables for the random-number mode `independent`.
 *
 * A lane that needs a random decision accepts with the probability p_c, where the class c is its number
 * of unsatisfied bonds. Bit planes decide the first K bits of p_c: with random words r_k and the
 * bits t_k of f_c = floor(2^K p_c), least significant first, starting at acc = 0,
 *     acc = t_k ? acc | r_k : acc & r_k
 * is true with the probability f_c / 2^K. What is missing, the probability
 *     q_c = (p_c - f_c / 2^K) / (1 - f_c / 2^K),
 * is made up by a correction, which sets lanes at random, whatever acc is: points are thrown at the lanes as a Poisson
 * process of density lambda = max_c lambda_c, lambda_c = -ln(1 - q_c), and a point sets the lane that it
 * hits with the probability lambda_c / lambda. So a lane is set with the probability q_c, independently
 * of every other lane. (After Watanabe et al., arXiv:1808.05009, who skip from one corrected lane to the
 * next. Counting the points of a group of strips first lets its strips share the work of throwing them.)
 *
 * The densities come from the true p_c. A uniform number is compared with a probability digit by digit to the base 2^32: two
 * further ones are drawn only where the first is the same, once in 2^32 times. So a lane's acceptance is right to 2^-40 of
 * itself while it is above 2^-112: up to beta = 9.7 for dE = 8, 6.5 for dE = 12. The same spin by spin:
 * reference/plain_msc.h. */
#ifndef PAISING_BERNOULLI_H
#define PAISING_BERNOULLI_H

#include "model/model.h"
#include "mwc.h"

#include <stddef.h>
#include <stdint.h>

#define BERNOULLI_MOST_POINTS 384 /* of a group; more are less likely than 2^-50 */

typedef struct {
    uint32_t planes;                         /* K */
    uint32_t group;                          /* strips of a group, a power of two */
    uint64_t bits[MODEL_MAX_GAPS];           /* f_c; plane k uses bit k */
    double thin[MODEL_MAX_GAPS];             /* lambda_c / lambda */
    double more_than[BERNOULLI_MOST_POINTS]; /* P(a group has more than n points) */
} bernoulli_table;

/* The classes of sites with an odd number of bonds, which have the same K and the same points. */
typedef struct {
    uint64_t bits[MODEL_MAX_GAPS];
    double thin[MODEL_MAX_GAPS];
} bernoulli_classes;

C_DECLARATIONS_BEGIN

/* Fills the table for the probabilities p_c < 1 of `classes` classes and a lattice of so many strips. K
 * is what costs least. odd: NULL, or to be filled with as many classes more, whose probabilities follow. */
void bernoulli_fill(bernoulli_table *table, bernoulli_classes *odd, const double probability[],
                    size_t classes, uint64_t strips);

C_DECLARATIONS_END

/* The bits 2 t_0 + t_1 of plane k, for two classes, or 2 t_0 + t_1 + 4 t_2 for three. */
SHARED_FUNCTION uint32_t bernoulli_plane(const bernoulli_table *table, uint32_t k) {
    return (uint32_t)(2 * (table->bits[0] >> k & 1) + (table->bits[1] >> k & 1) +
                      4 * (table->bits[2] >> k & 1));
}

SHARED_FUNCTION uint32_t bernoulli_odd_plane(const bernoulli_classes *odd, uint32_t k) {
    return (uint32_t)(2 * (odd->bits[0] >> k & 1) + (odd->bits[1] >> k & 1) +
                      4 * (odd->bits[2] >> k & 1));
}

/* The bit of class c among them. */
SHARED_FUNCTION uint32_t bernoulli_bit(uint32_t c) {
    return c == 0 ? 2 : c == 1 ? 1 : 4;
}

/* Of two classes the one of the larger density, where every point counts. */
SHARED_FUNCTION uint32_t bernoulli_denser(const bernoulli_table *table) {
    return table->thin[1] >= table->thin[0];
}

/* A probability p in units of the first digit of a uniform number, less that digit, r. 1 or more: the number is below p. 0
 * or less: it is not. Between: the further digits are below p with this probability, and decide. Exact, as nothing is
 * rounded there. */
SHARED_FUNCTION double bernoulli_rest(double p, uint32_t r) {
    return p * 0x1p32 - r;
}

/* Two further digits. */
SHARED_FUNCTION uint64_t bernoulli_further(mwc_state *m) {
    const uint64_t second = mwc_next(m);
    return second << 32 | mwc_next(m);
}

/* Whether a uniform number of these digits is below what is left of a probability. */
SHARED_FUNCTION int bernoulli_below(uint64_t further, double rest) {
    return rest >= 1 || (rest > 0 && further < (uint64_t)(rest * 0x1p64));
}

/* The first digit of a probability; UINT32_MAX for 1. */
SHARED_FUNCTION uint32_t bernoulli_digit(double p) {
    return p < 1 ? (uint32_t)(p * 0x1p32) : UINT32_MAX;
}

/* Of two classes: whether a point with the mark r counts in the class of the smaller density, as it does with the
 * probability p, whose first digit this is. Further digits are drawn where r is the same. */
SHARED_FUNCTION int bernoulli_counts(double p, uint32_t digit, uint32_t r, mwc_state *m) {
    if (r != digit)
        return r < digit;
    const double rest = bernoulli_rest(p, r);
    return rest >= 1 || (rest > 0 && bernoulli_below(bernoulli_further(m), rest));
}

/* The classes in falling order of density: the mark of a point is below the probabilities of the first so many
 * of them, and counts there. In the first every point counts. */
typedef struct {
    uint32_t classes, of[MODEL_MAX_GAPS]; /* the class of each rank */
    uint32_t digit[MODEL_MAX_GAPS];       /* of the probabilities, the first digits */
    double thin[MODEL_MAX_GAPS];
} bernoulli_ranks;

SHARED_FUNCTION bernoulli_ranks bernoulli_rank_thin(const double *thin, uint32_t classes) {
    bernoulli_ranks ranks = {classes, {0}, {0}, {0}};
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t rank = c;
        for (; rank > 0 && ranks.thin[rank - 1] < thin[c]; rank--) {
            ranks.of[rank] = ranks.of[rank - 1];
            ranks.thin[rank] = ranks.thin[rank - 1];
        }
        ranks.of[rank] = c;
        ranks.thin[rank] = thin[c];
    }
    for (uint32_t rank = 0; rank < classes; rank++)
        ranks.digit[rank] = bernoulli_digit(ranks.thin[rank]);
    return ranks;
}

SHARED_FUNCTION bernoulli_ranks bernoulli_rank(const bernoulli_table *table, uint32_t classes) {
    return bernoulli_rank_thin(table->thin, classes);
}

/* Those of sites with an odd number of bonds. Where there are such sites, not every point counts in the first class of either
 * kind of sites. */
SHARED_FUNCTION bernoulli_ranks bernoulli_rank_odd(const bernoulli_classes *odd, uint32_t classes) {
    return bernoulli_rank_thin(odd->thin, classes);
}

/* In how many classes the mark r of a point, further digits of which are drawn if they must be, does not
 * count. */
SHARED_FUNCTION uint32_t bernoulli_missed(const bernoulli_ranks *ranks, uint32_t r, mwc_state *m) {
    uint64_t further = 0;
    uint32_t missed = 0;
    int drawn = 0;
    for (uint32_t k = 1; k < ranks->classes; k++) {
        const double rest = bernoulli_rest(ranks->thin[k], r);
        if (rest > 0 && rest < 1 && !drawn) {
            further = bernoulli_further(m);
            drawn = 1;
        }
        missed += !bernoulli_below(further, rest);
    }
    return missed;
}

/* The same where not every point counts in the first class. */
SHARED_FUNCTION uint32_t bernoulli_missed_of_all(const bernoulli_ranks *ranks, uint32_t r,
                                                 mwc_state *m) {
    uint64_t further = 0;
    uint32_t missed = 0;
    int drawn = 0;
    for (uint32_t k = 0; k < ranks->classes; k++) {
        const double rest = bernoulli_rest(ranks->thin[k], r);
        if (rest > 0 && rest < 1 && !drawn) {
            further = bernoulli_further(m);
            drawn = 1;
        }
        missed += !bernoulli_below(further, rest);
    }
    return missed;
}

/* Draws the number of points of a group: how many entries are above a uniform number. */
SHARED_FUNCTION uint32_t bernoulli_points(const double *more_than, mwc_state *m) {
    const uint32_t r = mwc_next(m);
    uint32_t n = 0; /* n entries are above, those from n + left on are not */
    for (uint32_t left = BERNOULLI_MOST_POINTS, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        n += half * (bernoulli_rest(more_than[n + half - 1], r) >= 1);
    }
    if (n < BERNOULLI_MOST_POINTS && bernoulli_rest(more_than[n], r) > 0) {
        const uint64_t further = bernoulli_further(m);
        while (n < BERNOULLI_MOST_POINTS &&
               bernoulli_below(further, bernoulli_rest(more_than[n], r)))
            n++;
    }
    return n;
}

#endif
