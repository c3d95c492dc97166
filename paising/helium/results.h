/* The files of a result: e.dat, kinetic.dat, acceptance.dat, radial.dat, structure.dat, finalconfig.dat, summary.dat, run.json. */
#ifndef PAISING_HELIUM_RESULTS_H
#define PAISING_HELIUM_RESULTS_H

#include "base/lock_file.h"
#include "record.h"

/* Makes the folder if need be and locks it. Returns STATUS_OK; or after a message STATUS_REFUSED: a result is there, or
 * another process is at work in the folder. */
exit_status helium_results_open(lock_file *lock, const helium_request *r);

/* Writes all files; run.json, with the run time in seconds, comes last. Returns STATUS_OK or, after a message,
 * STATUS_FAILED. */
exit_status helium_results_write(const helium_record *record, const helium_request *r,
                                 const helium_system *s, double seconds);

#endif
