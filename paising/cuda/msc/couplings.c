/* Couplings for the multi-spin-coded kernels (couplings.h). */
#include "cuda/msc/couplings.h"

#include "engine/strips.h"

#include <string.h>

/* Registers for J of all bonds. */
static uint64_t registers_of(const spin_model *model) {
    return lattice_strips(model) * (model->dimension == 3 ? 4 : 2);
}

uint64_t msc_coupling_bytes(const spin_model *model) {
    const uint64_t registers = model->incomplete ? 2 * registers_of(model) : registers_of(model);
    return model->coupled ? registers * sizeof(uint32_t) : 0;
}

/* J of the bond from a site along an axis, upward or downward; 0 if it is missing. */
static int sign_of(const couplings *c, const uint32_t site[3], uint32_t axis, bool up) {
    uint32_t from[3] = {site[0], site[1], site[2]};
    if (!up)
        from[axis] = (from[axis] ? from[axis] : c->edge[axis]) - 1;
    const uint64_t number = ((uint64_t)from[2] * c->edge[1] + from[1]) * c->edge[0] + from[0];
    return couplings_sign(c, number, axis);
}

/* `count` directions of a register byte, each along an axis, upward or downward. */
typedef struct {
    uint32_t axis;
    bool up;
} bond_direction;

/* A byte of both registers. */
typedef struct {
    uint32_t negative, missing;
} bond_bits;

static bond_bits bits_of(const couplings *c, const uint32_t site[3],
                         const bond_direction direction[], uint32_t count) {
    bond_bits bits = {0, 0};
    uint32_t missing = 0;
    for (uint32_t g = 0; g < count; g++) {
        const int sign = sign_of(c, site, direction[g].axis, direction[g].up);
        missing += sign == 0;
        bits.negative |= (uint32_t)(sign < 0 || (sign == 0 && missing % 2 == 0)) << (7 - g);
        bits.missing |= (uint32_t)(sign == 0) << (7 - g);
    }
    return bits;
}

/* Returns the bonds of word i of a cell with first site `corner`, on a sub-lattice. */
static bond_bits cell_bits(const couplings *c, const uint32_t corner[3], uint32_t parity,
                           uint32_t i) {
    static const uint32_t place[2][4][3] = {{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}},
                                            {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    uint32_t site[3];
    bond_direction direction[6];
    for (uint32_t d = 0; d < 3; d++) {
        const bool first = place[parity][i][d] == 0;
        site[d] = corner[d] + place[parity][i][d];
        direction[d] = (bond_direction){d, first};
        direction[d + 3] = (bond_direction){d, !first};
    }
    return bits_of(c, site, direction, 6);
}

/* missing: NULL if no bond may be. */
static void fill_cells(const couplings *c, uint32_t registers[], uint32_t missing[]) {
    uint64_t cell = 0;
    for (uint32_t z = 0; z < c->edge[2]; z += 2)
        for (uint32_t y = 0; y < c->edge[1]; y += 2)
            for (uint32_t x = 0; x < c->edge[0]; x += 2, cell++)
                for (uint32_t i = 0; i < 8; i++) {
                    const bond_bits bits = cell_bits(c, (uint32_t[3]){x, y, z}, i / 4, i % 4);
                    registers[2 * cell + i / 4] |= bits.negative << 8 * (i % 4);
                    if (missing != NULL)
                        missing[2 * cell + i / 4] |= bits.missing << 8 * (i % 4);
                }
}

static void fill_rows(const couplings *c, uint32_t registers[], uint32_t missing[]) {
    for (uint32_t y = 0; y < c->edge[1]; y++)
        for (uint32_t x = 0; x < c->edge[0]; x++) {
            const uint64_t strip = (uint64_t)(y / 8) * (c->edge[0] / 2) + x / 2;
            const bool first = x % 2 == 0;
            const bond_direction direction[4] = {{1, false}, {0, first}, {1, true}, {0, !first}};
            const bond_bits bits = bits_of(c, (uint32_t[3]){x, y, 0}, direction, 4);
            const uint32_t down = y % 8 / 4 * 4, up = 8 * (y % 4);
            registers[2 * strip + (x + y) % 2] |= bits.negative >> down << up;
            if (missing != NULL)
                missing[2 * strip + (x + y) % 2] |= bits.missing >> down << up;
        }
}

void msc_coupling_fill(const spin_model *model, uint32_t registers[]) {
    uint32_t *const missing = model->incomplete ? registers + registers_of(model) : NULL;
    memset(registers, 0, msc_coupling_bytes(model));
    if (model->dimension == 3)
        fill_cells(model->sample, registers, missing);
    else
        fill_rows(model->sample, registers, missing);
}
