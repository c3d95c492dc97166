/* Samples of the disorder: a simulation for each, several of them side by side, and averages over them. */
#ifndef PAISING_SAMPLES_H
#define PAISING_SAMPLES_H

#include "base/message.h"
#include "settings/parameters.h"

/* Makes the p->samples samples from number p->sample on. Each has a folder in that of the result, which gets there
 * when it is finished, with the bytes of a simulation of that sample alone; those that are there already stay. Then
 * the averages over all, from these files. Says on stdout where they are. *number becomes the signal that ended it
 * early, 0 without one. Returns STATUS_OK; after a line on stderr STATUS_REFUSED, or STATUS_FAILED: some are
 * missing. */
exit_status samples_make(parameters *p, int *number);

#endif
