/* Searches of the lowest energy of several samples of the disorder (--ground-states --samples). */
#ifndef PAISING_GROUND_SAMPLES_H
#define PAISING_GROUND_SAMPLES_H

#include "base/message.h"
#include "settings/parameters.h"

/* Searches samples p->sample .. p->sample + p->samples - 1, one after the other. Each has a folder in that of the whole result, with
 * the files of a search of that sample alone; samples that are there, whole, are kept. Then writes a row for each and the mean of
 * their lowest energies. *number becomes the signal that ended it early, or 0. Returns STATUS_OK; or STATUS_REFUSED or STATUS_FAILED
 * after a message on stderr: some samples are missing. */
exit_status ground_samples_make(const parameters *p, int *number);

#endif
