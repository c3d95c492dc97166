/* The files of a result: e.dat, kinetic.dat, acceptance.dat, radial.dat, structure.dat, finalconfig.dat, summary.dat, run.json. */
#ifndef PAISING_HELIUM_RESULTS_H
#define PAISING_HELIUM_RESULTS_H

#include "record.h"

/* Their names, run.json last; then NULL. */
extern const char *const helium_result_files[];

/* Whether the result in r->output was made with the options of r that decide the data. */
bool helium_results_are_of(const helium_request *r);

/* Writes all files, then publishes them; run.json, with the run time in seconds, comes last. An older result, with --force, stays whole
 * until all new files are on disk. Returns STATUS_OK or, after a message, STATUS_FAILED. */
exit_status helium_results_write(const helium_record *record, const helium_request *r,
                                 const helium_system *s, double seconds);

#endif
