/* Averages and data files (results.h). */
#include "results.h"

#include "base/checked_text.h"
#include "base/commit.h"
#include "base/input_file.h"
#include "base/number.h"
#include "base/safe_file.h"
#include "estimate/autocorrelation.h"
#include "files/json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TOTAL, POTENTIAL, KINETIC, GRADIENT, LAPLACIAN, ACCEPTANCE, QUANTITIES };
static const char *const quantity_name[QUANTITIES] = {"E", "V", "T", "T1", "T2", "acceptance"};

typedef struct {
    const helium_record *record;
    const helium_request *request;
    const helium_system *system;
    double (*block)[QUANTITIES]; /* means of each block */
    double *series;              /* [blocks * analyses], for one quantity of one walker */
} results;

/* --- Averages --- */

static void quantities_of(const results *x, const helium_analysis *row, double q[QUANTITIES]) {
    const helium_energies e = helium_energies_of(x->system, &row->sums);
    q[TOTAL] = e.total;
    q[POTENTIAL] = e.potential;
    q[KINETIC] = e.kinetic;
    q[GRADIENT] = e.kinetic_gradient;
    q[LAPLACIAN] = e.kinetic_laplacian;
    q[ACCEPTANCE] =
        (double)row->accepted / ((double)x->request->macroupdates * x->request->p.atoms);
}

static void average_blocks(const results *x) {
    const size_t rows = (size_t)x->request->analyses * x->request->p.walkers;
    for (uint32_t b = 0; b < x->record->blocks; b++) {
        double sum[QUANTITIES] = {0}, q[QUANTITIES];
        for (size_t n = 0; n < rows; n++) {
            quantities_of(x, &x->record->row[b * rows + n], q);
            for (int k = 0; k < QUANTITIES; k++)
                sum[k] += q[k];
        }
        for (int k = 0; k < QUANTITIES; k++)
            x->block[b][k] = sum[k] / (double)rows;
    }
}

typedef struct {
    double mean, error_of_blocks, error_of_series, tau, error_tau;
} average;

/* The mean of all blocks; its error by the scatter of blocks, and by the autocorrelations of each walker. */
static average average_of(const results *x, int k) {
    const uint32_t blocks = x->record->blocks, walkers = x->request->p.walkers;
    const size_t length = (size_t)blocks * x->request->analyses;
    double sum = 0, squares = 0, variance = 0, tau = 0, tau_squares = 0;
    for (uint32_t b = 0; b < blocks; b++)
        sum += x->block[b][k];
    const double mean = sum / blocks;
    for (uint32_t b = 0; b < blocks; b++)
        squares += (x->block[b][k] - mean) * (x->block[b][k] - mean);
    for (uint32_t w = 0; w < walkers; w++) {
        for (size_t t = 0; t < length; t++) {
            double q[QUANTITIES];
            quantities_of(x, &x->record->row[t * walkers + w], q);
            x->series[t] = q[k];
        }
        const autocorrelation a = autocorrelation_of(x->series, length);
        variance += a.error_mean * a.error_mean;
        tau += a.tau / walkers;
        tau_squares += a.error_tau * a.error_tau;
    }
    return (average){.mean = mean,
                     .error_of_blocks = sqrt(squares / blocks / (blocks - 1.)),
                     .error_of_series = sqrt(variance) / walkers,
                     .tau = tau,
                     .error_tau = sqrt(tau_squares) / walkers};
}

/* --- Data files --- */

typedef void rows_of(FILE *file, const results *x);

static void print_number(FILE *file, double x) {
    char text[NUMBER_TEXT_SIZE];
    fprintf(file, " %s", number_rounded_text(text, x, 12));
}

static void print_blocks(FILE *file, const results *x, const char *columns, int first, int end) {
    fprintf(file, "# block %s\n", columns);
    for (uint32_t b = 0; b < x->record->blocks; b++) {
        fprintf(file, "%u", b + 1);
        for (int k = first; k < end; k++)
            print_number(file, x->block[b][k]);
        fputc('\n', file);
    }
}

static void print_energy(FILE *file, const results *x) {
    print_blocks(file, x, "E/K V/K T/K", TOTAL, GRADIENT);
}

static void print_kinetic(FILE *file, const results *x) {
    print_blocks(file, x, "T1/K T2/K", GRADIENT, ACCEPTANCE);
}

static void print_acceptance(FILE *file, const results *x) {
    print_blocks(file, x, "acceptance", ACCEPTANCE, QUANTITIES);
}

static double analyses_made(const results *x) {
    return (double)x->record->blocks * x->request->analyses * x->request->p.walkers;
}

static void print_radial(FILE *file, const results *x) {
    const double width = x->request->p.edge / 2 / HELIUM_RADIAL_BINS, pi = 0x1.921fb54442d18p+1;
    fputs("# r/A g\n", file);
    for (int bin = 0; bin < HELIUM_RADIAL_BINS; bin++) {
        const double r = bin * width, end = r + width;
        const double shell = 4 * pi / 3 * (end * end * end - r * r * r);
        const double pairs = analyses_made(x) * x->request->p.atoms * x->request->density * shell;
        print_number(file, r + width / 2);
        print_number(file, (double)x->record->shape.radial[bin] / pairs);
        fputc('\n', file);
    }
}

static void print_structure(FILE *file, const results *x) {
    fputs("# k/A^-1 S\n", file);
    for (int n = 0; n < HELIUM_WAVE_NUMBERS; n++) {
        print_number(file, (n + 1) * 0x1.921fb54442d18p+2 / x->request->p.edge);
        const uint64_t *const sum = x->record->shape.structure[n];
        print_number(file, ((double)sum[1] * 0x1p32 + (double)sum[0]) / HELIUM_POWER_UNIT /
                               (3 * analyses_made(x) * x->request->p.atoms));
        fputc('\n', file);
    }
}

static void print_configuration(FILE *file, const results *x) {
    const uint32_t atoms = x->request->p.atoms;
    fputs("# walker x/A y/A z/A\n", file);
    for (uint32_t w = 0; w < x->request->p.walkers; w++)
        for (uint32_t i = 0; i < atoms; i++) {
            fprintf(file, "%u", w + 1);
            for (uint32_t k = 0; k < 3; k++)
                print_number(file, x->record->coordinate[((size_t)w * 3 + k) * atoms + i] *
                                       0x1p-32 * x->request->p.edge);
            fputc('\n', file);
        }
}

static void print_summary(FILE *file, const results *x) {
    fputs("# quantity mean error_of_blocks error_of_series tau_int/analyses error_tau\n", file);
    for (int k = 0; k < QUANTITIES; k++) {
        const average a = average_of(x, k);
        fputs(quantity_name[k], file);
        print_number(file, a.mean);
        print_number(file, a.error_of_blocks);
        print_number(file, a.error_of_series);
        print_number(file, a.tau);
        print_number(file, a.error_tau);
        fputc('\n', file);
    }
    fputs("tail", file);
    print_number(file, helium_tail(x->request->density, x->request->p.edge / 2));
    fputs(" 0 0 nan nan\n", file);
}

/* --- Publication --- */

enum { RUN_JSON = 7, FILES };
const char *const helium_result_files[] = {"e.dat",       "kinetic.dat",   "acceptance.dat",
                                           "radial.dat",  "structure.dat", "finalconfig.dat",
                                           "summary.dat", "run.json",      NULL};

static void print_header(FILE *file, const helium_request *r) {
    fprintf(file, "# paising-helium %s\n", PAISING_VERSION);
    helium_options_print(file, r);
}

static exit_status write_rows(safe_file *file, const results *x, rows_of *print) {
    checked_text text;
    FILE *const stream = checked_table_begin(&text, file->stream);
    if (stream == NULL)
        return complain(STATUS_FAILED, "%s: %s", file->path, strerror(ENOMEM));
    print_header(stream, x->request);
    print(stream, x);
    return checked_text_end(&text)
               ? STATUS_OK
               : complain(STATUS_FAILED, "%s: %s", file->path, strerror(text.error));
}

static void write_json(FILE *file, const results *x, double seconds) {
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(file, "{\n  \"program\": \"paising-helium\",\n  \"version\": \"%s\",\n  \"commit\": ",
            PAISING_VERSION);
    json_string(file, commit_name());
    fputs(",\n", file);
    helium_options_print_json(file, x->request);
    fputs("  \"device\": ", file);
    json_string(file, x->request->device);
    fprintf(file, ",\n  \"date\": \"%s\",\n  \"seconds\": %.6f\n}\n", date, seconds);
}

/* Writes a file under its temporary name. */
static exit_status write_file(safe_file *file, const results *x, int n, double seconds) {
    static rows_of *const print[FILES] = {
        print_energy,    print_kinetic,       print_acceptance, print_radial,
        print_structure, print_configuration, print_summary,    NULL};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", x->request->output, helium_result_files[n]);
    exit_status status = safe_file_open(file, path);
    if (status)
        return status;
    if (n == RUN_JSON)
        write_json(file->stream, x, seconds);
    else
        status = write_rows(file, x, print[n]);
    return status ? status : safe_file_close(file);
}

/* Writes all, then gives each its name. Without run.json there is no result: it goes first, and comes last. */
static exit_status publish(const results *x, double seconds) {
    safe_file file[FILES] = {{0}};
    char json[PATH_MAX];
    exit_status status = STATUS_OK;
    for (int n = 0; !status && n < FILES; n++)
        status = write_file(&file[n], x, n, seconds);
    snprintf(json, sizeof json, "%s/run.json", x->request->output);
    if (!status && unlink(json) != 0 && errno != ENOENT)
        status = complain(STATUS_FAILED, "%s: %s", json, strerror(errno));
    for (int n = 0; n < FILES; n++) {
        if (!status)
            status = safe_file_publish(&file[n]);
        safe_file_abort(&file[n]);
    }
    return status;
}

bool helium_results_are_of(const helium_request *r) {
    char path[PATH_MAX], *header = NULL;
    const char *why;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/summary.dat", r->output);
    FILE *const there = input_file_open(path, &why), *const here = open_memstream(&header, &size);
    if (here != NULL)
        print_header(here, r);
    bool same = here != NULL && fclose(here) == 0 && there != NULL;
    for (int names = 0; same && names != '\n' && names != EOF;) /* the first line, of the columns */
        names = fgetc(there);
    for (size_t n = 0; same && n < size; n++)
        same = fgetc(there) == (unsigned char)header[n];
    if (there != NULL)
        fclose(there);
    free(header);
    return same;
}

exit_status helium_results_write(const helium_record *record, const helium_request *r,
                                 const helium_system *s, double seconds) {
    results x = {.record = record,
                 .request = r,
                 .system = s,
                 .block = malloc(record->blocks * sizeof *x.block),
                 .series = malloc((size_t)record->blocks * r->analyses * sizeof *x.series)};
    exit_status status = STATUS_OK;
    if (x.block == NULL || x.series == NULL) {
        status = complain(STATUS_FAILED, "no memory for averages");
    } else {
        average_blocks(&x);
        status = publish(&x, seconds);
    }
    free(x.block);
    free(x.series);
    return status;
}
