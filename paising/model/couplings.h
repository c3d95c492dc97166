/* The couplings of a lattice, J = +1 or -1 on every bond, one bit each: E = -sum J_ij s_i s_j over the
 * pairs of nearest neighbours, periodic boundaries.
 *
 * Sites are numbered row by row, site = (z Ly + y) Lx + x. The bond of a site in a direction leads to the
 * site next to it, direction 0 to x + 1, 1 to y + 1, 2 to z + 1; its number is site * dimension + direction. */
#ifndef PAISING_COUPLINGS_H
#define PAISING_COUPLINGS_H

#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COUPLINGS_MAX_DIMENSION 3

/* Edges are at least 3: with 2, two bonds would join a pair of sites. */
typedef struct {
    uint32_t dimension;                     /* 2 or 3 */
    uint32_t edge[COUPLINGS_MAX_DIMENSION]; /* Lx, Ly, Lz; Lz = 1 in two dimensions */
    uint64_t sites;
    uint64_t bonds;     /* sites * dimension */
    uint64_t *negative; /* bit b % 64 of word b / 64: 1, bond b has J = -1; then 0 to the end */
} couplings;

/* Makes the couplings of a lattice, all +1. Returns false without memory; c->negative is NULL then. */
bool couplings_create(couplings *c, uint32_t dimension,
                      const uint32_t edge[COUPLINGS_MAX_DIMENSION]);

/* Frees them, also if they were not made. */
void couplings_destroy(couplings *c);

/* Whether J of a bond is -1; makes it +1 or -1. */
static inline bool couplings_negative(const couplings *c, uint64_t bond) {
    return c->negative[bond / 64] >> bond % 64 & 1;
}
void couplings_set(couplings *c, uint64_t bond, bool negative);

/* J of a site's bond in a direction. */
static inline int couplings_sign(const couplings *c, uint64_t site, uint32_t direction) {
    return couplings_negative(c, site * c->dimension + direction) ? -1 : 1;
}

/* The site to which a site's bond in a direction leads. */
uint64_t couplings_neighbour(const couplings *c, uint64_t site, uint32_t direction);

/* How many bonds have J = -1. */
uint64_t couplings_count_negative(const couplings *c);

/* A CRC-32 of lattice and couplings, the same on any machine: to tell samples apart, in headers. */
uint32_t couplings_fingerprint(const couplings *c);

/* Makes the couplings of a lattice from a text file, which has a line for every bond, in any order:
 * either
 *
 *     x y z direction J     z = 0 in two dimensions
 *
 * or the pairs of other programs, by the numbers of the sites,
 *
 *     i j J
 *
 * as the first of these lines says by its columns. J is 1, +1 or -1; # begins a comment. Returns
 * STATUS_REFUSED, having said in which line what is wrong, for a file that is not exactly that; then
 * nothing needs to be destroyed. */
exit_status couplings_read(couplings *c, uint32_t dimension,
                           const uint32_t edge[COUPLINGS_MAX_DIMENSION], const char *path);

/* Prints such a file of five columns, with a header that says which model, which lattice and, unless it is
 * NULL, where the couplings are from, in one line. Errors are the stream's. */
void couplings_write(const couplings *c, FILE *stream, const char *model, const char *origin);

#endif
