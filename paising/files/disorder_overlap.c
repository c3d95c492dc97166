/* Histograms of samples (disorder_overlap.h). */
#include "disorder_overlap.h"

#include "base/checked_text.h"
#include "base/number.h"
#include "base/text_line.h"
#include "overlap_results.h"
#include "publication.h"
#include "result_header.h"
#include "result_names.h"
#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_series(const parameters *p) {
    return p->method != METHOD_annealing;
}

/* The distance between neighbouring bins of q, or of q_l. */
static double bin_step(const spin_model *model, overlap_scale s, size_t first) {
    return overlap_bin_at(model, s, first) - overlap_bin_at(model, s, first + 1);
}

bool results_bins_are_legible(const parameters *p) {
    const spin_model model = parameters_model(p);
    const overlap_scale s = overlap_scale_of(&model);
    double digit = 1; /* the last of a number */
    for (int n = 0; n < p->precision; n++)
        digit /= 10;
    return digit < fmin(bin_step(&model, s, 0), bin_step(&model, s, s.differ_bins));
}

/* --- reading --- */

/* A file that is being read. */
typedef struct {
    const spin_model *model;
    overlap_scale scale;
    bool one_run;
    size_t rows, bins;    /* temperatures so far, and bins of each */
    size_t temperatures;  /* those expected */
    uint64_t *pairs;      /* [temperatures] */
    overlap_share *share; /* [temperatures][bins] */
    size_t first, count;  /* bins of the block at hand */
} histogram_reader;

/* Begins a block: "# beta = 0.5: P(q) of 992 pairs". */
static bool read_heading(histogram_reader *r, const char *line) {
    const char *const of = strstr(line, " of ");
    const bool links = strstr(line, "P(q_l)") != NULL;
    if (of == NULL || (links ? r->rows == 0 : r->rows == r->temperatures))
        return false;
    r->rows += !links;
    r->first = links ? r->scale.differ_bins : 0;
    r->count = links ? r->scale.wall_bins : r->scale.differ_bins;
    r->pairs[r->rows - 1] = strtoull(of + strlen(" of "), NULL, 10);
    return true;
}

/* Reads a row: beta, kind, q, count, share. The share of one run is made of the counts, as when the run is added from memory
 * (overlap_average_add_run); that of several runs has the digits of the file. */
static bool read_bin(histogram_reader *r, char *line) {
    char *end = line;
    enum { BETA, KIND, Q, COUNT, SHARE, READ };
    double x[READ];
    if (r->rows == 0)
        return false;
    for (size_t n = 0; n < READ; n++) {
        char *const begin = end;
        x[n] = number_read(begin, &end);
        if (end == begin || *end != ' ')
            return false;
        end++;
    }
    const double top = overlap_bin_at(r->model, r->scale, r->first);
    const double place = round((top - x[Q]) / bin_step(r->model, r->scale, r->first));
    if (!(x[KIND] == (r->first > 0 ? KIND_LINK : KIND_OVERLAP) && place >= 0 &&
          place < (double)r->count && x[COUNT] >= 0 && x[SHARE] >= 0 && x[SHARE] < 2))
        return false;
    const double share = r->one_run ? x[COUNT] / (double)r->pairs[r->rows - 1] : x[SHARE];
    r->share[(r->rows - 1) * r->bins + r->first + (size_t)place] =
        (overlap_share){.count = x[COUNT], .share = share};
    return true;
}

static bool read_lines(histogram_reader *r, FILE *file) {
    char *line = NULL;
    size_t size = 0;
    ssize_t length = 0;
    bool good = true;
    while (good && (length = text_line(&line, &size, file)) > 0)
        if (strncmp(line, "# beta = ", strlen("# beta = ")) == 0)
            good = read_heading(r, line);
        else if (line[0] != '#' && line[0] != '\n')
            good = read_bin(r, line);
    free(line);
    return good && length == 0 && r->rows == r->temperatures;
}

static exit_status read_file(histogram_reader *r, const char *path) {
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    const bool good = checked_text_verify(file) == CHECKED_TEXT_WHOLE && read_lines(r, file);
    fclose(file);
    return good ? STATUS_OK
                : complain(STATUS_FAILED,
                           "%s: the file is not whole, or its histograms are not the expected ones",
                           path);
}

static const char *file_of_sample(const parameters *p) {
    return is_series(p)   ? OVERLAP_HISTOGRAMS_FILE
           : p->runs == 1 ? "PA_overlap_run_0.dat"
                          : OVERLAP_FILE;
}

exit_status results_read_overlaps(const char *folder, const parameters *p, overlap_average *a) {
    const spin_model model = parameters_model(p);
    histogram_reader r = {.model = &model,
                          .scale = overlap_scale_of(&model),
                          .one_run = p->runs == 1,
                          .bins = a->bins,
                          .temperatures = a->temperatures};
    r.pairs = calloc(a->temperatures, sizeof *r.pairs);
    r.share = calloc(a->temperatures * a->bins, sizeof *r.share);
    exit_status status = STATUS_OK;
    if (r.pairs == NULL || r.share == NULL)
        status = complain(STATUS_FAILED, "%s: not enough memory for its overlaps", folder);
    else
        status = read_file(&r, path_in(folder, file_of_sample(p)).text);
    if (!status)
        for (size_t i = 0; i < a->temperatures; i++)
            overlap_average_add(a, i, r.pairs[i], r.share + i * a->bins);
    free(r.pairs);
    free(r.share);
    return status;
}

/* --- writing --- */

/* The averages at all temperatures. */
typedef struct {
    int precision;
    const spin_model *model;
    const overlap_average *average;
    const sample_table *table;
} average_rows;

static row_text text_of_row(const void *of, size_t i) {
    const average_rows *const r = of;
    const overlap_average_row *const row = &r->average->row[i];
    overlap_share share[2 * OVERLAP_BINS];
    char samples[40];
    snprintf(samples, sizeof samples, " of %" PRIu64 " samples", row->samples);
    overlap_average_shares(r->average, i, share);
    return overlap_text_of_shares(r->precision, r->model, r->table->row[i].beta, (double)row->pairs,
                                  samples, share);
}

exit_status results_write_disorder_overlap(result_folder *folder, const parameters *p,
                                           const overlap_average *a, const sample_table *t) {
    const spin_model model = parameters_model(p);
    const char *const name = is_series(p) ? SERIES_OVERLAP_FILE : DISORDER_OVERLAP_FILE;
    FILE *const file = results_begin(folder, name, &model);
    const average_rows all = {p->precision, &model, a, t};
    if (file == NULL)
        return STATUS_FAILED;
    fprintf(file, "# averages [.] over samples of the disorder\n");
    result_header_print_parameters(file, p);
    results_print_overlap_columns(
        file, &model, "the mean of the shares of the samples, each of which counts alike",
        "from the scatter of the samples; nan for one sample");
    return results_print_overlap_rows(file, 0, a->temperatures, text_of_row, &all);
}
