/* The states of lowest energy in a population: how many replicas, of how many families, and how many of them are
 * distinct, a state and the one with all its spins turned being the same.
 *
 * What a run has missed it cannot say; but families are independent, and if another run of the same kind would have
 * as many of them in the lowest state on average, it would have none there with the probability exp(-n) (Poisson),
 * n = (sum m)^2 / sum m^2 of the families' m members there, so that one large family counts as one. (On population
 * annealing as an optimiser, and on families that find the ground state: Wang, Machta and Katzgraber, Phys. Rev. E 92,
 * 013303, 2015.) A state whose basin is so narrow that no family of the run came near it is not in this estimate. */
#ifndef PAISING_GROUND_STATES_H
#define PAISING_GROUND_STATES_H

#include "base/section_file.h"
#include "base/wide.h"
#include "model/model.h"

/* Distinct states are kept to be compared: as many as fit into so many bytes, with the table of their hashes. */
#define GROUND_STATES_BYTES ((uint64_t)256 << 20)

typedef struct {
    double seen;       /* the lowest energy of the run, at any temperature */
    double energy;     /* that of the last temperature, of which these are: */
    uint64_t replicas; /* 0: the run has not come to its end, and nothing is known */
    uint64_t families;
    uint128 squares;   /* sum over them of (members)^2 */
    uint64_t distinct; /* at least so many, if it was more than could be kept: */
    bool more;
    uint8_t *spins; /* the first of them, as engine->save writes it */
} ground_states;

/* How they are found: one after the other. */
typedef struct {
    ground_states found;
    size_t sites, bytes;
    uint64_t family; /* of the last one, which has so many members so far: */
    uint64_t members;
    uint8_t *kept;   /* [found.distinct][bytes] */
    uint32_t *place; /* [places] 1 + the number of a state that is kept, by its hash; 0: none */
    size_t places, most;
} ground_search;

/* Bytes that a search among so many replicas takes, at most. */
uint64_t ground_search_bytes(const spin_model *model, uint64_t replicas);

/* Begins a search, for states of this energy. Returns 0, or -1 without memory. */
int ground_search_begin(ground_search *g, const spin_model *model, double energy);

/* Adds a replica, in the order of the population, by which families are contiguous. Returns 0, or -1 without
 * memory. */
int ground_search_add(ground_search *g, const uint8_t *spins, uint64_t family);

/* Ends it with what was found, if `found` is not NULL; to be given to ground_states_destroy. */
void ground_search_end(ground_search *g, ground_states *found);

void ground_states_destroy(ground_states *g);

/* exp(-n); nan where a lower energy was seen before, which is lost at the last temperature. */
double ground_states_missed(const ground_states *g);

/* Writes or reads them. Returns false when something failed (section_file.h). */
bool ground_states_transfer(section_file *f, ground_states *g, const spin_model *model);

#endif
