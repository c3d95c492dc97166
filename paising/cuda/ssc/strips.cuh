/* All sweeps of a step of a few large square lattices in one launch. A launch of visit_rows (rows.cuh) takes microseconds, and half a sweep of
 * one lattice less.
 *
 * A lattice is cut into strips of whole rows, one a block. A thread has QUADS quads of either sub-lattice, at the same place in both. Only the
 * first and the last row of a strip have neighbours in others: their threads wait until these strips have as many half sweeps behind
 * them. Numbers are made before, as they depend on no spin. All blocks must be resident at a time: a cooperative launch. */
#ifndef PAISING_CUDA_SSC_STRIPS_CUH
#define PAISING_CUDA_SSC_STRIPS_CUH

#include "cuda/device/loads.cuh"
#include "cuda/ssc/rows.cuh"

#define STRIP_THREADS 1024 /* of a block, at most */
#define FLAG_WORDS    8    /* from one strip's flag to the next: a sector of memory each */

/* How each lattice is cut: the last strip may have fewer rows. */
struct strip_cut {
    uint32_t strips, rows;
};

/* Half sweeps that a strip has behind it. */
static __device__ __forceinline__ void await_halves(const uint32_t *behind, uint32_t halves) {
    while (load_acquire(behind) < halves)
        ;
}

static __device__ __forceinline__ void set_halves(uint32_t *behind, uint32_t halves) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(behind), "r"(halves) : "memory");
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

/* Makes `sweeps` sweeps. The grid has a row of blocks for each replica. flags[replicas][strips][FLAG_WORDS]: zero before. */
template <uint32_t QUADS>
static __global__ void __launch_bounds__(STRIP_THREADS)
    sweep_strips(const __grid_constant__ visit_sweep c, strip_cut cut, uint32_t sweeps,
                 uint32_t *flags) {
    const uint32_t k = blockIdx.y, strip = blockIdx.x, each = c.edge[0] / (8 * QUADS),
                   first = strip * cut.rows, rows = min(cut.rows, c.edge[1] - first),
                   row = threadIdx.x / each, replica = c.first_replica + k;
    if (!has_replica(c, k))
        return;
    uint32_t *const of_lattice = flags + k * cut.strips * FLAG_WORDS, *const behind =
                                                                          of_lattice +
                                                                          strip * FLAG_WORDS;
    const uint32_t *const above = of_lattice + (strip > 0 ? strip : cut.strips) * FLAG_WORDS -
                                  FLAG_WORDS,
                          *const below =
                              of_lattice + (strip + 1 < cut.strips ? strip + 1 : 0) * FLAG_WORDS;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes);
    const bool exists = row < rows; /* else the thread reads the first row and stores nothing */
    const row_place p = place_of<2>(c, first + (exists ? row : 0));
    const uint32_t j = threadIdx.x % each * (4 * QUADS), at = p.here + j;
#pragma unroll 1
    for (uint32_t half = 0; half < 2 * sweeps; half++) {
        const uint32_t parity = half % 2, sweep = c.sweep + half / 2;
        const warp_decisions by = warp_decisions_of<2>(c, replica, sweep);
        uint8_t *const spins = lattice + parity * c.half_bytes;
        stream_block numbers[QUADS];
        draw_quads<QUADS>(c, parity * (c.sites / 8) + at / 4,
                          ssc_moment_of(&c.keys, replica, sweep), numbers);
        if (row == 0)
            await_halves(above, half);
        if (row == rows - 1)
            await_halves(below, half);
        row_words<QUADS> own = words_at<QUADS>(spins, at);
        const row_words<QUADS> ups = ups_of_words<2, QUADS>(
            c, lattice + (1 - parity) * c.half_bytes, p, j, (p.y + parity) & 1);
#pragma unroll
        for (uint32_t n = 0; n < QUADS; n++)
            own.quad[n] =
                attempted_in_warp<2>(by, own.quad[n], ups.quad[n], 0x01010101u, numbers[n]);
        if (exists)
            *(row_words<QUADS> *)(spins + at) = own;
        __syncthreads();
        if (threadIdx.x == 0)
            set_halves(behind, half + 1);
    }
}

#endif
