/* Means over samples and their jackknife errors. */
#include "disorder_average.h"

#include "blocking.h"

#include <math.h>

/* All values from sums over so many samples. */
static void set_values(double value[DISORDER_VALUES], const double sum[DISORDER_MEANS],
                       double samples, const spin_model *model) {
    double ratios[OVERLAP_VALUES] = {0};
    for (size_t n = 0; n < DISORDER_MEANS; n++)
        value[n] = sum[n] / samples;
    ratios[OVERLAP_Q2] = value[DISORDER_Q2];
    ratios[OVERLAP_Q4] = value[DISORDER_Q4];
    ratios[OVERLAP_WAVE] = value[DISORDER_WAVE];
    overlap_derive(ratios, model);
    value[DISORDER_U4] = 3 - 2 * ratios[OVERLAP_BINDER];
    value[DISORDER_BINDER] = ratios[OVERLAP_BINDER];
    value[DISORDER_CHI] = ratios[OVERLAP_CHI];
    value[DISORDER_XI] = ratios[OVERLAP_XI];
}

disorder_row disorder_average(const sample_row rows[], size_t samples, size_t temperatures,
                              size_t i, const spin_model *model, double without[]) {
    double sum[DISORDER_MEANS] = {0};
    disorder_row row = {.beta = rows[i].beta};
    for (size_t s = 0; s < samples; s++) {
        const sample_row *const one = &rows[s * temperatures + i];
        for (size_t n = 0; n < DISORDER_MEANS; n++)
            sum[n] += one->value[n];
        row.equilibrated += one->equilibrated;
    }
    set_values(row.value, sum, (double)samples, model);
    for (size_t s = 0; s < samples; s++) {
        double others[DISORDER_MEANS], value[DISORDER_VALUES];
        for (size_t n = 0; n < DISORDER_MEANS; n++)
            others[n] = sum[n] - rows[s * temperatures + i].value[n];
        set_values(value, others, (double)(samples - 1), model);
        for (size_t n = 0; n < DISORDER_VALUES; n++)
            without[n * samples + s] = value[n];
    }
    for (size_t n = 0; n < DISORDER_VALUES; n++)
        row.error[n] = samples > 1 ? jackknife_error(without + n * samples, samples) : NAN;
    return row;
}

size_t disorder_equilibrated(const sample_row rows[], size_t samples, size_t temperatures) {
    size_t count = 0;
    for (size_t s = 0; s < samples; s++) {
        bool all = true;
        for (size_t i = 0; i < temperatures && all; i++)
            all = rows[s * temperatures + i].equilibrated;
        count += all;
    }
    return count;
}
