/* Multi-spin coding on the device: kernels of the cubic lattice, with or without couplings. */
#ifndef PAISING_CUDA_MSC_CELLS_KERNELS_CUH
#define PAISING_CUDA_MSC_CELLS_KERNELS_CUH

#include "cuda/msc/cells.cuh"
#include "cuda/msc/instances.cuh"

#define INDEPENDENT(LATTICE, PARTS)                                                                \
    KEPT(LATTICE, PARTS, 1), KEPT(LATTICE, PARTS, 2), LOOP(LATTICE, PARTS)

template <typename LATTICE, typename WITH_COMPLEMENT>
static const msc_kernel cell_kernels[] = {
    INDEPENDENT(LATTICE, WHOLE_STEP),        INDEPENDENT(LATTICE, PART_SELECT),
    INDEPENDENT(LATTICE, PART_SWEEP),        INDEPENDENT(LATTICE, PART_MEASURE),
    batched_kernel_of<WITH_COMPLEMENT, 1>(), INDEPENDENT(WITH_COMPLEMENT, PART_SWEEP)};

template <bool COUPLED, bool PAIRED> static constexpr msc_kernels all_cell_kernels() {
    typedef cell_lattice<COUPLED, PAIRED> lattice;
    return kernels_of<lattice>(cell_kernels<lattice, cell_lattice<COUPLED, PAIRED, true>>, NULL,
                               NULL);
}

#endif
