/* The kernel of a temperature step of a lattice without energy levels. It equals cpu/ssc_fine.c bit for bit.
 *
 * The layout is that of graphs (cuda/graph/step.cuh): a block is a warp and a lane a replica; neighbours and couplings are the same
 * for all lanes. A warp with several words of 32 replicas loads neighbours and couplings once for all. Each flip is decided by
 * comparing 64 binary digits of x with those of a probability w (engine/fine_flips.h). Here w is estimated first, in single
 * precision and to 2^-17 of itself, and x has its first 32 digits. Where both are further apart than 2^-14 w, that decides. The
 * digits of engine/fine_flips.h are computed for the others, one flip in some thousands.
 *
 * Of a quad in three dimensions, 128 flips of a warp take 228 instructions with one word, 206 with two and 183 with four: 57, 52 and 46
 * cycles of a multiprocessor with its four schedulers. Loads from shared memory and the 13 of couplings, each four times as wide, take
 * 81, 55 and 42. A flip with four words has 9 instructions for its random number, 6 loads of neighbours, 6 tests of a bit, 6 additions
 * where it is set, and 11 to decide. */
#ifndef PAISING_CUDA_FINE_STEP_CUH
#define PAISING_CUDA_FINE_STEP_CUH

#include "cuda/engine/round_state.h"
#include "cuda/fine/levels.h"
#include "cuda/fine/tables.h"
#include "cuda/graph/copies.cuh"
#include "engine/ssc_numbers.h"

/* By how much an estimate may be wrong, of itself. Its errors: 33 x 2^-22.4 ln 2 by the rounding of its exponent, which is between
 * -33 and 0 where x is not 0; 2^-20 by adding 32 to that; 2^-22 by the hardware. The division of the heat bath adds 2^-21. */
#define FINE_MARGIN 0x1p-14f

struct fine_step {
    cuda_replicas replicas;  /* of the range */
    const uint32_t *parents; /* [words][sites] */
    uint32_t *children;      /* likewise */
    const int4 *base;        /* [2][quads] */
    const uint4 *rows;       /* [2][quads][2 d][2] graph_row */
    const fine_flips *flips; /* on the device */
    const uint32_t *pattern; /* [N][PATTERNS] thresholds of rows.cuh, of each table of weights */
    int64_t *energy;         /* [capacity] of all replicas */
    uint32_t *order;         /* likewise: |M| / order unit */
    uint32_t sites, quads;
    uint32_t sweeps, temperature;
    ssc_keys keys;
    rounding thresholds;    /* of which u is read */
    uint64_t first;         /* place of the range's first replica */
    uint32_t first_replica; /* its global number, for streams */
};

/* 2^x. */
static __device__ __forceinline__ float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

/* A warp's part of a step, WORDS words of replicas. IN_SHARED: the words of its sites are in shared memory. COMPLEMENT: the flips of
 * DOWNHILL_COMPLEMENT. */
template <uint32_t DIMENSION, bool IN_SHARED, bool COMPLEMENT, uint32_t WORDS> struct fine_warp {
    const fine_step &step;
    uint32_t lane, bit;
    const fine_flips *flips;
    float exponent; /* - 2 beta / unit log2 e */
    struct {
        uint32_t *site; /* [sites], and a few */
        uint32_t
            active; /* lanes of which there are replicas in the range; 0: there is no such word */
        uint64_t k; /* number there of this lane's, */
        uint32_t replica; /* and its global one */
    } word[WORDS];

    /* Word n of the range, whose sites stand in `sites`. */
    __device__ __forceinline__ void take(uint32_t n, uint32_t *sites, bool active, uint64_t k) {
        word[n] = {sites, __ballot_sync(EVERY_LANE, active), active ? k : 0,
                   step.first_replica + (uint32_t)(active ? k : 0)};
    }

    /* Adds what a neighbour up says. From C the compiler makes more instructions of it. */
    __device__ __forceinline__ void add(int32_t &sum, const uint32_t *sites, uint32_t offset,
                                        uint32_t weight) const {
        asm("{.reg .pred up;\n"
            ".reg .b32 mine;\n"
            "and.b32 mine, %1, %2;\n"
            "setp.ne.u32 up, mine, 0;\n"
            "@up add.s32 %0, %0, %3;}"
            : "+r"(sum)
            : "r"(*(const uint32_t *)((const char *)sites + offset)), "r"(bit), "r"(weight));
    }

    /* The local fields of a quad's sites. */
    __device__ __forceinline__ void fields(uint32_t quad, int4 sum[WORDS]) const {
        const uint4 *const row = step.rows + (size_t)quad * (4 * DIMENSION);
        const int4 base = __ldg(step.base + quad);
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++)
            sum[w] = base;
#pragma unroll
        for (uint32_t n = 0; n < 2 * DIMENSION; n++) {
            const uint4 left = __ldg(row + 2 * n), right = __ldg(row + 2 * n + 1);
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++) {
                add(sum[w].x, word[w].site, left.x, left.y);
                add(sum[w].y, word[w].site, left.z, left.w);
                add(sum[w].z, word[w].site, right.x, right.y);
                add(sum[w].w, word[w].site, right.z, right.w);
            }
        }
    }

    /* What a flip costs, halved. */
    __device__ __forceinline__ int32_t half_cost(uint32_t spins, int32_t field) const {
        return spins & bit ? field : -field;
    }

    /* Whether the estimate decides a flip, and how. */
    __device__ __forceinline__ bool decide(int32_t half, uint32_t r, bool &sure) const {
        const float cost = (float)(COMPLEMENT && half < 0 ? -half : half);
        float chance = power_of_two(fmaf(cost, exponent, 32.f)); /* 2^32 w */
        if (COMPLEMENT)
            chance = __fdividef(chance, fmaf(chance, 0x1p-32f, 1.f));
        const float x = (float)r;
        const bool below = x < fmaf(chance, 1 - FINE_MARGIN, -1.f);
        sure = below || x > chance * (1 + FINE_MARGIN);
        return below != (COMPLEMENT && half < 0);
    }

    __device__ __noinline__ static bool decide_exactly(const fine_flips *flips, int32_t half,
                                                       uint32_t r, uint64_t u) {
        return fine_flip(flips, COMPLEMENT ? DOWNHILL_COMPLEMENT : DOWNHILL_ALWAYS,
                         2 * (int64_t)half, r, u);
    }

    /* Updates the sites of a quad in word w. */
    __device__ __forceinline__ void update(uint32_t w, uint32_t place, uint32_t sites, int4 field,
                                           const stream_block &four, uint32_t sweep) const {
        const uint32_t *const own = word[w].site + place; /* missing ones are others behind it */
        const uint32_t old[4] = {own[0], own[1], own[2], own[3]};
        const int32_t half[4] = {half_cost(old[0], field.x), half_cost(old[1], field.y),
                                 half_cost(old[2], field.z), half_cost(old[3], field.w)};
        uint32_t made[4];
        bool all_sure = true;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            bool sure;
            made[i] = __ballot_sync(EVERY_LANE, decide(half[i], four.number[i], sure));
            all_sure = all_sure && sure;
        }
        if (!__all_sync(EVERY_LANE, all_sure)) {
            const uint64_t u = rounding_of(&step.thresholds, word[w].replica, sweep);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                bool sure, flip = decide(half[i], four.number[i], sure);
                if (!sure)
                    flip = decide_exactly(flips, half[i], four.number[i], u);
                made[i] = __ballot_sync(EVERY_LANE, flip);
            }
        }
#pragma unroll
        for (uint32_t i = 0; i < 4; i++)
            made[i] = old[i] ^ (made[i] & word[w].active);
        const uint32_t first = lane & 1 ? made[1] : made[0], second = lane & 1 ? made[3] : made[2];
        __syncwarp(); /* all have looked */
        if (lane < sites)
            word[w].site[place + lane] = lane & 2 ? second : first;
    }

    __device__ __forceinline__ void
    sweep_quad(uint32_t parity, uint32_t n, const ssc_moment moment[WORDS], uint32_t sweep) const {
        const uint32_t quad = parity * step.quads + n, place = parity * (step.sites / 2) + 4 * n,
                       sites = min(step.sites / 2 - 4 * n, 4u);
        const ssc_place at = ssc_place_of(&step.keys, quad, step.temperature);
        int4 field[WORDS];
        fields(quad, field);
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++)
            update(w, place, sites, field[w], ssc_numbers(&step.keys, at, moment[w]), sweep);
        __syncwarp();
    }

    __device__ __forceinline__ void sweep() const {
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++) {
            ssc_moment moment[WORDS];
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++)
                moment[w] = ssc_moment_of(&step.keys, word[w].replica, sweep);
#pragma unroll 1
            for (uint32_t parity = 0; parity < 2; parity++)
#pragma unroll 1
                for (uint32_t n = 0; n < step.quads; n++)
                    sweep_quad(parity, n, moment, sweep);
        }
    }

    /* Each bond of an even site is counted once: E = - sum of s times its field, over the even sub-lattice. */
    __device__ __forceinline__ void measure() const {
        int64_t energy[WORDS] = {};
        uint32_t ups[WORDS] = {};
#pragma unroll 1
        for (uint32_t n = 0; n < step.quads; n++) {
            int4 field[WORDS];
            fields(n, field);
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++) {
                const uint32_t *const own = word[w].site + 4 * n;
                energy[w] -= half_cost(own[0], field[w].x);
                energy[w] -= half_cost(own[1], field[w].y);
                if (4 * n + 2 < step.sites / 2)
                    energy[w] -=
                        (int64_t)half_cost(own[2], field[w].z) + half_cost(own[3], field[w].w);
            }
        }
#pragma unroll 4
        for (uint32_t i = 0; i < step.sites; i++)
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++)
                ups[w] += (word[w].site[i] & bit) != 0;
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++) {
            const uint32_t up = 2 * ups[w];
            if (!(word[w].active & bit))
                continue;
            step.energy[step.first + word[w].k] = energy[w];
            step.order[step.first + word[w].k] =
                (up < step.sites ? step.sites - up : up - step.sites) / step.replicas.order_unit;
        }
    }

    /* Collects the spins of the parents of word w: four sites of a parent at a time, turned into words of four sites. */
    __device__ __forceinline__ void collect(uint32_t w) const {
        const uint32_t parent = step.replicas.parent[word[w].k], shift = parent % MACHINE_LANES;
        const uint4 *const from =
            (const uint4 *)(step.parents + (uint64_t)(parent / MACHINE_LANES) * step.sites);
#pragma unroll 4
        for (uint32_t four = 0; four < step.sites / 4; four++) {
            const uint4 of = from[four];
            const uint32_t a = __ballot_sync(EVERY_LANE, of.x >> shift & 1),
                           b = __ballot_sync(EVERY_LANE, of.y >> shift & 1),
                           c = __ballot_sync(EVERY_LANE, of.z >> shift & 1),
                           d = __ballot_sync(EVERY_LANE, of.w >> shift & 1);
            if (lane < 4)
                word[w].site[4 * four + lane] = lane == 0 ? a : lane == 1 ? b : lane == 2 ? c : d;
        }
    }

    /* Copies the sites of word w to shared memory, or from there. */
    __device__ __forceinline__ void copy(uint32_t *to, const uint32_t *from) const {
        for (uint32_t i = lane; i < step.sites; i += 32)
            to[i] = from[i];
    }
};

/* Words of shared memory that the sites of a word of replicas take. */
SHARED_FUNCTION uint32_t fine_room(uint32_t sites) {
    return sites + 4;
}

#endif
