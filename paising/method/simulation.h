/* A simulation: M runs of population annealing, their analysis, and their files. */
#ifndef PAISING_SIMULATION_H
#define PAISING_SIMULATION_H

#include "base/message.h"
#include "simulation_state.h"

/* Prepares a simulation on the engines, one per run in flight, and reads checkpoint p->resume if
 * there is one. t_run counts from `start`. Returns STATUS_OK; or after a message on stderr
 * STATUS_REFUSED (too little memory, or an unusable checkpoint) or STATUS_FAILED (an engine
 * failed). */
exit_status simulation_begin(simulation *s, const parameters *p, engine *const worker[],
                             size_t engines, double start);
void simulation_end(simulation *s);

/* Makes all runs, with checkpoints in between. A signal (signals.h) ends it early, after a
 * checkpoint if requested. If a checkpoint cannot be written, the previous one remains and the
 * simulation continues. Returns STATUS_OK, or STATUS_FAILED after a message on stderr. *s holds the
 * results so far in each case. */
exit_status simulation_run(simulation *s);

/* Host work to be done at each step while the devices work. */
typedef struct {
    void (*work)(void *state);
    void *state;
} meanwhile_work;

/* The same for several simulations side by side. The steps of all are started before they are
 * flushed. Then all rows of the steps before are made and `beside`, unless NULL, is called; then
 * the steps are finished. Each simulation gives the results that it would give alone. Returns
 * STATUS_FAILED if one of them fails. */
exit_status simulations_run(simulation s[], size_t count, const meanwhile_work *beside);

/* Releases the engine of a finished simulation with one engine for other work. *kept receives a copy
 * of the engine's description, which files then use; it must outlive the simulation. */
void simulation_leave_engine(simulation *s, engine *kept);

/* STATUS_FAILED if a requested checkpoint is missing: the last one, at a signal, could not be
 * written, or none could. */
exit_status simulation_checkpoints(const simulation *s);

#endif
