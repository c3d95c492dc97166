/* Multi-spin coding on the device: bonds of the cubic lattice that may be missing. */
#include "cuda/msc/cells_kernels.cuh"

template <bool PAIRED> static constexpr msc_kernels cut_kernels() {
    typedef cell_lattice<true, PAIRED, false, true> lattice;
    return kernels_of<lattice>(cell_kernels<lattice, cell_lattice<true, PAIRED, true, true>>, NULL,
                               NULL);
}

const msc_kernels msc_cut3d[2] = {cut_kernels<true>(), cut_kernels<false>()};
