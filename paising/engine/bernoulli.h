/* Bernoulli decisions from bit planes: the tables for the random-number mode `independent`.
 *
 * A lane that needs a random decision accepts with the probability T_c / 2^32, where the class c is
 * its number of antiparallel neighbours. The first K bits of T_c are decided by bit planes:
 * with random words r_k and the threshold's bits t_k, least significant first, starting at acc = 0,
 *     acc = t_k ? acc | r_k : acc & r_k
 * is true with the probability f_c = floor(T_c / 2^(32-K)) / 2^K. What is missing, the probability
 *     q_c = (T_c / 2^32 - f_c) / (1 - f_c),
 * is made up by a correction, which sets lanes at random: points are thrown at the lanes as a
 * Poisson process of density lambda = max_c lambda_c, lambda_c = -ln(1 - q_c), and a point sets the
 * lane that it hits with the probability lambda_c / lambda. So a lane is set with the probability
 * q_c, independently of every other lane. Everything is decided by comparing integers with this
 * table, and resolved to 2^-32. (After Watanabe et al., arXiv:1808.05009, who skip from one
 * corrected lane to the next; counting the points of a group first suits vectors and warps better.)
 */
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

/* Fills the table for the thresholds T_c of `classes` classes. K is the smallest number of planes that
 * leaves few points to throw. */
void bernoulli_fill(bernoulli_table *table, const uint32_t threshold[], size_t classes);

#endif
