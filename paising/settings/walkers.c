/* Rules of the walkers of flat histograms (walkers.h). */
#include "walkers.h"

#include "engine/walk.h"
#include "plans.h"

#include <inttypes.h>

/* Thresholds of a window of walkers; those of a graph, whose changes are counted level by level, mostly never decide. */
#define MOST_THRESHOLDS          (UINT64_C(1) << 30)
#define MOST_THRESHOLDS_OF_GRAPH (UINT64_C(1) << 26)

/* Checks the range of energies that walkers have. */
static int check_range(const parameters *p, message m, const spin_model *model, walk_range range) {
    const energy_levels l = model->levels;
    const walk_range all = walk_range_of(model, p->boundary);
    const double unit = level_unit(l);
    if (p->highest_energy < p->lowest_energy)
        return refuse(m, "--lowest-energy %.15g: must not be above --highest-energy %.15g",
                      p->lowest_energy, p->highest_energy);
    if (range.count >= LEAST_WINDOW)
        return 0;
    return refuse(
        m,
        "--lowest-energy %.15g, --highest-energy %.15g: %" PRIu32
        " energies between them, and %d are needed; those of the %s are from %.15g "
        "to %.15g, %.15g apart",
        p->lowest_energy, p->highest_energy, range.count, LEAST_WINDOW,
        model->dimension > 0 ? "lattice" : "graph", (double)level_energy(l, all.lowest) / unit,
        (double)level_energy(l, all.lowest + all.count - 1) / unit, (double)l.spacing / unit);
}

/* Checks how many thresholds walkers have. */
static int check_thresholds(const parameters *p, message m, const spin_model *model) {
    const bool is_graph = model->graph != NULL;
    const uint64_t entries = (uint64_t)model->levels.count * walk_changes(model),
                   most = is_graph ? MOST_THRESHOLDS_OF_GRAPH : MOST_THRESHOLDS;
    if (entries < most)
        return 0;
    return refuse(m,
                  "--method %s: %" PRIu32 " energies with %" PRIu32
                  " changes of each are too many, %" PRIu64 " are allowed: %s",
                  method_name(p->method), model->levels.count, walk_changes(model), most - 1,
                  is_graph ? "a smaller graph, or J and h with fewer digits"
                           : "a smaller lattice, or a --crystal-field with a smaller denominator");
}

int check_walkers(const parameters *p, message m) {
    const spin_model model = parameters_model(p);
    if (model.incomplete)
        return refuse(m,
                      "%s: not allowed with --method %s on a lattice with even edges, whose bonds "
                      "must all be there; with --field 0 it is a graph, whose need not",
                      p->dilution > 0 ? "--dilution" : "--boundary open", method_name(p->method));
    if (check_thresholds(p, m, &model))
        return -1;
    const walk_range range = parameters_range(p, &model);
    if (check_range(p, m, &model, range))
        return -1;
    const uint32_t levels = walk_window_levels(range, p->windows, p->window_overlap);
    if (p->windows > 1 && levels < LEAST_WINDOW)
        return refuse(m,
                      "--windows %" PRIu32 ": with %" PRIu32 " energies a window has %" PRIu32
                      ", and %d are needed: fewer windows",
                      p->windows, range.count, levels, LEAST_WINDOW);
    return 0;
}
