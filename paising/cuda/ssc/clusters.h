/* Cluster updates of the single-spin-coded engine. */
#ifndef PAISING_CUDA_SSC_CLUSTERS_H
#define PAISING_CUDA_SSC_CLUSTERS_H

#include "cuda/ssc/ssc.h"

/* Queues the cluster sweeps of a step for a range of the population. Pre: there is room for labels. */
void cuda_ssc_sweep_clusters(const cuda_ssc *s, cuda_population *p, const engine_step *step,
                             const cuda_range *range);

#endif
