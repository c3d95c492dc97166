/* The number of states of every energy and magnetisation of the 4 x 4 x 4 ferromagnet
 * (transfer_matrix.h), from the states of its even spins (checkerboard.h). An odd site with k
 * neighbours down contributes the factor
 *
 *     w^k y + w^(6 - k),
 *
 * with w for an unsatisfied bond and y for a spin up. The product of these factors over the odd
 * sites is multiplied by y for each even spin up, and by the number of states of the even spins
 * with n_k such sites. The sum over all n_0, n_1, ... n_6 gives the counts. (sum over k of k n_k) /
 * 6 even spins are down, since each is a neighbour of six odd sites. */
#include "checkerboard.h"
#include "transfer_matrix.h"

#include <stdlib.h>
#include <string.h>

#define HALF  CHECKERBOARD_HALF
#define SITES CHECKERBOARD_SITES
#define BONDS CHECKERBOARD_BONDS
#define MOST  CHECKERBOARD_NEIGHBOURS /* the largest k */

/* The coefficients of w^unsatisfied y^up, modulo 2^64; no count is larger. */
typedef struct {
    uint64_t of[BONDS + 1][HALF + 1]; /* up: odd spins */
} odd_polynomial;
typedef struct {
    uint64_t of[BONDS + 1][SITES + 1];
} polynomial;

typedef struct {
    const uint64_t *bins;
    uint32_t n[MOST + 1];
    odd_polynomial product[MOST + 1]; /* [k]: product over the sites with k or more */
    polynomial sum[HALF + 1];         /* [n_0]: without the factor of the n_0 sites */
} work;

/* Multiplies by w^k y + w^(6 - k). */
static void multiply_odd(odd_polynomial *p, uint32_t k) {
    for (uint32_t b = BONDS + 1; b-- > 0;)
        for (uint32_t up = HALF + 1; up-- > 0;)
            p->of[b][up] = (b < MOST - k ? 0 : p->of[b - (MOST - k)][up]) +
                           (b < k || up == 0 ? 0 : p->of[b - k][up - 1]);
}

/* Multiplies by y + w^6. */
static void multiply_first(polynomial *p) {
    for (uint32_t b = BONDS + 1; b-- > 0;)
        for (uint32_t up = SITES + 1; up-- > 0;)
            p->of[b][up] = (b < MOST ? 0 : p->of[b - MOST][up]) + (up == 0 ? 0 : p->of[b][up - 1]);
}

/* Adds the states with the numbers w->n. */
static void add_states(work *w) {
    const uint64_t states = w->bins[checkerboard_bin(CHECKERBOARD_BY_K, w->n)];
    uint32_t down = 0;
    for (uint32_t k = 0; k <= MOST; k++)
        down += k * w->n[k];
    const uint32_t up = HALF - down / MOST;
    for (uint32_t b = 0; b <= BONDS && states != 0; b++)
        for (uint32_t odd_up = 0; odd_up <= HALF; odd_up++)
            w->sum[w->n[0]].of[b][up + odd_up] += states * w->product[1].of[b][odd_up];
}

/* Loops over the numbers of sites with k or fewer, `left` sites in all. w->product[k] is the
 * product for sites with more. */
static void add_numbers(work *w, uint32_t k, uint32_t left) {
    for (w->n[k] = 0; w->n[k] <= left; w->n[k]++) {
        if (k == 1) {
            w->n[0] = left - w->n[1];
            add_states(w);
        } else {
            w->product[k - 1] = w->product[k];
            add_numbers(w, k - 1, left - w->n[k]);
        }
        multiply_odd(&w->product[k], k);
    }
}

int state_counts_create_cubic(state_counts *counts) {
    *counts = (state_counts){CHECKERBOARD_EDGE, SITES, BONDS, NULL};
    couplings ferromagnet;
    const uint32_t edge[] = {CHECKERBOARD_EDGE, CHECKERBOARD_EDGE, CHECKERBOARD_EDGE};
    if (!couplings_create(&ferromagnet, 3, edge))
        return -1;
    uint64_t *const bins = checkerboard_count(&ferromagnet, CHECKERBOARD_BY_K);
    couplings_destroy(&ferromagnet);
    work *const w = calloc(1, sizeof *w);
    counts->count = calloc((size_t)(BONDS / 2 + 1) * (SITES + 1), sizeof *counts->count);
    const bool good = bins != NULL && w != NULL && counts->count != NULL;
    if (good) {
        w->bins = bins;
        w->product[MOST].of[0][0] = 1;
        add_numbers(w, MOST, HALF);
        for (uint32_t n = HALF; n > 0; n--) { /* Horner's scheme: the last sum becomes the result */
            multiply_first(&w->sum[n]);
            for (uint32_t b = 0; b <= BONDS; b++)
                for (uint32_t up = 0; up <= SITES; up++)
                    w->sum[n - 1].of[b][up] += w->sum[n].of[b][up];
        }
        /* One even spin was fixed up. The other half of the states are the inverses of these. */
        for (uint32_t b = 0; b <= BONDS; b += 2)
            for (uint32_t up = 0; up <= SITES; up++)
                *state_count_place(counts, b / 2, up) =
                    w->sum[0].of[b][up] + w->sum[0].of[b][SITES - up];
    }
    free(bins);
    free(w);
    if (!good)
        state_counts_destroy(counts);
    return good ? 0 : -1;
}
