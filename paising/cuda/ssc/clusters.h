/* Cluster updates of the single-spin-coded engine. */
#ifndef PAISING_CUDA_SSC_CLUSTERS_H
#define PAISING_CUDA_SSC_CLUSTERS_H

#include "cuda/engine/population.h"

/* The lattices of a population, in device memory. */
typedef struct {
    uint8_t *spins;      /* [replicas][2][half_bytes], 1 up and 0 down (ssc.h) */
    uint32_t *label;     /* [replicas][N], room for labels */
    uint32_t half_bytes; /* from the even to the odd sub-lattice */
} cluster_lattices;

/* Queues the cluster sweeps of a step for a range of the population. */
void cuda_ssc_sweep_clusters(const cluster_lattices *l, const spin_model *model, cuda_population *p,
                             const engine_step *step, const cuda_range *range);

#endif
