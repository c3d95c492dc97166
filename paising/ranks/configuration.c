/* The configuration of an engine on its way to the other ranks, with the couplings or the graph of its model. */
#include "commands.h"

#include <stdlib.h>

/* What a configuration is made of. */
typedef struct {
    engine_config config;
    char model[32];
    bool of_sample, missing, valued; /* there is a sample; bonds of it are missing; J has values */
    bool of_graph;                   /* there is a graph, ... */
    spin_graph graph;                /* ... without what its pointers lead to */
    int device;
} config_command;

static config_command command_of(const engine_config *config, int device) {
    const spin_model *const m = &config->model;
    config_command o = {.config = *config,
                        .of_sample = m->sample != NULL,
                        .missing = m->sample != NULL && m->sample->missing != NULL,
                        .valued = m->sample != NULL && m->sample->value != NULL,
                        .of_graph = m->graph != NULL,
                        .device = device};
    snprintf(o.model, sizeof o.model, "%s", m->name);
    if (o.of_graph)
        o.graph = *m->graph;
    return o;
}

/* --- models --- */

/* The lattice of this name and these edges, and with this choice of states. */
static spin_model rebuilt(const config_command *o) {
    const spin_model *const sent = &o->config.model;
    const model_kind *const kind = model_kind_named(o->model);
    spin_model model = kind->create(sent->edge);
    if (kind->choose != NULL)
        kind->choose(&model, &(state_choice){sent->states, sent->crystal_field, sent->levels.unit,
                                             sent->real, sent->reflections});
    if (sent->coupled)
        model = model_with_couplings(model, sent->incomplete);
    if (sent->levels.fine && sent->spins == SPINS_ISING)
        model = model_without_levels(model, sent->levels.unit, 0);
    if (sent->levels.fine)
        model.levels.count = sent->levels.count;
    return model;
}

/* The model of a graph, which may be that of a lattice of this name. */
static spin_model rebuilt_of_graph(const config_command *o, const spin_graph *graph) {
    const spin_model *const sent = &o->config.model;
    const model_kind *const kind = model_kind_named(o->model);
    const spin_model lattice = kind != NULL ? kind->create(sent->edge) : *sent;
    spin_model model = graph_model(graph, kind != NULL ? &lattice : NULL);
    model.levels = sent->levels;
    return model;
}

/* --- bonds --- */

/* Makes the couplings that follow a command. Returns whether there is memory. */
static bool make_couplings(const config_command *o, const spin_model *m, couplings *c) {
    bool made = couplings_create(c, m->dimension, m->edge);
    if (made && o->missing) {
        c->missing = calloc((c->bonds + 63) / 64, sizeof *c->missing);
        made = c->missing != NULL;
    }
    return made && (!o->valued || couplings_allocate_values(c));
}

/* The same for a graph. */
static bool make_graph(const config_command *o, spin_graph *g) {
    *g = o->graph;
    return graph_allocate(g);
}

/* Whether all ranks have made what is sent to them. */
static bool all_have_made(bool made) {
    char reason[1];
    return world_agrees(made ? NULL : "", reason, sizeof reason);
}

static bool send_couplings(const config_command *o, engine_config *config, model_bonds *bonds) {
    const bool here = ranks_world().rank == 0;
    const spin_model *const m = &config->model;
    const size_t values = m->dimension * m->sites, words = (values + 63) / 64;
    if (!all_have_made(here || make_couplings(o, m, &bonds->couplings)))
        return false;
    const couplings *const c = here ? m->sample : &bonds->couplings;
    world_broadcast(c->negative, words * sizeof *c->negative);
    if (o->missing)
        world_broadcast(c->missing, words * sizeof *c->missing);
    if (o->valued)
        world_broadcast(c->value, values * sizeof *c->value);
    if (!here)
        config->model = model_of_sample(config->model, c);
    return true;
}

static bool send_graph(const config_command *o, engine_config *config, model_bonds *bonds) {
    const bool here = ranks_world().rank == 0;
    const size_t sites = o->graph.sites, ends = 2 * o->graph.bonds;
    if (!all_have_made(here || make_graph(o, &bonds->graph)))
        return false;
    const spin_graph *const g = here ? config->model.graph : &bonds->graph;
    world_broadcast(g->first_of_colour, (sites + 1) * sizeof *g->first_of_colour);
    world_broadcast(g->number, sites * sizeof *g->number);
    world_broadcast(g->first, (sites + 1) * sizeof *g->first);
    world_broadcast(g->neighbour, ends * sizeof *g->neighbour);
    world_broadcast(g->coupling, ends * sizeof *g->coupling);
    world_broadcast(g->weight, ends * sizeof *g->weight);
    world_broadcast(g->field, sites * sizeof *g->field);
    world_broadcast(g->base, sites * sizeof *g->base);
    if (!here)
        config->model = rebuilt_of_graph(o, g);
    return true;
}

void model_bonds_destroy(model_bonds *b) {
    couplings_destroy(&b->couplings);
    graph_destroy(&b->graph);
}

bool command_send_config(engine_config *config, int *device, model_bonds *bonds) {
    const bool here = ranks_world().rank == 0;
    config_command o = here ? command_of(config, *device) : (config_command){.device = 0};
    world_broadcast(&o, sizeof o);
    if (!here) {
        *config = o.config;
        *device = o.device;
    }
    if (o.of_graph)
        return send_graph(&o, config, bonds);
    if (!here)
        config->model = rebuilt(&o);
    return !o.of_sample || send_couplings(&o, config, bonds);
}
