/* Rounds of groups of replicas (engine/rounds.h) on the device. A round is four launches and one wait: exchanges are decided, all groups
 * step (cuda_round_spins), their pairs are compared, and the totals go to pinned memory. Everything else stays on the device. */
#ifndef PAISING_CUDA_ENGINE_ROUNDS_H
#define PAISING_CUDA_ENGINE_ROUNDS_H

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

/* The verbs (engine/async.h). */
engine_status cuda_rounds_plan(engine *base, const round_plan *plan, bool *can);
engine_status cuda_rounds_submit(engine *base, const engine_round *round);
engine_status cuda_rounds_wait(engine *base, histogram out[], overlap_sums overlaps[]);

void cuda_rounds_destroy(cuda_rounds *r, cuda_population *p);

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
