/* Averages over independent runs, weighted by their estimates of Z (eqs. 6, 7).
 *
 * A run's weight is an unbiased estimate of Z, 2^N W_i, W_i = product over steps k <= i of Q_k R_k / R.
 * Eqs. (6, 7) take exp(-beta F) = 2^N product of Q_k, which is off by order 1/R, because nearest-integer
 * resampling lets R_k fluctuate. With S_i = product over k <= i of Q_k R_{k-1} / R, step i gives replica j
 * tau-hat_j = R exp(-dbeta E_j) / (R_{i-1} Q_i) children on average, so that E[S_i sum over them of O]
 * = S_{i-1} sum_j exp(-dbeta E_j) O_j given the population before, sweeps keep the Boltzmann weights, and
 * by induction E[W_i mean of O] = Z_i <O>_i / Z_0 where W_i = S_i R_i / R. A run that dies out has R_k =
 * 0, Z = 0, from there on, and is one of the runs of the mean.
 *
 * What is averaged are means over the population, whose weighted averages are unbiased up to the ratio,
 * of order 1/M: e, e^2, |m|, m2, m4. The specific heat follows from the averaged e and e^2, and beta F =
 * -ln of the mean of Z: averages of C or beta F themselves keep the bias of a single run however many
 * runs there are. (Machta, Phys. Rev. E 82, 026704; Ebert, Gessert, Weigel, arXiv:2207.05535.) A single
 * run keeps its own beta F (eq. 4), without R_k / R. */
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

/* Adds a run. Every run has the same number of temperatures, but rows of the first `reached` alone if
 * it died out there. Returns 0, or -1 without memory. */
int weighted_add(weighted_average *w, const observables rows[], size_t reached,
                 size_t temperatures);

/* How many rows a run has, and how many temperatures at least one run reached. */
size_t weighted_reached(const weighted_average *w, size_t run);
size_t weighted_rows(const weighted_average *w);

/* The variance of -ln of the weights over the runs that reached temperature number i; 0 if fewer than
 * two did. */
double weighted_variance(const weighted_average *w, size_t i);

/* How many of the runs trust their own row at temperature number i, once trust_judge has decided. */
size_t weighted_trusting(const weighted_average *w, size_t i);

/* The weights of the runs at temperature number i, relative to the heaviest: weight[runs]; 0 where it died out. */
void weighted_weights(const weighted_average *w, size_t i, double weight[]);

/* The weighted averages at temperature number i, which a run must have reached, over the runs added,
 * for a lattice of `spins` spins: beta, e, e2, c, abs_m, m2, m4, beta_f, ln_q,
 * and their errors; the rest is 0.
 * Errors are jackknife errors over the runs, `blocks` of them; the row of a single run stays as it is, and
 * a single one that is left of several has none (nan). */
observables weighted_mean(const weighted_average *w, size_t i, uint64_t spins);

/* Gives the rows of every run errors from the scatter of the runs, of which there must be one and all of
 * which must have reached every temperature: the standard deviation of a single one, `blocks` the number of
 * runs. A single run keeps what it has. */
void weighted_set_scatter(weighted_average *w, uint64_t spins);

/* The same averages as a full row.
 *
 * Errors also contain those of counting (counting.h). population is the mean over the runs, families the
 * sum. rho_t is such that the numbers of independent families, R / rho_t, and the effective population sizes
 * r_eff, add over the runs. ln_q is -ln of the weighted mean of 1 / Q.
 *
 * trusted: the families of run m count with its normalised weight w_m, so that there are
 * effectively 1 / sum_m w_m^2 (rho_t / R)_m of them, of which as many are sure as the mean kinship of
 * the runs says (kinship.h); TRUSTED_FAMILIES are asked for, as of one run, and without them neither the
 * average is free of bias nor the jackknife is to be relied on, because few runs carry it. The flag
 * cannot see that two runs make a poor estimate of an error: that is the number of runs, which the
 * reader knows. */
observables weighted_row(const weighted_average *w, size_t i, uint64_t spins);

/* Writes the rows of `runs` runs, or reads them into an average without runs: all of `temperatures`
 * temperatures, as the rest of the simulation says. Returns false when something failed
 * (section_file.h). */
bool weighted_transfer(section_file *f, weighted_average *w, size_t runs, size_t temperatures);

void weighted_end(weighted_average *w);

#endif
