/* What a CUDA engine keeps for rounds of groups of replicas (rounds.h), and what kernels see of it. */
#ifndef PAISING_CUDA_ENGINE_ROUND_STATE_H
#define PAISING_CUDA_ENGINE_ROUND_STATE_H

#include "cuda/engine/population.h"
#include "engine/rounds.h"

/* Sums over a group under construction. */
typedef struct {
    block_sums all;
    uint32_t first, end; /* occupied levels */
} cuda_group_sums;

/* What kernels see of a round. Pointers are to device memory. */
typedef struct {
    uint32_t groups, words;   /* machine words of each group */
    uint32_t exchanging;      /* the first group that exchanges with the next one */
    uint32_t turn;            /* 0 and 1 by turns: which buffer of the host takes fine energies */
    const uint32_t *accepted; /* [groups - 1][words] */
    cuda_group_sums *sums;    /* [groups] */
    uint32_t *levels;         /* [groups][levels] replicas of each level */
} cuda_round;

/* What an engine keeps for rounds. */
typedef struct {
    round_plan plan; /* 0 groups: there are no rounds */
    cuda_round sees;
    uint32_t *accepted;      /* device */
    uint64_t *threshold;     /* device */
    void *pairs;             /* device: overlap reports; NULL: none (overlaps.h) */
    uint64_t pair_bytes;     /* from one to the next */
    uint32_t *host_accepted; /* pinned, as on the device */
    char *host;              /* pinned [groups]: cuda_group_totals, its levels and bins */
    uint64_t host_bytes;     /* from one to the next */
    engine_round round;      /* that is under way */
    uint32_t arrived;        /* the turn of the last round that was waited for */
} cuda_rounds;

/* Totals of a group in pinned memory. Behind them: replicas of each level, then the two histograms of the overlaps. */
typedef struct {
    uint32_t done; /* 1: all of it is there; written last */
    uint32_t first, end;
    uint32_t relatives;
    overlap_span differ, walls;
    block_sums all;
    overlap_block pairs;
} cuda_group_totals;

#ifdef __CUDACC__

/* The lanes of a word that come from the word at the same place in another group. */
struct cuda_exchange {
    uint32_t word, accepted; /* machine word of the population; its lanes, or 0 */
};

/* Returns what word n of group k exchanges. */
static __device__ __forceinline__ cuda_exchange exchange_of(const cuda_round &r, uint32_t k,
                                                            uint32_t n) {
    const uint32_t lower = k - ((k - r.exchanging) & 1), other = k == lower ? k + 1 : lower;
    if (k < r.exchanging || lower + 1 >= r.groups)
        return cuda_exchange{0, 0};
    return cuda_exchange{other * r.words + n, __ldcg(&r.accepted[lower * r.words + n])};
}

#endif
#endif
