/* Lattices of spins that are not Ising's in single-spin coding: a byte a spin, its state, in the order of sites of
 * couplings.h (engine/states.h). */
#ifndef PAISING_CPU_SSC_STATES_H
#define PAISING_CPU_SSC_STATES_H

#include "ssc_lattice.h"

/* Draws the states of a replica, each with the same probability. */
void ssc_states_randomise(const state_lattice *l, uint8_t *spin, stream_key key, uint32_t replica);

/* Makes one sweep, colour by colour. */
void ssc_states_sweep(const state_lattice *l, uint8_t *spin, const ssc_flips *flips,
                      const state_rule *rule);

/* Draws the states of the clusters whose labels clusters_label has found: with CLUSTERS_ALL of each, with CLUSTERS_ONE another one of
 * that of a random site. */
void ssc_states_flip(const state_lattice *l, uint8_t *spin, const ssc_flips *flips,
                     cluster_flips which, const uint32_t *label);

/* Computes the energy, in units of J / levels.unit, and M >= 0 (model.h). */
void ssc_states_measure(const state_lattice *l, const uint8_t *spin, int64_t *energy,
                        int64_t *order);

#endif
