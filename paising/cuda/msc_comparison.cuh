/* Multi-spin coding on the device: the modes of Sec. 4 that compare 32-bit numbers with the thresholds. */
#ifndef PAISING_CUDA_MSC_COMPARISON_CUH
#define PAISING_CUDA_MSC_COMPARISON_CUH

#include "msc_request.cuh"

/* The lanes that accept a number, for the lanes whose numbers are compared. */
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
            stream_draw(step.key, STREAM_PHILOX, site,
                        machine_word * (MACHINE_LANES / 4) + lane / 4, sweep, step.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            accept_number(a, b.number[n], limits.threshold, 1u << (lane + n));
    }
    return a;
}

/* A r + C steps of the LCG ahead: after n steps r becomes factor r + term. */
struct lcg_jump {
    uint32_t factor, term;
};

static __host__ __device__ constexpr lcg_jump lcg_ahead(int n) {
    lcg_jump jump = {1, 0};
    for (int i = 0; i < n; i++)
        jump = {jump.factor * LCG_MULTIPLIER, jump.term * LCG_MULTIPLIER + LCG_INCREMENT};
    return jump;
}

/* Mode `lcg`: the numbers r_0 = seed, r_1, ... of a word for its next `LANES` lanes. The sum
 * r + (2^32 - t) carries where r is not below the threshold t > 0: the carries are shifted into
 * rejected[], newest lane in bit 0, by one instruction for each number and class. */
template <int LANES>
static __device__ __forceinline__ void lcg_lanes(uint32_t rejected[SQUARE_GAPS], uint32_t r,
                                                 const uint32_t *threshold) {
#pragma unroll
    for (int n = 0; n < LANES; n++) {
#pragma unroll
        for (int c = 0; c < SQUARE_GAPS; c++) {
            uint32_t sum;
            asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %4;"
                : "=&r"(sum), "=r"(rejected[c])
                : "r"(r), "r"(0u - threshold[c]), "r"(rejected[c]));
        }
        r = lcg_next(r);
    }
}

/* LANES, here and below: how many lanes of one word a machine word holds, p, or 32 if p is 64. The word
 * that holds the lanes from `first` on: */
template <int LANES>
static __device__ __forceinline__ uint32_t word_of(const msc_step &step, uint32_t machine_word,
                                                   int first) {
    return LANES < MACHINE_LANES ? machine_word * (MACHINE_LANES / LANES) + first / LANES
                                 : machine_word >> (step.word > MACHINE_LANES);
}

/* Mode `lcg`: four rows of one column, one Philox call for each word. */
template <int LANES>
static __device__ __forceinline__ void lcg_rows(const msc_step &step, const threshold_set &limits,
                                                uint32_t machine_word, uint32_t sweep,
                                                uint32_t quad_of_rows, accepted rows[4]) {
    const lcg_jump half_word = lcg_ahead(MACHINE_LANES);
    const bool second_half =
        LANES == MACHINE_LANES && step.word > MACHINE_LANES && machine_word % 2;
    uint32_t rejected[4][SQUARE_GAPS] = {};
#pragma unroll 1
    for (int first = 0; first < MACHINE_LANES; first += LANES) {
        const uint32_t word = word_of<LANES>(step, machine_word, first);
        const stream_block b =
            stream_draw(step.key, STREAM_LCG, quad_of_rows, word, sweep, step.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            lcg_lanes<LANES>(rejected[n],
                             second_half ? half_word.factor * b.number[n] + half_word.term
                                         : b.number[n],
                             limits.threshold);
    }
#pragma unroll
    for (int n = 0; n < 4; n++)
#pragma unroll
        for (int c = 0; c < SQUARE_GAPS; c++)
            rows[n].lanes[c] = limits.threshold[c] > 0 ? __brev(~rejected[n][c]) : 0;
}

/* Modes `shared` and `shared-reorder`, likewise: one number for all lanes of a word. */
template <int LANES>
static __device__ __forceinline__ void
shared_rows(const msc_step &step, const threshold_set &limits, uint32_t machine_word,
            uint32_t sweep, uint32_t quad_of_rows, accepted rows[4]) {
    constexpr uint32_t mask = UINT32_MAX >> (MACHINE_LANES - LANES);
#pragma unroll
    for (int first = 0; first < MACHINE_LANES; first += LANES) {
        const uint32_t word = word_of<LANES>(step, machine_word, first);
        const stream_block b =
            stream_draw(step.key, STREAM_SHARED, quad_of_rows, word, sweep, step.temperature);
#pragma unroll
        for (int n = 0; n < 4; n++)
            accept_number(rows[n], b.number[n], limits.threshold, mask << first);
    }
}

/* The modes that compare numbers with thresholds (Sec. 4), the lanes of a word together. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void
decide_by_comparison(const msc_step &step, const threshold_set &limits, uint32_t machine_word,
                     uint32_t size, uint32_t sweep, uint32_t parity, uint32_t strip,
                     strip_flips &f) {
    const uint32_t columns = size / 2, column = strip % columns, top = strip / columns * STRIP_ROWS;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i += 4) {
        const uint32_t row = parity * size + top + i;
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
            f.accept[i + n] = select(f.parity[i + n], rows[n].lanes[1], rows[n].lanes[0]);
    }
}

#endif
