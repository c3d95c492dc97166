/* The first population of a run, from files (--load-spins). */
#ifndef PAISING_SPIN_LOADER_H
#define PAISING_SPIN_LOADER_H

#include "base/message.h"
#include "engine/engine.h"
#include "settings/parameters.h"

/* Gives an engine the population of p->load_spins and measures it into *report. A family keeps its
 * members, and gets the number of the first of them; without a file of families each replica is a family.
 * Returns STATUS_OK; STATUS_REFUSED after a message on stderr for files that do not fit the model, the
 * couplings or -R; or STATUS_FAILED if the engine failed. */
exit_status spin_loader_load(const parameters *p, engine *e, histogram *report);

#endif
