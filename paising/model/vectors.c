/* The Heisenberg and the XY model on the square and the cubic lattice, E = -sum J_ij s_i . s_j over nearest neighbours, with unit
 * vectors of n = 3 and n = 2 components (H. E. Stanley, Phys. Rev. Lett. 20, 589, 1968). All J_ij are 1, or they are those of a sample:
 * a spin glass.
 *
 * Energies are in units of J / 2^20 and have no levels (levels.h). The order parameter is |sum s_i| / N. |M| is counted in some
 * 2^18 steps, whatever N is, so that the sums of M^4 hold many replicas (histogram.h). */
#include "model.h"

#define ORDERS (UINT32_C(1) << 18)

static void choose(spin_model *m, const state_choice *choice) {
    m->real = choice->real;
    m->reflections = choice->reflections;
}

static spin_model vector_model(const char *name, const char *title, uint32_t components,
                               uint32_t dimension, const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = model_without_levels(lattice_model(name, title, dimension, edge), FINE_UNIT, 1);
    m.spins = SPINS_VECTOR;
    m.states = 1;
    m.components = components;
    m.order_share = m.sites < ORDERS ? (uint32_t)(ORDERS / m.sites) : 1;
    m.order_unit = m.sites < ORDERS ? 1 : (uint32_t)(m.sites / ORDERS);
    return m;
}

static spin_model heisenberg_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return vector_model("heisenberg2d", "the 2D Heisenberg model", 3, 2, edge);
}

static spin_model heisenberg_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return vector_model("heisenberg3d", "the 3D Heisenberg model", 3, 3, edge);
}

static spin_model xy_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return vector_model("xy2d", "the 2D XY model", 2, 2, edge);
}

static spin_model xy_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return vector_model("xy3d", "the 3D XY model", 2, 3, edge);
}

/* The glass of a model. */
static spin_model glass_of(spin_model m, const char *name, const char *title) {
    m.name = name;
    m.title = title;
    m.coupled = m.disordered = true;
    return m;
}

static spin_model heisenberg_glass_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_of(heisenberg_2d(edge), "heisenberg-glass2d", "the 2D Heisenberg spin glass");
}

static spin_model heisenberg_glass_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_of(heisenberg_3d(edge), "heisenberg-glass3d", "the 3D Heisenberg spin glass");
}

static spin_model xy_glass_2d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_of(xy_2d(edge), "xy-glass2d", "the 2D XY spin glass");
}

static spin_model xy_glass_3d(const uint32_t edge[MODEL_MAX_DIMENSION]) {
    return glass_of(xy_3d(edge), "xy-glass3d", "the 3D XY spin glass");
}

#define SQUARE_EDGES(least)                                                                        \
    {                                                                                              \
        [CODING_SSC] = { least, 2, 4096 }                                                          \
    }
#define CUBIC_EDGES(least)                                                                         \
    {                                                                                              \
        [CODING_SSC] = { least, 2, 256 }                                                           \
    }
#define KIND(which, text, dimensions, glass, allowed, made)                                        \
    const model_kind which##_kind = {.name = text,                                                 \
                                     .dimension = dimensions,                                      \
                                     .disordered = glass,                                          \
                                     .edges = allowed,                                             \
                                     .create = made,                                               \
                                     .spins = SPINS_VECTOR,                                        \
                                     .choose = choose}
KIND(heisenberg2d, "heisenberg2d", 2, false, SQUARE_EDGES(2), heisenberg_2d);
KIND(heisenberg3d, "heisenberg3d", 3, false, CUBIC_EDGES(2), heisenberg_3d);
KIND(xy2d, "xy2d", 2, false, SQUARE_EDGES(2), xy_2d);
KIND(xy3d, "xy3d", 3, false, CUBIC_EDGES(2), xy_3d);
KIND(heisenberg_glass2d, "heisenberg-glass2d", 2, true, SQUARE_EDGES(4), heisenberg_glass_2d);
KIND(heisenberg_glass3d, "heisenberg-glass3d", 3, true, CUBIC_EDGES(4), heisenberg_glass_3d);
KIND(xy_glass2d, "xy-glass2d", 2, true, SQUARE_EDGES(4), xy_glass_2d);
KIND(xy_glass3d, "xy-glass3d", 3, true, CUBIC_EDGES(4), xy_glass_3d);
