/* The data files of methods of fixed temperatures (series_results.h). */
#include "series_results.h"

#include "result_header.h"
#include "results.h"

#include <inttypes.h>

FILE *series_results_begin(result_folder *folder, const char *name, const parameters *p,
                           const spin_model *model, const char *remark, const file_column column[],
                           size_t columns) {
    FILE *const file = results_begin(folder, name, model);
    if (file == NULL)
        return NULL;
    if (remark[0] != '\0')
        fprintf(file, "# %s\n", remark);
    result_header_print_parameters(file, p);
    for (size_t n = 0; n < columns; n++)
        fprintf(file, "# column %zu: %s, %s\n", n + 1, column[n].name, column[n].meaning);
    fputc('#', file);
    for (size_t n = 0; n < columns; n++)
        fprintf(file, " %s", column[n].name);
    fputc('\n', file);
    return file;
}

void column_list_add(column_list *list, const char *name, const char *meaning) {
    list->column[list->count++] = (file_column){name, meaning};
}

/* Keeps the text a followed by b. */
static const char *keep(column_list *list, const char *a, const char *b) {
    char *const text = list->text[list->texts++];
    snprintf(text, sizeof *list->text, "%s%s", a, b);
    return text;
}

static void add_error(column_list *list, const char *of) {
    column_list_add(list, keep(list, "err_", of), keep(list, "error of ", of));
}

void column_list_add_pair(column_list *list, const moment_column *c) {
    char unit[40] = "";
    if (c->unit != NULL)
        snprintf(unit, sizeof unit, ", in %s", c->unit);
    column_list_add(list, c->name, keep(list, c->meaning, unit));
    add_error(list, c->name);
}

static void list_columns(column_list *list, const parameters *p, bool disordered) {
    const bool waves = p->correlation_length;
    list->count = list->texts = 0;
    column_list_add(list, "beta", "inverse temperature, in 1/J");
    for (size_t n = 0; n < series_columns(waves); n++) {
        const moment_column *const c = series_column(n);
        if (column_fits(c, disordered))
            column_list_add_pair(list, c);
    }
    column_list_add(list, "tau_e",
                    "integrated autocorrelation time of e, 1/2 + sum of rho, in sweeps");
    add_error(list, "tau_e");
    if (!disordered) {
        column_list_add(list, "tau_|m|", "that of |m|, in sweeps");
        add_error(list, "tau_|m|");
    }
    column_list_add(
        list, "trusted",
        p->method == METHOD_tempering
            ? "1 if the series has 200 times tau and twice its error, neither half of it stands "
              "still, and chains and logarithmic bins agree, of glasses at all lower beta too; if "
              "0 "
              "the errors mean little"
            : "1 if the series has 200 times tau and twice its error, and neither half of it "
              "stands still; if 0 the errors mean little");
}

/* In sweeps: a series of independent values has half the time between two of them. */
static size_t put_tau(double x[], const autocorrelation *a, double sweeps) {
    x[0] = sweeps * a->tau;
    x[1] = sweeps * a->error_tau;
    return 2;
}

exit_status series_results_write_rows(result_folder *folder, const char *name, const parameters *p,
                                      const spin_model *model, const char *remark,
                                      const double beta[], const series_row row[],
                                      size_t temperatures) {
    column_list list;
    const double sweeps = (double)p->sweeps * parameters_visits(p).hits; /* between measurements */
    list_columns(&list, p, model->disordered);
    FILE *const file =
        series_results_begin(folder, name, p, model, remark, list.column, list.count);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t k = 0; k < temperatures; k++) {
        double x[COLUMN_LIST_MOST] = {beta[k]};
        size_t at = 1;
        for (size_t n = 0; n < series_columns(p->correlation_length); n++)
            if (column_fits(series_column(n), model->disordered)) {
                x[at++] = row[k].value[n];
                x[at++] = row[k].error[n];
            }
        at += put_tau(x + at, &row[k].e, sweeps);
        if (!model->disordered)
            at += put_tau(x + at, &row[k].abs_m, sweeps);
        x[at++] = row[k].trusted;
        results_print_row(file, p->precision, x, at);
    }
    return STATUS_OK;
}

exit_status series_results_write_series(result_folder *folder, const char *name,
                                        const parameters *p, const spin_model *model,
                                        const double beta[], const measurement_series *s,
                                        size_t first, size_t temperatures) {
    char apart[100];
    const uint32_t hits = parameters_visits(p).hits;
    snprintf(apart, sizeof apart, "number of the measurement, from 1, theta %s apart",
             hits > 1 ? "updates of as many sweeps as there are hits" : "sweeps");
    const file_column all[] = {
        {"step", apart},
        {"beta", "inverse temperature, in 1/J"},
        {"e", "energy per spin, in J, mean over the replicas"},
        {"e2", "that of its square"},
        {"|m|", "that of the absolute magnetisation per spin"},
        {"m2", "that of its square"},
        {"m4", "that of its fourth power"},
        {"S_k", "that of the structure factor at k = 2 pi / L"},
    };
    const size_t columns = model->disordered       ? 4
                           : p->correlation_length ? sizeof all / sizeof *all
                                                   : sizeof all / sizeof *all - 1;
    FILE *const file = series_results_begin(folder, name, p, model, "", all, columns);
    if (file == NULL)
        return STATUS_FAILED;
    for (size_t t = 0; t < s->count; t++)
        for (size_t k = first; k < first + temperatures; k++) {
            const measurement *const m = &s->of[t * s->temperatures + k];
            const double x[] = {(double)t + 1, beta[k], m->e,  m->e2,
                                m->abs_m,      m->m2,   m->m4, m->s_k};
            results_print_row(file, p->precision, x, columns);
        }
    return STATUS_OK;
}
