/* The model of a graph (model.h). */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

spin_model graph_model(const spin_graph *graph, const spin_model *lattice) {
    spin_model m = {.name = "graph", .title = "the Ising model on a graph", .edge = {1, 1, 1}};
    if (lattice != NULL)
        m = *lattice;
    m.sites = graph->sites;
    m.bonds = graph->bonds;
    m.coordination = 0;
    m.levels = graph->levels;
    m.gaps = 1;
    memset(m.gap, 0, sizeof m.gap);
    m.gap[0] = graph->cheapest;
    m.order_unit = graph->sites % 2 == 0 ? 2 : 1;
    m.disordered = m.coupled = m.incomplete = m.odd_sites = false;
    m.sample = NULL;
    m.graph = graph;
    return m;
}

const char *model_size_text(char text[LATTICE_TEXT_SIZE], const spin_model *m) {
    char edges[LATTICE_TEXT_SIZE];
    if (m->dimension > 0)
        snprintf(text, LATTICE_TEXT_SIZE, "L = %.30s", lattice_text(edges, model_size(m)));
    else
        snprintf(text, LATTICE_TEXT_SIZE, "N = %" PRIu64 " sites", m->sites);
    return text;
}

const bond_origin *model_origin(const spin_model *m) {
    const bond_origin *const origin = m->graph != NULL    ? &m->graph->origin
                                      : m->sample != NULL ? &m->sample->origin
                                                          : NULL;
    return origin != NULL && origin->text[0] != '\0' ? origin : NULL;
}
