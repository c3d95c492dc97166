/* Multi-spin coding on the device: kernels of the square lattice, with or without couplings. */
#ifndef PAISING_CUDA_MSC_ROWS_KERNELS_CUH
#define PAISING_CUDA_MSC_ROWS_KERNELS_CUH

#include "cuda/msc/instances.cuh"
#include "cuda/msc/rows.cuh"

#define INDEPENDENT(LATTICE, PARTS)                                                                \
    KEPT(LATTICE, PARTS, 1), KEPT(LATTICE, PARTS, 2), KEPT(LATTICE, PARTS, 3), LOOP(LATTICE, PARTS)

/* The modes that compare numbers have kernels for the sweeps alone, and each for one p. In a kernel
 * with more parts they would lack registers and predicates. */
template <typename LATTICE, typename WITH_COMPLEMENT>
static const msc_kernel square_kernels[] = {INDEPENDENT(LATTICE, WHOLE_STEP),
                                            INDEPENDENT(LATTICE, PART_SELECT),
                                            INDEPENDENT(LATTICE, PART_SWEEP),
                                            INDEPENDENT(LATTICE, PART_MEASURE),
                                            batched_kernel_of<WITH_COMPLEMENT, 1>(),
                                            batched_kernel_of<WITH_COMPLEMENT, 2>(),
                                            batched_kernel_of<WITH_COMPLEMENT, 3>(),
                                            INDEPENDENT(WITH_COMPLEMENT, PART_SWEEP),
                                            LCG(8),
                                            LCG(16),
                                            LCG(MACHINE_LANES),
                                            COMPARISON(RNG_SHARED, 8),
                                            COMPARISON(RNG_SHARED, 16),
                                            COMPARISON(RNG_SHARED, MACHINE_LANES),
                                            COMPARISON(RNG_PHILOX, MACHINE_LANES)};

/* With edges that are no multiples of 16 there are those of the mode independent, without slabs. Where bonds may be missing there
 * are not more either. */
template <typename LATTICE, typename WITH_COMPLEMENT>
static const msc_kernel independent_kernels[] = {
    INDEPENDENT(LATTICE, WHOLE_STEP),        INDEPENDENT(LATTICE, PART_SELECT),
    INDEPENDENT(LATTICE, PART_SWEEP),        INDEPENDENT(LATTICE, PART_MEASURE),
    batched_kernel_of<WITH_COMPLEMENT, 1>(), INDEPENDENT(WITH_COMPLEMENT, PART_SWEEP)};

template <bool COUPLED, bool CUT, bool UNEVEN>
static constexpr msc_kernels independent_square_kernels() {
    typedef square_lattice<COUPLED, false, CUT, false, UNEVEN> lattice;
    typedef square_lattice<COUPLED, true, CUT, false, UNEVEN> with_complement;
    return kernels_of<lattice>(independent_kernels<lattice, with_complement>, NULL, NULL);
}

template <bool COUPLED> static constexpr msc_kernels all_square_kernels() {
    typedef square_lattice<COUPLED> lattice;
    typedef square_lattice<COUPLED, true> with_complement;
    return kernels_of<lattice>(square_kernels<lattice, with_complement>, sweep_slabs<lattice>,
                               sweep_slabs<with_complement>);
}

#endif
