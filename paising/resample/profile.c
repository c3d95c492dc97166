/* Reading files of numbers against the inverse temperature. */
#include "profile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MOST_LINES 1000000
#define MOST_BETA  1000
#define MOST_VALUE 1e9

/* A beta that is computed may be below the one that is written by as much, and so may what follows from it. */
#define SAME_BETA (1 + 1e-12)

const char *profile_option(profile_kind kind) {
    static const char *const names[] = {"--betas", "--sweeps-file", "--relaxation"};
    return names[kind];
}

/* A file while it is read. */
typedef struct {
    const char *path;
    unsigned long line; /* the one at hand, from 1 */
    size_t room;
    beta_profile *p;
} reader;

/* Says what is wrong with the line at hand. Returns false. */
__attribute__((format(printf, 2, 3))) static bool wrong(const reader *r, const char *format, ...) {
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    complain(STATUS_REFUSED, "%s %.200s, line %lu: %s", profile_option(r->p->kind), r->path,
             r->line, what);
    return false;
}

/* Reads the decimal number at *text, which moves behind it and the blanks there. */
static bool read_number(const reader *r, char **text, const char *name, double *number) {
    char *const word = *text, *end = word;
    const size_t length = strcspn(word, " \t\v\f\r\n");
    if (length == 0)
        return wrong(r, "%s is missing", name);
    if (strspn(word, "0123456789.eE+-") >= length)
        *number = strtod(word, &end) + 0.0; /* -0 becomes 0 */
    if (end != word + length || !isfinite(*number))
        return wrong(r, "%s '%.*s' is not a number", name, length < 20 ? (int)length : 20, word);
    *text = end + strspn(end, " \t\v\f\r\n");
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
    return (beta != NULL && value != NULL) || wrong(r, "not enough memory");
}

static bool check_value(const reader *r, double value) {
    if (r->p->kind == PROFILE_SWEEPS &&
        !(value >= 1 && value <= MOST_VALUE && value == floor(value)))
        return wrong(r, "theta = %.15g: the sweeps must be a whole number from 1 to %.0f", value,
                     MOST_VALUE);
    if (r->p->kind == PROFILE_RELAXATION && !(value > 0 && value <= MOST_VALUE))
        return wrong(r, "tau = %.15g: the time must be above 0 and at most %.0f", value,
                     MOST_VALUE);
    return true;
}

static bool take_line(reader *r, char *line) {
    beta_profile *const p = r->p;
    double beta, value = 0;
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\v\f\r\n");
    if (*line == '\0')
        return true;
    if (!read_number(r, &line, "beta", &beta))
        return false;
    if (!(beta >= 0 && beta <= MOST_BETA))
        return wrong(r, "beta = %.15g: allowed is from 0 to %d", beta, MOST_BETA);
    if (p->count > 0 && !(beta > p->beta[p->count - 1]))
        return wrong(r, "beta = %.15g does not exceed that of the line before, %.15g", beta,
                     p->beta[p->count - 1]);
    if (p->kind != PROFILE_BETAS) {
        if (!read_number(r, &line, p->kind == PROFILE_SWEEPS ? "theta" : "tau", &value) ||
            !check_value(r, value))
            return false;
        if (*line != '\0')
            return wrong(r, "more than two columns");
    }
    /* A schedule begins at 0, whether its file does or not. */
    const size_t before = p->kind == PROFILE_BETAS && p->count > 0 && p->beta[0] > 0 ? 1 : 0;
    if (before + p->count == MOST_LINES)
        return wrong(r, "more than %d temperatures", MOST_LINES);
    if (p->count == r->room && !grow(r))
        return false;
    p->beta[p->count] = beta;
    p->value[p->count++] = value;
    return true;
}

static bool read_lines(reader *r, FILE *file) {
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        r->line++;
        good = strlen(line) == (size_t)length ? take_line(r, line)
                                              : wrong(r, "a zero byte: not a text file");
    }
    free(line);
    if (good && !feof(file)) {
        complain(STATUS_REFUSED, "%s %.200s: %s", profile_option(r->p->kind), r->path,
                 strerror(errno));
        return false;
    }
    return good;
}

/* Opens a file that can be read again: no pipe. */
static FILE *open_file(profile_kind kind, const char *path) {
    struct stat is;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool good = descriptor >= 0 && fstat(descriptor, &is) == 0;
    const int error = errno;
    FILE *const file = good && S_ISREG(is.st_mode) ? fdopen(descriptor, "r") : NULL;
    if (file != NULL)
        return file;
    if (descriptor >= 0)
        close(descriptor);
    complain(STATUS_REFUSED, "%s %.200s: %s", profile_option(kind), path,
             good ? "not a file" : strerror(error));
    return NULL;
}

exit_status profile_read(beta_profile *p, profile_kind kind, const char *path) {
    reader r = {.path = path, .p = p};
    *p = (beta_profile){.kind = kind};
    FILE *const file = open_file(kind, path);
    if (file == NULL)
        return STATUS_REFUSED;
    bool good = read_lines(&r, file);
    fclose(file);
    if (good && p->count == 0) {
        complain(STATUS_REFUSED, "%s %.200s: no temperature stands there", profile_option(kind),
                 path);
        good = false;
    }
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

/* The number of the last line that is not above beta; 0 if none is. */
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
