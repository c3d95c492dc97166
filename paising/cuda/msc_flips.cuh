/* Multi-spin coding on the device: the steps of a temperature for the 32 replicas of a machine word, as
 * device functions. msc_step.cuh fuses them. What this computes: metropolis_sweep() in reference/plain.c, for 32
 * replicas at once, the random numbers being others.
 *
 * The lattice of a machine word is [sub-lattice][row][column], L x L words: column j of row y is the site
 * x = 2 j + ((y + sub-lattice) mod 2). All four neighbours of a site are in the other sub-lattice: column j
 * of the rows y - 1, y and y + 1, and in row y column j - 1 if x is even, j + 1 if it is odd. A thread serves
 * a strip: eight rows of one column, which it walks down with the vertical neighbours in registers. */
#ifndef PAISING_CUDA_MSC_FLIPS_CUH
#define PAISING_CUDA_MSC_FLIPS_CUH

#include "engine/msc_layout.h"
#include "population.h"

#define STRIP_ROWS 8
#define FULL_WARP  0xffffffffu

/* What the kernels of a step are told. */
struct msc_step {
    cuda_replicas replicas;
    const uint32_t *parents; /* [machine words][L^2] spins before the resampling */
    uint32_t *children;      /* the same after it */
    uint64_t *streams;       /* [machine words in flight][strips] MWC states not in registers */
    uint64_t parent_count;   /* R_{i-1} */
    uint32_t size;           /* L */
    uint32_t word;           /* p */
    rng_mode rng;
    uint32_t sweeps; /* theta */
    uint32_t temperature;
    stream_key key;
    rounding thresholds; /* for the modes that compare numbers */
    bernoulli_table bernoulli;
    step_parts parts;    /* for kernels that make any */
    uint32_t first_word; /* of the range, among the machine words that streams are counted by */
};

/* --- three-input logic, one instruction each, whatever the compiler makes of C --- */

template <int TABLE>
static __device__ __forceinline__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return d;
}

static __device__ __forceinline__ uint32_t xor3(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0x96>(a, b, c);
}
static __device__ __forceinline__ uint32_t majority(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0xe8>(a, b, c);
}
static __device__ __forceinline__ uint32_t majority_not(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0xd4>(a, b, c); /* of a, b and ~c */
}
static __device__ __forceinline__ uint32_t select(uint32_t mask, uint32_t a, uint32_t b) {
    return lop3<0xca>(mask, a, b); /* mask ? a : b */
}

/* --- random decisions --- */

/* mwc_next in registers: the pair mad.lo.cc, madc.hi becomes one wide multiply-add. */
struct mwc {
    uint32_t x, c;
};

static __device__ __forceinline__ mwc mwc_seeded(const msc_step &step, uint32_t strip,
                                                 uint32_t machine_word) {
    const stream_block seed =
        stream_draw(step.key, STREAM_MWC, strip, machine_word, 0, step.temperature);
    const uint64_t state = mwc_seed(seed.number[0], seed.number[1]);
    return mwc{(uint32_t)state, (uint32_t)(state >> 32)};
}

static __device__ __forceinline__ uint32_t draw(mwc &m) {
    const uint32_t word = m.x ^ m.c;
    asm("mad.lo.cc.u32 %0, %2, %4, %3; madc.hi.u32 %1, %2, %4, 0;"
        : "=&r"(m.x), "=r"(m.c)
        : "r"(m.x), "r"(m.c), "r"(MWC_MULTIPLIER));
    return word;
}

/* What a strip must know of its spins: needs[i], where a spin has fewer than two antiparallel
 * neighbours and needs a random decision; parity[i], the parity of their number d, which is the
 * class of the lane; and accept[i], the decision wanted. */
struct strip_flips {
    uint32_t needs[STRIP_ROWS], parity[STRIP_ROWS], accept[STRIP_ROWS];
};

/* One bit plane (bernoulli.h) for thresholds whose bits are BIT_0 (class 0) and BIT_1. */
template <int BIT_0, int BIT_1>
static __device__ __forceinline__ void plane(mwc &m, strip_flips &f) {
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        const uint32_t r = draw(m);
        if (BIT_0 && BIT_1)
            f.accept[i] |= r;
        else if (BIT_1)
            f.accept[i] = majority(r, f.accept[i], f.parity[i]);
        else if (BIT_0)
            f.accept[i] = majority_not(r, f.accept[i], f.parity[i]);
        else
            f.accept[i] &= r;
    }
}

/* Mode `independent` (streams.h): bit planes, then the correction points. */
static __device__ __forceinline__ void decide_independent(mwc &m, strip_flips &f,
                                                          const bernoulli_table &table) {
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.accept[i] = 0;
    for (uint32_t k = 0; k < table.planes; k++) {
        const uint32_t bit_0 = table.bits[0] >> k & 1, bit_1 = table.bits[1] >> k & 1;
        if (bit_0) {
            if (bit_1)
                plane<1, 1>(m, f);
            else
                plane<1, 0>(m, f);
        } else {
            if (bit_1)
                plane<0, 1>(m, f);
            else
                plane<0, 0>(m, f);
        }
    }
    const uint32_t number = draw(m);
#pragma unroll 1
    for (uint32_t n = 0; n < BERNOULLI_MAX_POINTS && number > table.last[n]; n++) {
        const uint32_t point = draw(m), lane = 1u << (point & 31);
        const uint32_t row = point / 32 % STRIP_ROWS, mark = point >> (32 - BERNOULLI_MARK_BITS);
        const uint32_t counts_0 = mark < table.thin[0] ? lane : 0;
        const uint32_t counts_1 = mark < table.thin[1] ? lane : 0;
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++)
            asm("{ .reg .pred hit; setp.eq.u32 hit, %1, %2; @hit or.b32 %0, %0, %3; }"
                : "+r"(f.accept[i])
                : "r"(row), "r"(i), "r"(select(f.parity[i], counts_1, counts_0)));
    }
}

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
                     uint32_t size, uint32_t sweep, uint32_t parity, uint32_t top, uint32_t column,
                     strip_flips &f) {
    const uint32_t columns = size / 2;
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

/* --- the lattice --- */

/* A strip: its top row and column, the words of its first site, of the site above it and of the one
 * below its last, counted in any sub-lattice, and the distances to the columns at its sides. */
struct strip_place {
    uint32_t top, column, first, above, past;
    int left, right;
};

static __device__ __forceinline__ strip_place place_strip(uint32_t size, uint32_t strip) {
    const uint32_t columns = size / 2;
    strip_place s;
    s.column = strip % columns;
    s.top = strip / columns * STRIP_ROWS;
    s.first = s.top * columns + s.column;
    s.above = (s.top ? s.top - 1 : size - 1) * columns + s.column;
    s.past = (s.top + STRIP_ROWS < size ? s.top + STRIP_ROWS : 0) * columns + s.column;
    s.left = s.column ? -1 : (int)columns - 1;
    s.right = s.column + 1 < columns ? 1 : 1 - (int)columns;
    return s;
}

/* --- the Metropolis update --- */

/* The spins of one sub-lattice in one strip. A spin with d < 2 antiparallel neighbours gains the energy 8 - 4 d
 * by flipping and needs a random decision, with d >= 2 it flips anyway. With x and m sum and carry of three
 * neighbours and e the fourth, the number of neighbours up is 2 m + x + e: d has the parity x ^ e, and d < 2
 * holds where three are up and the spin too, or at most one and the spin is down. */
template <rng_mode RNG, int LANES>
static __device__ __forceinline__ void
flip_strip(uint32_t *lattice, const msc_step &step, const threshold_set &limits, uint32_t size,
           uint32_t machine_word, uint32_t sweep, uint32_t parity, uint32_t strip, mwc &m) {
    const uint32_t columns = size / 2, half = size * columns;
    const strip_place place = place_strip(size, strip);
    uint32_t *const own = lattice + parity * half + place.first;
    const uint32_t *const other = lattice + (parity ? 0 : half);
    const uint32_t *const rows = other + place.first;
    uint32_t above = other[place.above], here = rows[0];
    strip_flips f;

#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        const uint32_t below = i < STRIP_ROWS - 1 ? rows[(i + 1) * columns] : other[place.past];
        const uint32_t side = (rows + i * columns)[(i + parity) % 2 ? place.right : place.left];
        const uint32_t spin = own[i * columns];
        const uint32_t odd = xor3(above, here, below), carry = majority(above, here, below);
        const uint32_t at_least_3_up = lop3<0xe0>(carry, odd, side); /* carry & (odd | side) */
        const uint32_t at_most_1_up = lop3<0x07>(carry, odd, side);  /* ~carry & ~(odd & side) */
        f.needs[i] = select(spin, at_least_3_up, at_most_1_up);
        f.parity[i] = odd ^ side;
        above = here;
        here = below;
    }
    if (RNG == RNG_INDEPENDENT)
        decide_independent(m, f, step.bernoulli);
    else
        decide_by_comparison<RNG, LANES>(step, limits, machine_word, size, sweep, parity, place.top,
                                         place.column, f);
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        uint32_t *const spin = &own[i * columns];
        *spin = lop3<0x4b>(*spin, f.needs[i], f.accept[i]); /* spin ^ (~needs | accept) */
    }
}

/* --- resampling --- */

/* Where the 32 lanes of a machine word come from: spins of machine word `word`, rotated left. */
struct gather_plan {
    uint32_t count;
    struct {
        uint32_t word, rotation, lanes, unused;
    } source[MACHINE_LANES];
};

/* Makes the plan of machine word w; called by a full warp. Lanes of one source and one rotation are
 * taken together; sources of one word follow each other where siblings do. */
static __device__ __forceinline__ void fill_plan(gather_plan *plan, const msc_step &step,
                                                 uint64_t w) {
    const uint32_t lane = threadIdx.x & 31;
    const msc_layout children =
        msc_layout_of(step.word, step.rng, step.replicas.report->population);
    const msc_layout parents = msc_layout_of(step.word, step.rng, step.parent_count);
    const uint64_t k = msc_replica(&children, w * MACHINE_LANES + lane);
    const bool occupied = k < children.replicas;
    uint32_t word = UINT32_MAX, rotation = 0;
    if (occupied) {
        const uint64_t slot = msc_slot(&parents, step.replicas.parent[k]);
        word = (uint32_t)(slot / MACHINE_LANES);
        rotation = (lane - (uint32_t)slot) % 32;
    }
    const uint32_t lanes = __match_any_sync(FULL_WARP, (unsigned long long)word << 32 | rotation);
    const bool first = occupied && lane == __ffs((int)lanes) - 1;
    const uint32_t firsts = __ballot_sync(FULL_WARP, first);
    if (first) {
        const uint32_t n = __popc(firsts & ((1u << lane) - 1));
        plan->source[n] = {word, rotation, lanes, 0};
    }
    if (lane == 0)
        plan->count = __popc(firsts);
}

/* Four words of the children's lattice, from word `at` on. */
static __device__ __forceinline__ uint4 gather(const gather_plan *plan, const uint32_t *parents,
                                               uint32_t words, uint32_t at) {
    uint4 child = {0, 0, 0, 0}, spins = {0, 0, 0, 0};
    uint32_t loaded = UINT32_MAX;
    for (uint32_t n = 0; n < plan->count; n++) {
        const auto source = plan->source[n];
        if (source.word != loaded) {
            spins = __ldg((const uint4 *)(parents + (uint64_t)source.word * words + at));
            loaded = source.word;
        }
        child.x |= __funnelshift_l(spins.x, spins.x, source.rotation) & source.lanes;
        child.y |= __funnelshift_l(spins.y, spins.y, source.rotation) & source.lanes;
        child.z |= __funnelshift_l(spins.z, spins.z, source.rotation) & source.lanes;
        child.w |= __funnelshift_l(spins.w, spins.w, source.rotation) & source.lanes;
    }
    return child;
}

#endif
