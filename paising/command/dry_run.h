/* --dry-run: the needs of a simulation, which is not started. */
#ifndef PAISING_DRY_RUN_H
#define PAISING_DRY_RUN_H

#include "base/message.h"
#include "model/couplings.h"
#include "settings/parameters.h"

/* Prints parameters, device, memory needed and available, number of temperatures and spin flips,
 * and expected time on stdout. The time on a CPU follows from a tenth of a second of sweeps, on a
 * GPU from tables in the folder `baselines`. With p->like everything is for the GPU of that table,
 * present or not. Writes no files. Returns STATUS_OK, or STATUS_REFUSED after a message on stderr
 * if the simulation does not fit or the device is not available. */
exit_status dry_run(const parameters *p, const couplings *sample, const char *baselines);

/* The folder of baselines, relative to the program: perf/baselines of the source in which it was
 * built, or share/paising/baselines if the program is installed in a folder bin. Returns path,
 * empty if there is none. */
#define BASELINES_PATH_SIZE 4200
const char *dry_run_baselines(char path[BASELINES_PATH_SIZE]);

#endif
