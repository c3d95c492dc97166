/* The Ising ferromagnet on the simple cubic lattice, E = -sum s_i s_j over nearest neighbours.
 *
 * Level n has 2 n antiparallel bonds. A spin has six neighbours. With d < 3 of them antiparallel, a
 * flip costs 12 - 4 d and needs a random decision; with d >= 3 the spin always flips.
 *
 * The checkerboard and the cells of the multi-spin-coded engines (streams.h) need even edges. The
 * limits correspond to as many spins as those of square.c. */
#include "model.h"

static spin_model create(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return lattice_model("cubic", "the 3D Ising model", 3, edge);
}

const model_kind cubic_kind = {
    .name = "cubic",
    .dimension = 3,
    .edges = {[CODING_SSC] = {4, 2, CUBIC_MAX_EDGE_SSC}, [CODING_MSC] = {4, 2, CUBIC_MAX_EDGE}},
    .create = create};
