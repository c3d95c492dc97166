/* When a method of steps pauses between two of them: for its checkpoints, and at the time limit; and in a long step. Times are those
 * of clock.h. */
#ifndef PAISING_STEP_PAUSES_H
#define PAISING_STEP_PAUSES_H

#include "settings/parameters.h"

typedef struct {
    double seconds;   /* for writing checkpoints */
    double saved_at;  /* when the last one was written; at first, when the steps began */
    uint32_t step;    /* behind how many steps */
    uint32_t written; /* checkpoints */
    bool failed;      /* the last attempt to write one */
} checkpoint_times;

/* Whether a checkpoint is due behind so many steps. */
bool checkpoint_is_due(const checkpoint_times *t, const parameters *p, uint32_t steps);

/* Records the attempt to write one behind so many steps: when it began, and its status. */
void checkpoint_note(checkpoint_times *t, double begun, uint32_t steps, exit_status status);

/* Whether a simulation lacks the checkpoint that it should leave; interrupted: a signal has ended it. */
bool checkpoint_is_missing(const checkpoint_times *t, bool interrupted);

/* Takes the time limit of a simulation that began at `start` for a signal, if another step of so many seconds would end
 * behind it. */
void time_limit_keep(const parameters *p, double start, double step_seconds);

/* Of steps that take this long, each can be given up: the spins before it are kept, which costs a copy. */
#define LONG_STEP_SECONDS 0.25

/* Begins a step that is expected to take so many seconds; INFINITY: nobody knows. Returns engine_step.stop: NULL if the step is short,
 * or `heeded` is false. `leave`, with what was returned, comes behind the step. */
const int *long_step_enter(bool heeded, double seconds);
void long_step_leave(const int *stop);

#endif
