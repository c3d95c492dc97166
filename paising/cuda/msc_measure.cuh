/* Multi-spin coding on the device: counting the antiparallel bonds and the spins up of every lane. What this
 * computes: measure_lattice() in reference/plain.c, for 32 replicas at once. */
#ifndef PAISING_CUDA_MSC_MEASURE_CUH
#define PAISING_CUDA_MSC_MEASURE_CUH

#include "msc_strip.cuh"

/* Bit-sliced counters: bit k of the count of every lane in slice[k]. */
template <int SLICES> struct lane_counter {
    uint32_t slice[SLICES];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int k = 0; k < SLICES; k++)
            slice[k] = 0;
    }

    /* Adds a mask to the slices from FIRST on. */
    template <int FIRST> __device__ __forceinline__ void ripple(uint32_t carry) {
#pragma unroll
        for (int k = FIRST; k < SLICES; k++) {
            const uint32_t next = slice[k] & carry;
            slice[k] ^= carry;
            carry = next;
        }
    }

    /* a + b + slice[K] = slice[K] + 2 carry. */
    template <int K> __device__ __forceinline__ uint32_t full_adder(uint32_t a, uint32_t b) {
        const uint32_t carry = majority(slice[K], a, b);
        slice[K] = xor3(slice[K], a, b);
        return carry;
    }

    __device__ __forceinline__ void add_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        const uint32_t two_a = full_adder<0>(a, b), two_b = full_adder<0>(c, d);
        ripple<2>(full_adder<1>(two_a, two_b));
    }

    /* Adds the counters of `width` neighbouring threads of the warp. */
    __device__ __forceinline__ void add_neighbours(int width) {
        for (int distance = 1; distance < width; distance *= 2) {
            uint32_t carry = 0;
#pragma unroll
            for (int k = 0; k < SLICES; k++) {
                const uint32_t a = slice[k], b = __shfl_xor_sync(FULL_WARP, a, distance);
                slice[k] = xor3(a, b, carry);
                carry = majority(a, b, carry);
            }
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

/* Adds a strip's antiparallel bonds and its spins up to the counters of its lanes. */
template <int SLICES>
static __device__ __forceinline__ void
measure_strip(void *lattices, uint32_t size, const strip_place &place, lane_counter<SLICES> &bonds,
              lane_counter<SLICES> &up) {
    const strip_distances d = lattice_distances(size);
    const strip_rows spins =
        strip_of(*even_quad(lattices, d, 0, place), *odd_quad(lattices, d, 0, place));
    const strip_neighbours n = neighbours_of(lattices, d, 0, place);
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        const uint32_t above = i > 0 ? n.here.row[i - 1] : n.above;
        const uint32_t below = i < STRIP_ROWS - 1 ? n.here.row[i + 1] : n.below;
        const uint32_t spin = spins.row[i];
        /* Every bond has one end on the even sub-lattice. */
        bonds.add_4(spin ^ above, spin ^ n.here.row[i], spin ^ below, spin ^ n.side.row[i]);
        if (i % 2)
            up.add_4(spins.row[i - 1], n.here.row[i - 1], spin, n.here.row[i]);
    }
}

#endif
