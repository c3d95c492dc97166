/* The state of a simulation between two steps, and its memory needs. */
#ifndef PAISING_SIMULATION_STATE_H
#define PAISING_SIMULATION_STATE_H

#include "base/section_file.h"
#include "batch.h"
#include "device/placement.h"
#include "estimate/equilibration.h"
#include "estimate/ground_states.h"
#include "estimate/run_weights.h"
#include "estimate/trust.h"
#include "estimate/weighted.h"

/* The time of a simulation, over all parts if it was resumed from checkpoints. */
typedef struct {
    uint32_t parts;
    double seconds[STAGES];    /* in each stage of the engines; NAN: unknown for one of the parts */
    double checkpoint_seconds; /* for writing checkpoints; part of the total, as the next */
    double ground_seconds;     /* for the survey of ground states */
    double total_seconds;      /* t_run of eq. (11) */
} simulation_times;

typedef struct {
    const parameters *given;
    batch flight; /* the runs in flight, in order */
    batch_pauses pauses;
    weighted_average finished; /* rows of finished runs */
    weighted_average analysed; /* rows of their multi-histogram analysis (-m) */
    histogram_gap *gaps;       /* [runs] with -m: the gap that prevents an analysis */
    overlap_record overlaps;   /* overlaps of finished runs, one after the other; disordered
                                * models only */
    spin_copies saved;         /* populations of finished runs */
    ground_states *ground;     /* [runs] states of lowest energy at their ends */
    simulation_times before;   /* of earlier parts */
    double checkpoint_seconds, ground_seconds; /* of this part */
    double start;                              /* start of this part (clock.h) */
    uint32_t checkpoints;                      /* checkpoints written */
    bool checkpoint_failed;                    /* the last attempt to write one failed */
    trust_verdict trust;                       /* how far the averages can be trusted */
    run_weights weights;                       /* how well the runs carry the averages */
    equilibration equilibrium;                 /* of a disordered model */
    bool silent;                               /* another simulation reports signals for this one */
    bool is_sample;                       /* one of several samples; messages name the sample */
    int interrupted;                      /* the signal that ended it; 0: none */
    char failure[ANNEALING_FAILURE_SIZE]; /* the failure that ended it; empty: none */
    observables *average;          /* [temperatures] averages over runs; NULL: not computed yet */
    overlap_row *overlap_average;  /* averages of the overlaps; NULL: none */
    weighted_average solved;       /* rows of the analyses that exist, for averaging */
    observables *analysed_average; /* [grid] averages of the analyses; NULL: none */
} simulation;

/* Ends the simulation with a failure: prints the message on stderr, and keeps it for the headers of
 * the results so far. Returns STATUS_FAILED. */
exit_status simulation_fail(simulation *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a message on stderr, with the name of the sample if there are several. Returns
 * STATUS_FAILED. */
exit_status simulation_complain(const simulation *s, const char *reason);

/* The position of the runs in flight: "beta = 0.4 of run 3", or "of runs 3 to 5". Returns text. */
#define SIMULATION_PLACE_SIZE 100
const char *simulation_place(char text[SIMULATION_PLACE_SIZE], const simulation *s);

/* The model. */
const spin_model *simulation_model(const simulation *s);

/* The time so far. */
simulation_times simulation_spent(const simulation *s);

/* Adds the time that the engines of this part have spent in the phases of ranks. */
void simulation_add_phases(const simulation *s, double seconds[DISTRIBUTED_PHASES]);

/* Writes or reads times. Returns false on failure (section_file.h). */
bool simulation_times_transfer(section_file *f, simulation_times *t);

/* Bytes of host memory that the simulation needs besides its engines: histograms and rows. With
 * adaptive steps the number of rows is unknown, and rows are not counted. */
memory_share simulation_bytes(const parameters *p);

/* The most additional bytes during a multi-histogram analysis, as if every level were occupied and
 * mattered at every temperature. 0 with adaptive steps. */
uint64_t simulation_analysis_bytes(const parameters *p);

#endif
