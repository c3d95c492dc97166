/* Runs in flight: annealings, each with an engine of its own, that go from temperature to temperature side by side. The steps of
 * all are submitted; the host makes the rows of one run after the other while the devices work; then it waits for the steps. One
 * population uses what another leaves idle of a device. Each run gives what it would give alone. */
#ifndef PAISING_BATCH_H
#define PAISING_BATCH_H

#include "annealing.h"
#include "progress.h"

/* How far it is. */
typedef enum {
    BATCH_UNDER_WAY, /* a step is in flight, or one may be started */
    BATCH_PAUSED,    /* nothing is in flight, and the next start goes on */
    BATCH_ENDED
} batch_state;

typedef struct {
    beta_schedule schedule; /* of every member; the first of all runs decides it (-a) */
    annealing *member;      /* [room] of which [count] are in flight, or have ended on the way */
    size_t room, count;
    batch_state state;
    annealing *leader;    /* of the step in flight: who decides its temperature, */
    schedule_status next; /* what that is, */
    size_t sound;         /* and how many members had not failed before it */
    double spin_flips;    /* attempted so far, by all members there ever were */
    double step_seconds;  /* in which one step was in flight at least */
    progress_line progress;
} batch;

/* When a batch pauses, beside at a signal. */
typedef struct {
    checkpoint_interval every; /* 0, 0: never */
    double last;               /* time of the last pause, of clock.h */
    uint32_t steps;            /* temperature steps since */
    double limit;              /* time at which it must have ended; 0: none */
    double saving, longest;    /* seconds of the last checkpoint, and of the longest step */
    double stepped;            /* time of the last pause or end of a step */
    bool nothing_follows;      /* on this batch: it does not pause at its very end */
} batch_pauses;

/* Prepares a batch without members for `engines` engines. Returns STATUS_OK, or after a line on stderr
 * STATUS_REFUSED. */
exit_status batch_create(batch *b, const parameters *p, engine *const worker[], size_t engines);
void batch_destroy(batch *b);

/* Takes the members out, to begin with others. */
void batch_clear(batch *b);

/* Takes up a member, for which there must be an engine: it begins run number `run`. Returns whether another
 * may follow: not behind one that failed. */
bool batch_add(batch *b, uint32_t run);

/* Begins the step of the members to the next temperature, or pauses, when the next checkpoint is due or a signal has come; not at
 * the very end, when all that is left is to write the results. Between two pauses for checkpoints lies a step at least.
 * b->state says what it did. */
void batch_submit(batch *b, const batch_pauses *pauses);

/* Sends to the devices what was submitted, for all batches whose engines share a launch batch (engine/async.h). */
void batch_flush(batch *b);

/* While the devices work: makes the rows of the temperature that the step leads from, and adds their overlaps. */
void batch_take_reports(batch *b);
void batch_add_overlaps(batch *b);

/* Makes texts of histograms for so many seconds, the last one to its end; those that are left are made when files are written.
 * Returns the seconds that are left. */
double batch_make_texts(batch *b, double seconds);

/* Waits for the step. Where it was given up, the batch pauses before it. A member that dies out leaves its place idle. One that fails (annealing.failure) is the last from then on:
 * those behind it are given up, those before it go on, as if one run were made after the other. */
void batch_wait(batch *b, batch_pauses *pauses);

/* Whether another step and a checkpoint would not fit before the limit. A step may take half as long again as the longest so far. */
bool batch_time_is_up(const batch_pauses *pauses);

/* All of them, to the end of the members or to a pause. */
void batch_run(batch *b, batch_pauses *pauses, bool *paused);

/* The member that failed; NULL: none did. */
annealing *batch_failed(const batch *b);

/* How many members have not failed. */
size_t batch_sound(const batch *b);

/* The first member that goes on; NULL: none does. */
annealing *batch_leader(const batch *b);

/* Adds the row of the temperature at hand of every member that goes on: to be called when a paused batch is
 * to end there. */
void batch_add_rows(batch *b);

#endif
