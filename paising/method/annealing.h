/* Population annealing (Sec. 2.1): a run, and its step from one temperature to the next. */
#ifndef PAISING_ANNEALING_H
#define PAISING_ANNEALING_H

#include "base/message.h"
#include "base/section_file.h"
#include "engine/stepper.h"
#include "estimate/observables.h"
#include "estimate/overlap_record.h"
#include "estimate/reweighting.h"
#include "files/overlap_text.h"
#include "resample/schedule.h"
#include "settings/parameters.h"
#include "spin_saver.h"

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
    stepper steps; /* of its engine, with the report and the overlaps of the population at hand */
    const beta_schedule *schedule; /* which it may share with others */
    uint32_t run;
    size_t temperature;           /* the number of that of the population at hand */
    free_energy_path free_energy; /* at that temperature */
    annealing_rows rows;          /* of the temperatures before it */
    overlap_record overlaps;      /* of the rows, */
    overlap_text text;            /* and their histograms as text, which are not saved */
    /* those of the temperatures before, for the multi-histogram analysis (-m) */
    reweighting histograms;
    uint64_t *tau_hat;      /* [levels] tau-hat of the step at hand, */
    expected_copies copies; /* or by what the engine makes it */
    /* of the next step, made while the engine works where its temperature is known */
    flip_rule rule;
    double rule_beta;           /* its inverse temperature; negative: there is none */
    step_weights behind, ahead; /* of the step that led here, and of the one that leads on */
    size_t accounted;           /* the last temperature whose step has entered the free energy */
    spin_copies saved;          /* of --save-spins */
    uint64_t founders;          /* replicas that the run began with */
    const int *stop;            /* engine_step.stop of the next step */
    bool stopped;               /* the last step was given up: the run is where it was before */
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

static inline const spin_model *annealing_model(const annealing *a) {
    return &a->steps.engine->model;
}

/* The report of the population at hand. */
static inline histogram *annealing_report(annealing *a) {
    return &a->steps.report;
}

/* Begins run number `run`: draws its first population, unless it was loaded and the report at hand is its own. */
void annealing_begin(annealing *a, uint32_t run);

/* Copies the population at hand if it is to be saved: before a step. */
void annealing_save_spins(annealing *a);

/* A step, in this order. `submit` asks for the overlaps of the population at hand and begins the step to the next temperature,
 * which is known; `submit_overlaps` does only the first, where there is no next step. */
void annealing_submit(annealing *a);
void annealing_submit_overlaps(annealing *a);

/* While the engine works. The first waits for the rest of the report at hand, and takes the step that led there into the
 * free energy. The second adds the row of this temperature, unless it is below beta_start or there already. The third waits
 * for the row's overlaps, and adds them. */
void annealing_take_report(annealing *a);
void annealing_add_row(annealing *a);
void annealing_add_overlaps(annealing *a);

/* Makes the text of a row's histograms. Returns whether it did: not if all rows have theirs. */
bool annealing_make_text(annealing *a);

/* Waits for the step that was begun, if one was: the run is at the next temperature then, or the step was given up. */
void annealing_wait(annealing *a);

/* Waits for the whole report of the temperature at hand, where a schedule is decided by more than the next step is. */
void annealing_wait_all(annealing *a);

/* The number of rows before the temperature at hand, whose own is saved with its report alone. */
size_t annealing_rows_before(const annealing *a);

/* Write or read, between two steps, how far a run has come, which knows its number, and its rows so far:
 * each after what stands before it in the struct. Return false when something failed (section_file.h). */
bool annealing_transfer_position(section_file *f, annealing *a);
bool annealing_transfer_rows(section_file *f, annealing *a);

#endif
