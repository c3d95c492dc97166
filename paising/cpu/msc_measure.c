/* Energies and magnetisations of 32 replicas from packed spins, with bit-sliced counters.
 *
 * Slice k of a counter holds bit k of the count of every lane. Words are added through carry-save
 * adders: eight words produce one carry of weight 8 (the tree of Harley and Seal), and only this
 * carry propagates through the upper slices. At the end the counters of all columns of a vector are
 * added and transposed. */
#include "msc_sweep.h"

#include "msc_neighbours.h"

#define SLICES 32 /* counts are below 2^32 */

typedef struct {
    vec32 slice[SLICES];
    uint32_t used; /* slices that may be non-zero */
} lane_counter;

/* a + b + c = sum + 2 carry in every lane; the sum replaces a. */
static inline vec32 full_adder(vec32 *a, vec32 b, vec32 c) {
    const vec32 carry = vec_majority(*a, b, c);
    *a = *a ^ b ^ c;
    return carry;
}

static inline void count_8(lane_counter *counter, const vec32 word[8]) {
    vec32 *const s = counter->slice;
    const vec32 two_a = full_adder(&s[0], word[0], word[1]);
    const vec32 two_b = full_adder(&s[0], word[2], word[3]);
    const vec32 four_a = full_adder(&s[1], two_a, two_b);
    const vec32 two_c = full_adder(&s[0], word[4], word[5]);
    const vec32 two_d = full_adder(&s[0], word[6], word[7]);
    const vec32 four_b = full_adder(&s[1], two_c, two_d);
    vec32 carry = full_adder(&s[2], four_a, four_b);
    for (uint32_t k = 3; k < counter->used; k++) {
        const vec32 next = s[k] & carry;
        s[k] ^= carry;
        carry = next;
    }
}

/* Transposes a 32 x 32 bit matrix. */
static void transpose(uint32_t m[32]) {
    uint32_t mask = 0x0000ffff;
    for (uint32_t width = 16; width; width /= 2, mask ^= mask << width)
        for (uint32_t k = 0; k < 32; k = (k + width + 1) & ~width) {
            const uint32_t swap = (m[k] >> width ^ m[k + width]) & mask;
            m[k] ^= swap << width;
            m[k + width] ^= swap;
        }
}

/* Adds the counters of the vector's columns, and fills count[lane]. */
static void counter_sum(const lane_counter *counter, uint32_t count[MACHINE_LANES]) {
    uint32_t slice[SLICES][VECTOR_WORDS];
    memcpy(slice, counter->slice, sizeof slice);
    for (uint32_t half = VECTOR_WORDS / 2; half; half /= 2) {
        uint32_t carry[VECTOR_WORDS / 2] = {0};
        for (uint32_t k = 0; k < counter->used; k++)
            for (uint32_t j = 0; j < half; j++) {
                const uint32_t a = slice[k][j], b = slice[k][j + half];
                slice[k][j] = a ^ b ^ carry[j];
                carry[j] = (a & b) | (carry[j] & (a | b));
            }
    }
    for (uint32_t k = 0; k < SLICES; k++)
        count[k] = slice[k][0];
    transpose(count);
}

/* A mask of the vector columns, from `column` on, that belong to the lattice. */
static inline vec32 valid_columns(uint32_t column, uint32_t columns) {
    vec32 mask;
    for (uint32_t j = 0; j < VECTOR_WORDS; j++)
        mask[j] = column + j < columns ? UINT32_MAX : 0;
    return mask;
}

/* The number of slices for counts up to n. */
static uint32_t slices_for(uint64_t n) {
    uint32_t slices = 4;
    while (n >> slices)
        slices++;
    return slices;
}

/* Counts bonds at the even sub-lattice: every bond has exactly one end there. */
TEMPLATE void measure_lattice(const msc_lattice *lattice, uint32_t dimension, bond_kind kind,
                              lane_counter *bonds, lane_counter *up) {
    const msc_shape *const shape = lattice->shape;
    const sub_lattice l = sub_lattice_of(lattice, 0);
    for (uint32_t column = 0; column < l.columns; column += VECTOR_WORDS) {
        const vec32 valid[] = {valid_columns(column, shape->filled[0]),
                               valid_columns(column, shape->filled[1])};
        for (uint32_t top = 0; top < l.rows; top += CELL_ROWS) {
            vec32 spins[2 * CELL_ROWS], unsatisfied[2 * MODEL_MAX_DIMENSION * CELL_ROWS];
            const vec32 in_strip = valid[top / CELL_ROWS % 2];
            row_walk walk = walk_from(l, top, CELL_ROWS, column);
            for (uint32_t i = 0; i < CELL_ROWS; i++) {
                vec32 n[2 * MODEL_MAX_DIMENSION];
                const vec32 is_site = top + i < l.height ? in_strip : (vec32){0};
                const vec32 even = vec_load(l.own + (top + i) * l.pitch + column);
                find_neighbours(l, dimension, kind, &walk, top + i, column, even, n);
                spins[2 * i] = even & is_site;
                spins[2 * i + 1] = vec_load(l.other + (top + i) * l.pitch + column) & is_site;
                for (uint32_t k = 0; k < 2 * dimension; k++)
                    unsatisfied[k * CELL_ROWS + i] = (even ^ n[k]) & is_site;
            }
            count_8(up, spins);
            for (uint32_t k = 0; k < dimension; k++)
                count_8(bonds, unsatisfied + 2 * k * CELL_ROWS);
        }
    }
}

void MSC_NAME(msc_measure)(const msc_lattice *lattice, uint32_t bonds[MACHINE_LANES],
                           uint32_t up[MACHINE_LANES]) {
    const msc_shape *const shape = lattice->shape;
    lane_counter bond_counter = {.used = slices_for(shape->dimension * shape->sites)};
    lane_counter up_counter = {.used = slices_for(shape->sites)};
    const bond_kind kind = bonds_of_shape(shape);
    if (shape->dimension == 2 && kind == BONDS_EQUAL)
        measure_lattice(lattice, 2, BONDS_EQUAL, &bond_counter, &up_counter);
    else if (shape->dimension == 2 && kind == BONDS_COUPLED)
        measure_lattice(lattice, 2, BONDS_COUPLED, &bond_counter, &up_counter);
    else if (shape->dimension == 2)
        measure_lattice(lattice, 2, BONDS_CUT, &bond_counter, &up_counter);
    else if (kind == BONDS_EQUAL)
        measure_lattice(lattice, 3, BONDS_EQUAL, &bond_counter, &up_counter);
    else if (kind == BONDS_COUPLED)
        measure_lattice(lattice, 3, BONDS_COUPLED, &bond_counter, &up_counter);
    else
        measure_lattice(lattice, 3, BONDS_CUT, &bond_counter, &up_counter);
    counter_sum(&bond_counter, bonds);
    counter_sum(&up_counter, up);
}
