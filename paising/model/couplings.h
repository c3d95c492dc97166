/* The couplings of a lattice: J = +1 or -1 on every bond, one bit each, and the bonds that are missing, J = 0.
 * E = -sum J_ij s_i s_j over the pairs of nearest neighbours whose bond is there. The bonds of the last site of a
 * direction lead around the edge, to the first one; an open boundary is one where these are missing.
 *
 * Sites are numbered row by row, site = (z Ly + y) Lx + x. Each site has one bond per direction, to
 * its neighbour at x + 1 (direction 0), y + 1 (1) or z + 1 (2). The number of a bond is site *
 * dimension + direction. */
#ifndef PAISING_COUPLINGS_H
#define PAISING_COUPLINGS_H

#include "base/message.h"
#include "bond_origin.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COUPLINGS_MAX_DIMENSION 3

/* Edges are at least 3: with an edge of 2, two bonds would join the same pair of sites. */
typedef struct {
    uint32_t dimension;                     /* 2 or 3 */
    uint32_t edge[COUPLINGS_MAX_DIMENSION]; /* Lx, Ly, Lz; Lz = 1 in two dimensions */
    uint64_t sites;
    uint64_t bonds;     /* sites * dimension */
    uint64_t *negative; /* bit b % 64 of word b / 64 is 1 if bond b has J = -1; bits behind the last
                         * bond are 0 */
    /* likewise 1 if bond b is missing, which `negative` then has as 0; NULL: none is */
    uint64_t *missing;
    /* [bonds] J in units of 1 / FINE_UNIT (levels.h), of the sign that `negative` says, 0 where a bond is missing; NULL:
     * all are +1 and -1 */
    int32_t *value;
    bool antiperiodic
        [COUPLINGS_MAX_DIMENSION]; /* for headers: J around this edge was multiplied by -1 */
    bond_origin origin;            /* where they were read from */
} couplings;

/* Creates the couplings of a lattice, all +1 and there. Returns false without memory; c->negative is then
 * NULL. */
bool couplings_create(couplings *c, uint32_t dimension,
                      const uint32_t edge[COUPLINGS_MAX_DIMENSION]);

/* Frees the couplings. c->negative may be NULL. */
void couplings_destroy(couplings *c);

/* The first tells whether bond number `bond` has J = -1. The second sets J to -1 or +1. */
static inline bool couplings_negative(const couplings *c, uint64_t bond) {
    return c->negative[bond / 64] >> bond % 64 & 1;
}
void couplings_set(couplings *c, uint64_t bond, bool negative);

/* Whether bond number `bond` is there. */
static inline bool couplings_has(const couplings *c, uint64_t bond) {
    return c->missing == NULL || !(c->missing[bond / 64] >> bond % 64 & 1);
}

/* Takes a bond away. Returns false without memory. */
bool couplings_remove(couplings *c, uint64_t bond);

/* The largest |J| of couplings with values: the energy that a flip costs then fits in 32 bits. */
#define COUPLINGS_MOST 128

/* Gives couplings values, all of them 0 at first; returns false without memory. And sets J of a bond that has a value. */
bool couplings_allocate_values(couplings *c);
void couplings_set_value(couplings *c, uint64_t bond, int32_t value);

/* The energy that a flip of a site costs at most, in units of J / FINE_UNIT: 2 sum |J|. Of couplings with values. */
uint32_t couplings_most_cost(const couplings *c, uint64_t site);

/* The sign of J of the bond of a site in a direction; 0 if it is missing. */
static inline int couplings_sign(const couplings *c, uint64_t site, uint32_t direction) {
    const uint64_t bond = site * c->dimension + direction;
    return !couplings_has(c, bond) ? 0 : couplings_negative(c, bond) ? -1 : 1;
}

/* The site at the other end of that bond. */
C_DECLARATIONS_BEGIN
uint64_t couplings_neighbour(const couplings *c, uint64_t site, uint32_t direction);
C_DECLARATIONS_END

/* The number of bonds with J = -1, and of those that are there. */
uint64_t couplings_count_negative(const couplings *c);
uint64_t couplings_present(const couplings *c);

/* How many bonds of a site are there. */
uint32_t couplings_of_site(const couplings *c, uint64_t site);

/* A CRC-32 of lattice and couplings, the same on every machine. Headers contain it to tell samples
 * apart. Missing bonds count where there are any. */
uint32_t couplings_fingerprint(const couplings *c);

/* Reads the couplings of a lattice from a text file. The file has one line per bond, in any order,
 * in one of two forms:
 *
 *     x y z direction J     z = 0 in two dimensions; # begins a comment
 *     i j J                 numbers of the two sites, in a dialect of bond_file.h; a line on stderr says which
 *
 * The first line decides which form all lines have. J is 1, -1 or 0. A bond of J = 0, or without a line, is missing, and a
 * line on stderr says how many are. Returns STATUS_REFUSED, after a message that names the line, for a malformed file,
 * repeated bonds, fields, or sites that are not neighbours; then the message names the lattice that fits. *c holds nothing
 * to be destroyed. */
exit_status couplings_read(couplings *c, uint32_t dimension,
                           const uint32_t edge[COUPLINGS_MAX_DIMENSION], bond_reading how,
                           const char *path);

/* The same for J of any size up to COUPLINGS_MOST, decimal numbers that are rounded to multiples of 1 / FINE_UNIT: couplings with
 * values. */
exit_status couplings_read_real(couplings *c, uint32_t dimension,
                                const uint32_t edge[COUPLINGS_MAX_DIMENSION], bond_reading how,
                                const char *path);

/* Writes a file of five columns for couplings_read, without the bonds that are missing. Its header names the model, the
 * lattice, its boundaries, which the lines have taken into account, and, unless it is NULL, the origin of the couplings, one line
 * of text. Errors are left to the stream. */
void couplings_write(const couplings *c, FILE *stream, const char *model, const char *origin);

#endif
