/* Verbs of engines that work while the host does something else. stepper.c alone calls them. A
 * method goes on like this, with what may be missing in brackets:
 *
 *   [submit_overlaps of population n] -> submit step n + 1 -> [flush] -> wait_all report n -> [hint of step n + 2] ->
 *   [wait_overlaps] -> wait for the counts of report n + 1 -> ...
 *
 * All calls for an engine, and for those that share its launch batch, come from one thread. */
#ifndef PAISING_ASYNC_H
#define PAISING_ASYNC_H

#include "engine.h"
#include "rounds.h"

struct engine_async_verbs {
    /* Begins a step, and may return before anything of it is done. What the step points to stays as it is until `wait`. */
    engine_status (*submit)(engine *self, const engine_step *step);

    /* Says how the next step will be, less its tau-hat and line, as soon as that is known. Never changes a result: a hint
     * that is missing or wrong costs time only. A hint of temperature 0 says the width of the step behind `randomise`. NULL:
     * the engine has no use for one. */
    void (*hint)(engine *self, const engine_step *next);

    /* Launches what was submitted to the engine's launch batch. NULL: `submit` has. */
    void (*flush)(engine *self);

    /* Waits for the step. Of a report only what decides the next step need be there: the population, and how many replicas each
     * level has, or the weights for that step (engine_step.next_width). */
    engine_status (*wait)(engine *self, histogram *out);

    /* Waits for the rest of the report, also when the next step was submitted since. `out` may have been widened. NULL: `wait`
     * brings it all. */
    engine_status (*wait_all)(engine *self, histogram *out);

    /* Begins to report the overlaps of the population at hand, before the next step is submitted; waits for them, before the step
     * after that. NULL: `overlaps` of engine_verbs is used. */
    engine_status (*submit_overlaps)(engine *self, overlap_sums *out);
    engine_status (*wait_overlaps)(engine *self);

    /* Puts the engine into the launch batch of another one of the same device and thread, made alike but for the couplings: one
     * launch serves all of the batch. An engine that cannot goes alone. NULL: there are no batches. */
    void (*join_batch)(engine *self, engine *other);

    /* Takes what all rounds have in common; *can: whether the engine makes them by itself. NULL: none does. */
    engine_status (*plan_rounds)(engine *self, const round_plan *plan, bool *can);

    /* Begins a round; waits for it. The reports are totals (stepper.h): out[groups], and overlaps[groups] where the round measures
     * them, which are cleared before the first round. */
    engine_status (*submit_round)(engine *self, const engine_round *round);
    engine_status (*wait_round)(engine *self, histogram out[], overlap_sums overlaps[]);

    /* Adds the energies of the round that was waited for to its reports, also when the next round was submitted since. NULL:
     * `wait_round` brings them. */
    engine_status (*complete_round)(engine *self, histogram out[]);
};

#endif
