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
 * Four flips of a warp with L = 8 take 125 instructions, 37 of them for the random numbers, where step.cuh has 183 with four words of replicas. 75
 * of them are of the pipe for logic, which takes one in two cycles: 38 cycles of a multiprocessor, where step.cuh has 45. */
#ifndef PAISING_CUDA_FINE_PATTERNS_CUH
#define PAISING_CUDA_FINE_PATTERNS_CUH

#include "cuda/fine/tables.h"
#include "engine/streams.h"

#include <stdint.h>

#define PATTERNS FINE_PATTERNS /* of a site */

#ifdef __CUDACC__
#define PATTERN_PRAGMA(text) _Pragma(#text)
#define UNROLL(...)          PATTERN_PRAGMA(unroll __VA_ARGS__)
#define CALLED_BY_EITHER                                                                           \
    PATTERN_PRAGMA(nv_exec_check_disable) /* what they call is where they are */
#else
#define UNROLL(...)
#define CALLED_BY_EITHER
#endif

/* How rows make fours, and fours and planes a period. */
template <uint32_t L> struct pattern_rows {
    static constexpr uint32_t sites = L / 2, /* of a colour in a row */
        together = sites % 4 == 0   ? 1
                   : sites % 2 == 0 ? 2
                                    : 4,                                  /* rows */
        fours = together * sites / 4, planes = L % together == 0 ? 1 : 2; /* of a period */
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

/* Updates a group of rows, first, first + 1, ... of the lattice, site by site and by all digits where they are needed. Arguments else as
 * below. Sites of a colour do not see each other: such groups wait for the end of a period. */
CALLED_BY_EITHER
template <uint32_t L, typename DRAW, typename EXACTLY>
SHARED_FUNCTION void update_patterns_exactly(pattern_row<L> *row, const uint32_t *threshold,
                                             uint32_t parity, uint32_t first, DRAW draw,
                                             EXACTLY exactly) {
    typedef pattern_rows<L> of;
    UNROLL(1)
    for (uint32_t n = 0; n < of::together * of::sites; n++) {
        const uint32_t r = first + n / of::sites, y = r % L, z = r / L,
                       site = first * of::sites + n,
                       x = 2 * (n % of::sites) + ((y + z + parity) & 1);
        const uint32_t own = row[32 * r] >> x & 1;
        const uint32_t pattern = ((row[32 * r] >> (x + 1) % L & 1) ^ own) +
                                 2 * ((row[32 * r] >> (x + L - 1) % L & 1) ^ own) +
                                 4 * ((row[32 * (L * z + (y + 1) % L)] >> x & 1) ^ own) +
                                 8 * ((row[32 * (L * z + (y + L - 1) % L)] >> x & 1) ^ own) +
                                 16 * ((row[32 * (L * ((z + 1) % L) + y)] >> x & 1) ^ own) +
                                 32 * ((row[32 * (L * ((z + L - 1) % L) + y)] >> x & 1) ^ own);
        const uint32_t number = draw(site / 4).number[site % 4],
                       t = threshold[site * PATTERNS + pattern];
        if (number < t || (number == t && exactly(site, pattern, number)))
            row[32 * r] = (pattern_row<L>)(row[32 * r] ^ 1u << x);
    }
}

/* A sweep of the sites of a colour. Row r = L z + y of the lattice is row[32 r], and site x its bit x. threshold[][PATTERNS]: of the sites of the
 * colour, in the order of rows. draw(n): the n-th four random numbers of the colour; exactly(site, pattern, number): whether a site
 * flips whose number is its threshold. Loops over the rows of a period are unrolled: which neighbours a row has, and the parity of its first
 * site, then cost nothing. */
CALLED_BY_EITHER
template <uint32_t L, typename DRAW, typename EXACTLY>
SHARED_FUNCTION void sweep_patterns(pattern_row<L> *row, const uint32_t *threshold, uint32_t parity,
                                    DRAW draw, EXACTLY exactly) {
    typedef pattern_rows<L> of;
    constexpr uint32_t bits = 2 * of::sites, some = 0x55555555u & ((1u << L) - 1);
    constexpr int lattice = 32, line = lattice * (int)L, plane = line * (int)L; /* rows of a warp */
    UNROLL(1)
    for (uint32_t z = 0; z < L; z += of::planes) {
        const uint32_t parity_of = (z + parity) & 1, odd[2] = {parity_of, 1 - parity_of},
                       mask[2] = {some << odd[0], some << odd[1]};
        const int up[2] = {z + 1 < L ? line : line - plane, z + 2 < L ? line : line - plane},
                  down[2] = {z > 0 ? -line : plane - line, -line};
        pattern_row<L> *const rows = row + plane / (int)L * (int)z;
        const uint32_t *const thresholds = threshold + z * L * of::sites * PATTERNS;
        const uint32_t fours = z * L * of::sites / 4;
        uint32_t later = 0; /* groups of rows */
        UNROLL()
        for (uint32_t first = 0; first < of::planes * L; first += of::together) {
            pattern_bits<L> pairs[3] = {}, flips = 0;
            uint32_t own[of::together];
            UNROLL()
            for (uint32_t i = 0; i < of::together; i++) {
                const uint32_t r = first + i, y = r % L, of_plane = r / L, o = (y + of_plane) & 1;
                const pattern_row<L> *const here = rows + 32 * r;
                const uint32_t ahead = here[y + 1 < L ? lattice : lattice - line],
                               behind = here[y > 0 ? -lattice : line - lattice],
                               above = here[up[of_plane]], below = here[down[of_plane]];
                const uint32_t mine = own[i] = *here, right = mine >> 1 | mine << (L - 1),
                               left = mine << 1 | mine >> (L - 1);
                const uint32_t along[3] = {
                    ((right ^ mine) & mask[o]) + 2 * ((left ^ mine) & mask[o]),
                    ((ahead ^ mine) & mask[o]) + 2 * ((behind ^ mine) & mask[o]),
                    ((above ^ mine) & mask[o]) + 2 * ((below ^ mine) & mask[o])};
                UNROLL()
                for (uint32_t d = 0; d < 3; d++)
                    pairs[d] |= (pattern_bits<L>)(along[d] >> odd[o]) << bits * i;
            }
            bool same = false;
            UNROLL()
            for (uint32_t k = 0; k < of::fours; k++) {
                const stream_block four = draw(fours + first * of::sites / 4 + k);
                const uint32_t *const of_four = thresholds + (first * of::sites + 4 * k) * PATTERNS;
                uint32_t part[3], made = 0;
                UNROLL()
                for (uint32_t d = 0; d < 3; d++) {
                    part[d] = (uint32_t)(pairs[d] >> 8 * k);
                    part[d] = pattern_bytes(of::fours > 1 ? part[d] & 255 : part[d]);
                }
                const uint32_t patterns = part[0] + 4 * part[1] + 16 * part[2];
                UNROLL()
                for (uint32_t c = 0; c < 4; c++) {
                    const uint32_t *const of_pattern = of_four + (patterns >> 8 * c & 255),
                                          t = of_pattern[c * PATTERNS];
                    pattern_add_if_below(made, four.number[c], t, 1u << 2 * c);
                    same = same || four.number[c] == t;
                }
                flips |= (pattern_bits<L>)made << 8 * k;
            }
            later |= (same ? 1u : 0) << first / of::together;
            UNROLL()
            for (uint32_t i = 0; i < of::together; i++) {
                const uint32_t of_row = (uint32_t)(flips >> bits * i) & ((1u << bits) - 1),
                               o = ((first + i) % L + (first + i) / L) & 1;
                if (!same)
                    rows[32 * (first + i)] = (pattern_row<L>)(own[i] ^ of_row * (1 + odd[o]));
            }
        }
        UNROLL(1)
        for (uint32_t n = 0; later >> n != 0; n++)
            if (later >> n & 1)
                update_patterns_exactly<L>(row, threshold, parity, z * L + n * of::together, draw,
                                           exactly);
    }
}

#undef UNROLL
#undef CALLED_BY_EITHER

#endif
