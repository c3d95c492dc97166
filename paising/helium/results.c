/* Averages and data files (results.h). */
#include "results.h"

#include "base/checked_text.h"
#include "base/commit.h"
#include "base/number.h"
#include "base/safe_file.h"
#include "estimate/autocorrelation.h"
#include "files/json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

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

static exit_status write_file(const results *x, const char *name, rows_of *print) {
    char path[PATH_MAX];
    safe_file file;
    checked_text text;
    snprintf(path, sizeof path, "%s/%s", x->request->output, name);
    exit_status status = safe_file_open(&file, path);
    if (status)
        return status;
    FILE *const stream = checked_text_begin(&text, file.stream);
    if (stream == NULL) {
        safe_file_abort(&file);
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    }
    fprintf(stream, "# paising-helium %s\n", PAISING_VERSION);
    helium_options_print(stream, x->request);
    print(stream, x);
    if (!checked_text_end(&text)) {
        safe_file_abort(&file);
        return complain(STATUS_FAILED, "%s: %s", path, strerror(text.error));
    }
    status = safe_file_close(&file);
    return status ? status : safe_file_publish(&file);
}

static exit_status write_json(const results *x, double seconds) {
    char path[PATH_MAX], date[32];
    safe_file file;
    const time_t now = time(NULL);
    snprintf(path, sizeof path, "%s/run.json", x->request->output);
    exit_status status = safe_file_open(&file, path);
    if (status)
        return status;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(file.stream,
            "{\n  \"program\": \"paising-helium\",\n  \"version\": \"%s\",\n  \"commit\": ",
            PAISING_VERSION);
    json_string(file.stream, commit_name());
    fputs(",\n", file.stream);
    helium_options_print_json(file.stream, x->request);
    fputs("  \"device\": ", file.stream);
    json_string(file.stream, x->request->device);
    fprintf(file.stream, ",\n  \"date\": \"%s\",\n  \"seconds\": %.6f\n}\n", date, seconds);
    status = safe_file_close(&file);
    return status ? status : safe_file_publish(&file);
}

/* --- The folder --- */

exit_status helium_results_open(lock_file *lock, const helium_request *r) {
    char path[PATH_MAX], holder[LOCK_HOLDER_SIZE];
    struct stat there;
    if (strlen(r->output) + sizeof "/.paising-helium.lock" + NAME_MAX > PATH_MAX)
        return complain(STATUS_REFUSED, "--output: the name is too long");
    if (mkdir(r->output, 0777) != 0 && errno != EEXIST)
        return complain(status_of_error(errno), "--output %s: %s", r->output, strerror(errno));
    snprintf(path, sizeof path, "%s/run.json", r->output);
    if (stat(path, &there) == 0 && !r->force)
        return complain(STATUS_REFUSED,
                        "--output %s: a result is there; allowed are another folder, or --force",
                        r->output);
    snprintf(path, sizeof path, "%s/.paising-helium.lock", r->output);
    switch (lock_file_take(lock, path, holder)) {
    case LOCK_TAKEN:
    case LOCK_UNSUPPORTED:
        return STATUS_OK;
    case LOCK_HELD:
        return complain(STATUS_REFUSED, "--output %s: in use by %s", r->output, holder);
    default:
        return complain(status_of_error(errno), "--output %s: %s", r->output, strerror(errno));
    }
}

exit_status helium_results_write(const helium_record *record, const helium_request *r,
                                 const helium_system *s, double seconds) {
    static const struct {
        const char *name;
        rows_of *print;
    } file[] = {{"e.dat", print_energy},
                {"kinetic.dat", print_kinetic},
                {"acceptance.dat", print_acceptance},
                {"radial.dat", print_radial},
                {"structure.dat", print_structure},
                {"finalconfig.dat", print_configuration},
                {"summary.dat", print_summary}};
    results x = {.record = record,
                 .request = r,
                 .system = s,
                 .block = malloc(record->blocks * sizeof *x.block),
                 .series = malloc((size_t)record->blocks * r->analyses * sizeof *x.series)};
    exit_status status = STATUS_OK;
    if (x.block == NULL || x.series == NULL)
        status = complain(STATUS_FAILED, "no memory for averages");
    else
        average_blocks(&x);
    for (size_t n = 0; !status && n < sizeof file / sizeof *file; n++)
        status = write_file(&x, file[n].name, file[n].print);
    if (!status)
        status = write_json(&x, seconds);
    free(x.block);
    free(x.series);
    return status;
}
