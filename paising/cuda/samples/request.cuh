/* Words of 32 samples on the device: arguments of the kernel of a round (round.cuh). */
#ifndef PAISING_CUDA_SAMPLES_REQUEST_CUH
#define PAISING_CUDA_SAMPLES_REQUEST_CUH

#include "cuda/msc/round_request.cuh"
#include "engine/sample_sums.h"

#define MOST_SAMPLE_THREADS 512 /* of a block, which has all chains of a word of samples */
#define SAMPLE_REGISTERS    80  /* of a thread: with many samples faster than 64 and 121 */
#define PLANE_SLICES        11  /* bits of the sites of a lattice plane: at most 1024 */

/* Spins are [temperatures][groups][chains][words of a lattice], levels [temperatures][groups][chains][32], sums
 * [temperatures][groups][LANE_SUMS][32]; a group is the chains of 32 samples. */
struct sample_round {
    lattice_shape shape;
    uint32_t groups, chains, temperatures;
    uint32_t together, stride; /* groups of a block; threads of a lattice */
    uint32_t first;            /* temperature of the first row of blocks */
    uint32_t sweeps, number;   /* of sweeps; of the round */
    bool exchanges, measures, overlaps;
    exchange_table table;              /* in device memory */
    const uint32_t *from, *level_from; /* spins and levels before the round, and after it */
    uint32_t *to, *level_to;
    const stream_key *key, *own; /* [groups], [groups][32] */
    const uint4 *couplings;      /* [groups][quads of a strip][strips] */
    const double *more_than;     /* [temperatures][BERNOULLI_MOST_POINTS] */
    uint64_t *sums;

    /* Of the planes across all directions, one direction after another: [sites of a plane][planes] words of the sites, and [planes]
     * cosines and sines. */
    uint32_t dimension, waves; /* waves: sample_waves */
    const uint16_t *plane_word;
    const int2 *wave;
    group_rule rule[ROUND_GROUPS];
};

static_assert(sizeof(sample_round) <= 4096, "the limit on kernel arguments of every toolkit");

#endif
