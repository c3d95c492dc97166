/* Means over samples and their jackknife errors. */
#include "disorder_average.h"

#include "blocking.h"

#include <math.h>

/* Computes all values from sums over `samples` samples. */
static void set_values(double value[DISORDER_VALUES], const double sum[DISORDER_MEANS],
                       double samples, const spin_model *model) {
    double ratios[OVERLAP_VALUES] = {0};
    for (size_t n = 0; n < DISORDER_MEANS; n++)
        value[n] = sum[n] / samples;
    ratios[OVERLAP_Q2] = value[DISORDER_Q2];
    ratios[OVERLAP_Q4] = value[DISORDER_Q4];
    ratios[OVERLAP_WAVE] = value[DISORDER_WAVE];
    ratios[OVERLAP_CHIRAL2] = value[DISORDER_CHIRAL2];
    ratios[OVERLAP_CHIRAL4] = value[DISORDER_CHIRAL4];
    overlap_derive(ratios, model);
    value[DISORDER_U4] = overlap_u4(ratios[OVERLAP_BINDER], model);
    value[DISORDER_CHIRAL_BINDER] = ratios[OVERLAP_CHIRAL_BINDER];
    value[DISORDER_BINDER] = ratios[OVERLAP_BINDER];
    value[DISORDER_CHI] = ratios[OVERLAP_CHI];
    value[DISORDER_XI] = ratios[OVERLAP_XI];
}

/* The error of a mean over samples that agree, from the errors of the samples. */
static double own_error(const sample_row rows[], size_t samples, size_t temperatures, size_t i,
                        disorder_value of) {
    double squares = 0;
    for (size_t s = 0; s < samples; s++)
        squares += rows[s * temperatures + i].error[of] * rows[s * temperatures + i].error[of];
    return sqrt(squares) / (double)samples;
}

/* Gives values without scatter the errors that follow from those of the samples. */
static void set_own_errors(disorder_row *row, const sample_row rows[], size_t samples,
                           size_t temperatures, size_t i, const spin_model *model) {
    const double q2 = row->value[DISORDER_Q2];
    double own[DISORDER_VALUES] = {0};
    for (size_t n = 0; n < DISORDER_MEANS; n++)
        own[n] = own_error(rows, samples, temperatures, i, (disorder_value)n);
    own[DISORDER_LOWEST] = own[DISORDER_RHO_S] = NAN; /* samples do not know them */
    own[DISORDER_CHI] = (double)model->sites * own[DISORDER_Q2];
    const double from_q4 = own[DISORDER_Q4],
                 from_q2 = 2 * row->value[DISORDER_U4] * q2 * own[DISORDER_Q2];
    own[DISORDER_U4] = sqrt(from_q4 * from_q4 + from_q2 * from_q2) / (q2 * q2);
    own[DISORDER_BINDER] = own[DISORDER_U4] / (overlap_u4(0, model) - overlap_u4(1, model));
    for (size_t n = 0; n < DISORDER_VALUES; n++)
        if (row->error[n] == 0)
            row->error[n] = own[n];
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
    set_own_errors(&row, rows, samples, temperatures, i, model);
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

gaussian_identity disorder_identity(const sample_row rows[], size_t samples, size_t temperatures,
                                    size_t i, double bonds_a_spin, double width) {
    double mean = 0, squares = 0; /* of the samples so far; the sum of squares about their mean */
    for (size_t s = 0; s < samples; s++) {
        const sample_row *const row = &rows[s * temperatures + i];
        const double x = row->value[DISORDER_E] / bonds_a_spin +
                         row->beta * width * width *
                             (row->value[DISORDER_SELF] - row->value[DISORDER_LINK]),
                     off = x - mean;
        mean += off / (double)(s + 1);
        squares += off * (x - mean);
    }
    const double n = (double)samples;
    return (gaussian_identity){mean, samples > 1 ? sqrt(squares / (n - 1) / n) : NAN};
}
