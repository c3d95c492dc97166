/* Exact moments of the magnetisation on small lattices, which Kaufman's solution does not give: the
 * joint density of states of energy and magnetisation, counted by a transfer matrix. */
#ifndef PAISING_TRANSFER_MATRIX_H
#define PAISING_TRANSFER_MATRIX_H

#include <stdint.h>

#define STATE_COUNTS_MIN_SIZE 3
#define STATE_COUNTS_MAX_SIZE 8 /* 2^64 states: the last size whose counts fit 64 bits */

/* How many of the 2^N states of the L x L lattice with periodic boundaries, N = L^2, have a given
 * energy and magnetisation. */
typedef struct {
    uint32_t size;   /* L */
    uint64_t *count; /* [N + 1][N + 1]: state_count */
} state_counts;

/* Averages over the Boltzmann distribution at one beta. */
typedef struct {
    double e;     /* energy per spin */
    double c;     /* specific heat per spin, beta^2 (<E^2> - <E>^2) / N */
    double abs_m; /* <|M|> / N */
    double m2;    /* <M^2> / N^2 */
    double m4;    /* <M^4> / N^4 */
    double ln_z;  /* ln Z of the whole lattice */
} exact_moments;

/* Counts the states; some three seconds at L = 8, less than one below. Returns 0, or -1 without
 * memory or for a size outside STATE_COUNTS_MIN_SIZE .. STATE_COUNTS_MAX_SIZE. */
int state_counts_create(state_counts *counts, uint32_t size);
void state_counts_destroy(state_counts *counts);

/* The number of states with `pairs` pairs of broken bonds, E = 4 pairs - 2 N, and `up` spins up,
 * M = 2 up - N; both run from 0 to N. */
static inline uint64_t state_count(const state_counts *counts, uint32_t pairs, uint32_t up) {
    return counts->count[(uint64_t)pairs * (counts->size * counts->size + 1) + up];
}

/* The averages at a finite beta >= 0. */
exact_moments state_counts_moments(const state_counts *counts, double beta);

#endif
