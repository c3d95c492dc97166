/* Observables of the spins of XY and Heisenberg models, by the host from copies of the spins, so that all devices have the same
 * bits. N sites, d dimensions, n components, J of a bond (1 but for glasses), h the sum of J s' over the neighbours s' of a spin s:
 *
 *   beta by the identity   (n - 1) <sum s . h> / <sum (h^2 - (s . h)^2)>, which is beta in equilibrium on any lattice (H. H. Rugh,
 *                          Phys. Rev. Lett. 78, 772, 1997)
 *   stiffness              in direction x  f [<sum J s . s'> - beta <I^2>] / N, sums over the bonds in x: n = 2: f = 1 and I = sum J (s
 *                          x s'); n = 3: f = 2/3, and I^2 is half of the square of that vector. The mean over the directions (S.
 *                          Teitel, C. Jayaprakash, Phys. Rev. B 27, 598, 1983)
 *   vortices               n = 2, no glass: the share of plaquettes around which the angle turns once
 *   chirality              n = 2, glass: the mean of |kappa| over the frustrated plaquettes, those with a negative product of their J;
 *                          kappa = sum sgn(J) sin(a - a') / sqrt(8) over the bonds around one, a the angles of their spins. It is 1
 *                          where they are a ground state of that plaquette alone (H. Kawamura, M. Tanemura, Phys. Rev. B 36, 7177,
 *                          1987)
 *   norm                   the largest | s^2 - 1 | */
#include "vector_series.h"

#include "engine/vector_arithmetic.h"
#include "estimate/time_blocks.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/series_results.h"
#include "settings/plans.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define SITES_TOGETHER 65536

/* Sums over replicas and measurements, of what is of a site. */
typedef struct {
    double replicas, along, across, bonds, currents, vortices, chirality;
} vector_sums;

/* What is read and found of a replica. */
typedef struct {
    double *vectors; /* [N][3] its spins */
    vector_sums sums;
    double norm;
} one_replica;

typedef struct {
    vector_sums *sums; /* [TIME_BLOCKS][temperatures] */
    double *norm;      /* [temperatures] the largest | s^2 - 1 | */
    uint32_t together; /* replicas that are measured together */
    uint8_t *spins;    /* of these, as the engine gives them */
    uint32_t *families;
    one_replica *of; /* [together] */
} vector_record;

/* Replicas that are measured together: one a thread at least, and enough sites to be worth starting threads. */
static uint32_t replicas_together(const spin_model *m) {
    const uint32_t threads = (uint32_t)omp_get_max_threads();
    const uint64_t enough = SITES_TOGETHER / m->sites;
    return threads < enough ? (uint32_t)enough : threads;
}

static bool create(series *s) {
    vector_record *const v = s->state;
    v->together = replicas_together(&s->model);
    v->sums = calloc(TIME_BLOCKS * s->temperatures, sizeof *v->sums);
    v->norm = calloc(s->temperatures, sizeof *v->norm);
    v->spins = malloc(v->together * model_packed_bytes(&s->model));
    v->families = malloc(v->together * sizeof *v->families);
    v->of = calloc(v->together, sizeof *v->of);
    bool made = v->sums && v->norm && v->spins && v->families && v->of;
    for (uint32_t n = 0; made && n < v->together; n++) {
        v->of[n].vectors = calloc(3 * s->model.sites, sizeof(double));
        made = v->of[n].vectors != NULL;
    }
    return made;
}

static void destroy(series *s) {
    vector_record *const v = s->state;
    for (uint32_t n = 0; v->of != NULL && n < v->together; n++)
        free(v->of[n].vectors);
    free(v->of);
    free(v->sums);
    free(v->norm);
    free(v->spins);
    free(v->families);
}

/* --- one replica --- */

/* Reads spins as the engine gives them. */
static void read_vectors(double *vectors, const spin_model *m, const void *spins) {
    const uint32_t n = m->components;
    for (uint64_t i = 0; i < m->sites; i++)
        for (uint32_t c = 0; c < n; c++)
            vectors[3 * i + c] = m->real == REAL_DOUBLE ? ((const double *)spins)[n * i + c]
                                                        : (double)((const float *)spins)[n * i + c];
}

static double product(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds J a x b. */
static void add_cross(double sum[3], double J, const double *a, const double *b) {
    sum[0] += J * (a[1] * b[2] - a[2] * b[1]);
    sum[1] += J * (a[2] * b[0] - a[0] * b[2]);
    sum[2] += J * (a[0] * b[1] - a[1] * b[0]);
}

/* J of the bond of site i in direction d. */
static double coupling(const spin_model *m, uint64_t i, uint32_t d) {
    return m->sample != NULL ? vector_coupling(m->sample, i, d) : 1;
}

/* The site after site i in direction d, or before it. */
static uint64_t neighbour(const spin_model *m, uint64_t i, uint32_t d, bool before) {
    uint64_t step = 1;
    for (uint32_t k = 0; k < d; k++)
        step *= m->edge[k];
    const uint64_t x = i / step % m->edge[d], last = m->edge[d] - 1;
    if (before)
        return x > 0 ? i - step : i + last * step;
    return x < last ? i + step : i - last * step;
}

/* Whether the shorter way from a to b crosses the negative x axis: 1 counterclockwise, -1 clockwise. */
static int crossing(const double *a, const double *b) {
    const double turn = a[0] * b[1] - a[1] * b[0];
    return a[1] >= 0 && b[1] < 0 && turn > 0 ? 1 : a[1] < 0 && b[1] >= 0 && turn < 0 ? -1 : 0;
}

/* Whether the angle turns once around the plaquette of site i in directions d and e. */
static bool is_vortex(const spin_model *m, const double *s, uint64_t i, uint32_t d, uint32_t e) {
    const uint64_t j = neighbour(m, i, d, false), k = neighbour(m, j, e, false),
                   l = neighbour(m, i, e, false);
    return crossing(s + 3 * i, s + 3 * j) + crossing(s + 3 * j, s + 3 * k) +
               crossing(s + 3 * k, s + 3 * l) + crossing(s + 3 * l, s + 3 * i) !=
           0;
}

/* Adds |kappa| of the plaquette of site i in directions d and e, if it is frustrated, and counts it. */
static void add_chirality(double *sum, double *count, const spin_model *m, const double *s,
                          uint64_t i, uint32_t d, uint32_t e) {
    const uint64_t j = neighbour(m, i, d, false), k = neighbour(m, j, e, false),
                   l = neighbour(m, i, e, false), corner[] = {i, j, k, l, i};
    const double J[] = {coupling(m, i, d), coupling(m, j, e), coupling(m, l, d), coupling(m, i, e)};
    double kappa[3] = {0};
    if (!(J[0] * J[1] * J[2] * J[3] < 0))
        return;
    for (int n = 0; n < 4; n++)
        add_cross(kappa, J[n] < 0 ? -1 : 1, s + 3 * corner[n], s + 3 * corner[n + 1]);
    *sum += fabs(kappa[2]) / sqrt(8);
    *count += 1;
}

static void measure_replica(one_replica *of, const spin_model *m) {
    const double *const s = of->vectors;
    const double N = (double)m->sites, planes = m->dimension == 3 ? 3 : 1;
    double along = 0, across = 0, bonds = 0, currents = 0, vortices = 0, chirality = 0,
           frustrated = 0;
    double current[MODEL_MAX_DIMENSION][3] = {{0}};
    for (uint64_t i = 0; i < m->sites; i++) {
        const double *const here = s + 3 * i;
        double h[3] = {0};
        for (uint32_t d = 0; d < m->dimension; d++) {
            const uint64_t before = neighbour(m, i, d, true);
            const double *const next = s + 3 * neighbour(m, i, d, false), *const last =
                                                                              s + 3 * before;
            const double J = coupling(m, i, d), J_before = coupling(m, before, d);
            for (int c = 0; c < 3; c++)
                h[c] += J * next[c] + J_before * last[c];
            bonds += J * product(here, next);
            add_cross(current[d], J, here, next);
            for (uint32_t e = 0; e < d && m->components == 2; e++)
                if (m->sample != NULL)
                    add_chirality(&chirality, &frustrated, m, s, i, d, e);
                else
                    vortices += is_vortex(m, s, i, d, e);
        }
        const double in_field = product(here, h);
        along += in_field;
        across += product(h, h) - in_field * in_field;
        of->norm = fmax(of->norm, fabs(product(here, here) - 1));
    }
    for (uint32_t d = 0; d < m->dimension; d++)
        currents += product(current[d], current[d]);
    of->sums = (vector_sums){.replicas = 1,
                             .along = along / N,
                             .across = across / N,
                             .bonds = bonds / N,
                             .currents = currents / N,
                             .vortices = vortices / (planes * N),
                             .chirality = chirality / frustrated}; /* nan without such plaquettes */
}

static void add_sums(vector_sums *to, const vector_sums *from) {
    to->replicas += from->replicas;
    to->along += from->along;
    to->across += from->across;
    to->bonds += from->bonds;
    to->currents += from->currents;
    to->vortices += from->vortices;
    to->chirality += from->chirality;
}

/* Measures so many replicas from number r on. They are added one after the other, so that sums do not depend on the threads. */
static bool measure_some(series *s, uint64_t r, uint32_t count) {
    vector_record *const v = s->state;
    engine *const e = s->steps.engine;
    const size_t block = time_block_of(s->record.count - 1, s->record.room),
                 bytes = model_packed_bytes(&s->model);
    if (e->verbs->read(e, r, count, v->spins, v->families) != ENGINE_OK)
        return series_fail(s, "%s failed: %.200s", e->name, e->error);
#pragma omp parallel for if (count * s->model.sites >= SITES_TOGETHER)
    for (uint32_t n = 0; n < count; n++) {
        v->of[n].norm = 0;
        read_vectors(v->of[n].vectors, &s->model, v->spins + n * bytes);
        measure_replica(&v->of[n], &s->model);
    }
    for (uint32_t n = 0; n < count; n++) {
        const size_t k = (size_t)((r + n) / s->replicas);
        add_sums(&v->sums[block * s->temperatures + k], &v->of[n].sums);
        v->norm[k] = fmax(v->norm[k], v->of[n].norm);
    }
    return true;
}

static bool measured(series *s) {
    const uint64_t all = s->temperatures * s->replicas;
    const uint32_t together = ((const vector_record *)s->state)->together;
    bool good = true;
    for (uint64_t r = 0; r < all && good; r += together)
        good = measure_some(s, r, (uint32_t)(all - r < together ? all - r : together));
    return good;
}

static bool transfer(section_file *f, series *s) {
    vector_record *const v = s->state;
    return section_transfer(f, v->sums, TIME_BLOCKS * s->temperatures * sizeof *v->sums) &&
           section_transfer(f, v->norm, s->temperatures * sizeof *v->norm);
}

/* --- results --- */

typedef enum { BETA_OF_SPINS, STIFFNESS, VORTICES, CHIRALITY, QUANTITIES } quantity;

static double value_of(quantity q, const vector_sums *a, const spin_model *m, double beta) {
    const double n = m->components, d = m->dimension;
    switch (q) {
    case BETA_OF_SPINS:
        return (n - 1) * a->along / a->across;
    case STIFFNESS:
        return (m->components == 3 ? 2. / 3 : 1) *
               (a->bonds - beta * a->currents / (m->components == 3 ? 2 : 1)) / (d * a->replicas);
    case VORTICES:
        return m->components == 2 && m->sample == NULL ? a->vortices / a->replicas : NAN;
    case CHIRALITY:
    case QUANTITIES:
        break;
    }
    return m->components == 2 && m->sample != NULL ? a->chirality / a->replicas : NAN;
}

/* The sums at temperature k of all blocks but one; TIME_BLOCKS: of all. */
static vector_sums sums_without(const series *s, size_t k, size_t without) {
    const vector_record *const v = s->state;
    vector_sums all = {0};
    for (size_t b = 0; b < TIME_BLOCKS; b++)
        if (b != without)
            add_sums(&all, &v->sums[b * s->temperatures + k]);
    return all;
}

/* A quantity and its jackknife error over the blocks of time that have measurements; nan of fewer than two. */
static void put_quantity(double x[2], const series *s, size_t k, quantity q) {
    const vector_record *const v = s->state;
    const vector_sums all = sums_without(s, k, TIME_BLOCKS);
    double value[TIME_BLOCKS], mean = 0, squares = 0, blocks = 0;
    for (size_t b = 0; b < TIME_BLOCKS; b++) {
        const vector_sums less = sums_without(s, k, b);
        if (v->sums[b * s->temperatures + k].replicas == 0)
            continue;
        value[(size_t)blocks++] = value_of(q, &less, &s->model, s->beta[k]);
    }
    for (size_t b = 0; b < (size_t)blocks; b++)
        mean += value[b] / blocks;
    for (size_t b = 0; b < (size_t)blocks; b++)
        squares += (value[b] - mean) * (value[b] - mean);
    x[0] = value_of(q, &all, &s->model, s->beta[k]);
    x[1] = blocks > 1 ? sqrt((blocks - 1) / blocks * squares) : NAN;
}

static exit_status publish(const series *s, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"beta_spins", "that by the identity of the spins, in 1/J"},
        {"err_beta_spins", "its error"},
        {"stiffness", "spin stiffness, in J"},
        {"err_stiffness", "its error"},
        {"vortices", "share of plaquettes with a vortex, of XY models"},
        {"err_vortices", "its error"},
        {"norm", "the largest |s^2 - 1| of a spin"},
        {"chirality", "mean |kappa| of frustrated plaquettes, of XY glasses"},
        {"err_chirality", "its error"},
    };
    enum { COLUMNS = sizeof column / sizeof *column, NORM = 7 };
    const vector_record *const v = s->state;
    FILE *const file =
        series_results_begin(folder, VECTORS_FILE, s->given, &s->model, "", column, COLUMNS);
    for (size_t k = 0; k < s->temperatures && file != NULL; k++) {
        double x[COLUMNS] = {s->beta[k], [NORM] = v->norm[k]};
        for (int q = 0; q < QUANTITIES; q++)
            put_quantity(x + 1 + 2 * q + (q > VORTICES), s, k, (quantity)q);
        results_print_row(file, s->given->precision, x, COLUMNS);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

uint64_t vector_series_bytes(const parameters *p) {
    const spin_model model = parameters_model(p);
    return replicas_together(&model) * (model_packed_bytes(&model) +
                                        3 * model.sites * sizeof(double) + sizeof(one_replica)) +
           parameters_populations(p) * (TIME_BLOCKS * sizeof(vector_sums) + sizeof(double));
}

const series_method vector_series = {.state_bytes = sizeof(vector_record),
                                     .create = create,
                                     .destroy = destroy,
                                     .measured = measured,
                                     .transfer = transfer,
                                     .write = publish};
