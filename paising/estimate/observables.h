/* Population averages at one temperature (eqs. 3-5) and their errors, from the histogram alone. */
#ifndef PAISING_OBSERVABLES_H
#define PAISING_OBSERVABLES_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "free_energy.h"
#include "relatives.h"

#include <stdbool.h>

/* One row of a result: everything is known at one inverse temperature. */
typedef struct {
    double beta;
    double e;          /* energy per spin */
    double e2;         /* mean of (E/N)^2 */
    double c;          /* specific heat per spin, beta^2 N (e2 - e^2) */
    double abs_m;      /* mean of |M|/N */
    double m2;         /* mean of (M/N)^2 */
    double m4;         /* mean of (M/N)^4 */
    double beta_f;     /* beta F = -ln Z of the whole lattice (eq. 4) */
    double ln_growth;  /* sum of ln (R_k / R) over the steps (free_energy.h); 0 in averages */
    double ln_q;       /* ln of the partition function ratio of the last step (eq. 1) */
    double population; /* R_i; a mean over runs for weighted averages */
    double error_e, error_c, error_abs_m, error_m2, error_m4;
    double error_beta_f; /* of beta F of the whole lattice */
    double error_s;      /* of the entropy per spin, beta e - beta F / N */
    double blocks;       /* that the errors come from: blocks of the population, or runs; 0: none */
    double families;     /* families that survive; the sum over runs for weighted averages */
    double rho_t;        /* R_i sum of squared family fractions, the mean family size */
    double overlap;      /* the smallest of the steps so far (eq. 8); of all runs, too */
    double r_eff;        /* effective population size: var(E) / error(mean E)^2 */
    relatives_correlation
        relatives;             /* how much alike they still are; a mean for weighted averages */
    double effective_families; /* families that can be relied on (kinship.h) */
    double lowest;             /* the lowest energy of the lattice that is known to exist */
    double excited;            /* replicas above it; the sum over runs */
    double gap;                /* from there to the next one */
    bool trusted; /* its errors can be believed: by its own sure families or, once all rows
                             are there, by trust_judge (trust.h) */
} observables;

/* The row at inverse temperature beta of a lattice of `spins` spins: h is the histogram of the
 * population, which must not be empty, f the free energy there. `before` is the row before it of the same run, NULL
 * without one: of a disordered model, the energies that are known to exist are those which a population had. */
observables observables_compute(const histogram *h, uint64_t spins, double beta,
                                const free_energy_path *f, const observables *before);

/* Adds to the errors of a row that rests on `replicas` replicas, all runs together, those of counting
 * few excitations (counting.h). Runs of unequal weight are worth a `share` of their replicas. */
void observables_count(observables *row, uint64_t spins, double replicas, double share);

/* Gives errors of 0, of runs that agree, what a count of no excitation among so many replicas is worth. */
void observables_count_nothing(observables *row, uint64_t spins, double replicas);

/* Takes relatives for strangers: where replicas share random numbers, neighbours are alike who are none. */
void observables_ignore_relatives(observables *row);

/* Writes or reads rows[count]. Returns false when something failed (section_file.h). */
bool observables_transfer(section_file *f, observables rows[], size_t count);

#endif
