/* The model of Baxter and Wu on the triangular lattice, E = -sum S_i S_j S_k over all triangles of nearest neighbours, S =
 * -1 or 1 (R. J. Baxter, F. Y. Wu, Phys. Rev. Lett. 31, 1294, 1973).
 *
 * Site x, y has the neighbours x + 1, y; x, y + 1; x - 1, y + 1; and the three opposite ones. So it is in six triangles, two
 * a site. Edges are multiples of 3, for the three sub-lattices (x + 2 y) mod 3. There are four ground states: all spins up,
 * and two of the three sub-lattices down. A flip changes E by 2 times a sum of six products, a multiple of 4. The state of a
 * spin is s = (S + 1) / 2. */
#include "model.h"

static spin_model create(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = lattice_model("baxter-wu", "the Baxter-Wu model", 2, edge);
    m.spins = SPINS_BAXTER_WU;
    m.states = 2;
    m.coordination = 6;
    m.order_unit = m.sites % 2 == 0 ? 2 : 1;
    m.levels = (energy_levels){-2 * (int64_t)m.sites, 4, (uint32_t)m.sites + 1, 1, false};
    m.gaps = 1;
    m.gap[0] = 12;
    return m;
}

const model_kind baxter_wu_kind = {.name = "baxter-wu",
                                   .dimension = 2,
                                   .edges = {[CODING_SSC] = {3, 3, SQUARE_MAX_EDGE}},
                                   .create = create,
                                   .spins = SPINS_BAXTER_WU};
