/* Population annealing (Sec. 2.1): the loop over the temperatures of one run. */
#ifndef PAISING_ANNEALING_H
#define PAISING_ANNEALING_H

#include "engine.h"
#include "message.h"
#include "observables.h"
#include "progress.h"
#include "reweighting.h"
#include "schedule.h"

/* What the runs of a simulation share; made once, reused by each run. */
typedef struct {
    const parameters *parameters;
    engine *engine;
    schedule schedule;
    histogram histogram; /* of the population at hand */
    uint64_t *copies;    /* [levels] tau-hat of the step at hand */
    progress progress;
    double spin_flips; /* attempted so far */
} annealing;

/* The rows of one run, from beta_start on. */
typedef struct {
    observables *row; /* [count] */
    size_t count;
    size_t room;
} annealing_rows;

/* Prepares the runs of an engine. Returns STATUS_OK, or after a line on stderr STATUS_REFUSED. */
exit_status annealing_create(annealing *a, const parameters *p, engine *e);
void annealing_destroy(annealing *a);

/* Makes run number `run` and appends its rows; adds the histograms of the rows to `histograms`
 * unless that is NULL. Returns STATUS_OK, or after a line on stderr STATUS_FAILED. */
exit_status annealing_run(annealing *a, uint32_t run, annealing_rows *rows,
                          reweighting *histograms);

#endif
