/* Single-spin coding on the device: update of eight spins in the nibbles of a register.
 * It equals sweep_lattice() in reference/plain.c and sweep_lattice() in cpu/ssc_lattice.c bit
 * for bit. */
#ifndef PAISING_CUDA_SSC_FLIPS_CUH
#define PAISING_CUDA_SSC_FLIPS_CUH

#include "cuda/engine/population.h"
#include "engine/ssc_numbers.h"

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    const uint16_t *sites;   /* [2][half_bytes] (sites.h), for octets in device memory */
    const uint4 *neighbours; /* site_neighbours, for octets in shared memory */
    uint32_t edge[MODEL_MAX_DIMENSION];
    uint32_t half_sites; /* sites of a sub-lattice */
    uint32_t half_bytes;
    uint32_t group; /* threads of the lattices that share registers */
    uint32_t sweeps;
    uint32_t temperature;
    ssc_keys keys;
    rounding thresholds;
    downhill_flips downhill;
    uint32_t first_replica; /* global number of the range's first replica, for streams */

    /* For lattices whose bonds may be missing: */
    rounding odd_thresholds; /* of sites with an odd number of bonds */
    const uint8_t *missing;  /* [2][half_bytes] (sites.h), for octets in device memory */
    uint32_t lowest;         /* bonds that are counted in level 0 (model_counted_at_lowest) ... */
    uint32_t level_shift;    /* ... and the logarithm of how many more are in level 1 */
};

/* Returns the number d of unsatisfied bonds of each spin. `ups`: the number of bonds that favour
 * spin up, that is neighbours up, or down where J = -1. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t unsatisfied(uint32_t spins, uint32_t ups) {
    const uint32_t spin_up = spins * 0xf; /* all ones in the nibbles of spins up */
    return (ups & ~spin_up) | ((2 * DIMENSION * 0x11111111u - ups) & spin_up);
}

/* Returns 1 for spins with at least D unsatisfied bonds: adding 8 - D sets bit 3 of the nibble. */
template <uint32_t DIMENSION> static __device__ __forceinline__ uint32_t at_least(uint32_t d) {
    return (d + (8 - DIMENSION) * 0x11111111u) >> 3 & 0x11111111u;
}

/* Adds `one` if number < threshold. From C the compiler makes three instructions of it; these are
 * two. */
static __device__ __forceinline__ void add_if_below(uint32_t &sum, uint32_t number,
                                                    uint32_t threshold, uint32_t one) {
    asm("{.reg .pred below;\n"
        "setp.lt.u32 below, %1, %2;\n"
        "@below add.u32 %0, %0, %3;}"
        : "+r"(sum)
        : "r"(number), "r"(threshold), "r"(one));
}

/* Unsatisfied bonds and spins up of a replica, as counted by a thread. */
struct spin_counts {
    uint32_t bonds, ups;
};

#endif
