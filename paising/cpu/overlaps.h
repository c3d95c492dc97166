/* Overlaps of pairs of replicas on the CPU, for engines of any coding and model
 * (engine/overlaps.h). */
#ifndef PAISING_CPU_OVERLAPS_H
#define PAISING_CPU_OVERLAPS_H

#include "population.h"

/* Machine words of pairs that are measured together. */
#define OVERLAP_WORDS 8

/* Returns the spins of replicas first .. first + 31, with `first` a multiple of 32, as lanes:
 * words[N], bit = lane, sites in the order of `read` of engine.h. The result is `words`, a work array of
 * the caller, or points into the population. Lanes without a replica are undefined. Threads may
 * call it concurrently, each with its own number. */
typedef const uint32_t *overlap_collector(engine *self, uint64_t first, uint32_t thread,
                                          uint32_t *words);

/* Work arrays for a number of threads. */
typedef struct overlap_bench overlap_bench;
typedef struct {
    uint32_t threads;
    overlap_waves waves;
    overlap_bench *bench; /* [threads] */
} overlap_room;

/* The first returns the bytes of the work arrays, 0 for models without disorder. Of vectors there are waves alone. The second
 * allocates them; it returns 0, or -1 without memory. The third frees them, also after a failed
 * creation. */
uint64_t overlap_room_bytes(const spin_model *model, uint32_t threads);
int overlap_room_create(overlap_room *room, const spin_model *model, uint32_t threads);
void overlap_room_destroy(overlap_room *room);

/* Adds pairs of a share with partners from elsewhere to sums that were begun. */
void overlaps_compare(engine *self, const population *replicas, overlap_collector *collect,
                      overlap_room *room, const pair_range *pairs, overlap_sums *out);

/* Fills *out with the overlaps of all pairs of replicas first .. first + count - 1, less its family_logs. */
void overlaps_report(engine *self, const population *replicas, overlap_collector *collect,
                     overlap_room *room, uint64_t first, uint64_t count, overlap_sums *out);

/* Fills pair[] with what is known of each of these pairs, of one family or not. */
void overlaps_list(engine *self, const population *replicas, overlap_collector *collect,
                   overlap_room *room, uint64_t first, uint64_t count, overlap_pair *pair);

#endif
