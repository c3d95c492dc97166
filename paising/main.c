/* paising: population annealing of the 2D Ising model (Barash et al. 2017).
 *
 *   options    -> parameters (command/options.c, settings/settings.c, settings/parameters.c)
 *   parameters -> an engine that holds the population (device/place.c, engine/engine.h)
 *   engine     -> runs (method/simulation.c): the loop over the temperatures (method/annealing.c)
 *   runs       -> averages over runs (estimate/weighted.c), multi-histogram analysis
 *                 (estimate/reweighting.c) -> data files (files/results.c, files/run_json.c) */
#include "base/message.h"
#include "base/signals.h"
#include "command/dry_run.h"
#include "command/options.h"
#include "device/place.h"
#include "files/checkpoint.h"
#include "files/result_folder.h"
#include "method/simulation.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

/* Makes the simulation on the engine, and publishes its result. *number becomes the signal that ended
 * it early, 0 without one. */
static exit_status simulate(const parameters *p, engine *e, double start, int *number) {
    result_folder folder;
    simulation s;
    exit_status status = result_folder_open(&folder, p);
    if (status)
        return status;
    status = simulation_begin(&s, p, e, start);
    if (!status) {
        printf("seed %" PRIu64 "\n", p->seed);
        status = simulation_run(&s, &folder);
        if (!status)
            status = result_folder_publish(&folder);
        if (!status) {
            printf("%s\n", folder.path);
            trust_warn(&s.trust, p->overlap > 0);
        }
        *number = s.interrupted;
        if (!status && s.interrupted && s.checkpoint_failed)
            status = STATUS_FAILED;
        simulation_end(&s);
    }
    result_folder_close(&folder);
    return status;
}

int main(int argc, char **argv) {
    parameters p;
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
    signals_catch();
    double start;
    int number = 0;
    if (checkpoint_check_path(&p))
        return STATUS_REFUSED;
    engine *const e = place_engine(&p, simulation_bytes(&p), &start);
    if (!e)
        return STATUS_REFUSED;
    const exit_status status = simulate(&p, e, start, &number);
    e->destroy(e);
    const exit_status printed = close_stdout();
    if (!status && !printed && number)
        return signals_die(number);
    return (int)(status ? status : printed);
}
