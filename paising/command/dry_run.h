/* --dry-run: what a simulation would take, without beginning it. */
#ifndef PAISING_DRY_RUN_H
#define PAISING_DRY_RUN_H

#include "base/message.h"
#include "model/couplings.h"
#include "settings/parameters.h"

/* Prints on stdout the parameters, the device, memory needed and available, the number of
 * temperatures and spin flips, and the expected time: of a CPU by a tenth of a second of sweeps, of a GPU if a table
 * of the folder `baselines` tells how fast it is; all for the GPU of the table p->like, if that is set, whether it is here or not.
 * Nothing is written. Returns STATUS_OK, or STATUS_REFUSED after a line on
 * stderr: the simulation does not fit, or the device is not there. */
exit_status dry_run(const parameters *p, const couplings *sample, const char *baselines);

/* The folder of baselines beside the folder of the program: perf/baselines of the source that it was
 * built in, or share/paising/baselines where it is installed in a folder bin. Returns path, which is
 * empty if that is not known. */
#define BASELINES_PATH_SIZE 4200
const char *dry_run_baselines(char path[BASELINES_PATH_SIZE]);

#endif
