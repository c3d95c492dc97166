/* Multi-spin coding on the device: the correction points of the mode `independent` (engine/bernoulli.h). A group
 * of strips is a warp, or half of one where a lattice has no more strips; its threads throw the points in turn,
 * wherever in the group they hit, so that none waits for another's. */
#ifndef PAISING_CUDA_MSC_POINTS_CUH
#define PAISING_CUDA_MSC_POINTS_CUH

#include "engine/bernoulli.h"
#include "msc_strip.cuh"

struct point_rule {
    uint32_t group;      /* strips of a full group */
    uint32_t places;     /* the bits of place >> 3 that say which word of a board it is, in bytes */
    uint32_t other;      /* exclusive-or with it makes a lane's parity 1 in the class of the larger density */
    uint32_t thin_digit; /* of the probability that a point counts in both classes */
    double thin;         /* that probability */
    double more_than[BERNOULLI_MOST_POINTS];
};

static inline point_rule points_of(const bernoulli_table *table) {
    const uint32_t denser = bernoulli_denser(table);
    point_rule p = {};
    p.group = table->group;
    p.places = (3 | (table->group - 1) << 2 | 128) * sizeof(uint32_t);
    p.other = denser ? 0 : UINT32_MAX;
    p.thin = table->thin[!denser];
    p.thin_digit = bernoulli_digit(p.thin);
    for (uint32_t n = 0; n < BERNOULLI_MOST_POINTS; n++)
        p.more_than[n] = table->more_than[n];
    return p;
}

/* A strip's generator, and how many points its group throws in the half sweep that it drew the number for. */
struct strip_stream {
    mwc_state mwc;
    uint32_t points;
};

/* What a warp shares: of its strips, even rows before odd ones, which lanes are of odd parity, and which are hit.
 * That is 0 between the half sweeps. */
struct point_board {
    uint4 parity[2][32], hit[2][32];
};

static __device__ __forceinline__ void clear_board(point_board *board) {
    const uint32_t lane = threadIdx.x & 31;
    board->hit[0][lane] = board->hit[1][lane] = make_uint4(0, 0, 0, 0);
}

/* Throws a point at one of the group's words, the first of which is so many bytes from the board's first. */
static __device__ __forceinline__ void throw_point(point_board *board, const point_rule &rule, uint32_t first,
                                                   mwc_state &m) {
    const uint32_t place = mwc_next(&m), mark = mwc_next(&m), lane = 1u << (place & 31);
    uint32_t *const parity = (uint32_t *)((char *)board + first + (place >> 3 & rule.places));
    uint32_t *const hit = parity + sizeof board->parity / sizeof *parity;
    const bool both = bernoulli_counts(rule.thin, rule.thin_digit, mark, &m);
    atomicOr(hit, both ? lane : lane & (*parity ^ rule.other));
}

/* Throws the points of half sweep h of so many at the group of a strip, which has so many strips. Called by full
 * warps; threads without a strip throw none. */
static __device__ __forceinline__ void throw_points(point_board *board, const point_rule &rule, uint32_t strips,
                                                    bool has_strip, uint32_t half_sweep, uint32_t half_sweeps,
                                                    strip_stream &s, const strip_flips &f) {
    const uint32_t lane = threadIdx.x & 31, member = lane & (rule.group - 1), turn = half_sweep & (strips - 1);
    board->parity[0][lane] = even_rows(f.parity);
    board->parity[1][lane] = odd_rows(f.parity);
    if (has_strip && turn == 0 && half_sweep + member < half_sweeps)
        s.points = bernoulli_points(rule.more_than, &s.mwc);
    __syncwarp();
    const uint32_t points = __shfl_sync(FULL_WARP, s.points, turn, rule.group);
    if (has_strip)
#pragma unroll 1
        for (uint32_t n = member; n < points; n += strips)
            throw_point(board, rule, (lane - member) * sizeof(uint4), s.mwc);
    __syncwarp();
}

/* Adds the lanes that are hit to the decisions of a strip. */
static __device__ __forceinline__ void take_points(point_board *board, strip_flips &f) {
    const uint32_t lane = threadIdx.x & 31;
    const strip_rows hit = strip_of(board->hit[0][lane], board->hit[1][lane]);
    board->hit[0][lane] = board->hit[1][lane] = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.accept[i] |= hit.row[i];
}

#endif
