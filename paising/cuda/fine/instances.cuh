/* Which instance of the kernels (kernels.cuh) makes a step, or a round, of a lattice. */
#ifndef PAISING_CUDA_FINE_INSTANCES_CUH
#define PAISING_CUDA_FINE_INSTANCES_CUH

#include "cuda/fine/kernels.cuh"

typedef void fine_kernel(const fine_step, step_parts);
typedef void fine_round_kernel(const fine_round);

template <uint32_t DIMENSION, bool COMPLEMENT>
static fine_kernel *kernel_for(bool in_shared, unsigned words) {
    if (words > 1)
        return words == 4 ? step_fine<DIMENSION, true, COMPLEMENT, 4, 0>
                          : step_fine<DIMENSION, true, COMPLEMENT, 2, 0>;
    return in_shared ? step_fine<DIMENSION, true, COMPLEMENT, 1, 0>
                     : step_fine<DIMENSION, false, COMPLEMENT, 1, 0>;
}

template <uint32_t DIMENSION, bool COMPLEMENT>
static fine_round_kernel *round_kernel_for(bool in_shared, unsigned words) {
    if (words > 1)
        return words == 4 ? round_fine<DIMENSION, true, COMPLEMENT, 4, 0>
                          : round_fine<DIMENSION, true, COMPLEMENT, 2, 0>;
    return in_shared ? round_fine<DIMENSION, true, COMPLEMENT, 1, 0>
                     : round_fine<DIMENSION, false, COMPLEMENT, 1, 0>;
}

/* The kernels whose warps have so many words of replicas. */
static fine_kernel *kernel_of(uint32_t dimension, bool in_shared, bool complement, unsigned words) {
    if (dimension == 2)
        return complement ? kernel_for<2, true>(in_shared, words)
                          : kernel_for<2, false>(in_shared, words);
    return complement ? kernel_for<3, true>(in_shared, words)
                      : kernel_for<3, false>(in_shared, words);
}

static fine_round_kernel *round_kernel_of(uint32_t dimension, bool in_shared, bool complement,
                                          unsigned words) {
    if (dimension == 2)
        return complement ? round_kernel_for<2, true>(in_shared, words)
                          : round_kernel_for<2, false>(in_shared, words);
    return complement ? round_kernel_for<3, true>(in_shared, words)
                      : round_kernel_for<3, false>(in_shared, words);
}

/* Those of cubes, by patterns; NULL: there are none of such an edge. */
static fine_kernel *kernel_of_cube(uint32_t edge) {
    return edge == 4    ? step_fine<3, true, false, 1, 4>
           : edge == 6  ? step_fine<3, true, false, 1, 6>
           : edge == 8  ? step_fine<3, true, false, 1, 8>
           : edge == 10 ? step_fine<3, true, false, 1, 10>
           : edge == 12 ? step_fine<3, true, false, 1, 12>
                        : NULL;
}

static fine_round_kernel *round_kernel_of_cube(uint32_t edge) {
    return edge == 4    ? round_fine<3, true, false, 1, 4>
           : edge == 6  ? round_fine<3, true, false, 1, 6>
           : edge == 8  ? round_fine<3, true, false, 1, 8>
           : edge == 10 ? round_fine<3, true, false, 1, 10>
           : edge == 12 ? round_fine<3, true, false, 1, 12>
                        : NULL;
}

#endif
