/* Reading files of numbers against the inverse temperature. */
#include "profile.h"

#include "base/line_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST_LINES 1000000
#define MOST_BETA  1000
#define MOST_VALUE 1e9

/* Relative tolerance: a computed beta may be this much below the beta written in a file, and so may
 * values that follow from it. */
#define SAME_BETA (1 + 1e-12)

const char *profile_option(profile_kind kind) {
    static const char *const names[] = {"--betas", "--sweeps-file", "--relaxation"};
    return names[kind];
}

/* The state of reading one file. */
typedef struct {
    line_file file;
    size_t room;
    beta_profile *p;
} reader;

/* Reads the decimal number at *text and moves *text behind it and the blanks that follow. */
static bool read_number(reader *r, char **text, const char *name, double *number) {
    char *const word = *text, *end = word;
    const size_t length = strcspn(word, LINE_BLANKS);
    if (length == 0)
        return line_file_wrong(&r->file, "%s is missing", name);
    if (strspn(word, "0123456789.eE+-") >= length)
        *number = strtod(word, &end) + 0.0; /* -0 becomes 0 */
    if (end != word + length || !isfinite(*number))
        return line_file_wrong(&r->file, "%s '%.*s' is not a number", name,
                               length < 20 ? (int)length : 20, word);
    *text = end + strspn(end, LINE_BLANKS);
    return true;
}

static bool grow(reader *r) {
    const size_t room = r->room == 0 ? 256 : 2 * r->room;
    double *const beta = realloc(r->p->beta, room * sizeof *beta);
    if (beta != NULL)
        r->p->beta = beta;
    double *const value = realloc(r->p->value, room * sizeof *value);
    if (value != NULL)
        r->p->value = value;
    r->room = room;
    return (beta != NULL && value != NULL) || line_file_wrong(&r->file, "not enough memory");
}

static bool check_value(reader *r, double value) {
    if (r->p->kind != PROFILE_RELAXATION &&
        !(value >= 1 && value <= MOST_VALUE && value == floor(value)))
        return line_file_wrong(&r->file,
                               "theta = %.15g: the sweeps must be a whole number from 1 to %.0f",
                               value, MOST_VALUE);
    if (r->p->kind == PROFILE_RELAXATION && !(value > 0 && value <= MOST_VALUE))
        return line_file_wrong(&r->file, "tau = %.15g: the time must be above 0 and at most %.0f",
                               value, MOST_VALUE);
    return true;
}

/* Reads the columns behind beta. The line must end after them. */
static bool take_value(reader *r, char **text, double *value) {
    const profile_kind kind = r->p->kind;
    const bool betas = kind == PROFILE_BETAS;
    double column = 0;
    if ((!betas || r->file.headed) &&
        (!read_number(r, text, kind == PROFILE_RELAXATION ? "tau" : "theta", &column) ||
         !check_value(r, column)))
        return false;
    *value = betas ? 0 : column;
    if (**text == '\0')
        return true;
    return betas && !r->file.headed
               ? line_file_wrong(&r->file,
                                 "'%.20s' behind beta: allowed is beta alone, or theta behind it "
                                 "below a line '# " PROFILE_SCHEDULE "' as in PA_schedule.dat",
                                 *text)
               : line_file_wrong(&r->file, "more than two columns");
}

static bool take_line(reader *r, char *line) {
    beta_profile *const p = r->p;
    double beta, value = 0;
    if (!read_number(r, &line, "beta", &beta))
        return false;
    if (!(beta >= 0 && beta <= MOST_BETA))
        return line_file_wrong(&r->file, "beta = %.15g: allowed is from 0 to %d", beta, MOST_BETA);
    if (p->count > 0 && !(beta > p->beta[p->count - 1]))
        return line_file_wrong(&r->file,
                               "beta = %.15g does not exceed that of the line before, %.15g", beta,
                               p->beta[p->count - 1]);
    if (!take_value(r, &line, &value))
        return false;
    /* A schedule begins at beta = 0, which need not stand in its file. */
    const size_t before = p->kind == PROFILE_BETAS && p->count > 0 && p->beta[0] > 0 ? 1 : 0;
    if (before + p->count == MOST_LINES)
        return line_file_wrong(&r->file, "more than %d temperatures", MOST_LINES);
    if (p->count == r->room && !grow(r))
        return false;
    p->beta[p->count] = beta;
    p->value[p->count++] = value;
    return true;
}

static bool read_lines(reader *r) {
    bool good = true;
    for (char *line; good && (line = line_file_next(&r->file)) != NULL;)
        good = take_line(r, line);
    if (r->file.failed)
        return false;
    return r->p->count > 0 || line_file_refuse(&r->file, "no temperature stands there");
}

exit_status profile_read(beta_profile *p, profile_kind kind, const char *path) {
    reader r = {.p = p};
    *p = (beta_profile){.kind = kind};
    if (!line_file_open(&r.file, profile_option(kind), path))
        return STATUS_REFUSED;
    r.file.heading = PROFILE_SCHEDULE;
    const bool good = read_lines(&r);
    line_file_close(&r.file);
    if (good) {
        const uLong betas = crc32_z(0, (const Bytef *)p->beta, p->count * sizeof *p->beta);
        p->fingerprint =
            (uint32_t)crc32_z(betas, (const Bytef *)p->value, p->count * sizeof *p->value);
        p->fingerprint += p->fingerprint == 0;
    } else {
        profile_destroy(p);
    }
    return good ? STATUS_OK : STATUS_REFUSED;
}

void profile_destroy(beta_profile *p) {
    free(p->beta);
    free(p->value);
    *p = (beta_profile){.count = 0};
}

/* Index of the last line whose beta is not above `beta`; 0 if there is none. */
static size_t line_at(const beta_profile *p, double beta) {
    size_t low = 0, high = p->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->beta[middle] <= beta * SAME_BETA)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t profile_sweeps(const beta_profile *p, uint32_t sweeps, double beta) {
    if (p->count == 0)
        return sweeps;
    const size_t n = line_at(p, beta);
    if (p->kind == PROFILE_SWEEPS)
        return (uint32_t)p->value[n];
    double tau = p->value[n];
    if (n + 1 < p->count && beta > p->beta[n])
        tau += (p->value[n + 1] - tau) * ((beta - p->beta[n]) / (p->beta[n + 1] - p->beta[n]));
    return (uint32_t)fmin(UINT32_MAX, fmax(1, ceil(sweeps * tau / SAME_BETA)));
}
