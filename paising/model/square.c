/* The Ising ferromagnet on the square lattice, E = -sum s_i s_j over nearest neighbours (eq. 10, J = 1).
 *
 * With u of the 2 N bonds unsatisfied E = -2 N + 2 u, and u is even around a torus of even edge: levels are
 * spaced by 4, and level n has 2 n antiparallel bonds. A spin with d < 2 antiparallel neighbours of four gains
 * 8 - 4 d by flipping and needs a random decision; with d >= 2 it flips anyway.
 *
 * The checkerboard needs an even edge, the strips of the multi-spin-coded engines (streams.h) a multiple
 * of 16. At larger edges than SQUARE_MAX_EDGE the sums of M^4 do not hold a population worth the name. */
#include "model.h"

spin_model square_model(uint32_t edge) {
    const uint64_t sites = (uint64_t)edge * edge;
    return (spin_model){.name = "square",
                        .title = "the 2D Ising model",
                        .dimension = 2,
                        .edge = {edge, edge, 1},
                        .sites = sites,
                        .bonds = 2 * sites,
                        .coordination = 4,
                        .colours = 2,
                        .levels = {-2 * (int64_t)sites, 4, (size_t)sites + 1},
                        .gaps = SQUARE_GAPS,
                        .gap = {8, 4},
                        .order_unit = 2};
}

const model_kind square_kind = {
    .name = "square",
    .edges = {[CODING_SSC] = {4, 2, SQUARE_MAX_EDGE}, [CODING_MSC] = {16, 16, SQUARE_MAX_EDGE}},
    .create = square_model};
