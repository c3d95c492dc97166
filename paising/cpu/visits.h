/* Local updates of a lattice in single-spin coding in other orders of sites than the checkerboard (engine/visits.h). */
#ifndef PAISING_CPU_VISITS_H
#define PAISING_CPU_VISITS_H

#include "ssc_lattice.h"

/* Makes all updates of a step of a replica, whose number is that for streams. Tiles are divided among so many threads; bits do not
 * depend on their number. Pre: all bonds are there, J = 1; plan->order is not VISIT_CHECKERBOARD. reference/plain_visits.c has the
 * same bits. */
void visits_update(const ssc_lattice *lattice, int8_t *spin, const visit_plan *plan,
                   const engine_step *step, const flip_rule *rule, uint32_t replica,
                   uint32_t threads);

#endif
