/* The files of samples of which sums over bins are kept (sample_bins_results.h). */
#include "sample_bins_results.h"

#include "estimate/disorder_average.h"
#include "result_names.h"
#include "results.h"
#include "series_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const sample_means *means_at(const sample_bins *b, size_t bin, size_t k) {
    return b->means + (bin * b->temperatures + k) * b->samples;
}

static bool has_overlaps(const sample_bins *b) {
    return b->given->population >= 2;
}

static bool bins_agree(const sample_bins *b, size_t k) {
    if (b->bins < LOGARITHMIC_BINS_LAST)
        return false;
    for (compared_mean of = 0; of < (has_overlaps(b) ? MEANS_COMPARED : MEANS_Q2); of++)
        for (size_t n = 0; n < LOGARITHMIC_BINS_LAST; n++)
            if (!sample_means_agree(means_at(b, n, k),
                                    means_at(b, (n + 1) % LOGARITHMIC_BINS_LAST, k), b->samples,
                                    of))
                return false;
    return true;
}

void sample_bins_compare(sample_bins *b) {
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < b->temperatures; k++)
        b->agree[k] = bins_agree(b, k);
}

static exit_status no_memory(void) {
    return complain(STATUS_FAILED, "not enough memory for the averages over samples");
}

/* --- averages --- */

/* A column of the averages, and where the value of a sample stands. */
typedef struct {
    disorder_value value;
    const char *name, *error, *meaning;
} average_column;

static const average_column columns[] = {
    {DISORDER_E, "e", "err_e", "energy per spin, in J"},
    {DISORDER_C, "C", "err_C", "specific heat per spin, in k_B"},
    {DISORDER_ABS_Q, "|q|", "err_|q|", "overlap, mean of its absolute value"},
    {DISORDER_Q2, "q2", "err_q2", "mean of its square"},
    {DISORDER_Q4, "q4", "err_q4", "mean of its fourth power"},
    {DISORDER_LINK, "q_l", "err_q_l", "link overlap"},
    {DISORDER_WAVE, "|q(k)|^2", "err_|q(k)|^2", "at the smallest wave vector"},
    {DISORDER_U4, "U4", "err_U4", "[q4] / [q2]^2"},
    {DISORDER_BINDER, "Binder", "err_Binder", "(3 - U4) / 2"},
    {DISORDER_CHI, "chi_SG", "err_chi_SG", "spin-glass susceptibility N [q2]"},
    {DISORDER_XI, "xi/L", "err_xi/L", "second-moment correlation length, from [q2] and [|q(k)|^2]"},
};

enum {
    COLUMNS = sizeof columns / sizeof *columns,
    WITHOUT_OVERLAPS = 2,
    SAMPLE_COLUMNS = 7,
    MOST_COLUMNS = 3 + 2 * COLUMNS
};

static void set_row(sample_row *row, const sample_means *m, double beta) {
    *row = (sample_row){.beta = beta};
    row->value[DISORDER_E] = m->e;
    row->value[DISORDER_C] = m->c;
    row->value[DISORDER_ABS_Q] = m->overlap[OVERLAP_ABS_Q];
    row->value[DISORDER_Q2] = m->overlap[OVERLAP_Q2];
    row->value[DISORDER_Q4] = m->overlap[OVERLAP_Q4];
    row->value[DISORDER_LINK] = m->overlap[OVERLAP_LINK];
    row->value[DISORDER_WAVE] = m->overlap[OVERLAP_WAVE];
}

/* Fills the row of a temperature. Returns false without memory. */
static bool average_at(const sample_bins *b, size_t k, double x[MOST_COLUMNS]) {
    const sample_means *const means = means_at(b, 0, k);
    sample_row *const row = malloc(b->samples * sizeof *row);
    double *const without = malloc(b->samples * DISORDER_VALUES * sizeof *without);
    const bool good = row != NULL && without != NULL;
    if (good) {
        for (size_t s = 0; s < b->samples; s++)
            set_row(&row[s], &means[s], b->beta[k]);
        const disorder_row mean = disorder_average(row, b->samples, 1, 0, b->model, without);
        size_t at = 0;
        x[at++] = b->beta[k];
        for (size_t n = 0; n < (has_overlaps(b) ? COLUMNS : WITHOUT_OVERLAPS); n++) {
            x[at++] = mean.value[columns[n].value];
            x[at++] = mean.error[columns[n].value];
        }
        x[at] = b->agree[k];
    }
    free(row);
    free(without);
    return good;
}

static exit_status write_averages(result_folder *folder, const sample_bins *b) {
    file_column column[MOST_COLUMNS] = {{"beta", "inverse temperature, in 1/J"}};
    size_t count = 1;
    for (size_t n = 0; n < (has_overlaps(b) ? COLUMNS : WITHOUT_OVERLAPS); n++) {
        column[count++] = (file_column){columns[n].name, columns[n].meaning};
        column[count++] = (file_column){columns[n].error, "its error"};
    }
    column[count++] = (file_column){"agree", "1 if the last three logarithmic bins agree"};
    char remark[200];
    snprintf(remark, sizeof remark,
             "averages [.] over %zu samples of the disorder, of numbers %" PRIu32 " to %zu, and "
             "measurements %zu to %zu; errors are jackknife errors over the samples",
             b->samples, b->first, b->first + b->samples - 1, b->bin[0].first + 1,
             b->bin[0].first + b->bin[0].count);
    double(*const x)[MOST_COLUMNS] = malloc(b->temperatures * sizeof *x);
    bool good = x != NULL;
#pragma omp parallel for reduction(&& : good) schedule(dynamic)
    for (size_t k = 0; k < b->temperatures; k++)
        good = good && average_at(b, k, x[k]);
    exit_status status = good ? STATUS_OK : no_memory();
    if (!status) {
        FILE *const file = series_results_begin(folder, SERIES_DISORDER_FILE, b->given, b->model,
                                                remark, column, count);
        for (size_t k = 0; k < b->temperatures && file != NULL; k++)
            results_print_row(file, b->given->precision, x[k], count);
        status = file != NULL ? STATUS_OK : STATUS_FAILED;
    }
    free(x);
    return status;
}

/* --- samples --- */

static exit_status write_samples(result_folder *folder, const sample_bins *b) {
    const size_t values = has_overlaps(b) ? SAMPLE_COLUMNS : WITHOUT_OVERLAPS;
    file_column column[3 + SAMPLE_COLUMNS] = {
        {"sample", "number of the sample"},
        {"couplings", "CRC-32 of its couplings, as --couplings shows it"},
        {"beta", "inverse temperature, in 1/J"}};
    for (size_t n = 0; n < values; n++)
        column[3 + n] = (file_column){columns[n].name, columns[n].meaning};
    FILE *const file = series_results_begin(folder, SERIES_SAMPLES_FILE, b->given, b->model,
                                            "a row for each sample of the disorder and temperature",
                                            column, 3 + values);
    for (size_t s = 0; s < b->samples && file != NULL; s++)
        for (size_t k = 0; k < b->temperatures; k++) {
            sample_row row;
            double x[3 + SAMPLE_COLUMNS] = {(double)(b->first + s), b->fingerprint[s], b->beta[k]};
            set_row(&row, &means_at(b, 0, k)[s], b->beta[k]);
            for (size_t n = 0; n < values; n++)
                x[3 + n] = row.value[columns[n].value];
            results_print_row(file, b->given->precision, x, 3 + values);
        }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* --- exchanges and bins --- */

/* A mean over samples, and its error from their scatter. */
typedef struct {
    double mean, error;
} scattered;

static scattered scatter_of(const double value[], size_t samples) {
    double mean = 0, squares = 0;
    for (size_t s = 0; s < samples; s++)
        mean += value[s] / (double)samples;
    for (size_t s = 0; s < samples; s++)
        squares += (value[s] - mean) * (value[s] - mean);
    const double n = (double)samples;
    return (scattered){mean, samples > 1 ? sqrt(squares / (n - 1) / n) : NAN};
}

static exit_status write_exchanges(result_folder *folder, const sample_bins *b, double value[]) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"beta_next", "that of the neighbour"},
        {"acceptance", "share of the exchanges between the two that were accepted"},
        {"err_acceptance", "its error, from the scatter of the samples"},
        {"attempts", "exchanges tried, of each sample"},
    };
    enum { EXCHANGES = sizeof column / sizeof *column };
    FILE *const file =
        series_results_begin(folder, EXCHANGES_FILE, b->given, b->model, "", column, EXCHANGES);
    for (size_t k = 0; k + 1 < b->temperatures && file != NULL; k++) {
        const double attempts = (double)b->attempts[k];
        for (size_t s = 0; s < b->samples; s++)
            value[s] = (double)b->accepted[k * b->samples + s] / attempts;
        const scattered share = scatter_of(value, b->samples);
        const double x[EXCHANGES] = {b->beta[k], b->beta[k + 1], share.mean, share.error, attempts};
        results_print_row(file, b->given->precision, x, EXCHANGES);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

static exit_status write_bins(result_folder *folder, const sample_bins *b, double value[]) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"bin", "0: the second half of the measurements; 1: the half before; and so on"},
        {"first", "its first measurement, from 1"},
        {"last", "its last"},
        {"agree",
         "1 if averages over samples in bins 0, 1 and 2 differ at this beta by at most 5 errors of "
         "the differences of samples, in e and with pairs of chains in q2 and q_l"},
        {"e", "energy per spin, in J"},
        {"err_e", "its error, from the scatter of the samples"},
        {"q2", "mean square of the overlap"},
        {"err_q2", "its error"},
        {"q_l", "link overlap"},
        {"err_q_l", "its error"},
    };
    const size_t compared = has_overlaps(b) ? MEANS_COMPARED : 1, count = 5 + 2 * compared;
    FILE *const file = series_results_begin(
        folder, EQUILIBRATION_FILE, b->given, b->model,
        "averages over samples; they begin in equilibrium where the last three bins agree", column,
        count);
    for (size_t k = 0; k < b->temperatures && file != NULL; k++) {
        for (size_t n = 0; n < b->bins; n++) {
            double x[5 + 2 * MEANS_COMPARED] = {b->beta[k], (double)n, (double)b->bin[n].first + 1,
                                                (double)(b->bin[n].first + b->bin[n].count),
                                                b->agree[k]};
            for (compared_mean of = 0; of < compared; of++) {
                for (size_t s = 0; s < b->samples; s++)
                    value[s] = sample_mean(&means_at(b, n, k)[s], of);
                const scattered mean = scatter_of(value, b->samples);
                x[5 + 2 * of] = mean.mean;
                x[6 + 2 * of] = mean.error;
            }
            results_print_row(file, b->given->precision, x, count);
        }
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

exit_status sample_bins_write(result_folder *folder, const sample_bins *b) {
    double *const value = malloc(b->samples * sizeof *value);
    exit_status status = value != NULL ? write_averages(folder, b) : no_memory();
    if (!status)
        status = write_samples(folder, b);
    if (!status)
        status = write_exchanges(folder, b, value);
    if (!status)
        status = write_bins(folder, b, value);
    free(value);
    return status;
}
