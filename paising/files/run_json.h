/* run.json: everything that may differ between identical results, and the parameters. */
#ifndef PAISING_RUN_JSON_H
#define PAISING_RUN_JSON_H

#include "engine/engine.h"
#include "result_folder.h"

/* What the run was like. */
typedef struct {
    const char *engine;           /* the engine's name, which names its device */
    const char *driver;           /* of the device; NULL: it has none */
    uint32_t threads;             /* CPU threads */
    size_t temperatures;          /* of a run, the one at beta = 0 included */
    uint32_t parts;               /* 1, or more if resumed from checkpoints */
    const char *missing;          /* what is not there and why; NULL: it came to its end */
    double spin_flips;            /* attempted in all runs: N theta sum_i R_i, i >= 1 */
    double seconds[STAGES];       /* time in the stages of the engine, all runs */
    uint32_t ranks;               /* 1: there are none beside this process */
    double phase_seconds[DISTRIBUTED_PHASES]; /* of ranks, those of this part */
    double checkpoint_seconds;    /* within the total */
    double total_seconds;         /* t_run of eq. (11), all runs and all parts */
} run_report;

/* Writes run.json, host and date included. Returns STATUS_OK or, after a line on stderr,
 * STATUS_FAILED. */
exit_status run_json_write(result_folder *folder, const parameters *p, const run_report *report);

#endif
