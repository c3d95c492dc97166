/* The order parameter of spin glasses: overlaps of pairs of replicas, as exact integer sums. (The overlap of
 * energies at two temperatures, eq. 8, is another one.)
 *
 * Replica k of R is a pair with replica k + h, h = 32 floor(ceil(R / 32) / 2), for every k < h with k + h < R: h is
 * a whole number of machine words, so that both stand in the same lane. Pairs of one family are not independent: they
 * are counted, and left out of all sums.
 *
 * D = s_k xor s_(k + h) is a lattice too, of sites that differ. Of a pair there are known
 *   c    sites that differ:                  q = (N - 2 c) / N
 *   u    bonds whose ends differ in D:       q_l = 1 - 2 u / bonds, the link overlap, over the bonds that are there; u is
 *        even where every site has an even number of bonds
 *   Tc, Ts in each direction, sum over the planes x across it of C[x] or S[x] times the sites of the plane that
 *        differ: q(k) = sum_j q_j exp(i k x_j) / N = -2 (Tc + i Ts) / (2^14 N) at the smallest wave vector
 *        k = 2 pi / L, for the C sum up to exactly 0. C and S are 2^14 cos k x and sin k x, rounded: each is off by
 *        2^-15 of the amplitude at most, and the same on every device.
 *
 * Overlaps of vectors (vector_overlaps.h) are counted as if they were these: |q| = 1 - 2 c / 2^21, q_l = 1 - 2 u / 2^20. */
#ifndef PAISING_OVERLAPS_H
#define PAISING_OVERLAPS_H

#include "base/section_file.h"
#include "base/wide.h"
#include "model/model.h"

/* Contiguous blocks of pairs for the error bars: pair k of n stands in block floor(128 k / n), so that a block holds
 * as many replicas on either side as one of 256 blocks of the population. */
#define OVERLAP_BLOCKS 128

/* Histograms are kept for 16 blocks, the fewest that errors are made of (blocking.h), and of at most 1025 bins: 131
 * kB for P(q) and P(q_l) together, which every temperature has to bring from the device. One value is a bin up to
 * N = 1024, and with errors from 16 blocks nothing finer could be distinguished. */
#define OVERLAP_PARTS 16
#define OVERLAP_BINS  1025

#define OVERLAP_COSINE_BITS 14
#define FAMILY_LOG_BITS     24

#define OVERLAP_VECTOR_STEPS (1 << 21) /* of |q| of vectors, in place of N */

/* Sums over the pairs of a block. With d = |N/2 - c|, N q = 2 d or -2 d; d^4 and Tc^2 + Ts^2 are added in two halves,
 * mod 2^32 and >> 32. */
typedef struct {
    uint64_t pairs;
    uint64_t d, d2, d4_low, d4_high;
    uint64_t walls; /* sum of u */
    uint64_t wave_low[MODEL_MAX_DIMENSION], wave_high[MODEL_MAX_DIMENSION];
} overlap_block;

/* The same of vectors besides, in units of 2^-20 for q_s and |q_k|; of others 0. */
typedef struct {
    uint64_t self, chiral2, chiral4_low, chiral4_high;
} overlap_vector_block;

/* Which values of c and u are one bin: `differ_width` values of c, an odd number, about N/2 - j times that, so that
 * bins of q and -q are mirror images; from a multiple of `wall_width` on as many values of u. Every sample of a model has the
 * same scale. */
typedef struct {
    uint32_t differ_width, differ_side; /* bins on either side of that of q = 0 */
    uint32_t wall_width;
    uint32_t differ_bins, wall_bins; /* how many there are */
} overlap_scale;

/* Bins of a histogram side by side, outside of which there are no pairs. */
typedef struct {
    uint32_t first, end;
} overlap_span;

typedef struct {
    uint64_t sites;     /* overlap_steps of the model */
    uint64_t pairs;     /* of one family or not */
    uint64_t relatives; /* of one family */

    /* Sum over the families of m family_log(m), m their members: the family entropy is
     * S_f = ln R - ln 2 family_logs / (2^24 R). */
    uint64_t family_logs;
    overlap_block block[OVERLAP_BLOCKS];
    overlap_vector_block vectors[OVERLAP_BLOCKS];
    overlap_scale scale;
    /* [OVERLAP_PARTS][bins] pairs in each bin, part floor(16 k / n), as far as the spans go: elsewhere stands anything */
    uint32_t *differ, *walls;
    overlap_span differ_span, wall_span;
    bool totals; /* all pairs are in block 0 and part 0, and the others are not to be read */
} overlap_sums;

/* What is known of a pair. */
typedef struct {
    uint32_t differ, walls;                                         /* c, u */
    int64_t cosine[MODEL_MAX_DIMENSION], sine[MODEL_MAX_DIMENSION]; /* Tc, Ts */
} overlap_pair;

/* The tables C and S of each direction. */
typedef struct {
    int32_t *cosine[MODEL_MAX_DIMENSION], *sine[MODEL_MAX_DIMENSION]; /* [L] */
} overlap_waves;

C_DECLARATIONS_BEGIN

/* Whether overlaps are those of Ising spins. Else, of disordered models, they are those of vectors. */
bool overlap_is_of_bits(const spin_model *model);

/* The number of c at q = -1, N but for vectors; and of u at q_l = -1, the bonds but for vectors. */
uint64_t overlap_steps(const spin_model *model);
uint64_t overlap_link_steps(const spin_model *model);

overlap_scale overlap_scale_of(const spin_model *model);

/* The step from one possible u to the next: 2, or 1 if bonds may be missing, and of vectors. */
uint32_t overlap_wall_step(const spin_model *model);

/* Allocates the histograms and clears the sums. Returns 0, or -1 without memory. */
int overlap_sums_create(overlap_sums *s, const spin_model *model);
void overlap_sums_destroy(overlap_sums *s);

/* Begins the sums of a population, with all bins in their spans. */
void overlap_sums_begin(overlap_sums *s, uint64_t population);

/* Adds pair k, of different families. */
void overlap_sums_add(overlap_sums *s, uint64_t k, const overlap_pair *pair);

/* Makes the tables, and frees them, also if they were not made. Returns 0, or -1 without memory. */
int overlap_waves_create(overlap_waves *w, const spin_model *model);
void overlap_waves_destroy(overlap_waves *w);

/* sin(2 pi x / L) for 0 <= x <= L / 4, with the same bits on any machine. */
double overlap_sine(uint32_t x, uint32_t edge);

/* The sum of m family_log(m) over families, m their members: those of so many replicas, contiguous. */
uint64_t overlap_family_logs(const uint32_t family[], uint64_t replicas);

C_DECLARATIONS_END

/* h, and how many pairs there are. */
SHARED_FUNCTION uint64_t overlap_offset(uint64_t population) {
    return (population + 31) / 32 / 2 * 32;
}

SHARED_FUNCTION uint64_t overlap_pairs(uint64_t population) {
    const uint64_t offset = overlap_offset(population), rest = population - offset;
    return rest < offset ? rest : offset;
}

/* The bins of c and of u. */
SHARED_FUNCTION uint32_t overlap_differ_bin(overlap_scale s, uint64_t sites, uint32_t differ) {
    const uint64_t first = sites / 2 - (s.differ_width - 1) / 2; /* of the bin of q = 0 */
    return (uint32_t)((differ + (uint64_t)s.differ_side * s.differ_width - first) / s.differ_width);
}

SHARED_FUNCTION uint32_t overlap_wall_bin(overlap_scale s, uint32_t walls) {
    return walls / s.wall_width;
}

SHARED_FUNCTION uint128 overlap_square(int64_t x) {
    const uint64_t magnitude = (uint64_t)(x < 0 ? -x : x);
    return (uint128)magnitude * magnitude;
}

/* Pair k of `pairs` adds these numbers to block floor(128 k / n), and 1 to its bins of part floor(16 k / n). */
SHARED_FUNCTION uint64_t overlap_block_of(uint64_t k, uint64_t pairs) {
    return k * OVERLAP_BLOCKS / pairs;
}

SHARED_FUNCTION uint64_t overlap_part_of(uint64_t k, uint64_t pairs) {
    return k * OVERLAP_PARTS / pairs;
}

SHARED_FUNCTION overlap_block overlap_numbers(uint64_t sites, const overlap_pair *pair) {
    const uint64_t half = sites / 2;
    const uint64_t d = pair->differ > half ? pair->differ - half : half - pair->differ;
    const uint128 d4 = (uint128)(d * d) * (d * d);
    overlap_block b;
    b.pairs = 1;
    b.d = d;
    b.d2 = d * d;
    b.d4_low = (uint32_t)d4;
    b.d4_high = (uint64_t)(d4 >> 32);
    b.walls = pair->walls;
    for (uint32_t n = 0; n < MODEL_MAX_DIMENSION; n++) {
        const uint128 wave = overlap_square(pair->cosine[n]) + overlap_square(pair->sine[n]);
        b.wave_low[n] = (uint32_t)wave;
        b.wave_high[n] = (uint64_t)(wave >> 32);
    }
    return b;
}

/* 2^24 log2 m of 1 <= m, cut off: bit by bit, by squares of its mantissa of 32 bits, so that every device has the same;
 * too small by less than 2. */
SHARED_FUNCTION uint64_t family_log(uint64_t m) {
    uint32_t whole = 0;
    while (m >> whole > 1)
        whole++;
    uint64_t x = whole < 32 ? m << (31 - whole) : m >> (whole - 31), log = whole;
    for (int bit = 0; bit < FAMILY_LOG_BITS; bit++) {
        x *= x;
        log = log << 1 | x >> 63;
        x >>= 31 + (x >> 63);
    }
    return log;
}

#endif
