/* The model of Blume and Capel on the square and the cubic lattice, S = -1, 0 or 1 (M. Blume, Phys. Rev. 141, 517, 1966; H. W.
 * Capel, Physica 32, 966, 1966):
 *
 *     E = -sum over nearest neighbours of S_i S_j + D sum of S_i^2
 *
 * The crystal field D is a fraction, and levels are 1 / its denominator apart. The state of a spin is s = S + 1. */
#include "model.h"

static void choose(spin_model *m, const state_choice *choice) {
    const int64_t sites = (int64_t)m->sites, bonds = (int64_t)m->bonds * choice->unit,
                  of_field = sites * choice->field;
    const int64_t lowest = of_field - bonds < 0 ? of_field - bonds : 0,
                  highest = of_field + bonds > 0 ? of_field + bonds : 0;
    const bool many = highest - lowest >= UINT32_MAX;
    const int64_t all_up = m->coordination * (int64_t)choice->unit - choice->field; /* to S = 0 */
    m->crystal_field = choice->field;
    m->levels = (energy_levels){lowest, 1, many ? UINT32_MAX : (uint32_t)(highest - lowest + 1),
                                choice->unit & INT32_MAX, false};
    m->gap[0] = (uint32_t)(lowest < 0 ? all_up : choice->field);
}

static spin_model blume_capel_model(const char *name, const char *title, uint32_t dimension,
                                    const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = lattice_model(name, title, dimension, edge);
    m.spins = SPINS_BLUME_CAPEL;
    m.states = 3;
    m.order_unit = 1;
    m.gaps = 1;
    choose(&m, &(state_choice){.unit = 1});
    return m;
}

static spin_model create_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return blume_capel_model("blume-capel2d", "the 2D Blume-Capel model", 2, edge);
}

static spin_model create_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return blume_capel_model("blume-capel3d", "the 3D Blume-Capel model", 3, edge);
}

const model_kind blume_capel2d_kind = {.name = "blume-capel2d",
                                       .dimension = 2,
                                       .edges = {[CODING_SSC] = {3, 1, SQUARE_MAX_EDGE}},
                                       .create = create_2d,
                                       .spins = SPINS_BLUME_CAPEL,
                                       .choose = choose};

const model_kind blume_capel3d_kind = {.name = "blume-capel3d",
                                       .dimension = 3,
                                       .edges = {[CODING_SSC] = {3, 1, CUBIC_MAX_EDGE}},
                                       .create = create_3d,
                                       .spins = SPINS_BLUME_CAPEL,
                                       .choose = choose};
