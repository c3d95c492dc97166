/* Population annealing (Sec. 2.1): the loop over the temperatures of one run. */
#ifndef PAISING_ANNEALING_H
#define PAISING_ANNEALING_H

#include "base/message.h"
#include "base/section_file.h"
#include "engine/engine.h"
#include "estimate/observables.h"
#include "estimate/reweighting.h"
#include "progress.h"
#include "resample/schedule.h"

/* The rows of one run, from beta_start on. */
typedef struct {
    observables *row; /* [count] */
    size_t count;
    size_t room;
} annealing_rows;

#define ANNEALING_FAILURE_SIZE 300

/* The run at hand, between two temperature steps, and what it shares with the others of a
 * simulation. With the population that the engine holds this is all that a run depends on. */
typedef struct {
    const parameters *given;
    engine *worker;
    beta_schedule schedule;
    double spin_flips; /* attempted so far, in all runs */
    uint32_t run;
    size_t temperature;           /* the number of that of the population at hand */
    histogram report;             /* of that population */
    free_energy_path free_energy; /* at that temperature */
    annealing_rows rows;          /* of the temperatures before it */
    reweighting
        histograms;   /* those of the temperatures before, for the multi-histogram analysis (-m) */
    uint64_t *copies; /* [levels] tau-hat of the step at hand */
    double died_at;   /* the inverse temperature at which the run died out; 0: it did not */
    progress_line progress;
    char failure[ANNEALING_FAILURE_SIZE]; /* what ended it; empty: nothing did */
} annealing;

/* When runs pause, beside at a signal. */
typedef struct {
    checkpoint_interval every; /* 0, 0: never */
    double last;               /* time of the last pause, of clock.h */
    uint32_t steps;            /* temperature steps since */
} annealing_pauses;

/* Prepares the runs of an engine. Returns STATUS_OK, or after a line on stderr STATUS_REFUSED. */
exit_status annealing_create(annealing *a, const parameters *p, engine *e);
void annealing_destroy(annealing *a);

/* Ends the simulation: says why on stderr, and keeps that for the headers of what is finished by then.
 * Returns STATUS_FAILED. */
exit_status annealing_fail(annealing *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, because the run at hand has died out. */
exit_status annealing_fail_extinct(annealing *a);

/* Begins run number `run`: draws its first population. Returns STATUS_OK, or STATUS_FAILED after
 * annealing_fail. */
exit_status annealing_begin(annealing *a, uint32_t run);

/* Goes on with the run at hand, to its end or to a pause, when the next checkpoint is due or a
 * signal has come; not at the very end, when all that is left is to write the results. Then nothing
 * is in flight, and the same call goes on. Between two pauses for checkpoints lies a step at least.
 * A run whose population dies out ends there, with a->died_at set: a result, as long as it is not the run
 * that decides the temperatures (-a). Returns STATUS_OK, or STATUS_FAILED after annealing_fail: the rows
 * are in each case those of all temperatures that were reached. */
exit_status annealing_run(annealing *a, annealing_pauses *pauses, bool *paused);

/* Adds the row of the temperature at hand, if it is not below beta_start: to be called when a paused
 * run is to end there. Returns STATUS_OK, or STATUS_FAILED after annealing_fail. */
exit_status annealing_add_row(annealing *a);

/* Write or read, between two steps, which run it is and how far it has come, and its rows so far: each
 * after what stands before it in the struct. Return false when something failed (section_file.h). */
bool annealing_transfer_position(section_file *f, annealing *a);
bool annealing_transfer_rows(section_file *f, annealing *a);

#endif
