/* Converts the 32 replicas of a machine word to packed bits, one replica after another, and back;
 * checkpoints hold packed bits. The conversion transposes bit matrices: 32 words of 32 lanes become
 * 32 lanes of 32 sites. */
#include "msc_sweep.h"

#define BLOCKS     8 /* matrices of 32 sites transposed side by side in a vector */
#define TILE_SITES (32 * BLOCKS)

/* One row of each matrix. */
typedef uint32_t row __attribute__((vector_size(4 * BLOCKS)));

/* In squares of 2 half x 2 half bits, swaps the upper half of the high bits with the lower half of
 * the low bits. `low` masks the low bits. */
static inline void exchange(row t[32], unsigned half, uint32_t low) {
    for (unsigned n = 0; n < 16; n++) {
        const unsigned r = n / half * 2 * half + n % half;
        const row differ = (t[r] >> half ^ t[r + half]) & low;
        t[r] ^= differ << half;
        t[r + half] ^= differ;
    }
}

/* Swaps bit c of row r with bit r of row c. */
static inline void transpose(row t[32]) {
    exchange(t, 16, 0x0000ffff);
    exchange(t, 8, 0x00ff00ff);
    exchange(t, 4, 0x0f0f0f0f);
    exchange(t, 2, 0x33333333);
    exchange(t, 1, 0x55555555);
}

/* Packs a tile of words. The first `bytes` bytes of each lane are stored, `stride` bytes apart. */
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
