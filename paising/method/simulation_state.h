/* What a simulation holds between two steps, and what it takes. */
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

/* The time that a simulation has taken, in one part or, resumed from checkpoints, in several. */
typedef struct {
    uint32_t parts;
    double seconds[STAGES]; /* in the stages of the engines; NAN: not known in one of the parts */
    double checkpoint_seconds; /* for writing checkpoints, within the total */
    double total_seconds;      /* t_run of eq. (11) */
} simulation_times;

typedef struct {
    const parameters *given;
    batch flight; /* the runs in flight, in their order */
    batch_pauses pauses;
    weighted_average finished; /* the rows of the runs before them */
    weighted_average analysed; /* the rows of their multi-histogram analysis (-m) */
    histogram_gap *gaps;       /* [runs] why they have none, with -m */
    overlap_record overlaps;   /* of these runs, one after the other, of a disordered model, */
    ground_states *ground;     /* [runs] and the states of lowest energy that they ended with */
    simulation_times before;   /* of the parts before this one */
    double checkpoint_seconds; /* of this part */
    double start;              /* when it began, a time of clock.h */
    uint32_t checkpoints;      /* that were written */
    bool checkpoint_failed;    /* the last one that was to be written */
    trust_verdict trust;       /* how far the averages can be trusted, when they are made, */
    run_weights weights;       /* and how well the runs carry them */
    equilibration equilibrium; /* of a disordered model, likewise */
    bool silent;               /* another one beside it speaks of signals for both */
    bool is_sample;            /* of several, whose messages say of which they are */
    int interrupted;           /* the signal that ended it; 0: none did */
    char failure[ANNEALING_FAILURE_SIZE]; /* what ended it; empty: nothing did */
    observables *average; /* room for the averages over runs, [temperatures]; NULL until then */
    overlap_row *overlap_average; /* the same of the overlaps; NULL: there are none */
    weighted_average
        solved; /* the rows of those analyses that there are, when they are averaged, */
    observables *analysed_average; /* and their averages over runs, [grid]; NULL: there are none */
} simulation;

/* Ends the simulation: says why on stderr, and keeps that for the headers of what is finished by then.
 * Returns STATUS_FAILED. */
exit_status simulation_fail(simulation *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says on stderr what is wrong: of which sample, if there are several. Returns STATUS_FAILED. */
exit_status simulation_complain(const simulation *s, const char *reason);

/* Where the runs in flight are: "beta = 0.4 of run 3", or "of runs 3 to 5". Returns text. */
#define SIMULATION_PLACE_SIZE 100
const char *simulation_place(char text[SIMULATION_PLACE_SIZE], const simulation *s);

/* What is simulated. */
const spin_model *simulation_model(const simulation *s);

/* The time taken so far. */
simulation_times simulation_spent(const simulation *s);

/* Adds what the engines of this part have spent jointly. */
void simulation_add_phases(const simulation *s, double seconds[DISTRIBUTED_PHASES]);

/* Writes or reads times. Returns false when something failed (section_file.h). */
bool simulation_times_transfer(section_file *f, simulation_times *t);

/* Host memory that the simulation needs beside its engines: histograms and rows. With adaptive steps the
 * number of rows is not known, and they are not counted. */
memory_share simulation_bytes(const parameters *p);

/* What the multi-histogram analysis takes beside that while it is made, at most: if every level of
 * the energy is occupied, and matters at every temperature. 0 with adaptive steps, as above. */
uint64_t simulation_analysis_bytes(const parameters *p);

#endif
