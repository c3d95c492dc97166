/* Comparing reports number by number, and populations replica by replica. */
#include "difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The members of the sums, all of them 64-bit numbers. */
static const char *const level_parts[] = {"replicas", "|M|", "M^2", "q mod 2^32", "q div 2^32"};
static const char *const block_parts[] = {"replicas", "E",          "E^2",       "|M|",
                                          "M^2",      "q mod 2^32", "q div 2^32"};
static const char *const founder_parts[] = {"replicas", "E"};
static const char *const parent_parts[] = {"parents", "copies"};

enum {
    LEVEL_PARTS = sizeof level_parts / sizeof *level_parts,
    BLOCK_PARTS = sizeof block_parts / sizeof *block_parts,
    FOUNDER_PARTS = sizeof founder_parts / sizeof *founder_parts,
    PARENT_PARTS = sizeof parent_parts / sizeof *parent_parts
};

_Static_assert(sizeof(level_sums) == LEVEL_PARTS * sizeof(uint64_t) &&
                   sizeof(block_sums) == BLOCK_PARTS * sizeof(uint64_t) &&
                   sizeof(founder_sums) == FOUNDER_PARTS * sizeof(uint64_t) &&
                   sizeof(parent_sums) == PARENT_PARTS * sizeof(uint64_t),
               "every member of the sums has a name here");

/* Notes the first pair of numbers that differs. */
static void compare(identity_difference *d, identity_quantity quantity, uint64_t a, uint64_t b) {
    if (d->quantity == QUANTITY_NONE && a != b)
        *d = (identity_difference){.quantity = quantity, .value = {a, b}};
}

/* The same for the sums number first .. end-1 of `parts` numbers each. */
static void compare_sums(identity_difference *d, identity_quantity quantity, const void *a,
                         const void *b, size_t first, size_t end, size_t parts) {
    const uint64_t *const x = a, *const y = b;
    for (size_t n = first * parts; n < end * parts && d->quantity == QUANTITY_NONE; n++)
        if (x[n] != y[n])
            *d = (identity_difference){quantity, n / parts, n % parts, {x[n], y[n]}};
}

identity_difference identity_compare_reports(const histogram *a, const histogram *b, bool history) {
    identity_difference d = {.quantity = QUANTITY_NONE};
    const size_t first = a->first < b->first ? a->first : b->first;
    const size_t end = a->end > b->end ? a->end : b->end;
    compare(&d, QUANTITY_POPULATION, a->population, b->population);
    compare_sums(&d, QUANTITY_LEVEL, a->level, b->level, first, end, LEVEL_PARTS);
    compare(&d, QUANTITY_FIRST_LEVEL, a->first, b->first);
    compare(&d, QUANTITY_END_LEVEL, a->end, b->end);
    compare_sums(&d, QUANTITY_BLOCK, a->block, b->block, 0, POPULATION_BLOCKS, BLOCK_PARTS);
    if (history) {
        compare_sums(&d, QUANTITY_FOUNDER, a->founder, b->founder, 0, POPULATION_BLOCKS,
                     FOUNDER_PARTS);
        compare_sums(&d, QUANTITY_PARENT, a->parent, b->parent, 0, POPULATION_BLOCKS, PARENT_PARTS);
    }
    compare(&d, QUANTITY_FAMILIES, a->families, b->families);
    compare(&d, QUANTITY_FAMILY_SQUARES, a->family_squares, b->family_squares);
    return d;
}

/* The first bit in which two replicas of `bytes` differ. */
static identity_difference compare_spins(const uint8_t *a, const uint8_t *b, uint64_t replica,
                                         size_t bytes) {
    for (size_t i = 0; i < 8 * bytes; i++) {
        const uint64_t up[2] = {a[i / 8] >> i % 8 & 1, b[i / 8] >> i % 8 & 1};
        if (up[0] != up[1])
            return (identity_difference){QUANTITY_SPIN, replica, i, {up[0], up[1]}};
    }
    return (identity_difference){.quantity = QUANTITY_NONE};
}

identity_difference identity_compare_replicas(identity_replicas a, identity_replicas b,
                                              uint64_t first, uint64_t count, size_t bytes) {
    for (uint64_t k = 0; k < count; k++) {
        if (a.families[k] != b.families[k])
            return (identity_difference){
                QUANTITY_FAMILY, first + k, 0, {a.families[k], b.families[k]}};
        if (memcmp(a.spins + k * bytes, b.spins + k * bytes, bytes))
            return compare_spins(a.spins + k * bytes, b.spins + k * bytes, first + k, bytes);
    }
    return (identity_difference){.quantity = QUANTITY_NONE};
}

/* What differs, without the values. */
static void name_quantity(char *text, size_t size, const identity_difference *d) {
    static const char *const single[] = {[QUANTITY_NONE] = "nothing",
                                         [QUANTITY_STATUS] = "status",
                                         [QUANTITY_POPULATION] = "population",
                                         [QUANTITY_FAMILIES] = "families",
                                         [QUANTITY_FAMILY_SQUARES] = "family squares",
                                         [QUANTITY_FIRST_LEVEL] = "first occupied level",
                                         [QUANTITY_END_LEVEL] = "end of occupied levels"};
    switch (d->quantity) {
    case QUANTITY_LEVEL:
        snprintf(text, size, "level %" PRIu64 " %s", d->index, level_parts[d->part]);
        break;
    case QUANTITY_BLOCK:
        snprintf(text, size, "block %" PRIu64 " %s", d->index, block_parts[d->part]);
        break;
    case QUANTITY_FOUNDER:
        snprintf(text, size, "founders' block %" PRIu64 " %s", d->index, founder_parts[d->part]);
        break;
    case QUANTITY_PARENT:
        snprintf(text, size, "parent block %" PRIu64 " %s", d->index, parent_parts[d->part]);
        break;
    case QUANTITY_FAMILY:
        snprintf(text, size, "replica %" PRIu64 " family", d->index);
        break;
    case QUANTITY_SPIN:
        snprintf(text, size, "replica %" PRIu64 " spin %" PRIu64, d->index, d->part);
        break;
    case QUANTITY_HASH:
        snprintf(text, size, "replica %" PRIu64 " hash", d->index);
        break;
    default:
        snprintf(text, size, "%s", single[d->quantity]);
    }
}

const char *identity_difference_text(char text[DIFFERENCE_TEXT_SIZE],
                                     const identity_difference *d) {
    char name[80];
    name_quantity(name, sizeof name, d);
    if (d->quantity == QUANTITY_NONE)
        snprintf(text, DIFFERENCE_TEXT_SIZE, "%s", name);
    else /* energies may be negative */
        snprintf(text, DIFFERENCE_TEXT_SIZE, "%s: %" PRId64 " against %" PRId64, name,
                 (int64_t)d->value[0], (int64_t)d->value[1]);
    return text;
}
