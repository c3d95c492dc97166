/* Multi-spin coding on the device: arguments of the kernel of a round (rounds.cuh). */
#ifndef PAISING_CUDA_MSC_ROUND_REQUEST_CUH
#define PAISING_CUDA_MSC_ROUND_REQUEST_CUH

#include "cuda/engine/rounds.h"
#include "cuda/msc/request.cuh"

/* What of a flip rule is an argument of the kernel. */
struct group_rule {
    plane_branches planes;
    point_marks points;
};

#define ROUND_GROUPS 24 /* of a launch, at most: arguments have 4096 bytes */

struct msc_round {
    msc_population own;
    cuda_round round;
    uint32_t first;          /* group of the first row of blocks */
    const double *more_than; /* device [groups][BERNOULLI_MOST_POINTS] */
    group_rule rule[ROUND_GROUPS];
};

static_assert(sizeof(msc_round) <= 4096, "the limit on kernel arguments of every toolkit");

#endif
