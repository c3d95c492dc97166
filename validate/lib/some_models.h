/* Models on small lattices of all dimensions, with and without couplings, for tests of what is done with any. */
#ifndef PAISING_SOME_MODELS_H
#define PAISING_SOME_MODELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/disorder.h"
#include "model/boundary.h"

/* Which bonds are missing, or turned over: boundaries as --boundary takes them, NULL for periodic ones, and dilution. */
typedef struct {
    const char *boundary;
    double dilution;
} bond_cut;
#define ALL_BONDS                                                                                  \
    { NULL, 0 }

/* The model of a kind on a lattice, with the couplings of a disorder seed in *sample, which are to be destroyed;
 * couplings of +1 are three in five. */
static inline spin_model some_cut_model(const model_kind *kind, lattice_size size, uint64_t seed,
                                        bond_cut cut, couplings *sample) {
    const disorder from = {.seed = seed, .ferromagnetic = kind->disordered ? 0.6 : 1};
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_boundary boundary;
    assert_true(lattice_edges(size, kind->dimension, edge));
    const spin_model model = kind->create(edge);
    *sample = (couplings){.negative = NULL};
    if (!kind->disordered && cut.boundary == NULL && cut.dilution == 0)
        return model;
    assert_true(couplings_create(sample, kind->dimension, edge));
    disorder_draw(sample, from);
    assert_true(disorder_dilute(sample, from, cut.dilution));
    assert_true(boundary_read(&boundary, cut.boundary != NULL ? cut.boundary : "periodic"));
    assert_true(boundary_apply(boundary, sample));
    return model_of_sample(model, sample);
}

static inline spin_model some_model(const model_kind *kind, lattice_size size, uint64_t seed,
                                    couplings *sample) {
    return some_cut_model(kind, size, seed, (bond_cut){NULL, 0}, sample);
}

/* The same with Gaussian couplings, whose energies have no levels. */
static inline spin_model some_gaussian_model(const model_kind *kind, lattice_size size,
                                             uint64_t seed, couplings *sample) {
    uint32_t edge[MODEL_MAX_DIMENSION];
    assert_true(lattice_edges(size, kind->dimension, edge));
    assert_true(couplings_create(sample, kind->dimension, edge));
    assert_true(disorder_draw_gaussian(sample, (disorder){.seed = seed}, 0, 1));
    return model_of_sample(model_without_levels(kind->create(edge), FINE_UNIT, 0), sample);
}

/* Models that several tests share: made by a group's setup, with samples of their own, and destroyed by its
 * teardown. */
typedef struct {
    const model_kind *kind;
    lattice_size size;
    bond_cut cut;
    bool gaussian; /* couplings, of all bonds */
    spin_model model;
    couplings sample;
} made_model;

static inline int make_models(made_model *models, size_t count) {
    for (size_t n = 0; n < count; n++)
        models[n].model = models[n].gaussian ? some_gaussian_model(models[n].kind, models[n].size,
                                                                   n, &models[n].sample)
                                             : some_cut_model(models[n].kind, models[n].size, n,
                                                              models[n].cut, &models[n].sample);
    return 0;
}

static inline int destroy_models(made_model *models, size_t count) {
    for (size_t n = 0; n < count; n++)
        couplings_destroy(&models[n].sample);
    return 0;
}

/* A site. */
typedef struct {
    uint32_t at[MODEL_MAX_DIMENSION]; /* x, y, z */
} lattice_site;

/* Site n as couplings.h counts. */
static inline lattice_site site_at(const spin_model *m, uint64_t n) {
    return (lattice_site){{(uint32_t)(n % m->edge[0]), (uint32_t)(n / m->edge[0] % m->edge[1]),
                           (uint32_t)(n / m->edge[0] / m->edge[1])}};
}

/* 0 on the even sub-lattice, 1 on the odd one. */
static inline uint32_t site_colour(lattice_site s) {
    return (s.at[0] + s.at[1] + s.at[2]) % 2;
}

/* Its index as engine.h counts: the even sub-lattice first, each layer by layer, row by row. */
static inline uint64_t site_number(const spin_model *m, lattice_site s) {
    const uint64_t row = (uint64_t)s.at[2] * m->edge[1] + s.at[1];
    return (site_colour(s) * m->sites + row * m->edge[0]) / 2 + s.at[0] / 2;
}

/* The site next to it, one forward or back in a direction, and J of the bond there, 0 if it is missing. */
static inline lattice_site site_beside(const spin_model *m, lattice_site s, uint32_t direction,
                                       bool forward, int *j) {
    const lattice_site from = s;
    const uint32_t edge = m->edge[direction];
    s.at[direction] = (s.at[direction] + (forward ? 1 : edge - 1)) % edge;
    const lattice_site owner = forward ? from : s;
    const uint64_t n =
        ((uint64_t)owner.at[2] * m->edge[1] + owner.at[1]) * m->edge[0] + owner.at[0];
    *j = m->sample != NULL ? couplings_sign(m->sample, n, direction) : 1;
    return s;
}

/* The strip that a site belongs to, and which of the strip's eight words of its colour it is (streams.h). */
typedef struct {
    uint32_t strip, word;
} strip_place;

static inline strip_place site_strip(const spin_model *m, lattice_site s) {
    if (m->dimension == 2)
        return (strip_place){s.at[1] / 8 * (m->edge[0] / 2) + s.at[0] / 2, s.at[1] % 8};
    static const uint32_t order[2][2][2][2] = {/* [colour][z][y][x] */
                                               {{{0, 9}, {9, 1}}, {{9, 2}, {3, 9}}},
                                               {{{9, 0}, {1, 9}}, {{2, 9}, {9, 3}}}};
    const uint32_t cell =
        (s.at[2] / 2 * (m->edge[1] / 2) + s.at[1] / 2) * (m->edge[0] / 2) + s.at[0] / 2;
    const uint32_t in_cell = order[site_colour(s)][s.at[2] % 2][s.at[1] % 2][s.at[0] % 2];
    return (strip_place){cell / 2, cell % 2 * 4 + in_cell};
}

/* Strips of a lattice. */
static inline uint32_t strips_of(const spin_model *m) {
    return (uint32_t)(m->dimension == 2 ? m->edge[0] / 2 * ((m->edge[1] + 7) / 8)
                                        : (m->sites + 8) / 16);
}

#endif
