/* paising: Monte Carlo simulation of spin models (Barash et al. 2017).
 *
 *   options    -> parameters (command/options.c, settings/settings.c, settings/parameters.c)
 *   parameters -> an engine for each run in flight, which holds its population (device/pool.c,
 *                 engine/engine.h)
 *   engines    -> an execution (method/execution.h), as of a handle of the library: a method (method/method.h): of population annealing runs (method/simulation.c), the loop over the temperatures
 *                 (method/batch.c) and a step of it (method/annealing.c); or a series of measurements (method/series.c)
 *   samples    -> a simulation each, and averages over them (method/samples.c), with --samples
 *   runs       -> averages over runs (estimate/weighted.c), multi-histogram analysis
 *                 (estimate/reweighting.c) -> data files (files/results.c, files/run_json.c) */
#include "base/ieee_rules.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/open_files.h"
#include "base/signals.h"
#include "command/dry_run.h"
#include "command/options.h"
#include "command/plan.h"
#include "device/placement.h"
#include "files/checkpoint.h"
#include "files/result_folder.h"
#include "files/spins_files.h"
#include "method/execution.h"
#include "method/ground_samples.h"
#include "method/sample_bins.h"
#include "method/samples.h"
#include "ranks/ranks.h"
#include "settings/graphs.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>

#define STACK_KIB 256
/* Files open at a time: locks and files of result and checkpoint, and folders while they are
 * searched. With samples: per thread, the lock of the current sample and that of the one before. */
#define FILES        10
#define SAMPLE_FILES 2

/* Simulates one sample, from the opening of its files to their closing; this process owns them in
 * the meantime. */
static exit_status simulate_alone(execution *x, int *number) {
    parameters *const p = x->given;
    result_folder folder;
    checkpoint_place place = {.lock = {.descriptor = -1}};
    exit_status status = result_folder_open(&folder, p);
    if (status)
        return status;
    status = folder.there ? STATUS_OK : results_check_spins(p, folder.path);
    /* Where a result is there and nothing can be written, the checkpoint's folder need not be one to write to, either. */
    if (!status && (!folder.there || folder.lock.descriptor >= 0))
        status = checkpoint_place_open(&place, p, folder.path);
    if (!status && result_folder_is_finished(&folder)) {
        if (p->resume != NULL)
            checkpoint_look(p->resume);
    } else if (!status) {
        p->checkpoint = place.path;
        status = execution_run(x, &folder, NULL, number);
    }
    checkpoint_place_close(&place);
    result_folder_close(&folder);
    return status;
}

/* Refuses to start if process limits are too low. */
static exit_status check_limits(const parameters *p) {
    const uint32_t threads = p->samples > 1 ? (uint32_t)omp_get_max_threads() : 0,
                   files = FILES + SAMPLE_FILES * threads;
    if (open_files_allow(files + FILES) >= files && open_files_spare(files))
        return STATUS_OK;
    return complain(STATUS_REFUSED, "ulimit -n: %" PRIu32 " more files must be open at a time",
                    files);
}

/* What there is when a signal has ended a simulation. */
static const char *left_by_signal(const parameters *p) {
    const bool saves = p->checkpoint != NULL;
    if (p->record == RECORD_BINS)
        return "it ends, and nothing is kept";
    if (p->samples > 1)
        return "it ends, with the samples that are finished";
    if (p->method == METHOD_microcanonical)
        return saves ? "it ends, with a checkpoint and the runs that are finished"
                     : "it ends, with the runs that are finished";
    if (p->method != METHOD_annealing) /* it may be nothing */
        return saves ? "it ends, with a checkpoint and what is measured so far"
                     : "it ends, with what is measured so far";
    return saves ? "it ends, with a checkpoint and the rows so far"
                 : "it ends, with the rows so far";
}

/* Does what the parameters ask for. *number as above. */
static int obey(execution *x, int *number) {
    parameters *const p = x->given;
    if (p->graph_file != NULL && (!p->silent || p->graph->origin.rounded > 0))
        warn("--graph %s: %s", p->graph_file, p->graph->origin.text);
    if (p->dry_run) {
        char baselines[BASELINES_PATH_SIZE];
        const exit_status fits = dry_run(p, x->sample, dry_run_baselines(baselines));
        const exit_status shown = close_stdout();
        return (int)(fits ? fits : shown);
    }

    signals_announce(p->plan.seconds > 0 ? NULL : left_by_signal(p));
    signals_catch();
    exit_status status = check_limits(p);
    if (status)
        return status;
    status = p->plan.seconds > 0                          ? plan_make(p, x->sample, number)
             : p->samples > 1 && p->ground_states         ? ground_samples_make(p, number)
             : p->samples > 1 && p->record == RECORD_BINS ? sample_bins_make(p, number)
             : p->samples > 1                             ? samples_make(p, number)
                                                          : simulate_alone(x, number);
    const exit_status printed = close_stdout();
    return (int)(status || *number ? status : printed);
}

/* The program on rank 0. */
static int command(int argc, char **argv, int *number) {
    parameters p;
    const int parsed = parameters_parse(&p, argc, argv);
    if (parsed == OPTIONS_SHOWN)
        return (int)close_stdout();
    if (parsed)
        return parsed;
    execution x;
    int status = execution_begin(&x, &p);
    if (!status)
        status = obey(&x, number);
    execution_end(&x);
    parameters_end(&p);
    return status;
}

int main(int argc, char **argv) {
    open_files_fill_standard();
    const char *const broken = ieee_broken_rule();
    if (broken != NULL)
        return (int)complain(STATUS_REFUSED,
                             "this program was compiled or linked with a part of -ffast-math: not "
                             "so here: %s",
                             broken);
    if (memory_of_stack() < (uint64_t)STACK_KIB << 10)
        return (int)complain(STATUS_REFUSED, "ulimit -s %" PRIu64 ": at least %d are needed",
                             memory_of_stack() >> 10, STACK_KIB);
    int number = 0, status = (int)ranks_begin(argc, argv);
    if (!status && ranks_world().rank > 0)
        ranks_run_worker(&placement_of_rank);
    else if (!status)
        status = command(argc, argv, &number);
    flip_tables_forget();
    ranks_end();
    if (!status && number == SIGNAL_OF_TIME_LIMIT)
        return STATUS_UNFINISHED;
    return !status && number ? signals_die(number) : status;
}
