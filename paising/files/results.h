/* The data files: a header of `#` lines (program, version, parameters, columns), then a row for
 * each temperature. They hold what identical simulations must have in common, and nothing that
 * depends on the device, the machine or the time (run_json.h). */
#ifndef PAISING_RESULTS_H
#define PAISING_RESULTS_H

#include "estimate/equilibration.h"
#include "estimate/observables.h"
#include "estimate/run_weights.h"
#include "estimate/trust.h"
#include "resample/schedule.h"
#include "result_folder.h"

/* What data files have in common. Begins one with the first lines of its header; or that of a run, PA_KIND_run_K.dat.
 * Returns NULL after a line on stderr. */
FILE *results_begin(result_folder *folder, const char *name, const spin_model *model);
FILE *results_begin_run(result_folder *folder, const char *kind, const spin_model *model,
                        uint32_t run);

/* Puts numbers in a row, a space between them, as the published program writes them, to where there is room for
 * NUMBER_TEXT_SIZE characters each (base/number.h). Returns where the row ends; or prints it. */
#define RESULTS_MOST_COLUMNS 64 /* of a row that is printed */
char *results_put_row(char *to, int precision, const double x[], size_t count);
void results_print_row(FILE *file, int precision, const double x[], size_t count);

/* Each writes one file of the result from rows[count], in the order of their temperatures, and
 * returns STATUS_OK or, after a line on stderr, STATUS_FAILED. */

/* PA_results_run_K.dat: run K, from 0. The ten columns of the published program, in its order, then
 * errors, families, and how many blocks the errors come from. Of a disordered model, overlaps[count] take the
 * place of the magnetisation, and add columns of their own; of others they are not read. Where the random-number mode makes the errors of one run meaningless, they
 * are written as nan whatever the rows say. remark: a line for the header; empty: none. */
exit_status results_write_run(result_folder *folder, const parameters *p, const spin_model *model,
                              uint32_t run, const char *remark, const observables rows[],
                              const overlap_row overlaps[], size_t count);

/* PA_results_weighted.dat: the same columns, averaged over the runs (eqs. 6, 7), which carry the average
 * as r says; behind them, of several runs, how many trust each row. */
exit_status results_write_weighted(result_folder *folder, const parameters *p,
                                   const spin_model *model, const weighted_average *runs,
                                   const run_weights *r, const observables rows[],
                                   const overlap_row overlaps[], size_t count);

/* PA_MHR_results_run_K.dat: multi-histogram analysis (eq. 9) of run K, which is as trustworthy as t
 * says. Of the rows it takes beta, e, c, beta_f, abs_m, m2, m4, their errors and blocks. */
exit_status results_write_reweighted(result_folder *folder, const parameters *p,
                                     const spin_model *model, uint32_t run, const trust_verdict *t,
                                     const observables rows[], size_t count);

/* PA_MHR_results_weighted.dat: the same columns, averaged over the analyses of `runs` runs. */
exit_status results_write_reweighted_average(result_folder *folder, const parameters *p,
                                             const spin_model *model, size_t runs,
                                             const trust_verdict *t, const observables rows[],
                                             size_t count);

/* PA_schedule.dat: the temperatures of a schedule, from beta = 0 on, and the sweeps at each, with all digits, as --betas
 * and --sweeps-file take them. */
exit_status results_write_schedule(result_folder *folder, const parameters *p,
                                   const spin_model *model, const beta_schedule *betas);

/* PA_couplings.dat: the couplings of a disordered model, as --couplings takes them. */
exit_status results_write_couplings(result_folder *folder, const parameters *p,
                                    const spin_model *model);

#endif
