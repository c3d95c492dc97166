/* Multi-spin coding on the device: bonds of the square lattice that may be missing, in mode `independent`. */
#include "cuda/msc/rows_kernels.cuh"

template <typename LATTICE, typename WITH_COMPLEMENT>
static const msc_kernel cut_kernels[] = {
    INDEPENDENT(LATTICE, WHOLE_STEP),        INDEPENDENT(LATTICE, PART_SELECT),
    INDEPENDENT(LATTICE, PART_SWEEP),        INDEPENDENT(LATTICE, PART_MEASURE),
    batched_kernel_of<WITH_COMPLEMENT, 1>(), INDEPENDENT(WITH_COMPLEMENT, PART_SWEEP)};

typedef square_lattice<true, false, true> cut_rows;
typedef square_lattice<true, true, true> cut_rows_with_complement;

const msc_kernels msc_cut2d =
    kernels_of<cut_rows>(cut_kernels<cut_rows, cut_rows_with_complement>, NULL, NULL);
