/* Population averages at one temperature (eqs. 3-5) and their errors, computed from the histogram
 * alone. */
#ifndef PAISING_OBSERVABLES_H
#define PAISING_OBSERVABLES_H

#include "base/section_file.h"
#include "columns.h"
#include "engine/histogram.h"
#include "free_energy.h"
#include "relatives.h"

#include <stdbool.h>

/* One row of a result. */
typedef struct {
    double beta;
    double e;          /* energy per spin */
    double e2, e3, e4; /* means of (E/N)^2, (E/N)^3, (E/N)^4 */
    double c;          /* specific heat per spin, beta^2 N (e2 - e^2) */
    double abs_m;      /* mean of |M|/N */
    double m2;         /* mean of (M/N)^2 */
    double m4;         /* mean of (M/N)^4 */
    double beta_f;     /* beta F = -ln Z of the whole lattice (eq. 4) */
    double ln_growth;  /* sum of ln (R_k / R) over the steps (free_energy.h); 0 in averages
                        * over runs */
    double ln_q;       /* ln Q of the last step (eq. 1) */
    double population; /* R_i; the mean over the runs in averages */
    double error_e, error_c, error_abs_m, error_m2, error_m4;
    double error_beta_f; /* of beta F of the whole lattice */
    double error_s;      /* of the entropy per spin, beta e - beta F / N */
    /* [moment_columns_count] of the columns of the table (columns.h) */
    double error_of[COLUMNS_MOST];
    double blocks;   /* number of blocks of the population, or of runs, behind the errors; 0: no
                          * errors */
    double families; /* surviving families; the sum over the runs in averages */
    double rho_t;    /* R_i sum of squared family fractions, the mean family size */
    double overlap;  /* the smallest of the steps so far (eq. 8), over all runs */
    double r_eff;    /* effective population size: var(E) / error(mean E)^2 */
    relatives_correlation relatives; /* correlation of relatives; the mean over the runs in
                                      * averages */
    double effective_families;       /* effective families (relatives.h) */
    double lowest;                   /* the lowest energy of the lattice known to exist */
    double excited;                  /* replicas above the lowest energy; the sum over runs */
    double gap;                      /* from the lowest energy to the next one */
    bool trusted; /* the errors of the row are reliable: by its own effective families or, once
                   * all rows exist, by trust_judge (trust.h) */
} observables;

/* Computes the row at beta for a lattice of `spins` spins. h: the histogram of the population, not
 * empty; f: the free energy there. before: the previous row of the same run, or NULL. With
 * disorder, energies are known to exist if the population of this or an earlier row had them. */
observables observables_compute(const histogram *h, uint64_t spins, double beta,
                                const free_energy_path *f, const observables *before);

/* The means of a row, of which the columns of the table are functions. */
moments observables_moments(const observables *row, uint64_t spins);

/* Adds the errors of counting few excitations (counting.h) to a row that rests on `replicas`
 * replicas of all runs together. share: the part of these replicas that runs of equal weight would
 * need; 1 for one run. */
void observables_count(observables *row, uint64_t spins, double replicas, double share);

/* Replaces errors of 0, where runs agree, by the error of counting no excitation among `replicas`
 * replicas. */
void observables_count_nothing(observables *row, uint64_t spins, double replicas);

/* Sets the correlation of relatives to that of independent replicas. Needed where replicas share
 * random numbers: neighbours are then alike without being relatives. */
void observables_ignore_relatives(observables *row);

/* Has a row rely on no family: replicas that were not resampled are out of equilibrium, all of them. */
void observables_distrust(observables *row);

/* Writes or reads rows[count]. Returns false on failure (section_file.h). */
bool observables_transfer(section_file *f, observables rows[], size_t count);

#endif
