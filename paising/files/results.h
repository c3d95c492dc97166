/* The data files: a header of `#` lines (program, version, parameters, columns), then one row per
 * temperature. Identical simulations write identical data files: nothing in them depends on device,
 * machine or time (run_json.h). */
#ifndef PAISING_RESULTS_H
#define PAISING_RESULTS_H

#include "estimate/observables.h"
#include "estimate/overlap.h"
#include "estimate/run_weights.h"
#include "estimate/trust.h"
#include "resample/schedule.h"
#include "result_folder.h"

/* Begin a data file with the first lines of its header; the second is for run files,
 * PA_KIND_run_K.dat. Return the stream, or NULL after a message on stderr. */
FILE *results_begin(result_folder *folder, const char *name, const spin_model *model);
FILE *results_begin_run(result_folder *folder, const char *kind, const spin_model *model,
                        uint32_t run);

/* results_put_row writes numbers as a row, separated by a space as in the published program. The
 * buffer must have NUMBER_TEXT_SIZE characters per number (base/number.h). Returns the end of the
 * row. results_print_row prints the row to a file. */
#define RESULTS_MOST_COLUMNS 64 /* of results_print_row */
char *results_put_row(char *to, int precision, const double x[], size_t count);
void results_print_row(FILE *file, int precision, const double x[], size_t count);

/* Rows of a result, in the order of their temperatures. */
typedef struct {
    const spin_model *model;
    const observables *row;     /* [count] */
    const overlap_row *overlap; /* [count] of a disordered model; else not read */
    size_t count;
} result_rows;

/* Each function writes one file of the result.
 * Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */

/* PA_results_run_K.dat: run K, from 0. The ten columns of the published program in its order; then
 * errors, families, the number of blocks behind the errors, and the columns of the table
 * (estimate/columns.h). With a disordered model overlaps replace the magnetisation and add
 * columns. Where the random-number mode makes the errors of one run meaningless, they are written as
 * nan. remark: a line for the header, or empty. */
exit_status results_write_run(result_folder *folder, const parameters *p, uint32_t run,
                              const char *remark, const result_rows *rows);

/* PA_results_weighted.dat: the same columns, averaged over the runs (eqs. 6, 7). *r describes the
 * weights of the runs. For several runs a further column tells how many of them trust each row. */
exit_status results_write_weighted(result_folder *folder, const parameters *p,
                                   const weighted_average *runs, const run_weights *r,
                                   const result_rows *rows);

/* PA_MHR_results_run_K.dat: multi-histogram analysis (eq. 9) of run K; *t is the verdict about the
 * run. Uses beta, e, c, beta_f, abs_m, m2, m4, their errors, and blocks of the rows. */
exit_status results_write_reweighted(result_folder *folder, const parameters *p,
                                     const spin_model *model, uint32_t run, const trust_verdict *t,
                                     const observables rows[], size_t count);

/* PA_MHR_results_weighted.dat: the same columns, averaged over the analyses of `runs` runs. */
exit_status results_write_reweighted_average(result_folder *folder, const parameters *p,
                                             const spin_model *model, size_t runs,
                                             const trust_verdict *t, const observables rows[],
                                             size_t count);

/* PA_schedule.dat: the temperatures of a schedule from beta = 0 on, and the sweeps at each, with
 * all digits. --betas and --sweeps-file can read it. */
exit_status results_write_schedule(result_folder *folder, const parameters *p,
                                   const spin_model *model, const beta_schedule *betas);

/* PA_couplings.dat: the couplings of a disordered model. --couplings can read it. */
exit_status results_write_couplings(result_folder *folder, const parameters *p,
                                    const spin_model *model);

#endif
