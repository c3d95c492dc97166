/* Population averages (eqs. 3-5) and their errors within one run.
 *
 * Sums stay exact integers until nothing can cancel any more: the variance of the energy is
 * computed from sums about a reference energy close to the mean. */
#include "observables.h"

#include "blocking.h"
#include "counting.h"
#include "measurements.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 int128;

/* Sums over a part of the population. */
typedef struct {
    uint64_t replicas;
    int128 energy;  /* sum of E */
    int128 energy2; /* sum of E^2 */
    uint128 abs_m;  /* sum of |M| */
    uint128 m2;     /* sum of M^2 */
    uint128 q;      /* sum of M^4 in units of histogram_m4_unit */
} part_sums;

static part_sums sum_blocks(const histogram *h, size_t first, size_t count) {
    const block_sums *const block = h->block + first;
    part_sums sum = {0};
    for (size_t b = 0; b < count; b++) {
        sum.replicas += block[b].replicas;
        sum.energy += block[b].energy;
        sum.energy2 += block[b].energy2;
        if (h->energy2_high != NULL)
            sum.energy2 += (int128)h->energy2_high[first + b] << 64;
        sum.abs_m += block[b].abs_m;
        sum.m2 += block[b].m2;
        sum.q += histogram_fourth(h, block[b].q_low, block[b].q_high);
    }
    return sum;
}

/* The same with sums of 64 bits, if are_short allows it. Wide sums would take most of the time of a
 * row. */
static part_sums sum_short_blocks(const histogram *h, size_t first, size_t count) {
    const block_sums *const block = h->block + first;
    block_sums sum = {0};
    for (size_t b = 0; b < count; b++) {
        sum.replicas += block[b].replicas;
        sum.energy += block[b].energy;
        sum.energy2 += block[b].energy2;
        sum.abs_m += block[b].abs_m;
        sum.m2 += block[b].m2;
        sum.q_low += block[b].q_low;
        sum.q_high += block[b].q_high;
    }
    return (part_sums){sum.replicas, sum.energy, sum.energy2,
                       sum.abs_m,    sum.m2,     histogram_fourth(h, sum.q_low, sum.q_high)};
}

/* Whether 64 bits hold the sums over all blocks. |E| <= E^2 and |M| <= M^2, so that the squares
 * decide. */
static bool are_short(const histogram *h) {
    const block_sums *const block = h->block;
    uint64_t bits = 0;
    for (size_t b = 0; b < POPULATION_BLOCKS && h->energy2_high != NULL; b++)
        bits |= h->energy2_high[b] > 0 ? UINT64_MAX : 0;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        bits |= block[b].energy2 | block[b].m2 | block[b].q_low | block[b].q_high;
    return bits <= INT64_MAX / POPULATION_BLOCKS;
}

/* Fills part[parts] with the sums over each of `parts` equal parts of the population. Returns the
 * sums over all. */
static part_sums sum_parts(const histogram *h, part_sums part[], size_t parts) {
    part_sums (*const sum_of)(const histogram *, size_t, size_t) =
        are_short(h) ? sum_short_blocks : sum_blocks;
    const size_t merged = POPULATION_BLOCKS / parts;
    for (size_t n = 0; n < parts; n++)
        part[n] = sum_of(h, n * merged, merged);
    return sum_of(h, 0, POPULATION_BLOCKS);
}

static part_sums difference(part_sums all, part_sums part) {
    return (part_sums){
        all.replicas - part.replicas, all.energy - part.energy, all.energy2 - part.energy2,
        all.abs_m - part.abs_m,       all.m2 - part.m2,         all.q - part.q};
}

/* The double nearest to a sum. The usual sum fits 64 bits and needs no call. */
static double number_of(int128 sum) {
    return sum == (int64_t)sum ? (double)(int64_t)sum : (double)sum;
}

/* Quotient of whole numbers. Below this limit doubles hold both numbers exactly, and the double
 * quotient, truncated, is right: it differs from the next whole number by at least 1 / replicas,
 * more than its rounding error. */
#define WHOLE_DOUBLES (INT64_C(1) << 53)

static int128 quotient(int128 sum, uint64_t replicas) {
    if (sum > -WHOLE_DOUBLES && sum < WHOLE_DOUBLES && replicas < WHOLE_DOUBLES)
        return (int64_t)((double)(int64_t)sum / (double)replicas);
    return sum / (int128)replicas;
}

static double mean_energy(part_sums s) {
    return number_of(s.energy) / (double)s.replicas;
}

/* <E^2> - <E>^2 from exact sums of x = E - reference. */
static double energy_variance(part_sums s) {
    const int128 reference = quotient(s.energy, s.replicas);
    const int128 x = s.energy - (int128)s.replicas * reference;
    const int128 x2 =
        s.energy2 - 2 * reference * s.energy + (int128)s.replicas * reference * reference;
    const double mean = number_of(x) / (double)s.replicas;
    return number_of(x2) / (double)s.replicas - mean * mean;
}

static double mean_of(uint128 sum, uint64_t replicas) {
    return (sum >> 64 == 0 ? (double)(uint64_t)sum : (double)sum) / (double)replicas;
}

moments observables_moments(const observables *row, uint64_t spins) {
    return (moments){.beta = row->beta,
                     .spins = (double)spins,
                     .e = row->e,
                     .e2 = row->e2,
                     .e3 = row->e3,
                     .e4 = row->e4,
                     .abs_m = row->abs_m,
                     .m2 = row->m2,
                     .m4 = row->m4};
}

/* Fills the jackknife errors over the blocks of the population. */
static void set_errors(observables *row, const histogram *h, part_sums all, const part_sums part[],
                       size_t blocks, double spins) {
    enum { ENERGY, VARIANCE, ABS_M, M2, Q, QUANTITIES };
    double without[POPULATION_BLOCKS * (QUANTITIES + COLUMNS_MOST)],
        error[QUANTITIES + COLUMNS_MOST];
    const size_t count = QUANTITIES + moment_columns_count;
    const double m4_unit = histogram_m4_unit(h), unit = level_unit(h->levels), per_spin = 1 / spins,
                 per_spin2 = per_spin * per_spin, most = histogram_largest_order(h, spins),
                 most2 = most * most, per_most = 1 / most, per_most2 = per_most * per_most;
    for (size_t b = 0; b < blocks; b++) {
        const part_sums rest = difference(all, part[b]);
        double *const of = without + b * count;
        of[ENERGY] = mean_energy(rest);
        of[VARIANCE] = energy_variance(rest);
        of[ABS_M] = mean_of(rest.abs_m, rest.replicas);
        of[M2] = mean_of(rest.m2, rest.replicas);
        of[Q] = mean_of(rest.q, rest.replicas);
        /* Sums of blocks have no powers of E above the second. */
        const moments mean = {.beta = row->beta,
                              .spins = spins,
                              .e = of[ENERGY] * per_spin / unit,
                              .e2 = number_of(rest.energy2) / (double)rest.replicas * per_spin2 /
                                    (unit * unit),
                              .e3 = NAN,
                              .e4 = NAN,
                              .abs_m = of[ABS_M] * per_most,
                              .m2 = of[M2] * per_most2,
                              .m4 = m4_unit * of[Q] * (per_most2 * per_most2)};
        for (size_t n = 0; n < moment_columns_count; n++)
            of[QUANTITIES + n] = moment_columns[n].value(&mean);
    }
    jackknife_errors(without, blocks, count, error);
    row->error_e = error[ENERGY] / spins / unit;
    row->error_c = row->beta * row->beta / spins * error[VARIANCE] / (unit * unit);
    row->error_abs_m = error[ABS_M] / most;
    row->error_m2 = error[M2] / most2;
    row->error_m4 = m4_unit * error[Q] / (most2 * most2);
    memcpy(row->error_of, error + QUANTITIES, moment_columns_count * sizeof *error);
    row->r_eff = energy_variance(all) / (error[ENERGY] * error[ENERGY]);
}

/* Fills the errors of beta F and of the entropy per spin, beta e + ln Z / N. The two terms of the
 * entropy are correlated; therefore its blocks are those of ln Z (free_energy.h), groups of
 * founders. */
static void set_entropy_error(observables *row, const histogram *h, part_sums all,
                              const free_energy_path *f, size_t blocks, double spins) {
    const size_t merged = POPULATION_BLOCKS / blocks;
    double entropy[POPULATION_BLOCKS]; /* of the whole lattice without each block, up to a
                                        * constant */
    free_energy_without(f, blocks, entropy);
    row->error_beta_f = jackknife_error(entropy, blocks);
    for (size_t b = 0; b < blocks; b++) {
        part_sums rest = all;
        for (size_t n = b * merged; n < (b + 1) * merged; n++) {
            rest.replicas -= h->founder[n].replicas;
            rest.energy -= h->founder[n].energy;
        }
        entropy[b] += row->beta / level_unit(h->levels) * mean_energy(rest);
    }
    row->error_s = jackknife_error(entropy, blocks) / spins;
}

static void set_effective_families(observables *row, relatives_correlation relatives) {
    row->relatives = relatives;
    row->effective_families = relatives_effective_families(relatives, row->population, row->rho_t);
    row->trusted = row->effective_families >= TRUSTED_FAMILIES;
}

void observables_ignore_relatives(observables *row) {
    set_effective_families(row,
                           (relatives_correlation){.ratio = 1, .length = row->relatives.length});
}

void observables_distrust(observables *row) {
    row->effective_families = 0;
    row->trusted = false;
}

/* The change of a column when a part of the replicas goes from the ground state to the lowest
 * excitation, divided by that part. The part is small enough for a slope, and large enough for the
 * change not to be lost in rounding: a change may be of the order of 1 / N^2. */
static double change_by_excitation(const moment_column *c, const observables *row, uint64_t spins) {
    const double part = 1.0 / 64, n = (double)spins, m = 1 - 2 / n;
    const double ground = row->lowest / n, excited = (row->lowest + row->gap) / n;
    const moments before = observables_moments(row, spins);
    moments after = before;
    after.e += part * (excited - ground);
    after.e2 += part * (excited * excited - ground * ground);
    after.e3 += part * (excited * excited * excited - ground * ground * ground);
    after.e4 += part * (excited * excited * excited * excited - ground * ground * ground * ground);
    after.abs_m += part * (m - 1);
    after.m2 += part * (m * m - 1);
    after.m4 += part * (m * m * m * m - 1);
    return fabs(c->value(&after) - c->value(&before)) / part;
}

/* Adds the errors of counting `events` excitations: to all errors, or to errors of 0 only. The
 * lowest excitation costs the gap, and is taken to flip one spin. */
static void count_events(observables *row, uint64_t spins, double replicas, double events,
                         bool of_0_alone) {
    const double n = (double)spins, e = row->gap / n, m = 2 / n;
    const struct {
        double *error, one;
    } counted[] = {{&row->error_e, e},      {&row->error_c, row->beta * row->beta * row->gap * e},
                   {&row->error_abs_m, m},  {&row->error_m2, 2 * m},
                   {&row->error_m4, 4 * m}, {&row->error_s, row->beta * e}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (!of_0_alone || *counted[i].error == 0)
            *counted[i].error = counting_error(*counted[i].error, replicas, events, counted[i].one);
    for (size_t i = 0; i < moment_columns_count; i++)
        if (!of_0_alone || row->error_of[i] == 0)
            row->error_of[i] = counting_error(row->error_of[i], replicas, events,
                                              change_by_excitation(&moment_columns[i], row, spins));
}

void observables_count(observables *row, uint64_t spins, double replicas, double share) {
    count_events(row, spins, share * replicas, share * row->excited, false);
}

void observables_count_nothing(observables *row, uint64_t spins, double replicas) {
    count_events(row, spins, replicas, 0, true);
}

/* Fills the two lowest energies known to exist, and the number of replicas above the lowest. */
static void set_lowest(observables *row, const histogram *h, const observables *before) {
    const double unit = level_unit(h->levels);
    double lowest = before ? rint(before->lowest * unit) : INFINITY,
           next = before ? rint((before->lowest + before->gap) * unit) : INFINITY;
    for (size_t n = h->first; n < h->end && h->coupled; n++) {
        const double energy = (double)histogram_energy(h, n);
        if (h->level[n].replicas == 0 || energy == lowest)
            continue;
        if (energy > next)
            break;
        next = fmin(next, fmax(energy, lowest));
        lowest = fmin(lowest, energy);
    }
    lowest = h->coupled ? lowest : (double)h->levels.lowest;
    row->lowest = lowest / unit;
    row->gap = (h->coupled ? fmin(h->gap, next - lowest) : h->gap) / unit;
    const size_t level = h->levels.fine
                             ? h->first
                             : (size_t)(((int64_t)lowest - h->levels.lowest) / h->levels.spacing);
    const bool there = histogram_energy(h, level) == (int64_t)lowest;
    row->excited = row->population - (there ? (double)h->level[level].replicas : 0);
}

observables observables_compute(const histogram *h, uint64_t spins, double beta,
                                const free_energy_path *f, const observables *before) {
    const double n = (double)spins, unit = level_unit(h->levels),
                 most = histogram_largest_order(h, n);
    const size_t blocks = blocking_choose(h);
    part_sums part[POPULATION_BLOCKS];
    const part_sums all = sum_parts(h, part, blocks > 0 ? blocks : 1);
    observables row = {.beta = beta,
                       .e = mean_energy(all) / unit / n,
                       .e2 = (double)all.energy2 / (double)all.replicas / (unit * unit) / (n * n),
                       .c = beta * beta / n * (energy_variance(all) / (unit * unit)),
                       .abs_m = mean_of(all.abs_m, all.replicas) / most,
                       .m2 = mean_of(all.m2, all.replicas) / (most * most),
                       .m4 = histogram_m4_unit(h) * mean_of(all.q, all.replicas) /
                             (most * most * most * most),
                       .beta_f = f->beta_f,
                       .ln_growth = f->ln_growth,
                       .ln_q = f->ln_q,
                       .overlap = f->overlap,
                       .population = (double)h->population,
                       .families = (double)h->families,
                       .rho_t = mean_family_size(h),
                       .blocks = (double)blocks};
    energy_powers(h, spins, &row.e3, &row.e4);
    set_lowest(&row, h, before);
    set_effective_families(&row, relatives_of(h, row.excited));
    row.error_e = row.error_c = row.error_abs_m = row.error_m2 = row.error_m4 = row.error_s =
        row.error_beta_f = row.r_eff = NAN;
    for (size_t i = 0; i < moment_columns_count; i++)
        row.error_of[i] = NAN;
    if (blocks > 0) {
        set_errors(&row, h, all, part, blocks, n);
        set_entropy_error(&row, h, all, f, blocks, n);
        observables_count(&row, spins, row.population, 1);
    }
    return row;
}

_Static_assert(offsetof(observables, trusted) == (32 + COLUMNS_MOST) * sizeof(double) &&
                   sizeof(observables) == (33 + COLUMNS_MOST) * sizeof(double),
               "a row is written as its numbers and then `trusted`");

bool observables_transfer(section_file *f, observables rows[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!section_transfer(f, &rows[i], offsetof(observables, trusted)) ||
            !section_bool(f, &rows[i].trusted))
            return false;
    return true;
}
