/* What is expected of a simulation: exact values, as far as they are known of its lattice.
 *
 * square   e, C, betaF, S by Kaufman's formula; |m|, m2, m4 of counted states up to L = 8
 * glass2d  e, C, betaF, S of the numbers of states of any sample; |q|, q2, q4 up to 24 sites
 * cubic    of 4 x 4 x 4 all of them, of counted states (lib/cubic_tables.h)
 * glass3d  e, C, betaF, S: of 4 x 4 x 4 of the numbers of states, of 4 x 4 x Lz at the temperatures of a transfer
 *          matrix; both of the samples of those tables alone */
#ifndef PAISING_PHYSICS_EXPECTED_H
#define PAISING_PHYSICS_EXPECTED_H

#include "claims.h"

/* At each temperature of a table of rows of an ensemble. The caller frees it. Returns NULL after a line on stderr:
 * without memory, or where a table cannot be read. */
expectation *expect_exact(const ensemble *s, const weighted_average *rows);

#endif
