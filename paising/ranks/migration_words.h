/* Arithmetic of messages between GPUs that consist of whole machine words: how many words, and how
 * much room. */
#ifndef PAISING_RANKS_MIGRATION_WORDS_H
#define PAISING_RANKS_MIGRATION_WORDS_H

#include "engine/partition.h"

#include <stdint.h>

/* The most words sent for `children` children. It exceeds the words that their parents would fill,
 * because some neighbours of these parents have no children. */
static inline uint64_t migration_most_words(uint64_t children) {
    return 4 * children / MACHINE_LANES + 2;
}

/* The most places that remote parents of `children` children need if they come in `messages`
 * messages: each message begins at a word boundary. */
static inline uint64_t migration_places_for(uint64_t children, uint64_t messages) {
    return 4 * children + messages * 3 * MACHINE_LANES;
}

/* The first place from `place` on at which a machine word begins. */
static inline uint64_t migration_whole_words(uint64_t place) {
    return (place + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
}

/* The number of elements of places[count], which increase, that are below `end`. */
static inline uint64_t migration_places_before(const uint32_t *places, uint64_t count,
                                               uint64_t end) {
    uint64_t low = 0;
    for (uint64_t high = count; low < high;) {
        const uint64_t middle = low + (high - low) / 2;
        if (places[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The machine words, from the first parent on, of one message for *children children, whose
 * parents' places increase. If not all fit into `room` words, *children becomes the number of those
 * that do. Returns 0 if parents must be packed instead. That is so if too many words would be sent
 * for so few children. It is also so if a message would hold fewer than `least` children and not
 * all of them: there would be more messages than there is room for (migration_places_for). */
static inline uint64_t migration_words(const uint32_t *places, uint64_t *children, uint64_t room,
                                       uint64_t least) {
    if (room == 0)
        return 0;
    const uint64_t first = places[0] / MACHINE_LANES,
                   fit = migration_places_before(places, *children, (first + room) * MACHINE_LANES),
                   words = places[fit - 1] / MACHINE_LANES - first + 1;
    if (words > migration_most_words(fit) || (fit < *children && fit < least))
        return 0;
    *children = fit;
    return words;
}

#endif
