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
 * this is fewer than GROUND_FAMILIES families. rho is 1 if at least half of the population is in
 * the lowest level. `make ground-states` counts wrong runs
 * without a warning (validate/ground/results/cpu/doubt.md: none of 457).
 *
 * The number g of states of this energy follows from the free energy at the last temperature,
 *
 *     ln g = ln Z + beta E + ln(share of the replicas with E),
 *
 * with a jackknife error over blocks of founders, each of which is a small run (free_energy.h). */
#ifndef PAISING_GROUND_STATES_H
#define PAISING_GROUND_STATES_H

#include "base/section_file.h"
#include "engine/histogram.h"
#include "free_energy.h"
#include "model/model.h"

#include <stdio.h>

#define GROUND_FAMILIES 10
#define GROUND_UNSEEN   0.01
#define GROUND_SIGMAS   3

/* Memory for the table of states. States beyond it are not counted. */
#define GROUND_STATES_BYTES ((uint64_t)128 << 20)

typedef struct {
    double seen;       /* the lowest energy of the run, at any temperature */
    double energy;     /* the lowest energy at the last temperature, which the states below have */
    uint64_t replicas; /* 0: the run has not ended, and nothing is known */
    uint64_t families;
    uint64_t squares;  /* sum over families of (members)^2 */
    double below;      /* effective families that a level below would have */
    uint64_t distinct; /* distinct states seen */
    bool more;         /* there was no memory for others */
    uint64_t visits;   /* pairs of a family and a state that it has */
    uint64_t once;     /* states of one family only */
    double ln_g;       /* ln of the number of states of this energy, from the free energy */
    double ln_g_error; /* nan: not known, as of fewer than GROUND_FAMILIES families */
    uint8_t *spins;    /* the first state, packed as `read` of engine.h writes it */
} ground_states;

/* A state, and the families that have it. */
typedef struct {
    uint64_t hash;
    uint32_t last, families; /* the last family; how many, 0: the entry is free */
} ground_visits;

/* What is known of the states whose hashes begin alike: threads share the table by these. */
#define GROUND_REGIONS 16
typedef struct {
    _Alignas(64) uint64_t distinct; /* a line of a cache of its own */
    uint64_t visits, once;          /* as in ground_states */
    bool more;
} ground_region;

/* A search in progress. */
typedef struct {
    ground_states found;
    uint32_t family;                     /* the family of the last replica, ... */
    uint64_t hash, members;              /* ... its state, and the members of the family so far */
    uint64_t founders;                   /* families at beta = 0 */
    uint64_t founder[POPULATION_BLOCKS]; /* replicas by the block of their founder (histogram.h) */
    ground_region region[GROUND_REGIONS];
    ground_visits *state; /* [places] a table by hash, a region after the other */
    size_t places;        /* a power of two */
} ground_search;

/* The most memory in bytes that a search among `replicas` replicas takes. */
uint64_t ground_search_bytes(uint64_t replicas);

/* Begins a search for states of this energy, which `replicas` replicas have, in a population that began with `founders`
 * families. Returns 0, or -1 without memory. */
int ground_search_begin(ground_search *g, double energy, uint64_t replicas, uint64_t founders);

/* Adds replicas of that energy, by the hashes of their spins (engine/spins_hash.h). Replicas come in the order of the population,
 * in which families are contiguous. */
void ground_search_add(ground_search *g, size_t count, const uint64_t hash[],
                       const uint32_t family[]);

/* After the last replica: what the levels and the free energy of the population, both at `beta`, say
 * of a level below and of the number of states. */
void ground_search_estimate(ground_search *g, const histogram *h, const free_energy_path *f,
                            double beta);

/* Ends a search and frees its memory. *found, unless `found` is NULL, receives the result, without spins. */
void ground_search_end(ground_search *g, ground_states *found);

void ground_states_destroy(ground_states *g);

/* Why a run may not have found the lowest level. */
typedef enum {
    GROUND_SOUND,   /* there is no reason */
    GROUND_UNKNOWN, /* the run has not ended */
    GROUND_LOST,    /* a lower energy was seen at a higher temperature */
    GROUND_FEW,     /* fewer than GROUND_FAMILIES effective families have the lowest one */
    GROUND_WARM     /* fewer would have a level below */
} ground_doubt;

ground_doubt ground_states_doubt(const ground_states *g);

/* exp(-n), the probability to miss the lowest state; nan where there is a doubt. */
double ground_states_missed(const ground_states *g);

/* The share of new states among those that a further family would have: the Good-Turing estimate, of
 * the states that one family only has. (Good, Biometrika 40, 237, 1953.) */
double ground_states_new(const ground_states *g);

/* Whether the distinct states seen are all of this energy, as far as one population tells: every
 * state has two families at least; at as many for each on average, fewer than GROUND_UNSEEN would
 * have none (Poisson); and ln_g is not above their number by more than GROUND_SIGMAS errors. */
bool ground_states_all_seen(const ground_states *g);

/* The effective number of families that a level below the lowest one of this population would have:
 * as many as the lowest one has if half of the replicas are there. */
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
