/* The table of models, and what all models share: a lattice of even edges.
 *
 * A state with u unsatisfied bonds has E = -bonds + 2 u. A flip of a spin with d of its z bonds
 * unsatisfied changes u by z - 2 d. Where every site has an even number of bonds that is even: levels are then spaced by 4,
 * and all energies differ by multiples of 4 from that of the state with all spins up, where u is the number of bonds
 * with J = -1. Else they are spaced by 2. */
#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(name) &name##_kind,
const model_kind *const model_kinds[] = {
#include "model_list.h"
    NULL};
#undef MODEL

const model_kind *model_kind_named(const char *name) {
    const model_kind *const *kind = model_kinds;
    while (*kind != NULL && strcmp((*kind)->name, name) != 0)
        kind++;
    return *kind;
}

int edge_is_allowed(edge_rule rule, uint32_t edge) {
    return edge >= rule.smallest && edge <= rule.largest && edge % rule.multiple == 0;
}

uint32_t lattice_edges_given(lattice_size size) {
    uint32_t given = 1;
    while (given < MODEL_MAX_DIMENSION && size.edge[given] > 0)
        given++;
    return given;
}

bool lattice_edges(lattice_size size, uint32_t dimension, uint32_t edge[MODEL_MAX_DIMENSION]) {
    const uint32_t given = lattice_edges_given(size);
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++)
        edge[d] = d >= dimension ? 1 : size.edge[d < given ? d : 0];
    return given == 1 || given == dimension;
}

lattice_size model_size(const spin_model *m) {
    lattice_size size = {{0}};
    for (uint32_t d = 0; d < m->dimension; d++)
        size.edge[d] = m->edge[d];
    return size;
}

const char *lattice_text(char text[LATTICE_TEXT_SIZE], lattice_size size) {
    bool equal = true;
    for (size_t d = 1; d < MODEL_MAX_DIMENSION; d++)
        equal = equal && (size.edge[d] == 0 || size.edge[d] == size.edge[0]);
    return lattice_edges_text(text, equal ? (lattice_size){{size.edge[0]}} : size);
}

const char *lattice_edges_text(char text[LATTICE_TEXT_SIZE], lattice_size size) {
    size_t length = (size_t)snprintf(text, LATTICE_TEXT_SIZE, "%" PRIu32, size.edge[0]);
    for (size_t d = 1; d < MODEL_MAX_DIMENSION && size.edge[d] > 0; d++)
        length +=
            (size_t)snprintf(text + length, LATTICE_TEXT_SIZE - length, "x%" PRIu32, size.edge[d]);
    return text;
}

spin_model lattice_model(const char *name, const char *title, uint32_t dimension,
                         const uint32_t edge[MODEL_MAX_DIMENSION]) {
    spin_model m = {.name = name,
                    .title = title,
                    .dimension = dimension,
                    .sites = 1,
                    .coordination = 2 * dimension,
                    .gaps = dimension,
                    .order_unit = 2};
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        m.edge[d] = d < dimension ? edge[d] : 1;
        m.sites *= m.edge[d];
    }
    m.bonds = dimension * m.sites;
    m.levels = (energy_levels){-(int64_t)m.bonds, 4, (uint32_t)model_most_levels(&m), 1, false};
    for (uint32_t n = 0; n < m.gaps; n++)
        m.gap[n] = 2 * m.coordination - 4 * n;
    return m;
}

/* Bonds of the lattice, with those that are missing. */
static uint64_t lattice_bonds(const spin_model *m) {
    return m->dimension * m->sites;
}

/* Unsatisfied bonds of one of 32 stripes are below 2^31. */
stripe_rule stripe_edges(uint32_t dimension) {
    return dimension == 2 ? (stripe_rule){16, 16, 131072} : (stripe_rule){4, 2, 2048};
}

spin_model model_stripe(spin_model lattice, uint32_t n) {
    lattice.edge[lattice.dimension - 1] /= n;
    lattice.sites /= n;
    lattice.bonds /= n;
    lattice.levels = (energy_levels){-(int64_t)lattice.bonds, 2, 1, 1,
                                     false}; /* no report by levels is made of stripes */
    lattice.stripes = n;
    return lattice;
}

spin_model model_with_couplings(spin_model model, bool incomplete) {
    model.coupled = true;
    model.incomplete = incomplete;
    if (model.levels.fine)
        return model;
    model.levels.spacing = incomplete ? 2 : 4;
    model.levels.count = (uint32_t)model_most_levels(&model);
    return model;
}

static bool has_odd_sites(const couplings *sample) {
    uint64_t site = 0;
    while (sample->missing != NULL && site < sample->sites &&
           couplings_of_site(sample, site) % 2 == 0)
        site++;
    return sample->missing != NULL && site < sample->sites;
}

spin_model model_without_levels(spin_model model, uint32_t unit, uint32_t cheapest) {
    model.levels = energies_without_levels(unit);
    model.gaps = 1;
    memset(model.gap, 0, sizeof model.gap);
    model.gap[0] = cheapest;
    return model;
}

/* The least that a flip costs where it costs most: an upper bound of the first excitation of a ground state. */
static uint32_t cheapest_of(const couplings *sample) {
    uint32_t least = UINT32_MAX;
    for (uint64_t site = 0; site < sample->sites; site++) {
        const uint32_t cost = couplings_most_cost(sample, site);
        least = cost > 0 && cost < least ? cost : least;
    }
    return least;
}

spin_model model_of_sample(spin_model model, const couplings *sample) {
    model = model_with_couplings(model, model.incomplete || sample->missing != NULL);
    model.sample = sample;
    model.bonds = couplings_present(sample);
    if (model.spins == SPINS_VECTOR)
        return model;
    if (sample->value != NULL)
        return model_without_levels(model, FINE_UNIT, cheapest_of(sample));
    model.odd_sites = has_odd_sites(sample);
    const uint64_t odd = model.odd_sites ? 0 : couplings_count_negative(sample) % 2;
    model.levels.spacing = model.odd_sites ? 2 : 4;
    model.levels.lowest = 2 * (int64_t)odd - (int64_t)model.bonds;
    model.levels.count = (uint32_t)(model.odd_sites ? model.bonds + 1 : model.bonds / 2 + 1 - odd);
    return model;
}

size_t model_most_levels(const spin_model *m) {
    if (m->graph != NULL || m->stripes > 1 || m->spins != SPINS_ISING)
        return m->levels.count;
    return (size_t)(m->incomplete ? lattice_bonds(m) + 1 : lattice_bonds(m) / 2 + 1);
}

static bool is_even(const couplings *c, uint64_t site) {
    const uint64_t row = site / c->edge[0];
    return (site % c->edge[0] + row % c->edge[1] + row / c->edge[1]) % 2 == 0;
}

uint64_t model_counted_at_lowest(const spin_model *m) {
    uint64_t counted = (uint64_t)(m->levels.lowest + (int64_t)m->bonds) / 2;
    if (m->sample == NULL || m->sample->missing == NULL)
        return counted;
    for (uint64_t site = 0; site < m->sites; site++)
        if (is_even(m->sample, site))
            counted += (m->coordination - couplings_of_site(m->sample, site)) / 2;
    return counted;
}

uint32_t model_states(const spin_model *m) {
    return m->states > 0 ? m->states : 2;
}

static double component_at(const spin_model *m, const uint8_t *spins) {
    float single;
    double x;
    memcpy(&single, spins, sizeof single);
    if (m->real != REAL_DOUBLE)
        return (double)single;
    memcpy(&x, spins, sizeof x);
    return x;
}

bool model_has_states(const spin_model *m, const uint8_t *spins, size_t bytes) {
    const bool vectors = m->spins == SPINS_VECTOR;
    const size_t each = !vectors ? 1 : m->real == REAL_DOUBLE ? sizeof(double) : sizeof(float);
    bool all = true;
    for (size_t n = 0; n < bytes && m->spins != SPINS_ISING; n += each)
        all = all && (vectors ? fabs(component_at(m, spins + n)) <= 2 : spins[n] < model_states(m));
    return all;
}

uint64_t model_largest_order(const spin_model *m) {
    return m->sites * (m->order_share > 0 ? m->order_share : 1);
}

size_t model_packed_bytes(const spin_model *m) {
    const size_t real = m->real == REAL_DOUBLE ? sizeof(double) : sizeof(float);
    if (m->spins == SPINS_VECTOR)
        return (size_t)m->sites * m->components * real;
    return (size_t)(m->spins == SPINS_ISING ? (m->sites + 7) / 8 : m->sites);
}
