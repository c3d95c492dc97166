/* The inverse temperatures of a simulation, in equal or adaptive steps (Sec. 2.3) or from a file, and the sweeps at
 * each, given or adaptive (sweep_control.h).
 *
 * Every population is drawn at beta = 0, whose index is 0, annealed to beta_start, the first row of
 * the results, and from there to beta_end. Fixed steps and those of a file are known from the start. Adaptive
 * ones are decided in the first run, each from the histogram at the temperature before, and kept for the
 * others: as large as one of these allows,
 *
 *   overlap       alpha of the energies before and after (eq. 8)
 *   energy step   dbeta sigma_E, the energies' standard deviation before
 *
 * A culling fraction is 1 - alpha: of the replicas whose weight falls, what is lost. */
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

/* The least number of replicas that must carry the weights of an adaptive step (resampling_carriers), and
 * of replicas that can decide one. */
#define SCHEDULE_CARRIERS        20
#define SCHEDULE_FEWEST_REPLICAS 50

typedef enum {
    SCHEDULE_NEXT,     /* there is a next temperature */
    SCHEDULE_END,      /* this one was the last */
    SCHEDULE_TOO_LONG, /* more than SCHEDULE_MAX_TEMPERATURES */
    SCHEDULE_NO_MEMORY
} schedule_status;

/* What is asked for. */
typedef struct {
    double beta_start, beta_end;
    double dbeta;           /* the fixed step; with one of the next three it is not used */
    double overlap;         /* the target overlap of adaptive steps; 0: they have none */
    double energy_step;     /* the energy step of adaptive steps; 0: they have none */
    beta_profile betas;     /* the temperatures; without a line: there is no file of them */
    uint32_t sweeps;        /* theta, ... */
    beta_profile sweeps_at; /* ... or what it depends on; without a line: on nothing */
    double sweep_gain;      /* of adaptive sweeps, of which theta is the most; 0: they are none */
} schedule_plan;

typedef struct {
    double beta_start, beta_end;
    double overlap, energy_step; /* of adaptive steps; both 0: the steps are known */
    uint32_t theta;              /* the sweeps, ... */
    beta_profile sweeps_at;      /* ... or what they depend on, ... */
    sweep_control control;       /* ... or what decides them */
    double *beta;                /* [count] the temperatures decided so far; beta[0] = 0 */
    uint32_t *sweeps;            /* [count] theta at each, of which [swept] are decided */
    size_t count, swept;
    size_t capacity;
    size_t first_row; /* index of beta_start; SIZE_MAX as long as it is not decided */
    bool shortened;   /* an adaptive step decided here, not read, is shorter than was asked for */
} beta_schedule;

/* The number of steps that lead over `span`: ceil(span / step), where the rounding of decimal
 * fractions does not make a step more of it. A double, because a tiny step has no limit. */
double schedule_steps(double span, double step);

/* Temperature number i of `steps` steps from `start` to `end`: start + i step, computed from the
 * index, the last exactly `end`. */
double schedule_at(double start, double end, double step, double i, double steps);

/* Begins the schedule that the parameters ask for. Fixed steps of dbeta from beta_start give
 * beta_start + i dbeta, computed from the index, and end with exactly beta_end: the last step may
 * be shorter. beta_start above 0 is reached in ceil(beta_start / dbeta) equal steps; the first temperature of a
 * file in one. Takes over the plan's files, whatever comes of it. Returns SCHEDULE_NEXT, SCHEDULE_TOO_LONG or
 * SCHEDULE_NO_MEMORY. */
schedule_status schedule_create(beta_schedule *s, schedule_plan *plan);
void schedule_destroy(beta_schedule *s);

/* Sees to it that the temperature after number i is known as s->beta[i + 1], and theta there. h is the histogram of
 * the population at s->beta[i]; it decides if that is the last temperature known so far of an
 * adaptive schedule: the next is where the overlap (resampling.h) has fallen to the target, or the energy
 * step is made, or beta_start or beta_end, whichever comes first. R replicas cannot measure an overlap below 1 / R, nor one
 * that rests on a few of them: where less than SCHEDULE_CARRIERS would carry the weights the step ends, too. It decides
 * theta likewise if that is not known and adaptive. */
schedule_status schedule_next(beta_schedule *s, size_t i, const histogram *h);

/* Whether that asks a histogram for more than how many replicas each level has. */
bool schedule_reads_sums(const beta_schedule *s);

/* Whether nothing is left to be decided. */
bool schedule_is_whole(const beta_schedule *s);

/* Writes what is decided so far of temperatures and adaptive sweeps, or reads it into a schedule that was just created:
 * it must be such as that one can come to. Returns false when something failed (section_file.h). */
bool schedule_transfer(section_file *f, beta_schedule *s);

#endif
