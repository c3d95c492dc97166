/* How the MSC sweep decides which spins flip. */
#ifndef PAISING_CPU_MSC_SWEEP_H
#define PAISING_CPU_MSC_SWEEP_H

#include "msc_kernels.h"
#include "msc_vector.h"

/* Mode `independent`. Seeds the MWC of every strip; throws the correction points of a half sweep, of so many
 * in this step. */
void MSC_NAME(seed_strips)(msc_lattice *lattice, const msc_flips *flips);
void MSC_NAME(throw_points)(msc_lattice *lattice, const bernoulli_table *table, uint32_t half_sweep,
                            uint32_t half_sweeps);

/* The other modes, in two dimensions: 32-bit numbers compared with the sweep's threshold[SQUARE_GAPS]. `width`
 * columns from `column` on, rows from `top` on; parity_of[], accept[]: [STRIP_ROWS][width]. */
void decide_by_comparison(const msc_flips *flips, const uint32_t *threshold, const msc_shape *shape,
                          uint32_t sweep, uint32_t parity, uint32_t top, uint32_t column,
                          uint32_t width, const uint32_t *parity_of, uint32_t *accept);

void MSC_NAME(msc_sweep)(msc_lattice *lattice, const msc_flips *flips);
void MSC_NAME(msc_gather)(msc_lattice *lattice, const msc_source *sources, size_t count);
void MSC_NAME(msc_measure)(const msc_lattice *lattice, uint32_t bonds[MACHINE_LANES],
                           uint32_t up[MACHINE_LANES]);
void MSC_NAME(msc_pack)(const uint32_t *words, size_t sites, uint8_t *spins);
void MSC_NAME(msc_unpack)(uint32_t *words, size_t sites, const uint8_t *spins);

#endif
