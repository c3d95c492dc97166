/* Storage of couplings, and their fingerprint. */
#include "couplings.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static size_t words_of(const couplings *c) {
    return (size_t)((c->bonds + 63) / 64);
}

bool couplings_create(couplings *c, uint32_t dimension,
                      const uint32_t edge[COUPLINGS_MAX_DIMENSION]) {
    *c = (couplings){.dimension = dimension, .sites = 1};
    for (uint32_t d = 0; d < COUPLINGS_MAX_DIMENSION; d++) {
        c->edge[d] = d < dimension ? edge[d] : 1;
        c->sites *= c->edge[d];
    }
    c->bonds = c->sites * dimension;
    c->negative = calloc(words_of(c), sizeof *c->negative);
    return c->negative != NULL;
}

void couplings_destroy(couplings *c) {
    free(c->negative);
    c->negative = NULL;
}

void couplings_set(couplings *c, uint64_t bond, bool negative) {
    const uint64_t bit = (uint64_t)1 << bond % 64;
    uint64_t *const word = &c->negative[bond / 64];
    *word = negative ? *word | bit : *word & ~bit;
}

uint64_t couplings_neighbour(const couplings *c, uint64_t site, uint32_t direction) {
    uint64_t stride = 1;
    for (uint32_t d = 0; d < direction; d++)
        stride *= c->edge[d];
    const bool last = site / stride % c->edge[direction] == c->edge[direction] - 1;
    return last ? site - (c->edge[direction] - 1) * stride : site + stride;
}

uint64_t couplings_count_negative(const couplings *c) {
    uint64_t count = 0;
    for (size_t w = 0; w < words_of(c); w++)
        count += (uint64_t)__builtin_popcountll(c->negative[w]);
    return count;
}

/* Adds a number to a checksum, lowest byte first. */
static uLong add_number(uLong crc, uint64_t number) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return crc32_z(crc, bytes, sizeof bytes);
}

uint32_t couplings_fingerprint(const couplings *c) {
    uLong crc = add_number(crc32_z(0, NULL, 0), c->dimension);
    for (uint32_t d = 0; d < COUPLINGS_MAX_DIMENSION; d++)
        crc = add_number(crc, c->edge[d]);
    for (size_t w = 0; w < words_of(c); w++)
        crc = add_number(crc, c->negative[w]);
    return (uint32_t)crc;
}
