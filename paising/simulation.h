/* A simulation: M runs of population annealing, what follows from them, and their files. */
#ifndef PAISING_SIMULATION_H
#define PAISING_SIMULATION_H

#include "engine.h"
#include "message.h"
#include "result_folder.h"
#include "trust.h"

/* Makes the runs that the parameters ask for on the engine and writes every file of the result into
 * the folder, which is then ready to be published. t_run (eq. 11) counts from `start`, a time of
 * clock.h. *t says how far the averages over the runs can be trusted. Returns STATUS_OK or, after a line on stderr,
 * STATUS_REFUSED (not enough memory to begin) or STATUS_FAILED. */
exit_status simulation_run(const parameters *p, engine *e, double start, result_folder *folder,
                           trust *t);

/* Host memory in bytes that the simulation needs beside its engine: histograms and rows. With
 * adaptive steps the number of rows is not known, and they are not counted. */
uint64_t simulation_bytes(const parameters *p);

/* What the multi-histogram analysis takes beside that while it is made, at most: if every level of
 * the energy is occupied, and matters at every temperature. 0 with adaptive steps, as above. */
uint64_t simulation_analysis_bytes(const parameters *p);

#endif
