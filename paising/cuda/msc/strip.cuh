/* Multi-spin coding on the device: the lattice of a machine word (32 replicas) and its strips, for
 * all lattices.
 *
 * A thread updates a strip: eight words of each sub-lattice, the even one in the first half of the
 * memory, the odd one in the second. The neighbours of a site are all in the other sub-lattice. A
 * lattice defines its strips and where their words and neighbours are. It is a struct of static
 * functions (rows.cuh, cells.cuh), and a template parameter of the kernels. It has
 *
 *     classes                  of random decisions
 *     words                    of a row that tell the class, and one more: classes, or more where bonds may be missing
 *     any_groups               the last group may have any number of strips, not a power of two
 *     points_together          points that a thread throws at once (points.cuh)
 *     strip_bonds              of a strip, those with one end in its even sites
 *     most_kept                most strips of a thread that leave registers for their spins
 *     cut                      bonds may be missing
 *     complement               for the flips of DOWNHILL_COMPLEMENT, or of DOWNHILL_ALWAYS (flips.cuh)
 *     place, bonds             of a strip: where it and its neighbours are; its couplings, if any
 *     distances                of the parts of a lattice
 *     place_of, bonds_of       make those
 *     spins_in, store          a strip's words of a sub-lattice
 *     examine                  decisions that a strip's own spins need
 *     count                    what is measured
 *     word_of_site             the word of a site; sites are counted as in engine/streams.h */
#ifndef PAISING_CUDA_MSC_STRIP_CUH
#define PAISING_CUDA_MSC_STRIP_CUH

#include "cuda/device/lane_counters.cuh"

#include <stdint.h>
#include <type_traits>

#define STRIP_ROWS 8 /* words of a sub-lattice */

/* --- the lattice --- */

/* Distances in bytes: from the even to the odd sub-lattice, and between the parts of a sub-lattice.
 * Words of a part are adjacent in memory: on the square lattice the even or the odd rows of a row
 * of strips, on the cubic one word i of all cells. */
struct strip_distances {
    uint32_t odd_sites, part;
};

/* A lattice, as an argument of kernels. */
struct lattice_shape {
    uint32_t edge[3]; /* Lx, Ly, Lz */
    uint32_t quads;   /* of four words, in all */
    uint32_t strips;  /* in three dimensions the last one may have half of its words */
    uint32_t half_bytes, eighth_bytes; /* of the whole lattice */
    /* those that are the first stripe of a lattice (model_stripe); all: lanes are lattices */
    uint32_t first_lanes;
    /* of the strips, for lattices with couplings (couplings.h) */
    const uint32_t *couplings;
};

/* N, of which there are 4 quads, or less in two dimensions. */
static __host__ __device__ __forceinline__ uint32_t sites_of(const lattice_shape &shape) {
    return shape.edge[0] * shape.edge[1] * shape.edge[2];
}

/* --- lanes that are stripes of a lattice --- */

static __device__ __forceinline__ uint32_t stripes_of(const lattice_shape &shape) {
    return shape.first_lanes == 1 ? 32 : __ffs(shape.first_lanes - 1) - 1;
}

/* Each lane gets the bit of the stripe before its own, or of the next one, of the same lattice. */
static __device__ __forceinline__ uint32_t from_stripe_before(uint32_t word, uint32_t stripes,
                                                              uint32_t first_lanes) {
    return select(first_lanes, word >> (stripes - 1), word << 1);
}
static __device__ __forceinline__ uint32_t from_stripe_behind(uint32_t word, uint32_t stripes,
                                                              uint32_t first_lanes) {
    return select(first_lanes << (stripes - 1), word << (stripes - 1), word >> 1);
}

/* Hides the origin of a number from the compiler, which then keeps it in a register and does not
 * compute it again. */
static __device__ __forceinline__ uint32_t kept(uint32_t x) {
    asm volatile("" : "+r"(x));
    return x;
}

#define NO_STRIP UINT32_MAX

/* Returns the generic address of the first byte of shared memory. An offset added to it is an
 * address, and a load adds a further constant for free. */
static __device__ __forceinline__ void *shared_window() {
    uint32_t first;
    asm("mov.u32 %0, 0;" : "=r"(first)); /* nvcc 13.0 mishandles a constant here */
    return __cvta_shared_to_generic(first);
}
static __device__ __forceinline__ uint32_t place_in_window(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Return the quad, or the word, at an offset in bytes. */
static __device__ __forceinline__ uint4 *quad_at(void *place, uint32_t bytes) {
    return (uint4 *)((char *)place + bytes);
}
static __device__ __forceinline__ uint32_t *word_at(void *place, uint32_t bytes) {
    return (uint32_t *)((char *)place + bytes);
}

/* The eight words of a sub-lattice. */
struct strip_rows {
    uint32_t row[STRIP_ROWS];
};

static __device__ __forceinline__ uint4 even_rows(const uint32_t row[STRIP_ROWS]) {
    return make_uint4(row[0], row[2], row[4], row[6]);
}
static __device__ __forceinline__ uint4 odd_rows(const uint32_t row[STRIP_ROWS]) {
    return make_uint4(row[1], row[3], row[5], row[7]);
}
static __device__ __forceinline__ strip_rows rows_of(uint4 even, uint4 odd) {
    return strip_rows{{even.x, odd.x, even.y, odd.y, even.z, odd.z, even.w, odd.w}};
}

/* A sub-lattice: its parity, and the offsets in bytes of its parts. */
struct sub_lattice {
    uint32_t parity, begin, distance;

    __device__ __forceinline__ uint32_t part(uint32_t i) const {
        return begin + i * distance;
    }
};

static __device__ __forceinline__ sub_lattice sub_lattice_of(strip_distances d, uint32_t parity) {
    return sub_lattice{parity, parity ? d.odd_sites : 0, d.part};
}

/* --- couplings --- */

/* For a lattice without couplings: all are +1. */
struct no_bonds {};

/* Returns the bond of a site in a direction, the same for all lanes: all ones where J = -1. Bit 7 -
 * g of byte `site` is that of direction g. */
static __device__ __forceinline__ uint32_t bond_mask(uint32_t bonds, uint32_t direction,
                                                     uint32_t site) {
    uint32_t mask;
    asm("prmt.b32 %0, %1, 0, %2;" /* each byte the sign of byte `site` */
        : "=r"(mask)
        : "r"(bonds << direction), "r"(0x8888 | 0x1111 * site));
    return mask;
}

/* --- decisions --- */

/* A strip's spins of the sub-lattice that is updated, and of the other one. */
struct strip_spins {
    strip_rows own, other;
};

/* Decisions of a strip's rows. anyway[i]: lanes that flip without a random decision. of[0][i],
 * of[1][i]: other lanes with d = 1, and d = 2 if that is a class. accept[i]: the random decisions.
 * With the complement, falls[i]: lanes whose flip lowers the energy, d > z / 2; anyway[i]: d = z / 2; and z - d counts
 * where it is less than d. Where bonds may be missing, the last of of[] is the sites with an odd number of bonds, at which d = 0 to
 * z - 1 (model_counted_at_lowest): with the complement their falls are d >= z / 2, and z - 1 - d counts where it is less. */
template <int CLASSES> struct strip_flips {
    uint32_t anyway[STRIP_ROWS], of[CLASSES - 1][STRIP_ROWS], accept[STRIP_ROWS], falls[STRIP_ROWS];
};

#endif
