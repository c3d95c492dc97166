/* Walks of flat-histogram methods: replicas change single spins at random sites, with a weight W of each energy level instead of a
 * temperature. An attempt changes the spin of a site with the probability min[1, W(E') / W(E)], where E' is the energy behind the
 * change, and then counts the level of the walker, changed or not. All walkers try the same sequence of sites; each has random
 * numbers of its own (streams.h, `walk`). A spin with more than two states goes to one of the others, each with the same probability.
 *
 * Engines are told the probabilities as integers: P = threshold / 2^31, and a number r of 32 bits flips if r / 2 is below the
 * threshold. So 2^31 always flips and 0 never does.
 *
 * An attempt would make one of few changes c, and moves walk_levels_up(c) levels up. Of an Ising spin c is the number of its satisfied
 * bonds: levels are 4 J apart (engine_has_walkers). Of a graph it is the number of levels, walk_graph_change. Of other spins walk_change_of
 * finds it. */
#ifndef PAISING_WALK_H
#define PAISING_WALK_H

#include "model/boundary.h"
#include "model/model.h"
#include "states.h"
#include "streams.h"

#include <stddef.h>
#include <stdint.h>

#define WALK_CERTAIN (UINT32_C(1) << 31) /* the threshold of what is always accepted */

/* Attempts of a walk at most: four share a position of their stream. */
#define WALK_MOST_ATTEMPTS (UINT32_C(1) << 26)

/* Walkers with the same weights. */
typedef struct {
    uint64_t first, count;     /* replicas first .. first + count - 1 */
    uint32_t lowest, levels;   /* their levels are lowest .. lowest + levels - 1 */
    const uint32_t *threshold; /* [levels][walk_changes]; 0 where the change leaves these levels */
    uint64_t *visits; /* [levels] output: attempts behind which a walker was in the level */
} walk_window;

/* Some attempts of each walker: a walk, or a piece of one. */
typedef struct {
    stream_key key;    /* of this run */
    uint32_t number;   /* of this walk, from 1 */
    uint32_t begin;    /* attempts of the walk that each walker has made before, a multiple of 4 */
    uint32_t attempts; /* of each walker from there on; with `begin` WALK_MOST_ATTEMPTS at most */
    const walk_window *window; /* [windows] which have all replicas, in their order */
    size_t windows;
    uint32_t *least, *most; /* [replicas] output: extreme levels of each walker behind attempts */
} engine_walk;

C_DECLARATIONS_BEGIN

/* The levels lowest .. lowest + count - 1, outside of which no state is. */
typedef struct {
    uint32_t lowest, count;
} walk_range;

/* That of a model: all levels, but where some edges of a ferromagnet that is no graph are antiperiodic. A line around such an edge has an
 * even number of bonds, of which an odd number are J = -1: one bond at least is unsatisfied, and one is satisfied. */
walk_range walk_range_of(const spin_model *model, lattice_boundary boundary);

/* The levels of a range whose energies are from `lowest` to `highest`, in J; files round energies. count 0: there are none. */
walk_range walk_range_between(const spin_model *model, walk_range all, double lowest,
                              double highest);

/* The levels of each of some windows over a range, of which neighbours share the part `overlap`, from 0 on, and one level at
 * least; and the lowest level of window k. */
#define LEAST_WINDOW 4
uint32_t walk_window_levels(walk_range all, uint32_t windows, double overlap);
uint32_t walk_window_lowest(walk_range all, uint32_t windows, uint32_t levels, uint32_t k);

/* How many changes an attempt can make; and by how many levels a walker goes up in change c = 0 .. walk_changes - 1. */
uint32_t walk_changes(const spin_model *model);
int64_t walk_levels_up(const spin_model *model, uint32_t c);

/* Finds changes that no attempt makes: sets made[walk_changes] where a flip of some site of a graph can cost as much, and of other models
 * everywhere. Returns false without memory. */
bool walk_find_changes(const spin_model *model, bool *made);

/* Finds levels without states: clears occurs[levels] where the energy is no sum of bonds and crystal fields, and sets the others. Of a
 * graph all are set, as it is not known which have states. Returns false without memory. */
bool walk_find_levels(const spin_model *model, bool *occurs);

/* Whether there are states of the lowest level of the range, and of the highest one. false: there are none, or it is not known, as of glasses and
 * graphs. */
bool walk_reaches_bottom(const spin_model *model);
bool walk_reaches_top(const spin_model *model);

/* The neighbours of each site across its z bonds: [N][z], site << 1 | (J = -1), sites as in couplings.h, in the order of
 * state_neighbours. The caller frees them; NULL without memory. */
uint32_t *walk_bonds(const spin_model *model);

/* A site of a graph: its place (graph.h), its links begin .. end - 1, and what a flip of its spin costs with all neighbours down, if it is up, over
 * the spacing. Of a neighbour that is up its weight is added. */
typedef struct {
    uint32_t place, begin, end;
    int32_t base;
} walk_site_of_graph;

typedef struct {
    uint32_t place;
    int32_t weight;
} walk_link;

/* Fills site[N], by the numbers of the list, and link[2 bonds]. A graph with levels has fewer than 2^22 bonds. */
void walk_fill_graph(const spin_graph *graph, walk_site_of_graph *site, walk_link *link);

C_DECLARATIONS_END

/* The site of an attempt, with the probability 1/N within N / 2^32, from its number. Weights that are kept by each site are kept,
 * whatever the probabilities of the sites are. */
STREAM_FUNCTION uint32_t walk_site(uint32_t number, uint32_t sites) {
    return (uint32_t)((uint64_t)number * sites >> 32);
}

/* Four attempts' numbers: whether a walker's spins flip; and the sites. */
STREAM_FUNCTION stream_block walk_numbers(stream_key key, uint32_t number, uint32_t quad,
                                          uint32_t walker) {
    return stream_draw(key, STREAM_WALK, quad, walker, 0, number);
}

/* Those of the states that spins other than Ising's are to go to. */
STREAM_FUNCTION stream_block walk_proposals(stream_key key, uint32_t number, uint32_t quad,
                                            uint32_t walker) {
    return stream_draw(key, STREAM_WALK, quad, walker, 2, number);
}

/* The state that an attempt proposes: one of the others, with the probability 1 / (q - 1) within 2^-32. */
STREAM_FUNCTION uint32_t walk_proposal(uint32_t number, uint32_t states, uint32_t from) {
    const uint32_t other = (uint32_t)((uint64_t)number * (states - 1) >> 32);
    return other + (other >= from);
}

/* The number of a change, and by how many levels a walker goes up in it. */
typedef struct {
    uint32_t c;
    int32_t up;
} walk_change;

/* That of a spin other than Ising's which goes from a state to another. `spacing`: of the levels. The changes of Potts and of Baxter and
 * Wu are in the order of their levels. Those of Blume and Capel go from -1 or 1 to the opposite state, from there to 0, and from 0, each
 * in the order of the part of the neighbours; so the crystal field does not add to their number. */
STREAM_FUNCTION walk_change walk_change_of(const state_lattice *l, int32_t spacing,
                                           const uint8_t *around, uint32_t neighbours,
                                           uint32_t from, uint32_t to) {
    walk_change change = {neighbours,
                          (int32_t)state_cost(l, around, neighbours, from, to) / spacing};
    if (l->spins == SPINS_BLUME_CAPEL) {
        uint32_t sum = 0; /* of the neighbours, z more */
        for (uint32_t n = 0; n < neighbours; n++)
            sum += around[n];
        change.c = (from == 1 ? 2u : to == 1) * (2 * neighbours + 1) +
                   (to > from ? 2 * neighbours - sum : sum);
        return change;
    }
    if (l->spins == SPINS_BAXTER_WU)
        change.c /= 2;
    change.c += (uint32_t)change.up;
    return change;
}

/* The same of a flip of a graph's spin, from what it costs if the spin is up. most: most_change of the graph. */
STREAM_FUNCTION walk_change walk_graph_change(int32_t cost_up, bool up, uint32_t most) {
    const int32_t change = up ? cost_up : -cost_up;
    return (walk_change){(uint32_t)change + most, change};
}

STREAM_FUNCTION stream_block walk_sites(stream_key key, uint32_t number, uint32_t quad) {
    return stream_draw(key, STREAM_WALK, quad, 0, 1, number);
}

#endif
