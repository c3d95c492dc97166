/* Exact moments of the magnetisation on small lattices, which Kaufman's solution does not give. A
 * transfer matrix counts the states by energy and magnetisation. */
#ifndef PAISING_TRANSFER_MATRIX_H
#define PAISING_TRANSFER_MATRIX_H

#include <stdint.h>

#define STATE_COUNTS_MIN_SIZE 3
#define STATE_COUNTS_MAX_SIZE 8 /* 2^64 states: the last size whose counts fit 64 bits */

/* The number of the 2^N states of a ferromagnet with periodic boundaries that have a given energy
 * and magnetisation. */
typedef struct {
    uint32_t size;   /* L */
    uint32_t sites;  /* N = L^2, or L^3 */
    uint32_t bonds;  /* 2 N, or 3 N */
    uint64_t *count; /* [bonds / 2 + 1][N + 1]; see state_count */
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

/* Counts the states of the L x L lattice; some three seconds at L = 8, less than one below. Returns
 * 0; or -1 without memory, or for a size outside STATE_COUNTS_MIN_SIZE .. STATE_COUNTS_MAX_SIZE. */
int state_counts_create(state_counts *counts, uint32_t size);

/* The same for the 4 x 4 x 4 lattice (cubic_counts.c); a minute on one core. */
int state_counts_create_cubic(state_counts *counts);

void state_counts_destroy(state_counts *counts);

/* The number of states with 2 * pairs unsatisfied bonds, E = 4 pairs - bonds, pairs = 0 .. bonds /
 * 2, and `up` spins up, M = 2 up - N. */
static inline uint64_t *state_count_place(const state_counts *counts, uint32_t pairs, uint32_t up) {
    return &counts->count[(uint64_t)pairs * (counts->sites + 1) + up];
}
static inline uint64_t state_count(const state_counts *counts, uint32_t pairs, uint32_t up) {
    return *state_count_place(counts, pairs, up);
}

/* The averages at a finite beta >= 0. */
exact_moments state_counts_moments(const state_counts *counts, double beta);

#endif
