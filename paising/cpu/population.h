/* The bookkeeping of a population that the CPU engines share: energies, families, parents, and the
 * resampling of eq. (2). Spins are the engine's own. */
#ifndef REFERENCE_POPULATION_H
#define REFERENCE_POPULATION_H

#include "engine/engine.h"

#include <stdint.h>

typedef struct {
    uint64_t capacity; /* of every array */
    uint64_t replicas; /* R_i */
    uint32_t *level;   /* energy level of each replica */
    uint32_t *half_m;  /* |M|/2 of each replica */
    uint32_t *family;  /* founder at beta = 0 of each replica */
    uint32_t *parent;  /* after a resampling: each replica's parent in the population before it */
    uint32_t *scratch; /* the families before a resampling */
} population;

C_DECLARATIONS_BEGIN

/* Host memory in bytes for a population of this capacity. */
uint64_t population_bytes(uint64_t capacity);

/* Allocates for `capacity` replicas. Returns 0, or -1 without memory. */
int population_create(population *p, uint64_t capacity);
void population_destroy(population *p);

/* Begins a population of founders: replica k is the ancestor of family k. */
void population_found(population *p, uint64_t replicas);

/* Resamples (eq. 2): replica j of energy level n gets floor(tau-hat_n) copies, and one more with
 * the probability of what the floor cut off. Children of a parent stay next to each other, in the
 * order of their parents. Fills parent[] and family[], and the sums over the blocks of the parents
 * in `out`, which it clears first. Returns ENGINE_OK, ENGINE_EXTINCT or ENGINE_OUTGROWN. */
engine_status population_resample(population *p, const engine_step *step, histogram *out);

/* Adds level[], half_m[] and family[] of every replica to `out`, which holds no replica yet. */
void population_report(const population *p, histogram *out);

C_DECLARATIONS_END

#endif
