/* Multi-spin coding on the device: counting the antiparallel bonds and the spins up of every lane. What this
 * computes: measure_lattice() in reference/plain.c, for 32 replicas at once. */
#ifndef PAISING_CUDA_MSC_MEASURE_CUH
#define PAISING_CUDA_MSC_MEASURE_CUH

#include "msc_strip.cuh"

/* Adds masks lane by lane: returns what is left modulo 2, and writes the carries, COUNT / 2 masks that count twice. */
template <int COUNT>
static __device__ __forceinline__ uint32_t add_masks(const uint32_t (&mask)[COUNT],
                                                     uint32_t *carry) {
    uint32_t sum = mask[0];
#pragma unroll
    for (int n = 1; n + 1 < COUNT; n += 2) {
        carry[n / 2] = majority(sum, mask[n], mask[n + 1]);
        sum = xor3(sum, mask[n], mask[n + 1]);
    }
    if (COUNT % 2 == 0) {
        carry[COUNT / 2 - 1] = sum & mask[COUNT - 1];
        sum ^= mask[COUNT - 1];
    }
    return sum;
}

/* Bit-sliced counters: bit k of the count of every lane in slice[k]. */
template <int SLICES> struct lane_counter {
    uint32_t slice[SLICES];

    /* Adds other counters, of the same size or smaller. */
    template <int OTHERS> __device__ __forceinline__ void add(const lane_counter<OTHERS> &other) {
        uint32_t carry = 0;
#pragma unroll
        for (int k = 0; k < SLICES; k++) {
            const uint32_t a = slice[k], b = k < OTHERS ? other.slice[k] : 0;
            slice[k] = xor3(a, b, carry);
            carry = majority(a, b, carry);
        }
    }

    /* The count of a lane. */
    __device__ __forceinline__ uint32_t count(uint32_t lane) const {
        uint32_t n = 0;
#pragma unroll
        for (int k = 0; k < SLICES; k++)
            n |= (slice[k] >> lane & 1) << k;
        return n;
    }
};

/* What is counted: antiparallel bonds, and spins up. */
template <int SLICES> struct lattice_counters { lane_counter<SLICES> bonds, up; };

/* Of a strip: 32 bonds, as each has one end on the even sub-lattice, and 16 spins. */
typedef lattice_counters<6> strip_counters;

static __device__ __forceinline__ strip_counters count_strip(void *lattices, uint32_t size,
                                                             const strip_place &place) {
    const strip_distances d = lattice_distances(size);
    const strip_rows spins = spins_in(lattices, sub_lattice_of(d, 0), place);
    const strip_rows others = spins_in(lattices, sub_lattice_of(d, 1), place);
    const strip_neighbours n = neighbours_in(lattices, sub_lattice_of(d, 1), place);
    strip_counters c;
    {
        uint32_t ones[8], twos[20], fours[10], eights[5], sixteens[2];
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            const uint32_t above = i > 0 ? others.row[i - 1] : n.above;
            const uint32_t below = i < STRIP_ROWS - 1 ? others.row[i + 1] : n.below;
            const uint32_t spin = spins.row[i], here = others.row[i], side = n.side.row[i];
            /* Three bonds are (x ^ spin) + 2 (m ^ spin); with the fourth, here ^ spin, the ones cancel the spin. */
            const uint32_t x = xor3(above, below, side), m = majority(above, below, side);
            ones[i] = x ^ here;
            twos[2 * i] = m ^ spin;
            twos[2 * i + 1] = lop3<0x42>(x, here, spin); /* (x ^ spin) & (here ^ spin) */
        }
        c.bonds.slice[0] = add_masks(ones, twos + 2 * STRIP_ROWS);
        c.bonds.slice[1] = add_masks(twos, fours);
        c.bonds.slice[2] = add_masks(fours, eights);
        c.bonds.slice[3] = add_masks(eights, sixteens);
        c.bonds.slice[4] = add_masks(sixteens, &c.bonds.slice[5]);
    }
    {
        uint32_t ones[2 * STRIP_ROWS], twos[8], fours[4], eights[2];
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            ones[2 * i] = spins.row[i];
            ones[2 * i + 1] = others.row[i];
        }
        c.up.slice[0] = add_masks(ones, twos);
        c.up.slice[1] = add_masks(twos, fours);
        c.up.slice[2] = add_masks(fours, eights);
        c.up.slice[3] = add_masks(eights, &c.up.slice[4]);
        c.up.slice[5] = 0;
    }
    return c;
}

/* Counts of a lattice's lanes. */
struct lane_counts {
    uint32_t bonds[MACHINE_LANES], up[MACHINE_LANES];
};

/* Adds the counters of `width` neighbouring threads of the warp to the counts of their lattice. Threads of even number
 * finish the bonds, the others the spins. */
template <int SLICES>
static __device__ __forceinline__ void add_counters(const lattice_counters<SLICES> &c,
                                                    uint32_t width, lane_counts *counts) {
    const uint32_t member = threadIdx.x % width;
    const bool odd = member % 2;
    lane_counter<SLICES + 5> sum = {}; /* of 32 threads at most */
    lane_counter<SLICES> others;
#pragma unroll
    for (int k = 0; k < SLICES; k++) {
        sum.slice[k] = odd ? c.up.slice[k] : c.bonds.slice[k];
        others.slice[k] = __shfl_xor_sync(FULL_WARP, odd ? c.bonds.slice[k] : c.up.slice[k], 1);
    }
    sum.add(others);
#pragma unroll
    for (int stage = 1; stage < 5; stage++)
        if (1u << stage < width) {
            lane_counter<SLICES + 4> neighbours;
#pragma unroll
            for (int k = 0; k < SLICES + stage; k++)
                neighbours.slice[k] = __shfl_xor_sync(FULL_WARP, sum.slice[k], 1 << stage);
#pragma unroll
            for (int k = SLICES + stage; k < SLICES + 4; k++)
                neighbours.slice[k] = 0;
            sum.add(neighbours);
        }
    for (uint32_t lane = member / 2; lane < MACHINE_LANES; lane += width / 2)
        atomicAdd(odd ? &counts->up[lane] : &counts->bonds[lane], sum.count(lane));
}

#endif
