/* Multi-histogram analysis (eq. 9): the sums over the temperatures, and the averages from them. */
#include "reweighting.h"

#include "base/ieee_math.h"
#include "resample/schedule.h"

#include <stdlib.h>
#include <string.h>

/* |J| of a bond of a model whose energies are fine, in units of 1 / unit. */
static int64_t bond_bound(const spin_model *model, uint64_t bond) {
    const couplings *const c = model->sample;
    if (c != NULL && c->value != NULL)
        return labs((long)c->value[bond]);
    return c == NULL || couplings_has(c, bond) ? model->levels.unit : 0;
}

/* Norms of vectors are not quite 1, and the energies of their bonds are rounded. */
int64_t reweighting_bound(const spin_model *model) {
    const bool vectors = model->spins == SPINS_VECTOR;
    const uint64_t bonds = vectors                 ? model->dimension * model->sites
                           : model->sample != NULL ? model->sample->bonds
                                                   : 0;
    int64_t bound = 0;
    if (model->graph != NULL)
        return model->graph->bound;
    for (uint64_t n = 0; n < bonds; n++)
        bound += bond_bound(model, n);
    return vectors ? bound + bound / 8192 + (int64_t)bonds : bound;
}

energy_levels reweighting_levels(const spin_model *model) {
    const int64_t half = REWEIGHTING_BINS / 2;
    if (!model->levels.fine)
        return model->levels;
    const int64_t width = reweighting_bound(model) / half + 1;
    return (energy_levels){-half * width, width, REWEIGHTING_BINS, model->levels.unit, false};
}

/* The level of the analysis for one of a histogram. */
static size_t level_in(const reweighting *r, const histogram *h, size_t n) {
    return h->energy == NULL ? n
                             : (size_t)((h->energy[n] - r->levels.lowest + r->levels.spacing / 2) /
                                        r->levels.spacing);
}

int reweighting_create(reweighting *r, energy_levels levels) {
    *r = (reweighting){.levels = levels};
    r->level = calloc(levels.count, sizeof *r->level);
    r->ln_omega = calloc(levels.count, sizeof *r->ln_omega);
    if (r->level && r->ln_omega)
        return 0;
    reweighting_destroy(r);
    return -1;
}

void reweighting_destroy(reweighting *r) {
    free(r->level);
    free(r->ln_omega);
    free(r->temperature);
    *r = (reweighting){0};
}

void reweighting_clear(reweighting *r) {
    memset(r->level, 0, r->levels.count * sizeof *r->level);
    r->first = r->end = 0;
    r->temperatures = 0;
}

static int append_temperature(reweighting *r, reweighting_temperature temperature) {
    if (r->temperatures == r->room) {
        const size_t room = r->room ? 2 * r->room : 256;
        reweighting_temperature *const grown = realloc(r->temperature, room * sizeof *grown);
        if (!grown)
            return -1;
        r->temperature = grown;
        r->room = room;
    }
    r->temperature[r->temperatures++] = temperature;
    return 0;
}

void reweighting_add_levels(reweighting *r, const histogram *h) {
    const double share = histogram_largest_order(h, 1), share2 = share * share;
    for (size_t n = h->first; n < h->end; n++) {
        const level_sums *const from = &h->level[n];
        reweighting_level *const to = &r->level[level_in(r, h, n)];
        to->replicas += (double)from->replicas;
        to->abs_m += (double)from->abs_m / share;
        to->m2 += (double)from->m2 / share2;
        to->m4 += histogram_m4_unit(h) * (double)histogram_fourth(h, from->q_low, from->q_high) /
                  (share2 * share2);
    }
    const int empty = r->first == r->end;
    const size_t first = level_in(r, h, h->first), end = level_in(r, h, h->end - 1) + 1;
    r->first = empty || first < r->first ? first : r->first;
    r->end = end > r->end ? end : r->end;
}

int reweighting_add(reweighting *r, const histogram *h, double beta, double beta_f) {
    if (append_temperature(r, (reweighting_temperature){.beta = beta,
                                                        .population = (double)h->population,
                                                        .beta_f = beta_f}))
        return -1;
    reweighting_add_levels(r, h);
    return 0;
}

bool reweighting_transfer(section_file *f, reweighting *r, size_t temperatures) {
    if (!section_range(f, &r->first, &r->end, r->level, r->levels.count, sizeof *r->level) ||
        !section_known(f, temperatures))
        return false;
    if (f->mode == SECTION_READ) {
        r->temperature = section_allocate(f, temperatures, sizeof *r->temperature);
        if (r->temperature == NULL)
            return false;
        r->temperatures = r->room = temperatures;
    }
    return section_transfer(f, r->temperature, temperatures * sizeof *r->temperature);
}

/* ln of the Boltzmann weight of a level at beta. */
static fixed ln_weight(const reweighting *r, size_t n, fixed beta) {
    return r->ln_omega[n] - beta * level_energy(r->levels, n);
}

/* The occupied level of the largest weight at beta. */
static size_t heaviest_level(const reweighting *r, fixed beta) {
    size_t heaviest = r->first; /* an occupied level, by definition of `first` */
    for (size_t n = r->first; n < r->end; n++)
        if (r->level[n].replicas > 0 && ln_weight(r, n, beta) > ln_weight(r, heaviest, beta))
            heaviest = n;
    return heaviest;
}

observables reweighting_at(const reweighting *r, uint64_t spins, double beta) {
    const double unit = level_unit(r->levels);
    const fixed exact_beta = fixed_beta(beta / unit);
    const size_t top = heaviest_level(r, exact_beta);
    const fixed ln_top = ln_weight(r, top, exact_beta);
    /* Energies relative to that of the heaviest level: the variance loses no digits. */
    const double reference = (double)level_energy(r->levels, top) / unit;
    double z = 0, x = 0, x2 = 0, e3 = 0, e4 = 0, abs_m = 0, m2 = 0, m4 = 0;
    for (size_t n = r->first; n < r->end; n++) {
        const reweighting_level *const level = &r->level[n];
        if (!(level->replicas > 0))
            continue;
        const double weight = ieee_exp(fixed_value(ln_weight(r, n, exact_beta) - ln_top));
        const double energy = (double)level_energy(r->levels, n) / unit, above = energy - reference;
        const double of_spin = energy / (double)spins, cube = of_spin * of_spin * of_spin;
        z += weight;
        x += weight * above;
        x2 += weight * above * above;
        e3 += weight * cube;
        e4 += weight * cube * of_spin;
        abs_m += weight * (level->abs_m / level->replicas);
        m2 += weight * (level->m2 / level->replicas);
        m4 += weight * (level->m4 / level->replicas);
    }
    const double spin_count = (double)spins, spins2 = spin_count * spin_count;
    const double variance = x2 / z - x / z * (x / z);
    const double e = (reference + x / z) / spin_count;
    return (observables){.beta = beta,
                         .e = e,
                         .e2 = e * e + variance / spins2,
                         .e3 = e3 / z,
                         .e4 = e4 / z,
                         .c = beta * beta * variance / spin_count,
                         .abs_m = abs_m / z / spin_count,
                         .m2 = m2 / z / spins2,
                         .m4 = m4 / z / (spins2 * spins2),
                         .beta_f = -fixed_value(ln_top + fixed_of(ieee_log(z)))};
}

#define POINTS_TOGETHER 64 /* points of a grid from which on threads share them */

size_t beta_grid_size(const beta_grid *grid) {
    return (size_t)schedule_steps(grid->end - grid->start, grid->step) + 1;
}

int reweighting_rows(const reweighting *r, uint64_t spins, const beta_grid *grid,
                     observables **rows, size_t *count) {
    const double steps = schedule_steps(grid->end - grid->start, grid->step);
    *count = beta_grid_size(grid);
    *rows = calloc(*count, sizeof **rows);
    if (!*rows)
        return -1;
    const size_t points = *count;
#pragma omp parallel for if (points >= POINTS_TOGETHER) schedule(static)
    for (size_t i = 0; i < points; i++)
        (*rows)[i] = reweighting_at(
            r, spins, schedule_at(grid->start, grid->end, grid->step, (double)i, steps));
    return 0;
}
