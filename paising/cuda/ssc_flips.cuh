/* Single-spin coding on the device: the Metropolis update of eight spins, the nibbles of a register. What this
 * computes, bit for bit: metropolis_sweep() in reference/plain.c, and sweep_lattice() in cpu/ssc_lattice.c. */
#ifndef PAISING_CUDA_SSC_FLIPS_CUH
#define PAISING_CUDA_SSC_FLIPS_CUH

#include "engine/ssc_numbers.h"
#include "population.h"

struct ssc_step {
    cuda_replicas replicas;
    const uint8_t *parents; /* [replicas][2][half_bytes] */
    uint8_t *children;
    const uint16_t
        *sites; /* [2][half_bytes] (ssc_sites.h), for lattices that are taken site by site */
    uint32_t edge[MODEL_MAX_DIMENSION];
    uint32_t half_sites; /* of a sub-lattice */
    uint32_t half_bytes;
    uint32_t group; /* threads of the lattices that are worked on together */
    uint32_t sweeps;
    uint32_t temperature;
    ssc_keys keys;
    rounding thresholds;
    uint32_t first_replica; /* of the range, among those that streams are counted by */
};

/* The number d of unsatisfied bonds of each spin, from the number of those that want it up: neighbours up, or
 * down where J = -1. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t unsatisfied(uint32_t spins, uint32_t ups) {
    const uint32_t spin_up = spins * 0xf; /* all ones in the nibbles of spins up */
    return (ups & ~spin_up) | ((2 * DIMENSION * 0x11111111u - ups) & spin_up);
}

/* Adds `one` for each of the thresholds that a number is below. In C the compiler makes three instructions of a
 * comparison and the addition that depends on it; these are two. */
template <uint32_t THRESHOLDS>
static __device__ __forceinline__ void
add_thresholds_above(uint32_t &nibbles, uint32_t number, const uint32_t *threshold, uint32_t one) {
#pragma unroll
    for (uint32_t d = 0; d < THRESHOLDS; d++)
        asm("{.reg .pred below;\n"
            "setp.lt.u32 below, %1, %2;\n"
            "@below add.u32 %0, %0, %3;}"
            : "+r"(nibbles)
            : "r"(number), "r"(threshold[d]), "r"(one));
}

/* The spins after the update: one with d >= D, the dimension, flips; one with d < D gains the energy 4 (D - d) and
 * flips if its number is below threshold d. As thresholds do not fall with d, these are the spins for which d and
 * the number of thresholds above make at least D: with 8 - D, bit 3 of the nibble. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t flip(uint32_t spins, uint32_t ups, uint32_t above) {
    const uint32_t reached =
        unsatisfied<DIMENSION>(spins, ups) + above + (8 - DIMENSION) * 0x11111111u;
    return spins ^ (reached >> 3 & 0x11111111u);
}

/* Unsatisfied bonds and spins up: what a thread has seen of a replica. */
struct spin_counts {
    uint32_t bonds, ups;
};

#endif
