/* paising: population annealing of the 2D Ising model (Barash et al. 2017).
 *
 *   options    -> parameters (options.c, parameters.c)
 *   parameters -> an engine that holds the population (engine.h)
 *   engine     -> runs (simulation.c): the loop over the temperatures (annealing.c)
 *   runs       -> averages over runs (weighted.c), multi-histogram analysis (reweighting.c)
 *              -> data files (results.c, run_json.c) */
#include "memory.h"
#include "message.h"
#include "options.h"
#include "result_folder.h"
#include "simulation.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

/* Makes the engine that the parameters ask for. Returns NULL after a line on stderr. */
static engine *make_engine(const parameters *p) {
    const engine_config config = {.coding = p->coding,
                                  .size = p->size,
                                  .capacity = population_capacity(p->population, p->word),
                                  .word = p->word,
                                  .rng = p->rng,
                                  .device_number = p->device_number};
    if (p->device == DEVICE_CUDA) {
        complain(STATUS_REFUSED,
                 "option -D: cuda: this program was built without CUDA; allowed: cpu, auto");
        return NULL;
    }
    if (p->device == DEVICE_AUTO)
        fprintf(stderr, "paising: this program was built without CUDA: running on the CPU\n");

    const uint64_t need = engine_cpu_bytes(&config), available = memory_available();
    engine *const e = need <= available ? engine_cpu_create(&config) : NULL;
    if (!e)
        complain(STATUS_REFUSED,
                 "option -R: %" PRIu64 ": this population takes %.3g GB of memory, and %.3g GB are "
                 "free; the largest that fits is %" PRIu64,
                 p->population, (double)need / 1e9, (double)available / 1e9,
                 memory_largest_population(config, available, engine_cpu_bytes));
    return e;
}

int main(int argc, char **argv) {
    parameters p;
    result_folder folder;
    const int parsed = parameters_parse(&p, argc, argv);
    if (parsed == OPTIONS_SHOWN)
        return (int)close_stdout();
    if (parsed)
        return parsed;

    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a failed write, not a death */
    engine *const e = make_engine(&p);
    if (!e)
        return STATUS_REFUSED;
    exit_status status = result_folder_open(&folder, &p);
    if (!status) {
        printf("seed %" PRIu64 "\n", p.seed);
        status = simulation_run(&p, e, &folder);
        if (!status)
            status = result_folder_publish(&folder);
        if (!status)
            printf("%s\n", folder.path);
        result_folder_close(&folder);
    }
    e->destroy(e);
    const exit_status printed = close_stdout();
    return (int)(status ? status : printed);
}
