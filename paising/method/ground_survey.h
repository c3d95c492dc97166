/* The states of lowest energy of a run at its end (estimate/ground_states.h), from any engine. */
#ifndef PAISING_GROUND_SURVEY_H
#define PAISING_GROUND_SURVEY_H

#include "annealing.h"
#include "estimate/ground_states.h"

/* Finds them in the population of a run that has come to its last temperature. Returns ENGINE_OK, ENGINE_FAILED, or
 * ENGINE_OUTGROWN without memory. */
engine_status ground_survey(const annealing *a, ground_states *found);

#endif
