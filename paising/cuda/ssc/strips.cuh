/* All sweeps of a step of a few large square lattices in one launch. A launch of visit_rows (rows.cuh) takes microseconds,
 * and half a sweep of one lattice less.
 *
 * A lattice is cut into strips of whole rows, one a block. A thread has QUADS quads of either sub-lattice in registers, at
 * the same place in both; the words of its block's rows are in shared memory, too. Only the first and the last row of a
 * strip have neighbours in others. Their threads send their words through device memory, in an array like the lattices':
 * bytes are spins, and so have room for a stamp, the parity of the sweep. A word that has come brings its stamp along, and
 * no fence is needed. It is overwritten two half sweeps later, when who reads it has sent a word that depends on it. Numbers
 * are made before a thread waits, as they depend on no spin.
 *
 * All blocks must be resident at a time: a cooperative launch. An H200 sweeps one lattice of L = 1024 in 1.6 us. */
#ifndef PAISING_CUDA_SSC_STRIPS_CUH
#define PAISING_CUDA_SSC_STRIPS_CUH

#include "cuda/ssc/rows.cuh"

#define STRIP_THREADS 1024 /* of a block, at most */

/* How each lattice is cut: the last strip may have fewer rows. */
struct strip_cut {
    uint32_t strips, rows;
};

/* The stamp of a sweep: bits 1 and 2 of a word, never both 0. */
static __device__ __forceinline__ uint32_t stamp_of(uint32_t sweep) {
    return 2u << sweep % 2;
}

template <uint32_t QUADS>
static __device__ __forceinline__ void send(uint8_t *to, const row_words<QUADS> &words,
                                            uint32_t sweep) {
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"((uint32_t *)to + n),
                     "r"(words.quad[n] | stamp_of(sweep))
                     : "memory");
}

template <uint32_t QUADS>
static __device__ __forceinline__ row_words<QUADS> receive(const uint8_t *from, uint32_t sweep) {
    row_words<QUADS> words;
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++) {
        do
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                         : "=r"(words.quad[n])
                         : "l"((const uint32_t *)from + n)
                         : "memory");
        while (!(words.quad[n] & stamp_of(sweep)));
        words.quad[n] ^= stamp_of(sweep);
    }
    return words;
}

/* The numbers of a thread's quads. They are there when it returns: the compiler cannot make them later, behind what waits. */
template <uint32_t QUADS>
static __device__ __forceinline__ void draw_quads(const visit_sweep &c, uint32_t quad,
                                                  ssc_moment moment, stream_block numbers[QUADS]) {
#pragma unroll
    for (uint32_t n = 0; n < QUADS; n++)
        numbers[n] = ssc_numbers(&c.keys, ssc_place_of(&c.keys, quad + n, c.temperature), moment);
#pragma unroll
    for (uint32_t n = 0; n < 4 * QUADS; n++)
        asm volatile("" : "+r"(numbers[n / 4].number[n % 4]));
}

/* Makes `sweeps` sweeps, from 0 on. The grid has a row of blocks for each replica. sent: as the spins, no stamps before.
 * Shared memory: [2][cut.rows] rows of a sub-lattice. */
template <uint32_t QUADS>
static __global__ void __launch_bounds__(STRIP_THREADS)
    sweep_strips(const __grid_constant__ visit_sweep c, strip_cut cut, uint32_t sweeps,
                 uint8_t *sent) {
    extern __shared__ uint4 shared[];
    const uint32_t k = blockIdx.y, half = c.edge[0] / 2, each = half / (4 * QUADS),
                   first = blockIdx.x * cut.rows, rows = min(cut.rows, c.edge[1] - first),
                   row = threadIdx.x / each, replica = c.first_replica + k;
    if (!has_replica(c, k))
        return;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes), *const of_edges =
                                                                             sent +
                                                                             (uint64_t)k *
                                                                                 (2 * c.half_bytes);
    const bool exists = row < rows, is_first = row == 0, is_last = row == rows - 1;
    const row_place p = place_of<2>(c, first + (exists ? row : 0));
    const uint32_t j = threadIdx.x % each * (4 * QUADS), at = p.here + j;
    uint8_t *const here = (uint8_t *)shared + row * half; /* sub-lattice 0 of its row */
    row_words<QUADS> own[2] = {};
#pragma unroll
    for (uint32_t parity = 0; parity < 2 && exists; parity++) {
        own[parity] = words_at<QUADS>(lattice + parity * c.half_bytes, at);
        *(row_words<QUADS> *)(here + parity * cut.rows * half + j) = own[parity];
    }
    if (is_first || is_last)
        send<QUADS>(of_edges + c.half_bytes + at, own[1], 0);
    __syncthreads();
    warp_decisions by = {};
#pragma unroll 1
    for (uint32_t sweep = 0; sweep < sweeps; sweep++) {
        if (sweep % ROUNDING_SWEEPS == 0)
            by = warp_decisions_of<2>(c, replica, sweep);
        const ssc_moment moment = ssc_moment_of(&c.keys, replica, sweep);
#pragma unroll
        for (uint32_t parity = 0; parity < 2; parity++) {
            const uint32_t other = 1 - parity, odd = (p.y + parity) & 1, behind = j + 4 * QUADS,
                           at_end = odd ? (behind < half ? behind : 0) : (j > 0 ? j : half) - 1;
            const uint8_t *const others = here + other * cut.rows * half, *const from =
                                                                              of_edges +
                                                                              other * c.half_bytes +
                                                                              j;
            stream_block numbers[QUADS];
            draw_quads<QUADS>(c, parity * (c.sites / 8) + at / 4, moment, numbers);
            row_words<QUADS> ups = own[other];
            if (exists) {
                add(ups, is_first ? receive<QUADS>(from + p.above, sweep)
                                  : words_at<QUADS>(others - half, j));
                add(ups, is_last ? receive<QUADS>(from + p.below, sweep)
                                 : words_at<QUADS>(others + half, j));
                add_moved(ups, own[other], others[at_end], odd);
            }
#pragma unroll
            for (uint32_t n = 0; n < QUADS; n++)
                own[parity].quad[n] = attempted_in_warp<2>(by, own[parity].quad[n], ups.quad[n],
                                                           0x01010101u, numbers[n]);
            if (exists)
                *(row_words<QUADS> *)(here + parity * cut.rows * half + j) = own[parity];
            if (is_first || is_last)
                send<QUADS>(of_edges + parity * c.half_bytes + at, own[parity], sweep + parity);
            __syncthreads();
        }
    }
#pragma unroll
    for (uint32_t parity = 0; parity < 2 && exists; parity++)
        *(row_words<QUADS> *)(lattice + parity * c.half_bytes + at) = own[parity];
}

#endif
