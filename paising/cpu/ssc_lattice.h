/* One lattice of single-spin coding while it is swept and measured: one byte a spin, +1 or -1, site by site as
 * couplings.h numbers them. Written once for the square and the cubic lattice, with and without couplings. */
#ifndef PAISING_CPU_SSC_LATTICE_H
#define PAISING_CPU_SSC_LATTICE_H

#include "engine/engine.h"

typedef struct {
    uint32_t dimension;
    uint32_t edge[MODEL_MAX_DIMENSION]; /* Lx, Ly, Lz; 1 beyond the dimension */
    size_t sites;                       /* N */
    int8_t *bonds;                      /* [dimension][N] J of each site's bonds; NULL: all +1 */
} ssc_lattice;

/* Which flips to decide. */
typedef struct {
    const engine_step *step;
    uint32_t replica, sweep;
    threshold_set thresholds;
} ssc_flips;

/* Bytes of the bonds; makes them, which are to be freed. Returns 0, or -1 without memory. */
uint64_t ssc_lattice_bytes(const spin_model *model);
int ssc_lattice_create(ssc_lattice *lattice, const spin_model *model);

/* Philox calls for the sites of one sub-lattice, four sites a call. */
uint32_t ssc_quads(const spin_model *model);

/* Makes one Metropolis sweep: the even sub-lattice, then the odd one. A spin with d unsatisfied bonds of z
 * gains the energy 2 z - 4 d by flipping; if that is above 0 it flips when its 32-bit number is below
 * threshold[d], and else whatever the number. `numbers` is room for ssc_quads() calls. */
void ssc_sweep(const ssc_lattice *lattice, int8_t *spin, const ssc_flips *flips, uint32_t *numbers);

/* Energy and magnetisation. */
void ssc_measure(const ssc_lattice *lattice, const int8_t *spin, int64_t *energy,
                 int64_t *magnetisation);

/* Sets the spin of site i, counted as engine->save does: the even sub-lattice first. */
void ssc_set_spin(const ssc_lattice *lattice, int8_t *spin, size_t i, int up);

/* Copies a lattice out as packed bits (engine->save), or in; `apart` is room for N spins, rounded up to 8. */
void ssc_pack(const ssc_lattice *lattice, const int8_t *spin, int8_t *apart, uint8_t *packed);
void ssc_unpack(const ssc_lattice *lattice, int8_t *spin, int8_t *apart, const uint8_t *packed);

#endif
