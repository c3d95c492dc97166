/* Holds a result of build/paising against the exact solution of the finite lattice.
 *
 * z is the difference of a value from the exact one, in units of its error. Every row that the program
 * trusts gives three of them, of e, C and betaF/N. The verdict is on the largest |z|: each value weighs
 * the same, and has the share 1 / n of the probability of a false alarm, n being the number of values
 * (Bonferroni). That holds however the values of a simulation depend on each other; as they do so
 * strongly, the true probability is smaller.
 *
 * An error comes from n parts of the simulation, whose averages are taken to be Gaussian: runs, or for one
 * run the blocks of its population (the column `blocks`). z then is Student's t with n - 1 degrees of
 * freedom, and the limit its quantile, which may differ from row to row. In an interrupted result the
 * averages are over fewer runs than those asked for.
 *
 * What is known not to be Gaussian: a population that should have fewer than 1000 excitations (spins
 * that are turned over, of energy 8) often has errors of a few, or none. Such a row is given the error of
 * 1000 excitations, or its own where that is larger. */
#ifndef PAISING_COMPARISON_H
#define PAISING_COMPARISON_H

#include "result_file.h"

#include <stdio.h>

/* The exit status that belongs to it. */
typedef enum {
    COMPARISON_AGREES = STATUS_OK,
    COMPARISON_DISAGREES = STATUS_FAILED, /* or the file is no result that can be compared */
    COMPARISON_NOT_JUDGED =
        3 /* no row is trusted, too few digits, or so few runs that any value would
                                 be within the limit */
} comparison_verdict;

/* Compares the rows of PA_results_weighted.dat, which was read from `path`, and prints a table and the
 * verdict. A trusted row with a number that is not finite disagrees, and so does one that has no error
 * and is not exact. A right result disagrees with the probability false_alarm at most. Returns
 * COMPARISON_DISAGREES after a line on stderr, and prints nothing, if the header is not one of such
 * a result. */
comparison_verdict compare_with_exact(const result_file *result, const char *path,
                                      double false_alarm, FILE *out);

#endif
