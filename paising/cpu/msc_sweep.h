/* The parts of the MSC sweep that decide which spins flip, and the kernels of one instruction set. */
#ifndef PAISING_CPU_MSC_SWEEP_H
#define PAISING_CPU_MSC_SWEEP_H

#include "msc_kernels.h"
#include "msc_vector.h"

/* Mode `independent`: the first seeds the MWC of every strip; the second throws the correction points of half sweep number
 * `half_sweep` of `half_sweeps` in this step at strips begin .. end - 1, whole groups but for the last. */
void MSC_NAME(seed_strips)(msc_lattice *lattice, const msc_flips *flips);
void MSC_NAME(throw_points)(msc_lattice *lattice, const flip_rule *rule, uint32_t begin,
                            uint32_t end, uint32_t half_sweep, uint32_t half_sweeps);

/* The other modes, in two dimensions: compares 32-bit numbers with the sweep's
 * threshold[SQUARE_GAPS]. It decides for rows from `top` on and `width` columns from `column` on.
 * parity_of[STRIP_ROWS][width]: unsatisfied bonds modulo 2; accept[STRIP_ROWS][width]: the result. */
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
