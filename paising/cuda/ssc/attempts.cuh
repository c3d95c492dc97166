/* What kernels of visits.cu have in common: the sweeps of a launch, and decisions of flips. */
#ifndef PAISING_CUDA_SSC_ATTEMPTS_CUH
#define PAISING_CUDA_SSC_ATTEMPTS_CUH

#include "cuda/ssc/flips.cuh"

/* Sweeps of the replicas of a range. */
struct visit_sweep {
    const cuda_report *report; /* has the number of replicas */
    uint64_t capacity;
    uint8_t *spins; /* [replicas][2][half_bytes] */
    uint32_t edge[MODEL_MAX_DIMENSION];
    uint32_t sites, half_bytes;
    visit_plan plan;
    ssc_keys keys;
    stream_key key;
    rounding thresholds;
    downhill_flips downhill;
    uint32_t temperature;
    uint32_t first_replica; /* global number of the first replica, for streams */
    uint32_t sweep;         /* the first one of this update */
    visit_stage stage;      /* of tiles */
    uint32_t parity;        /* of visit_rows and visit_half: the sub-lattice */
    bool in_tiles;          /* of these: in the tiles of a colour alone */
    uint32_t phase;         /* of visit_boxes */
};

/* Whether replica k exists. A population that outgrew its memory has none. */
static __device__ __forceinline__ bool has_replica(const visit_sweep &c, uint64_t k) {
    const uint64_t population = c.report->population;
    return population <= c.capacity && k < population;
}

/* --- decisions --- */

/* Thresholds by the number of unsatisfied bonds d; from `always` on a spin flips for sure, from `opposite` on where its
 * number is not below the threshold. */
struct decisions {
    uint32_t threshold[8];
    uint32_t always, opposite;
};

template <uint32_t DIMENSION>
static __device__ decisions decisions_of(const visit_sweep &c, uint32_t replica, uint32_t sweep) {
    const threshold_set rounded = round_thresholds(&c.thresholds, replica, sweep);
    decisions to;
    to.always = c.downhill == DOWNHILL_ALWAYS ? DIMENSION : 8;
    to.opposite = c.downhill == DOWNHILL_COMPLEMENT ? DIMENSION + 1 : 8;
    for (uint32_t d = 0; d < 8; d++)
        to.threshold[d] = d > 2 * DIMENSION  ? 0
                          : d >= to.opposite ? rounded.threshold[2 * DIMENSION - d]
                                             : rounded.threshold[d];
    return to;
}

static __device__ __forceinline__ bool flips(const decisions &by, uint32_t d, uint32_t number) {
    return (number < by.threshold[d] || d >= by.always) != (d >= by.opposite);
}

/* The unsatisfied bonds of each spin of a quad. ups: neighbours up of each. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t unsatisfied_bytes(uint32_t own, uint32_t ups) {
    const uint32_t up = own * 0xff;
    return (ups & ~up) | ((2 * DIMENSION * 0x01010101u - ups) & up);
}

/* The spins of a quad after an attempt at those in `active`, a byte 1 each. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t attempted(const decisions &by, uint32_t own,
                                                     uint32_t ups, uint32_t active,
                                                     const stream_block &numbers) {
    const uint32_t d = unsatisfied_bytes<DIMENSION>(own, ups);
    uint32_t flipped = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
        flipped |= (uint32_t)flips(by, d >> 8 * n & 0xf, numbers.number[n]) << 8 * n;
    return own ^ (flipped & active);
}

/* The neighbours on the other side of those across: of sites at even columns the ones before, of others the ones behind. */
static __device__ __forceinline__ uint32_t beside(uint32_t across, uint32_t left, uint32_t right,
                                                  uint32_t odd) {
    return odd ? across >> 8 | right << 24 : across << 8 | left >> 24;
}

#endif
