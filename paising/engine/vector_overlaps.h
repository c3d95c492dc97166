/* Overlaps of two replicas a and b of a lattice of vectors, as sums of whole numbers: each term is rounded to a multiple of 2^-20
 * before it is added. N sites, n components.
 *
 *     q_mn = sum_i a_im b_in / N, and q^2 = sum_mn q_mn^2, which no rotation of a replica changes; |q| is its root. At beta = 0
 *            <q^2> = 1 / N and <q^4> = 1 / N^2 + 2 (N - 1) / (n^2 N^3)
 *     q(k)   the same with cos k x and sin k x at the smallest wave vector of each direction, with the tables of overlaps.h
 *     q_l    the mean of (a_i . a_j) (b_i . b_j) over the bonds with J not 0; q_s that of (a_i . a_j)^2, of both replicas. For
 *            Gaussian couplings of mean 0 and width W the mean over samples of e a bond is -beta W^2 [q_s - q_l] (L. W. Lee,
 *            A. P. Young, Phys. Rev. B 76, 024405, 2007)
 *     q_k    the mean of kappa_a kappa_b. n = 2: over the plaquettes, kappa = sum sgn(J) sin(angle from corner to corner) / sqrt(8)
 *            (H. Kawamura, M. Tanemura, Phys. Rev. B 36, 7177, 1987). n = 3: over sites and directions, kappa = s . (next x s before)
 *            (K. Hukushima, H. Kawamura, Phys. Rev. E 61, R1008, 2000) */
#ifndef PAISING_VECTOR_OVERLAPS_H
#define PAISING_VECTOR_OVERLAPS_H

#include "overlaps.h"
#include "vector_arithmetic.h"

#define VECTOR_PRODUCTS 9 /* of components m and n of two replicas: number 3 m + n */

/* What is known of a pair: sums in units of 2^-20, and of cosines and sines of 2^-34. */
typedef struct {
    int64_t product[VECTOR_PRODUCTS];
    int64_t link, self, chirality; /* `self` of both replicas together */
    int64_t cosine[MODEL_MAX_DIMENSION][VECTOR_PRODUCTS],
        sine[MODEL_MAX_DIMENSION][VECTOR_PRODUCTS];
} vector_pair;

/* Replicas side by side, and those that they are compared with: pairs number .. number + count - 1. Spins may be a device's. */
typedef struct {
    const void *own, *other; /* spins of the first pair */
    const uint32_t *own_family, *other_family;
    uint64_t number, count;
} vector_pairs;

C_DECLARATIONS_BEGIN

/* The bonds of a model of vectors with J not 0. */
uint64_t vector_overlap_bonds(const spin_model *model);

/* Adds pair k, of different families. bonds: vector_overlap_bonds. */
void vector_overlaps_add(overlap_sums *s, uint64_t k, const vector_pair *pair,
                         const spin_model *model, uint64_t bonds);

C_DECLARATIONS_END

/* The site of x, y, z; or a step further in one direction or two. */
#define VECTOR_NO_STEP MODEL_MAX_DIMENSION
STREAM_FUNCTION uint32_t vector_site_ahead(const vector_lattice *l, const uint32_t at[3],
                                           uint32_t one, uint32_t other) {
    uint32_t to[3];
    for (uint32_t d = 0; d < 3; d++) {
        to[d] = at[d] + (d == one || d == other);
        to[d] = to[d] < l->edge[d] ? to[d] : 0;
    }
    return (to[2] * l->edge[1] + to[1]) * l->edge[0] + to[0];
}

/* A step back. */
STREAM_FUNCTION uint32_t vector_site_before(const vector_lattice *l, const uint32_t at[3],
                                            uint32_t one) {
    uint32_t to[3];
    for (uint32_t d = 0; d < 3; d++)
        to[d] = d != one ? at[d] : at[d] > 0 ? at[d] - 1 : l->edge[d] - 1;
    return (to[2] * l->edge[1] + to[1]) * l->edge[0] + to[0];
}

/* Fills the products of two spins, rounded. Those of components that are not there are 0. */
STREAM_FUNCTION void vector_products(uint32_t n, const vector_double_spin *a,
                                     const vector_double_spin *b,
                                     int32_t product[VECTOR_PRODUCTS]) {
    for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++)
        product[k] =
            k / 3 < n && k % 3 < n ? (int32_t)vector_fixed(a->at[k / 3] * b->at[k % 3]) : 0;
}

/* sqrt(8) kappa of a plaquette: corners in their order around it, and J[k] of the bond from corner k to the next. */
STREAM_FUNCTION double vector_plaquette(const vector_double_spin corner[4], const double J[4]) {
    double sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const vector_double_spin *const a = &corner[k], *const b = &corner[(k + 1) % 4];
        const double sine = a->at[0] * b->at[1] - a->at[1] * b->at[0];
        sum += J[k] < 0 ? -sine : J[k] > 0 ? sine : 0;
    }
    return sum;
}

/* s . (next x before). */
STREAM_FUNCTION double vector_triple(const vector_double_spin *s, const vector_double_spin *next,
                                     const vector_double_spin *before) {
    return s->at[0] * (next->at[1] * before->at[2] - next->at[2] * before->at[1]) +
           s->at[1] * (next->at[2] * before->at[0] - next->at[0] * before->at[2]) +
           s->at[2] * (next->at[0] * before->at[1] - next->at[1] * before->at[0]);
}

/* The term of `chirality`, of sqrt(8) kappa with n = 2 and of kappa with n = 3. */
STREAM_FUNCTION int64_t vector_chirality(uint32_t n, double of_a, double of_b) {
    return vector_fixed(of_a * of_b * (n == 2 ? 0.125 : 1));
}

#endif
