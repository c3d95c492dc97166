/* Flips of single-spin coding in ferromagnets, 16 sites of a sub-lattice at a time: bit for bit those of sweep_lattice() in
 * ssc_lattice.c.
 *
 * A vector has 32 sites of a row, of which those of one sub-lattice are updated: a byte of each pair. Bytes are added up and
 * compared. A threshold falls with the product of spin and field. So a number is below that of a product exactly if it is
 * below as many thresholds, its rank, as there are up to this one; the flip needs a comparison with the rank, which is a
 * byte, and with no threshold. */
#include "ssc_rows.h"

#include "base/portable.h"

#if VECTOR_WORDS == 4
#define SITES 16 /* of a vector */
#else
#define SITES SSC_VECTOR_SITES
#endif

typedef int8_t spins_vector __attribute__((vector_size(SITES), may_alias));
typedef int8_t spins_anywhere __attribute__((vector_size(SITES), aligned(1), may_alias));
typedef int16_t pairs_vector __attribute__((vector_size(SITES), may_alias));
typedef int32_t numbers_vector __attribute__((vector_size(4 * VECTOR_WORDS), may_alias));

/* A row of spins and those around it. */
typedef struct {
    int8_t *here;
    const int8_t *above, *below, *before, *behind;
} spin_rows;

TEMPLATE spins_vector load(const int8_t *at) {
    return *(const spins_anywhere *)at;
}

/* The spins moved to the next site, or to the one before; `end` comes in. */
TEMPLATE spins_vector moved(spins_vector v, bool forward, int8_t end) {
    spins_vector from;
    for (int n = 0; n < SITES; n++)
        from[n] = (int8_t)((n + (forward ? SITES - 1 : 1)) % SITES);
#if defined(__clang__)
    spins_vector to;
    for (int n = 0; n < SITES; n++)
        to[n] = v[from[n]];
#else
    spins_vector to = __builtin_shuffle(v, from);
#endif
    to[forward ? 0 : SITES - 1] = end;
    return to;
}

/* The sum of the neighbours of sites x, x + 1, ... */
TEMPLATE spins_vector fields(const spin_rows *row, uint32_t dimension, uint32_t lx, uint32_t x) {
    const spins_vector own = load(row->here + x),
                       left = x > 0 ? load(row->here + x - 1) : moved(own, true, row->here[lx - 1]),
                       right = x + SITES < lx ? load(row->here + x + 1)
                                              : moved(own, false, row->here[0]);
    const spins_vector plane = load(row->above + x) + load(row->below + x) + left + right;
    if (dimension < 3)
        return plane;
    return plane + load(row->before + x) + load(row->behind + x);
}

/* The thresholds that each number of a vector is below. They are compared as signed ones, less 2^31. */
TEMPLATE numbers_vector ranks_of_vector(const uint32_t *number, const int32_t *threshold,
                                        uint32_t count) {
    const numbers_vector x = (numbers_vector)vec_load(number) ^ INT32_MIN;
    numbers_vector below = {0};
    for (uint32_t n = 0; n < count; n++)
        below -= x < threshold[n];
    return below;
}

/* The same of SITES / 2 numbers. */
TEMPLATE pairs_vector ranks(const uint32_t *number, const int32_t *threshold, uint32_t count) {
    const numbers_vector first = ranks_of_vector(number, threshold, count);
#if defined(__AVX512F__)
    return (pairs_vector)_mm512_cvtepi32_epi16((__m512i)first);
#else
    const numbers_vector last = ranks_of_vector(number + VECTOR_WORDS, threshold, count);
#if defined(__AVX2__)
    return (pairs_vector)_mm256_permute4x64_epi64(_mm256_packs_epi32((__m256i)first, (__m256i)last),
                                                  0xd8);
#elif defined(__x86_64__)
    return (pairs_vector)_mm_packs_epi32((__m128i)first, (__m128i)last);
#else
    pairs_vector both;
    for (int n = 0; n < SITES / 2; n++)
        both[n] = (int16_t)(n < VECTOR_WORDS ? first[n] : last[n - VECTOR_WORDS]);
    return both;
#endif
#endif
}

/* Flips what is to be flipped of the sites x, x + 1, ... whose bytes are set in `parity`. */
TEMPLATE void flip(const spin_rows *row, uint32_t dimension, bool complement, uint32_t lx,
                   uint32_t x, spins_vector parity, spins_vector rank) {
    const spins_vector own = load(row->here + x), field = fields(row, dimension, lx, x),
                       down = own < 0, product = (field ^ down) - down, falls = product < 0,
                       twice = rank + rank;
    spins_vector flips = (spins_vector)(product <= twice);
    if (complement)
        flips = (spins_vector)(((product ^ falls) - falls) < twice) ^ falls;
    *(spins_anywhere *)(row->here + x) = own ^ (flips & parity & -2); /* 1 ^ -2 is -1, and back */
}

TEMPLATE void flip_half(int8_t *spin, const ssc_half *h, const uint32_t *number, uint32_t dimension,
                        bool complement) {
    const uint32_t lx = h->edge[0], ly = h->edge[1], lz = dimension < 3 ? 1 : h->edge[2],
                   count = dimension + complement;
    int32_t threshold[MODEL_MAX_DIMENSION + 1];
    for (uint32_t n = 0; n < count; n++)
        threshold[n] = (int32_t)(h->threshold[dimension - !complement - n] ^ 0x80000000u);
    for (uint32_t z = 0; z < lz; z++)
        for (uint32_t y = 0; y < ly; y++) {
            const size_t layer = (size_t)lx * ly, at = z * layer;
            spin_rows row = {.here = spin + at + (size_t)y * lx,
                             .above = spin + at + (size_t)(y ? y - 1 : ly - 1) * lx,
                             .below = spin + at + (size_t)(y + 1 < ly ? y + 1 : 0) * lx};
            if (dimension == 3) {
                row.before = row.here - at + (z ? z - 1 : lz - 1) * layer;
                row.behind = row.here - at + (z + 1 < lz ? z + 1 : 0) * layer;
            }
            const uint32_t shift = (z + y + h->parity) % 2 * 8; /* to the byte of a pair */
            const pairs_vector parity = (pairs_vector){0} + (int16_t)(uint16_t)(0xffu << shift);
            for (uint32_t x = 0; x < lx; x += SITES, number += SITES / 2)
                flip(&row, dimension, complement, lx, x, (spins_vector)parity,
                     (spins_vector)(ranks(number, threshold, count) << (int16_t)shift));
        }
}

void MSC_NAME(ssc_flip_half)(int8_t *spin, const ssc_half *h, const uint32_t *number) {
    if (h->dimension == 2 && h->complement)
        flip_half(spin, h, number, 2, true);
    else if (h->dimension == 2)
        flip_half(spin, h, number, 2, false);
    else if (h->complement)
        flip_half(spin, h, number, 3, true);
    else
        flip_half(spin, h, number, 3, false);
}
