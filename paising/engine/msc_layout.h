/* Where the replicas of a multi-spin-coded population stand (Sec. 4).
 *
 * Lane slots are counted through the words of p lanes: slot = word p + lane. A machine word, the
 * unit of all bit operations, holds 32 slots: four words of 8, two of 16, one of 32, or half a word
 * of 64. So p decides only which lanes share a random number, and the work per spin is the same for
 * all p.
 *
 * Replica k takes slot k; in the modes with reordering it stands in word k mod W, lane k div W,
 * where W = ceil(R / p): siblings are spread over the words. */
#ifndef PAISING_MSC_LAYOUT_H
#define PAISING_MSC_LAYOUT_H

#include "base/portable.h"
#include "kinds.h"

#include <stdint.h>

#define MACHINE_LANES 32

typedef struct {
    uint32_t word;     /* p: 8, 16, 32 or 64 */
    uint32_t shift;    /* log2 p */
    int reorder;       /* siblings are spread */
    uint64_t replicas; /* R */
    uint64_t words;    /* W */
} msc_layout;

SHARED_FUNCTION uint32_t msc_word_shift(uint32_t word) {
    return word <= 8 ? 3 : word <= 16 ? 4 : word <= 32 ? 5 : 6;
}

SHARED_FUNCTION msc_layout msc_layout_of(uint32_t word, rng_mode rng, uint64_t replicas) {
    const uint32_t shift = msc_word_shift(word);
    const msc_layout layout = {word, shift, rng == RNG_SHARED_REORDER || rng == RNG_LCG, replicas,
                               (replicas + word - 1) >> shift};
    return layout;
}

/* Machine words that hold W words of p lanes. */
SHARED_FUNCTION uint64_t msc_machine_words(uint32_t word, uint64_t replicas) {
    const uint32_t shift = msc_word_shift(word);
    return (((replicas + word - 1) >> shift << shift) + MACHINE_LANES - 1) / MACHINE_LANES;
}

/* Replicas of which groups of words consist; 0: their words are not replicas of a range. */
SHARED_FUNCTION uint64_t msc_group_unit(uint32_t word, rng_mode rng) {
    if (msc_layout_of(word, rng, 1).reorder)
        return 0;
    return word > MACHINE_LANES ? word : MACHINE_LANES;
}

/* The slot of replica k. */
SHARED_FUNCTION uint64_t msc_slot(const msc_layout *layout, uint64_t k) {
    return layout->reorder ? (k % layout->words << layout->shift) + k / layout->words : k;
}

/* The replica in a slot; R or more: none. */
SHARED_FUNCTION uint64_t msc_replica(const msc_layout *layout, uint64_t slot) {
    if (!layout->reorder)
        return slot;
    const uint64_t word = slot >> layout->shift, lane = slot & (layout->word - 1);
    return word < layout->words ? lane * layout->words + word : layout->replicas;
}

#endif
