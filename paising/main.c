/* paising: population annealing of the 2D Ising model (Barash et al. 2017).
 *
 *   options    -> parameters (options.c, parameters.c)
 *   parameters -> an engine that holds the population (engine.h)
 *   engine     -> runs (simulation.c): the loop over the temperatures (annealing.c)
 *   runs       -> averages over runs (weighted.c), multi-histogram analysis (reweighting.c)
 *              -> data files (results.c, run_json.c) */
#include "dry_run.h"
#include "make_engine.h"
#include "message.h"
#include "options.h"
#include "result_folder.h"
#include "simulation.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv) {
    parameters p;
    result_folder folder;
    const int parsed = parameters_parse(&p, argc, argv);
    if (parsed == OPTIONS_SHOWN)
        return (int)close_stdout();
    if (parsed)
        return parsed;

    if (p.dry_run) {
        char baselines[BASELINES_PATH_SIZE];
        const exit_status fits = dry_run(&p, dry_run_baselines(baselines));
        const exit_status shown = close_stdout();
        return (int)(fits ? fits : shown);
    }

    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a failed write, not a death */
    double start;
    engine *const e = make_engine(&p, &start);
    if (!e)
        return STATUS_REFUSED;
    exit_status status = result_folder_open(&folder, &p);
    if (!status) {
        printf("seed %" PRIu64 "\n", p.seed);
        trust t;
        status = simulation_run(&p, e, start, &folder, &t);
        if (!status)
            status = result_folder_publish(&folder);
        if (!status) {
            printf("%s\n", folder.path);
            trust_warn(&t, &p);
        }
        result_folder_close(&folder);
    }
    e->destroy(e);
    const exit_status printed = close_stdout();
    return (int)(status ? status : printed);
}
