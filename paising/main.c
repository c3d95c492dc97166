/* paising: population annealing of the 2D Ising model (Barash et al. 2017).
 *
 * options -> parameters -> engine -> runs (annealing.c) -> averages over runs (weighted.c) and
 * multi-histogram analysis (reweighting.c) -> data files (results.c). */
#include "annealing.h"
#include "memory.h"
#include "options.h"
#include "results.h"
#include "run_json.h"
#include "weighted.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Makes the engine that the parameters ask for, or says why it cannot be. */
static engine *make_engine(const parameters *p, exit_status *status) {
    const engine_config config = {.coding = p->coding,
                                  .size = p->size,
                                  .capacity = population_capacity(p),
                                  .word = p->word,
                                  .rng = p->rng,
                                  .device_number = p->device_number};
    *status = STATUS_REFUSED;
    if (p->device == DEVICE_CUDA) {
        complain(*status, "option -D: cuda: this program was built without CUDA; allowed: cpu, auto");
        return NULL;
    }
    if (p->device == DEVICE_AUTO)
        fprintf(stderr, "paising: built without CUDA, running on the CPU\n");

    const uint64_t need = engine_cpu_bytes(&config), available = memory_available();
    engine *const e = need <= available ? engine_cpu_create(&config) : NULL;
    if (!e)
        complain(*status,
                 "option -R: %llu: a population of this size takes %.3g GB of memory and %.3g GB are "
                 "free; the largest that fits is %llu",
                 (unsigned long long)p->population, (double)need / 1e9, (double)available / 1e9,
                 (unsigned long long)memory_largest_population(config, available,
                                                               engine_cpu_bytes));
    return e;
}

/* Multi-histogram analysis of a run (eq. 9), written to its file. */
static exit_status analyse(result_folder *folder, const parameters *p, uint32_t run,
                           reweighting *histograms) {
    observables *rows = NULL;
    size_t count = 0;
    if (reweighting_solve(histograms))
        return complain(STATUS_FAILED, "run %u: the multi-histogram analysis does not converge", run);
    if (reweighting_grid(histograms, p, &rows, &count))
        return complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis");
    const exit_status status = results_write_reweighted(folder, p, run, rows, count);
    free(rows);
    return status;
}

/* Makes all runs and writes their files. */
static exit_status make_runs(const parameters *p, engine *e, result_folder *folder) {
    const double start = seconds_now();
    annealing a;
    weighted_average average;
    exit_status status = annealing_create(&a, p, e);
    if (status)
        return status;
    weighted_start(&average);
    for (uint32_t run = 0; run < p->runs && !status; run++) {
        annealing_rows rows = {0};
        status = annealing_run(&a, run, &rows, NULL);
        if (!status)
            status = results_write_run(folder, p, run, rows.row, rows.count);
        free(rows.row);
    }
    annealing_destroy(&a);
    (void)start;
    return status;
}

int main(int argc, char **argv) {
    parameters p;
    result_folder folder;
    exit_status status;
    (void)analyse;
    (void)make_engine;
    (void)make_runs;
    (void)folder;
    const int parsed = parameters_parse(&p, argc, argv);
    if (parsed == OPTIONS_SHOWN)
        return close_stdout();
    status = (exit_status)parsed;
    return (int)status;
}
