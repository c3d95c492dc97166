/* Tempering of many machine words of 32 samples each (sample_lanes.h), of which only sums are kept: of each sample and temperature, over
 * the measurements of some rounds. Rounds are made where the spins are, many of them in a call, and the host reads the sums now and then.
 *
 * Round n, from 0: chain r of temperatures k and k + 1 is exchanged, k = n % 2, n % 2 + 2, ... (rounds.h); then sweeps, and a measurement.
 * Random numbers are those of samples that keep a series: words have the key of their first sample, which counts machine words k R + r;
 * exchanges have the key of their own sample, and the number of the round. */
#ifndef PAISING_SAMPLE_SUMS_H
#define PAISING_SAMPLE_SUMS_H

#include "rounds.h"
#include "sample_lanes.h"

/* What is added up: of each chain its level, and its square; exchanges with the next temperature that were accepted; and of each pair of
 * chains r and r + R/2 the numbers of overlap_block (overlaps.h), waves over the directions of the longest edges. */
typedef enum {
    LANE_LEVEL,
    LANE_LEVEL2,
    LANE_ACCEPTED,
    LANE_D,
    LANE_D2,
    LANE_D4_LOW,
    LANE_D4_HIGH,
    LANE_WALLS,
    LANE_WAVE_LOW,
    LANE_WAVE_HIGH,
    LANE_SUMS
} lane_sum;

/* Those of the samples of a word at a temperature. */
typedef struct {
    uint64_t of[LANE_SUMS][SAMPLE_LANES];
} lane_sums;

/* What the pointers point to must outlive the engine. */
typedef struct {
    spin_model model; /* of any sample, without its couplings */
    uint32_t words, temperatures, sweeps;
    uint64_t chains;                               /* R, of each sample at each temperature */
    const couplings *const (*lanes)[SAMPLE_LANES]; /* [words] samples; NULL: none, whose sums mean
                                                    * nothing */
    const stream_key *key;                         /* [words] of the sweeps */
    const stream_key (*own)[SAMPLE_LANES];         /* [words] of the exchanges of each sample */
    const engine_group *group;                     /* [temperatures] their rules */
    exchange_table exchanges;
} sample_plan;

typedef struct sample_engine sample_engine;

/* Return false after a failure, with the reason in `error`. */
struct sample_verbs {
    /* Makes rounds first .. first + count - 1, the first of all from random states, and adds their measurements to the sums if they
     * are `measured`. */
    bool (*run)(sample_engine *self, uint32_t first, uint32_t count, bool measured);

    /* Fills sums[temperatures][words], and clears those of the engine. */
    bool (*read)(sample_engine *self, lane_sums sums[]);

    void (*destroy)(sample_engine *self);
};

struct sample_engine {
    const struct sample_verbs *verbs;
    const char *name;   /* for messages and run.json */
    const char *driver; /* of its device; NULL: it has none */
    uint32_t threads;   /* of the CPU */
    sample_plan plan;
    char error[200];
};

C_DECLARATIONS_BEGIN

/* Makes an engine on the CPU. Returns NULL without memory. */
sample_engine *sample_cpu_create(const sample_plan *plan);

/* The most sites of a lattice, so that no sum of 2^32 measurements of a chain overflows. */
#define SAMPLE_SUMS_SITES 4096

C_DECLARATIONS_END

/* The directions whose waves count, those of the longest edges (overlap.h): bit d for direction d. */
static inline uint32_t sample_waves(const spin_model *model) {
    uint32_t longest = 0, waves = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        longest = model->edge[d] > longest ? model->edge[d] : longest;
    for (uint32_t d = 0; d < model->dimension; d++)
        waves |= (uint32_t)(model->edge[d] == longest) << d;
    return waves;
}

/* Adds the level of a chain; and a pair, of a lattice of N sites. */
SHARED_FUNCTION void lane_add_level(uint64_t sum[LANE_SUMS], uint32_t level) {
    sum[LANE_LEVEL] += level;
    sum[LANE_LEVEL2] += (uint64_t)level * level;
}

SHARED_FUNCTION void lane_add_pair(uint64_t sum[LANE_SUMS], uint64_t sites, uint32_t waves,
                                   const overlap_pair *pair) {
    const overlap_block b = overlap_numbers(sites, pair);
    sum[LANE_D] += b.d;
    sum[LANE_D2] += b.d2;
    sum[LANE_D4_LOW] += b.d4_low;
    sum[LANE_D4_HIGH] += b.d4_high;
    sum[LANE_WALLS] += b.walls;
    for (uint32_t n = 0; n < MODEL_MAX_DIMENSION; n++) {
        sum[LANE_WAVE_LOW] += waves >> n & 1 ? b.wave_low[n] : 0;
        sum[LANE_WAVE_HIGH] += waves >> n & 1 ? b.wave_high[n] : 0;
    }
}

#endif
