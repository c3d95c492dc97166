/* The 32 replicas of a machine word as packed bits, one replica after another, and back: what
 * checkpoints hold. Site by site, 32 words of 32 lanes become 32 lanes of 32 sites by the transposition
 * of a matrix of bits. */
#include "msc_sweep.h"

#define BLOCKS     8 /* of 32 sites that are transposed side by side, in vectors */
#define TILE_SITES (32 * BLOCKS)

/* A row of each block. */
typedef uint32_t row __attribute__((vector_size(4 * BLOCKS)));

/* In squares of 2 half x 2 half bits, exchanges the upper half of the rows' high bits with the lower
 * half of their low bits: `low` marks these. */
static inline void exchange(row t[32], unsigned half, uint32_t low) {
    for (unsigned n = 0; n < 16; n++) {
        const unsigned r = n / half * 2 * half + n % half;
        const row differ = (t[r] >> half ^ t[r + half]) & low;
        t[r] ^= differ << half;
        t[r + half] ^= differ;
    }
}

/* Bit c of row r changes places with bit r of row c. */
static inline void transpose(row t[32]) {
    exchange(t, 16, 0x0000ffff);
    exchange(t, 8, 0x00ff00ff);
    exchange(t, 4, 0x0f0f0f0f);
    exchange(t, 2, 0x33333333);
    exchange(t, 1, 0x55555555);
}

/* A tile of words, of which the first `bytes` bytes of each lane are wanted, `stride` bytes from lane to lane. */
static inline void pack_tile(const uint32_t words[TILE_SITES], uint8_t *spins, size_t stride,
                             size_t bytes) {
    row t[32];
    for (unsigned b = 0; b < BLOCKS; b++)
        for (unsigned r = 0; r < 32; r++)
            t[r][b] = words[32 * b + r];
    transpose(t);
    for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
        memcpy(spins + lane * stride, &t[lane], bytes);
}

static inline void unpack_tile(uint32_t words[TILE_SITES], const uint8_t *spins, size_t stride,
                               size_t bytes) {
    row t[32] = {{0}};
    for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
        memcpy(&t[lane], spins + lane * stride, bytes);
    transpose(t);
    for (unsigned b = 0; b < BLOCKS; b++)
        for (unsigned r = 0; r < 32; r++)
            words[32 * b + r] = t[r][b];
}

void MSC_NAME(msc_pack)(const uint32_t *words, size_t sites, uint8_t *spins) {
    const size_t rest = sites % TILE_SITES;
    for (size_t i = 0; i < sites - rest; i += TILE_SITES)
        pack_tile(words + i, spins + i / 8, sites / 8, TILE_SITES / 8);
    if (rest > 0) {
        uint32_t last[TILE_SITES] = {0};
        memcpy(last, words + sites - rest, rest * sizeof *words);
        pack_tile(last, spins + (sites - rest) / 8, sites / 8, rest / 8);
    }
}

void MSC_NAME(msc_unpack)(uint32_t *words, size_t sites, const uint8_t *spins) {
    const size_t rest = sites % TILE_SITES;
    for (size_t i = 0; i < sites - rest; i += TILE_SITES)
        unpack_tile(words + i, spins + i / 8, sites / 8, TILE_SITES / 8);
    if (rest > 0) {
        uint32_t last[TILE_SITES];
        unpack_tile(last, spins + (sites - rest) / 8, sites / 8, rest / 8);
        memcpy(words + sites - rest, last, rest * sizeof *words);
    }
}
