/* Rows of samples, and the file of their averages (disorder_results.h). */
#include "disorder_results.h"

#include "base/number.h"
#include "data_columns.h"
#include "estimate/equilibration.h"
#include "publication.h"
#include "result_header.h"
#include "result_names.h"
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a sample --- */

/* Columns of a result, those with an error first, and their names in results of graphs, which have no overlaps. Those of vectors
 * and those of the table (columns.h) that the model has follow, each before its error. */
typedef struct {
    disorder_value value;
    const char *name, *of_graph; /* NULL: it is not there */
} sample_column;

static const sample_column sample_columns[] = {
    {DISORDER_E, "e", "e"},
    {DISORDER_C, "C", "C"},
    {DISORDER_BETA_F, "betaF/N", "betaF/N"},
    {DISORDER_ABS_Q, "|q|", "|m|"},
    {DISORDER_Q2, "q2", "m2"},
    {DISORDER_Q4, "q4", "m4"},
    {DISORDER_LINK, "q_l", NULL},
    {DISORDER_WAVE, "chi(k)", NULL},
    {DISORDER_ENTROPY, "S_f", NULL},
    {DISORDER_RHO_T, "rho_t", "rho_t"},
    {DISORDER_LOWEST, "E_min", NULL},
    {DISORDER_RHO_S, "rho_s", NULL},
};
enum {
    OF_SAMPLE = sizeof sample_columns / sizeof *sample_columns,
    WITH_ERRORS = 8,
    COLUMN_BETA = 0, /* before these columns */
    COLUMN_POPULATION,
    FIRST_COLUMNS,
    SAMPLE_COLUMNS = FIRST_COLUMNS + OF_SAMPLE + WITH_ERRORS, /* at most */
};

static const char *name_of(size_t n, const spin_model *model) {
    return model->graph != NULL ? sample_columns[n].of_graph : sample_columns[n].name;
}

static const struct {
    disorder_value value;
    const char *name, *error;
} vector_columns[] = {{DISORDER_SELF, "q_s", "err_q_s"},
                      {DISORDER_CHIRAL2, "q_k2", "err_q_k2"},
                      {DISORDER_CHIRAL4, "q_k4", "err_q_k4"}};
enum { VECTOR_COLUMNS = sizeof vector_columns / sizeof *vector_columns };

/* Columns of vectors that the model has. */
static size_t vector_columns_of(const spin_model *model) {
    return model->graph != NULL || overlap_is_of_bits(model) ? 0 : VECTOR_COLUMNS;
}

/* Numbers of columns of the table that the model has. */
static size_t fitting_columns(const spin_model *model, size_t number[COLUMNS_MOST]) {
    size_t count = 0;
    for (size_t n = 0; n < moment_columns_count; n++)
        if (column_fits(&moment_columns[n], model->disordered))
            number[count++] = n;
    return count;
}

/* Takes the columns of the table above. Returns what is behind them. */
static const double *take_columns(sample_row *row, const double x[], const spin_model *model) {
    for (size_t n = 0; n < OF_SAMPLE; n++) {
        const disorder_value value = sample_columns[n].value;
        if (name_of(n, model) == NULL)
            continue;
        row->value[value] = *x++;
        row->error[value] = n < WITH_ERRORS ? *x++ : 0;
    }
    return x;
}

/* Families enough by rho_t are enough by S_f, too: exp(S_f) is R / rho_t at least. */
static sample_row row_of(const double x[], const parameters *p, const spin_model *model) {
    const double spins = (double)model->sites;
    size_t number[COLUMNS_MOST];
    const size_t more = fitting_columns(model, number), vectors = vector_columns_of(model);
    sample_row row = {.beta = x[COLUMN_BETA]};
    const double *const behind = take_columns(&row, x + FIRST_COLUMNS, model);
    const double *const table = behind + 2 * vectors;
    row.equilibrated =
        p->resampling != RESAMPLE_NONE &&
        equilibration_holds(model->graph != NULL ? INFINITY : row.value[DISORDER_ENTROPY],
                            row.value[DISORDER_RHO_T], x[COLUMN_POPULATION] * (double)p->runs);
    row.value[DISORDER_SELF] = 1;
    for (size_t n = 0; n < vectors; n++) {
        row.value[vector_columns[n].value] = behind[2 * n];
        row.error[vector_columns[n].value] = behind[2 * n + 1];
    }
    for (size_t n = 0; n < more; n++) {
        row.value[DISORDER_COLUMNS + number[n]] = table[2 * n];
        row.error[DISORDER_COLUMNS + number[n]] = table[2 * n + 1];
    }
    row.value[DISORDER_WAVE] /= spins;
    row.error[DISORDER_WAVE] /= spins;
    return row;
}

exit_status results_read_sample(const char *folder, const parameters *p, sample_row **rows,
                                size_t *count) {
    const spin_model model = parameters_model(p);
    const char *name[SAMPLE_COLUMNS + 2 * VECTOR_COLUMNS + 2 * COLUMNS_MOST] = {"beta", "R"};
    char own[WITH_ERRORS][COLUMN_NAME_MOST],
        error_name[COLUMNS_MOST][COLUMN_NAME_MOST + sizeof "err_"];
    size_t number[COLUMNS_MOST], columns = FIRST_COLUMNS;
    const size_t more = fitting_columns(&model, number);
    data_columns d;
    for (size_t n = 0; n < OF_SAMPLE; n++) {
        if (name_of(n, &model) == NULL)
            continue;
        name[columns++] = name_of(n, &model);
        if (n < WITH_ERRORS) {
            snprintf(own[n], sizeof own[n], "err_%s", name_of(n, &model));
            name[columns++] = own[n];
        }
    }
    for (size_t n = 0; n < vector_columns_of(&model); n++) {
        name[columns++] = vector_columns[n].name;
        name[columns++] = vector_columns[n].error;
    }
    for (size_t n = 0; n < more; n++) {
        const char *const of = moment_columns[number[n]].name;
        snprintf(error_name[n], sizeof error_name[n], "err_%s", of);
        name[columns++] = of;
        name[columns++] = error_name[n];
    }
    const exit_status status =
        data_columns_read(&d, path_in(folder, WEIGHTED_FILE).text, name, columns);
    if (status)
        return status;
    *count = d.rows;
    *rows = calloc(d.rows, sizeof **rows);
    for (size_t i = 0; i < d.rows && *rows != NULL; i++)
        (*rows)[i] = row_of(d.value + i * columns, p, &model);
    free(d.value);
    return *rows != NULL ? STATUS_OK
                         : complain(STATUS_FAILED, "%s: not enough memory for its rows", folder);
}

/* --- averages --- */

/* The columns of the file between beta and equilibrated. Their errors follow in the same order. */
typedef struct {
    disorder_value value;
    const char *name, *meaning;
} average_column;

static const average_column columns[] = {
    {DISORDER_E, "e", "energy per spin, in J"},
    {DISORDER_C, "C", "specific heat per spin, in k_B"},
    {DISORDER_BETA_F, "betaF/N", "beta times the free energy per spin"},
    {DISORDER_ABS_Q, "|q|", "overlap, mean of its absolute value"},
    {DISORDER_Q2, "q2", "mean of its square"},
    {DISORDER_Q4, "q4", "mean of its fourth power"},
    {DISORDER_U4, "U4", "[q4] / [q2]^2"},
    {DISORDER_BINDER, "Binder", "(3 - U4) / 2"},
    {DISORDER_LINK, "q_l", "link overlap"},
    {DISORDER_CHI, "chi_SG", "spin-glass susceptibility N [q2]"},
    {DISORDER_XI, "xi/L", "second-moment correlation length, from [chi_SG] and [chi(k)]"},
    {DISORDER_WAVE, "chi(k)", "N [|q(k)|^2]"},
    {DISORDER_ENTROPY, "S_f", "family entropy"},
    {DISORDER_RHO_T, "rho_t", "mean family size"},
};
enum { VALUES = sizeof columns / sizeof *columns };

/* Of graphs. */
static const average_column graph_columns[] = {
    {DISORDER_E, "e", "energy per spin, in J"},
    {DISORDER_C, "C", "specific heat per spin, in k_B"},
    {DISORDER_BETA_F, "betaF/N", "beta times the free energy per spin"},
    {DISORDER_ABS_Q, "|m|", "magnetisation per spin, mean of its absolute value"},
    {DISORDER_Q2, "m2", "mean of its square"},
    {DISORDER_Q4, "m4", "mean of its fourth power"},
    {DISORDER_RHO_T, "rho_t", "mean family size"},
};

static const average_column *columns_of(const spin_model *model, size_t *count) {
    *count = model->graph != NULL ? sizeof graph_columns / sizeof *graph_columns : VALUES;
    return model->graph != NULL ? graph_columns : columns;
}

/* The columns behind those of the table, each before its error. */
static const struct {
    disorder_value value;
    const char *name, *meaning;
} last_columns[] = {
    {DISORDER_LOWEST, "E_min",
     "the lowest energy in the population, of the lattice, in J; its error is nan where all "
     "samples "
     "have the same"},
    {DISORDER_RHO_S, "rho_s",
     "entropic family size, R exp(-S_f); its error is nan where all samples have the same"},
    {DISORDER_SELF, "q_s", "of vectors: mean of (s . s')^2 over the bonds"},
    {DISORDER_CHIRAL2, "q_k2", "of vectors: mean square of the overlap of chiralities"},
    {DISORDER_CHIRAL4, "q_k4", "of vectors: mean of its fourth power"},
    {DISORDER_CHIRAL_BINDER, "Binder_k", "of vectors: (3 - [q_k4] / [q_k2]^2) / 2"},
};
enum {
    LAST = sizeof last_columns / sizeof *last_columns,
    LAST_OF_BITS = 2,
    MOST_COLUMNS = 2 * VALUES + 2 + 2 * COLUMNS_MOST + 2 * LAST,
};
_Static_assert(MOST_COLUMNS <= RESULTS_MOST_COLUMNS, "room for a row");

static size_t last_columns_of(const spin_model *model) {
    return model->graph != NULL ? 0 : overlap_is_of_bits(model) ? LAST_OF_BITS : LAST;
}

const char *results_identity_text(char text[IDENTITY_TEXT_SIZE], const parameters *p,
                                  const sample_table *t, const spin_model *model) {
    const size_t last = t->temperatures - 1;
    char mean[NUMBER_TEXT_SIZE], error[NUMBER_TEXT_SIZE], beta[NUMBER_TEXT_SIZE];
    text[0] = '\0';
    if (p->couplings_type != COUPLINGS_GAUSSIAN || p->couplings_mean != 0 || model->incomplete ||
        model->graph != NULL)
        return text;
    const gaussian_identity x =
        disorder_identity(t->row, t->samples, t->temperatures, last,
                          (double)model->bonds / (double)model->sites, p->couplings_width);
    snprintf(text, IDENTITY_TEXT_SIZE,
             "# equilibrium: [e a bond] + beta W^2 (%s - [q_l]) = %s, error %s, at beta = %s; 0 is "
             "expected\n",
             overlap_is_of_bits(model) ? "1" : "[q_s]", number_rounded_text(mean, x.mean, 4),
             number_rounded_text(error, x.error, 2), number_short_text(beta, t->row[last].beta));
    return text;
}

static const char *meaning_of(const average_column *c, const spin_model *model) {
    return c->value == DISORDER_BINDER && !overlap_is_of_bits(model)
               ? "(n^2 + 2 - n^2 U4) / 2 of n components"
               : c->meaning;
}

static void print_header(FILE *file, const parameters *p, const sample_table *t,
                         const spin_model *model) {
    size_t number[COLUMNS_MOST], values;
    const average_column *const column = columns_of(model, &values);
    char identity[IDENTITY_TEXT_SIZE];
    const size_t more = fitting_columns(model, number);
    const size_t sound = disorder_equilibrated(t->row, t->samples, t->temperatures);
    fprintf(file,
            "# averages [.] over %zu samples of the disorder, of numbers %" PRIu32 " to %" PRIu32
            ", each from its averages over runs\n",
            t->samples, t->first, t->first + (t->asked - 1));
    result_header_print_parameters(file, p);
    fprintf(file,
            "# %s%zu of %zu samples have families enough for a glass in equilibrium at all "
            "temperatures (",
            sound < t->samples ? "warning: only " : "", sound, t->samples);
    if (model->graph == NULL)
        fprintf(file, "S_f >= ln %d, ", EQUILIBRATION_FAMILIES);
    fprintf(file, "rho_t <= R / %d)\n", EQUILIBRATION_FAMILIES);
    fputs(results_identity_text(identity, p, t, model), file);
    fprintf(file, "# errors are jackknife errors over the samples\n"
                  "# column 1: beta, inverse temperature, in 1/J\n");
    for (size_t n = 0; n < values; n++)
        fprintf(file, "# column %zu: %s, %s\n", n + 2, column[n].name,
                meaning_of(&column[n], model));
    for (size_t n = 0; n < values; n++)
        fprintf(file, "# column %zu: err_%s, error of %s\n", n + 2 + values, column[n].name,
                column[n].name);
    fprintf(file, "# column %zu: equilibrated, samples with families enough\n", 2 * values + 2);
    for (size_t n = 0; n < more; n++) {
        const moment_column *const c = &moment_columns[number[n]];
        fprintf(file, "# column %zu: %s, mean over the samples: %s%s%s\n", 2 * values + 3 + 2 * n,
                c->name, c->meaning, c->unit ? ", in " : "", c->unit ? c->unit : "");
        fprintf(file, "# column %zu: err_%s, error of %s\n", 2 * values + 4 + 2 * n, c->name,
                c->name);
    }
    for (size_t n = 0; n < last_columns_of(model); n++) {
        const size_t place = 2 * values + 3 + 2 * more + 2 * n;
        fprintf(file, "# column %zu: %s, %s\n", place, last_columns[n].name,
                last_columns[n].meaning);
        fprintf(file, "# column %zu: err_%s, error of %s\n", place + 1, last_columns[n].name,
                last_columns[n].name);
    }
    fprintf(file, "# beta");
    for (size_t n = 0; n < values; n++)
        fprintf(file, " %s", column[n].name);
    for (size_t n = 0; n < values; n++)
        fprintf(file, " err_%s", column[n].name);
    fprintf(file, " equilibrated");
    for (size_t n = 0; n < more; n++)
        fprintf(file, " %s err_%s", moment_columns[number[n]].name, moment_columns[number[n]].name);
    for (size_t n = 0; n < last_columns_of(model); n++)
        fprintf(file, " %s err_%s", last_columns[n].name, last_columns[n].name);
    fputc('\n', file);
}

static void print_row(FILE *file, int precision, const disorder_row *row, const spin_model *model) {
    double x[MOST_COLUMNS] = {row->beta};
    size_t number[COLUMNS_MOST], values;
    const average_column *const column = columns_of(model, &values);
    const size_t more = fitting_columns(model, number);
    for (size_t n = 0; n < values; n++) {
        const disorder_value v = column[n].value;
        const double unit = v == DISORDER_WAVE ? (double)model->sites : 1;
        x[1 + n] = unit * row->value[v];
        x[1 + values + n] = unit * row->error[v];
    }
    x[2 * values + 1] = (double)row->equilibrated;
    for (size_t n = 0; n < more; n++) {
        x[2 * values + 2 + 2 * n] = row->value[DISORDER_COLUMNS + number[n]];
        x[2 * values + 3 + 2 * n] = row->error[DISORDER_COLUMNS + number[n]];
    }
    double *const last = x + 2 * values + 2 + 2 * more;
    for (size_t n = 0; n < last_columns_of(model); n++) {
        last[2 * n] = row->value[last_columns[n].value];
        last[2 * n + 1] = row->error[last_columns[n].value];
    }
    results_print_row(file, precision, x, 2 * values + 2 + 2 * more + 2 * last_columns_of(model));
}

exit_status results_write_disorder(result_folder *folder, const parameters *p,
                                   const sample_table *t) {
    const spin_model model = parameters_model(p);
    double *const without = calloc(t->samples * DISORDER_VALUES, sizeof *without);
    if (without == NULL)
        return complain(STATUS_FAILED, "not enough memory for the averages over samples");
    FILE *const file = results_begin(folder, DISORDER_FILE, &model);
    if (file != NULL)
        print_header(file, p, t, &model);
    for (size_t i = 0; i < t->temperatures && file != NULL; i++) {
        const disorder_row row =
            disorder_average(t->row, t->samples, t->temperatures, i, &model, without);
        print_row(file, p->precision, &row, &model);
    }
    free(without);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}
