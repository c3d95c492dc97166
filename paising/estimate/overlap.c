/* Means over pairs of replicas and their jackknife errors. */
#include "overlap.h"

#include "base/ieee_math.h"
#include "base/portable.h"
#include "base/wide.h"
#include "blocking.h"
#include "counting.h"

#include <math.h>
#include <string.h>

#define VECTOR_UNIT 0x1p20 /* steps of q_s and q_k */

/* Sums over a part of the pairs. */
typedef struct {
    uint64_t pairs, d;
    uint128 d2, d4, walls, wave[MODEL_MAX_DIMENSION];
    uint128 self, chiral2, chiral4; /* of vectors */
} part_sums;

static part_sums sum_blocks(const overlap_sums *s, size_t first, size_t count) {
    const overlap_block *const block = s->block + first;
    part_sums sum = {0};
    for (size_t b = 0; b < count; b++) {
        const overlap_vector_block *const more = s->vectors + first + b;
        sum.self += more->self;
        sum.chiral2 += more->chiral2;
        sum.chiral4 += more->chiral4_low + ((uint128)more->chiral4_high << 32);
        sum.pairs += block[b].pairs;
        sum.d += block[b].d;
        sum.d2 += block[b].d2;
        sum.d4 += block[b].d4_low + ((uint128)block[b].d4_high << 32);
        sum.walls += block[b].walls;
        for (size_t n = 0; n < MODEL_MAX_DIMENSION; n++)
            sum.wave[n] += block[b].wave_low[n] + ((uint128)block[b].wave_high[n] << 32);
    }
    return sum;
}

/* Fills part[parts] with the sums over each of `parts` equal parts of the pairs. Returns the sums
 * over all. */
static part_sums sum_parts(const overlap_sums *s, part_sums part[], size_t parts) {
    const size_t merged = OVERLAP_BLOCKS / parts;
    part_sums sum = {0};
    for (size_t p = 0; p < parts; p++) {
        part[p] = sum_blocks(s, p * merged, merged);
        sum.pairs += part[p].pairs;
        sum.d += part[p].d;
        sum.d2 += part[p].d2;
        sum.d4 += part[p].d4;
        sum.walls += part[p].walls;
        sum.self += part[p].self;
        sum.chiral2 += part[p].chiral2;
        sum.chiral4 += part[p].chiral4;
        for (size_t n = 0; n < MODEL_MAX_DIMENSION; n++)
            sum.wave[n] += part[p].wave[n];
    }
    return sum;
}

static part_sums difference(part_sums all, part_sums part) {
    all.pairs -= part.pairs;
    all.d -= part.d;
    all.d2 -= part.d2;
    all.d4 -= part.d4;
    all.walls -= part.walls;
    all.self -= part.self;
    all.chiral2 -= part.chiral2;
    all.chiral4 -= part.chiral4;
    for (size_t n = 0; n < MODEL_MAX_DIMENSION; n++)
        all.wave[n] -= part.wave[n];
    return all;
}

static uint32_t longest_edge(const spin_model *model) {
    uint32_t longest = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        longest = model->edge[d] > longest ? model->edge[d] : longest;
    return longest;
}

/* The mean of Tc^2 + Ts^2 over the directions with the longest edge. */
static double mean_wave(const part_sums *s, const spin_model *model) {
    double sum = 0, directions = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        if (model->edge[d] == longest_edge(model)) {
            sum += (double)s->wave[d];
            directions++;
        }
    return sum / directions / (double)s->pairs;
}

bool overlap_has(overlap_value v, const spin_model *model) {
    return model->spins == SPINS_VECTOR || !(v == OVERLAP_SELF || v == OVERLAP_CHIRAL2 ||
                                             v == OVERLAP_CHIRAL4 || v == OVERLAP_CHIRAL_BINDER);
}

/* How many components q has. */
static double components_of(const spin_model *model) {
    return model->spins == SPINS_VECTOR ? (double)model->components * model->components : 1;
}

double overlap_u4(double binder, const spin_model *model) {
    const double m = components_of(model);
    return (m + 2 - 2 * binder) / m;
}

void overlap_derive(double value[OVERLAP_VALUES], const spin_model *model) {
    const uint32_t edge = longest_edge(model);
    const double q2 = value[OVERLAP_Q2], excess = q2 / value[OVERLAP_WAVE] - 1,
                 chiral2 = value[OVERLAP_CHIRAL2], m = components_of(model);
    value[OVERLAP_BINDER] = (m + 2 - m * (value[OVERLAP_Q4] / (q2 * q2))) / 2;
    value[OVERLAP_CHIRAL_BINDER] = (3 - value[OVERLAP_CHIRAL4] / (chiral2 * chiral2)) / 2;
    value[OVERLAP_CHI] = (double)model->sites * q2;
    value[OVERLAP_XI] = excess < 0 ? NAN : sqrt(excess) / (2 * edge * overlap_sine(1, 2 * edge));
}

static void set_values(double value[OVERLAP_VALUES], part_sums s, const spin_model *model) {
    const double pairs = (double)s.pairs, half = (double)overlap_steps(model) / 2,
                 unit = VECTOR_UNIT * pairs;
    value[OVERLAP_ABS_Q] = (double)s.d / pairs / half;
    value[OVERLAP_Q2] = (double)s.d2 / pairs / (half * half);
    value[OVERLAP_Q4] = (double)s.d4 / pairs / (half * half * half * half);
    value[OVERLAP_LINK] = 1 - 2 * ((double)s.walls / pairs / (double)overlap_link_steps(model));
    value[OVERLAP_WAVE] =
        mean_wave(&s, model) / (half * half) / (UINT64_C(1) << 2 * OVERLAP_COSINE_BITS);
    value[OVERLAP_SELF] = model->spins == SPINS_VECTOR ? (double)s.self / unit : 1;
    value[OVERLAP_CHIRAL2] = (double)s.chiral2 / (VECTOR_UNIT * unit);
    value[OVERLAP_CHIRAL4] = (double)s.chiral4 / (VECTOR_UNIT * VECTOR_UNIT * VECTOR_UNIT * unit);
    overlap_derive(value, model);
}

void overlap_values(const overlap_sums *s, const spin_model *model, double value[OVERLAP_VALUES]) {
    set_values(value, sum_blocks(s, 0, s->totals ? 1 : OVERLAP_BLOCKS), model);
}

/* The number of blocks of pairs for the errors: half of that for the population, because a block of
 * pairs contains two blocks of replicas. */
static size_t choose_blocks(const overlap_sums *s, const histogram *h) {
    const size_t blocks = blocking_choose(h) / 2;
    if (s->pairs < BLOCKING_FEWEST)
        return 0;
    return blocks < BLOCKING_FEWEST ? BLOCKING_FEWEST : blocks;
}

static void set_errors(overlap_row *row, part_sums all, const part_sums part[], size_t blocks,
                       const spin_model *model) {
    double without[OVERLAP_BLOCKS][OVERLAP_VALUES];
    for (size_t b = 0; b < blocks; b++)
        set_values(without[b], difference(all, part[b]), model);
    jackknife_errors(*without, blocks, OVERLAP_VALUES, row->error);
}

/* --- rare pairs --- */

/* The means over pairs if all pairs are of one state: |q| = q2 = q4 = q_l = 1 and |q(k)|^2 = 0. (Vectors have no rare pairs.) */
static const double of_one_state[OVERLAP_MEANS] = {1, 1, 1, 1, 0};

/* From this number of rare pairs on, the row itself tells the effect of one. */
#define KNOWN_PAIRS 10

/* The effective number of pairs of two different states, in which more distant states count more:
 * (sum x)^2 / sum x^2 with x = 1 - |q|. */
static double rare_pairs(const overlap_row *row) {
    const double off = 1 - row->value[OVERLAP_ABS_Q],
                 squares = off - row->value[OVERLAP_ABS_Q] + row->value[OVERLAP_Q2];
    return off > 0 && squares > 0 ? row->pairs * off * off / squares : 0;
}

/* Sets the effect of one rare pair on the sum of each mean: sum x^2 / sum x for |q|, and in
 * proportion for the others. A row with too few rare pairs, or none that changes this mean, takes
 * the effect from the row before. Without such a row it is 1, the largest possible. */
static void set_one(overlap_row *row, const overlap_row *before) {
    const double rare = rare_pairs(row);
    for (size_t n = 0; n < OVERLAP_MEANS; n++)
        row->one[n] = rare >= KNOWN_PAIRS && row->value[n] != of_one_state[n]
                          ? fabs(of_one_state[n] - row->value[n]) * row->pairs / rare
                      : before ? before->one[n]
                               : 1;
}

/* A mean without scatter has seen no event, however many states there are. */
void overlap_count(overlap_row *row, double share, const spin_model *model) {
    const double rare = rare_pairs(row), *const value = row->value;
    const double q2 = value[OVERLAP_Q2], wave = value[OVERLAP_WAVE];
    const double d2 = row->one[OVERLAP_Q2], d4 = row->one[OVERLAP_Q4];
    double one[OVERLAP_VALUES];
    memcpy(one, row->one, sizeof row->one);
    one[OVERLAP_BINDER] =
        components_of(model) * fabs(d4 - 2 * d2 * value[OVERLAP_Q4] / q2) / (2 * q2 * q2);
    one[OVERLAP_CHIRAL_BINDER] = 0;
    one[OVERLAP_CHI] = (double)model->sites * d2;
    one[OVERLAP_XI] =
        value[OVERLAP_XI] * (d2 + q2 / wave * row->one[OVERLAP_WAVE]) / (2 * (q2 - wave));
    for (size_t n = 0; n < OVERLAP_VALUES; n++)
        row->error[n] = counting_error(row->error[n], share * row->pairs,
                                       row->error[n] == 0 ? 0 : share * rare, one[n]);
}

/* S_f from the sum over the families of m log2 m. */
static double family_entropy(const overlap_sums *s, double population) {
    const double logs = (double)s->family_logs / (UINT64_C(1) << FAMILY_LOG_BITS);
    return ieee_log(population) - ieee_log(2) * (logs / population);
}

static double lowest_energy(const histogram *h) {
    size_t n = h->first;
    while (n + 1 < h->end && h->level[n].replicas == 0)
        n++;
    return (double)histogram_energy(h, n) / level_unit(h->levels);
}

overlap_row overlap_compute(const overlap_sums *s, const histogram *h, const spin_model *model,
                            const overlap_row *before) {
    const size_t blocks = choose_blocks(s, h);
    part_sums part[OVERLAP_BLOCKS];
    const part_sums all = sum_parts(s, part, blocks > 0 ? blocks : 1);
    const double population = (double)h->population;
    overlap_row row = {.pairs = (double)all.pairs,
                       .blocks = (double)blocks,
                       .family_entropy = family_entropy(s, population),
                       .lowest = lowest_energy(h)};
    row.rho_s = population * ieee_exp(-row.family_entropy);
    set_values(row.value, all, model);
    set_one(&row, before);
    for (size_t n = 0; n < OVERLAP_VALUES; n++)
        row.error[n] = NAN;
    if (blocks > 0) {
        set_errors(&row, all, part, blocks, model);
        overlap_count(&row, 1, model);
    }
    return row;
}

/* --- histograms --- */

size_t overlap_bin_count(overlap_scale s) {
    return s.differ_bins + s.wall_bins;
}

/* Bins per pass. Most bins are empty. */
#define SOME_BINS 32

/* Fills bins first .. first + some - 1 of `bins`, from count[OVERLAP_PARTS][bins].
 * pairs[OVERLAP_PARTS]: pairs of each part; all: their sum, below 2^31. A bin with few pairs, or
 * with few pairs outside, also has the error of counting. */
VECTORS_OF_EACH_PROCESSOR
static void fill_some(const uint32_t *count, size_t bins, size_t first, size_t some,
                      const uint64_t pairs[OVERLAP_PARTS], uint64_t all, overlap_bin bin[]) {
    uint32_t in[SOME_BINS] = {0}, any = 0;
    double sum[SOME_BINS], without[OVERLAP_PARTS * SOME_BINS], error[SOME_BINS];
    for (size_t part = 0; part < OVERLAP_PARTS; part++)
        for (size_t n = 0; n < some; n++)
            in[n] += count[part * bins + first + n];
    for (size_t n = 0; n < some; n++)
        any |= in[n];
    if (any == 0) {
        memset(bin + first, 0, some * sizeof *bin);
        return;
    }
    for (size_t n = 0; n < some; n++)
        sum[n] = in[n];
    for (size_t part = 0; part < OVERLAP_PARTS; part++) {
        const double others = (double)(all - pairs[part]);
        for (size_t n = 0; n < some; n++)
            without[part * some + n] = (sum[n] - (int32_t)count[part * bins + first + n]) / others;
    }
    jackknife_errors(without, OVERLAP_PARTS, some, error);
    for (size_t n = 0; n < some; n++) {
        const uint64_t rare = in[n] < all - in[n] ? in[n] : all - in[n];
        const double counted = counting_error(error[n], (double)all, (double)rare, 1);
        bin[first + n] = (overlap_bin){in[n], in[n] > 0 ? (float)counted : 0};
    }
}

double overlap_share_error(double scatter, double pairs, double count) {
    const double rare = scatter == 0 ? 0 : fmin(count, pairs - count);
    return counting_error(scatter, pairs, rare, 1);
}

static void fill_bins(const uint32_t *count, size_t bins, overlap_span span,
                      const uint64_t pairs[OVERLAP_PARTS], uint64_t all, overlap_bin bin[]) {
    memset(bin, 0, span.first * sizeof *bin);
    for (size_t n = span.first; n < span.end; n += SOME_BINS)
        fill_some(count, bins, n, span.end - n < SOME_BINS ? span.end - n : SOME_BINS, pairs, all,
                  bin);
    memset(bin + span.end, 0, (bins - span.end) * sizeof *bin);
}

void overlap_fill_bins(const overlap_sums *s, overlap_bin bin[]) {
    const size_t merged = OVERLAP_BLOCKS / OVERLAP_PARTS;
    uint64_t pairs[OVERLAP_PARTS], all = 0;
    for (size_t part = 0; part < OVERLAP_PARTS; part++) {
        pairs[part] = sum_blocks(s, part * merged, merged).pairs;
        all += pairs[part];
    }
    fill_bins(s->differ, s->scale.differ_bins, s->differ_span, pairs, all, bin);
    fill_bins(s->walls, s->scale.wall_bins, s->wall_span, pairs, all, bin + s->scale.differ_bins);
}
