/* Independent runs that search the lowest energy (--ground-states): which of them count, and what
 * they say.
 *
 * The lowest energy is that of all runs, at any temperature. Runs that have chosen beta, theta and R do not
 * count, nor does the run that found the lowest energy, nor any before it: that run reaches it for
 * sure, and those before it do not. The runs behind it are independent of what was found. A run
 * reaches the energy if a replica has it at the last temperature. */
#ifndef PAISING_GROUND_RUNS_H
#define PAISING_GROUND_RUNS_H

#include "ground_states.h"
#include "success.h"

typedef struct {
    uint64_t population; /* R */
    uint32_t sweeps;     /* theta */
    double beta;         /* the last inverse temperature */
    double seconds;      /* of a round, over its runs */
    /* with beta, theta and R that are chosen; else the run is one of those that choose */
    bool measured;
    ground_states states; /* no replicas: the run has died out */
} ground_run;

typedef struct {
    double lowest;           /* the lowest energy seen */
    size_t first;            /* the first run that saw it */
    size_t states;           /* the first run that ended with it; `count` if none did */
    size_t counted, hits;    /* runs that count, and those among them that reach it */
    miss_estimate missed;    /* the probability that a run misses it */
    success_effort solution; /* how many runs find it with 99% */
    double seconds;          /* of a run that counts, the mean; nan without */
    double ln_g, ln_g_error; /* of the number of its states: the mean of g over the runs that count,
                              * 0 where a run missed it, and the larger one of the runs' scatter and
                              * their own errors; nan: not known */
} ground_summary;

/* Whether run n counts. */
bool ground_runs_counts(const ground_run run[], const ground_summary *s, size_t n);

/* Summarises run[count]. */
void ground_runs_summary(const ground_run run[], size_t count, ground_summary *s);

/* The fewest further runs behind which the interval of `missed` can be as narrow as `width`: all of
 * them reach the energy, or all miss it. At most `most`; 0: it is. A search that makes no more than
 * these at a time ends behind the first run at which the interval is narrow. */
size_t ground_runs_needed(const ground_summary *s, double width, size_t most);

/* Whether a run was made to choose, with this R, theta and beta. */
bool ground_runs_tried(const ground_run *run, uint64_t population, uint32_t sweeps, double beta);

#define GROUND_TRY 4 /* runs that are looked at to choose */

/* What the runs [first, first + count) advise, which were made with the same beta, theta and R. */
typedef enum {
    GROUND_KEEP, /* at least half of them are without doubt (ground_states_doubt) */
    GROUND_COOL, /* of the others, most have fewer than half of their replicas in the lowest level */
    GROUND_ENLARGE /* or they have not */
} ground_advice;

ground_advice ground_runs_advice(const ground_run run[], size_t count);

#endif
