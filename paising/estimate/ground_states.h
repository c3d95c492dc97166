/* The states of lowest energy in a population: the number of replicas, of families and of distinct
 * states. Two states that differ by a flip of all spins count as one.
 *
 * A run cannot count what it has missed, but families are independent. If another run of the same
 * kind has n families in the lowest state on average, it has none there with probability exp(-n)
 * (Poisson). n = (sum m)^2 / sum m^2 over the families' m members there, so that one large family
 * counts as one. (Population annealing as an optimiser, and families that find the ground state:
 * Wang, Machta and Katzgraber, Phys. Rev. E 92, 013303, 2015.) A state with a basin so narrow that
 * no family came near it is not in this estimate.
 *
 * A population that is too warm has few replicas in its lowest level, and perhaps none in a level
 * below, which that estimate cannot see. The three lowest levels tell how many replicas a level
 * below would have. Let n_0, n_1, n_2 be their numbers of replicas. ln of these, the entropy less
 * beta E, is concave. Continued with its last curvature it gives rho n_0 replicas and rho n
 * families in the level below, rho = (n_0 / n_1)^2 / (n_1 / n_2). The population is too warm if
 * this is fewer than GROUND_FAMILIES families and less than half of the population is in the lowest
 * level. Among 765 runs of 26 samples (glass3d of L = 6 and 8, glass2d of L = 16), 1 of the 218
 * that are not called too warm had missed a lower level, and 181 of the 547 others. */
#ifndef PAISING_GROUND_STATES_H
#define PAISING_GROUND_STATES_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "model/model.h"

#include <stdio.h>

#define GROUND_FAMILIES 10

/* Memory for distinct states and the table of their hashes. States beyond it are not counted. */
#define GROUND_STATES_BYTES ((uint64_t)256 << 20)

typedef struct {
    double seen;       /* the lowest energy of the run, at any temperature */
    double energy;     /* the lowest energy at the last temperature, which the states below have */
    uint64_t replicas; /* 0: the run has not ended, and nothing is known */
    uint64_t families;
    uint64_t squares; /* sum over families of (members)^2 */
    double below; /* effective families that a level below would have; infinite if most replicas are
                   * in this level */
    uint64_t distinct; /* distinct states seen; a lower bound if `more` */
    bool more;
    uint8_t *spins; /* the first state, packed as `read` of engine.h writes it */
} ground_states;

/* A search in progress. Replicas are added one by one. */
typedef struct {
    ground_states found;
    size_t sites, bytes;
    uint32_t family; /* the family of the last replica, and its members so far */
    uint64_t members;
    uint8_t *kept;   /* [found.distinct][bytes] */
    uint32_t *place; /* [places] hash table: 1 + the number of a state kept; 0: empty */
    size_t places, most;
} ground_search;

/* The most memory in bytes that a search among `replicas` replicas takes. */
uint64_t ground_search_bytes(const spin_model *model, uint64_t replicas);

/* Begins a search for states of this energy. Returns 0, or -1 without memory. */
int ground_search_begin(ground_search *g, const spin_model *model, double energy);

/* Adds a replica of that energy. Replicas come in the order of the population, in which families
 * are contiguous. Returns 0, or -1 without memory. */
int ground_search_add(ground_search *g, const uint8_t *spins, uint32_t family);

/* Ends a search and frees its memory. *found, unless `found` is NULL, receives the result, which
 * ground_states_destroy frees. */
void ground_search_end(ground_search *g, ground_states *found);

void ground_states_destroy(ground_states *g);

/* exp(-n), the probability to miss the lowest state; nan if a lower energy was seen at a higher
 * temperature and lost. */
double ground_states_missed(const ground_states *g);

/* The effective number of families that a level below the lowest one of this population would have;
 * infinite if half of the replicas are in the lowest level. */
double ground_states_below(const ground_states *g, const histogram *h);

/* The number of runs that may not have found the lowest level, for the reasons of the warnings
 * below. */
size_t ground_states_doubtful(const ground_states ground[], size_t runs);

/* The first prints a `# warning:` line for the header of a data file if the lowest level found may
 * not be the lowest. The second says on stderr for which of ground[runs] that is so; runs that have
 * not ended are skipped. */
void ground_states_print(FILE *file, const ground_states *g);
void ground_states_warn(const ground_states ground[], size_t runs);

/* Writes or reads *g. Returns false on failure (section_file.h). */
bool ground_states_transfer(section_file *f, ground_states *g, const spin_model *model);

#endif
