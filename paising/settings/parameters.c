/* Values that follow from the parameters (parameters.h). */
#include "parameters.h"

#include "engine/capacity.h"
#include "fraction.h"

const model_kind *parameters_kind(const parameters *p) {
    return model_kinds[p->model];
}

/* The model of the graph that was made. Of energies without levels a report has as many as there are replicas. */
static spin_model model_of_graph(const parameters *p, const spin_model *lattice) {
    spin_model model = graph_model(p->graph, lattice);
    if (model.levels.fine)
        model.levels.count = (uint32_t)population_capacity(p->population, p->word);
    return model;
}

spin_model parameters_model(const parameters *p) {
    const model_kind *const kind = parameters_kind(p);
    uint32_t edge[MODEL_MAX_DIMENSION];
    if (p->graph_file != NULL)
        return model_of_graph(p, NULL);
    lattice_edges(p->size, kind->dimension, edge);
    spin_model lattice = kind->create(edge);
    const bool open = boundary_any(p->boundary, kind->dimension, BOUNDARY_OPEN),
               turned = boundary_any(p->boundary, kind->dimension, BOUNDARY_ANTIPERIODIC);
    const fraction field = fraction_reduced(fraction_read(p->crystal_field));
    if (kind->choose != NULL)
        kind->choose(&lattice, &(state_choice){p->states, field.number, field.unit, p->real,
                                               p->over_relaxation});
    if (lattice.spins == SPINS_VECTOR)
        lattice.levels.count = (uint32_t)population_capacity(p->population, p->word);
    if (p->graph != NULL)
        return model_of_graph(p, &lattice);
    for (uint32_t d = 0; d < kind->dimension; d++)
        if (boundary_of(p->boundary, d) == BOUNDARY_OPEN)
            lattice.bonds -= lattice.sites / edge[d];
    if (lattice.coupled || open || turned)
        lattice = model_with_couplings(lattice, open || p->dilution > 0);
    if (lattice.disordered && p->couplings_type != COUPLINGS_BIMODAL) {
        lattice = model_without_levels(lattice, FINE_UNIT, 0);
        lattice.title = p->couplings_type == COUPLINGS_REAL
                            ? "the Ising spin glass with real couplings"
                            : "the Gaussian Ising spin glass";
        lattice.levels.count = (uint32_t)population_capacity(p->population, p->word);
    }
    return lattice;
}

spin_model parameters_replica(const parameters *p) {
    const spin_model lattice = parameters_model(p);
    return p->stripes > 1 ? model_stripe(lattice, p->stripes) : lattice;
}

step_kind parameters_steps(const parameters *p) {
    return p->overlap > 0       ? STEPS_OVERLAP
           : p->culling > 0     ? STEPS_CULLING
           : p->energy_step > 0 ? STEPS_ENERGY
           : p->betas != NULL   ? STEPS_FILE
           : p->geometric > 0   ? STEPS_GEOMETRIC
                                : STEPS_FIXED;
}

bool parameters_steps_are_adaptive(const parameters *p) {
    const step_kind steps = parameters_steps(p);
    return steps != STEPS_FIXED && steps != STEPS_FILE && steps != STEPS_GEOMETRIC;
}

bool parameters_first_run_decides(const parameters *p) {
    return parameters_steps_are_adaptive(p) || p->sweep_gain > 0;
}

const char *parameters_smaller_steps(const parameters *p) {
    switch (parameters_steps(p)) {
    case STEPS_FIXED:
        break;
    case STEPS_OVERLAP:
        return "a larger overlap (-a)";
    case STEPS_CULLING:
        return "a smaller fraction (--culling)";
    case STEPS_ENERGY:
        return "smaller steps (--energy-step)";
    case STEPS_FILE:
        return "smaller steps (--betas)";
    case STEPS_GEOMETRIC:
        return "smaller steps (--geometric)";
    }
    return "smaller steps (-d)";
}

bool parameters_replicas_correlated(const parameters *p) {
    return p->coding == CODING_MSC && (p->rng == RNG_SHARED || p->rng == RNG_SHARED_REORDER);
}

const update_kind *parameters_acceptance(const parameters *p) {
    const update_kind *const update = update_kinds[p->update];
    return update->order == VISIT_CHECKERBOARD ? update : update_kinds[p->acceptance];
}

visit_plan parameters_visits(const parameters *p) {
    const visit_order order = update_kinds[p->update]->order;
    const bool in_tiles =
        order == VISIT_TILES || order == VISIT_DOUBLE_TILING || order == VISIT_DEAD_BORDER;
    return (visit_plan){.order = order,
                        .tile = in_tiles ? p->tile : 0,
                        .hits = in_tiles ? p->hits : 1,
                        .palindrome = order == VISIT_TILES && p->palindrome,
                        .common = p->common_sites};
}

const char *device_name(device_kind device) {
    switch (device) {
    case DEVICE_AUTO:
        return "auto";
    case DEVICE_CPU:
        return "cpu";
    case DEVICE_CUDA:
        return "cuda";
    }
    return "unknown";
}

static bool has_odd_edge(const parameters *p) {
    const uint32_t dimension = parameters_kind(p)->dimension;
    uint32_t edge[MODEL_MAX_DIMENSION];
    bool odd = false;
    if (!lattice_edges(p->size, dimension, edge))
        return false;
    for (uint32_t d = 0; d < dimension; d++)
        odd = odd || edge[d] % 2 == 1;
    return odd && p->coding == CODING_SSC && parameters_kind(p)->spins == SPINS_ISING;
}

/* Sweeps below an energy ceiling are those of graphs. */
static bool has_ceiling(const parameters *p) {
    return p->method == METHOD_microcanonical && parameters_kind(p)->spins == SPINS_ISING;
}

bool parameters_ask_for_graph(const parameters *p) {
    return p->graph_file != NULL || p->field != NULL || p->random_field != NULL ||
           has_odd_edge(p) || has_ceiling(p);
}

bool parameters_have_walkers(const parameters *p) {
    return p->method == METHOD_multicanonical || p->method == METHOD_wang_landau;
}

#define METHOD(file, name, title, meaning) {name, title},
static const struct {
    const char *name, *title;
} methods[] = {
#include "method_list.h"
};
#undef METHOD

const char *method_name(method_kind method) {
    return methods[method].name;
}

const char *method_title(method_kind method) {
    return methods[method].title;
}
