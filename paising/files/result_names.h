/* Which files make up a result, by their names. */
#ifndef PAISING_RESULT_NAMES_H
#define PAISING_RESULT_NAMES_H

#include "settings/parameters.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#define WEIGHTED_FILE         "PA_results_weighted.dat"
#define COUPLINGS_FILE        "PA_couplings.dat"
#define SCHEDULE_FILE         "PA_schedule.dat"
#define DISORDER_FILE         "PA_disorder_averages.dat"
#define OVERLAP_FILE          "PA_overlap_weighted.dat" /* averages of the histograms over runs */
#define SAMPLES_FILE          "PA_samples.dat"
#define DISORDER_OVERLAP_FILE "PA_disorder_overlap.dat"
#define REWEIGHTED_FILE       "PA_MHR_results_weighted.dat" /* averages of the multi-histogram analyses */

#define GROUND_FILE         "PA_ground_states.dat" /* of --ground-states */
#define GROUND_SAMPLES_FILE "PA_ground_samples.dat"

#define SERIES_ROWS_FILE "MC_results.dat" /* of methods of fixed temperatures */
#define SERIES_FILE      "MC_series.dat"
#define EXCHANGES_FILE   "MC_exchanges.dat"
#define VECTORS_FILE     "MC_vectors.dat"

#define ENERGIES_FILE      "MC_energies.dat" /* of canonical simulation */
#define SERIES_ROWS_PREFIX "MC_results_run_" /* of one of several runs K: MC_results_run_K.dat */
#define SERIES_PREFIX      "MC_series_run_"

#define FREE_ENERGIES_FILE      "MC_free_energy.dat" /* of tempering */
#define EQUILIBRATION_FILE      "MC_equilibration.dat"
#define EQUAL_SCHEDULE_FILE     "MC_schedule_acceptance.dat"
#define FLOW_SCHEDULE_FILE      "MC_schedule_round_trips.dat"
#define OVERLAP_ROWS_FILE       "MC_overlap_results.dat"
#define OVERLAP_HISTOGRAMS_FILE "MC_overlap.dat"
#define CLUSTERS_FILE           "MC_clusters.dat"
#define MC_REWEIGHTED_FILE      "MC_MHR_results.dat"
#define SERIES_DISORDER_FILE    "MC_disorder_averages.dat"
#define SERIES_SAMPLES_FILE     "MC_samples.dat"
#define SERIES_OVERLAP_FILE     "MC_disorder_overlap.dat"
#define CEILING_ROWS_FILE       "MA_results.dat" /* of microcanonical annealing */
#define ENTROPY_FILE            "MA_entropy.dat"
#define CEILINGS_FILE           "MA_ceilings.dat"
#define DENSITY_FILE            "FH_density.dat" /* of flat-histogram methods */
#define AVERAGES_FILE           "FH_results.dat"
#define ITERATIONS_FILE         "FH_iterations.dat"
#define TRANSITION_FILE         "FH_transition.dat"
#define WINDOW_EXCHANGES_FILE   "FH_exchanges.dat"
#define WALKERS_FILE            "FH_series.dat"
#define WALKERS_SPINS_FILE      "FH_spins.npy" /* an array */

/* Whether a name is one of a result: run.json, a data file, an archive or an array; and whether it is that of a data file,
 * one of those above or of a run K: PA_results_run_K.dat, PA_MHR_results_run_K.dat, PA_overlap_run_K.dat,
 * PA_ground_state_run_K.dat, MC_results_run_K.dat, MC_series_run_K.dat. */
bool result_name_is(const char *name);
bool result_name_is_data(const char *name);

/* Whether a name is that of an array (base/npy.h): FH_spins.npy, or of a saved population PA_spins_run_K_beta_B.npy, and `energies` or
 * `families` in place of `spins`; B is the inverse temperature. */
bool result_name_is_array(const char *name);

/* The longest name of a file of a result. */
#define RESULT_NAME_MOST sizeof "PA_families_run_4294967295_beta_0.30000000000000004e-300.npy"

/* Whether a name is that of the archive of a data file (--format npz), PA_results_run_K.npz; and that name, of the
 * name of the data file. Returns archive. */
bool result_name_is_archive(const char *name);
const char *result_name_of_archive(char archive[RESULT_NAME_MOST], const char *text);

/* The name of such an array of run `run`. Returns text. */
const char *result_name_of_array(char text[RESULT_NAME_MOST], const char *array, uint32_t run,
                                 double beta);

/* The default name of the folder of a result, to be freed; NULL without memory: the one that the published program gives it,
 * followed by each other setting that decides the data and is not as without its option. */
char *result_name_of_folder(const parameters *p);

/* The name of the folder for a sample of the disorder in that of all: sample_0017. Returns text. */
#define SAMPLE_NAME_SIZE 20
const char *result_name_of_sample(char text[SAMPLE_NAME_SIZE], uint32_t sample);

/* The next file of a folder with such a name; NULL after the last, or with an errno that is not 0 where the folder cannot
 * be read on. */
const char *result_name_next(DIR *dir);

#endif
