/* The Potts model with q states on the square and the cubic lattice, E = -sum delta(s_i, s_j) over nearest neighbours (R. B.
 * Potts, Proc. Camb. Phil. Soc. 48, 106, 1952; F. Y. Wu, Rev. Mod. Phys. 54, 235, 1982).
 *
 * Level n has n bonds between different spins. With n_max sites in the most frequent state the order parameter is |m| = (q
 * n_max / N - 1) / (q - 1). M = q n_max - N is a whole number, N (q - 1) at most. */
#include "model.h"

static void choose(spin_model *m, const state_choice *choice) {
    m->states = choice->states;
    m->order_share = choice->states - 1;
}

static spin_model potts_model(const char *name, const char *title, uint32_t dimension,
                              const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = lattice_model(name, title, dimension, edge);
    m.spins = SPINS_POTTS;
    m.levels = (energy_levels){-(int64_t)m.bonds, 1, (uint32_t)m.bonds + 1, 1, false};
    m.order_unit = 1;
    m.gaps = 1;
    m.gap[0] = m.coordination;
    choose(&m, &(state_choice){.states = 3});
    return m;
}

static spin_model create_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return potts_model("potts2d", "the 2D Potts model", 2, edge);
}

static spin_model create_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return potts_model("potts3d", "the 3D Potts model", 3, edge);
}

const model_kind potts2d_kind = {.name = "potts2d",
                                 .dimension = 2,
                                 .edges = {[CODING_SSC] = {3, 1, SQUARE_MAX_EDGE}},
                                 .create = create_2d,
                                 .spins = SPINS_POTTS,
                                 .choose = choose};

const model_kind potts3d_kind = {.name = "potts3d",
                                 .dimension = 3,
                                 .edges = {[CODING_SSC] = {3, 1, CUBIC_MAX_EDGE}},
                                 .create = create_3d,
                                 .spins = SPINS_POTTS,
                                 .choose = choose};
