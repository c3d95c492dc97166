/* The steps of an engine, one after the other, as a method makes them: submitted, and waited for when the host needs what
 * they report. Synchronous engines make a step when it is waited for. Functions that wait do nothing where there is nothing
 * to wait for. All calls for a stepper come from one thread. */
#ifndef PAISING_STEPPER_H
#define PAISING_STEPPER_H

#include "engine.h"
#include "rounds.h"

typedef struct {
    engine *engine;               /* not owned */
    histogram report;             /* of the population at hand */
    histogram *group;             /* [groups] those of its groups, where steps are of groups */
    size_t groups;                /* 0: of none */
    overlap_sums overlaps;        /* likewise, of a disordered model */
    overlap_sums *group_overlaps; /* [groups] of the last round that measured them */
    double submitted_at;          /* time of the last `submit` (clock.h) */

    /* stepper.c's own */
    engine_step step;         /* that is under way, of a synchronous engine */
    bool measures, in_groups; /* it does, it is */
    bool under_way, incomplete, overlaps_asked, overlaps_there;
    const round_plan *plan;     /* NULL: no rounds */
    engine_round round;         /* that is under way */
    bool engine_rounds;         /* the engine makes rounds by itself */
    bool totals;                /* the groups' reports are of a round of its */
    uint32_t *levels, *parents; /* [groups replicas] of an engine that does not */
    int64_t *energies; /* likewise, of fine energies; else NULL, as are `levels` of these */
} stepper;

/* Makes room for the reports of an engine. Returns 0, or -1 without memory. */
int stepper_create(stepper *s, engine *e);
void stepper_destroy(stepper *s);

/* Makes room for the reports of so many groups of at most so many replicas each, which every step has from now on; 0 groups:
 * none has. Returns 0, or -1 without memory. */
int stepper_divide(stepper *s, size_t groups, uint64_t replicas);

/* Draws a first population and waits for its whole report. */
engine_status stepper_randomise(stepper *s, stream_key key, uint64_t replicas);

/* Makes room for rounds; after `divide`. The plan stays as it is. Returns 0, or -1 without memory, or with engine.error set.
 * bytes: what that takes beside the engine. */
int stepper_plan_rounds(stepper *s, const round_plan *plan);
uint64_t stepper_round_bytes(const spin_model *model, size_t groups, uint64_t replicas,
                             bool overlaps);

/* Begins a round, and waits for it. Its reports are totals: in group[] `population`, the sums of all blocks added up, and
 * `replicas` of the levels; likewise in group_overlaps[]. Pointers stay valid in between. */
engine_status stepper_submit_round(stepper *s, const engine_round *round);
engine_status stepper_wait_round(stepper *s);

/* Waits for the energies in the reports of the last round, without which their levels and sums of energies mean nothing. The
 * next round may be under way. */
engine_status stepper_complete_round(stepper *s);

/* Begins a step, when none is under way: of the population as a whole, or of its groups. Its pointers stay valid until
 * `stepper_wait`. */
engine_status stepper_submit(stepper *s, const engine_step *step);

/* Says how the next step will be, less its tau-hat and line; it may be another one all the same. */
void stepper_hint(stepper *s, const engine_step *next);

/* Sends what was submitted to the device, for all engines of a launch batch together. */
void stepper_flush(stepper *s);

/* Whether steps and rounds can be given up (engine_step.stop). */
bool stepper_heeds_stop(const stepper *s);

/* Whether a step was submitted that nobody has waited for. */
bool stepper_is_under_way(const stepper *s);

/* Waits for the step: the report has the population and how many replicas each level has, which decides the next step. Those of
 * groups have all. After ENGINE_OK the population at hand is the new one. */
engine_status stepper_wait(stepper *s);

/* Waits for the rest of the report; and whether it is all there. */
engine_status stepper_wait_all(stepper *s);
bool stepper_has_all(const stepper *s);

/* Begins to report the overlaps of the population at hand, before the next step is submitted; and waits for them. */
engine_status stepper_submit_overlaps(stepper *s);
engine_status stepper_wait_overlaps(stepper *s);

/* Puts an engine into the launch batch of another one, if it can be there (async.h). */
void stepper_join_batch(engine *e, engine *other);

#endif
