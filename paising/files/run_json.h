/* run.json: the parameters, and everything that may differ between identical results. */
#ifndef PAISING_RUN_JSON_H
#define PAISING_RUN_JSON_H

#include "engine/engine.h"
#include "estimate/ground_runs.h"
#include "result_folder.h"

/* What run.json reports of a simulation. */
typedef struct {
    const char *engine;        /* name of the engine, including its device */
    const char *driver;        /* driver of the device; NULL: none */
    uint32_t threads;          /* CPU threads */
    size_t temperatures;       /* of a run, including beta = 0 */
    uint32_t parts;            /* 1, or more if resumed from checkpoints */
    const char *missing;       /* what is missing and why; NULL: the simulation ended normally */
    const bond_origin *origin; /* of the bonds of the model (model_origin); NULL: no file */
    double lowest;             /* lowest energy of the finished runs; NAN: not known */
    double spin_flips;         /* attempted in all runs: N theta sum_i R_i, i >= 1 */
    double seconds[STAGES];    /* time in each stage of the engine, over all runs */
    uint32_t ranks;            /* 1: this process alone */
    double phase_seconds[DISTRIBUTED_PHASES];  /* time in each phase of ranks, since the last
                                               * resumption */
    double checkpoint_seconds, ground_seconds; /* parts of total_seconds */
    double total_seconds;                      /* t_run of eq. (11), over all runs and parts */
    const ground_summary *ground; /* of a search of the lowest energy; NULL: there was none */
} run_report;

/* Writes run.json, including host and date. Returns STATUS_OK, or STATUS_FAILED after a message on
 * stderr. */
exit_status run_json_write(result_folder *folder, const parameters *p, const run_report *report);

#endif
