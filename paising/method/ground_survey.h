/* Collects the states of lowest energy at the end of a run (estimate/ground_states.h), from any
 * engine. */
#ifndef PAISING_GROUND_SURVEY_H
#define PAISING_GROUND_SURVEY_H

#include "annealing.h"
#include "estimate/ground_states.h"

/* Collects them from a run at its last temperature. Returns ENGINE_OK, ENGINE_FAILED, or
 * ENGINE_OUTGROWN without memory. */
engine_status ground_survey(const annealing *a, ground_states *found);

#endif
