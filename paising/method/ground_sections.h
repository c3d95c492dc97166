/* The checkpoint of a search of the lowest energy (--ground-states): the runs so far, and what they have chosen. A round that a
 * signal ends is made again. */
#ifndef PAISING_GROUND_SECTIONS_H
#define PAISING_GROUND_SECTIONS_H

#include "base/message.h"
#include "estimate/ground_runs.h"
#include "resample/schedule.h"
#include "settings/parameters.h"

typedef struct {
    uint64_t population; /* R, theta and beta of the next runs */
    uint32_t sweeps;
    double beta;
    uint64_t parts;       /* of the search, with the one that writes it */
    uint64_t enlarged;    /* how often theta or R was doubled */
    bool measuring;       /* R and beta are chosen */
    double spin_flips;    /* of all runs so far, and their time */
    double seconds;       /* of the parts so far */
    double round_seconds; /* of the last round */
    uint64_t count;
    ground_run *run; /* [count] */
    const spin_model *model;
    beta_schedule betas; /* of these runs, as far as it is decided */
} ground_position;

/* Writes p->checkpoint, or reads p->resume. Returns what checkpoint_write and checkpoint_read do; run[] and betas are then the
 * caller's, also on failure. */
exit_status ground_position_write(const parameters *p, ground_position *g);
exit_status ground_position_read(const parameters *p, ground_position *g);

#endif
