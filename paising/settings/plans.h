/* Arguments for other folders, which do not know the parameters. */
#ifndef PAISING_PLANS_H
#define PAISING_PLANS_H

#include "base/message.h"
#include "engine/walk.h"
#include "estimate/reweighting.h"
#include "estimate/trust.h"
#include "model/couplings.h"
#include "parameters.h"
#include "resample/schedule.h"

/* Fills *plan with the temperatures and sweeps. Reads the files of --betas, --sweeps-file and
 * --relaxation, which must be the same as for parameters_read_files. Returns STATUS_OK, or
 * STATUS_REFUSED after a message on stderr. */
exit_status parameters_schedule(const parameters *p, schedule_plan *plan);

/* Reads these files and sets what *p takes from them: fingerprints, and the first and last inverse
 * temperature. With p->resume, fingerprints must be those of the checkpoint. Returns the same
 * statuses. */
exit_status parameters_read_files(parameters *p);

/* The number of temperatures; *sweeps is the number of sweeps of a replica at all of them, of annealing but the
 * first, the maximum if adaptive. Returns 0 if the first run decides the steps, or if a file cannot
 * be read again. */
uint64_t parameters_temperatures(const parameters *p, double *sweeps);

/* The populations of R replicas that an engine holds: 1 of annealing; of a method of fixed temperatures one for each
 * temperature from beta_start on and each run (1 a run if their file cannot be read again); of a flat-histogram method one
 * for each window. */
uint64_t parameters_populations(const parameters *p);

/* The most replicas that an engine holds with populations of so many: of one that is resampled R + 8 sqrt(R) + p
 * (engine/capacity.h), of those at fixed temperatures their sum. */
uint64_t parameters_capacity(const parameters *p, uint64_t population);

/* The levels of walkers: those of a model from --lowest-energy to --highest-energy. */
walk_range parameters_range(const parameters *p, const spin_model *model);

/* Sets the fingerprint of the file of --weights, all its bytes. Returns STATUS_REFUSED after a message on stderr. */
exit_status parameters_read_weights(parameters *p);

/* How many samples share the machine words of an engine: 32 with --words samples, else 1; and the pairs of R chains at one
 * temperature (engine/overlaps.h), with such words chains r and r + R/2 of each sample. */
uint32_t parameters_lanes(const parameters *p);
uint64_t parameters_pairs(const parameters *p);

/* The runs whose populations one engine holds side by side: those of canonical simulation; else 1. */
uint32_t parameters_series_runs(const parameters *p);

/* Fills beta[] with the inverse temperatures of --save-spins. Returns their number; 0 without, or if the
 * text is none of numbers from 0 with commas between them, SAVED_BETAS_MOST at most. */
#define SAVED_BETAS_MOST 32
size_t parameters_saved_betas(const parameters *p, double beta[SAVED_BETAS_MOST]);

/* Whether a temperature step is at or above an inverse temperature of --save-spins, but for rounding. */
bool saved_beta_is_reached(double asked, double beta);

/* Whether the population at temperature number i is to be saved: it is the first at or above an inverse
 * temperature of --save-spins. */
bool parameters_save_at(const parameters *p, const beta_schedule *betas, size_t i);

/* Fills beta[] with the temperatures at which populations are saved, and returns their number. *known becomes false
 * where the run decides its temperatures: beta[] is not set then, and the number is the largest that there can be. */
size_t parameters_saved_steps(const parameters *p, double beta[SAVED_BETAS_MOST], bool *known);

/* The inverse temperature of the first population: 0, or that of --load-spins. */
double parameters_beta_first(const parameters *p);

/* The inverse temperature in the name of a file of --save-spins, "..._beta_0.5.npy". Returns false if it has none. */
bool saved_name_beta(const char *name, double *beta);

/* The grid of the multi-histogram analysis; and the advice against steps that are too large. */
beta_grid parameters_grid(const parameters *p);
steps_advice parameters_advice(const parameters *p);

/* Creates the couplings: from the file p->couplings, whose fingerprint is stored in *p, or sample
 * p->sample of seed p->disorder (engine/disorder.h). Returns c, which the caller destroys; or NULL
 * for a model without couplings. *status is STATUS_REFUSED after a message on stderr: for an
 * invalid file, for couplings other than those of the checkpoint p->resume, and without memory. */
const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status);

#endif
