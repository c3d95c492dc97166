/* Population annealing as a method: a simulation and its warnings. */
#include "method.h"
#include "progress.h"
#include "settings/plans.h"
#include "simulation.h"
#include "simulation_results.h"

#include <inttypes.h>

/* Runs the simulation on the engines and publishes its results. *number becomes the signal that
 * ended it early, or 0. */
static exit_status run(const parameters *p, const engine_pool *f, result_folder *folder,
                       int *number) {
    simulation s;
    const exit_status begun = simulation_begin(&s, p, f->member, f->count, f->start);
    if (begun)
        return begun;
    tell("seed %" PRIu64 "\n", p->seed);
    progress_announce(p, f->place.device);
    const exit_status made = simulation_run(&s);
    const exit_status published = simulation_publish(&s, folder);
    const exit_status saved = simulation_checkpoints(&s);
    if (!made && !published) {
        tell("%s\n", result_folder_place(folder));
        trust_warn(&s.trust, parameters_advice(p));
        equilibration_warn(&s.equilibrium);
        if (simulation_model(&s)->disordered)
            ground_states_warn(s.ground, p->runs);
        run_weights_warn(&s.weights);
    }
    simulation_warn_of_spins(&s);
    *number = s.interrupted;
    simulation_end(&s);
    return made ? made : published ? published : saved;
}

extern const method annealing_method;
const method annealing_method = {.run = run, .bytes = simulation_bytes};
