/* Groups of replicas at temperatures of their own (engine/engine.h), on the device: each is a range of the
 * population that the kernels see as if it were one, with a report of its own. */
#ifndef PAISING_CUDA_ENGINE_GROUPS_H
#define PAISING_CUDA_ENGINE_GROUPS_H

#include "cuda/engine/population.h"

typedef struct {
    size_t room;         /* groups that there is room for; made when they are first asked for */
    cuda_report *report; /* device [room] */
    level_sums *sums;    /* device [room][most levels] */
    char *host;          /* pinned [room]: published reports, level sums behind each */
    size_t host_bytes;   /* from one to the next */
} cuda_groups;

/* Makes room. Returns 0, or -1 with p->failed set. */
int cuda_groups_reserve(cuda_groups *g, cuda_population *p, size_t groups);
void cuda_groups_destroy(cuda_groups *g);

/* Group number n of a step, for a population whose size is known. */
cuda_range cuda_groups_range(const cuda_groups *g, const cuda_population *p,
                             const engine_step *step, size_t n);

/* Waits for everything that was queued, and turns the published reports into histograms. */
engine_status cuda_groups_collect(const cuda_groups *g, cuda_population *p, size_t groups,
                                  histogram out[]);

#endif
