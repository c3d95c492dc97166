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
    free(c->missing);
    free(c->value);
    c->negative = c->missing = NULL;
    c->value = NULL;
}

void couplings_set(couplings *c, uint64_t bond, bool negative) {
    const uint64_t bit = (uint64_t)1 << bond % 64;
    uint64_t *const word = &c->negative[bond / 64];
    *word = negative ? *word | bit : *word & ~bit;
    if (c->value != NULL)
        c->value[bond] = negative ? -abs(c->value[bond]) : abs(c->value[bond]);
}

bool couplings_allocate_values(couplings *c) {
    c->value = calloc(c->bonds, sizeof *c->value);
    return c->value != NULL;
}

void couplings_set_value(couplings *c, uint64_t bond, int32_t value) {
    c->value[bond] = value;
    couplings_set(c, bond, value < 0);
}

bool couplings_remove(couplings *c, uint64_t bond) {
    if (c->missing == NULL)
        c->missing = calloc(words_of(c), sizeof *c->missing);
    if (c->missing == NULL)
        return false;
    c->missing[bond / 64] |= (uint64_t)1 << bond % 64;
    if (c->value != NULL)
        c->value[bond] = 0;
    couplings_set(c, bond, false);
    return true;
}

uint64_t couplings_neighbour(const couplings *c, uint64_t site, uint32_t direction) {
    uint64_t stride = 1;
    for (uint32_t d = 0; d < direction; d++)
        stride *= c->edge[d];
    const bool last = site / stride % c->edge[direction] == c->edge[direction] - 1;
    return last ? site - (c->edge[direction] - 1) * stride : site + stride;
}

static uint64_t count_bits(const couplings *c, const uint64_t *bits) {
    uint64_t count = 0;
    for (size_t w = 0; bits != NULL && w < words_of(c); w++)
        count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

uint64_t couplings_count_negative(const couplings *c) {
    return count_bits(c, c->negative);
}

uint64_t couplings_present(const couplings *c) {
    return c->bonds - count_bits(c, c->missing);
}

/* The bond that leads to a site in a direction is that of the site before it. */
static uint64_t bond_to(const couplings *c, uint64_t site, uint32_t direction) {
    uint64_t stride = 1;
    for (uint32_t d = 0; d < direction; d++)
        stride *= c->edge[d];
    const bool first = site / stride % c->edge[direction] == 0;
    const uint64_t before = first ? site + (c->edge[direction] - 1) * stride : site - stride;
    return before * c->dimension + direction;
}

uint32_t couplings_of_site(const couplings *c, uint64_t site) {
    uint32_t bonds = 0;
    for (uint32_t d = 0; d < c->dimension; d++)
        bonds += couplings_has(c, site * c->dimension + d) + couplings_has(c, bond_to(c, site, d));
    return bonds;
}

uint32_t couplings_most_cost(const couplings *c, uint64_t site) {
    uint32_t sum = 0;
    for (uint32_t d = 0; d < c->dimension; d++)
        sum += (uint32_t)abs(c->value[site * c->dimension + d]) +
               (uint32_t)abs(c->value[bond_to(c, site, d)]);
    return 2 * sum;
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
    for (size_t w = 0; c->missing != NULL && w < words_of(c); w++)
        crc = add_number(crc, c->missing[w]);
    for (uint64_t bond = 0; c->value != NULL && bond < c->bonds; bond++)
        crc = add_number(crc, (uint64_t)c->value[bond]);
    return (uint32_t)crc;
}
