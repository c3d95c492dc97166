/* Bernoulli decisions from bit planes: the tables for the random-number mode `independent`.
 *
 * A lane that needs a random decision accepts with the probability p_c, where the class c is its
 * number of antiparallel neighbours. The first K bits t_k of p_c are decided by bit planes: with
 * random words r_k, least significant first, starting at acc = 0,
 *     acc = t_k ? acc | r_k : acc & r_k
 * is true with the probability f_c = floor(2^K p_c) / 2^K. What is missing, the probability
 *     q_c = (p_c - f_c) / (1 - f_c),
 * is made up by a correction, which sets lanes at random: points are thrown at the lanes as a
 * Poisson process of density lambda = max_c lambda_c, lambda_c = -ln(1 - q_c), and a point sets the
 * lane that it hits with the probability lambda_c / lambda. So a lane is set with the probability
 * q_c, independently of every other lane. (After Watanabe et al., arXiv:1808.05009, who skip from one
 * corrected lane to the next; counting the points of a group first suits vectors and warps better.)
 *
 * Everything is decided by comparing integers with this table. Its entries have fractions, and are
 * rounded at random, once a temperature, the marks' apart from the others': so p_c is right to a
 * relative 2^-40 for any beta from 6e-8 to 8. An entry rounded up sets a lane with a probability of
 * 2^-33 at most: the covariance of two decisions is below 2^-68 (see rounding.h), and of d decisions
 * at a temperature that depend on an entry's rounding, less than d / 2^33 flips are due to it. In the
 * cold, where p_c is no larger than that, lambda is small too, and these are less than d / 2^40. */
#ifndef PAISING_BERNOULLI_H
#define PAISING_BERNOULLI_H

#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

#define BERNOULLI_GROUP      256 /* lanes that share a Poisson number: 8 words of 32 lanes */
#define BERNOULLI_MAX_POINTS 24
#define BERNOULLI_MARK_BITS  24

typedef struct {
    uint32_t planes;                     /* K, at most 32 */
    uint32_t bits[MODEL_MAX_GAPS];       /* f_c 2^K; plane k uses bit k */
    uint32_t last[BERNOULLI_MAX_POINTS]; /* the largest 32-bit r that means at most n points: their
                                            number is that of the entries below r */
    uint32_t thin[MODEL_MAX_GAPS];       /* a point counts in class c if its mark < thin[c] */
} bernoulli_table;

/* The fractions that rounding a table takes off its last[] and adds to its thin[], times 2^64. */
typedef struct {
    uint64_t last[BERNOULLI_MAX_POINTS];
    uint64_t thin[MODEL_MAX_GAPS];
} bernoulli_fractions;

/* Fills both for the probabilities p_c <= 1 - 2^-32 of `classes` classes; above 1 - 2^-22 they are taken
 * for what 32 bits hold of them. K is the smallest number of planes that leaves few points to throw. */
void bernoulli_fill(bernoulli_table *table, bernoulli_fractions *fractions,
                    const double probability[], size_t classes);

/* The table rounded by two random numbers of 64 bits. */
bernoulli_table bernoulli_round(const bernoulli_table *table, const bernoulli_fractions *fractions,
                                uint64_t of_last, uint64_t of_thin);

#endif
