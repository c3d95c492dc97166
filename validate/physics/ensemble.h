/* Independent runs of one simulation, kept in memory with what validation needs beside their rows:
 * how many replicas each resampling was to give (eq. 2), and the multi-histogram analysis. The order parameter of a
 * glass is the overlap q of pairs of replicas: in its rows |m|, m2 and m4 are |q|, q2 and q4. */
#ifndef PAISING_PHYSICS_ENSEMBLE_H
#define PAISING_PHYSICS_ENSEMBLE_H

#include "base/message.h"
#include "estimate/weighted.h"
#include "faults.h"

#include <stdbool.h>

/* One resampling: what eq. (2) says of the new population size, and what it came to. A replica of
 * expected copies tau-hat gets floor(tau-hat) or one more, so that R_i is a sum of independent
 * numbers 0 or 1, of probabilities f = tau-hat - floor(tau-hat), and a constant. */
typedef struct {
    double mean;      /* sum of tau-hat: R */
    double variance;  /* sum of f (1 - f) */
    double cumulant4; /* sum of f (1 - f) (1 - 6 f (1 - f)) */
    double population;
} resampling_draw;

typedef struct {
    parameters given;
    spin_model model;            /* with its couplings, if it has any: */
    couplings sample;            /* those that the parameters say are drawn */
    weighted_average rows;       /* [runs][temperatures] */
    weighted_average reweighted; /* [runs][grid], without runs unless given.reweight */
    resampling_draw *draw;       /* [runs][temperatures]; number 0 is empty */
    double seconds;
} ensemble;

/* Makes p->runs runs with this fault planted: on the CPU as many at a time as there are cores, on
 * a GPU one after another. p->beta_start must be 0. Returns STATUS_OK or, after a line on stderr,
 * another status; the ensemble must be destroyed in either case. */
exit_status ensemble_make(ensemble *s, const parameters *p, fault_kind fault);
void ensemble_destroy(ensemble *s);

/* Row number i of a run. */
static inline const observables *ensemble_row(const ensemble *s, size_t run, size_t i) {
    return &s->rows.row[run * s->rows.temperatures + i];
}

/* Before row number i of a run. */
static inline const resampling_draw *ensemble_draw(const ensemble *s, size_t run, size_t i) {
    return &s->draw[run * s->rows.temperatures + i];
}

#endif
