/* Two lattices in one register, four sites of both: for square lattices without couplings, L x L
 * with L a power of two, and the flips of DOWNHILL_ALWAYS. Each L has a kernel of its own, in which the places of neighbours are
 * constants. The even replica's spins are the low nibbles of the bytes, the odd replica's the high
 * ones. */
#ifndef PAISING_CUDA_SSC_QUADS_CUH
#define PAISING_CUDA_SSC_QUADS_CUH

#include "cuda/ssc/flips.cuh"

#define QUAD_THREADS 256

/* Returns the threads of a pair: one for each quad of a sub-lattice, rounded to a power of two. */
static __host__ __device__ constexpr uint32_t quad_group(uint32_t size) {
    uint32_t group = 1;
    while (group < QUAD_THREADS && 4 * group < size * size / 2)
        group *= 2;
    return group;
}

/* --- quads: four sites of one row, as the bytes of a register --- */

/* Indices of a quad and of its neighbours in the other sub-lattice. The quad across has the same
 * index. The fourth neighbours are those across moved by a column, with one byte from the quad at
 * the side. */
struct quad_place {
    uint32_t own, above, below, side;
    uint32_t moved; /* byte selector of across and side */
};

static __device__ __forceinline__ quad_place place_quad(uint32_t size, uint32_t parity,
                                                        uint32_t quad) {
    const uint32_t row_quads = size / 8, row = quad / row_quads, j = quad % row_quads;
    const uint32_t above = row ? row - 1 : size - 1, below = row + 1 < size ? row + 1 : 0;
    const uint32_t right = j + 1 < row_quads ? j + 1 : 0, left = j ? j - 1 : row_quads - 1;
    const bool to_right = (row + parity) % 2;
    return quad_place{quad, above * row_quads + j, below * row_quads + j,
                      row * row_quads + (to_right ? right : left), to_right ? 0x4321u : 0x2107u};
}

/* Returns the number of neighbours up of each spin of a quad, 0 to 4. */
static __device__ __forceinline__ uint32_t ups_around(const uint32_t *other,
                                                      const quad_place &place) {
    const uint32_t across = other[place.own];
    const uint32_t side = __byte_perm(across, other[place.side], place.moved);
    return other[place.above] + across + other[place.below] + side;
}

/* The quads of a thread in a sub-lattice. They are a whole, even number of rows apart, so that
 * their neighbours are at the same distances, except at the boundary of the lattice. */
template <uint32_t SIZE> struct thread_quads {
    static constexpr uint32_t row = SIZE / 8, apart = quad_group(SIZE),
                              count = SIZE * SIZE / 8 / apart;
    static_assert(count == 1 || apart % (2 * row) == 0, "rows apart");
    quad_place first, last;

    __device__ __forceinline__ thread_quads(uint32_t parity, uint32_t member)
        : first(place_quad(SIZE, parity, member)),
          last(place_quad(SIZE, parity, member + (count - 1) * apart)) {
    }

    __device__ __forceinline__ quad_place place(uint32_t n) const {
        const uint32_t own = first.own + n * apart;
        return quad_place{own, n == 0 ? first.above : own - row,
                          n == count - 1 ? last.below : own + row, first.side + n * apart,
                          first.moved};
    }
};

/* --- a pair of lattices --- */

/* Combines sixteen bytes of two replicas; and separates them. */
static __device__ __forceinline__ uint4 paired(uint4 a, uint4 b) {
    return uint4{a.x | b.x << 4, a.y | b.y << 4, a.z | b.z << 4, a.w | b.w << 4};
}

static __device__ __forceinline__ uint4 one_of(uint4 pair, uint32_t n) {
    const uint32_t bit = 4 * n, mask = 0x01010101;
    return uint4{pair.x >> bit & mask, pair.y >> bit & mask, pair.z >> bit & mask,
                 pair.w >> bit & mask};
}

/* A pair in shared memory. */
template <uint32_t SIZE> struct ssc_quads {
    static constexpr uint32_t together = 2, dimension = 2, most_threads = QUAD_THREADS;
    static constexpr uint32_t blocks_at_once = 5; /* on a multiprocessor: a limit on registers */
    static constexpr uint32_t most_replicas = 2 * QUAD_THREADS / quad_group(SIZE);
    static constexpr uint32_t half_bytes = SIZE * SIZE / 2,
                              vectors = 2 * half_bytes / sizeof(uint4); /* of a replica */
    static constexpr int unrolled = 8;                                  /* quads of a thread */
    static constexpr bool in_place = false, always = true, cut = false;

    uint4 *child[2], *spins;
    uint32_t member;
    threshold_set thresholds[2];
    ssc_moment moment[2];

    static __device__ __forceinline__ uint32_t group(const ssc_step &) {
        return quad_group(SIZE);
    }

    static __device__ __forceinline__ uint32_t threads() {
        return QUAD_THREADS;
    }

    __device__ __forceinline__ ssc_quads(const ssc_step &step, uint4 *shared, uint64_t first,
                                         uint64_t last) {
        const uint32_t pair = threadIdx.x / quad_group(SIZE);
        member = threadIdx.x % quad_group(SIZE);
        child[0] = (uint4 *)step.children + first * vectors;
        child[1] = (uint4 *)step.children + min(first + 1, last) * vectors;
        spins = shared + pair * vectors;
    }

    /* Calls `copy` for the thread's vectors of a replica. A loop would be unrolled in vain where
     * not every thread has one. */
    template <typename COPY> __device__ __forceinline__ void for_each_vector(COPY copy) const {
        if constexpr (vectors < quad_group(SIZE)) {
            if (member < vectors)
                copy(member);
        } else {
            for (uint32_t n = member; n < vectors; n += quad_group(SIZE))
                copy(n);
        }
    }

    template <bool COLLECTS>
    __device__ __forceinline__ void load(const ssc_step &step, uint64_t first, uint64_t last) {
        const uint64_t k[2] = {first, min(first + 1, last)};
        const uint4 *from[2] = {child[0], child[1]};
        if (COLLECTS)
            for (uint32_t n = 0; n < 2; n++)
                from[n] =
                    (const uint4 *)step.parents + (uint64_t)step.replicas.parent[k[n]] * vectors;
        for_each_vector([&](uint32_t n) { spins[n] = paired(from[0][n], from[1][n]); });
    }

    __device__ __forceinline__ void store(const ssc_step &, uint64_t, uint64_t) const {
        for_each_vector([&](uint32_t n) {
            const uint4 both = spins[n];
            child[0][n] = one_of(both, 0);
            child[1][n] = one_of(both, 1);
        });
    }

    /* Synchronises the threads of the pair. */
    __device__ __forceinline__ void wait(const ssc_step &) const {
        if (quad_group(SIZE) <= 32)
            __syncwarp();
        else
            __syncthreads();
    }

    __device__ __forceinline__ void begin_turn(const ssc_step &step, uint64_t first, uint64_t last,
                                               uint32_t sweep) {
        for (uint32_t n = 0; n < 2; n++)
            thresholds[n] = round_thresholds(
                &step.thresholds, step.first_replica + (uint32_t)min(first + n, last), sweep);
    }

    __device__ __forceinline__ void begin_sweep(const ssc_step &step, uint64_t first, uint64_t last,
                                                uint32_t sweep) {
        for (uint32_t n = 0; n < 2; n++)
            moment[n] = ssc_moment_of(&step.keys,
                                      step.first_replica + (uint32_t)min(first + n, last), sweep);
    }

    /* Returns, in the nibbles of the spins, how many thresholds exceed the random numbers of a
     * quad. */
    __device__ __forceinline__ uint32_t decide(const ssc_step &step, uint32_t quad) const {
        const ssc_place place = ssc_place_of(&step.keys, quad, step.temperature);
        uint32_t above = 0;
#pragma unroll
        for (uint32_t n = 0; n < 2; n++) {
            uint32_t nibbles = 0;
            const stream_block b = ssc_numbers(&step.keys, place, moment[n]);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++)
#pragma unroll
                for (uint32_t d = 0; d < 2; d++)
                    add_if_below(nibbles, b.number[i], thresholds[n].threshold[d],
                                 1u << (8 * i + 4 * n));
            above += nibbles;
        }
        return above;
    }

    /* Updates the thread's part of one sub-lattice. */
    __device__ __forceinline__ void sweep_sub_lattice(const ssc_step &step, uint32_t parity) const {
        uint8_t *const own = (uint8_t *)spins + parity * half_bytes;
        const uint8_t *const other = (const uint8_t *)spins + (parity ? 0 : half_bytes);
        const thread_quads<SIZE> mine(parity, member);
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            uint32_t *const at = (uint32_t *)own + place.own;
            const uint32_t d = unsatisfied<2>(*at, ups_around((const uint32_t *)other, place));
            *at ^= at_least<2>(d + decide(step, parity * (half_bytes / 4) + place.own));
        }
    }

    __device__ __forceinline__ void measure(spin_counts seen[2], const ssc_step &) const {
        const uint32_t *const even = (const uint32_t *)spins, *const odd = even + half_bytes / 4;
        const thread_quads<SIZE> mine(0, member);
#pragma unroll(unrolled)
        for (uint32_t n = 0; n < mine.count; n++) {
            const quad_place place = mine.place(n);
            const uint32_t bonds = unsatisfied<2>(even[place.own], ups_around(odd, place)),
                           up = even[place.own] + odd[place.own];
#pragma unroll
            for (uint32_t k = 0; k < 2; k++) {
                seen[k].bonds = __dp4a(bonds >> 4 * k & 0x0f0f0f0fu, 0x01010101u, seen[k].bonds);
                seen[k].ups = __dp4a(up >> 4 * k & 0x0f0f0f0fu, 0x01010101u, seen[k].ups);
            }
        }
    }
};

#endif
