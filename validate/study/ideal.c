/* build/study_ideal: paising with the options of paising, but with infinitely many sweeps (ideal_engine.h): square ferromagnets
 * of equal edges up to 40. The result goes into the folder -o, and what became of the families into a file of that name
 * with .families behind it. Statuses are those of paising. */
#include "base/clock.h"
#include "base/message.h"
#include "base/signals.h"
#include "command/options.h"
#include "engine/capacity.h"
#include "files/result_folder.h"
#include "ideal_engine.h"
#include "method/simulation.h"
#include "method/simulation_results.h"
#include "reference/energy_states.h"

#include <errno.h>
#include <string.h>

/* What there are exact energies of. */
static exit_status check(const parameters *p) {
    const spin_model model = parameters_model(p);
    if (p->model != 0 || model.edge[0] != model.edge[1] || model.sites > SQUARE_STATES_MAX_SITES)
        return complain(STATUS_REFUSED,
                        "exact energies are known of --model square, -L up to 40, equal edges");
    if (p->output == NULL || p->samples > 1 || p->in_flight > 1 || p->checkpoint || p->resume)
        return complain(STATUS_REFUSED, "the result needs a folder, -o; there are no checkpoints, "
                                        "and runs are made one after the other");
    return STATUS_OK;
}

static exit_status simulate(const parameters *p, engine *e) {
    result_folder folder;
    simulation s;
    exit_status status = result_folder_open(&folder, p);
    if (status)
        return status;
    status = simulation_begin(&s, p, &e, 1, clock_seconds());
    if (!status) {
        const exit_status made = simulation_run(&s), published = simulation_publish(&s, &folder);
        status = made ? made : published;
        if (!status && s.interrupted)
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
    if (parsed || check(&p))
        return STATUS_REFUSED;
    char path[4096];
    if (snprintf(path, sizeof path, "%s.families", p.output) >= (int)sizeof path)
        return complain(STATUS_REFUSED, "-o: the name is too long");
    FILE *const log = fopen(path, "we");
    if (log == NULL)
        return complain(STATUS_REFUSED, "%s: %s", path, strerror(errno));
    fprintf(log, "# beta R families rho_t rho_s\n");
    const spin_model model = parameters_model(&p);
    level_states states;
    engine *e = NULL;
    if (level_states_create(&states, &model))
        e = ideal_engine(&model, &states, population_capacity(p.population, p.word), p.resampling,
                         log);
    signals_catch();
    exit_status status =
        e != NULL ? simulate(&p, e) : complain(STATUS_REFUSED, "not enough memory");
    if (e != NULL)
        e->verbs->destroy(e);
    level_states_destroy(&states);
    if (fclose(log) != 0)
        status = complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    const exit_status printed = close_stdout();
    return (int)(status ? status : printed);
}
