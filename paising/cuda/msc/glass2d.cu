/* Multi-spin coding on the device: the spin glass on the square lattice. */
#include "cuda/msc/rows_kernels.cuh"

const msc_kernels msc_glass2d = all_square_kernels<true>();
