/* Multi-spin coding on the device: the bit planes of the mode `independent` (engine/bernoulli.h, in the order of
 * engine/streams.h).
 *
 * A plane is one three-input operation a word, and which one it is depends on the bits of the two thresholds:
 * the same for all threads, but another one for each plane and temperature. So the planes are made two at a time
 * by a branch to one of 16 pieces of code without branches. In C that branch would be a tree of comparisons;
 * brx.idx jumps by a table. */
#ifndef PAISING_CUDA_MSC_PLANES_CUH
#define PAISING_CUDA_MSC_PLANES_CUH

#include "engine/bernoulli.h"
#include "msc_strip.cuh"

#define MOST_BRANCHES 24

/* The branches of all planes in turn: for two planes of bits a and b (2 t_0 + t_1 each) 4 a + b, for a plane
 * that comes alone 16 + a, for none 20. There is one at least. */
struct plane_branches {
    uint32_t count;
    uint8_t branch[MOST_BRANCHES];
};

static inline plane_branches branches_of(const bernoulli_table *table) {
    plane_branches p = {};
    if (table->planes % 2)
        p.branch[p.count++] = (uint8_t)(16 + bernoulli_plane(table, 0));
    for (uint32_t k = table->planes % 2; k < table->planes; k += 2)
        p.branch[p.count++] =
            (uint8_t)(4 * bernoulli_plane(table, k) + bernoulli_plane(table, k + 1));
    if (p.count == 0)
        p.branch[p.count++] = 20;
    return p;
}

/* What a plane with the random word r makes of a row's decision a, where p is the parity of the lanes. */
#define PLANE_0(a, p, r) "and.b32 " a "," a "," r ";"
#define PLANE_1(a, p, r) "lop3.b32 " a "," r "," a "," p ", 0xe8;" /* majority */
#define PLANE_2(a, p, r) "lop3.b32 " a "," r "," a "," p ", 0xd4;" /* majority of r, a and not p */
#define PLANE_3(a, p, r) "or.b32 " a "," a "," r ";"

/* mwc_next, but with the product and the sum apart: where there is little beside, this way is faster. */
#define DRAW(x)                                                                                    \
    "mul.wide.u32 product, " x ", %20; mov.b64 {low, high}, product;"                              \
    "add.cc.u32 " x ", low, carry; addc.u32 carry, high, 0;"

/* Two planes of a row; one plane of two rows. The random words are x_{n-2} and x_{n-1} in turn. */
#define ROW(A, B, a, p) DRAW("even") PLANE_##A(a, p, "even") DRAW("odd") PLANE_##B(a, p, "odd")
#define ROWS(A, a0, p0, a1, p1)                                                                    \
    DRAW("even") PLANE_##A(a0, p0, "even") DRAW("odd") PLANE_##A(a1, p1, "odd")

#define TWO_PLANES(A, B)                                                                           \
    "two_" #A #B ":" ROW(A, B, "%0", "%11") ROW(A, B, "%1", "%12") ROW(A, B, "%2", "%13")          \
        ROW(A, B, "%3", "%14") ROW(A, B, "%4", "%15") ROW(A, B, "%5", "%16")                       \
            ROW(A, B, "%6", "%17") ROW(A, B, "%7", "%18") "bra.uni done;"
#define ONE_PLANE(A)                                                                               \
    "one_" #A ":" ROWS(A, "%0", "%11", "%1", "%12") ROWS(A, "%2", "%13", "%3", "%14")              \
        ROWS(A, "%4", "%15", "%5", "%16") ROWS(A, "%6", "%17", "%7", "%18") "bra.uni done;"

#define TWO_PLANES_AND(A) TWO_PLANES(A, 0) TWO_PLANES(A, 1) TWO_PLANES(A, 2) TWO_PLANES(A, 3)

static __device__ __forceinline__ void make_planes(uint32_t branch, mwc_state &m, strip_flips &f) {
    asm volatile(
        "{ .reg .u32 even, odd, carry, low, high; .reg .u64 product;"
        "mov.b32 even, %8; mov.b32 odd, %9; mov.b32 carry, %10;"
        "branches: .branchtargets two_00, two_01, two_02, two_03, two_10, two_11, two_12, two_13,"
        "two_20, two_21, two_22, two_23, two_30, two_31, two_32, two_33, one_0, one_1, one_2, "
        "one_3, done;"
        "brx.idx.uni %19, branches;" TWO_PLANES_AND(0) TWO_PLANES_AND(1) TWO_PLANES_AND(2)
            TWO_PLANES_AND(3) ONE_PLANE(0) ONE_PLANE(1) ONE_PLANE(2)
                ONE_PLANE(3) "done: mov.b32 %8, even; mov.b32 %9, odd; mov.b32 %10, carry; }"
        : "+r"(f.accept[0]), "+r"(f.accept[1]), "+r"(f.accept[2]), "+r"(f.accept[3]),
          "+r"(f.accept[4]), "+r"(f.accept[5]), "+r"(f.accept[6]), "+r"(f.accept[7]), "+r"(m.x2),
          "+r"(m.x1), "+r"(m.c)
        : "r"(f.parity[0]), "r"(f.parity[1]), "r"(f.parity[2]), "r"(f.parity[3]), "r"(f.parity[4]),
          "r"(f.parity[5]), "r"(f.parity[6]), "r"(f.parity[7]), "r"(branch), "n"(MWC_MULTIPLIER));
}

/* All planes of a strip. */
static __device__ __forceinline__ void decide_by_planes(const plane_branches &planes, mwc_state &m,
                                                        strip_flips &f) {
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.accept[i] = 0;
    uint32_t n = 0;
    do
        make_planes(planes.branch[n++], m, f);
    while (n < planes.count);
}

#endif
