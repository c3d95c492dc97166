/* A thread that makes samples of the disorder, one group after another: those of a group go side by side, and their files are
 * written while the devices work on the next. */
#ifndef PAISING_SAMPLE_MAKER_H
#define PAISING_SAMPLE_MAKER_H

#include "device/pool.h"
#include "files/run_json.h"
#include "sample_files.h"

/* A sample, and what it needs beside its simulation while that is made. */
typedef struct {
    parameters given; /* of this sample alone */
    path_name path;
    couplings bonds;
    result_folder folder;
    uint32_t place; /* among all */
    engine worker;  /* who made it, when the engine is at work for another one */
} one_sample;

/* All samples, some of which are there. */
typedef struct {
    parameters given; /* what describes all: the number of none */
    uint32_t first, count;
    result_folder folder;
    bool *there;         /* [count] whose whole result is in its folder */
    engine_pool engines; /* of all threads */
    uint32_t next;       /* of those that nobody makes yet */
    uint32_t missing;    /* when it began */
    uint32_t made;       /* since then */
    uint32_t
        doubtful; /* of these, with runs that may have missed the lowest energy (ground_states.h) */
    run_report report; /* of what was made: who made it, */
    char engine[340], driver[100];
    double start;    /* and since when */
    int interrupted; /* the signal that ended it early; 0: none did */
} sample_set;

/* Names sample number `place` of the set, alone. */
void sample_describe(const sample_set *set, uint32_t place, one_sample *one);

/* What thread number n of so many does: makes those that nobody makes yet, until none is left or a signal has come. Returns
 * STATUS_OK or, after a line on stderr, STATUS_FAILED. */
exit_status sample_maker_run(sample_set *set, uint32_t threads, uint32_t n);

#endif
