/* The bookkeeping of a population that the CPU engines share: energies, families, parents and
 * resampling. Spins belong to the engine. */
#ifndef PAISING_CPU_POPULATION_H
#define PAISING_CPU_POPULATION_H

#include "engine/partition.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    resampling_rule rule;
    uint64_t capacity; /* of each array */
    uint64_t replicas; /* R_i, or the replicas of a share */
    uint64_t origin;   /* number of the first replica in the whole population */
    uint64_t all;      /* size of the whole population; 0: this is all of it */
    uint64_t founders; /* replicas at beta = 0 of this run; 0: unknown */
    uint32_t *level;   /* energy level of each replica */
    /* of each replica, where energies are fine: `level` follows from them in a report; else NULL */
    int64_t *energy;
    int64_t *sorted;   /* energies of a report, likewise */
    uint32_t *order;   /* |M| / order unit of each replica */
    uint32_t *family;  /* founder of each replica at beta = 0 */
    uint32_t *parent;  /* after a resampling: parent of each replica, in the previous population */
    uint32_t *scratch; /* families before a resampling; temporarily the end of each parent's
                        * children */
    child_assignment assigned; /* the assignment of children for the next step */
    uint64_t *ends;            /* end of each parent on the line; NULL for rules without points
                                * (resample/rules.h) */
    uint32_t *fallen;          /* points on each parent; NULL for the same rules */
    bool scattered;            /* families are no longer contiguous, and are not counted */
    parent_sums parent_block[POPULATION_BLOCKS]; /* sums over the parents of the last
                                                  * resampling, until reported */
} population;

C_DECLARATIONS_BEGIN

/* Bytes of host memory for a population of this capacity; and what fine energies (levels.h) take besides. */
uint64_t population_bytes(uint64_t capacity, resampling_rule rule);
uint64_t population_energy_bytes(uint64_t capacity);

/* Allocates memory for `capacity` replicas and a resampling rule. Returns 0, or -1 without memory. */
int population_create(population *p, uint64_t capacity, resampling_rule rule);

/* Allocates memory for fine energies besides. Returns 0, or -1 without memory; population_destroy frees it. */
int population_create_energies(population *p);
void population_destroy(population *p);

/* Stores families of replicas first .. first + count - 1 of a loaded population of `replicas`,
 * which replaces the current one. Its founders are unknown. */
void population_load(population *p, uint64_t first, uint64_t count, uint64_t replicas,
                     const uint32_t *families);

/* Begins a population in which replica k is the founder of family k. */
void population_found(population *p, uint64_t replicas);

/* Finds the parents of the children; fills parent[] and family[].
 *
 * With step->tau_hat (eq. 2), replica j of energy level n expects tau-hat_n children, and has as
 * many as the rule gives it. Children are in the order of their parents. Otherwise step->parents,
 * or population_assign, has decided the parents. Returns ENGINE_OK, ENGINE_EXTINCT or
 * ENGINE_OUTGROWN. */
engine_status population_select(population *p, const engine_step *step);

/* Takes that back: the `parents` replicas before the last selection by tau-hat are the population again. Their levels and
 * orders may be lost. */
void population_take_back(population *p, uint64_t parents);

/* The verbs of a share (partition.h). After population_count_offspring and until population_assign,
 * scratch[] holds the ends of the parents' children. population_attach takes the families of remote
 * parents from its lists. */
void population_hold(population *p, uint64_t origin, uint64_t all);
engine_status population_count_offspring(population *p, const engine_step *step,
                                         uint64_t *children);
void population_parents(const population *p, uint64_t first, uint64_t count, uint32_t *places);
engine_status population_assign(population *p, const child_assignment *children);
void population_attach(population *p, parent_list below, parent_list above);

/* Copies the families of replicas first .. first + 32 words - 1, as far as they exist. */
void population_families(const population *p, uint64_t first, uint64_t words, uint32_t *to);

/* The sum of m family_log(m) over the families, m their members here (overlaps.h). */
uint64_t population_family_logs(const population *p);

/* Fills *out from level[], or energy[], order[] and family[] of every replica, as a whole or group by group. Of fine
 * energies it sets level[]. */
void population_report(population *p, const engine_step *step, histogram *out);

C_DECLARATIONS_END

#endif
