/* The Ising spin glass of Edwards and Anderson, E = -sum J_ij s_i s_j over nearest neighbours with
 * J = +1 or -1, on the square and the cubic lattice.
 *
 * A flip of a spin with d unsatisfied bonds costs as much as in the ferromagnet with d antiparallel
 * neighbours. */
#include "model.h"

static spin_model glass_model(const char *name, const char *title, uint32_t dimension,
                              const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = model_with_couplings(lattice_model(name, title, dimension, edge), false);
    m.disordered = true;
    return m;
}

static spin_model create_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_model("glass2d", "the 2D +-J Ising spin glass", 2, edge);
}

static spin_model create_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_model("glass3d", "the 3D +-J Ising spin glass", 3, edge);
}

const model_kind glass2d_kind = {
    .name = "glass2d",
    .dimension = 2,
    .disordered = true,
    .edges = {[CODING_SSC] = {4, 2, SQUARE_MAX_EDGE}, [CODING_MSC] = {4, 2, SQUARE_MAX_EDGE}},
    .create = create_2d};

const model_kind glass3d_kind = {
    .name = "glass3d",
    .dimension = 3,
    .disordered = true,
    .edges = {[CODING_SSC] = {4, 2, CUBIC_MAX_EDGE}, [CODING_MSC] = {4, 2, CUBIC_MAX_EDGE}},
    .create = create_3d};
