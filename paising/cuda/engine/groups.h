/* Groups of replicas at temperatures of their own (engine/engine.h), on the device. The kernels see
 * each group as a population with a report of its own. */
#ifndef PAISING_CUDA_ENGINE_GROUPS_H
#define PAISING_CUDA_ENGINE_GROUPS_H

#include "cuda/engine/population.h"

#define GROUP_STREAMS 8 /* groups whose kernels may run at the same time */

typedef struct {
    cudaStream_t stream[GROUP_STREAMS]; /* created with the room */
    cudaEvent_t begun, ended[GROUP_STREAMS];
    size_t room;         /* groups that there is room for; allocated on first use */
    cuda_report *report; /* device [room] */
    level_sums *sums;    /* device [room][levels] */
    char *host;          /* pinned [room]: published reports, each with its level sums */
    size_t levels;       /* that each report has room for */
    size_t host_bytes;   /* from one report to the next */
} cuda_groups;

/* Makes room for the groups of a step. Returns 0, or -1 with p->failed set. Pre: the population's size is known to the host. */
int cuda_groups_reserve(cuda_groups *g, cuda_population *p, const engine_step *step);
void cuda_groups_destroy(cuda_groups *g);

/* Returns group n of a step. Pre: the population's size is known to the host. */
cuda_range cuda_groups_range(const cuda_groups *g, const cuda_population *p,
                             const engine_step *step, size_t n);

/* Has what is queued next run in the stream of group n, behind what is in the population's stream; and ends that: the
 * population's stream goes on behind the groups. In between p->stream is that of the group. `begin` comes before the first
 * group. */
void cuda_groups_begin(cuda_groups *g, cuda_population *p);
void cuda_groups_enter(cuda_groups *g, cuda_population *p, size_t n);
void cuda_groups_leave(cuda_groups *g, cuda_population *p, size_t n);

/* Waits for the stream, and turns the published reports into histograms. */
engine_status cuda_groups_collect(const cuda_groups *g, cuda_population *p, size_t groups,
                                  histogram out[]);

#endif
