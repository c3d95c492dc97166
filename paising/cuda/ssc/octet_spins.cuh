/* Storage of an octet: the spins of eight lattices during a step. A register holds one site of all
 * eight, replica n in nibble n. In shared memory that register is a word, and a table has the words
 * of the neighbours (sites.h). Without enough shared memory its bytes, two replicas each, are kept
 * in the place of every other child; neighbours then follow from the bits of the site. */
#ifndef PAISING_CUDA_SSC_OCTET_SPINS_CUH
#define PAISING_CUDA_SSC_OCTET_SPINS_CUH

#include "cuda/ssc/flips.cuh"
#include "cuda/ssc/sites.h"

#define OCTET 8

/* The registers of a quad's sites, or four other related registers. */
struct four_registers {
    uint32_t of[4];
};

/* Transposes the four bytes of four registers: from sites to pairs of replicas, and back. */
static __device__ __forceinline__ four_registers transposed(const four_registers &a) {
    const uint32_t low_01 = __byte_perm(a.of[0], a.of[1], 0x5140),
                   high_01 = __byte_perm(a.of[0], a.of[1], 0x7362),
                   low_23 = __byte_perm(a.of[2], a.of[3], 0x5140),
                   high_23 = __byte_perm(a.of[2], a.of[3], 0x7362);
    return four_registers{{__byte_perm(low_01, low_23, 0x5410), __byte_perm(low_01, low_23, 0x7632),
                           __byte_perm(high_01, high_23, 0x5410),
                           __byte_perm(high_01, high_23, 0x7632)}};
}

/* Both specialisations have these functions. quad, put_quad: load and store the spins of a quad.
 * get: the spins at a place. site: facts about a site. neighbour: the place of a neighbour, except
 * the one across, which has the site's own index in the other sub-lattice. negative: all ones where
 * the bond to a neighbour is negative. Where bonds may be missing: add_missing: completes the facts. missing: all ones where
 * the bond is. is_odd: whether the number of bonds is odd. */
template <bool IN_SHARED> struct octet_spins;

template <> struct octet_spins<true> {
    typedef site_neighbours site_facts;
    uint8_t *shared; /* shared memory of the block */
    uint32_t first;  /* offset of the octet's first byte in it */
    uint32_t half_bytes;

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return *(const uint32_t *)(shared + at);
    }

    /* Returns the place of a quad's first site. The others are half_bytes apart. */
    __device__ __forceinline__ uint32_t place(uint32_t parity, uint32_t quad) const {
        return first + 4 * parity * half_bytes + quad * (uint32_t)sizeof(uint32_t);
    }

    __device__ __forceinline__ four_registers quad(uint32_t parity, uint32_t quad) const {
        const uint32_t at = place(parity, quad);
        return four_registers{
            {get(at), get(at + half_bytes), get(at + 2 * half_bytes), get(at + 3 * half_bytes)}};
    }

    __device__ __forceinline__ void put_quad(uint32_t parity, uint32_t quad,
                                             const four_registers &spins) const {
        const uint32_t at = place(parity, quad);
#pragma unroll
        for (uint32_t n = 0; n < 4; n++)
            *(uint32_t *)(shared + at + n * half_bytes) = spins.of[n];
    }

    __device__ __forceinline__ site_facts site(const ssc_step &step, uint32_t parity, uint32_t quad,
                                               uint32_t n) const {
        const uint4 facts =
            __ldg(step.neighbours + parity * half_bytes + n * (half_bytes / 4) + quad);
        return site_facts{{facts.x, facts.y, facts.z}, facts.w};
    }

    /* One instruction: adds four times one half of the word. */
    __device__ __forceinline__ uint32_t neighbour(const site_facts &site, uint32_t bond) const {
        const uint32_t n = bond - TO_NEXT;
        return __dp2a_lo(site.words[n / 2], n % 2 ? 0x0400u : 0x0004u, first);
    }

    /* One instruction: repeats the highest bit of a byte. */
    static __device__ __forceinline__ uint32_t negative(const site_facts &site, uint32_t bond) {
        uint32_t ones;
        asm("prmt.b32 %0, %1, 0, %2;"
            : "=r"(ones)
            : "r"(site.negative << bond / 4), "r"(0x8888 + 0x1111 * (bond % 4)));
        return ones;
    }

    __device__ __forceinline__ void add_missing(site_facts &, const ssc_step &, uint32_t, uint32_t,
                                                uint32_t) const {
    }

    static __device__ __forceinline__ uint32_t missing(const site_facts &site, uint32_t bond) {
        const site_facts shifted = {{}, site.negative << 2};
        return negative(shifted, bond);
    }

    static __device__ __forceinline__ uint32_t is_odd(const site_facts &site) {
        return site.negative & 1;
    }
};

template <> struct octet_spins<false> {
    struct site_facts {
        uint32_t i, other, bits;
        site_strides strides;
    };
    uint8_t *pair[OCTET / 2];
    uint32_t half_bytes;

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return pair[0][at] | (uint32_t)pair[1][at] << 8 | (uint32_t)pair[2][at] << 16 |
               (uint32_t)pair[3][at] << 24;
    }

    __device__ __forceinline__ four_registers quad(uint32_t parity, uint32_t quad) const {
        const uint32_t n = parity * (half_bytes / 4) + quad;
        return transposed(
            four_registers{{((const uint32_t *)pair[0])[n], ((const uint32_t *)pair[1])[n],
                            ((const uint32_t *)pair[2])[n], ((const uint32_t *)pair[3])[n]}});
    }

    __device__ __forceinline__ void put_quad(uint32_t parity, uint32_t quad,
                                             const four_registers &spins) const {
        const four_registers pairs = transposed(spins);
#pragma unroll
        for (uint32_t n = 0; n < OCTET / 2; n++)
            ((uint32_t *)pair[n])[parity * (half_bytes / 4) + quad] = pairs.of[n];
    }

    __device__ __forceinline__ site_facts site(const ssc_step &step, uint32_t parity, uint32_t quad,
                                               uint32_t n) const {
        const uint32_t row = step.edge[0] / 2;
        return site_facts{4 * quad + n,
                          (1 - parity) * half_bytes,
                          __ldg(step.sites + parity * half_bytes + 4 * quad + n),
                          {row, step.edge[1] * row, step.half_sites}};
    }

    static __device__ __forceinline__ uint32_t neighbour(const site_facts &site, uint32_t bond) {
        return site.other + site_neighbour(site.strides, site.i, site.bits, (site_bond)bond);
    }

    static __device__ __forceinline__ uint32_t negative(const site_facts &site, uint32_t bond) {
        return 0 - (site.bits >> (SITE_BONDS + bond) & 1);
    }

    __device__ __forceinline__ void add_missing(site_facts &site, const ssc_step &step,
                                                uint32_t parity, uint32_t quad, uint32_t n) const {
        site.bits |= (uint32_t)__ldg(step.missing + parity * half_bytes + 4 * quad + n) << 16;
    }

    static __device__ __forceinline__ uint32_t missing(const site_facts &site, uint32_t bond) {
        return 0 - (site.bits >> (16 + bond) & 1);
    }

    static __device__ __forceinline__ uint32_t is_odd(const site_facts &site) {
        return site.bits / (SITE_IS_ODD << 16) & 1;
    }
};

#endif
