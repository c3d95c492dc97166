/* What an engine reports of its population at one temperature: exact integer sums, from which the
 * host computes everything else. Sums of integers have neither rounding nor order, so that every
 * engine, on any number of threads, reports the same bits. */
#ifndef PAISING_HISTOGRAM_H
#define PAISING_HISTOGRAM_H

#include "base/section_file.h"
#include "base/wide.h"
#include "fine_weights.h"
#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

/* Contiguous blocks of the population for the error bars: replica k of R stands in block
 * floor(256 k / R). */
#define POPULATION_BLOCKS 256

/* Sums over the replicas of one energy level. |M| = u m with the order unit u of the model, and q = m^4
 * is added in two halves, q mod 2^b and q >> b, b = histogram_low_bits, so that sum M^4 = u^4 (q_low + 2^b q_high) is exact. */
typedef struct {
    uint64_t replicas;
    uint64_t abs_m;  /* sum of |M| */
    uint64_t m2;     /* sum of M^2 */
    uint64_t q_low;  /* sum of q mod 2^b */
    uint64_t q_high; /* sum of floor(q / 2^b) */
} level_sums;

/* Sums over one block of the population. */
typedef struct {
    uint64_t replicas;
    int64_t energy;   /* sum of E */
    uint64_t energy2; /* sum of E^2 */
    uint64_t abs_m;   /* sum of |M| */
    uint64_t m2;      /* sum of M^2 */
    uint64_t q_low;   /* of q, as in level_sums */
    uint64_t q_high;
} block_sums;

/* Sums over those replicas whose founders (ancestors at beta = 0) stood in one block of the first
 * population. */
typedef struct {
    uint64_t replicas;
    int64_t energy; /* sum of E */
} founder_sums;

/* Sums over those parents, replicas before the resampling of this step, whose founders stood in one block
 * of the first population. */
typedef struct {
    uint64_t parents;
    uint64_t tau_hat; /* sum of tau-hat (eq. 2) in 32.32 fixed point */
} parent_sums;

/* How many replicas of a family stand side by side. */
typedef struct {
    uint32_t family, members;
} family_run;

typedef struct {
    uint64_t population;     /* R_i */
    uint64_t families;       /* ancestors at beta = 0 that still have descendants */
    uint64_t family_squares; /* sum over them of (descendants)^2 */
    /* Of the first and of the last replica. In a part of a population (partition.h) these families may continue on other
     * parts. */
    family_run edge[2];
    block_sums block[POPULATION_BLOCKS];
    /* all zero for groups, and of a population that was loaded */
    founder_sums founder[POPULATION_BLOCKS];
    parent_sums parent[POPULATION_BLOCKS]; /* all zero at beta = 0, which has no parents */

    /* Of the model. */
    energy_levels levels;
    uint32_t order_unit;
    uint32_t order_share; /* 0: 1 */
    uint32_t low_bits;    /* histogram_low_bits */

    bool single;  /* of one replica alone: level[] has room for one level, that of the replica */
    bool coupled; /* of the model: level 0 may be the energy of no state */
    uint32_t gap; /* of the model: what the cheapest flip in a ground state costs, at most */
    size_t first, end; /* every occupied level n has first <= n < end */
    level_sums *level; /* [histogram_room]; all zero outside [first, end) */
    /* Of fine energies; else NULL: [levels.count] the energy of each level, and for each block the sum of E^2 / 2^64, which
     * the energy2 of the block is the rest of. */
    int64_t *energy;
    uint64_t *energy2_high;
    next_weights next; /* not saved */
} histogram;

C_DECLARATIONS_BEGIN

/* The levels that a report of at most so many replicas needs room for: those of a population may have any distance. */
static inline size_t histogram_room(size_t levels, uint64_t replicas) {
    return replicas == 1 ? 1 : levels;
}

/* The binary digits of q that q_low adds up: half of those that the largest q of the model has, from 2 to 62. */
uint32_t histogram_low_bits(const spin_model *model);

/* Allocates the level sums and clears the histogram, of any number of replicas, or of at most so many. Returns 0, or -1
 * without memory. */
int histogram_create(histogram *h, const spin_model *model);
int histogram_create_for(histogram *h, const spin_model *model, uint64_t replicas);
void histogram_destroy(histogram *h);

/* The energy of level n, in units of J / unit. Of fine energies: of an occupied level. */
static inline int64_t histogram_energy(const histogram *h, size_t n) {
    return h->energy != NULL ? h->energy[n] : level_energy(h->levels, n);
}

/* The sums of level n. */
static inline level_sums *histogram_level(const histogram *h, size_t n) {
    return &h->level[h->single ? 0 : n];
}

/* q from its two halves. */
static inline uint128 histogram_fourth(const histogram *h, uint64_t low, uint64_t high) {
    return low + ((uint128)high << h->low_bits);
}

/* Zeroes every sum, touching only the levels that were occupied; or all but those of blocks, founders and parents. */
void histogram_clear(histogram *h);
void histogram_clear_levels(histogram *h);

/* The occupied levels become first .. end - 1: what the sums of those have is left to be written, the others are zero. */
void histogram_move(histogram *h, size_t first, size_t end);

/* The block of replica k in a population of `population` replicas. */
SHARED_FUNCTION size_t population_block(uint64_t k, uint64_t population) {
    if (population <= UINT32_MAX / POPULATION_BLOCKS) /* a GPU divides such numbers much sooner */
        return (uint32_t)k * POPULATION_BLOCKS / (uint32_t)population;
    return (size_t)(k * POPULATION_BLOCKS / population);
}

/* Adds replica k of h->population: energy level n, |M| / order unit. */
void histogram_add(histogram *h, uint64_t k, size_t n, uint64_t order);

/* Adds a replica of energy level n and of this family to the sums over founders, `founders` in all. */
void histogram_add_founder(histogram *h, uint32_t family, uint64_t founders, size_t n);

/* The order unit to the fourth, by which the sums of q are multiplied. */
double histogram_m4_unit(const histogram *h);

/* The largest |M| of so many spins, of which |m| is a part (order_share of model.h). */
double histogram_largest_order(const histogram *h, double spins);

/* Writes a histogram, or reads it into one of the same levels: of 1 to `most` replicas. Returns false when something failed
 * (section_file.h). */
bool histogram_transfer(section_file *f, histogram *h, uint64_t most);

C_DECLARATIONS_END

#endif
