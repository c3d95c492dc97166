/* Population annealing (Sec. 2.1): a run, and its step from one temperature to the next. */
#ifndef PAISING_ANNEALING_H
#define PAISING_ANNEALING_H

#include "base/message.h"
#include "base/section_file.h"
#include "engine/engine.h"
#include "estimate/observables.h"
#include "estimate/overlap_record.h"
#include "estimate/reweighting.h"
#include "files/overlap_text.h"
#include "resample/schedule.h"
#include "settings/parameters.h"

/* The rows of one run, from beta_start on. */
typedef struct {
    observables *row; /* [count] */
    size_t count;
    size_t room;
} annealing_rows;

#define ANNEALING_FAILURE_SIZE 300

/* What a step finds of the weights of the population before it. */
typedef struct {
    double ln_q, overlap;
} step_weights;

/* A run with its engine, between two temperature steps. With the population that the engine holds this is
 * all that a run depends on. */
typedef struct {
    const parameters *given;
    engine *worker;
    const beta_schedule *schedule; /* which it may share with others */
    uint32_t run;
    size_t temperature;           /* the number of that of the population at hand */
    histogram report;             /* of that population */
    free_energy_path free_energy; /* at that temperature */
    annealing_rows rows;          /* of the temperatures before it */
    overlap_sums pairs;           /* of that population, of a disordered model, */
    bool paired;                  /* if they were asked for, */
    bool awaited;                 /* and are known */
    overlap_record overlaps;      /* of the rows, */
    overlap_text text;            /* and their histograms as text, which are not saved */
    reweighting
        histograms;    /* those of the temperatures before, for the multi-histogram analysis (-m) */
    uint64_t *tau_hat; /* [levels] tau-hat of the step at hand */
    flip_rule
        rule; /* of the next step: at this inverse temperature, made while the engine works where */
    double rule_beta;           /* that is known; negative: there is none */
    step_weights behind, ahead; /* of the step that led here, and of the one that leads on */
    bool arrived;               /* the step that led here has not entered the free energy */
    bool partial;               /* the report is not complete (engine_complete) */
    bool in_flight;             /* a step was started and is to be finished, */
    double started;             /* at this time of clock.h */
    double died_at; /* the inverse temperature at which the run died out; 0: it did not */
    char failure[ANNEALING_FAILURE_SIZE]; /* what ended it; empty: nothing did */
} annealing;

/* Prepares the runs of an engine, at the temperatures of a schedule. Returns STATUS_OK, or after a line on
 * stderr STATUS_REFUSED. */
exit_status annealing_create(annealing *a, const parameters *p, const beta_schedule *betas,
                             engine *e);
void annealing_destroy(annealing *a);

/* Notes what ends the run, unless something has ended it before. */
void annealing_fail(annealing *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, because the run has died out. */
void annealing_fail_extinct(annealing *a);

/* Whether the run goes on: it has neither died out, which is a result as long as it is not the run that
 * decides the schedule (-a), nor failed. After any of the functions below it may not. */
bool annealing_stands(const annealing *a);

/* Whether the model is disordered, so that there are overlaps. */
bool annealing_has_overlaps(const annealing *a);

/* Begins run number `run`: draws its first population. */
void annealing_begin(annealing *a, uint32_t run);

/* Starts the step to the next temperature, which is known; before that, overlaps are asked for. */
void annealing_start(annealing *a);

/* Asks for the overlaps of the population at hand, if there is to be a row of it: as `start` does, if there is no next
 * step. */
void annealing_pair(annealing *a);

/* Has the report of the temperature at hand completed, where more of it is needed than the next step does. */
void annealing_complete(annealing *a);

/* Between start and finish, while the engine works: the weights of the step that was started, the free
 * energy at the temperature at hand, which must be known where the run pauses, ... */
void annealing_follow(annealing *a);

/* ... the row of this temperature, if it is not below beta_start, and not there already, ... */
void annealing_add_row(annealing *a);

/* ... and its overlaps, for which this waits: behind what can be done without them. */
void annealing_add_overlaps(annealing *a);

/* Waits for the end of the step that was started, if one was: the run is at the next temperature then. */
void annealing_finish(annealing *a);

/* Write or read, between two steps, how far a run has come, which knows its number, and its rows so far:
 * each after what stands before it in the struct. Return false when something failed (section_file.h). */
bool annealing_transfer_position(section_file *f, annealing *a);
bool annealing_transfer_rows(section_file *f, annealing *a);

#endif
