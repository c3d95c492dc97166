/* The number of states of every energy of a lattice with couplings +1 and -1, exactly: from it e, C, betaF and S
 * at any temperature, as sums of positive terms. */
#ifndef PAISING_ENERGY_STATES_H
#define PAISING_ENERGY_STATES_H

#include "exact.h"
#include "model/couplings.h"

#include <stddef.h>

typedef struct {
    uint64_t sites, bonds;
    size_t words;    /* 64-bit words of a count */
    uint64_t *count; /* [bonds + 1][words], the lowest word first: energy_states_count */
} energy_states;

/* Room for the counts of a lattice, all 0; each is at most 2^sites. Returns false without memory. */
bool energy_states_create(energy_states *states, const couplings *c);
void energy_states_destroy(energy_states *states);

/* The number of states with so many unsatisfied bonds, E = 2 unsatisfied - bonds. */
static inline uint64_t *energy_states_count(const energy_states *states, uint64_t unsatisfied) {
    return states->count + unsatisfied * states->words;
}

/* The same, rounded; as a long double that is what it is up to 2^16384. */
long double energy_states_number(const energy_states *states, uint64_t unsatisfied);

/* Per spin, at a beta from 0 to EXACT_MAX_BETA: sums of positive terms, each value right to a relative 1e-14, an e near 0
 * to an absolute 1e-16, where long double has the 64 bits of the x87 or more. */
exact_result energy_states_thermodynamics(const energy_states *states, double beta);

/* A count in decimal digits, to be freed; NULL without memory. */
char *energy_states_text(const energy_states *states, uint64_t unsatisfied);

/* Counts the states of the square lattice, any couplings, even edges (square_states.c): seconds at 16 x 16,
 * minutes at 32 x 32, and a time that grows with the fourth power of the number of sites. Returns false without memory. */
#define SQUARE_STATES_MAX_SITES 1600
bool square_states_count(energy_states *states, const couplings *c);

/* The same for the square ferromagnet, c two equal edges and J = +1 alone (kaufman_states.c): a second at 32 x 32. */
bool kaufman_states_count(energy_states *states, const couplings *c);

/* The same for the 4 x 4 x 4 lattice (cubic_states.c); some twenty seconds of a core. */
bool cubic_states_count(energy_states *states, const couplings *c);

#endif
