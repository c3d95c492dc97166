/* The bookkeeping of a population that the CPU engines share: energies, families, parents, and their
 * resampling. Spins are the engine's own. */
#ifndef PAISING_CPU_POPULATION_H
#define PAISING_CPU_POPULATION_H

#include "engine/partition.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    resampling_rule rule;
    uint64_t capacity; /* of every array */
    uint64_t replicas; /* R_i, or those of a share of the population: */
    uint64_t origin;   /* the number of the first one in the population, */
    uint64_t all;      /* which has so many; 0: as there are here */
    uint64_t founders; /* replicas that the run began with; 0: not known */
    uint32_t *level;   /* energy level of each replica */
    uint32_t *order;   /* |M| / order unit of each replica */
    uint64_t *family;  /* founder at beta = 0 of each replica */
    uint32_t *parent;  /* after a resampling: each replica's parent in the population before it */
    uint64_t
        *scratch; /* the families before a resampling; for a while where each one's children end */
    child_assignment assigned; /* the children whose parents were told for the next step */
    uint64_t
        *ends; /* where each parent ends on the line, and how many points fall on it; NULL, by */
    uint32_t *fallen; /* rules without points that fall anywhere (resample/rules.h) */
    bool scattered;   /* children have left their families: they are not counted any more */
    parent_sums parent_block[POPULATION_BLOCKS]; /* of the last resampling, until it is reported */
} population;

C_DECLARATIONS_BEGIN

/* Host memory in bytes for a population of this capacity. */
uint64_t population_bytes(uint64_t capacity, resampling_rule rule);

/* Allocates for `capacity` replicas, resampled by a rule. Returns 0, or -1 without memory. */
int population_create(population *p, uint64_t capacity, resampling_rule rule);
void population_destroy(population *p);

/* Takes the families of some replicas of a population that is loaded, of which the founders are not known, in place of the one
 * that was here. */
void population_load(population *p, uint64_t first, uint64_t count, uint64_t replicas,
                     const uint64_t *families);

/* Begins a population of founders: replica k is the ancestor of family k. */
void population_found(population *p, uint64_t replicas);

/* Finds the parents of the children, parent[] and family[].
 *
 * By step->tau_hat (eq. 2): replica j of energy level n expects tau-hat_n children, and has those that the rule
 * gives it. Children of a parent stay next to each other, in the order of their parents. Or as step->parents
 * says, or population_assign. Returns ENGINE_OK, ENGINE_EXTINCT or ENGINE_OUTGROWN. */
engine_status population_select(population *p, const engine_step *step);

/* What they do for a share of a population (share.h). The families of parents from elsewhere are told; children
 * that were bred stand in scratch[] until the population adopts. */
void population_hold(population *p, uint64_t origin, uint64_t all);
engine_status population_count_offspring(population *p, const engine_step *step,
                                         uint64_t *children);
void population_parents(const population *p, uint64_t first, uint64_t count, uint32_t *places);
engine_status population_assign(population *p, const child_assignment *children);
void population_attach(population *p, parent_list below, parent_list above);

/* Copies the families of replicas first .. first + 32 words - 1, of those that exist. */
void population_families(const population *p, uint64_t first, uint64_t words, family_list to);

/* The sum of m family_log(m) over the families, m their members here (overlaps.h). */
uint64_t population_family_logs(const population *p);

/* Reports level[], order[] and family[] of every replica, group by group, or as a whole. */
void population_report(population *p, const engine_step *step, histogram *out);

C_DECLARATIONS_END

#endif
