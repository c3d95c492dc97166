/* Multi-spin coding on the device: kernels of the square lattice, with or without couplings. */
#ifndef PAISING_CUDA_MSC_ROWS_KERNELS_CUH
#define PAISING_CUDA_MSC_ROWS_KERNELS_CUH

#include "cuda/msc/instances.cuh"
#include "cuda/msc/rows.cuh"

#define INDEPENDENT(PARTS) KEPT(PARTS, 1), KEPT(PARTS, 2), KEPT(PARTS, 3), LOOP(PARTS)

/* The modes that compare numbers have kernels for the sweeps alone, and each for one p. In a kernel
 * with more parts they would lack registers and predicates. */
template <typename LATTICE>
static const msc_kernel square_kernels[] = {INDEPENDENT(WHOLE_STEP),
                                            INDEPENDENT(PART_SELECT),
                                            INDEPENDENT(PART_SWEEP),
                                            INDEPENDENT(PART_MEASURE),
                                            LCG(8),
                                            LCG(16),
                                            LCG(MACHINE_LANES),
                                            COMPARISON(RNG_SHARED, 8),
                                            COMPARISON(RNG_SHARED, 16),
                                            COMPARISON(RNG_SHARED, MACHINE_LANES),
                                            COMPARISON(RNG_PHILOX, MACHINE_LANES)};

template <typename LATTICE> static constexpr msc_kernels all_square_kernels() {
    return kernels_of<LATTICE>(square_kernels<LATTICE>, sweep_slabs<LATTICE>);
}

#endif
