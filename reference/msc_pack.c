/* One replica of a machine word as packed bits, 32 sites a word of them, and back: what checkpoints
 * hold. */
#include "msc_sweep.h"

#define SITES_A_WORD 32

/* Bit j, as a table: a vector of them costs one load. */
static const uint32_t bit[SITES_A_WORD] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

void MSC_NAME(msc_pack)(const uint32_t *words, size_t sites, uint32_t lane, uint8_t *spins) {
    const uint32_t mask = 1u << lane;
    for (size_t i = 0; i < sites; i += SITES_A_WORD) {
        uint32_t packed = 0;
        for (size_t j = 0; j < SITES_A_WORD; j++)
            packed |= words[i + j] & mask ? bit[j] : 0;
        memcpy(spins + i / 8, &packed, sizeof packed);
    }
}

void MSC_NAME(msc_unpack)(uint32_t *words, size_t sites, uint32_t lane, const uint8_t *spins) {
    const uint32_t mask = 1u << lane;
    for (size_t i = 0; i < sites; i += SITES_A_WORD) {
        uint32_t packed;
        memcpy(&packed, spins + i / 8, sizeof packed);
        for (size_t j = 0; j < SITES_A_WORD; j++)
            words[i + j] = (words[i + j] & ~mask) | (packed & bit[j] ? mask : 0);
    }
}
