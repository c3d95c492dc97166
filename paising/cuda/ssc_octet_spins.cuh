/* Where the spins of eight lattices stand while they are worked on, one site of all eight a register, replica n in
 * nibble n; and how they are found around a site (ssc_sites.h). In shared memory the register of a site is a word, and
 * a table has the words of its neighbours. Where that has no room, its bytes, two replicas each, stand in the place of
 * every other child, and neighbours follow from the bits of the site. */
#ifndef PAISING_CUDA_SSC_OCTET_SPINS_CUH
#define PAISING_CUDA_SSC_OCTET_SPINS_CUH

#include "ssc_flips.cuh"
#include "ssc_sites.h"

#define OCTET 8

/* Four bytes of four registers, transposed. */
static __device__ __forceinline__ uint4 transposed(uint4 a) {
    const uint32_t low_xy = __byte_perm(a.x, a.y, 0x5140), high_xy = __byte_perm(a.x, a.y, 0x7362),
                   low_zw = __byte_perm(a.z, a.w, 0x5140), high_zw = __byte_perm(a.z, a.w, 0x7362);
    return uint4{__byte_perm(low_xy, low_zw, 0x5410), __byte_perm(low_xy, low_zw, 0x7632),
                 __byte_perm(high_xy, high_zw, 0x5410), __byte_perm(high_xy, high_zw, 0x7632)};
}

/* What both have: where the n-th site of a quad stands, `at`; spins there, got and put; four registers of a quad as
 * four of pairs of replicas; what is known of a site, `site`, by which its neighbours stand at `neighbour`, and all
 * ones where the bond to one is negative. */
template <bool IN_SHARED> struct octet_spins;

template <> struct octet_spins<true> {
    typedef site_neighbours site_facts;
    uint8_t *shared; /* of the block, ... */
    uint32_t first;  /* ... from where on this byte is the first of the octet */
    uint32_t half_bytes;

    __device__ __forceinline__ uint32_t at(uint32_t parity, uint32_t quad, uint32_t n) const {
        return first + (4 * parity + n) * half_bytes + quad * (uint32_t)sizeof(uint32_t);
    }

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return *(const uint32_t *)(shared + at);
    }

    __device__ __forceinline__ void put(uint32_t at, uint32_t spins) const {
        *(uint32_t *)(shared + at) = spins;
    }

    __device__ __forceinline__ uint4 pairs(uint32_t parity, uint32_t quad) const {
        return transposed(uint4{get(at(parity, quad, 0)), get(at(parity, quad, 1)),
                                get(at(parity, quad, 2)), get(at(parity, quad, 3))});
    }

    __device__ __forceinline__ void put_pairs(uint32_t parity, uint32_t quad, uint4 pairs) const {
        const uint4 four = transposed(pairs);
        put(at(parity, quad, 0), four.x);
        put(at(parity, quad, 1), four.y);
        put(at(parity, quad, 2), four.z);
        put(at(parity, quad, 3), four.w);
    }

    __device__ __forceinline__ site_facts site(const ssc_step &step, uint32_t parity, uint32_t quad,
                                               uint32_t n) const {
        const uint4 facts =
            __ldg(step.neighbours + parity * half_bytes + n * (half_bytes / 4) + quad);
        return site_facts{{facts.x, facts.y, facts.z}, facts.w};
    }

    /* One instruction: four times one half of the number, added. */
    __device__ __forceinline__ uint32_t neighbour(const site_facts &site, uint32_t bond) const {
        return __dp2a_lo(site.words[bond / 2], bond % 2 ? 0x0400u : 0x0004u, first);
    }

    /* One as well, which repeats the highest bit of a byte. */
    static __device__ __forceinline__ uint32_t negative(const site_facts &site, uint32_t bond) {
        uint32_t ones;
        asm("prmt.b32 %0, %1, 0, %2;"
            : "=r"(ones)
            : "r"(site.negative << bond / 4), "r"(0x8888 + 0x1111 * (bond % 4)));
        return ones;
    }
};

template <> struct octet_spins<false> {
    struct site_facts {
        uint32_t i, other, bits;
        site_strides strides;
    };
    uint8_t *pair[OCTET / 2];
    uint32_t half_bytes;

    __device__ __forceinline__ uint32_t at(uint32_t parity, uint32_t quad, uint32_t n) const {
        return parity * half_bytes + 4 * quad + n;
    }

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return pair[0][at] | (uint32_t)pair[1][at] << 8 | (uint32_t)pair[2][at] << 16 |
               (uint32_t)pair[3][at] << 24;
    }

    __device__ __forceinline__ void put(uint32_t at, uint32_t spins) const {
#pragma unroll
        for (uint32_t n = 0; n < OCTET / 2; n++)
            pair[n][at] = (uint8_t)(spins >> 8 * n);
    }

    __device__ __forceinline__ uint4 pairs(uint32_t parity, uint32_t quad) const {
        const uint32_t n = at(parity, quad, 0) / 4;
        return uint4{((const uint32_t *)pair[0])[n], ((const uint32_t *)pair[1])[n],
                     ((const uint32_t *)pair[2])[n], ((const uint32_t *)pair[3])[n]};
    }

    __device__ __forceinline__ void put_pairs(uint32_t parity, uint32_t quad, uint4 pairs) const {
        const uint32_t n = at(parity, quad, 0) / 4;
        ((uint32_t *)pair[0])[n] = pairs.x;
        ((uint32_t *)pair[1])[n] = pairs.y;
        ((uint32_t *)pair[2])[n] = pairs.z;
        ((uint32_t *)pair[3])[n] = pairs.w;
    }

    __device__ __forceinline__ site_facts site(const ssc_step &step, uint32_t parity, uint32_t quad,
                                               uint32_t n) const {
        const uint32_t row = step.edge[0] / 2;
        return site_facts{4 * quad + n,
                          (1 - parity) * half_bytes,
                          __ldg(step.sites + at(parity, quad, n)),
                          {row, step.edge[1] * row, step.half_sites}};
    }

    static __device__ __forceinline__ uint32_t neighbour(const site_facts &site, uint32_t bond) {
        return site.other + site_neighbour(site.strides, site.i, site.bits, (site_bond)bond);
    }

    static __device__ __forceinline__ uint32_t negative(const site_facts &site, uint32_t bond) {
        return 0 - (site.bits >> (SITE_BONDS + bond) & 1);
    }
};

#endif
