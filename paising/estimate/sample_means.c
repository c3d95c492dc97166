/* Means of a sample from its sums (sample_means.h). */
#include "sample_means.h"

#include "logarithmic_bins.h"

#include <math.h>

/* A sum in two halves. */
static double whole(const lane_sums *s, lane_sum low, lane_sum high, uint32_t lane) {
    return (double)(s->of[low][lane] + ((uint128)s->of[high][lane] << 32));
}

static uint32_t bits_in(uint32_t word) {
    uint32_t bits = 0;
    for (; word != 0; word &= word - 1)
        bits++;
    return bits;
}

static void set_overlaps(double overlap[OVERLAP_MEANS], const lane_sums *s, uint32_t lane,
                         double pairs, const spin_model *model) {
    const double half = (double)model->sites / 2, directions = bits_in(sample_waves(model));
    overlap[OVERLAP_ABS_Q] = (double)s->of[LANE_D][lane] / (half * pairs);
    overlap[OVERLAP_Q2] = (double)s->of[LANE_D2][lane] / (half * half * pairs);
    overlap[OVERLAP_Q4] =
        whole(s, LANE_D4_LOW, LANE_D4_HIGH, lane) / (half * half * half * half * pairs);
    overlap[OVERLAP_LINK] =
        1 - 2 * (double)s->of[LANE_WALLS][lane] / ((double)model->bonds * pairs);
    overlap[OVERLAP_WAVE] = whole(s, LANE_WAVE_LOW, LANE_WAVE_HIGH, lane) /
                            (half * half * directions * pairs) /
                            (UINT64_C(1) << 2 * OVERLAP_COSINE_BITS);
}

sample_means sample_means_of(const lane_sums *sums, uint32_t lane, size_t measurements,
                             uint64_t chains, double beta, const spin_model *model,
                             energy_levels levels) {
    const double n = (double)measurements * (double)chains, spins = (double)model->sites;
    const double mean = (double)sums->of[LANE_LEVEL][lane] / n,
                 square = (double)sums->of[LANE_LEVEL2][lane] / n,
                 spacing = (double)levels.spacing / level_unit(levels);
    sample_means m = {.e = ((double)levels.lowest / level_unit(levels) + spacing * mean) / spins,
                      .c = beta * beta * spacing * spacing * (square - mean * mean) / spins};
    if (chains >= 2)
        set_overlaps(m.overlap, sums, lane, (double)measurements * (double)(chains / 2), model);
    return m;
}

double sample_mean(const sample_means *of, compared_mean value) {
    return value == MEANS_E    ? of->e
           : value == MEANS_Q2 ? of->overlap[OVERLAP_Q2]
                               : of->overlap[OVERLAP_LINK];
}

bool sample_means_agree(const sample_means a[], const sample_means b[], size_t samples,
                        compared_mean value) {
    double mean = 0, squares = 0;
    for (size_t s = 0; s < samples; s++) {
        const double off = sample_mean(&a[s], value) - sample_mean(&b[s], value) - mean,
                     n = (double)(s + 1);
        mean += off / n;
        squares += off * off * (n - 1) / n;
    }
    const double n = (double)samples;
    return mean == 0 ||
           (samples > 1 && fabs(mean) <= LOGARITHMIC_BINS_ERRORS * sqrt(squares / (n - 1) / n));
}
