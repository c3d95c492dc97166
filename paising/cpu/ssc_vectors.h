/* Lattices of spins that are vectors in single-spin coding (engine/vectors.h): n components a spin, in the order of sites of
 * couplings.h. */
#ifndef PAISING_CPU_SSC_VECTORS_H
#define PAISING_CPU_SSC_VECTORS_H

#include "engine/vector_overlaps.h"
#include "ssc_lattice.h"

/* Takes the couplings of a sample, [dimension][N] J of each site's bonds, which the caller frees. Returns 0, or -1 without memory. */
int ssc_vectors_take_sample(vector_lattice *l, const couplings *sample);

/* Draws the spins of a replica, each in any direction. `spin` has floats or doubles. */
void ssc_vectors_randomise(const vector_lattice *l, void *spin, stream_key key, uint32_t replica);

/* Makes one update, sub-lattice by sub-lattice or by tiles, and the sweeps of over-relaxation behind it, with so many threads. */
void ssc_vectors_sweep(const vector_lattice *l, void *spin, const ssc_flips *flips,
                       const vector_rule *rule, const visit_plan *plan, uint32_t threads);

/* Makes one cluster update, and the sweeps of over-relaxation behind it. label[N] is scratch memory. */
void ssc_vectors_flip_clusters(const vector_lattice *l, void *spin, const ssc_flips *flips,
                               const vector_rule *rule, cluster_flips which, uint32_t *label);

/* Computes the energy in units of J / 2^20, and the order (vector_order). */
void ssc_vectors_measure(const vector_lattice *l, const void *spin, int64_t *energy,
                         uint32_t *order);

/* What is known of a pair of replicas; and adds pairs to sums that were begun (overlaps.h), with so many threads. */
vector_pair ssc_vectors_pair(const vector_lattice *l, const void *a, const void *b,
                             const overlap_waves *w);
void ssc_vectors_compare(const vector_lattice *l, const spin_model *model, const overlap_waves *w,
                         const vector_pairs *pairs, uint32_t threads, overlap_sums *out);

/* The overlaps of `count` replicas, as pairs of a population. family_logs is left 0. */
void ssc_vectors_overlaps(const vector_lattice *l, const spin_model *model, const overlap_waves *w,
                          const void *spins, const uint32_t *family, uint32_t threads,
                          uint64_t count, overlap_sums *out);

#endif
