/* Multi-spin coding: two networks that carry the spins of parents to the lanes of their children,
 * all 32 lanes of a word at once. Example: five parents, two of which have no children.
 *
 *     window     . . . a . b c d .    a word of parents, bit 0 on the left, moved so that
 *                . . . . a . b c d    its last parent is in the last bit
 *     compress   . . . . . a b c d    those without children are dropped
 *     join       a b c d . . . . .    ... and the rest goes before the bits from the next window
 *     spread     a a a b c c d d d    each parent once for every child
 *
 * A network has five stages. In stage k a bit moves up by 2^k places or stays. A mask says for each
 * place whether its bit comes from below. So a stage costs one shift and one three-input operation
 * a word, whatever the parents. Compressing begins with the short moves, spreading with the long
 * ones. Then no two wanted bits collide, since both networks keep their order. */
#ifndef PAISING_CUDA_MSC_NETWORKS_H
#define PAISING_CUDA_MSC_NETWORKS_H

#include "base/portable.h"

#include <stdint.h>

#define NETWORK_STAGES 5

/* Returns the mask bit of stage k of compressing, for a bit that starts at `place` and moves up by
 * `way` in all. It is the place that the bit moves to in that stage; 0 if the bit stays. */
SHARED_FUNCTION uint32_t compress_mask(uint32_t place, uint32_t way, uint32_t k) {
    const uint32_t gone = way & ((2u << k) - 1);
    return way >> k & 1 ? 1u << (place + gone) : 0;
}

/* The same for spreading; `place` is where the bit ends. */
SHARED_FUNCTION uint32_t spread_mask(uint32_t place, uint32_t way, uint32_t k) {
    const uint32_t left = way & ((1u << k) - 1);
    return way >> k & 1 ? 1u << (place - left) : 0;
}

SHARED_FUNCTION uint32_t network_stage(uint32_t bits, uint32_t mask, uint32_t k) {
    return (bits << (1u << k) & mask) | (bits & ~mask);
}

SHARED_FUNCTION uint32_t compress(uint32_t bits, const uint32_t mask[NETWORK_STAGES]) {
#ifdef __CUDACC__
#pragma unroll
#endif
    for (uint32_t k = 0; k < NETWORK_STAGES; k++)
        bits = network_stage(bits, mask[k], k);
    return bits;
}

SHARED_FUNCTION uint32_t spread(uint32_t bits, const uint32_t mask[NETWORK_STAGES]) {
#ifdef __CUDACC__
#pragma unroll
#endif
    for (uint32_t k = NETWORK_STAGES; k-- > 0;)
        bits = network_stage(bits, mask[k], k);
    return bits;
}

/* Returns the upper word of (high, low) shifted up by `count` bits, at most 32: the upper bits of
 * `low` follow the remaining bits of `high`. */
SHARED_FUNCTION uint32_t join(uint32_t low, uint32_t high, uint32_t count) {
#ifdef __CUDA_ARCH__
    return __funnelshift_lc(low, high, count);
#else
    return (uint32_t)(((uint64_t)high << 32 | low) << count >> 32);
#endif
}

#endif
