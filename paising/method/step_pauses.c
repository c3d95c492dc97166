/* Checkpoints and the time limit between two steps, and steps that can be given up (step_pauses.h). */
#include "step_pauses.h"

#include "base/clock.h"
#include "base/signals.h"

bool checkpoint_is_due(const checkpoint_times *t, const parameters *p, uint32_t steps) {
    const checkpoint_interval every = p->checkpoint_every;
    return p->checkpoint != NULL &&
           (every.steps > 0 ? steps - t->step >= every.steps
                            : clock_seconds() - t->saved_at >= every.seconds);
}

void checkpoint_note(checkpoint_times *t, double begun, uint32_t steps, exit_status status) {
    t->failed = status != STATUS_OK;
    t->written += !t->failed;
    t->saved_at = clock_seconds();
    t->step = steps;
    t->seconds += t->saved_at - begun;
}

bool checkpoint_is_missing(const checkpoint_times *t, bool interrupted) {
    return t->failed && (interrupted || t->written == 0);
}

void time_limit_keep(const parameters *p, double start, double step_seconds) {
    const double limit = p->time_limit.seconds;
    if (limit > 0 && clock_seconds() + step_seconds > start + limit)
        signals_take(SIGNAL_OF_TIME_LIMIT);
}

const int *long_step_enter(bool heeded, double seconds) {
    if (!heeded || seconds < LONG_STEP_SECONDS)
        return NULL;
    signals_enter_step();
    return signals_stop();
}

void long_step_leave(const int *stop) {
    if (stop != NULL)
        signals_leave_step();
}
