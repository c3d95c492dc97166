/* Multi-spin coding on the device: the lattice of a machine word (32 replicas) and its strips, whatever the lattice.
 *
 * A thread serves a strip: eight words of each sub-lattice, the even one in the first half of the memory, the odd one in
 * the second. The neighbours of a site are all in the other sub-lattice. What a strip is and where its words and their
 * neighbours are, a lattice says: a struct of static functions (msc_rows.cuh, msc_cells.cuh), by which the kernels are
 * templates. It has
 *
 *     classes                  of random decisions
 *     any_groups               the last group of strips may be of any number, not a power of two
 *     strip_bonds              of a strip, those with one end in its even sites
 *     most_kept                strips of a thread at most that leave registers for their spins
 *     place, bonds             of a strip: where it and its neighbours are; its couplings, if there are any
 *     distances                of the parts of a lattice
 *     place_of, bonds_of       make those
 *     spins_in, store          a strip's words of a sub-lattice
 *     examine                  what is to be known of a strip's own spins
 *     count                    what is measured
 *     word_of_site             where the word of a site stands, the sites counted as in streams.h */
#ifndef PAISING_CUDA_MSC_STRIP_CUH
#define PAISING_CUDA_MSC_STRIP_CUH

#include <stdint.h>
#include <type_traits>

#define STRIP_ROWS 8 /* words of a sub-lattice */
#define FULL_WARP  0xffffffffu

/* --- three-input logic, one instruction each, whatever the compiler makes of C --- */

template <int TABLE>
static __device__ __forceinline__ uint32_t lop3(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return d;
}

static __device__ __forceinline__ uint32_t xor3(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0x96>(a, b, c);
}
static __device__ __forceinline__ uint32_t majority(uint32_t a, uint32_t b, uint32_t c) {
    return lop3<0xe8>(a, b, c);
}
static __device__ __forceinline__ uint32_t select(uint32_t mask, uint32_t a, uint32_t b) {
    return lop3<0xca>(mask, a, b); /* mask ? a : b */
}

/* --- the lattice --- */

/* A part of a sub-lattice is what stands together in memory: on the square lattice the even and the odd rows of a row of
 * strips, on the cubic one word i of all cells. Bytes from the even to the odd sub-lattice, and from a strip's words in one
 * part to those in the next. */
struct strip_distances {
    uint32_t odd_sites, part;
};

/* What kernels are told of a lattice. */
struct lattice_shape {
    uint32_t edge[3];                  /* Lx, Ly, Lz */
    uint32_t quads;                    /* of four words, in all */
    uint32_t strips;                   /* the last may have half of its words */
    uint32_t half_bytes, eighth_bytes; /* of it all, for distances */
    const uint32_t *couplings; /* of the strips, for lattices with couplings (msc_couplings.h) */
};

/* Hides where a number comes from, so that it is kept in a register and not made anew wherever it is used. */
static __device__ __forceinline__ uint32_t kept(uint32_t x) {
    asm volatile("" : "+r"(x));
    return x;
}

#define NO_STRIP UINT32_MAX

/* The generic address of shared memory's first byte: a place in bytes added to it is an address, and a constant behind that
 * costs a load nothing. */
static __device__ __forceinline__ void *shared_window() {
    uint32_t first;
    asm("mov.u32 %0, 0;" : "=r"(first)); /* nvcc 13.0 loses its way with a constant here */
    return __cvta_shared_to_generic(first);
}
static __device__ __forceinline__ uint32_t place_in_window(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* A quad, or a word, so many bytes from a place. */
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

/* A sub-lattice: its parity, and in bytes from the first lattice where its parts begin. */
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

/* Of a lattice without: all are +1. */
struct no_bonds {};

/* The bond of a site in a direction, the same for all lanes: all ones where J = -1. Byte `site` of a register has the
 * bit of direction g in its bit 7 - g. */
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

/* What must be known of a strip's spins: anyway[i], where a spin flips whatever is decided; the class of the other
 * lanes, their number d of unsatisfied bonds: of[0][i] where it is 1, of[1][i] where it is 2, if that is a class; and
 * accept[i], the decision wanted for these. */
template <int CLASSES> struct strip_flips {
    uint32_t anyway[STRIP_ROWS], of[CLASSES - 1][STRIP_ROWS], accept[STRIP_ROWS];
};

#endif
