/* Models whose spins are not Ising's: the numbers that decide their local updates, and the decisions, one implementation for
 * CPU and GPU.
 *
 * A spin is a byte, its state s = 0 .. q - 1. An update of a site reads the states around it, and a random number x of 64
 * bits. Tables have whole numbers for exp(-beta dE): weights in units of 2^-56, probabilities in units of 2^-64. So each
 * probability is missed by less than 2^-50. (reference/plain_states.c does the same.)
 *
 * Lattices have the sites of couplings.h. The sites of a colour have no neighbours among themselves: of lattices with even
 * edges there are two colours, of those with an odd edge, and of the triangular lattice, three. A sweep takes one colour
 * after the other. */
#ifndef PAISING_STATES_H
#define PAISING_STATES_H

#include "base/portable.h"
#include "base/wide.h"
#include "model/model.h"
#include "update/update.h"

#define STATES_MOST      64
#define STATE_NUMBERS    80
#define STATE_NEIGHBOURS (2 * MODEL_MAX_DIMENSION) /* at most */
#define STATE_WEIGHT_ONE 0x1p56

/* What decides the local updates at one temperature.
 *
 *   Potts, heat bath         number[d]: the weight exp(-beta d)
 *   Potts, Metropolis        number[d]: the probability exp(-beta d), d > 0
 *   Blume-Capel, heat bath   number[2 (h + z)]: the probability of S = -1 where the neighbours' S add up to h, and
 *                            number[2 (h + z) + 1] that of S < 1; z neighbours
 *   Blume-Capel, Metropolis  number[6 (h + z) + 2 s + n]: the probability of going from state s to the n-th of the others
 *   Baxter-Wu, heat bath     number[3 + t / 2]: the probability of S = 1, t the sum of S' S'' over the triangles of the site
 *   Baxter-Wu, Metropolis    number[3 + S t / 2]: the probability of a flip, S t > 0 */
typedef struct {
    bool heat_bath; /* or Metropolis */
    /* neither: another state is taken if the energy then is `most` at most, in units of J / unit */
    bool bounded;
    int64_t most;
    uint64_t number[STATE_NUMBERS];
} state_rule;

/* A lattice of such spins. */
typedef struct {
    spin_family spins;
    uint32_t states, dimension, colours;
    uint32_t edge[MODEL_MAX_DIMENSION], sites;
    int64_t field, unit; /* of Blume and Capel: D in units of J / unit */
} state_lattice;

C_DECLARATIONS_BEGIN

/* The rule of a ceiling, in units of J / unit: all states up to this energy have the same probability. */
state_rule state_rule_below(int64_t most);

/* The rule of an update, Metropolis or heat bath, at inverse temperature beta. */
state_rule state_rule_at(const update_kind *update, const spin_model *model, double beta);

state_lattice state_lattice_of(const spin_model *model);

C_DECLARATIONS_END

/* floor(a b / 2^64). */
SHARED_FUNCTION uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)((uint128)a * b >> 64);
#endif
}

/* --- random numbers (streams.h) --- */

/* The numbers of a site are the first two or the last two of a position, that of sites i and i + 2 if i is 4 n or 4 n + 1. */
SHARED_FUNCTION uint32_t state_position(uint32_t site) {
    return site / 4 * 2 + site % 2;
}

SHARED_FUNCTION uint64_t state_number(const uint32_t four[4], uint32_t site) {
    const uint32_t n = site & 2;
    return (uint64_t)four[n + 1] << 32 | four[n];
}

/* --- sites --- */

/* The colour of site x, y, z; of Baxter and Wu its sub-lattice. With an odd edge the last coordinate of a direction counts as 2, the others as 0 or 1 in turn;
 * the sum of the three, modulo 3, differs between neighbours. */
SHARED_FUNCTION uint32_t state_colour(const state_lattice *l, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t at[MODEL_MAX_DIMENSION] = {x, y, z};
    uint32_t sum = 0;
    if (l->spins == SPINS_BAXTER_WU)
        return (x + 2 * y) % 3;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++)
        sum += l->edge[d] % 2 == 1 && l->edge[d] > 1 && at[d] == l->edge[d] - 1 ? 2 : at[d] % 2;
    return sum % l->colours;
}

/* The site dx, dy from site x, y of a plane, each -1, 0 or 1. */
SHARED_FUNCTION uint32_t state_site(const state_lattice *l, uint32_t x, uint32_t y, int dx,
                                    int dy) {
    const uint32_t lx = l->edge[0], ly = l->edge[1];
    const uint32_t to_x = dx > 0   ? (x + 1 < lx ? x + 1 : 0)
                          : dx < 0 ? (x > 0 ? x : lx) - 1
                                   : x,
                   to_y = dy > 0   ? (y + 1 < ly ? y + 1 : 0)
                          : dy < 0 ? (y > 0 ? y : ly) - 1
                                   : y;
    return to_y * lx + to_x;
}

/* Fills around[] with the states of the neighbours of site i, which is x, y, z. Returns how many there are. Those of the
 * triangular lattice go once around the site, so that two that follow each other make a triangle with it. */
SHARED_FUNCTION uint32_t state_neighbours(const state_lattice *l, const uint8_t *spin, uint32_t i,
                                          uint32_t x, uint32_t y, uint32_t z,
                                          uint8_t around[STATE_NEIGHBOURS]) {
    const uint32_t at[MODEL_MAX_DIMENSION] = {x, y, z};
    uint32_t step = 1;
    if (l->spins == SPINS_BAXTER_WU) {
        around[0] = spin[state_site(l, x, y, 1, 0)];
        around[1] = spin[state_site(l, x, y, 0, 1)];
        around[2] = spin[state_site(l, x, y, -1, 1)];
        around[3] = spin[state_site(l, x, y, -1, 0)];
        around[4] = spin[state_site(l, x, y, 0, -1)];
        around[5] = spin[state_site(l, x, y, 1, -1)];
        return 6;
    }
    for (uint32_t d = 0; d < l->dimension; d++) {
        const uint32_t row = (l->edge[d] - 1) * step; /* from the first to the last site */
        around[2 * d] = spin[at[d] + 1 < l->edge[d] ? i + step : i - row];
        around[2 * d + 1] = spin[at[d] > 0 ? i - step : i + row];
        step *= l->edge[d];
    }
    return 2 * l->dimension;
}

/* --- Potts: E = -sum delta(s, s') --- */

/* The heat bath: a state with n of its neighbours has the weight exp(beta n). The weights, over exp(beta most), with `most`
 * the largest n, are summed in two parts: each of the q states has that of no neighbour, and the k-th neighbour in a state
 * adds the weight of k neighbours less that of k - 1. So the time does not grow with q. */
SHARED_FUNCTION uint32_t potts_heat_bath(const state_rule *rule, uint32_t states,
                                         const uint8_t *around, uint32_t neighbours, uint64_t x) {
    const uint64_t *const weight = rule->number;
    uint32_t rank[STATE_NEIGHBOURS], most = 1;
    for (uint32_t n = 0; n < neighbours; n++) {
        rank[n] = 1;
        for (uint32_t k = 0; k < n; k++)
            rank[n] += around[k] == around[n];
        most = rank[n] > most ? rank[n] : most;
    }
    uint64_t total = states * weight[most];
    for (uint32_t n = 0; n < neighbours; n++)
        total += weight[most - rank[n]] - weight[most - rank[n] + 1];
    uint64_t y = high_product(x, total);
    for (uint32_t n = 0; n < neighbours; n++) {
        const uint64_t part = weight[most - rank[n]] - weight[most - rank[n] + 1];
        if (y < part)
            return around[n];
        y -= part;
    }
    return (uint32_t)(y / weight[most]);
}

/* Metropolis: another state is proposed, each with the probability 1 / (q - 1), which x (q - 1) / 2^64 says; what is behind its
 * point decides. */
SHARED_FUNCTION uint32_t potts_metropolis(const state_rule *rule, uint32_t states,
                                          const uint8_t *around, uint32_t neighbours, uint32_t from,
                                          uint64_t x) {
    const uint32_t other = (uint32_t)high_product(x, states - 1), to = other + (other >= from);
    const uint64_t behind = x * (states - 1);
    uint32_t here = 0, there = 0;
    for (uint32_t n = 0; n < neighbours; n++) {
        here += around[n] == from;
        there += around[n] == to;
    }
    return here <= there || behind < rule->number[here - there] ? to : from;
}

/* --- Blume-Capel: E = -sum S S' + D sum S^2, S = s - 1 --- */

SHARED_FUNCTION uint32_t blume_capel_update(const state_rule *rule, const uint8_t *around,
                                            uint32_t neighbours, uint32_t from, uint64_t x) {
    uint32_t sum = 0; /* h + z */
    for (uint32_t n = 0; n < neighbours; n++)
        sum += around[n];
    if (rule->heat_bath)
        return x < rule->number[2 * sum] ? 0 : x < rule->number[2 * sum + 1] ? 1 : 2;
    const uint32_t other = (uint32_t)(x >> 63), to = other + (other >= from);
    return 2 * x < rule->number[6 * sum + 2 * from + other] ? to : from;
}

/* --- Baxter-Wu: E = -sum S S' S'' over triangles, S = 2 s - 1 --- */

SHARED_FUNCTION uint32_t baxter_wu_update(const state_rule *rule, const uint8_t *around,
                                          uint32_t from, uint64_t x) {
    uint32_t equal = 0; /* pairs of equal neighbours: 3 + t / 2 */
    for (uint32_t n = 0; n < 6; n++)
        equal += around[n] == around[n < 5 ? n + 1 : 0];
    if (rule->heat_bath)
        return x < rule->number[equal];
    const uint32_t n = from ? equal : 6 - equal; /* 3 + S t / 2 */
    return n <= 3 || x < rule->number[n] ? 1 - from : from;
}

/* The state that a site in state `from` gets. */
SHARED_FUNCTION uint32_t state_update(const state_lattice *l, const state_rule *rule,
                                      const uint8_t *around, uint32_t neighbours, uint32_t from,
                                      uint64_t x) {
    if (l->spins == SPINS_BLUME_CAPEL)
        return blume_capel_update(rule, around, neighbours, from, x);
    if (l->spins == SPINS_BAXTER_WU)
        return baxter_wu_update(rule, around, from, x);
    return rule->heat_bath ? potts_heat_bath(rule, l->states, around, neighbours, x)
                           : potts_metropolis(rule, l->states, around, neighbours, from, x);
}

/* --- below a ceiling --- */

/* What it costs to go from a state to another, in units of J / unit. */
SHARED_FUNCTION int64_t state_cost(const state_lattice *l, const uint8_t *around,
                                   uint32_t neighbours, uint32_t from, uint32_t to) {
    int64_t here = 0, there = 0, sum = 0, equal = 0;
    for (uint32_t n = 0; n < neighbours; n++) {
        here += around[n] == from;
        there += around[n] == to;
        sum += (int64_t)around[n] - 1;
        equal += around[n] == around[n + 1 < neighbours ? n + 1 : 0];
    }
    if (l->spins == SPINS_POTTS)
        return here - there;
    if (l->spins == SPINS_BAXTER_WU)
        return (from ? 4 : -4) * (equal - 3);
    return -((int64_t)to - from) * sum * l->unit + ((to != 1) - (int64_t)(from != 1)) * l->field;
}

/* The state that a site gets: any one, its own among them, each proposed with the same probability, if the energy stays at or below the
 * ceiling. (Of two states, the other one alone would leave nothing to chance, and copies of a replica would stay alike.) *energy is that
 * of the lattice, before and after. */
SHARED_FUNCTION uint32_t state_below(const state_lattice *l, const state_rule *rule,
                                     const uint8_t *around, uint32_t neighbours, uint32_t from,
                                     uint64_t x, int64_t *energy) {
    const uint32_t to = (uint32_t)high_product(x, l->states);
    if (to == from)
        return from;
    const int64_t after = *energy + state_cost(l, around, neighbours, from, to);
    if (after > rule->most)
        return from;
    *energy = after;
    return to;
}

/* --- measurements --- */

/* The energy of a site in state s and of its bonds to the next sites, or of two of its triangles, in units of J / unit. */
SHARED_FUNCTION int64_t state_energy(const state_lattice *l, const uint8_t *around, uint32_t s) {
    int64_t energy = 0;
    if (l->spins == SPINS_BAXTER_WU)
        return s == 1 ? (around[0] == around[1] ? -1 : 1) + (around[1] == around[2] ? -1 : 1)
                      : (around[0] == around[1] ? 1 : -1) + (around[1] == around[2] ? 1 : -1);
    for (uint32_t d = 0; d < l->dimension; d++) {
        const uint32_t next = around[2 * d];
        energy -=
            l->spins == SPINS_POTTS ? next == s : ((int64_t)s - 1) * ((int64_t)next - 1) * l->unit;
    }
    return l->spins == SPINS_POTTS || s == 1 ? energy : energy + l->field;
}

/* |M| (model.h), from the number of sites in each state. */
SHARED_FUNCTION int64_t state_order(const state_lattice *l, const uint32_t *sites_in) {
    uint32_t most = 0;
    if (l->spins != SPINS_POTTS) {
        const uint32_t up = sites_in[l->states - 1], down = sites_in[0];
        return up > down ? up - down : down - up;
    }
    for (uint32_t s = 0; s < l->states; s++)
        most = sites_in[s] > most ? sites_in[s] : most;
    return (int64_t)l->states * most - l->sites;
}

#endif
