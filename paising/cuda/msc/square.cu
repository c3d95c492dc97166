/* Multi-spin coding on the device: the ferromagnet on the square lattice. */
#include "cuda/msc/rows_kernels.cuh"

const msc_kernels msc_square = all_square_kernels<false>();
