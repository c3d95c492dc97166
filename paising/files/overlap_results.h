/* The data files of each run that only disordered models have. */
#ifndef PAISING_OVERLAP_RESULTS_H
#define PAISING_OVERLAP_RESULTS_H

#include "estimate/ground_states.h"
#include "estimate/overlap_record.h"
#include "overlap_text.h"
#include "result_folder.h"

/* Each function writes one file of the result. Returns STATUS_OK, or STATUS_FAILED after a message
 * on stderr. */

/* PA_overlap_run_K.dat: P(q) and P(q_l) at each temperature, from rows[overlaps->count]. `text`
 * contains the first of them as text, or is NULL. */
exit_status results_write_overlaps(result_folder *folder, const parameters *p,
                                   const spin_model *model, uint32_t run, const observables rows[],
                                   const overlap_record *overlaps, const overlap_text *text);

/* PA_overlap_weighted.dat: the same, averaged over several runs, at the temperatures of rows[]. */
exit_status results_write_overlap_average(result_folder *folder, const parameters *p,
                                          const spin_model *model, const weighted_average *runs,
                                          const observables rows[], const overlap_record *overlaps);

/* For files of this form: the lines of the header that explain it, and the two histograms of a
 * temperature, of number `number` from 0. share, error: where these two columns come from. of: as
 * overlap_text.h says. The second returns STATUS_FAILED, after a message on stderr, without memory. */
void results_print_overlap_columns(FILE *file, const spin_model *model, const char *share,
                                   const char *error);
exit_status results_print_overlap_row(FILE *file, const parameters *p, const spin_model *model,
                                      size_t number, double beta, double pairs, const char *of,
                                      const overlap_share bin[]);

/* The same for temperatures first .. count - 1, whose texts are made by make_text(of, n), called by several threads. */
exit_status results_print_overlap_rows(FILE *file, size_t first, size_t count,
                                       row_text make_text(const void *of, size_t n),
                                       const void *of);

/* PA_ground_state_run_K.dat: a summary of the states of lowest energy, and one of them. remark: a line for the header, or empty. */
exit_status results_write_ground_states(result_folder *folder, const parameters *p,
                                        const spin_model *model, uint32_t run, const char *remark,
                                        const ground_states *g);

#endif
