/* Sweeps of small cubes without energy levels by thresholds of patterns. The lattice has edges L, and a thread has one of its own.
 *
 * The pattern of a site says which of its six neighbours differ from it: 6 bits, of which what its flip costs follows. A table has the
 * first 32 binary digits of the probability w (engine/fine_flips.h) of each site and pattern. A random number of other digits than these
 * decides; one of the same, a flip in 2^32, is decided by all digits. So nothing but the pattern is computed for a flip.
 *
 * A row of L sites is bits of a byte, or of 16 bits; those of a warp's 32 lattices stand side by side. The patterns of the sites of one
 * colour of a row are made together: neighbours along x are the row itself, turned by one site. Random numbers are of four sites at a time,
 * which rows of L / 2 sites of a colour need not begin with: as many rows are updated together as make whole fours. */
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

/* Takes pairs of bits 2 c, c = 0 .. 3, apart into the bytes of a word. */
SHARED_FUNCTION uint32_t pattern_bytes(uint32_t pairs) {
    const uint32_t nibbles = pairs * 4097 & 0x000f000f;
    return nibbles * 65 & 0x03030303;
}

/* A sweep of the sites of a colour. Row r = L z + y of the lattice is row[32 r], and site x its bit x. threshold[][PATTERNS]: of the sites of the
 * colour, in the order of rows. draw(n): the n-th four random numbers of the colour; exactly(site, pattern, number): whether a site
 * flips whose number is its threshold. */
template <uint32_t L, typename DRAW, typename EXACTLY>
SHARED_FUNCTION void sweep_patterns(pattern_row<L> *row, const uint32_t *threshold, uint32_t parity,
                                    DRAW draw, EXACTLY exactly) {
    typedef pattern_rows<L> of;
    constexpr uint32_t bits = 2 * of::sites, some = 0x55555555u & ((1u << L) - 1);
    uint32_t y = 0, z = 0;
    for (uint32_t group = 0; group < L * L / of::together; group++) {
        uint64_t pairs[3] = {}, flips = 0;
        uint32_t own[of::together], odd[of::together];
        const uint32_t first = group * of::together;
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < of::together; i++) {
            const uint32_t r = first + i;
            const uint32_t ahead = row[32 * (y + 1 < L ? r + 1 : r + 1 - L)],
                           behind = row[32 * (y > 0 ? r - 1 : r + L - 1)],
                           above = row[32 * (z + 1 < L ? r + L : r + L - L * L)],
                           below = row[32 * (z > 0 ? r - L : r + L * L - L)];
            own[i] = row[32 * r];
            odd[i] = (y + z + parity) & 1;
            const uint32_t mask = some << odd[i], mine = own[i],
                           right = mine >> 1 | mine << (L - 1), left = mine << 1 | mine >> (L - 1);
            const uint32_t along_x = ((right ^ mine) & mask) + 2 * ((left ^ mine) & mask),
                           along_y = ((ahead ^ mine) & mask) + 2 * ((behind ^ mine) & mask),
                           along_z = ((above ^ mine) & mask) + 2 * ((below ^ mine) & mask);
            pairs[0] |= (uint64_t)(along_x >> odd[i]) << bits * i;
            pairs[1] |= (uint64_t)(along_y >> odd[i]) << bits * i;
            pairs[2] |= (uint64_t)(along_z >> odd[i]) << bits * i;
            y++;
            z += y == L;
            y = y == L ? 0 : y;
        }
        const uint32_t *const here = threshold + (uint64_t)first * of::sites * PATTERNS;
        bool same = false;
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t k = 0; k < of::fours; k++) {
            const stream_block four = draw(group * of::fours + k);
            const uint32_t patterns = pattern_bytes((uint32_t)(pairs[0] >> 8 * k) & 255) +
                                      4 * pattern_bytes((uint32_t)(pairs[1] >> 8 * k) & 255) +
                                      16 * pattern_bytes((uint32_t)(pairs[2] >> 8 * k) & 255);
            uint32_t made = 0;
#ifdef __CUDACC__
#pragma unroll
#endif
            for (uint32_t c = 0; c < 4; c++) {
                const uint32_t t = here[(4 * k + c) * PATTERNS + (patterns >> 8 * c & 255)];
                made |= (four.number[c] < t) << 2 * c;
                same = same || four.number[c] == t;
            }
            flips |= (uint64_t)made << 8 * k;
        }
        if (same)
            for (uint32_t k = 0; k < of::fours; k++) {
                const stream_block four = draw(group * of::fours + k);
                for (uint32_t c = 0; c < 4; c++) {
                    const uint32_t n = 4 * k + c;
                    const uint32_t pattern = (uint32_t)(pairs[0] >> 2 * n & 3) +
                                             4 * (uint32_t)(pairs[1] >> 2 * n & 3) +
                                             16 * (uint32_t)(pairs[2] >> 2 * n & 3);
                    if (four.number[c] == here[n * PATTERNS + pattern] &&
                        exactly(first * of::sites + n, pattern, four.number[c]))
                        flips |= (uint64_t)1 << 2 * n;
                }
            }
#ifdef __CUDACC__
#pragma unroll
#endif
        for (uint32_t i = 0; i < of::together; i++)
            row[32 * (first + i)] =
                (pattern_row<L>)(own[i] ^ ((uint32_t)(flips >> bits * i) & ((1u << bits) - 1))
                                              << odd[i]);
    }
}

#endif
