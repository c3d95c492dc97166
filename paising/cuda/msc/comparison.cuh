/* Multi-spin coding on the device: the modes of Sec. 4 that compare 32-bit numbers with
 * thresholds. */
#ifndef PAISING_CUDA_MSC_COMPARISON_CUH
#define PAISING_CUDA_MSC_COMPARISON_CUH

#include "cuda/msc/request.cuh"

/* Lanes that accept a number, among those that it is compared for. */
struct accepted {
    uint32_t lanes[SQUARE_GAPS];
};

static __device__ __forceinline__ void accept_number(accepted &a, uint32_t r,
                                                     const uint32_t *threshold, uint32_t lanes) {
#pragma unroll
    for (int c = 0; c < SQUARE_GAPS; c++)
        if (r < threshold[c])
            a.lanes[c] |= lanes;
}

/* Mode `philox`, one site: four lanes a call. */
static __device__ __forceinline__ accepted philox_site(const msc_step &step,
                                                       const threshold_set &limits,
                                                       uint32_t machine_word, uint32_t sweep,
                                                       uint32_t site) {
    accepted a = {{0, 0}};
#pragma unroll
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane += 4) {
        const stream_block b =
            stream_draw(step.own.key, STREAM_PHILOX, site,
                        machine_word * (MACHINE_LANES / 4) + lane / 4, sweep, step.own.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            accept_number(a, b.number[n], limits.threshold, 1u << (lane + n));
    }
    return a;
}

/* Advances an LCG by R + C steps: after n steps r becomes factor r + term. */
struct lcg_jump {
    uint32_t factor, term;
};

static __host__ __device__ constexpr lcg_jump lcg_ahead(int n) {
    lcg_jump jump = {1, 0};
    for (int i = 0; i < n; i++)
        jump = {jump.factor * LCG_MULTIPLIER, jump.term * LCG_MULTIPLIER + LCG_INCREMENT};
    return jump;
}

/* Thresholds of mode `lcg`: those of the step, the same for all threads, and 1 where a lattice has
 * not rounded them up, else 0. */
struct lcg_limits {
    uint32_t whole[SQUARE_GAPS], not_up[SQUARE_GAPS];
};

static __device__ __forceinline__ lcg_limits lcg_limits_of(const msc_step &step,
                                                           const threshold_set &limits) {
    lcg_limits l;
#pragma unroll
    for (int c = 0; c < SQUARE_GAPS; c++) {
        l.whole[c] = step.thresholds.whole[c];
        l.not_up[c] = 1 - (limits.threshold[c] - l.whole[c]);
    }
    return l;
}

/* Whether a threshold was rounded up to 2^32 and has wrapped to 0. Then every number is below
 * it. */
static __device__ __forceinline__ bool wraps(const lcg_limits &l, int c) {
    return l.whole[c] == UINT32_MAX && l.not_up[c] == 0;
}

/* Mode `lcg`: the numbers r_0 = seed, r_1, ... of a word for its next LANES lanes. The sum r +
 * (2^32 - 1 - whole) + not_up carries where r is not below the threshold. One instruction for each
 * number and class shifts the carry into rejected[], the newest lane in bit 0. not_up enters the
 * sum as a carry, which the compiler makes once and keeps. */
template <int LANES>
static __device__ __forceinline__ void lcg_lanes(uint32_t rejected[SQUARE_GAPS], uint32_t r,
                                                 const lcg_limits &limits) {
#pragma unroll
    for (int n = 0; n < LANES; n++) {
#pragma unroll
        for (int c = 0; c < SQUARE_GAPS; c++)
            asm("{ .reg .u32 sum; add.cc.u32 sum, %2, 0xffffffff; addc.cc.u32 sum, %1, %3;"
                "addc.u32 %0, %0, %0; }"
                : "+r"(rejected[c])
                : "r"(r), "r"(limits.not_up[c]), "r"(~limits.whole[c]));
        r = lcg_next(r);
    }
}

/* LANES, here and below: the lanes of a machine word that belong to one word, p, or 32 if p is 64.
 * Returns the word that holds the lanes from `first` on. */
template <int LANES>
static __device__ __forceinline__ uint32_t word_of(const msc_step &step, uint32_t machine_word,
                                                   int first) {
    return LANES < MACHINE_LANES ? machine_word * (MACHINE_LANES / LANES) + first / LANES
                                 : machine_word >> (step.own.word > MACHINE_LANES);
}

/* Mode `lcg`: four rows of one column, one Philox call for each word. */
template <int LANES>
static __device__ __forceinline__ void lcg_rows(const msc_step &step, const threshold_set &limits,
                                                uint32_t machine_word, uint32_t sweep,
                                                uint32_t quad_of_rows, accepted rows[4]) {
    /* The second half of a word of 64 lanes continues the numbers of the first half. */
    const bool second_half =
        LANES == MACHINE_LANES && step.own.word > MACHINE_LANES && machine_word % 2;
    const lcg_jump jump = second_half ? lcg_ahead(MACHINE_LANES) : lcg_ahead(0);
    const lcg_limits compared = lcg_limits_of(step, limits);
    uint32_t rejected[4][SQUARE_GAPS] = {};
#pragma unroll 1
    for (int first = 0; first < MACHINE_LANES; first += LANES) {
        const uint32_t word = word_of<LANES>(step, machine_word, first);
        const stream_block b =
            stream_draw(step.own.key, STREAM_LCG, quad_of_rows, word, sweep, step.own.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            lcg_lanes<LANES>(rejected[n], jump.factor * b.number[n] + jump.term, compared);
    }
#pragma unroll
    for (int n = 0; n < 4; n++)
#pragma unroll
        for (int c = 0; c < SQUARE_GAPS; c++)
            rows[n].lanes[c] = wraps(compared, c) ? 0 : __brev(~rejected[n][c]);
}

/* Modes `shared` and `shared-reorder`: the same, with one number for all lanes of a word. */
template <int LANES>
static __device__ __forceinline__ void
shared_rows(const msc_step &step, const threshold_set &limits, uint32_t machine_word,
            uint32_t sweep, uint32_t quad_of_rows, accepted rows[4]) {
    constexpr uint32_t mask = UINT32_MAX >> (MACHINE_LANES - LANES);
#pragma unroll
    for (int first = 0; first < MACHINE_LANES; first += LANES) {
        const uint32_t word = word_of<LANES>(step, machine_word, first);
        const stream_block b = stream_draw(step.own.key, STREAM_SHARED, quad_of_rows, word, sweep,
                                           step.own.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            accept_number(rows[n], b.number[n], limits.threshold, mask << first);
    }
}

/* The modes that compare numbers with thresholds (Sec. 4), for all lanes of a word. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void
decide_by_comparison(const msc_step &step, const threshold_set &limits, uint32_t machine_word,
                     uint32_t sweep, uint32_t parity, uint32_t strip_row, uint32_t column,
                     strip_flips<2> &f) {
    const uint32_t columns = step.own.shape.edge[0] / 2, top = strip_row * STRIP_ROWS;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i += 4) {
        const uint32_t row = parity * step.own.shape.edge[1] + top + i;
        accepted rows[4] = {};
        if (RNG == RNG_PHILOX) {
#pragma unroll
            for (int n = 0; n < 4; n++)
                rows[n] =
                    philox_site(step, limits, machine_word, sweep, (row + n) * columns + column);
        } else if (RNG == RNG_LCG) {
            lcg_rows<LANES>(step, limits, machine_word, sweep, row / 4 * columns + column, rows);
        } else {
            shared_rows<LANES>(step, limits, machine_word, sweep, row / 4 * columns + column, rows);
        }
#pragma unroll
        for (int n = 0; n < 4; n++)
            f.accept[i + n] = select(f.of[0][i + n], rows[n].lanes[1], rows[n].lanes[0]);
    }
}

#endif
