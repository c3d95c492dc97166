/* Multi-spin coding on the device: correction points of the mode `independent`
 * (engine/bernoulli.h). It equals throw_points() in reference/plain_msc.h.
 *
 * A group is the 32 strips of a warp, or, in lattices with fewer strips, the largest power of two
 * that does not exceed them. The last group may be smaller. The threads of a group throw its points
 * in turn, wherever they hit the group. So no thread waits for another's points. */
#ifndef PAISING_CUDA_MSC_POINTS_CUH
#define PAISING_CUDA_MSC_POINTS_CUH

#include "cuda/msc/planes.cuh"
#include "engine/bernoulli.h"

/* What decides which points count. */
struct point_marks {
    uint32_t group; /* strips of a full group */
    /* bits of place >> 3 that select a word of a board, in bytes: bits 5 and 6 of `place` the
     * word of a quad, from bit 7 on the strip's quad, bit 12 even or odd rows */
    uint32_t places;
    /* parity ^ other is 1 in the class with the larger density */
    uint32_t other;
    bernoulli_ranks ranks;
    /* by class: its rank */
    uint32_t rank[MODEL_MAX_GAPS];
    uint32_t digit[MODEL_MAX_GAPS]; /* by class: marks below it count; in the first rank all do */
};

/* The same, with what decides how many points there are. */
struct point_rule : point_marks {
    double more_than[BERNOULLI_MOST_POINTS];
};

static inline point_rule points_of(const bernoulli_table *table, uint32_t classes) {
    point_rule p = {};
    p.group = table->group;
    p.places = (3 | (table->group - 1) << 2 | 128) * sizeof(uint32_t);
    p.ranks = bernoulli_rank(table, classes);
    p.other = p.ranks.of[0] == 1 ? 0 : UINT32_MAX;
    for (uint32_t rank = 0; rank < classes; rank++) {
        p.rank[p.ranks.of[rank]] = rank;
        p.digit[p.ranks.of[rank]] = rank ? p.ranks.digit[rank] : UINT32_MAX;
    }
    for (uint32_t n = 0; n < BERNOULLI_MOST_POINTS; n++)
        p.more_than[n] = table->more_than[n];
    return p;
}

/* The same where bonds may be missing: ranks has the classes of sites with an even number of bonds in their order, not by
 * density; site_rule those of the others. */
static inline point_rule site_points_of(const bernoulli_table *table, uint32_t classes) {
    point_rule p = points_of(table, classes);
    for (uint32_t c = 0; c < classes; c++) {
        p.ranks.of[c] = c;
        p.ranks.thin[c] = table->thin[c];
        p.ranks.digit[c] = bernoulli_digit(table->thin[c]);
    }
    return p;
}

/* A strip's generator, and the number of points that its group throws in the half sweep for which
 * it was drawn. */
struct strip_stream {
    mwc_state mwc;
    uint32_t points;
};

/* Returns the strips of a lattice in the group of `strip`. */
static __device__ __forceinline__ uint32_t strips_of_group(const point_marks &rule, uint32_t strips,
                                                           uint32_t strip) {
    const uint32_t first = strip & ~(rule.group - 1);
    return first < strips ? min(rule.group, strips - first) : 0;
}

/* Board of a warp in shared memory: for its strips, even rows before odd ones, the lanes that flip,
 * always or because a point hit them, and the lanes of class 1 and 2. The alignment makes the
 * address of a word the bitwise or of the group's address and the offset from point_rule.places. */
template <int CLASSES> struct alignas(1024) point_board {
    uint4 flips[2][32], of[CLASSES - 1][2][32];
};

#define BOARD_ALIGNMENT 1024

/* Returns where the boards begin behind lattices of so many bytes. */
static __host__ __device__ constexpr size_t boards_behind(size_t bytes) {
    return (bytes + BOARD_ALIGNMENT - 1) / BOARD_ALIGNMENT * BOARD_ALIGNMENT;
}

/* A thread's place on the boards: offsets in shared memory of its own first quad, and of its
 * group's. */
struct board_place {
    uint32_t own, group;
};

template <int CLASSES>
static __device__ __forceinline__ board_place place_on_board(uint32_t boards, uint32_t group) {
    const uint32_t lane = threadIdx.x % 32,
                   board = boards + threadIdx.x / 32 * sizeof(point_board<CLASSES>);
    board_place p;
    p.own = kept(board + lane * sizeof(uint4));
    p.group = kept(board + (lane & ~(group - 1)) * sizeof(uint4));
    return p;
}

/* Returns the index of the thread's strip in its group. */
static __device__ __forceinline__ uint32_t member_of_group(board_place p) {
    return (p.own - p.group) / sizeof(uint4);
}

#define ODD_ROWS sizeof(uint4[32])
#define OF(c)    ((1 + (c)) * sizeof(uint4[2][32]))

/* Writes the thread's strip to the board. */
template <int CLASSES>
static __device__ __forceinline__ void put_on_board(board_place p, const strip_flips<CLASSES> &f) {
    *quad_at(shared_window(), p.own) = even_rows(f.anyway);
    *quad_at(shared_window(), p.own + ODD_ROWS) = odd_rows(f.anyway);
#pragma unroll
    for (int c = 0; c < CLASSES - 1; c++) {
        *quad_at(shared_window(), p.own + OF(c)) = even_rows(f.of[c]);
        *quad_at(shared_window(), p.own + OF(c) + ODD_ROWS) = odd_rows(f.of[c]);
    }
}

/* Reads back which lanes of the thread's strip flip, with those that points have hit. */
template <int CLASSES>
static __device__ __forceinline__ void take_from_board(board_place p, strip_flips<CLASSES> &f) {
    const strip_rows flips =
        rows_of(*quad_at(shared_window(), p.own), *quad_at(shared_window(), p.own + ODD_ROWS));
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.anyway[i] = flips.row[i];
}

static __device__ __forceinline__ uint32_t on_board(uint32_t place) {
    return *(volatile uint32_t *)word_at(shared_window(), place);
}

/* Throws a point at one of the group's words, for two classes. */
template <int CLASSES>
static __device__ __forceinline__ typename std::enable_if<CLASSES == 2>::type
throw_point(board_place p, const point_marks &rule, mwc_state &m) {
    const uint32_t place = mwc_next(&m), mark = mwc_next(&m), lane = 1u << (place & 31);
    const uint32_t word = p.group | (place >> 3 & rule.places);
    const uint32_t parity = on_board(word + OF(0));
    const uint32_t denser = lop3<0x60>(lane, parity, rule.other); /* lane & (parity ^ other) */
    bool both = mark < rule.ranks.digit[1];
    if (__builtin_expect(mark == rule.ranks.digit[1], 0))
        both = bernoulli_counts(rule.ranks.thin[1], rule.ranks.digit[1], mark, &m);
    atomicOr(word_at(shared_window(), word), both ? lane : denser);
}

/* The same for three classes: a point hits a lane if its mark is below the probability of the
 * lane's class. */
template <int CLASSES>
static __device__ __forceinline__ typename std::enable_if<CLASSES == 3>::type
throw_point(board_place p, const point_marks &rule, mwc_state &m) {
    const uint32_t place = mwc_next(&m), mark = mwc_next(&m), lane = 1u << (place & 31);
    const uint32_t word = p.group | (place >> 3 & rule.places);
    const bool is_1 = on_board(word + OF(0)) & lane, is_2 = on_board(word + OF(1)) & lane;
    const uint32_t digit = is_2 ? rule.digit[2] : is_1 ? rule.digit[1] : rule.digit[0];
    bool hit = mark <= digit;
    if (__builtin_expect(mark == rule.ranks.digit[1] || mark == rule.ranks.digit[2], 0))
        hit = rule.rank[is_2 ? 2 : is_1] + bernoulli_missed(&rule.ranks, mark, &m) < 3;
    if (hit)
        atomicOr(word_at(shared_window(), word), lane);
}

/* Throws points 0, strips, 2 strips, ... that are below `left`, MOST of them at most, as so many calls of throw_point do. All are
 * looked up before one hits, so that a warp waits for shared memory once. Marks that further digits decide are left to throw_point. */
template <int CLASSES, int MOST>
static __device__ __forceinline__ void throw_together(board_place p, const point_marks &rule,
                                                      uint32_t left, uint32_t strips,
                                                      mwc_state &m) {
    mwc_state next = m, behind = m;
    uint32_t word[MOST], lane[MOST], mark[MOST];
    bool decided = true;
#pragma unroll
    for (uint32_t i = 0; i < MOST; i++) {
        const uint32_t place = mwc_next(&next);
        mark[i] = mwc_next(&next);
        word[i] = p.group | (place >> 3 & rule.places);
        lane[i] = 1u << (place & 31);
        if (i * strips < left)
            behind = next;
        decided &= mark[i] != rule.ranks.digit[1] && mark[i] != rule.ranks.digit[2];
    }
    if (__builtin_expect(!decided, 0)) {
        for (uint32_t i = 0; i < MOST && i * strips < left; i++)
            throw_point<CLASSES>(p, rule, m);
        return;
    }
    uint32_t of[2][MOST];
#pragma unroll
    for (uint32_t i = 0; i < MOST; i++) {
        of[0][i] = on_board(word[i] + OF(0));
        of[1][i] = on_board(word[i] + OF(1));
    }
#pragma unroll
    for (uint32_t i = 0; i < MOST; i++) {
        const uint32_t c = of[1][i] & lane[i] ? 2 : of[0][i] & lane[i] ? 1 : 0;
        if (i * strips < left && mark[i] <= rule.digit[c])
            atomicOr(word_at(shared_window(), word[i]), lane[i]);
    }
    m = behind;
}

/* Whether a point counts in class c. Further digits of its mark are drawn if they decide in any class. */
template <int CLASSES>
static __device__ __forceinline__ bool counts_by_digits(const double thin[], uint32_t c,
                                                        uint32_t mark, mwc_state &m) {
    uint64_t further = 0;
    bool drawn = false;
    for (uint32_t k = 0; k < CLASSES; k++) {
        const double rest = bernoulli_rest(thin[k], mark);
        if (rest > 0 && rest < 1 && !drawn) {
            further = bernoulli_further(&m);
            drawn = true;
        }
    }
    return bernoulli_below(further, bernoulli_rest(thin[c], mark));
}

/* The same where bonds may be missing. The last words of the board are those of the sites with an odd number of them. */
template <int CLASSES>
static __device__ __forceinline__ void throw_point_at_site(board_place p, const point_marks &rule,
                                                           const site_rule &of_odd, mwc_state &m) {
    const uint32_t place = mwc_next(&m), mark = mwc_next(&m), lane = 1u << (place & 31);
    const uint32_t word = p.group | (place >> 3 & rule.places);
    const bool is_1 = on_board(word + OF(0)) & lane,
               is_2 = CLASSES == 3 && on_board(word + OF(1)) & lane,
               odd = on_board(word + OF(CLASSES - 1)) & lane;
    const uint32_t c = is_2 ? 2 : is_1, *const digit = odd ? of_odd.digit : rule.ranks.digit;
    bool hit = mark < digit[c];
    if (__builtin_expect(mark == digit[0] || mark == digit[1] || (CLASSES == 3 && mark == digit[2]),
                         0))
        hit = counts_by_digits<CLASSES>(odd ? of_odd.thin : rule.ranks.thin, c, mark, m);
    if (hit)
        atomicOr(word_at(shared_window(), word), lane);
}

/* Returns a table among the kernel arguments as ordinary memory. In constant memory, threads that
 * read different entries would be serialised. */
static __device__ __forceinline__ const double *as_memory(const double *table) {
    asm("" : "+l"(table));
    return table;
}

/* Throws the points of half sweep `half_sweep` of `half_sweeps` at a group of strips. Threads: full
 * warps; those beyond the group's last strip throw none. */
template <typename LATTICE>
static __device__ __forceinline__ void
throw_points(board_place p, const point_marks &rule, const double *more_than,
             const site_rule *of_odd, uint32_t strips, uint32_t half_sweep, uint32_t half_sweeps,
             strip_stream &s) {
    constexpr uint32_t together = LATTICE::points_together;
    const uint32_t member = member_of_group(p);
    uint32_t turn = half_sweep & (strips - 1);
    if (LATTICE::any_groups && strips & (strips - 1))
        turn = half_sweep % strips;
    if (turn == 0 && member < strips && half_sweep + member < half_sweeps)
        s.points = bernoulli_points(as_memory(more_than), &s.mwc);
    __syncwarp();
    /* Lanes from that of the group's first strip on. Boards are aligned to 32 quads, and shuffles
     * take lanes modulo 32. */
    const uint32_t of_group = __shfl_sync(FULL_WARP, s.points, p.group / sizeof(uint4) + turn),
                   points = member < strips ? of_group : 0;
    /* The warp stays converged in the loop. Otherwise the compiler does not see that the branches
     * of the planes behind it are uniform. */
#pragma unroll 1
    for (uint32_t n = member; __any_sync(FULL_WARP, n < points); n += together * strips)
        if (n < points) {
            if constexpr (together > 1)
                throw_together<LATTICE::classes, together>(p, rule, points - n, strips, s.mwc);
            else if constexpr (LATTICE::cut)
                throw_point_at_site<LATTICE::classes>(p, rule, *of_odd, s.mwc);
            else
                throw_point<LATTICE::classes>(p, rule, s.mwc);
        }
    __syncwarp();
}

#endif
