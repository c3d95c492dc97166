/* Sweeps of small cubes without energy levels by thresholds of patterns. The lattice has edges L, and a thread has one of its own.
 *
 * The pattern of a site says which of its six neighbours differ from it: 6 bits, of which what its flip costs follows. A table has the
 * first 32 binary digits of the probability w (engine/fine_flips.h) of each site and pattern. A random number of other digits than these
 * decides; one of the same, a flip in 2^32, is decided by all digits. So nothing but the pattern is computed for a flip.
 *
 * A row of L sites is bits of a byte, or of 16 bits; those of a warp's 32 lattices stand side by side. The patterns of the sites of one
 * colour of a row are made together: neighbours along x are the row itself, turned by one site. Random numbers are of four sites at a time,
 * which rows of L / 2 sites of a colour need not begin with: as many rows are updated together as make whole fours.
 *
 * Four flips of a lattice with L = 8 take 146 instructions: 37 for the random numbers, 30 for the rows, 24 for the patterns, 22 to decide, and the
 * rest to count. Without patterns (step.cuh) they are 183 at least. */
#ifndef PAISING_CUDA_FINE_PATTERNS_CUH
#define PAISING_CUDA_FINE_PATTERNS_CUH

#include "cuda/fine/tables.h"
#include "engine/streams.h"

#include <stdint.h>

#define PATTERNS FINE_PATTERNS /* of a site */

/* Bits of a row, and how rows make fours. */
template <uint32_t L> struct pattern_rows {
    static constexpr uint32_t sites = L / 2, /* of a colour in a row */
        together = sites % 4 == 0   ? 1
                   : sites % 2 == 0 ? 2
                                    : 4, /* rows */
        fours = together * sites / 4;
};

template <bool BYTE> struct pattern_row_of { typedef uint8_t type; };
template <> struct pattern_row_of<false> { typedef uint16_t type; };
template <uint32_t L> using pattern_row = typename pattern_row_of<L <= 8>::type;

/* Bits of the sites of some rows, two for each. */
template <bool FEW> struct pattern_bits_of { typedef uint32_t type; };
template <> struct pattern_bits_of<false> { typedef uint64_t type; };
template <uint32_t L>
using pattern_bits =
    typename pattern_bits_of<(pattern_rows<L>::together * pattern_rows<L>::sites <= 16)>::type;

/* Takes pairs of bits 2 c, c = 0 .. 3, apart into the bytes of a word. */
SHARED_FUNCTION uint32_t pattern_bytes(uint32_t pairs) {
    const uint32_t nibbles = pairs * 4097 & 0x000f000f;
    return nibbles * 65 & 0x03030303;
}

/* Adds `one` if number < threshold. From C the compiler makes four instructions of it. */
SHARED_FUNCTION void pattern_add_if_below(uint32_t &sum, uint32_t number, uint32_t threshold,
                                          uint32_t one) {
#ifdef __CUDA_ARCH__
    asm("{.reg .pred below;\n"
        "setp.lt.u32 below, %1, %2;\n"
        "@below add.u32 %0, %0, %3;}"
        : "+r"(sum)
        : "r"(number), "r"(threshold), "r"(one));
#else
    sum += number < threshold ? one : 0;
#endif
}

/* A sweep of the sites of a colour. Row r = L z + y of the lattice is row[32 r], and site x its bit x. threshold[][PATTERNS]: of the sites of the
 * colour, in the order of rows. draw(n): the n-th four random numbers of the colour; exactly(site, pattern, number): whether a site
 * flips whose number is its threshold. */
template <uint32_t L, typename DRAW, typename EXACTLY>
SHARED_FUNCTION void sweep_patterns(pattern_row<L> *row, const uint32_t *threshold, uint32_t parity,
                                    DRAW draw, EXACTLY exactly) {
    typedef pattern_rows<L> of;
    constexpr uint32_t bits = 2 * of::sites, some = 0x55555555u & ((1u << L) - 1);
    constexpr int lattice = 32, line = lattice * (int)L, plane = line * (int)L; /* rows of a warp */
    uint32_t y = 0, z = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (uint32_t first = 0; first < L * L; first += of::together) {
        pattern_bits<L> pairs[3] = {}, flips = 0;
        uint32_t own[of::together], odd[of::together];
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < of::together; i++) {
            const pattern_row<L> *const here = row + 32 * (first + i);
            const uint32_t ahead = here[y + 1 < L ? lattice : lattice - line],
                           behind = here[y > 0 ? -lattice : line - lattice],
                           above = here[z + 1 < L ? line : line - plane],
                           below = here[z > 0 ? -line : plane - line];
            odd[i] = (y + z + parity) & 1;
            const uint32_t mine = own[i] = *here, mask = some << odd[i],
                           right = mine >> 1 | mine << (L - 1), left = mine << 1 | mine >> (L - 1);
            const uint32_t along[3] = {((right ^ mine) & mask) + 2 * ((left ^ mine) & mask),
                                       ((ahead ^ mine) & mask) + 2 * ((behind ^ mine) & mask),
                                       ((above ^ mine) & mask) + 2 * ((below ^ mine) & mask)};
#ifdef __CUDACC__
#pragma unroll
#endif
            for (uint32_t d = 0; d < 3; d++)
                pairs[d] |= (pattern_bits<L>)(along[d] >> odd[i]) << bits * i;
            y++;
            z += y == L;
            y = y == L ? 0 : y;
        }
        bool same = false;
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t k = 0; k < of::fours; k++) {
            const stream_block four = draw(first * of::sites / 4 + k);
            uint32_t part[3], made = 0;
#ifdef __CUDACC__
#pragma unroll
#endif
            for (uint32_t d = 0; d < 3; d++) {
                part[d] = (uint32_t)(pairs[d] >> 8 * k);
                part[d] = pattern_bytes(of::fours > 1 ? part[d] & 255 : part[d]);
            }
            const uint32_t patterns = part[0] + 4 * part[1] + 16 * part[2];
#ifdef __CUDACC__
#pragma unroll
#endif
            for (uint32_t c = 0; c < 4; c++) {
                const uint32_t *const of_pattern = threshold + (patterns >> 8 * c & 255),
                                      t = of_pattern[(4 * k + c) * PATTERNS];
                pattern_add_if_below(made, four.number[c], t, 1u << 2 * c);
                same = same || four.number[c] == t;
            }
            flips |= (pattern_bits<L>)made << 8 * k;
        }
        if (same)
            for (uint32_t k = 0; k < of::fours; k++) {
                const stream_block four = draw(first * of::sites / 4 + k);
                for (uint32_t c = 0; c < 4; c++) {
                    const uint32_t n = 4 * k + c;
                    const uint32_t pattern = (uint32_t)(pairs[0] >> 2 * n & 3) +
                                             4 * (uint32_t)(pairs[1] >> 2 * n & 3) +
                                             16 * (uint32_t)(pairs[2] >> 2 * n & 3);
                    if (four.number[c] == threshold[n * PATTERNS + pattern] &&
                        exactly(first * of::sites + n, pattern, four.number[c]))
                        flips |= (pattern_bits<L>)1 << 2 * n;
                }
            }
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < of::together; i++) {
            const uint32_t of_row = (uint32_t)(flips >> bits * i) & ((1u << bits) - 1);
            row[32 * (first + i)] = (pattern_row<L>)(own[i] ^ of_row * (1 + odd[i]));
        }
        threshold += of::together * of::sites * PATTERNS;
    }
}

#endif
