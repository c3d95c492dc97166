/* Levels of a population whose energies have none: ranks of the energies that its replicas have (model/levels.h), and the report
 * that is made of them. */
#ifndef PAISING_CUDA_FINE_LEVELS_H
#define PAISING_CUDA_FINE_LEVELS_H

#include "cuda/engine/population.h"
#include "cuda/engine/round_state.h"

/* The sum of E^2 over a block in three pieces, low + 2^32 middle + 2^64 high. */
typedef struct {
    uint64_t low, middle, high;
} square_sums;

/* Work arrays of a population, on the device unless something else is said. */
typedef struct {
    uint64_t capacity;
    int64_t *energy; /* [capacity] of each replica */
    uint32_t *order; /* [capacity] |M| / order unit, likewise */
    uint64_t
        *key[2]; /* [capacity] energies above the lowest possible one, before and after sorting */
    uint32_t *item[2]; /* [capacity] whose they are */
    uint32_t *rank;    /* [capacity] ranks of the sorted ones, from 1 */
    int64_t
        *distinct; /* [capacity] each energy once, rising, from the first place of each group on */
    square_sums *squares; /* [groups][POPULATION_BLOCKS] */
    uint64_t groups;
    void *scratch; /* of the library that sorts */
    size_t scratch_bytes;
    int64_t *host_distinct;    /* pinned, likewise */
    square_sums *host_squares; /* pinned, likewise */
    uint64_t reported;         /* groups of the report in progress, so far */
} fine_levels;

/* The energies of groups as numbers that sort group by group. */
typedef struct {
    uint64_t bound;  /* |E| is at most so much */
    uint32_t digits; /* of a number without its group */
} fine_keys;

#ifdef __CUDACC__

static __device__ __forceinline__ uint64_t fine_key_of(fine_keys of, uint64_t group,
                                                       int64_t energy) {
    return group << of.digits | (uint64_t)(energy + (int64_t)of.bound);
}

#endif

/* Allocates. Returns 0, or -1 with p->failed set. */
int fine_levels_create(fine_levels *r, cuda_population *p, const engine_config *config);
void fine_levels_destroy(fine_levels *r);

/* Queues the report of a range whose energies and order parameters are known. |E| is at most `bound`. */
void fine_levels_report(fine_levels *r, cuda_population *p, const cuda_range *range,
                        uint64_t bound);

/* Adds to the histograms of the groups of a step, or to that of all, the energies of their levels and what E^2 adds up to. Waits for
 * the stream. */
void fine_levels_collect(fine_levels *r, cuda_population *p, const engine_step *step,
                         histogram out[]);

/* --- rounds (engine/rounds.h) --- */

fine_keys fine_keys_for(uint64_t bound);

/* Adds the orders of groups of so many replicas, whose energies and orders are known, to the sums of a round, and queues what
 * fine_levels_sort_groups does. */
void fine_levels_add_groups(fine_levels *r, cuda_population *p, fine_keys keys,
                            const cuda_round *round, uint64_t chains);

/* Sorts the keys key[0][groups chains], and queues their copy to the host. */
void fine_levels_sort_groups(fine_levels *r, cuda_population *p, fine_keys keys, uint64_t groups,
                             uint64_t chains);

/* Fills the levels of a report with the energies of group g, once the copy is there, and adds what they sum up to to block 0. */
void fine_levels_take_group(const fine_levels *r, fine_keys keys, uint64_t chains, uint64_t g,
                            histogram *out);

#endif
