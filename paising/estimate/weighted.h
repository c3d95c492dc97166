/* Averages over independent runs, weighted by their free energies (eqs. 6, 7).
 *
 * A run's weight is its estimate of Z, exp(-beta F_m). What is averaged with it are means over the
 * population, whose weighted averages are unbiased up to the ratio: e, e^2, |m|, m2, m4. The
 * specific heat follows from the averaged e and e^2, and beta F = -ln of the mean of Z: averages of
 * C or beta F themselves keep the bias of a single run however many runs there are. (Machta, Phys.
 * Rev. E 82, 026704; Ebert, Gessert, Weigel, arXiv:2207.05535.) */
#ifndef PAISING_WEIGHTED_H
#define PAISING_WEIGHTED_H

#include "observables.h"

/* The rows of all runs so far. */
typedef struct {
    observables *row; /* [runs][temperatures] */
    size_t runs;
    size_t temperatures;
    size_t room; /* rows that fit */
} weighted_average;

/* Begins an average, without runs. */
void weighted_start(weighted_average *w);

/* Adds a run. Every run has the same `temperatures` rows. Returns 0, or -1 without memory. */
int weighted_add(weighted_average *w, const observables rows[], size_t temperatures);

/* The weighted average at temperature number i over the runs added, of which there must be one, for
 * a lattice of `spins` spins.
 *
 * Errors are jackknife errors over the runs, and those of counting (counting.h); those of a single run
 * stay as they are. population is
 * the mean over the runs, families the sum. rho_t is such that the numbers of independent families,
 * R / rho_t, and the effective population sizes r_eff, add over the runs. ln_q is the step of the
 * averaged beta F.
 *
 * trusted: the families of run m count with its normalised weight w_m, so that there are
 * effectively 1 / sum_m w_m^2 (rho_t / R)_m of them, of which as many are sure as the mean kinship of the
 * runs says (kinship.h); TRUSTED_FAMILIES are asked for, as of one run, and without them neither the average is free of bias nor the jackknife is to be relied on,
 * because few runs carry it. The flag cannot see that two runs make a poor estimate of an error:
 * that is the number of runs, which the reader knows. */
observables weighted_row(const weighted_average *w, size_t i, uint64_t spins);

/* Writes the rows of `runs` runs, or reads them into an average without runs: all of `temperatures`
 * temperatures, as the rest of the simulation says. Returns false when something failed
 * (section_file.h). */
bool weighted_transfer(section_file *f, weighted_average *w, size_t runs, size_t temperatures);

void weighted_end(weighted_average *w);

#endif
