/* Multi-spin coding on the device: kernels of the cubic lattice, with or without couplings. */
#ifndef PAISING_CUDA_MSC_CELLS_KERNELS_CUH
#define PAISING_CUDA_MSC_CELLS_KERNELS_CUH

#include "cuda/msc/cells.cuh"
#include "cuda/msc/instances.cuh"

#define INDEPENDENT(PARTS) KEPT(PARTS, 1), KEPT(PARTS, 2), LOOP(PARTS)

template <typename LATTICE>
static const msc_kernel cell_kernels[] = {INDEPENDENT(WHOLE_STEP), INDEPENDENT(PART_SELECT),
                                          INDEPENDENT(PART_SWEEP), INDEPENDENT(PART_MEASURE)};

template <typename LATTICE> static constexpr msc_kernels all_cell_kernels() {
    return kernels_of<LATTICE>(cell_kernels<LATTICE>, NULL);
}

#endif
