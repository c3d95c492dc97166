/* The part that CPU engines of both codings share: the bookkeeping of the population, the overlaps
 * of its pairs, and the verbs that need nothing else. The engine of a coding begins with a
 * cpu_engine. */
#ifndef PAISING_CPU_ANY_CODING_H
#define PAISING_CPU_ANY_CODING_H

#include "engine.h"
#include "engine/partition.h"
#include "overlaps.h"
#include "population.h"

typedef struct {
    engine base;
    population replicas;
    overlap_collector *collect; /* of the engine's coding */
    overlap_room pairs;
} cpu_engine;

/* cpu_engine_create allocates the bookkeeping and sets the verbs below in base; model and threads
 * of base must be set. Returns 0, or -1 without memory. cpu_engine_destroy also accepts an engine
 * whose creation failed. */
int cpu_engine_create(cpu_engine *self, const engine_config *config, overlap_collector *collect);
void cpu_engine_destroy(cpu_engine *self);

/* Bytes of that bookkeeping. */
uint64_t cpu_engine_bytes(const engine_config *config, uint32_t threads);

/* Verbs of engine.h. */
engine_status cpu_read_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels);
engine_status cpu_read_energies(engine *base, uint64_t first, uint64_t count, int64_t *energies);
engine_status cpu_overlaps(engine *base, overlap_sums *out);
engine_status cpu_group_overlaps(engine *base, uint64_t first, uint64_t count, overlap_sums *out);
engine_status cpu_read_orders(engine *base, uint64_t first, uint64_t count, uint32_t *orders);
engine_status cpu_read_pairs(engine *base, uint64_t first, uint64_t count, overlap_pair *pair);

/* Verbs of a share (engine/partition.h). cpu_assign leaves the making of all children to the step.
 * cpu_lanes requires that replicas stand in order in the machine words. */
void cpu_hold(engine *base, uint64_t origin, uint64_t all);
engine_status cpu_count_offspring(engine *base, const engine_step *step, uint64_t *children);
engine_status cpu_parents(engine *base, uint64_t first, uint64_t count, parent_list to);
engine_status cpu_assign(engine *base, const child_assignment *children, const engine_step *step);
engine_status cpu_attach(engine *base, parent_list below, parent_list above);
engine_status cpu_lanes(engine *base, uint64_t first, uint64_t words, const lane_block *to);
engine_status cpu_compare(engine *base, const pair_range *pairs, overlap_sums *out);
engine_status cpu_family_logs(engine *base, uint64_t *sum);

#endif
