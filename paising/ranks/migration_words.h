/* How parents go from GPU to GPU in the machine words in which they stand, and what room that takes: arithmetic. */
#ifndef PAISING_RANKS_MIGRATION_WORDS_H
#define PAISING_RANKS_MIGRATION_WORDS_H

#include "engine/partition.h"

#include <stdint.h>

/* How many words may be sent for so many children: some more than these fill, since some neighbours of their parents have
 * none. */
static inline uint64_t migration_most_words(uint64_t children) {
    return 4 * children / MACHINE_LANES + 2;
}

/* The most places that guests need where parents of so many children come in so many messages: words begin with one. */
static inline uint64_t migration_places_for(uint64_t children, uint64_t messages) {
    return 4 * children + messages * 3 * MACHINE_LANES;
}

/* The first place from one on where a machine word begins. */
static inline uint64_t migration_whole_words(uint64_t place) {
    return (place + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
}

/* How many of the rising places stand before one. */
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

/* The words from the first on that a message has, in which the parents of *children stand, whose rising places these are.
 * Where there is not room for all, *children becomes the number of those whose parents stand in the first ones. 0: they go
 * packed, since too many others stand there too, or a message would have less than `least` children and not all: so few
 * that more messages would come than there is room for (migration_places_for). */
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
