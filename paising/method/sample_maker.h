/* A thread that makes samples of the disorder in groups. The samples of a group are simulated side
 * by side. Their files are written while the devices work on the next group. */
#ifndef PAISING_SAMPLE_MAKER_H
#define PAISING_SAMPLE_MAKER_H

#include "device/pool.h"
#include "files/run_json.h"
#include "sample_files.h"

/* One sample, besides its simulation. */
typedef struct {
    parameters given; /* parameters of this sample alone */
    path_name path;
    couplings bonds;
    result_folder folder;
    uint32_t place; /* index in the set */
    engine worker;  /* copy of the engine's description, once the engine works for another sample */
} one_sample;

/* All samples, some of which may exist already. */
typedef struct {
    parameters given; /* parameters common to all: without the number of a sample */
    uint32_t first, count;
    result_folder folder;
    bool *there;              /* [count] whether the complete result is in its folder */
    sample_read *read;        /* [count] what its files hold */
    overlap_average overlaps; /* sums of the histograms of samples, */
    bool *added;              /* [count] of those of one run that were made since the start */
    engine_pool engines;      /* of all threads */
    uint32_t next;            /* index of the next sample not taken yet */
    uint32_t missing;         /* missing samples at the start */
    uint32_t made;            /* made since then */
    uint32_t doubtful;        /* made samples with runs that may have missed the lowest energy
                          * (ground_states.h) */
    run_report report;        /* of the samples made */
    char engine[340], driver[100];
    double start;     /* start of the simulation (clock.h) */
    double limit;     /* time at which it must have ended; 0: none */
    bool ended_early; /* no more samples were begun, because of that time */
    int interrupted;  /* signal that ended it early; 0: none */
} sample_set;

/* The files of its samples. */
sample_files sample_set_files(const sample_set *set);

/* Fills *one with the parameters and path of sample number `place` of the set. */
void sample_describe(const sample_set *set, uint32_t place, one_sample *one);

/* Makes the bonds of a sample: couplings, or a graph. Returns STATUS_OK, or another status after a message on stderr, in which case
 * there is nothing to drop. */
exit_status sample_make_bonds(one_sample *one);
void sample_drop_bonds(one_sample *one);

/* Adds an engine for a sample. NULL: there is no memory for it, for the reason. */
engine *sample_add_engine(engine_pool *engines, const one_sample *one, char *reason, size_t size);

/* Whether what comes next, if it takes as long as the longest so far (seconds), would not end before the limit of the set. Then no
 * thread begins another sample. kept: the thread has taken one already that it has not begun. */
bool sample_set_time_is_up(sample_set *set, double longest, bool kept);

/* The work of thread number n of `threads`: makes samples until none is left or a signal arrives.
 * Returns STATUS_OK, or STATUS_FAILED after a message on stderr. */
exit_status sample_maker_run(sample_set *set, uint32_t threads, uint32_t n);

#endif
