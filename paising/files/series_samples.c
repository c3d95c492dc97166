/* Rows of samples by tempering, and the files of their averages (series_samples.h). */
#include "series_samples.h"

#include "data_columns.h"
#include "publication.h"
#include "result_names.h"
#include "results.h"
#include "samples_file.h"
#include "series_results.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is averaged: from which file of a sample, under which name. Errors are named err_... */
typedef struct {
    disorder_value value;
    const char *file, *name, *error, *meaning;
} sample_value;

static const sample_value values[] = {
    {DISORDER_E, SERIES_ROWS_FILE, "e", "err_e", "energy per spin, in J"},
    {DISORDER_C, SERIES_ROWS_FILE, "C", "err_C", "specific heat per spin, in k_B"},
    {DISORDER_BETA_F, FREE_ENERGIES_FILE, "betaF/N", "err_betaF/N",
     "beta times the free energy per spin, less that of the first temperature; whole with -b 0"},
    {DISORDER_ABS_Q, OVERLAP_ROWS_FILE, "|q|", "err_|q|", "overlap, mean of its absolute value"},
    {DISORDER_Q2, OVERLAP_ROWS_FILE, "q2", "err_q2", "mean of its square"},
    {DISORDER_Q4, OVERLAP_ROWS_FILE, "q4", "err_q4", "mean of its fourth power"},
    {DISORDER_LINK, OVERLAP_ROWS_FILE, "q_l", "err_q_l", "link overlap"},
    {DISORDER_WAVE, OVERLAP_ROWS_FILE, "|q(k)|^2", "err_|q(k)|^2", "at the smallest wave vector"},
    {DISORDER_SELF, OVERLAP_ROWS_FILE, "q_s", "err_q_s",
     "of vectors: mean of (s . s')^2 over the bonds"},
    {DISORDER_CHIRAL2, OVERLAP_ROWS_FILE, "q_k2", "err_q_k2",
     "of vectors: mean square of the overlap of chiralities"},
    {DISORDER_CHIRAL4, OVERLAP_ROWS_FILE, "q_k4", "err_q_k4",
     "of vectors: mean of its fourth power"},
};

/* What follows from averages. */
static const sample_value ratios[] = {
    {DISORDER_U4, NULL, "U4", "err_U4", "[q4] / [q2]^2"},
    {DISORDER_BINDER, NULL, "Binder", "err_Binder", "(3 - U4) / 2"},
    {DISORDER_CHI, NULL, "chi_SG", "err_chi_SG", "spin-glass susceptibility N [q2]"},
    {DISORDER_XI, NULL, "xi/L", "err_xi/L",
     "second-moment correlation length, from [q2] and [|q(k)|^2]"},
    {DISORDER_CHIRAL_BINDER, NULL, "Binder_k", "err_Binder_k",
     "of vectors: (3 - [q_k4] / [q_k2]^2) / 2"},
};

enum {
    VALUES = sizeof values / sizeof *values,
    RATIOS = sizeof ratios / sizeof *ratios,
    FROM_SERIES = 2,
    WITHOUT_OVERLAPS = 3,
    VALUES_OF_BITS = 8,
    RATIOS_OF_BITS = 4,
    MOST_COLUMNS = 3 + 2 * (VALUES + RATIOS)
};

bool series_samples_have_overlaps(const parameters *p) {
    return p->graph == NULL && parameters_pairs(p) > 0;
}

static bool are_vectors(const parameters *p) {
    return parameters_kind(p)->spins == SPINS_VECTOR;
}

static size_t values_of(const parameters *p) {
    if (!series_samples_have_overlaps(p))
        return WITHOUT_OVERLAPS;
    return are_vectors(p) ? VALUES : VALUES_OF_BITS;
}

static size_t ratios_of(const parameters *p) {
    if (!series_samples_have_overlaps(p))
        return 0;
    return are_vectors(p) ? RATIOS : RATIOS_OF_BITS;
}

/* --- a sample --- */

/* Reads values first .. end - 1, which stand in one file; and `more` columns of it, behind their errors. */
static exit_status read_file(const char *folder, size_t first, size_t end, const char *const *more,
                             size_t count, data_columns *d) {
    const char *name[2 * VALUES + 2];
    size_t columns = 0;
    for (size_t n = first; n < end; n++) {
        name[columns++] = values[n].name;
        name[columns++] = values[n].error;
    }
    for (size_t n = 0; n < count; n++)
        name[columns++] = more[n];
    return data_columns_read(d, path_in(folder, values[first].file).text, name, columns);
}

static void set_values(sample_row *row, const double x[], size_t first, size_t end) {
    for (size_t n = first; n < end; n++, x += 2) {
        row->value[values[n].value] = x[0];
        row->error[values[n].value] = x[1];
    }
}

/* Adds the values first .. end - 1 of another file to the rows. */
static exit_status add_file(const char *folder, size_t first, size_t end, sample_row *rows,
                            size_t count) {
    data_columns d;
    exit_status status = read_file(folder, first, end, NULL, 0, &d);
    if (status)
        return status;
    if (d.rows != count)
        status = complain(STATUS_FAILED, "%s: %s has %zu temperatures, and not %zu", folder,
                          values[first].file, d.rows, count);
    for (size_t i = 0; i < count && !status; i++)
        set_values(&rows[i], d.value + i * 2 * (end - first), first, end);
    free(d.value);
    return status;
}

exit_status series_samples_read(const char *folder, const parameters *p, sample_row **rows,
                                size_t *count) {
    static const char *const more[] = {"beta", "trusted"};
    const size_t columns = 2 * FROM_SERIES + 2;
    data_columns d;
    exit_status status = read_file(folder, 0, FROM_SERIES, more, 2, &d);
    if (status)
        return status;
    *count = d.rows;
    *rows = calloc(d.rows, sizeof **rows);
    if (*rows == NULL)
        status = complain(STATUS_FAILED, "%s: not enough memory for its rows", folder);
    for (size_t i = 0; i < d.rows && !status; i++) {
        const double *const x = d.value + i * columns;
        set_values(&(*rows)[i], x, 0, FROM_SERIES);
        (*rows)[i].beta = x[columns - 2];
        (*rows)[i].value[DISORDER_SELF] = 1;
        (*rows)[i].equilibrated = x[columns - 1] == 1;
    }
    free(d.value);
    if (!status)
        status = add_file(folder, FROM_SERIES, WITHOUT_OVERLAPS, *rows, *count);
    if (!status && series_samples_have_overlaps(p))
        status = add_file(folder, WITHOUT_OVERLAPS, values_of(p), *rows, *count);
    return status;
}

/* --- all samples --- */

static size_t list_columns(file_column column[], size_t at, const sample_value of[], size_t count) {
    for (size_t n = 0; n < count; n++) {
        column[at++] = (file_column){of[n].name, of[n].meaning};
        column[at++] = (file_column){of[n].error, "its error"};
    }
    return at;
}

static size_t put_values(double x[], size_t at, const sample_value of[], size_t count,
                         const double value[], const double error[]) {
    for (size_t n = 0; n < count; n++) {
        x[at++] = value[of[n].value];
        x[at++] = error[of[n].value];
    }
    return at;
}

exit_status series_samples_write_averages(result_folder *folder, const parameters *p,
                                          const sample_table *t) {
    const spin_model model = parameters_model(p);
    const size_t kept = values_of(p), derived = ratios_of(p);
    file_column column[MOST_COLUMNS] = {{"beta", "inverse temperature, in 1/J"}};
    size_t columns = list_columns(column, 1, values, kept);
    columns = list_columns(column, columns, ratios, derived);
    column[columns++] =
        (file_column){"trusted", "samples whose series can be trusted at this beta"};
    char identity[IDENTITY_TEXT_SIZE], remark[160 + IDENTITY_TEXT_SIZE];
    const bool holds =
        series_samples_have_overlaps(p) && results_identity_text(identity, p, t, &model)[0] != '\0';
    snprintf(remark, sizeof remark,
             "%s%saverages [.] over %zu samples of the disorder, of numbers %" PRIu32 " to %" PRIu32
             "; errors are jackknife errors over the samples",
             holds ? identity + 2 : "", holds ? "# " : "", t->samples, t->first,
             t->first + (t->asked - 1));
    double *const without = calloc(t->samples * DISORDER_VALUES, sizeof *without);
    if (without == NULL)
        return complain(STATUS_FAILED, "not enough memory for the averages over samples");
    FILE *const file =
        series_results_begin(folder, SERIES_DISORDER_FILE, p, &model, remark, column, columns);
    for (size_t i = 0; i < t->temperatures && file != NULL; i++) {
        const disorder_row row =
            disorder_average(t->row, t->samples, t->temperatures, i, &model, without);
        double x[MOST_COLUMNS] = {row.beta};
        size_t at = put_values(x, 1, values, kept, row.value, row.error);
        at = put_values(x, at, ratios, derived, row.value, row.error);
        x[at++] = (double)row.equilibrated;
        results_print_row(file, p->precision, x, at);
    }
    free(without);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

exit_status series_samples_write_rows(result_folder *folder, const parameters *p,
                                      const sample_table *t, const uint32_t number[]) {
    const spin_model model = parameters_model(p);
    file_column column[MOST_COLUMNS] = {
        {"sample", "number of the sample"},
        {"couplings", "CRC-32 of its couplings, as --couplings shows it"}};
    size_t columns = list_columns(column, 2, values, values_of(p));
    column[columns++] =
        (file_column){"trusted", "1 if its series can be trusted at all temperatures"};
    FILE *const file = series_results_begin(
        folder, SERIES_SAMPLES_FILE, p, &model,
        "a row for each sample of the disorder, at its last temperature", column, columns);
    exit_status status = file != NULL ? STATUS_OK : STATUS_FAILED;
    for (size_t s = 0; s < t->samples && !status; s++) {
        const sample_row *const rows = t->row + s * t->temperatures, *const last =
                                                                         rows + t->temperatures - 1;
        double x[MOST_COLUMNS] = {number[s]};
        uint32_t fingerprint = 0;
        bool trusted = true;
        for (size_t i = 0; i < t->temperatures; i++)
            trusted = trusted && rows[i].equilibrated;
        status = results_fingerprint_of(p, number[s], &fingerprint);
        x[1] = fingerprint;
        size_t at = put_values(x, 2, values, values_of(p), last->value, last->error);
        x[at++] = trusted;
        results_print_row(file, p->precision, x, at);
    }
    return status;
}
