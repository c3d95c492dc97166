/* A simulation: M runs of population annealing, what follows from them, and their files. */
#ifndef PAISING_SIMULATION_H
#define PAISING_SIMULATION_H

#include "base/message.h"
#include "simulation_state.h"

/* Prepares what the parameters ask for on the engines, of which there are as many as runs in flight, and
 * takes it up from the checkpoint p->resume if there is one. t_run counts from `start`. Returns STATUS_OK;
 * after a line on stderr STATUS_REFUSED (not enough memory to begin, or the checkpoint cannot be used) or
 * STATUS_FAILED (an engine). */
exit_status simulation_begin(simulation *s, const parameters *p, engine *const worker[],
                             size_t engines, double start);
void simulation_end(simulation *s);

/* Makes the runs, with checkpoints in between. A signal (signals.h) ends it early, with a checkpoint if
 * there are to be any. A checkpoint that cannot be written does not end it: the one before stays. Returns
 * STATUS_OK or, after a line on stderr, STATUS_FAILED. What is finished by then is in *s in each case. */
exit_status simulation_run(simulation *s);

/* What else is to be done at each step, when all that the devices can work on is on its way to them. */
typedef struct {
    void (*work)(void *state);
    void *state;
} shadow_work;

/* The same for several simulations side by side: the steps of all are started before they are sent off, and all rows
 * made before one of them is finished; before that, too, `beside` is done, unless it is NULL. Each comes to the end that
 * it would come to alone; STATUS_FAILED if one of them fails. */
exit_status simulations_run(simulation s[], size_t count, const shadow_work *beside);

/* Lets the engine of a simulation that has run go on with something else: what its files say of the engine is that of
 * *kept from here on. Of simulations with one engine. */
void simulation_leave_engine(simulation *s, engine *kept);

/* STATUS_FAILED if there is no checkpoint to go on from where there should be one: the one at a signal
 * could not be written, or none at all. */
exit_status simulation_checkpoints(const simulation *s);

#endif
