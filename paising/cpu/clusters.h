/* Cluster updates of a lattice in single-spin coding: Swendsen and Wang, and Wolff (update/update.h). */
#ifndef PAISING_CPU_CLUSTERS_H
#define PAISING_CPU_CLUSTERS_H

#include "ssc_lattice.h"

/* Finds the clusters of one sweep of a replica: label[n] is the smallest site of the cluster of site n, for N sites in the
 * order of `spin`. A bond between parallel spins is set if its number (STREAM_BONDS of streams.h) is not below
 * flips->thresholds.threshold[0]. The lattice is divided among so many threads; labels do not depend on their number. Pre:
 * all bonds are there, J = 1. */
void clusters_label(const ssc_lattice *lattice, const int8_t *spin, const ssc_flips *flips,
                    uint32_t threads, uint32_t *label);

/* Flips each cluster whose first site has the number for that, or the cluster of one random site. label[] is that of
 * clusters_label, and is lost. */
void clusters_flip(const ssc_lattice *lattice, int8_t *spin, const ssc_flips *flips,
                   cluster_flips which, uint32_t *label);

#endif
