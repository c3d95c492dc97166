/* Multi-spin coding on the device: bit planes of the mode `independent` (engine/bernoulli.h, in the
 * order of engine/streams.h).
 *
 * A plane is one three-input operation a word. The bits of the two thresholds select the operation:
 * it is the same for all threads, but changes with plane and temperature. So two planes at a time
 * are made by a branch to one of 16 pieces of straight code, or 64 for three classes. Further
 * pieces make a single plane, or none. brx.idx branches with a table; C would make a tree of
 * comparisons. */
#ifndef PAISING_CUDA_MSC_PLANES_CUH
#define PAISING_CUDA_MSC_PLANES_CUH

#include "cuda/msc/strip.cuh"
#include "engine/bernoulli.h"

#define MOST_BRANCHES 24 /* 23 for 45 planes, bernoulli.c */

/* The branches for all planes, at least one. There are n = 4 kinds of planes by their bits
 * (bernoulli_plane), or n = 8 for three classes. Branch n a + b makes planes a and b, n n + a a
 * single plane a, n n + n none. */
struct plane_branches {
    uint32_t count;
    uint8_t branch[MOST_BRANCHES];
};

static inline plane_branches branches_of(const bernoulli_table *table, uint32_t classes) {
    const uint32_t kinds = 1u << classes;
    plane_branches p = {};
    if (table->planes % 2)
        p.branch[p.count++] = (uint8_t)(kinds * kinds + bernoulli_plane(table, 0));
    for (uint32_t k = table->planes % 2; k < table->planes; k += 2)
        p.branch[p.count++] =
            (uint8_t)(kinds * bernoulli_plane(table, k) + bernoulli_plane(table, k + 1));
    if (p.count == 0)
        p.branch[p.count++] = (uint8_t)(kinds * kinds + kinds);
    return p;
}

/* New decision a of a row after a plane with random word r; p is the parity of the lanes. */
#define PLANE_0(a, p, r) "and.b32 " a "," a "," r ";"
#define PLANE_1(a, p, r) "lop3.b32 " a "," r "," a "," p ", 0xe8;" /* majority */
#define PLANE_2(a, p, r) "lop3.b32 " a "," r "," a "," p ", 0xd4;" /* majority of r, a and not p */
#define PLANE_3(a, p, r) "or.b32 " a "," a "," r ";"

/* The same as mwc_next with multiplier A, with product and sum as separate instructions. That is
 * faster where there is little other work. */
#define DRAW(x, A)                                                                                 \
    "mul.wide.u32 product, " x ", " A "; mov.b64 {low, high}, product;"                            \
    "add.cc.u32 " x ", low, carry; addc.u32 carry, high, 0;"

/* Copies the generator's state to registers of its own; and back. */
#define TAKE_STATE                                                                                 \
    "{ .reg .u32 even, odd, carry, low, high; .reg .u64 product;"                                  \
    "mov.b32 even, %8; mov.b32 odd, %9; mov.b32 carry, %10;"
#define GIVE_STATE "done: mov.b32 %8, even; mov.b32 %9, odd; mov.b32 %10, carry; }"

/* Two planes of a row; one plane of two rows. `even` and `odd` hold x_{n-2} and x_{n-1}. A new
 * number replaces the older one, so that nothing is moved; after two numbers their order is the
 * same as before.
 *
 * Operands: %0 to %7 accept, %8 to %10 the state, %11 to %18 class 1 of the rows, with three
 * classes %19 to %26 class 2, then the branch and the multiplier. */
#define ROW(A, B, a, p)                                                                            \
    DRAW("even", "%20") PLANE_##A(a, p, "even") DRAW("odd", "%20") PLANE_##B(a, p, "odd")
#define ROWS(A, a0, p0, a1, p1)                                                                    \
    DRAW("even", "%20") PLANE_##A(a0, p0, "even") DRAW("odd", "%20") PLANE_##A(a1, p1, "odd")

#define TWO_PLANES(A, B)                                                                           \
    "two_" #A #B ":" ROW(A, B, "%0", "%11") ROW(A, B, "%1", "%12") ROW(A, B, "%2", "%13")          \
        ROW(A, B, "%3", "%14") ROW(A, B, "%4", "%15") ROW(A, B, "%5", "%16")                       \
            ROW(A, B, "%6", "%17") ROW(A, B, "%7", "%18") "bra.uni done;"
#define ONE_PLANE(A)                                                                               \
    "one_" #A ":" ROWS(A, "%0", "%11", "%1", "%12") ROWS(A, "%2", "%13", "%3", "%14")              \
        ROWS(A, "%4", "%15", "%5", "%16") ROWS(A, "%6", "%17", "%7", "%18") "bra.uni done;"

#define TWO_PLANES_AND(A) TWO_PLANES(A, 0) TWO_PLANES(A, 1) TWO_PLANES(A, 2) TWO_PLANES(A, 3)

#define PLANES                                                                                     \
    "branches: .branchtargets two_00, two_01, two_02, two_03, two_10, two_11, two_12, two_13,"     \
    "two_20, two_21, two_22, two_23, two_30, two_31, two_32, two_33, one_0, one_1, one_2, one_3,"  \
    "done; brx.idx.uni %19, branches;" TWO_PLANES_AND(0) TWO_PLANES_AND(1) TWO_PLANES_AND(2)       \
        TWO_PLANES_AND(3) ONE_PLANE(0) ONE_PLANE(1) ONE_PLANE(2) ONE_PLANE(3)

static __device__ __forceinline__ void make_planes(uint32_t branch, mwc_state &m,
                                                   strip_flips<2> &f) {
    asm volatile(TAKE_STATE PLANES GIVE_STATE
                 : "+r"(f.accept[0]), "+r"(f.accept[1]), "+r"(f.accept[2]), "+r"(f.accept[3]),
                   "+r"(f.accept[4]), "+r"(f.accept[5]), "+r"(f.accept[6]), "+r"(f.accept[7]),
                   "+r"(m.x2), "+r"(m.x1), "+r"(m.c)
                 : "r"(f.of[0][0]), "r"(f.of[0][1]), "r"(f.of[0][2]), "r"(f.of[0][3]),
                   "r"(f.of[0][4]), "r"(f.of[0][5]), "r"(f.of[0][6]), "r"(f.of[0][7]), "r"(branch),
                   "n"(MWC_MULTIPLIER));
}

/* The same for three classes: a plane of bits t_0 t_1 t_2; p and q are the lanes of class 1 and of
 * class 2. */
#define PLANE_000(a, p, q, r) "and.b32 " a "," a "," r ";"
#define PLANE_001(a, p, q, r) PLANE_1(a, q, r)
#define PLANE_010(a, p, q, r) PLANE_1(a, p, r)
#define PLANE_011(a, p, q, r) "or.b32 low," p "," q ";" PLANE_1(a, "low", r)
#define PLANE_100(a, p, q, r) "or.b32 low," p "," q ";" PLANE_2(a, "low", r)
#define PLANE_101(a, p, q, r) PLANE_2(a, p, r)
#define PLANE_110(a, p, q, r) PLANE_2(a, q, r)
#define PLANE_111(a, p, q, r) "or.b32 " a "," a "," r ";"

#define ROW_3(A, B, a, p, q)                                                                       \
    DRAW("even", "%28") PLANE_##A(a, p, q, "even") DRAW("odd", "%28") PLANE_##B(a, p, q, "odd")
#define ROWS_3(A, a0, p0, q0, a1, p1, q1)                                                          \
    DRAW("even", "%28")                                                                            \
    PLANE_##A(a0, p0, q0, "even") DRAW("odd", "%28") PLANE_##A(a1, p1, q1, "odd")

#define TWO_PLANES_3(A, B)                                                                         \
    "two_" #A "_" #B ":" ROW_3(A, B, "%0", "%11", "%19") ROW_3(A, B, "%1", "%12", "%20")           \
        ROW_3(A, B, "%2", "%13", "%21") ROW_3(A, B, "%3", "%14", "%22")                            \
            ROW_3(A, B, "%4", "%15", "%23") ROW_3(A, B, "%5", "%16", "%24")                        \
                ROW_3(A, B, "%6", "%17", "%25") ROW_3(A, B, "%7", "%18", "%26") "bra.uni done;"
#define ONE_PLANE_3(A)                                                                             \
    "one_" #A ":" ROWS_3(A, "%0", "%11", "%19", "%1", "%12", "%20")                                \
        ROWS_3(A, "%2", "%13", "%21", "%3", "%14", "%22")                                          \
            ROWS_3(A, "%4", "%15", "%23", "%5", "%16", "%24")                                      \
                ROWS_3(A, "%6", "%17", "%25", "%7", "%18", "%26") "bra.uni done;"

/* Expands for each of the eight kinds of a plane in the order of their bits; and for pairs of
 * planes that begin with A. */
#define EACH_KIND(MAKE)                                                                            \
    MAKE(000) MAKE(010) MAKE(100) MAKE(110) MAKE(001) MAKE(011) MAKE(101) MAKE(111)
#define EACH_SECOND(MAKE, A)                                                                       \
    MAKE(A, 000)                                                                                   \
    MAKE(A, 010) MAKE(A, 100) MAKE(A, 110) MAKE(A, 001) MAKE(A, 011) MAKE(A, 101) MAKE(A, 111)
#define TO_TWO(A, B)        "two_" #A "_" #B ","
#define TO_ONE(A)           "one_" #A ","
#define TO_TWO_AND(A)       EACH_SECOND(TO_TWO, A)
#define TWO_PLANES_3_AND(A) EACH_SECOND(TWO_PLANES_3, A)

#define PLANES_3                                                                                   \
    "branches: .branchtargets " EACH_KIND(TO_TWO_AND)                                              \
        EACH_KIND(TO_ONE) "done; brx.idx.uni %27, branches;" EACH_KIND(TWO_PLANES_3_AND)           \
            EACH_KIND(ONE_PLANE_3)

static __device__ __forceinline__ void make_planes(uint32_t branch, mwc_state &m,
                                                   strip_flips<3> &f) {
    asm volatile(TAKE_STATE PLANES_3 GIVE_STATE
                 : "+r"(f.accept[0]), "+r"(f.accept[1]), "+r"(f.accept[2]), "+r"(f.accept[3]),
                   "+r"(f.accept[4]), "+r"(f.accept[5]), "+r"(f.accept[6]), "+r"(f.accept[7]),
                   "+r"(m.x2), "+r"(m.x1), "+r"(m.c)
                 : "r"(f.of[0][0]), "r"(f.of[0][1]), "r"(f.of[0][2]), "r"(f.of[0][3]),
                   "r"(f.of[0][4]), "r"(f.of[0][5]), "r"(f.of[0][6]), "r"(f.of[0][7]),
                   "r"(f.of[1][0]), "r"(f.of[1][1]), "r"(f.of[1][2]), "r"(f.of[1][3]),
                   "r"(f.of[1][4]), "r"(f.of[1][5]), "r"(f.of[1][6]), "r"(f.of[1][7]), "r"(branch),
                   "n"(MWC_MULTIPLIER));
}

/* Makes all planes of a strip. */
template <int CLASSES>
static __device__ __forceinline__ void decide_by_planes(const plane_branches &planes, mwc_state &m,
                                                        strip_flips<CLASSES> &f) {
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.accept[i] = 0;
    uint32_t n = 0;
    do
        make_planes(planes.branch[n++], m, f);
    while (n < planes.count);
}

/* --- where bonds may be missing --- */

#define MOST_SITE_PLANES 47 /* more than bernoulli.c makes */

/* What decides flips there. bits[]: those of a plane, 0 to 2 for the classes of a site with an even number of bonds, 3 to 5 for one
 * with an odd number. thin[], digit[]: of the latter, by class, the probability that a point counts, and its first digit. */
struct site_rule {
    double thin[MODEL_MAX_GAPS];
    uint32_t digit[MODEL_MAX_GAPS];
    uint8_t planes, bits[MOST_SITE_PLANES];
};

static inline site_rule site_rule_of(const bernoulli_table *table, const bernoulli_classes *odd) {
    site_rule r = {};
    r.planes = (uint8_t)table->planes;
    for (uint32_t k = 0; k < table->planes; k++)
        r.bits[k] = (uint8_t)(bernoulli_plane(table, k) | bernoulli_odd_plane(odd, k) << 3);
    for (uint32_t c = 0; c < MODEL_MAX_GAPS; c++) {
        r.thin[c] = odd->thin[c];
        r.digit[c] = bernoulli_digit(odd->thin[c]);
    }
    return r;
}

/* Returns all ones if a bit is set. */
static __device__ __forceinline__ uint32_t ones_if(uint32_t bits, uint32_t bit) {
    return 0 - (bits >> bit & 1);
}

/* What makes the bit of a lane's class in a plane: that of class 0, and by what those of the others differ from it; each for the
 * one kind of sites, and by what the other kind differs. */
template <int CLASSES> struct class_bits {
    uint32_t none, one, two, odd_none, odd_one, odd_two;

    __device__ __forceinline__ class_bits(uint32_t bits) {
        const uint32_t odd = bits >> 3; /* class 0 has bit 1, class 1 bit 0, class 2 bit 2 */
        none = ones_if(bits, 1);
        one = none ^ ones_if(bits, 0);
        two = none ^ ones_if(bits, 2);
        odd_none = none ^ ones_if(odd, 1);
        odd_one = one ^ ones_if(odd, 1) ^ ones_if(odd, 0);
        odd_two = two ^ ones_if(odd, 1) ^ ones_if(odd, 2);
    }

    /* Returns it for row i. lop3<0x78>: a ^ (b & c). */
    __device__ __forceinline__ uint32_t of(const strip_flips<CLASSES + 1> &f, int i) const {
        const uint32_t is_odd = f.of[CLASSES - 1][i];
        uint32_t bit = lop3<0x78>(none, is_odd, odd_none);
        bit = lop3<0x78>(bit, f.of[0][i], lop3<0x78>(one, is_odd, odd_one));
        if (CLASSES == 3)
            bit = lop3<0x78>(bit, f.of[1][i], lop3<0x78>(two, is_odd, odd_two));
        return bit;
    }
};

/* Makes all planes of a strip. The last of f.of[] is whether the number of bonds is odd. */
template <int CLASSES>
static __device__ __forceinline__ void decide_at_sites(const site_rule &rule, mwc_state &m,
                                                       strip_flips<CLASSES + 1> &f) {
    uint32_t k = rule.planes % 2;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        f.accept[i] = 0;
    if (k) {
        const class_bits<CLASSES> first(rule.bits[0]);
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) /* with accept = 0 the majority is this */
            f.accept[i] = mwc_next(&m) & first.of(f, i);
    }
#pragma unroll 1
    for (; k < rule.planes; k += 2) {
        const class_bits<CLASSES> first(rule.bits[k]), second(rule.bits[k + 1]);
#pragma unroll
        for (int i = 0; i < STRIP_ROWS; i++) {
            const uint32_t accept = majority(mwc_next(&m), f.accept[i], first.of(f, i));
            f.accept[i] = majority(mwc_next(&m), accept, second.of(f, i));
        }
    }
}

#endif
