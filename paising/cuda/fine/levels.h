/* Levels of a population whose energies have none: ranks of the energies that its replicas have (model/levels.h), and the report
 * that is made of them. */
#ifndef PAISING_CUDA_FINE_LEVELS_H
#define PAISING_CUDA_FINE_LEVELS_H

#include "cuda/engine/population.h"
#include "cuda/engine/round_state.h"
#include "cuda/engine/side_stream.h"

/* The sum of E^2 over a block in three pieces, low + 2^32 middle + 2^64 high. */
typedef struct {
    uint64_t low, middle, high;
} square_sums;

/* Weights for the next step, in pinned memory, and the number of levels. */
typedef struct {
    next_weights next;
    uint64_t levels;
} fine_decision;

/* The sums of next_weights. */
enum { SUM_OF_WEIGHTS, SUM_OF_OVERLAP, SUM_OF_LENGTHS, SUM_OF_SURE, WEIGHT_SUMS };

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
    uint64_t *host_keys[2];    /* pinned [capacity], of rounds by turns */
    square_sums *host_squares; /* pinned, likewise */
    uint64_t reported;         /* groups of the report in progress, so far */

    /* Of a report whose levels come later (fine_levels_complete): */
    weight_units *weights;     /* device [WEIGHT_SUMS]: of next_weights */
    fine_decision *decision;   /* pinned */
    level_sums *host_sums;     /* pinned [capacity] */
    side_stream copies;        /* of the levels to the host, while the next step is made */
    uint64_t levels_under_way; /* of the last report; 0: they are there */
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

/* Queues the report of a range in a step whose energies and order parameters are known. |E| is at most `bound`. */
void fine_levels_report(fine_levels *r, cuda_population *p, const engine_step *step,
                        const cuda_range *range, uint64_t bound);

/* Adds to the histograms of the groups of a step, or to that of all, the energies of their levels and what E^2 adds up to, and waits for
 * the stream. Or adds the weights for the next step, and begins to copy the levels. */
void fine_levels_collect(fine_levels *r, cuda_population *p, const engine_step *step,
                         histogram out[]);

/* Waits for such copies, if any were begun, and adds the levels. Returns false if they do not arrive. */
bool fine_levels_complete(fine_levels *r, cuda_population *p, histogram *out);

/* Queues tau-hat of each level of the last report. */
void fine_levels_expect(const fine_levels *r, cuda_population *p, const expected_copies *copies);

/* --- rounds (engine/rounds.h) --- */

fine_keys fine_keys_for(uint64_t bound);

/* Adds the orders of groups of so many replicas, whose energies and orders are known, to the sums of a round, and queues what
 * fine_levels_sort_groups does. */
void fine_levels_add_groups(fine_levels *r, cuda_population *p, fine_keys keys,
                            const cuda_round *round, uint64_t chains);

/* Sorts the keys key[0][groups chains], and queues their copy to the host, into the buffer of the round. */
void fine_levels_sort_groups(fine_levels *r, cuda_population *p, fine_keys keys,
                             const cuda_round *round, uint64_t chains);

/* Fills the levels of a report with the energies of group g, once the copy is there, and adds what they sum up to to block 0. */
void fine_levels_take_group(const fine_levels *r, fine_keys keys, const cuda_round *round,
                            uint64_t chains, uint64_t g, histogram *out);

#endif
