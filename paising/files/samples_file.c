/* The row of each sample (samples_file.h). */
#include "samples_file.h"

#include "base/number.h"
#include "data_columns.h"
#include "engine/overlaps.h"
#include "publication.h"
#include "result_header.h"
#include "result_names.h"
#include "results.h"
#include "settings/plans.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- columns --- */

/* Columns of PA_results_weighted.dat, whose last row is shown as it is. */
static const char *const at_end[SAMPLE_NUMBERS] = {
    "beta",    "e",      "err_e",      "C",        "err_C",    "betaF/N",  "err_betaF/N",  "|q|",
    "err_|q|", "q2",     "err_q2",     "q4",       "err_q4",   "Binder",   "err_Binder",   "q_l",
    "err_q_l", "chi_SG", "err_chi_SG", "xi/L",     "err_xi/L", "chi(k)",   "err_chi(k)",   "S_f",
    "rho_t",   "rho_s",  "R",          "families", "pairs",    "E_min",    "trusted",      "q_s",
    "err_q_s", "q_k2",   "err_q_k2",   "q_k4",     "err_q_k4", "Binder_k", "err_Binder_k",
};
enum { COLUMN_BETA_F = 5, COLUMN_ERROR_BETA_F = 6, COLUMN_LOWEST = 29, OF_VECTORS = 8 };

/* Of graphs. */
static const char *const graph_at_end[] = {
    "beta",    "e",  "err_e",  "C",     "err_C",  "betaF/N",  "err_betaF/N", "|m|",
    "err_|m|", "m2", "err_m2", "m4",    "err_m4", "S/N",      "err_S/N",     "chi",
    "err_chi", "U4", "err_U4", "rho_t", "R",      "families", "trusted",
};

/* The columns that a sample has. */
static const char *const *numbers_of(const spin_model *model, size_t *count) {
    *count = model->graph != NULL        ? sizeof graph_at_end / sizeof *graph_at_end
             : overlap_is_of_bits(model) ? SAMPLE_NUMBERS - OF_VECTORS
                                         : SAMPLE_NUMBERS;
    return model->graph != NULL ? graph_at_end : at_end;
}

static const struct {
    const char *name, *meaning;
    /* of the states of lowest energy, which are not searched in populations of graphs */
    bool surveyed;
} first[] = {
    {"sample", "number of the sample", false},
    {"couplings", "CRC-32 of its couplings, as --couplings shows it", false},
    {"temperatures", "rows of its results", false},
    {"E_0", "the lowest energy of its runs at any temperature, of the lattice, in J", false},
    {"replicas_0", "replicas with this energy at the last temperature, in all runs", true},
    {"families_0", "families that these replicas are of", true},
    {"lnZ", "ln of the partition function at the last temperature", false},
    {"err_lnZ", "error of lnZ", false},
};
enum { FIRST = sizeof first / sizeof *first, COLUMNS = FIRST + SAMPLE_NUMBERS };

static bool is_there(size_t n, const spin_model *model) {
    return !first[n].surveyed || model->graph == NULL;
}
_Static_assert(COLUMNS <= RESULTS_MOST_COLUMNS, "room for a row");

/* --- reading --- */

/* Adds the states of lowest energy of a run, from its file. A run that died out has none. */
static exit_status add_ground_states(const char *path, sample_line *line) {
    static const char *const behind[] = {"# lowest energy at the last temperature: ",
                                         "# replicas with it: ", "# families with it: "};
    double found[3];
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    const exit_status status = data_header_read(path, behind, found, 3);
    if (status)
        return status;
    line->replicas += found[0] == line->lowest ? found[1] : 0;
    line->families += found[0] == line->lowest ? found[2] : 0;
    return STATUS_OK;
}

/* Sets the lowest energy of a sample, and its states. */
static exit_status read_lowest(const char *folder, const parameters *p, const data_columns *d,
                               size_t numbers, sample_line *line) {
    static const char *const behind[] = {"# lowest energy: "};
    exit_status status = STATUS_OK;
    line->lowest = INFINITY;
    if (p->graph != NULL)
        return data_header_read(path_in(folder, WEIGHTED_FILE).text, behind, &line->lowest, 1);
    for (size_t i = 0; i < d->rows; i++)
        line->lowest = fmin(line->lowest, d->value[i * numbers + COLUMN_LOWEST]);
    for (uint32_t run = 0; run < p->runs && !status; run++) {
        char name[RESULT_NAME_MOST];
        snprintf(name, sizeof name, "PA_ground_state_run_%" PRIu32 ".dat", run);
        status = add_ground_states(path_in(folder, name).text, line);
    }
    return status;
}

exit_status results_fingerprint_of(const parameters *p, uint32_t number, uint32_t *fingerprint) {
    parameters one = *p;
    couplings bonds;
    exit_status status;
    one.sample = number;
    one.graph = NULL; /* whose bonds they are */
    if (parameters_couplings(&one, &bonds, &status) == NULL)
        return status;
    *fingerprint = couplings_fingerprint(&bonds);
    couplings_destroy(&bonds);
    return STATUS_OK;
}

exit_status results_read_sample_line(const char *folder, const parameters *p, uint32_t number,
                                     sample_line *line) {
    const spin_model model = parameters_model(p);
    size_t numbers;
    const char *const *const names = numbers_of(&model, &numbers);
    data_columns d;
    exit_status status = data_columns_read(&d, path_in(folder, WEIGHTED_FILE).text, names, numbers);
    if (status)
        return status;
    *line = (sample_line){.number = number, .temperatures = d.rows};
    memcpy(line->at_end, d.value + (d.rows - 1) * numbers, numbers * sizeof *line->at_end);
    status = read_lowest(folder, p, &d, numbers, line);
    free(d.value);
    return status ? status : results_fingerprint_of(p, number, &line->fingerprint);
}

/* --- writing --- */

void results_mean_text(char text[SAMPLE_MEAN_SIZE], const char *what, const double x[],
                       size_t samples) {
    double sum = 0, squares = 0, spread[2];
    char mean[NUMBER_TEXT_SIZE], error[NUMBER_TEXT_SIZE];
    for (size_t s = 0; s < samples; s++)
        sum += x[s];
    for (size_t s = 0; s < samples; s++) {
        const double apart = x[s] - sum / (double)samples;
        squares += apart * apart;
    }
    spread[0] = sum / (double)samples;
    spread[1] = squares > 0 ? sqrt(squares / ((double)samples - 1) / (double)samples) : NAN;
    snprintf(text, SAMPLE_MEAN_SIZE, "mean of %s over the samples: %s, error %s", what,
             number_short_text(mean, spread[0]), number_short_text(error, spread[1]));
}

exit_status results_write_samples(result_folder *folder, const parameters *p,
                                  const sample_line line[], size_t samples) {
    const spin_model model = parameters_model(p);
    const double spins = (double)model.sites;
    size_t numbers, columns = 0;
    const char *const *const names = numbers_of(&model, &numbers);
    char mean[SAMPLE_MEAN_SIZE];
    double *const lowest = calloc(samples, sizeof *lowest);
    if (lowest == NULL)
        return complain(STATUS_FAILED, "not enough memory for the rows of samples");
    FILE *const file = results_begin(folder, SAMPLES_FILE, &model);
    if (file == NULL) {
        free(lowest);
        return STATUS_FAILED;
    }
    for (size_t s = 0; s < samples; s++)
        lowest[s] = line[s].lowest;
    fprintf(file, "# a row for each of %zu samples of the disorder\n", samples);
    result_header_print_parameters(file, p);
    results_mean_text(mean, "E_0", lowest, samples);
    fprintf(file, "# %s\n", mean);
    free(lowest);
    for (size_t n = 0; n < FIRST; n++)
        if (is_there(n, &model))
            fprintf(file, "# column %zu: %s, %s\n", ++columns, first[n].name, first[n].meaning);
    fprintf(file,
            "# columns from %zu on: those of " WEIGHTED_FILE " of the sample, at its last beta\n",
            columns + 1);
    fputs("#", file);
    for (size_t n = 0; n < FIRST; n++)
        if (is_there(n, &model))
            fprintf(file, " %s", first[n].name);
    for (size_t n = 0; n < numbers; n++)
        fprintf(file, " %s", names[n]);
    fputc('\n', file);
    for (size_t s = 0; s < samples; s++) {
        const sample_line *const l = &line[s];
        const double own[FIRST] = {l->number,
                                   l->fingerprint,
                                   (double)l->temperatures,
                                   l->lowest,
                                   l->replicas,
                                   l->families,
                                   -spins * l->at_end[COLUMN_BETA_F],
                                   spins * l->at_end[COLUMN_ERROR_BETA_F]};
        double x[COLUMNS];
        size_t count = 0;
        for (size_t n = 0; n < FIRST; n++)
            if (is_there(n, &model))
                x[count++] = own[n];
        memcpy(x + count, l->at_end, numbers * sizeof *x);
        results_print_row(file, p->precision, x, count + numbers);
    }
    return STATUS_OK;
}
