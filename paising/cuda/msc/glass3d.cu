/* Multi-spin coding on the device: the spin glass on the cubic lattice. */
#include "cuda/msc/cells_kernels.cuh"

const msc_kernels msc_glass3d[2] = {all_cell_kernels<true, true>(),
                                    all_cell_kernels<true, false>()};
