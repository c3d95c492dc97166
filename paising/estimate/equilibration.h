/* Whether the population of a spin glass was in equilibrium, as far as its families show. The
 * criterion of Wang, Machta and Katzgraber, Phys. Rev. E 92, 063307 (2015), demands a family
 * entropy S_f >= ln 100. The same is demanded of the mean family size, rho_t <= R / 100. Both say
 * that the population rests on at least 100 families. Neither detects states that no family has
 * found. */
#ifndef PAISING_EQUILIBRATION_H
#define PAISING_EQUILIBRATION_H

#include "observables.h"
#include "overlap.h"

#include <stdio.h>

#define EQUILIBRATION_FAMILIES 100

/* The rows that do not fulfil the criterion. */
typedef struct {
    size_t rows;
    size_t failed;
    double failed_at;          /* inverse temperature of the first such row */
    double entropy, rho_share; /* S_f and rho_t / R in that row */
} equilibration;

/* Whether a population fulfils the criterion. replicas: of all runs together. */
bool equilibration_holds(double family_entropy, double rho_t, double replicas);

/* Checks rows[count], in the order of their temperatures. Rows are of `runs` runs together. */
equilibration equilibration_of_rows(const observables rows[], const overlap_row overlaps[],
                                    size_t count, size_t runs);

/* Prints the warning, if there is one: as a `# warning:` line for the header of a data file, or on
 * stderr. */
void equilibration_print(FILE *file, const equilibration *e);
void equilibration_warn(const equilibration *e);

#endif
