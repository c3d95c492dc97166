/* The data files (results.h). */
#include "results.h"

#include "base/number.h"
#include "estimate/equilibration.h"
#include "overlap_columns.h"
#include "resample/profile.h"
#include "result_header.h"
#include "result_names.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- headers --- */

/* Energies are in units of J, temperatures of J / k_B. */
static const heading result_columns[] = {
    {"beta", "inverse temperature, in 1/J", NULL},
    {"e", "energy per spin, in J", NULL},
    {"C", "specific heat per spin, in k_B", NULL},
    {"|m|", "magnetisation per spin, mean of its absolute value", NULL},
    {"m2", "mean of its square", NULL},
    {"m4", "mean of its fourth power", NULL},
    {"betaF/N", "beta times the free energy per spin", NULL},
    {"S/N", "entropy per spin, in k_B", NULL},
    {"R", "population size", "population size, the mean over the runs"},
    {"lnQ", "ln of Z over Z at the temperature before; 0 where there is none", NULL},
    {"err_e", "error of e", NULL},
    {"err_C", "error of C", NULL},
    {"err_|m|", "error of |m|", NULL},
    {"err_betaF/N", "error of betaF/N", NULL},
    {"families", "replicas at beta = 0 that still have descendants",
     "replicas at beta = 0 that still have descendants, in all runs"},
    {"rho_t", "mean family size, R times the sum of the squared family fractions",
     "mean family size: R / rho_t is the mean over the runs of their own"},
    {"R_eff", "effective population size", "effective population size, of all runs"},
    {"trusted",
     "1 if families enough can be relied on, here and at the next beta; if 0 the errors mean "
     "little; where few runs of the same kind have 1 (column trusting of -M), chance has chosen "
     "them, and 1 sigma of betaF and S covers less: by some 0.08 below 15% of the runs, 0.03 below "
     "half",
     "1 if families enough can be relied on, here and at the next beta, each run's with its "
     "weight; if "
     "0 the errors mean little"},
    {"err_m2", "error of m2", NULL},
    {"err_m4", "error of m4", NULL},
    {"err_S/N", "error of S/N", NULL},
    {"blocks",
     "blocks of the population that the errors come from: Student's t, degrees of freedom one "
     "less; 0 if "
     "there are no errors",
     "runs that the errors come from: Student's t, degrees of freedom one less"},
};
enum { RESULT_COLUMNS = sizeof result_columns / sizeof *result_columns };

/* In an average over several runs: columns behind all others. */
static const heading average_columns[] = {
    {"trusting",
     "runs whose own row is trusted; where these are fewer than half, chance has chosen them, and "
     "their own errors, not those here, are too small",
     NULL},
};
enum { AVERAGE_COLUMNS = sizeof average_columns / sizeof *average_columns };

static const heading reweighted_columns[] = {
    {"beta", "inverse temperature, in 1/J", NULL},
    {"e", "energy per spin, in J", NULL},
    {"C", "specific heat per spin, in k_B", NULL},
    {"betaF/N", "beta times the free energy per spin", NULL},
    {"|m|", "magnetisation per spin, mean of its absolute value", NULL},
    {"m2", "mean of its square", NULL},
    {"m4", "mean of its fourth power", NULL},
    {"err_e", "error of e", NULL},
    {"err_C", "error of C", NULL},
    {"err_betaF/N", "error of betaF/N", NULL},
    {"err_|m|", "error of |m|", NULL},
    {"err_m2", "error of m2", NULL},
    {"err_m4", "error of m4", NULL},
    {"runs",
     "runs that the errors come from: Student's t, degrees of freedom one less; 0 if there are "
     "no errors",
     NULL},
};
enum { REWEIGHTED_COLUMNS = sizeof reweighted_columns / sizeof *reweighted_columns };

FILE *results_begin(result_folder *folder, const char *name, const spin_model *model) {
    FILE *const file = result_folder_begin(folder, name);
    if (file == NULL)
        return NULL;
    result_header_print_title(file, folder->given, model);
    if (folder->note[0] != '\0')
        fprintf(file, "# %s\n", folder->note);
    return file;
}

FILE *results_begin_run(result_folder *folder, const char *kind, const spin_model *model,
                        uint32_t run) {
    char name[RESULT_NAME_MOST];
    snprintf(name, sizeof name, "PA_%s_run_%" PRIu32 ".dat", kind, run);
    return results_begin(folder, name, model);
}

/* The columns of a file. */
typedef struct {
    const heading *columns;
    size_t count;
    bool average;
    bool glass; /* overlaps replace the magnetisation (overlap_columns.h) */
} heading_set;

static const heading *column_at(const heading_set *set, size_t i) {
    const heading *const instead = set->glass ? overlap_heading_in_place(i) : NULL;
    return instead != NULL ? instead : &set->columns[i];
}

/* Prints the meaning of all columns, then their names: one set after the other, then the columns of
 * the table (columns.h) that the model has. */
static void print_columns(FILE *file, const heading_set sets[], size_t count, bool disordered) {
    size_t number = 0;
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < sets[n].count; i++) {
            const heading *const c = column_at(&sets[n], i);
            fprintf(file, "# column %zu: %s, %s\n", ++number, c->name,
                    sets[n].average && c->of_average ? c->of_average : c->meaning);
        }
    for (const moment_column *c = moment_columns; c < moment_columns + moment_columns_count; c++)
        if (column_fits(c, disordered)) {
            fprintf(file, "# column %zu: %s, %s%s%s\n", number + 1, c->name, c->meaning,
                    c->unit ? ", in " : "", c->unit ? c->unit : "");
            fprintf(file, "# column %zu: err_%s, error of %s\n", number + 2, c->name, c->name);
            number += 2;
        }
    fputc('#', file);
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < sets[n].count; i++)
            fprintf(file, " %s", column_at(&sets[n], i)->name);
    for (const moment_column *c = moment_columns; c < moment_columns + moment_columns_count; c++)
        if (column_fits(c, disordered))
            fprintf(file, " %s err_%s", c->name, c->name);
    fputc('\n', file);
}

/* --- rows --- */

enum { MOST_COLUMNS = RESULT_COLUMNS + OVERLAP_COLUMNS_MOST + AVERAGE_COLUMNS + 2 * COLUMNS_MOST };
_Static_assert(MOST_COLUMNS <= RESULTS_MOST_COLUMNS, "room for a row");
_Static_assert(REWEIGHTED_COLUMNS + 2 * COLUMNS_MOST <= RESULTS_MOST_COLUMNS,
               "room for a row of the analysis");

/* Fills the columns of the table that the model has, each before its error. Returns their number. */
static size_t fill_columns(double x[], const observables *row, const spin_model *model,
                           bool errors_known) {
    const moments mean = observables_moments(row, model->sites);
    size_t filled = 0;
    for (size_t n = 0; n < moment_columns_count; n++)
        if (column_fits(&moment_columns[n], model->disordered)) {
            x[filled++] = moment_columns[n].value(&mean);
            x[filled++] = errors_known ? row->error_of[n] : NAN;
        }
    return filled;
}

/* Writes a number of a row. Returns its end. */
static char *put_value(char *to, int precision, double x) {
    if (isnan(x))
        return stpcpy(to, "nan"); /* never "-nan" */
    if (fabs(x) < 0x1p53 && x == (double)(int64_t)x)
        return number_put_whole(to, (int64_t)x); /* counts keep all digits, and there is no "-0" */
    return number_put(to, x, precision);
}

char *results_put_row(char *to, int precision, const double x[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        to = put_value(to, precision, x[i]);
        *to++ = i + 1 < count ? ' ' : '\n';
    }
    return to;
}

void results_print_row(FILE *file, int precision, const double x[], size_t count) {
    char text[RESULTS_MOST_COLUMNS * NUMBER_TEXT_SIZE];
    fwrite(text, 1, (size_t)(results_put_row(text, precision, x, count) - text), file);
}

/* The number of runs whose files call row i trusted. */
static size_t trusting(const parameters *p, const weighted_average *runs, size_t i) {
    return parameters_replicas_correlated(p) ? 0 : weighted_trusting(runs, i);
}

/* Prints the rows of a result. runs: the runs of an average, or NULL. errors_known: false prints
 * errors as nan. */
static void print_results(FILE *file, const parameters *p, const weighted_average *runs,
                          const result_rows *rows, bool errors_known) {
    const spin_model *const model = rows->model;
    const double spins = (double)model->sites;
    const size_t own = RESULT_COLUMNS + overlap_columns_count(model);
    for (size_t i = 0; i < rows->count; i++) {
        const observables *const o = &rows->row[i];
        double x[MOST_COLUMNS] = {
            o->beta,
            o->e,
            o->c,
            o->abs_m,
            o->m2,
            o->m4,
            o->beta_f / spins,
            o->beta * o->e - o->beta_f / spins,
            o->population,
            o->ln_q,
            errors_known ? o->error_e : NAN,
            errors_known ? o->error_c : NAN,
            errors_known ? o->error_abs_m : NAN,
            errors_known ? o->error_beta_f / spins : NAN,
            o->families,
            o->rho_t,
            errors_known ? o->r_eff : NAN,
            errors_known && o->trusted ? 1 : 0,
            errors_known ? o->error_m2 : NAN,
            errors_known ? o->error_m4 : NAN,
            errors_known ? o->error_s : NAN,
            errors_known ? o->blocks : 0,
        };
        if (model->disordered)
            overlap_columns_fill(x, x + RESULT_COLUMNS, &rows->overlap[i], model, errors_known);
        if (runs != NULL)
            x[own] = (double)trusting(p, runs, i);
        const size_t before = own + (runs != NULL ? AVERAGE_COLUMNS : 0);
        const size_t more = fill_columns(x + before, o, model, errors_known);
        results_print_row(file, p->precision, x, before + more);
    }
}

static void print_reason_for_nan(FILE *file, const parameters *p) {
    fprintf(
        file,
        "# The errors are nan: with -g %s the replicas of a word share their random numbers, so\n"
        "# that the scatter within one run says nothing about them. Compare runs (-M).\n",
        rng_name(p->rng));
}

/* Prints which rows are trusted by fewer than half of the runs, if runs know their errors. */
static void print_few_trusting(FILE *file, const parameters *p, const weighted_average *runs,
                               const result_rows *rows) {
    char at[NUMBER_TEXT_SIZE];
    size_t few = 0, first = 0;
    for (size_t i = 0; i < rows->count && !parameters_replicas_correlated(p); i++)
        if (2 * trusting(p, runs, i) < runs->runs && few++ == 0)
            first = i;
    if (few > 0)
        fprintf(
            file,
            "# fewer than half of the runs trust %zu of %zu rows, the first at beta = %s (column "
            "trusting)\n",
            few, rows->count, number_text(at, rows->row[first].beta));
}

/* Prints the lowest energy of all rows of a graph, and its cut if the bonds are of one. */
static void print_lowest(FILE *file, const result_rows *rows) {
    char text[NUMBER_TEXT_SIZE];
    double lowest = INFINITY;
    for (size_t i = 0; i < rows->count; i++)
        lowest = fmin(lowest, rows->row[i].lowest);
    if (rows->count == 0)
        return;
    fprintf(file, "# lowest energy: %s\n", number_rounded_text(text, lowest, RESULT_ENERGY_DIGITS));
    result_header_print_cut(file, rows->model, lowest);
}

/* Prints the cut of the lowest energy of all rows, if the couplings are of a cut. */
static void print_cut(FILE *file, const result_rows *rows) {
    double lowest = rows->count > 0 ? rows->overlap[0].lowest : 0;
    for (size_t i = 1; i < rows->count; i++)
        lowest = fmin(lowest, rows->overlap[i].lowest);
    if (rows->count > 0)
        result_header_print_cut(file, rows->model, lowest);
}

/* Prints what follows the title of a result: parameters, warnings, columns and rows. average: the
 * runs of an average, or NULL for one run. */
static void print_table(FILE *file, const parameters *p, const weighted_average *average,
                        const result_rows *rows) {
    const spin_model *const model = rows->model;
    /* The errors of an average come from the scatter of the runs. */
    const bool errors_known = average != NULL || !parameters_replicas_correlated(p);
    result_header_print_parameters(file, p);
    if (p->load_spins != NULL)
        fputs("# begun with a saved population, at whose beta ln Z is not known: betaF/N is less "
              "its value "
              "there, and S/N likewise lacks ln Z / N\n",
              file);
    if (!errors_known)
        print_reason_for_nan(file, p);
    const trust_verdict t = trust_of_rows(rows->row, rows->count);
    trust_print(file, &t, parameters_advice(p));
    if (model->disordered) {
        const equilibration e = equilibration_of_rows(rows->row, rows->overlap, rows->count,
                                                      average != NULL ? average->runs : 1);
        equilibration_print(file, &e);
        print_cut(file, rows);
    }
    if (model->graph != NULL)
        print_lowest(file, rows);
    const bool averaged = average != NULL;
    heading overlap[OVERLAP_COLUMNS_MOST];
    overlap_columns_list(overlap, model);
    const heading_set sets[] = {{result_columns, RESULT_COLUMNS, averaged, model->disordered},
                                {overlap, overlap_columns_count(model), averaged, false},
                                {average_columns, averaged ? AVERAGE_COLUMNS : 0, averaged, false}};
    if (averaged)
        print_few_trusting(file, p, average, rows);
    print_columns(file, sets, sizeof sets / sizeof *sets, model->disordered);
    print_results(file, p, average, rows, errors_known);
}

/* --- files --- */

exit_status results_write_run(result_folder *folder, const parameters *p, uint32_t run,
                              const char *remark, const result_rows *rows) {
    FILE *const file = results_begin_run(folder, "results", rows->model, run);
    if (file == NULL)
        return STATUS_FAILED;
    fprintf(file, "# run %" PRIu32 "\n", run);
    if (remark[0] != '\0')
        fprintf(file, "# %s\n", remark);
    print_table(file, p, NULL, rows);
    return STATUS_OK;
}

exit_status results_write_weighted(result_folder *folder, const parameters *p,
                                   const weighted_average *runs, const run_weights *r,
                                   const result_rows *rows) {
    FILE *const file = results_begin(folder, WEIGHTED_FILE, rows->model);
    if (file == NULL)
        return STATUS_FAILED;
    fprintf(file, "# averages over %zu runs, weighted by their free energies (eqs. 6, 7)\n",
            r->runs);
    run_weights_print(file, r);
    print_table(file, p, r->runs > 1 ? runs : NULL, rows);
    return STATUS_OK;
}

/* Prints what follows the title of a multi-histogram analysis, of one run or averaged. */
static void print_reweighted(FILE *file, const parameters *p, const spin_model *model,
                             const trust_verdict *t, const observables rows[], size_t count) {
    const double spins = (double)model->sites;
    const bool errors_known = rows[0].blocks > 0;
    result_header_print_parameters(file, p);
    trust_print(file, t, parameters_advice(p));
    if (!errors_known)
        fprintf(file, "# The errors are nan: they come from the scatter of several runs (-M).\n");
    const heading_set set = {reweighted_columns, REWEIGHTED_COLUMNS, false, false};
    print_columns(file, &set, 1, model->disordered);
    for (size_t i = 0; i < count; i++) {
        const observables *const o = &rows[i];
        double x[REWEIGHTED_COLUMNS + 2 * COLUMNS_MOST] = {
            o->beta,
            o->e,
            o->c,
            o->beta_f / spins,
            o->abs_m,
            o->m2,
            o->m4,
            errors_known ? o->error_e : NAN,
            errors_known ? o->error_c : NAN,
            errors_known ? o->error_beta_f / spins : NAN,
            errors_known ? o->error_abs_m : NAN,
            errors_known ? o->error_m2 : NAN,
            errors_known ? o->error_m4 : NAN,
            o->blocks,
        };
        const size_t more = fill_columns(x + REWEIGHTED_COLUMNS, o, model, errors_known);
        results_print_row(file, p->precision, x, REWEIGHTED_COLUMNS + more);
    }
}

exit_status results_write_reweighted(result_folder *folder, const parameters *p,
                                     const spin_model *model, uint32_t run, const trust_verdict *t,
                                     const observables rows[], size_t count) {
    FILE *const file = results_begin_run(folder, "MHR_results", model, run);
    if (file == NULL)
        return STATUS_FAILED;
    fprintf(file, "# multi-histogram analysis (eq. 9) of run %" PRIu32 "\n", run);
    print_reweighted(file, p, model, t, rows, count);
    return STATUS_OK;
}

exit_status results_write_reweighted_average(result_folder *folder, const parameters *p,
                                             const spin_model *model, size_t runs,
                                             const trust_verdict *t, const observables rows[],
                                             size_t count) {
    FILE *const file = results_begin(folder, REWEIGHTED_FILE, model);
    if (file == NULL)
        return STATUS_FAILED;
    fprintf(
        file,
        "# averages over the multi-histogram analyses (eq. 9) of %zu runs, weighted by their free "
        "energies (eqs. 6, 7)\n",
        runs);
    print_reweighted(file, p, model, t, rows, count);
    return STATUS_OK;
}

exit_status results_write_schedule(result_folder *folder, const parameters *p,
                                   const spin_model *model, const beta_schedule *betas) {
    FILE *const file = results_begin(folder, SCHEDULE_FILE, model);
    char beta[NUMBER_TEXT_SIZE];
    if (file == NULL)
        return STATUS_FAILED;
    result_header_print_parameters(file, p);
    fprintf(file, "# " PROFILE_SCHEDULE "\n");
    for (size_t i = 0; i < betas->swept; i++)
        fprintf(file, "%s %" PRIu32 "\n", number_text(beta, betas->beta[i]), betas->sweeps[i]);
    return STATUS_OK;
}

exit_status results_write_couplings(result_folder *folder, const parameters *p,
                                    const spin_model *model) {
    FILE *const file = results_begin(folder, COUPLINGS_FILE, model);
    if (file == NULL)
        return STATUS_FAILED;
    result_header_print_parameters(file, p);
    couplings_write(model->sample, file, model->name, NULL);
    return STATUS_OK;
}
