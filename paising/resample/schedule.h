/* The inverse temperatures of a simulation and the sweeps at each. Temperatures come in equal
 * steps, in adaptive steps (Sec. 2.3) or from a file; sweeps are given or adaptive
 * (sweep_control.h).
 *
 * A population that is drawn has beta = 0, which has index 0; one that is loaded begins at beta_start. It is annealed to
 * beta_start, the first row of the results, and from there to beta_end. Equal steps and those of a file are known from the
 * start. Adaptive steps are decided in the first run, each from the histogram at the temperature before, and later runs
 * repeat them. An adaptive step is as large as one of these targets allows:
 *
 *   overlap       alpha of the energies before and after (eq. 8)
 *   energy step   dbeta sigma_E, with the standard deviation of the energy before the step
 *
 * The culling fraction is 1 - alpha: the part of the population that resampling removes. */
#ifndef PAISING_SCHEDULE_H
#define PAISING_SCHEDULE_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "profile.h"
#include "sweep_control.h"

#include <stdbool.h>
#include <stddef.h>

/* More temperatures than this are an error. */
#define SCHEDULE_MAX_TEMPERATURES 1000000

/* Limits of adaptive steps: the fewest replicas that must carry the weights of a step
 * (resampling_carriers), and the fewest replicas of a population that can decide one. */
#define SCHEDULE_CARRIERS        20
#define SCHEDULE_FEWEST_REPLICAS 50

typedef enum {
    SCHEDULE_NEXT,     /* there is a next temperature */
    SCHEDULE_END,      /* the last temperature was reached */
    SCHEDULE_TOO_LONG, /* more than SCHEDULE_MAX_TEMPERATURES */
    SCHEDULE_NO_MEMORY
} schedule_status;

/* The schedule that the settings ask for. */
typedef struct {
    double beta_first; /* of the first population */
    double beta_start, beta_end;
    double dbeta;           /* the fixed step; not used with one of the next three */
    double overlap;         /* target overlap of adaptive steps; 0: no target */
    double energy_step;     /* target energy step of adaptive steps; 0: no target */
    beta_profile betas;     /* temperatures from a file; count 0: no file */
    uint32_t sweeps;        /* theta; its maximum if adaptive */
    beta_profile sweeps_at; /* theta as a function of beta; count 0: constant */
    double sweep_gain;      /* gain of adaptive sweeps; 0: theta is given */
} schedule_plan;

typedef struct {
    double beta_start, beta_end;
    double overlap, energy_step; /* targets of adaptive steps; both 0: all steps are known */
    uint32_t theta;              /* given: theta */
    beta_profile sweeps_at;      /* given: theta as a function of beta */
    sweep_control control;       /* adaptive: the control of theta */
    double *beta;     /* [count] the temperatures decided so far, from the first population on */
    uint32_t *sweeps; /* [count] theta at each, of which the first [swept] are decided */
    size_t count, swept;
    size_t capacity;
    size_t first_row; /* index of beta_start; SIZE_MAX until it is decided */
    bool shortened;   /* an adaptive step decided in this process is shorter than its target */
} beta_schedule;

/* The number of steps of size `step` over `span`: ceil(span / step), but a rest that is rounding of
 * decimal fractions adds none. Returns a double, because a tiny step has no limit. */
double schedule_steps(double span, double step);

/* Temperature number i of `steps` steps from `start` to `end`: start + i step, computed from the
 * index; the last is exactly `end`. */
double schedule_at(double start, double end, double step, double i, double steps);

/* Begins the schedule of *plan. The first population has beta_first, 0 or beta_start. Fixed steps of dbeta give beta_start +
 * i dbeta, computed from the index, and end exactly at beta_end: the last step may be shorter. A beta_start above 0 is
 * reached in ceil(beta_start / dbeta) equal steps; the first temperature of a file in one. Takes ownership of the files of
 * *plan, also on failure. Returns SCHEDULE_NEXT, SCHEDULE_TOO_LONG or SCHEDULE_NO_MEMORY. */
schedule_status schedule_create(beta_schedule *s, schedule_plan *plan);
void schedule_destroy(beta_schedule *s);

/* Makes s->beta[i + 1], and theta there, known. h is the histogram of the population at s->beta[i];
 * it is read where temperature or sweeps are adaptive and not decided yet. An adaptive step ends
 * where the overlap (resampling.h) falls to its target or the energy step is reached, at beta_start
 * or at beta_end, whichever comes first. R replicas cannot measure an overlap below 1 / R, nor one
 * that rests on a few replicas: the step also ends where fewer than SCHEDULE_CARRIERS would carry
 * the weights. */
schedule_status schedule_next(beta_schedule *s, size_t i, const histogram *h);

/* Whether schedule_next may read more of a histogram than the number of replicas of each level. */
bool schedule_reads_sums(const beta_schedule *s);

/* Whether all temperatures and sweeps are decided. */
bool schedule_is_whole(const beta_schedule *s);

/* Writes the temperatures and adaptive sweeps decided so far, or reads them into a schedule that
 * was just created. Refuses what such a schedule cannot have. Returns false on failure
 * (section_file.h). */
bool schedule_transfer(section_file *f, beta_schedule *s);

#endif
