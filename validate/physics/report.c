/* The tables of a validation. */
#include "report.h"

#include "base/commit.h"
#include "device/pool.h"
#include "method/simulation_state.h"
#include "validate/lib/statistics.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Opens the device once, to say which it is, and to resolve `auto`. */
static exit_status find_device(parameters *base, char *name, size_t size) {
    engine_pool engines;
    parameters p = *base;
    p.population = 1;
    p.in_flight = 1;
    if (pool_create(&engines, &p, NULL, simulation_bytes(&p)))
        return STATUS_REFUSED;
    const engine *const e = engines.member[0];
    base->device = e->driver ? DEVICE_CUDA : DEVICE_CPU;
    snprintf(name, size, "%s, driver %s, %u CPU threads", e->name, e->driver ? e->driver : "none",
             e->threads);
    pool_destroy(&engines);
    return STATUS_OK;
}

exit_status report_begin(const char *folder, parameters *base) {
    char device[400], date[32] = "unknown";
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return complain(STATUS_REFUSED, "--output %s: %s", folder, strerror(errno));
    if (find_device(base, device, sizeof device))
        return STATUS_REFUSED;
    printf("# paising %s, commit %s, %s\n# %s\n", PAISING_VERSION, commit_name(), date, device);
    printf("# case                         check      quantity  number        z  corrected_p   "
           "beta     observed     expected\n");
    return STATUS_OK;
}

/* The name of a check as one word. */
static const char *one_word(char *word, size_t size, const char *name) {
    snprintf(word, size, "%s", name);
    for (char *c = word; *c; c++)
        if (*c == ' ')
            *c = '-';
    return word;
}

void report_finding(const char *name, const finding *f, double limit) {
    char check[32];
    const double p = fmin(1, (double)f->comparisons * erfc(fabs(f->z) / sqrt(2)));
    printf("%-30s %-10s %-8s %7zu %8.2f %12.2g %6.3g %12.6g %12.6g%s\n", name,
           one_word(check, sizeof check, check_name[f->check]),
           f->of < QUANTITIES ? quantity_name[f->of] : "-", f->comparisons, f->z, p, f->beta,
           f->observed, f->expected, fabs(f->z) <= limit ? "" : "  #wrong");
}

void report_control(const validation_case *c, unsigned flagged, const finding *worst, int right) {
    if (!c->wrong) {
        printf("# %s: sweeps of the faults without a fault: %s\n", c->name,
               right ? "nothing found, as it must be" : "SOMETHING FOUND");
        return;
    }
    printf("# %s: %s: %s:", c->name, c->wrong,
           right ? "found by" : "NOT FOUND by what is meant to");
    for (unsigned check = 0; check < CHECKS; check++)
        if (flagged >> check & 1)
            printf(" [%s]", check_name[check]);
    printf(", largest z = %.1f (%s)\n", worst->z, check_name[worst->check]);
}

exit_status report_open(safe_file *file, const char *folder, const char *name) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.dat", folder, name) >= (int)sizeof path)
        return complain(STATUS_FAILED, "%s: the name is too long", folder);
    return safe_file_open(file, path);
}

exit_status report_close(safe_file *file) {
    const exit_status status = safe_file_close(file);
    return status ? status : safe_file_publish(file);
}

/* The scatter of the runs beside the errors that they give themselves, at one temperature. */
static void print_errors(FILE *out, const ensemble *s, size_t i, quantity q) {
    const double spins = (double)s->model.sites;
    sample values = {0}, squares = {0};
    for (size_t run = 0; run < s->rows.runs; run++) {
        const observables *const row = ensemble_row(s, run, i);
        const double error = quantity_error(row, q, spins);
        sample_add(&values, quantity_value(row, q, spins));
        sample_add(&squares, error * error);
    }
    fprintf(out, " %.6g %.6g", sqrt(sample_variance(&values)), sqrt(squares.mean));
}

/* R/rho_t, R_eff as the runs give it (the mean of its inverse) and from the scatter of their mean
 * energies, and the variance of R_i, measured and from eq. (2). */
static void print_population(FILE *out, const ensemble *s, size_t i) {
    sample families = {0}, r_eff = {0}, e = {0}, variance = {0}, drawn = {0}, expected = {0};
    for (size_t run = 0; run < s->rows.runs; run++) {
        const observables *const row = ensemble_row(s, run, i);
        const resampling_draw *const d = ensemble_draw(s, run, i);
        sample_add(&families, row->population / row->rho_t);
        sample_add(&r_eff, 1 / row->r_eff);
        sample_add(&e, row->e);
        sample_add(&variance, row->e2 - row->e * row->e);
        sample_add(&drawn, (d->population - d->mean) * (d->population - d->mean));
        sample_add(&expected, d->variance);
    }
    fprintf(out, " %.6g %.6g %.6g %.6g %.6g", families.mean, 1 / r_eff.mean,
            variance.mean / sample_variance(&e), i ? drawn.mean : 0, i ? expected.mean : 0);
}

exit_status report_case(const char *folder, const char *name, const ensemble *s,
                        const expectation expected[], const estimate estimates[]) {
    static const quantity with_error[] = {ENERGY, SPECIFIC_HEAT, BETA_F};
    const parameters *const p = &s->given;
    const uint64_t spins = s->model.sites;
    char size[LATTICE_TEXT_SIZE];
    safe_file file;
    exit_status status = report_open(&file, folder, name);
    if (status)
        return status;
    FILE *const out = file.stream;
    fprintf(
        out,
        "# %s: L = %s, R = %llu, theta = %u, %u runs, seed %llu\n"
        "# for e, C, betaF/N, S/N, |m|, m2, m4 (of a glass |q|, q2, q4): average, its error, "
        "expected, z; then for e, C, "
        "betaF/N:\n# deviation of the runs, error of one run; then R/rho_t, R_eff of a run, "
        "R_eff from the runs,\n# variance of R_i, expected variance of R_i, 1 where the average is "
        "trusted\n# beta ...\n",
        name, lattice_text(size, p->size), (unsigned long long)p->population, p->sweeps, p->runs,
        (unsigned long long)p->seed);
    for (size_t i = 0; i < s->rows.temperatures; i++) {
        fprintf(out, "%.6g", ensemble_row(s, 0, i)->beta);
        for (quantity q = 0; q < QUANTITIES; q++) {
            const double off = estimates[i].value[q] - expected[i].value[q],
                         error = hypot(estimates[i].error[q], expected[i].error[q]);
            fprintf(out, " %.10g %.4g %.10g %.4g", estimates[i].value[q], estimates[i].error[q],
                    expected[i].value[q], error > 0 ? off / error : 0);
        }
        for (size_t n = 0; n < sizeof with_error / sizeof *with_error; n++)
            print_errors(out, s, i, with_error[n]);
        print_population(out, s, i);
        fprintf(out, " %d\n", weighted_row(&s->rows, i, spins).trusted);
    }
    return report_close(&file);
}
