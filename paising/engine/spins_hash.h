/* A hash of a replica's spins, by which states are told apart: 64 bits, the same for two states that differ by a flip of all spins,
 * and the same on every device. Of n different states two have the same hash with a probability of n^2 / 2^65: 3e-8 of
 * a million. */
#ifndef PAISING_SPINS_HASH_H
#define PAISING_SPINS_HASH_H

#include "base/portable.h"

#include <stdint.h>

/* Of `sites` spins, packed as `read` of engine.h gives them. Multiplications and shifts that mix a word into all bits are those of
 * MurmurHash3's finaliser (Appleby, 2011). */
SHARED_FUNCTION uint64_t spins_hash(const uint8_t *spins, uint64_t sites) {
    const uint64_t turned = spins[0] & 1 ? UINT64_MAX : 0;
    uint64_t hash = sites;
    for (uint64_t site = 0; site < sites; site += 64) {
        const uint64_t left = sites - site;
        uint64_t word = 0;
        for (uint64_t bit = 0; bit < 64 && bit < left; bit += 8)
            word |= (uint64_t)spins[(site + bit) / 8] << bit;
        word ^= turned;
        if (left < 64)
            word &= (UINT64_C(1) << left) - 1;
        hash ^= word;
        hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
        hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
        hash ^= hash >> 33;
    }
    return hash;
}

#endif
