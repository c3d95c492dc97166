/* Steps of small cubes by patterns (patterns.cuh): words of replicas become rows of each replica and back, the table of thresholds. */
#ifndef PAISING_CUDA_FINE_ROWS_CUH
#define PAISING_CUDA_FINE_ROWS_CUH

#include "cuda/fine/patterns.cuh"
#include "cuda/fine/step.cuh"

/* What a flip costs, halved, by the pattern of a site. */
static __device__ __forceinline__ int32_t pattern_half_cost(const graph_row *rows,
                                                            const int32_t *base, uint32_t quad,
                                                            uint32_t n, uint32_t pattern) {
    const graph_row *const row = rows + 2 * MODEL_MAX_DIMENSION * (size_t)quad;
    int32_t sum = -base[4 * quad + n];
    for (uint32_t k = 0; k < 2 * MODEL_MAX_DIMENSION; k++)
        sum -= pattern >> k & 1 ? row[k].of[n].weight : 0;
    return sum;
}

/* Fills the thresholds of a lattice, for each table of weights (blockIdx.y). A flip that costs nothing is made if the number is not the
 * last one, and else by all digits. */
static __global__ void fill_thresholds(const graph_row *rows, const int32_t *base,
                                       const fine_flips *flips, uint32_t sites, uint32_t quads,
                                       uint32_t *threshold) {
    const uint32_t n = blockIdx.x * blockDim.x + threadIdx.x, place = n / PATTERNS,
                   parity = place >= sites / 2, site = place - parity * (sites / 2);
    if (place >= sites)
        return;
    const int32_t half =
        pattern_half_cost(rows, base, parity * quads + site / 4, site % 4, n % PATTERNS);
    threshold[(size_t)blockIdx.y * sites * PATTERNS + n] =
        half <= 0 ? UINT32_MAX
                  : (uint32_t)(fine_weight(flips + blockIdx.y, 2 * (uint32_t)half) >> 32);
}

/* The place of site x of a row of which the first site has parity `odd`, in words of replicas. */
template <uint32_t L>
static __device__ __forceinline__ uint32_t place_in_row(uint32_t row, uint32_t odd, uint32_t x) {
    return ((x + odd) & 1) * (L * L * L / 2) + row * (L / 2) + x / 2;
}

/* The sweeps of a warp's word. */
template <uint32_t L, typename WARP>
static __device__ __forceinline__ void sweep_rows(const WARP &warp, const uint32_t *threshold) {
    const fine_step &step = warp.step;
    uint32_t *const sites = warp.word[0].site, lane = warp.lane;
    const uint32_t active = warp.word[0].active, replica = warp.word[0].replica;
    pattern_row<L> *const rows = (pattern_row<L> *)(sites + fine_room(L * L * L)) + lane;
    for (uint32_t r = 0; r < L * L; r++) {
        const uint32_t odd = (r % L + r / L) & 1;
        uint32_t bits = 0;
#pragma unroll
        for (uint32_t x = 0; x < L; x++)
            bits |= (sites[place_in_row<L>(r, odd, x)] >> lane & 1) << x;
        rows[MACHINE_LANES * r] = (pattern_row<L>)bits;
    }
    __syncwarp(); /* all have looked */
    for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
        const ssc_moment moment = ssc_moment_of(&step.keys, replica, sweep);
#pragma unroll 1
        for (uint32_t parity = 0; parity < 2; parity++)
            sweep_patterns<L>(
                rows, threshold + parity * (L * L * L / 2) * PATTERNS, parity,
                [&](uint32_t n) {
                    return ssc_numbers(
                        &step.keys,
                        ssc_place_of(&step.keys, parity * step.quads + n, step.temperature),
                        moment);
                },
                [&](uint32_t site, uint32_t pattern, uint32_t number) {
                    const int32_t half =
                        pattern_half_cost((const graph_row *)step.rows, (const int32_t *)step.base,
                                          parity * step.quads + site / 4, site % 4, pattern);
                    return WARP::decide_exactly(warp.flips, half, number,
                                                rounding_of(&step.thresholds, replica, sweep));
                });
    }
    for (uint32_t r = 0; r < L * L; r++) {
        const uint32_t odd = (r % L + r / L) & 1, bits = rows[MACHINE_LANES * r];
#pragma unroll
        for (uint32_t x = 0; x < L; x++) {
            const uint32_t place = place_in_row<L>(r, odd, x),
                           all = __ballot_sync(EVERY_LANE, bits >> x & 1);
            if (lane == 0)
                sites[place] = (all & active) | (sites[place] & ~active);
        }
    }
    __syncwarp();
}

#endif
