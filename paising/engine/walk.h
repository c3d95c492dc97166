/* Walks of flat-histogram methods: replicas change single spins at random sites, with a weight W of each energy level instead of a
 * temperature. An attempt changes the spin of a site with the probability min[1, W(E') / W(E)], where E' is the energy behind the
 * change, and then counts the level of the walker, changed or not. All walkers try the same sequence of sites; each has random
 * numbers of its own (streams.h, `walk`). A spin with more than two states goes to one of the others, each with the same probability.
 *
 * Engines are told the probabilities as integers: P = threshold / 2^31, and a number r of 32 bits flips if r / 2 is below the
 * threshold. So 2^31 always flips and 0 never does.
 *
 * An attempt moves c - walk_changes / 2 levels up, c = 0 .. walk_changes - 1. A spin of Ising with c of z bonds satisfied does so: levels
 * are 4 J apart (engine_has_walkers). Of other spins c is found from what the change costs (walk_change). */
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
    uint64_t first, count;   /* replicas first .. first + count - 1 */
    uint32_t lowest, levels; /* their levels are lowest .. lowest + levels - 1 */
    const uint32_t *
        threshold; /* [levels][walk_changes] by level and c; 0 where the change leaves these levels */
    uint64_t *visits; /* [levels] output: attempts behind which a walker was in the level */
} walk_window;

/* Some attempts of each walker. */
typedef struct {
    stream_key key;            /* of this run */
    uint32_t number;           /* of this walk, from 1 */
    uint32_t attempts;         /* of each walker, WALK_MOST_ATTEMPTS at most */
    const walk_window *window; /* [windows] which have all replicas, in their order */
    size_t windows;
    uint32_t *least,
        *most; /* [replicas] output: the extreme levels of each walker behind its attempts */
} engine_walk;

C_DECLARATIONS_BEGIN

/* The levels lowest .. lowest + count - 1, outside of which no state is. */
typedef struct {
    uint32_t lowest, count;
} walk_range;

/* That of a model: all levels, but where some edges of a ferromagnet are antiperiodic. A line of bonds around such an edge has an odd number of bonds
 * J = -1, of Lx bonds, an even number: one bond at least is unsatisfied, and one is satisfied. */
walk_range walk_range_of(const spin_model *model, lattice_boundary boundary);

/* The levels of each of some windows over a range, of which neighbours share the part `overlap`, from 0 on, and one level at
 * least; and the lowest level of window k. */
#define LEAST_WINDOW 4
uint32_t walk_window_levels(walk_range all, uint32_t windows, double overlap);
uint32_t walk_window_lowest(walk_range all, uint32_t windows, uint32_t levels, uint32_t k);

/* How many changes of the level an attempt can cause: an odd number, from -(n - 1) / 2 levels to (n - 1) / 2. */
uint32_t walk_changes(const spin_model *model);

/* Whether there are states of the highest level of the range; not known of glasses: false. The lowest one has states, but of glasses. */
bool walk_reaches_top(const spin_model *model);

/* The neighbours of each site across its z bonds: [N][z], site << 1 | (J = -1), sites as in couplings.h, in the order of
 * state_neighbours. The caller frees them; NULL without memory. */
uint32_t *walk_bonds(const spin_model *model);

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

/* By how many levels a walker goes up that takes site x, y, z of its lattice from a state to another. `spacing`: of the levels. */
STREAM_FUNCTION int32_t walk_change(const state_lattice *l, int32_t spacing, const uint8_t *around,
                                    uint32_t neighbours, uint32_t from, uint32_t to) {
    return (int32_t)state_cost(l, around, neighbours, from, to) / spacing;
}

STREAM_FUNCTION stream_block walk_sites(stream_key key, uint32_t number, uint32_t quad) {
    return stream_draw(key, STREAM_WALK, quad, 0, 1, number);
}

#endif
