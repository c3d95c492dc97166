/* The data file of a search of the lowest energy (ground_results.h). */
#include "ground_results.h"

#include "base/number.h"
#include "result_names.h"
#include "results.h"
#include "series_results.h"

#include <math.h>

static const file_column columns[] = {
    {"run", "number of the run"},
    {"R", "population size"},
    {"theta", "sweeps at a temperature"},
    {"beta", "last inverse temperature, in 1/J"},
    {"counts",
     "1: counts towards the probability; 0: has chosen beta, theta and R, or is not behind the "
     "run that first saw the lowest energy"},
    {"E_min", "lowest energy of the run, of the lattice; nan: the population died out"},
    {"E_end", "lowest energy at the last temperature"},
    {"replicas", "replicas with it"},
    {"families", "families with it"},
    {"doubt", "0: none; 2: a lower energy was lost; 3: too few families; 4: too warm"},
    {"ln_g", "ln of the number of states of this energy, from the free energy"},
    {"err_ln_g", "error of ln_g"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void remark(char text[], size_t size, const parameters *p, const ground_summary *s) {
    char width[NUMBER_TEXT_SIZE], missed[NUMBER_TEXT_SIZE], least[NUMBER_TEXT_SIZE],
        most[NUMBER_TEXT_SIZE], ln_g[NUMBER_TEXT_SIZE], error[NUMBER_TEXT_SIZE],
        solution[NUMBER_TEXT_SIZE], spread[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE],
        high[NUMBER_TEXT_SIZE];
    const success_effort *const effort = &s->solution;
    snprintf(
        text, size,
        "lowest energy seen: %.12g, first by run %zu (no run can say that there is none below)\n"
        "# runs behind it that count: %zu, of which reached it: %zu\n"
        "# probability that such a run misses it: %s, from %s to %s (95%%, Wilson; to be at most "
        "%s apart)\n"
        "# time to solution (99%%), in times of such a run: %s, error %s (bootstrap), from %s to "
        "%s (95%%)\n"
        "# ln g, g the number of states with it, global flips among them: %s +- %s\n"
        "# (mean of g over these runs, 0 where it was missed; the larger one of their scatter and "
        "their own errors)",
        s->lowest, s->first, s->counted, s->hits, number_rounded_text(missed, s->missed.missed, 3),
        number_rounded_text(least, s->missed.least, 3),
        number_rounded_text(most, s->missed.most, 3), number_text(width, p->miss_width),
        number_rounded_text(solution, effort->runs, 4),
        number_rounded_text(spread, effort->error, 2), number_rounded_text(low, effort->least, 4),
        number_rounded_text(high, effort->most, 4), number_rounded_text(ln_g, s->ln_g, 6),
        number_rounded_text(error, s->ln_g_error, 2));
}

exit_status results_write_ground_runs(result_folder *folder, const parameters *p,
                                      const spin_model *model, const ground_run run[], size_t count,
                                      const ground_summary *s) {
    char text[1200];
    remark(text, sizeof text, p, s);
    FILE *const file = series_results_begin(folder, GROUND_FILE, p, model, text, columns, COLUMNS);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t n = 0; n < count; n++) {
        const ground_states *const g = &run[n].states;
        const bool ended = g->replicas > 0;
        const double x[COLUMNS] = {(double)n,
                                   (double)run[n].population,
                                   (double)run[n].sweeps,
                                   run[n].beta,
                                   ground_runs_counts(run, s, n) ? 1 : 0,
                                   ended ? g->seen : NAN,
                                   ended ? g->energy : NAN,
                                   (double)g->replicas,
                                   (double)g->families,
                                   (double)ground_states_doubt(g),
                                   ended ? g->ln_g : NAN,
                                   ended ? g->ln_g_error : NAN};
        results_print_row(file, p->precision, x, COLUMNS);
    }
    return STATUS_OK;
}
