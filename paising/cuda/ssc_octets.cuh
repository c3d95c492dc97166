/* Eight lattices at once, one site of all eight a register, replica n in nibble n: any lattice, with couplings or
 * without. Where the neighbours of a site stand, and its couplings, are looked up once for eight spins
 * (ssc_sites.h). */
#ifndef PAISING_CUDA_SSC_OCTETS_CUH
#define PAISING_CUDA_SSC_OCTETS_CUH

#include "ssc_flips.cuh"
#include "ssc_sites.h"

#define OCTET               8
#define OCTET_THREADS       1024
#define LEAST_OCTET_GROUP   8   /* threads: one for the facts of each replica */
#define USUAL_OCTET_THREADS 256 /* of a block */
#define MOST_OCTETS         (USUAL_OCTET_THREADS / LEAST_OCTET_GROUP)

/* What decides the spins of a replica in a sweep. */
struct alignas(16) replica_facts {
    uint32_t threshold[MODEL_MAX_GAPS];
    ssc_moment moment;
    uint32_t unused[2];
};

/* Those of an octet, of a sweep and of the next. */
typedef replica_facts octet_facts[2][OCTET];

/* Four bytes of four registers, transposed. */
static __device__ __forceinline__ uint4 transposed(uint4 a) {
    const uint32_t low_xy = __byte_perm(a.x, a.y, 0x5140), high_xy = __byte_perm(a.x, a.y, 0x7362),
                   low_zw = __byte_perm(a.z, a.w, 0x5140), high_zw = __byte_perm(a.z, a.w, 0x7362);
    return uint4{__byte_perm(low_xy, low_zw, 0x5410), __byte_perm(low_xy, low_zw, 0x7632),
                 __byte_perm(high_xy, high_zw, 0x5410), __byte_perm(high_xy, high_zw, 0x7632)};
}

/* The spins of an octet, by the number of the site times `unit`. In shared memory the register of a site is a word.
 * Where that has no room, its bytes, two replicas each, stand in the place of every other child. */
template <bool IN_SHARED> struct octet_spins;

template <> struct octet_spins<true> {
    static constexpr uint32_t unit = sizeof(uint32_t);
    uint8_t *words;

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return *(const uint32_t *)(words + at);
    }

    __device__ __forceinline__ void put(uint32_t at, uint32_t spins) const {
        *(uint32_t *)(words + at) = spins;
    }

    /* Sites 4 n to 4 n + 3 as four registers of pairs of replicas. */
    __device__ __forceinline__ uint4 pairs(uint32_t n) const {
        return transposed(((const uint4 *)words)[n]);
    }

    __device__ __forceinline__ void put_pairs(uint32_t n, uint4 pairs) const {
        ((uint4 *)words)[n] = transposed(pairs);
    }
};

template <> struct octet_spins<false> {
    static constexpr uint32_t unit = 1;
    uint8_t *pair[OCTET / 2];

    __device__ __forceinline__ uint32_t get(uint32_t at) const {
        return pair[0][at] | (uint32_t)pair[1][at] << 8 | (uint32_t)pair[2][at] << 16 |
               (uint32_t)pair[3][at] << 24;
    }

    __device__ __forceinline__ void put(uint32_t at, uint32_t spins) const {
#pragma unroll
        for (uint32_t n = 0; n < OCTET / 2; n++)
            pair[n][at] = (uint8_t)(spins >> 8 * n);
    }

    __device__ __forceinline__ uint4 pairs(uint32_t n) const {
        return uint4{((const uint32_t *)pair[0])[n], ((const uint32_t *)pair[1])[n],
                     ((const uint32_t *)pair[2])[n], ((const uint32_t *)pair[3])[n]};
    }

    __device__ __forceinline__ void put_pairs(uint32_t n, uint4 pairs) const {
        ((uint32_t *)pair[0])[n] = pairs.x;
        ((uint32_t *)pair[1])[n] = pairs.y;
        ((uint32_t *)pair[2])[n] = pairs.z;
        ((uint32_t *)pair[3])[n] = pairs.w;
    }
};

template <uint32_t DIMENSION, bool DISORDERED, bool IN_SHARED> struct ssc_octets {
    static constexpr uint32_t together = OCTET, dimension = DIMENSION, most_threads = OCTET_THREADS,
                              blocks_at_once = 1, most_replicas = OCTET * MOST_OCTETS;
    static constexpr bool in_place = !IN_SHARED;
    static constexpr uint32_t unit = octet_spins<IN_SHARED>::unit;

    octet_spins<IN_SHARED> spins;
    octet_facts *facts;
    const replica_facts *now; /* those of the sweep at hand */
    uint32_t member;

    static __device__ __forceinline__ uint32_t group(const ssc_step &step) {
        return step.group;
    }

    static __device__ __forceinline__ uint32_t threads() {
        return blockDim.x;
    }

    static __device__ __forceinline__ uint8_t *child(const ssc_step &step, uint64_t first,
                                                     uint64_t last, uint32_t n) {
        return step.children + min(first + n, last) * (2 * step.half_bytes);
    }

    /* Shared memory has the facts of the octets of a block, and then their spins. */
    __device__ __forceinline__ ssc_octets(const ssc_step &step, uint4 *shared, uint64_t first,
                                          uint64_t last) {
        const uint32_t octet = threadIdx.x / step.group, octets = blockDim.x / step.group;
        member = threadIdx.x % step.group;
        facts = (octet_facts *)shared + octet;
        if constexpr (IN_SHARED)
            spins.words =
                (uint8_t *)((octet_facts *)shared + octets) + octet * (8 * step.half_bytes);
        else
            for (uint32_t n = 0; n < OCTET / 2; n++)
                spins.pair[n] = child(step, first, last, 2 * n);
    }

    template <bool COLLECTS>
    __device__ __forceinline__ void load(const ssc_step &step, uint64_t first, uint64_t last) {
        const uint32_t *from[OCTET];
#pragma unroll
        for (uint32_t n = 0; n < OCTET; n++) {
            from[n] = (const uint32_t *)child(step, first, last, n);
            if (COLLECTS)
                from[n] = (const uint32_t *)(step.parents +
                                             (uint64_t)step.replicas.parent[min(first + n, last)] *
                                                 (2 * step.half_bytes));
        }
        for (uint32_t n = member; n < step.half_bytes / 2; n += step.group)
            spins.put_pairs(n, uint4{from[0][n] | from[1][n] << 4, from[2][n] | from[3][n] << 4,
                                     from[4][n] | from[5][n] << 4, from[6][n] | from[7][n] << 4});
    }

    __device__ __forceinline__ void store(const ssc_step &step, uint64_t first,
                                          uint64_t last) const {
        for (uint32_t n = member; n < step.half_bytes / 2; n += step.group) {
            const uint4 four = spins.pairs(n);
            const uint32_t pair[OCTET / 2] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (uint32_t k = 0; k < OCTET; k++)
                ((uint32_t *)child(step, first, last, k))[n] =
                    pair[k / 2] >> 4 * (k % 2) & 0x01010101u;
        }
    }

    /* Waits for the threads of the octet: they are a part of a warp, or whole warps. */
    __device__ __forceinline__ void wait(const ssc_step &step) const {
        if (step.group <= 32)
            __syncwarp();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / step.group), "r"(step.group)
                         : "memory");
    }

    /* A thread for each replica. */
    __device__ __forceinline__ void find_facts(const ssc_step &step, uint64_t first, uint64_t last,
                                               uint32_t sweep) const {
        if (member >= OCTET)
            return;
        const uint32_t replica = step.first_replica + (uint32_t)min(first + member, last);
        const threshold_set rounded = round_thresholds(&step.thresholds, replica, sweep);
        replica_facts *const f = &(*facts)[sweep % 2][member];
        for (uint32_t d = 0; d < MODEL_MAX_GAPS; d++)
            f->threshold[d] = rounded.threshold[d];
        f->moment = ssc_moment_of(&step.keys, replica, sweep);
    }

    __device__ __forceinline__ void begin_turn(const ssc_step &, uint64_t, uint64_t, uint32_t) {
    }

    /* The facts of the next sweep are found in this one, in which no one reads them. */
    __device__ __forceinline__ void begin_sweep(const ssc_step &step, uint64_t first, uint64_t last,
                                                uint32_t sweep) {
        if (sweep == 0) {
            find_facts(step, first, last, 0);
            wait(step);
        }
        find_facts(step, first, last, sweep + 1);
        now = (*facts)[sweep % 2];
    }

    /* The neighbours that want the spins at a site up. `at` is the one across, and `bits` are those of the site. */
    __device__ __forceinline__ uint32_t ups_around(const ssc_step &step, uint32_t at,
                                                   uint32_t bits) const {
        const uint32_t row = step.edge[0] / 2 * unit, rows = step.edge[1] * row,
                       layers = step.half_sites * unit;
        const uint32_t end = bits & SITE_AT_END ? row : 0;
        const uint32_t next = bits & SITE_RIGHT ? unit - end : end - unit;
        const uint32_t above = (bits & SITE_FIRST_ROW ? rows : 0) - row,
                       below = row - (bits & SITE_LAST_ROW ? rows : 0);
        /* As many copies as there are nibbles of the bits of four bonds, and of two. */
        const uint32_t plane = (bits >> SITE_BONDS & 0xf) * 0x11111111u,
                       space = (bits >> (SITE_BONDS + 4) & 0x3) * 0x11111111u;
        uint32_t ups = wanted_up(at, plane, TO_ACROSS) + wanted_up(at + next, plane, TO_NEXT) +
                       wanted_up(at + above, plane, TO_ABOVE) +
                       wanted_up(at + below, plane, TO_BELOW);
        if (DIMENSION == 3) {
            const uint32_t before = (bits & SITE_FIRST_LAYER ? layers : 0) - rows,
                           behind = rows - (bits & SITE_LAST_LAYER ? layers : 0);
            ups += wanted_up(at + before, space, TO_BEFORE - 4) +
                   wanted_up(at + behind, space, TO_BEHIND - 4);
        }
        return ups;
    }

    __device__ __forceinline__ uint32_t wanted_up(uint32_t at, uint32_t bonds, uint32_t bit) const {
        const uint32_t up = spins.get(at);
        return DISORDERED ? (up ^ bonds >> bit) & 0x11111111u : up;
    }

    /* The bits of the sites of a quad, and whether it has so many. */
    struct quad_sites {
        uint2 bits;
        uint32_t first, end;

        __device__ __forceinline__ quad_sites(const ssc_step &step, uint32_t parity, uint32_t quad)
            : bits(__ldg((const uint2 *)(step.sites + parity * step.half_bytes) + quad)),
              first(4 * quad), end(step.half_sites) {
        }

        __device__ __forceinline__ uint32_t of(uint32_t n) const {
            return (n < 2 ? bits.x : bits.y) >> 16 * (n % 2);
        }

        __device__ __forceinline__ bool has(uint32_t n) const {
            return DIMENSION == 3 || first + n < end; /* in three dimensions they are full */
        }
    };

    /* The update of a thread's part of one sub-lattice. */
    __device__ __forceinline__ void sweep_sub_lattice(const ssc_step &step, uint32_t parity) const {
        const uint32_t quads = (step.half_sites + 3) / 4, half = step.half_bytes * unit;
        for (uint32_t quad = member; quad < quads; quad += step.group) {
            const ssc_place place =
                ssc_place_of(&step.keys, parity * quads + quad, step.temperature);
            const quad_sites sites(step, parity, quad);
            uint32_t above[4] = {};
#pragma unroll 2
            for (uint32_t k = 0; k < OCTET; k++) {
                const replica_facts f = now[k];
                const stream_block b = ssc_numbers(&step.keys, place, f.moment);
#pragma unroll
                for (uint32_t n = 0; n < 4; n++)
                    add_thresholds_above<DIMENSION>(above[n], b.number[n], f.threshold,
                                                    1u << 4 * k);
            }
#pragma unroll
            for (uint32_t n = 0; n < 4; n++)
                if (sites.has(n)) {
                    const uint32_t at = (4 * quad + n) * unit, own = at + parity * half,
                                   other = at + (parity ? 0 : half);
                    spins.put(own, flip<DIMENSION>(spins.get(own),
                                                   ups_around(step, other, sites.of(n)), above[n]));
                }
        }
    }

    __device__ __forceinline__ void measure(spin_counts seen[OCTET], const ssc_step &step) const {
        const uint32_t half = step.half_bytes * unit;
        for (uint32_t quad = member; 4 * quad < step.half_sites; quad += step.group) {
            const quad_sites sites(step, 0, quad);
            uint32_t bonds[2] = {}, ups[2] = {}; /* of replicas 0, 2, 4, 6, and of the others */
#pragma unroll
            for (uint32_t n = 0; n < 4; n++)
                if (sites.has(n)) {
                    const uint32_t at = (4 * quad + n) * unit, even = spins.get(at),
                                   odd = spins.get(at + half);
                    const uint32_t d =
                        unsatisfied<DIMENSION>(even, ups_around(step, at + half, sites.of(n)));
#pragma unroll
                    for (uint32_t k = 0; k < 2; k++) {
                        bonds[k] += d >> 4 * k & 0x0f0f0f0fu;
                        ups[k] += (even + odd) >> 4 * k & 0x0f0f0f0fu;
                    }
                }
#pragma unroll
            for (uint32_t k = 0; k < OCTET; k++) {
                seen[k].bonds = __dp4a(bonds[k % 2], 1u << 8 * (k / 2), seen[k].bonds);
                seen[k].ups = __dp4a(ups[k % 2], 1u << 8 * (k / 2), seen[k].ups);
            }
        }
    }
};

#endif
