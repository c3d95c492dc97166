/* Samples of the disorder: one simulation each, several side by side, and averages over them. */
#ifndef PAISING_SAMPLES_H
#define PAISING_SAMPLES_H

#include "base/message.h"
#include "settings/parameters.h"

/* Makes samples p->sample .. p->sample + p->samples - 1. Each has a folder in that of the whole
 * result; the folder appears when the sample is finished. It has the bytes of a simulation of that
 * sample alone. Samples that exist already are kept. Then writes the averages over all, from these
 * files, and prints where the results are on stdout. *number becomes the signal that ended it
 * early, or 0. Returns STATUS_OK; or STATUS_REFUSED or STATUS_FAILED after a message on stderr:
 * some samples are missing. */
exit_status samples_make(parameters *p, int *number);

#endif
