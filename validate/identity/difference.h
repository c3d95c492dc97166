/* The first thing in which two populations differ: a number of their reports (histogram.h), or a
 * spin or a family of a replica. */
#ifndef PAISING_IDENTITY_DIFFERENCE_H
#define PAISING_IDENTITY_DIFFERENCE_H

#include "engine/histogram.h"

#include <stdbool.h>

typedef enum {
    QUANTITY_NONE, /* nothing differs */
    QUANTITY_STATUS,
    QUANTITY_POPULATION,
    QUANTITY_FAMILIES,
    QUANTITY_FAMILY_SQUARES,
    QUANTITY_FIRST_LEVEL, /* the range of occupied levels */
    QUANTITY_END_LEVEL,
    QUANTITY_LEVEL,   /* of level_sums number `index` the member number `part` */
    QUANTITY_BLOCK,   /* likewise of block_sums */
    QUANTITY_FOUNDER, /* likewise of founder_sums */
    QUANTITY_PARENT,  /* likewise of parent_sums */
    QUANTITY_FAMILY,  /* of replica `index` */
    QUANTITY_SPIN,    /* of replica `index` at site `part`: 1 up, 0 down */
    QUANTITY_HASH     /* of replica `index`, beside that of its spins (spins_hash.h) */
} identity_quantity;

typedef struct {
    identity_quantity quantity;
    uint64_t index;
    uint64_t part;
    uint64_t value[2]; /* of the first and of the second population */
} identity_difference;

/* Compares two reports, the sums over founders and parents only if `history`. */
identity_difference identity_compare_reports(const histogram *a, const histogram *b, bool history);

/* Replicas as engine->save writes them. */
typedef struct {
    const uint8_t *spins;
    const uint32_t *families;
} identity_replicas;

/* Compares `count` replicas of `bytes` each, the first of which has the number `first`. */
identity_difference identity_compare_replicas(identity_replicas a, identity_replicas b,
                                              uint64_t first, uint64_t count, size_t bytes);

/* Writes "level 122 replicas: 5 against 6" and the like. Returns text. */
#define DIFFERENCE_TEXT_SIZE 160
const char *identity_difference_text(char text[DIFFERENCE_TEXT_SIZE], const identity_difference *d);

#endif
