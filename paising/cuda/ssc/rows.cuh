/* Checkerboard updates of lattices in device memory whose rows are whole quads (visits.cu). They equal visit_half bit for bit.
 *
 * A thread has 1, 2 or 4 quads of a row: 16 spins are one vector of 16 bytes. Its random numbers do not depend on spins. So it makes
 * them before it waits for the launch before, and keeps of each spin's number how many thresholds are above it. In bytes, d of 2 D
 * bonds unsatisfied and thresholds that rise with d, a flip is made where that count c has
 *
 *     DOWNHILL_ALWAYS       d + c >= D,                      of the thresholds 0 to D - 1
 *     DOWNHILL_COMPLEMENT   d' + c >= D + 1, if d <= D;      of the thresholds 0 to D
 *                           not so, if d > D;                d' = d or 2 D - d, whichever is less
 *
 * A spin costs a quarter of a Philox call, 4 multiplications of 64 bits in its eight rounds, some ten other instructions, and 3 bytes
 * of traffic: 0.6 ps by the multiplications, on an H200, and 0.6 ps by its level 2 cache. */
#ifndef PAISING_CUDA_SSC_ROWS_CUH
#define PAISING_CUDA_SSC_ROWS_CUH

#include "cuda/device/launches.cuh"
#include "cuda/ssc/attempts.cuh"

#define ROW_THREADS 256

/* Quads of a row, one after the other: a vector of the device. */
template <uint32_t QUADS> struct alignas(4 * QUADS) row_quads { uint32_t of[QUADS]; };

template <uint32_t QUADS>
static __device__ __forceinline__ row_quads<QUADS> load_quads(const uint8_t *from) {
    return *(const row_quads<QUADS> *)from;
}

/* Returns a byte 1 where a byte of d, below 8, is at least LEAST. */
template <uint32_t LEAST> static __device__ __forceinline__ uint32_t bytes_from(uint32_t d) {
    return (d + (8 - LEAST) * 0x01010101u) >> 3 & 0x01010101u;
}

/* Counts the thresholds above each number of a quad, in bytes. */
template <uint32_t COUNT>
static __device__ __forceinline__ uint32_t count_above(const threshold_set &to,
                                                       const stream_block &numbers) {
    uint32_t above = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4; n++)
#pragma unroll
        for (uint32_t d = 0; d < COUNT; d++)
            add_if_below(above, numbers.number[n], to.threshold[d], 1u << 8 * n);
    return above;
}

/* The flips of a quad: a byte 1 each. */
template <uint32_t DIMENSION, bool ALWAYS>
static __device__ __forceinline__ uint32_t flips_of_quad(uint32_t own, uint32_t ups,
                                                         uint32_t above) {
    const uint32_t bonds = 2 * DIMENSION * 0x01010101u, up = own * 0xff,
                   d = (ups & ~up) | ((bonds - ups) & up);
    if (ALWAYS)
        return bytes_from<DIMENSION>(d + above);
    const uint32_t falls = bytes_from<DIMENSION + 1>(d), opposite = falls * 0xff;
    return bytes_from<DIMENSION + 1>(((d & ~opposite) | ((bonds - d) & opposite)) + above) ^ falls;
}

/* Updates a sub-lattice. A block has one replica. */
template <uint32_t DIMENSION, uint32_t QUADS, bool ALWAYS>
static __global__ void __launch_bounds__(ROW_THREADS)
    visit_rows(const __grid_constant__ visit_sweep c) {
    constexpr uint32_t thresholds = ALWAYS ? DIMENSION : DIMENSION + 1;
    const uint32_t half = c.edge[0] / 2, ly = c.edge[1], lz = c.edge[2], quads = c.sites / 8,
                   vectors = quads / QUADS, blocks = (vectors + ROW_THREADS - 1) / ROW_THREADS,
                   k = blockIdx.x / blocks,
                   vector = blockIdx.x % blocks * ROW_THREADS + threadIdx.x,
                   replica = c.first_replica + k;
    const threshold_set to = round_thresholds(&c.thresholds, replica, c.sweep);
    const ssc_moment moment = ssc_moment_of(&c.keys, replica, c.sweep);
    uint32_t above[QUADS];
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        above[q] = count_above<thresholds>(
            to,
            ssc_numbers(&c.keys,
                        ssc_place_of(&c.keys, c.parity * quads + vector * QUADS + q, c.temperature),
                        moment));
    const uint32_t first = vector * QUADS * 4, row = first / half, j = first - row * half,
                   y = DIMENSION == 3 ? row % ly : row, z = DIMENSION == 3 ? row / ly : 0,
                   odd = (y + z + c.parity) & 1;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes);
    uint8_t *const at = lattice + c.parity * c.half_bytes + first;
    const uint8_t *const others = lattice + (1 - c.parity) * c.half_bytes,
                         *const across_row = others + row * half, *const column = others + j;
    uint32_t all_above = 0;
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        all_above |= above[q];
    /* Always true, which the compiler does not know: in straight code it would wait first, and make the numbers then. */
    if (all_above < c.capacity + (8u << 24))
        await_launch_before();
    allow_next_launch();
    if (vector >= vectors || !has_replica(c, k))
        return;
    row_quads<QUADS> own = load_quads<QUADS>(at);
    const row_quads<QUADS> across = load_quads<QUADS>(across_row + j),
                           over =
                               load_quads<QUADS>(column + (y > 0 ? row - 1 : row + ly - 1) * half),
                           under = load_quads<QUADS>(column +
                                                     (y + 1 < ly ? row + 1 : row + 1 - ly) * half);
    row_quads<QUADS> before = {}, behind = {};
    if (DIMENSION == 3) {
        before = load_quads<QUADS>(column + (z > 0 ? row - ly : row + (lz - 1) * ly) * half);
        behind = load_quads<QUADS>(column + (z + 1 < lz ? row + ly : y) * half);
    }
    const uint32_t end = j + 4 * QUADS,
                   side = across_row[odd ? (end < half ? end : 0) : (j > 0 ? j : half) - 1];
#pragma unroll
    for (uint32_t q = 0; q < QUADS; q++) {
        const uint32_t left = q > 0 ? across.of[q > 0 ? q - 1 : 0] : side << 24,
                       right = q + 1 < QUADS ? across.of[q + 1 < QUADS ? q + 1 : q] : side;
        const uint32_t ups = across.of[q] + beside(across.of[q], left, right, odd) + over.of[q] +
                             under.of[q] + before.of[q] + behind.of[q];
        own.of[q] ^= flips_of_quad<DIMENSION, ALWAYS>(own.of[q], ups, above[q]);
    }
    *(row_quads<QUADS> *)at = own;
}

/* Queues a half sweep of so many replicas. Edges in x are multiples of 8. */
template <uint32_t DIMENSION, uint32_t QUADS, bool ALWAYS>
static void launch_rows(cuda_population *p, uint64_t replicas, const visit_sweep &c) {
    const uint32_t vectors = c.sites / 8 / QUADS;
    const unsigned blocks = (unsigned)(replicas * ((vectors + ROW_THREADS - 1) / ROW_THREADS));
    cuda_launch_early(p, "visit_rows (SSC)", visit_rows<DIMENSION, QUADS, ALWAYS>, blocks,
                      ROW_THREADS, 0, c);
}

template <uint32_t DIMENSION, bool ALWAYS>
static void launch_widest_rows(cuda_population *p, uint64_t replicas, const visit_sweep &c) {
    if (c.edge[0] % 32 == 0)
        launch_rows<DIMENSION, 4, ALWAYS>(p, replicas, c);
    else if (c.edge[0] % 16 == 0)
        launch_rows<DIMENSION, 2, ALWAYS>(p, replicas, c);
    else
        launch_rows<DIMENSION, 1, ALWAYS>(p, replicas, c);
}

#endif
