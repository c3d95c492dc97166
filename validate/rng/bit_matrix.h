/* Numbers as rows of a matrix of bits. */
#ifndef PAISING_BIT_MATRIX_H
#define PAISING_BIT_MATRIX_H

#include <stdint.h>

/* Bit `lane` of word k becomes bit k of number `lane`: blocks of 16, 8, 4, 2 and 1 change sides. */
static inline void transpose_bits(uint32_t bits[32]) {
    uint32_t mask = 0x0000ffff;
    for (uint32_t width = 16; width > 0; width /= 2, mask ^= mask << width)
        for (uint32_t first = 0; first < 32; first += 2 * width)
            for (uint32_t n = first; n < first + width; n++) {
                const uint32_t moved = (bits[n] >> width ^ bits[n + width]) & mask;
                bits[n] ^= moved << width;
                bits[n + width] ^= moved;
            }
}

#endif
