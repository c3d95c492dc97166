/* Multi-spin coding on the device: the correction points of the mode `independent` (engine/bernoulli.h). A group
 * of strips is a warp, or half of one where a lattice has no more strips; its threads throw the points in turn,
 * wherever in the group they hit, so that none waits for another's. */
#ifndef PAISING_CUDA_MSC_POINTS_CUH
#define PAISING_CUDA_MSC_POINTS_CUH

#include "engine/bernoulli.h"
#include "msc_strip.cuh"

#include <stddef.h>

struct point_rule {
    uint32_t group;  /* strips of a full group */
    uint32_t places; /* the bits of place >> 3 that say which word of a board it is, in bytes */
    uint32_t
        other; /* exclusive-or with it makes a lane's parity 1 in the class of the larger density */
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

/* How many of the lattice's strips are in the group that a strip is in or would be in. */
static __device__ __forceinline__ uint32_t strips_of_group(const point_rule &rule, uint32_t strips,
                                                           uint32_t strip) {
    const uint32_t first = strip & ~(rule.group - 1);
    return first < strips ? min(rule.group, strips - first) : 0;
}

/* What a warp shares: of its strips, even rows before odd ones, which lanes are of odd parity, and which flip, anyway or
 * because a point hit them. It begins where the bits that say which word of it one is are 0. */
struct alignas(1024) point_board {
    uint4 parity[2][32], flips[2][32];
};

/* Where boards, or what stands in their place, begin behind lattices of so many bytes. */
static __host__ __device__ constexpr size_t boards_behind(size_t bytes) {
    return (bytes + alignof(point_board) - 1) / alignof(point_board) * alignof(point_board);
}

/* A thread's part in the points: in bytes from the beginning of shared memory its first quad on its warp's board, and
 * the first one of its group. */
struct board_place {
    uint32_t own, group;
};

static __device__ __forceinline__ board_place place_on_board(uint32_t boards, uint32_t group) {
    const uint32_t lane = threadIdx.x % 32, board = boards + threadIdx.x / 32 * sizeof(point_board);
    board_place p;
    p.own = kept(board + lane * sizeof(uint4));
    p.group = kept(board + (lane & ~(group - 1)) * sizeof(uint4));
    return p;
}

/* Which strip of its group a thread serves. */
static __device__ __forceinline__ uint32_t member_of_group(board_place p) {
    return (p.own - p.group) / sizeof(uint4);
}

#define ODD_ROWS sizeof(uint4[32])
#define FLIPS    offsetof(point_board, flips)

/* Puts this thread's strip on the board. */
static __device__ __forceinline__ void put_on_board(board_place p, const strip_flips &f) {
    *quad_at(shared_window(), p.own) = even_rows(f.parity);
    *quad_at(shared_window(), p.own + ODD_ROWS) = odd_rows(f.parity);
    *quad_at(shared_window(), p.own + FLIPS) = even_rows(f.anyway);
    *quad_at(shared_window(), p.own + FLIPS + ODD_ROWS) = odd_rows(f.anyway);
}

/* What flips anyway of this thread's strip, with what was hit. */
static __device__ __forceinline__ void take_from_board(board_place p, strip_flips &f) {
    const strip_rows flips = strip_of(*quad_at(shared_window(), p.own + FLIPS),
                                      *quad_at(shared_window(), p.own + FLIPS + ODD_ROWS));
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.anyway[i] = flips.row[i];
}

/* Throws a point at one of the group's words. */
static __device__ __forceinline__ void throw_point(board_place p, const point_rule &rule,
                                                   mwc_state &m) {
    const uint32_t place = mwc_next(&m), mark = mwc_next(&m), lane = 1u << (place & 31);
    const uint32_t word = p.group | (place >> 3 & rule.places);
    const uint32_t parity = *(volatile uint32_t *)word_at(shared_window(), word);
    const uint32_t denser = lop3<0x60>(lane, parity, rule.other); /* lane & (parity ^ other) */
    bool both = mark < rule.thin_digit;
    if (__builtin_expect(mark == rule.thin_digit, 0))
        both = bernoulli_counts(rule.thin, rule.thin_digit, mark, &m);
    atomicOr(word_at(shared_window(), word + FLIPS), both ? lane : denser);
}

/* A table among a kernel's parameters, read as memory: threads that read different entries of constants wait for each
 * other. */
static __device__ __forceinline__ const double *as_memory(const double *table) {
    asm("" : "+l"(table));
    return table;
}

/* Throws the points of half sweep h of so many at a group of so many strips. Called by full warps; threads beyond
 * the group's last strip throw none. */
static __device__ __forceinline__ void throw_points(board_place p, const point_rule &rule,
                                                    uint32_t strips, uint32_t half_sweep,
                                                    uint32_t half_sweeps, strip_stream &s) {
    const uint32_t member = member_of_group(p), turn = half_sweep & (strips - 1);
    if (turn == 0 && member < strips && half_sweep + member < half_sweeps)
        s.points = bernoulli_points(as_memory(rule.more_than), &s.mwc);
    __syncwarp();
    const uint32_t of_group = __shfl_sync(FULL_WARP, s.points, p.group / sizeof(uint4) + turn),
                   points = member < strips ? of_group : 0;
    /* The warp stays together in the loop: else the compiler does not find that the branches of the planes, which
     * follow, are uniform. */
#pragma unroll 1
    for (uint32_t n = member; __any_sync(FULL_WARP, n < points); n += strips)
        if (n < points)
            throw_point(p, rule, s.mwc);
    __syncwarp();
}

#endif
