/* Multi-spin coding on the device: the ferromagnet on the cubic lattice. */
#include "cuda/msc/cells_kernels.cuh"

const msc_kernels msc_cubic[2] = {all_cell_kernels<false, true>(),
                                  all_cell_kernels<false, false>()};
