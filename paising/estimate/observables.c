/* Population averages (eqs. 3-5) and their one-run errors.
 *
 * Sums stay integers, exact, until all that could cancel has cancelled: the variance of the energy
 * is made from sums about a reference energy close to the mean. */
#include "observables.h"

#include "blocking.h"
#include "counting.h"

#include <math.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* Sums over any part of the population. */
typedef struct {
    uint64_t replicas;
    int128 energy;  /* sum of E */
    int128 energy2; /* sum of E^2 */
    uint128 abs_m;  /* sum of |M| */
} part_sums;

static part_sums sum_blocks(const block_sums *block, size_t count) {
    part_sums sum = {0, 0, 0, 0};
    for (size_t b = 0; b < count; b++) {
        sum.replicas += block[b].replicas;
        sum.energy += block[b].energy;
        sum.energy2 += block[b].energy2;
        sum.abs_m += block[b].abs_m;
    }
    return sum;
}

static part_sums difference(part_sums all, part_sums part) {
    return (part_sums){all.replicas - part.replicas, all.energy - part.energy,
                       all.energy2 - part.energy2, all.abs_m - part.abs_m};
}

static double mean_energy(part_sums s) {
    return (double)s.energy / (double)s.replicas;
}

/* <E^2> - <E>^2 from exact sums of x = E - reference. */
static double energy_variance(part_sums s) {
    const int128 reference = s.energy / (int128)s.replicas;
    const int128 x = s.energy - (int128)s.replicas * reference;
    const int128 x2 =
        s.energy2 - 2 * reference * s.energy + (int128)s.replicas * reference * reference;
    const double mean = (double)x / (double)s.replicas;
    return (double)x2 / (double)s.replicas - mean * mean;
}

/* Fills the errors that come from the blocks of the population. */
static void set_errors(observables *row, const histogram *h, part_sums all, double spins) {
    const size_t blocks = blocking_choose(h);
    row->error_e = row->error_c = row->error_abs_m = row->r_eff = NAN;
    if (blocks == 0)
        return;
    const size_t merged = POPULATION_BLOCKS / blocks;
    double energy[POPULATION_BLOCKS], variance[POPULATION_BLOCKS], abs_m[POPULATION_BLOCKS];
    for (size_t b = 0; b < blocks; b++) {
        const part_sums rest = difference(all, sum_blocks(h->block + b * merged, merged));
        energy[b] = mean_energy(rest);
        variance[b] = energy_variance(rest);
        abs_m[b] = (double)rest.abs_m / (double)rest.replicas;
    }
    const double error_energy = jackknife_error(energy, blocks);
    row->error_e = error_energy / spins;
    row->error_c = row->beta * row->beta / spins * jackknife_error(variance, blocks);
    row->error_abs_m = jackknife_error(abs_m, blocks) / spins;
    row->r_eff = energy_variance(all) / (error_energy * error_energy);
}

/* Fills m2 and m4, which only the levels know. */
static void set_moments(observables *row, const histogram *h, double spins) {
    uint128 m2 = 0, q = 0;
    for (size_t n = h->first; n < h->end; n++) {
        m2 += h->level[n].m2;
        q += h->level[n].q_low + ((uint128)h->level[n].q_high << 32);
    }
    const double replicas = (double)h->population;
    row->m2 = (double)m2 / replicas / (spins * spins);
    row->m4 = histogram_m4_unit(h) * (double)q / replicas / (spins * spins * spins * spins);
}

static void set_sure_families(observables *row, kinship relatives) {
    row->relatives = relatives;
    row->sure_families = kinship_sure_families(relatives, row->population, row->rho_t);
    row->trusted = row->sure_families >= TRUSTED_FAMILIES;
}

void observables_ignore_kinship(observables *row) {
    set_sure_families(row, (kinship){.ratio = 1, .length = row->relatives.length});
}

/* The lowest excitation costs the gap, and turns one spin. */
void observables_count(observables *row, uint64_t spins, double replicas) {
    const double n = (double)spins, e = row->gap / n, c = row->beta * row->beta * row->gap * e;
    row->error_e = counting_error(row->error_e, replicas, row->excited, e);
    row->error_c = counting_error(row->error_c, replicas, row->excited, c);
    row->error_abs_m = counting_error(row->error_abs_m, replicas, row->excited, 2 / n);
}

observables observables_compute(const histogram *h, uint64_t spins, double beta,
                                const free_energy_path *f) {
    const double n = (double)spins;
    const part_sums all = sum_blocks(h->block, POPULATION_BLOCKS);
    observables row = {.beta = beta,
                       .e = mean_energy(all) / n,
                       .e2 = (double)all.energy2 / (double)all.replicas / (n * n),
                       .c = beta * beta / n * energy_variance(all),
                       .abs_m = (double)all.abs_m / (double)all.replicas / n,
                       .beta_f = f->beta_f,
                       .ln_growth = f->ln_growth,
                       .ln_q = f->ln_q,
                       .overlap = f->overlap,
                       .population = (double)h->population,
                       .families = (double)h->families,
                       .rho_t = mean_family_size(h)};
    row.excited = row.population - (double)h->level[0].replicas;
    row.gap = h->gap;
    set_sure_families(&row, kinship_of(h));
    set_moments(&row, h, n);
    set_errors(&row, h, all, n);
    observables_count(&row, spins, row.population);
    row.error_beta_f = free_energy_error(f, blocking_choose(h));
    return row;
}

_Static_assert(offsetof(observables, trusted) == 25 * sizeof(double) &&
                   sizeof(observables) == 26 * sizeof(double),
               "a row is written as its numbers and then `trusted`");

bool observables_transfer(section_file *f, observables rows[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!section_transfer(f, &rows[i], offsetof(observables, trusted)) ||
            !section_bool(f, &rows[i].trusted))
            return false;
    return true;
}
