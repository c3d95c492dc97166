/* The random grid: case number n of a seed. */
#ifndef PAISING_IDENTITY_GRID_H
#define PAISING_IDENTITY_GRID_H

#include "lockstep.h"

/* Every model, both codings, every p and mode that it has, lattices from 4 x 4 to 3072 x 3072 and from 4 x 4 x 4 to
 * 48 x 48 x 48 (small ones often), of one edge or several, populations from 1 to some 10^4 (often around the sizes of
 * words, warps and blocks), any selection, any temperature; what a case costs is bounded, to some second on one
 * core. */
identity_case identity_grid_case(uint64_t seed, uint32_t n);

/* Writes the parameters of a case as columns, and their names. Returns text. */
#define CASE_TEXT_SIZE 336
const char *identity_case_text(char text[CASE_TEXT_SIZE], const identity_case *c);
const char *identity_case_columns(void);

#endif
