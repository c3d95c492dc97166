/* Overlaps of pairs of replicas on the CPU, for engines of any coding and model (engine/overlaps.h). */
#ifndef PAISING_CPU_OVERLAPS_H
#define PAISING_CPU_OVERLAPS_H

#include "population.h"

/* Machine words of pairs that are measured side by side. */
#define OVERLAP_WORDS 8

/* The spins of replicas first .. first + 31, `first` a multiple of 32, as lanes: words[N], bit = lane, sites in the
 * order of engine->save. Either where they stand or in words[N], which is room for them. Lanes of replicas that do
 * not exist are anything. To be called by several threads, of which each has a number. */
typedef const uint32_t *overlap_collector(engine *self, uint64_t first, uint32_t thread,
                                          uint32_t *words);

/* Memory for a number of threads. */
typedef struct overlap_bench overlap_bench;
typedef struct {
    uint32_t threads;
    overlap_waves waves;
    overlap_bench *bench; /* [threads] */
} overlap_room;

/* Bytes of the room that a disordered model takes, 0 for others; makes it, and frees it, also if it was not made.
 * Returns 0, or -1 without memory. */
uint64_t overlap_room_bytes(const spin_model *model, uint32_t threads);
int overlap_room_create(overlap_room *room, const spin_model *model, uint32_t threads);
void overlap_room_destroy(overlap_room *room);

/* Adds pairs of a share of a population with replicas that stand elsewhere to sums that were begun. */
void overlaps_compare(engine *self, const population *replicas, overlap_collector *collect,
                      overlap_room *room, const pair_range *pairs, overlap_sums *out);

/* Reports the overlaps of the pairs of a population. */
void overlaps_report(engine *self, const population *replicas, overlap_collector *collect,
                     overlap_room *room, overlap_sums *out);

#endif
