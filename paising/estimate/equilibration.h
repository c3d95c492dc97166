/* Whether the population of a spin glass was in equilibrium, as far as its families can tell: the criterion of Wang,
 * Machta and Katzgraber, Phys. Rev. E 92, 063307 (2015), which asks for a family entropy S_f >= ln 100; and the same
 * of the mean family size, rho_t <= R / 100. Both say that the population rests on 100 families at least; what no
 * family has ever found, they do not know. */
#ifndef PAISING_EQUILIBRATION_H
#define PAISING_EQUILIBRATION_H

#include "observables.h"
#include "overlap.h"

#include <stdio.h>

#define EQUILIBRATION_FAMILIES 100

/* Rows that do not fulfil it. */
typedef struct {
    size_t rows;
    size_t failed;
    double failed_at;          /* the first of them, an inverse temperature, ... */
    double entropy, rho_share; /* ... and there S_f, and rho_t / R */
} equilibration;

/* Whether a population of so many replicas, of all runs together, fulfils it. */
bool equilibration_holds(double family_entropy, double rho_t, double replicas);

/* Looks at rows[count], in the order of their temperatures, of `runs` runs together. */
equilibration equilibration_of_rows(const observables rows[], const overlap_row overlaps[],
                                    size_t count, size_t runs);

/* Prints a `# warning:` line for the header of a data file, if there is anything to say; the same on stderr. */
void equilibration_print(FILE *file, const equilibration *e);
void equilibration_warn(const equilibration *e);

#endif
