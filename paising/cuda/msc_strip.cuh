/* Multi-spin coding on the device: the lattice of a machine word (32 replicas), and its strips.
 *
 * A thread serves a strip: eight rows of one column of both sub-lattices. Column j of row y of a sub-lattice
 * is the site x = 2 j + ((y + sub-lattice) mod 2). All four neighbours of a site are in the other sub-lattice:
 * column j of the rows y - 1, y and y + 1, and in row y column j - 1 if x is even, j + 1 if it is odd. So the
 * even rows of a strip have their fourth neighbours in one column, its odd rows in another, and the lattice
 * lies in memory by quads of rows, 16 bytes each: [sub-lattice][strip row][even, odd rows][column]. */
#ifndef PAISING_CUDA_MSC_STRIP_CUH
#define PAISING_CUDA_MSC_STRIP_CUH

#include <stdint.h>

#define STRIP_ROWS 8
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

/* Where the word of a site stands, the sites counted as in streams.h. */
static __device__ __forceinline__ uint32_t word_of_site(uint32_t size, uint32_t site) {
    const uint32_t columns = size / 2, row = site / columns, column = site % columns;
    return ((row / STRIP_ROWS * 2 + row % 2) * columns + column) * 4 + row % STRIP_ROWS / 2;
}

/* Hides where a number comes from, so that it is kept in a register and not made anew wherever it is used. */
static __device__ __forceinline__ uint32_t kept(uint32_t x) {
    asm volatile("" : "+r"(x));
    return x;
}

/* A strip, or none; in bytes from the first lattice of the memory its quad of even rows, those at its sides, and the
 * rows above and below it, all in the even sub-lattice. */
struct strip_place {
    uint32_t strip;       /* its number, or NO_STRIP */
    uint32_t row, column; /* of strips */
    uint32_t at, above, below, left, right;
};

#define NO_STRIP UINT32_MAX

/* A strip in a row of strips, so many bytes from the first lattice; what is above its first row and below its last is
 * for a strip between others. */
static __device__ __forceinline__ strip_place place_in_row(uint32_t strip, uint32_t row,
                                                           uint32_t column, uint32_t columns) {
    const uint32_t quad = sizeof(uint4), word = sizeof(uint32_t);
    strip_place s;
    s.strip = strip;
    s.column = column;
    s.at = kept(row + column * quad);
    s.above = row - (columns - column) * quad + 3 * word; /* last row of the odd rows above */
    s.below = row + 2 * columns * quad + column * quad;
    s.left = kept(row + (column ? column - 1 : columns - 1) * quad);
    s.right = kept(row + (column + 1 < columns ? column + 1 : 0) * quad);
    return s;
}

/* In a lattice that begins so many bytes from the first, with its first row below its last. */
static __device__ __forceinline__ strip_place place_strip(uint32_t size, uint32_t number,
                                                          uint32_t lattice) {
    const uint32_t strip =
        number < size * size / 16 ? number : 0; /* a place for what is done in vain */
    const uint32_t columns = size / 2, rows = size / STRIP_ROWS, row = strip / columns;
    const uint32_t row_bytes = 2 * columns * sizeof(uint4);
    strip_place s = place_in_row(number == strip ? strip : NO_STRIP, lattice + row * row_bytes,
                                 strip % columns, columns);
    s.row = row;
    s.above = kept(s.above + (row ? 0 : rows * row_bytes));
    s.below = kept(s.below - (row + 1 < rows ? 0 : rows * row_bytes));
    return s;
}

/* Shared memory from its first address on: there a place in bytes is an address, and a load adds a number that all
 * threads have to it by itself. */
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

/* The eight rows of a column. */
struct strip_rows {
    uint32_t row[STRIP_ROWS];
};

static __device__ __forceinline__ strip_rows strip_of(uint4 even, uint4 odd) {
    return strip_rows{{even.x, odd.x, even.y, odd.y, even.z, odd.z, even.w, odd.w}};
}
static __device__ __forceinline__ uint4 even_rows(const uint32_t row[STRIP_ROWS]) {
    return make_uint4(row[0], row[2], row[4], row[6]);
}
static __device__ __forceinline__ uint4 odd_rows(const uint32_t row[STRIP_ROWS]) {
    return make_uint4(row[1], row[3], row[5], row[7]);
}

/* Bytes from the even to the odd sub-lattice, and from a strip's even to its odd rows. */
struct strip_distances {
    uint32_t odd_sites, odd_rows;
};

static __device__ __forceinline__ strip_distances lattice_distances(uint32_t size) {
    return strip_distances{size * size / 8 * (uint32_t)sizeof(uint4),
                           size / 2 * (uint32_t)sizeof(uint4)};
}

/* A sub-lattice: its parity, and in bytes from the first lattice where its even and its odd rows begin. */
struct sub_lattice {
    uint32_t parity, even, odd;
};

static __device__ __forceinline__ sub_lattice sub_lattice_of(strip_distances d, uint32_t parity) {
    const uint32_t even = parity ? d.odd_sites : 0;
    return sub_lattice{parity, even, even + d.odd_rows};
}

static __device__ __forceinline__ strip_rows spins_in(void *lattices, const sub_lattice &own,
                                                      const strip_place &s) {
    return strip_of(*quad_at(lattices, s.at + own.even), *quad_at(lattices, s.at + own.odd));
}

/* The neighbours of a strip's sites of one sub-lattice, in the other, that are not in the strip: those above and below it,
 * those beside. */
struct strip_neighbours {
    uint32_t above, below;
    strip_rows side;
};

static __device__ __forceinline__ strip_neighbours neighbours_in(void *lattices,
                                                                 const sub_lattice &other,
                                                                 const strip_place &s) {
    const uint32_t even_side = other.parity ? s.left : s.right,
                   odd_side = other.parity ? s.right : s.left;
    strip_neighbours n;
    n.above = *word_at(lattices, s.above + other.even);
    n.below = *word_at(lattices, s.below + other.even);
    n.side = strip_of(*quad_at(lattices, even_side + other.even),
                      *quad_at(lattices, odd_side + other.odd));
    return n;
}

/* --- decisions --- */

/* What must be known of a strip's spins: anyway[i], where a spin has two antiparallel neighbours or more and flips
 * whatever is decided; parity[i], the parity of their number d, which is the class of the other lanes; and
 * accept[i], the decision wanted for these. */
struct strip_flips {
    uint32_t anyway[STRIP_ROWS], parity[STRIP_ROWS], accept[STRIP_ROWS];
};

#endif
