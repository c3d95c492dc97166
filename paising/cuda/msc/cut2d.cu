/* Multi-spin coding on the device: bonds of the square lattice that may be missing, in mode `independent`. */
#include "cuda/msc/rows_kernels.cuh"

const msc_kernels msc_cut2d[2] = {independent_square_kernels<true, true, false>(),
                                  independent_square_kernels<true, true, true>()};
