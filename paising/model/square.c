/* The Ising ferromagnet on the square lattice, E = -sum s_i s_j over nearest neighbours (eq. 10, J
 * = 1).
 *
 * Level n has 2 n antiparallel bonds. A spin has four neighbours. With d < 2 of them antiparallel,
 * a flip costs 8 - 4 d and needs a random decision; with d >= 2 the spin always flips.
 *
 * The checkerboard needs even edges. Larger lattices than SQUARE_MAX_EDGE are few, and in MSC cut into stripes. */
#include "model.h"

static spin_model create(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return lattice_model("square", "the 2D Ising model", 2, edge);
}

spin_model square_model(uint32_t edge) {
    return create((const uint32_t[]){edge, edge, 1});
}

const model_kind square_kind = {
    .name = "square",
    .dimension = 2,
    .edges = {[CODING_SSC] = {4, 2, SQUARE_MAX_EDGE_SSC}, [CODING_MSC] = {4, 2, SQUARE_MAX_EDGE}},
    .create = create};
