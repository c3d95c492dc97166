/* The exact number of states of every energy of a graph with few sites, and the order parameter there: all states, one after the other. */
#ifndef PAISING_GRAPH_STATES_H
#define PAISING_GRAPH_STATES_H

#include "exact.h"
#include "model/graph.h"

#define GRAPH_STATES_MAX_SITES 28 /* a few seconds */
#define GRAPH_STATES_MAX_BETA  1e290

/* The states of an energy level, and sums over them of |M|, M^2 and M^4. */
typedef struct {
    uint64_t states, abs_m, m2, m4;
} graph_level;

typedef struct {
    uint32_t sites;
    energy_levels levels;
    graph_level *level; /* [levels.count] */
} graph_states;

/* Counts the states. Pre: a graph with levels, of GRAPH_STATES_MAX_SITES at most. Returns false without memory. */
bool graph_states_count(graph_states *s, const spin_graph *g);
void graph_states_destroy(graph_states *s);

/* <|M|> / N, <M^2> / N^2 and <M^4> / N^4. */
typedef struct {
    double abs_m, m2, m4;
} graph_order;

/* The averages at beta from 0 to GRAPH_STATES_MAX_BETA, energies in units of J. */
exact_result graph_states_thermodynamics(const graph_states *s, double beta, graph_order *order);

/* The order parameter of a level, which has states. */
graph_order graph_states_order(const graph_states *s, size_t level);

#endif
