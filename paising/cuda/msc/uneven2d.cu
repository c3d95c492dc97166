/* Multi-spin coding on the device: square lattices with edges that are no multiples of 16, in mode `independent`. */
#include "cuda/msc/rows_kernels.cuh"

const msc_kernels msc_uneven2d[2] = {independent_square_kernels<false, false, true>(),
                                     independent_square_kernels<true, false, true>()};
