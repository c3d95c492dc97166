/* Averages over independent runs, weighted by their estimates of Z (eqs. 6, 7).
 *
 * The weight of a run is an unbiased estimate of Z, 2^N W_i with W_i = product over steps k <= i of
 * Q_k R_k / R. Eqs. (6, 7) take exp(-beta F) = 2^N product of Q_k instead. This has a bias of order
 * 1/R, because R_k fluctuates with nearest-integer resampling.
 *
 * Proof. Let S_i = product over k <= i of Q_k R_{k-1} / R. Step i gives replica j tau-hat_j = R
 * exp(-dbeta E_j) / (R_{i-1} Q_i) children on average. Given the population before, E[S_i sum of O
 * over the new population] = S_{i-1} sum_j exp(-dbeta E_j) O_j. Sweeps keep the Boltzmann weights.
 * By induction E[W_i mean of O] = Z_i <O>_i / Z_0 with W_i = S_i R_i / R. A run that dies out has
 * R_k = 0 and Z = 0 from there on, and still counts among the runs of the mean.
 *
 * Averaged are means over the population: e to e^4, |m|, m2, m4. Their weighted averages are unbiased
 * up to the ratio, which is of order 1/M for M runs. The specific heat and the columns of the table
 * (columns.h) follow from the averaged means, and beta F is -ln of the mean of Z. Averages of C or
 * beta F themselves would keep the bias of a single run for any number of runs. (Machta, Phys. Rev. E 82, 026704; Ebert, Gessert,
 * Weigel, arXiv:2207.05535.) A single run keeps its own beta F (eq. 4), without R_k / R. */
#ifndef PAISING_WEIGHTED_H
#define PAISING_WEIGHTED_H

#include "observables.h"

/* The rows of all runs added so far. */
typedef struct {
    observables *row; /* [runs][temperatures] */
    size_t runs;
    size_t temperatures;
    size_t room; /* allocated rows */
} weighted_average;

/* Begins an average, without runs. */
void weighted_start(weighted_average *w);

/* Adds a run. All runs have the same number of temperatures; a run that died out has rows of the
 * first `reached` only. Returns 0, or -1 without memory. */
int weighted_add(weighted_average *w, const observables rows[], size_t reached,
                 size_t temperatures);

/* The number of rows of a run; the number of temperatures that at least one run reached. */
size_t weighted_reached(const weighted_average *w, size_t run);
size_t weighted_rows(const weighted_average *w);

/* The variance of ln of the weights over the runs that reached temperature number i; 0 for fewer
 * than two. */
double weighted_variance(const weighted_average *w, size_t i);

/* The number of runs whose own row at temperature number i is trusted. Call it after trust_judge. */
size_t weighted_trusting(const weighted_average *w, size_t i);

/* Fills weight[runs] with the weights at temperature number i, relative to the heaviest run; 0 for
 * a run that died out. */
void weighted_weights(const weighted_average *w, size_t i, double weight[]);

/* The weighted averages at temperature number i for a lattice of `spins` spins. At least one run must have reached it. Fills
 * beta, e, e2, e3, e4, c, abs_m, m2, m4, beta_f, ln_q, their errors, and those of the columns of the table (columns.h); all
 * else is 0. Errors are jackknife errors over the runs, and `blocks` is their number. The row of a single run is copied. If
 * only one of several runs is alive, the errors are nan. */
observables weighted_mean(const weighted_average *w, size_t i, uint64_t spins);

/* Gives the rows of every run errors from the scatter between runs: the standard deviation of a
 * single run, with `blocks` the number of runs. There must be a run, and all runs must have reached
 * every temperature. A single run keeps its errors. */
void weighted_set_scatter(weighted_average *w, uint64_t spins);

/* The same averages as a full row.
 *
 * Errors include those of counting (counting.h). population is the mean over the runs, families the
 * sum. rho_t is defined so that the numbers of independent families, R / rho_t, add over the runs.
 * The effective population sizes r_eff add too. ln_q is -ln of the weighted mean of 1 / Q.
 *
 * trusted: with w_m the normalised weight of run m, the number of independent families is 1 / sum_m
 * w_m^2 (rho_t / R)_m. The mean correlation of relatives reduces it to effective families
 * (relatives.h). TRUSTED_FAMILIES are required, as of one run. Below that few runs carry the
 * average: it is biased, and its jackknife error is unreliable. The flag does not tell that two
 * runs estimate an error poorly; the number of runs does. */
observables weighted_row(const weighted_average *w, size_t i, uint64_t spins);

/* Writes the rows of `runs` runs, or reads them into an average without runs. All runs have
 * `temperatures` temperatures. Returns false on failure (section_file.h). */
bool weighted_transfer(section_file *f, weighted_average *w, size_t runs, size_t temperatures);

void weighted_end(weighted_average *w);

#endif
