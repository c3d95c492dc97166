/* The states of lowest energy in a population: how many replicas, of how many families, and how many of them are
 * distinct, a state and the one with all its spins turned being the same.
 *
 * What a run has missed it cannot say; but families are independent, and if another run of the same kind would have
 * as many of them in the lowest state on average, it would have none there with the probability exp(-n) (Poisson),
 * n = (sum m)^2 / sum m^2 of the families' m members there, so that one large family counts as one. (On population
 * annealing as an optimiser, and on families that find the ground state: Wang, Machta and Katzgraber, Phys. Rev. E 92,
 * 013303, 2015.) A state whose basin is so narrow that no family of the run came near it is not in this estimate.
 *
 * A population that is too warm has few replicas in its lowest level, and fewer or none in one below it, which the
 * estimate above does not know. The three lowest levels say how many that would have. ln of the numbers n_0, n_1, n_2 of
 * their replicas, the entropy less beta E, is concave; continued with its last curvature it gives the level below
 * rho n_0 replicas, rho = (n_0 / n_1)^2 / (n_1 / n_2), and rho n families. Fewer than GROUND_FAMILIES, while less than
 * half of the population is in the lowest level, is too warm. Of 765 runs of 26 samples (glass3d of L = 6 and 8, glass2d of
 * L = 16, R = 500 and 2000, last beta 0.8 to 2) 1 of 218 that are not called too warm had missed a lower level, and 181
 * of the 547 others; n of 10 and more, without rho, was wrong in 13 of 314. */
#ifndef PAISING_GROUND_STATES_H
#define PAISING_GROUND_STATES_H

#include "base/section_file.h"
#include "base/wide.h"
#include "engine/histogram.h"
#include "model/model.h"

#include <stdio.h>

#define GROUND_FAMILIES 10

/* Distinct states are kept to be compared: as many as fit into so many bytes, with the table of their hashes. */
#define GROUND_STATES_BYTES ((uint64_t)256 << 20)

typedef struct {
    double seen;       /* the lowest energy of the run, at any temperature */
    double energy;     /* that of the last temperature, of which these are: */
    uint64_t replicas; /* 0: the run has not come to its end, and nothing is known */
    uint64_t families;
    uint128 squares; /* sum over them of (members)^2 */
    double
        below; /* families that count in a level below; infinite if most replicas are in this one */
    uint64_t distinct; /* that were seen; at least so many, if it was more than could be kept: */
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

/* How many families that count a level below the lowest one of this population would have, of which these are the states
 * found: infinite if half of the replicas are in the lowest one. */
double ground_states_below(const ground_states *g, const histogram *h);

/* How many of these runs may not have the lowest level, as the warnings below say. */
size_t ground_states_doubtful(const ground_states ground[], size_t runs);

/* Prints a `# warning:` line for the header of a data file if the lowest level may not be the lowest there is; says on
 * stderr of which runs of ground[runs] that is so. Runs that have not come to their end are passed over. */
void ground_states_print(FILE *file, const ground_states *g);
void ground_states_warn(const ground_states ground[], size_t runs);

/* Writes or reads them. Returns false when something failed (section_file.h). */
bool ground_states_transfer(section_file *f, ground_states *g, const spin_model *model);

#endif
