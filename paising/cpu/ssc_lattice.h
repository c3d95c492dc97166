/* One lattice in single-spin coding: one byte per spin, +1 or -1, in the order of sites of
 * couplings.h. One source serves the square and the cubic lattice, with and without couplings. */
#ifndef PAISING_CPU_SSC_LATTICE_H
#define PAISING_CPU_SSC_LATTICE_H

#include "engine/engine.h"
#include "msc_kernels.h"

typedef struct {
    uint32_t dimension;
    uint32_t edge[MODEL_MAX_DIMENSION]; /* Lx, Ly, Lz; 1 beyond the dimension */
    size_t sites;                       /* N */
    int8_t *bonds; /* [dimension][N] J of each site's bonds, 0 where one is missing; NULL: all +1 */
    /* in place of `bonds`: J in units of 1 / FINE_UNIT; NULL: they have no values */
    int32_t *values;
    const spin_graph *graph; /* or its sites are the places of a graph; NULL: they are not */
    /* of spins that have more states (ssc_states.h); without sites: they have not */
    state_lattice states;
    /* of spins that are vectors (ssc_vectors.h); without sites: they are not */
    vector_lattice vectors;
    size_t bytes;               /* of the spins of a replica */
    const msc_kernels *kernels; /* of this processor: random numbers */
} ssc_lattice;

/* The parameters of the flips of one sweep of a replica. */
typedef struct {
    const engine_step *step;
    uint32_t replica, sweep;
    threshold_set thresholds, odd; /* `odd`: of sites with an odd number of bonds */
    downhill_flips downhill;
    const flip_table *table; /* of graphs, with what thresholds are rounded from */
    uint64_t u, of_rest;
    const fine_flips *fine; /* of fine energies; then `downhill` and `u` are read besides */
    bool bounded;           /* of graphs: the energy is `most` at most, and nothing else decides */
    int64_t most;
} ssc_flips;

/* Bytes of the spins of a replica. */
size_t ssc_replica_bytes(const spin_model *model);

/* Bytes of the couplings; and creation of the lattice, without those of vectors. Returns 0, or -1 without memory. */
uint64_t ssc_lattice_bytes(const spin_model *model);
int ssc_lattice_create(ssc_lattice *lattice, const spin_model *model);
void ssc_lattice_destroy(ssc_lattice *lattice);

/* Philox calls per sub-lattice, each for four sites, with those that fill the last vector. */
uint32_t ssc_calls(const spin_model *model);

/* Executes one sweep: the even sub-lattice, then the odd one. A flip of a spin with d of z bonds unsatisfied costs the
 * energy 2 z - 4 d. The spin flips if its 32-bit number is below threshold[d]. With DOWNHILL_ALWAYS it always flips if
 * that is not positive; with DOWNHILL_COMPLEMENT, if it is negative, where the number is not below threshold[z - d].
 * A site whose bonds are an odd number has z - 1 for z in all of this, and its own thresholds (flip_rule).
 * `numbers` is a work array for ssc_calls(). */
void ssc_sweep(const ssc_lattice *lattice, int8_t *spin, const ssc_flips *flips, uint32_t *numbers);

/* The same for graphs (ssc_graph.c), four places of a colour a call: colour by colour, but below a ceiling (engine/ceiling.h). */
void ssc_graph_sweep(const spin_graph *graph, int8_t *spin, const ssc_flips *flips);

/* The same for couplings with values; and the energy of a lattice with them (ssc_fine.c). */
void ssc_fine_sweep(const ssc_lattice *lattice, int8_t *spin, const ssc_flips *flips);
int64_t ssc_fine_energy(const ssc_lattice *lattice, const int8_t *spin);

/* Computes energy and magnetisation. */
void ssc_measure(const ssc_lattice *lattice, const int8_t *spin, int64_t *energy,
                 int64_t *magnetisation);

/* Sets the spin of site i in the order of `read` of engine.h: the even sub-lattice first; of graphs, place i. */
void ssc_set_spin(const ssc_lattice *lattice, int8_t *spin, size_t i, int up);

/* Copy a lattice to packed bits, or as it is if its spins are not Ising's (`read` of engine.h), or back. `apart` is a work
 * array of N spins, rounded up to a multiple of 8. */
void ssc_pack(const ssc_lattice *lattice, const int8_t *spin, int8_t *apart, uint8_t *packed);
void ssc_unpack(const ssc_lattice *lattice, int8_t *spin, int8_t *apart, const uint8_t *packed);

#endif
