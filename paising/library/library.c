/* libpaising (paising.h): a handle is a set of parameters; a run puts the files of the result into memory. */
#include "paising.h"

#include "base/caller.h"
#include "base/commit.h"
#include "base/ieee_rules.h"
#include "command/options.h"
#include "device/pool.h"
#include "files/result_folder.h"
#include "method/method.h"
#include "settings/graphs.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A value that a setting may keep a pointer to. */
typedef struct kept_text {
    struct kept_text *next;
    char text[];
} kept_text;

struct paising {
    parameters given;
    settings_given set;
    caller calls;
    kept_text *texts;
    FILE *bonds; /* in memory, as a file that options name; NULL: none */
    memory_files result;
    locale_t numbers; /* with a decimal point */
    char name[64];    /* of the column that was asked for last */
    bool run;
};

/* Options that have no meaning without a folder, or print something. */
static const char *const of_the_command[] = {
    "output", "force",    "checkpoint", "checkpoint-every", "resume", "samples", "dry-run", "like",
    "plan",   "continue", "quiet",      "time-limit",       "format"};

/* --- settings --- */

paising *paising_new(void) {
    paising *const p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    options_begin(&p->given, &p->set);
    p->given.silent = true;
    p->numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (p->numbers == (locale_t)0) {
        paising_free(p);
        return NULL;
    }
    return p;
}

void paising_free(paising *p) {
    if (p == NULL)
        return;
    parameters_end(&p->given);
    memory_files_free(&p->result);
    if (p->bonds != NULL)
        fclose(p->bonds);
    while (p->texts != NULL) {
        kept_text *const next = p->texts->next;
        free(p->texts);
        p->texts = next;
    }
    free(p->calls.text);
    if (p->numbers != (locale_t)0)
        freelocale(p->numbers);
    free(p);
}

const char *paising_version(void) {
    return PAISING_VERSION;
}

/* What a thread had before the handle. */
typedef struct {
    caller *calls;
    locale_t numbers;
} left_behind;

/* Begins what may say something, or read and write numbers, on behalf of the handle; and ends it. */
static left_behind begin_call(paising *p) {
    const left_behind before = {caller_here(), uselocale(p->numbers)};
    caller_set(&p->calls);
    return before;
}

static int end_call(left_behind before, int status) {
    caller_set(before.calls);
    uselocale(before.numbers);
    return status;
}

/* A copy of a value, as long-lived as the handle; NULL without memory. */
static const char *keep(paising *p, const char *text) {
    kept_text *const copy = malloc(sizeof *copy + strlen(text) + 1);
    if (copy == NULL)
        return NULL;
    strcpy(copy->text, text);
    copy->next = p->texts;
    p->texts = copy;
    return copy->text;
}

static int set(paising *p, const char *name, const char *value) {
    const char *kept = NULL;
    for (size_t i = 0; i < sizeof of_the_command / sizeof *of_the_command; i++)
        if (strcmp(of_the_command[i], name) == 0)
            return (int)complain(STATUS_REFUSED, "%s: an option of the command alone", name);
    if (value != NULL && (kept = keep(p, value)) == NULL)
        return (int)complain(STATUS_REFUSED, "not enough memory for %s", name);
    return options_set(&p->given, &p->set, name, kept);
}

int paising_set(paising *p, const char *name, const char *value) {
    const left_behind before = begin_call(p);
    return end_call(before, set(p, name, value));
}

static int add_bond(paising *p, uint64_t i, uint64_t j, int64_t J) {
    if (p->bonds == NULL) {
        const int descriptor = memfd_create("bonds", MFD_CLOEXEC);
        p->bonds = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    }
    if (i > UINT32_MAX || j > UINT32_MAX)
        return (int)complain(STATUS_REFUSED, "bond %" PRIu64 " %" PRIu64 ": sites are below 2^32",
                             i, j);
    return p->bonds != NULL &&
                   fprintf(p->bonds, "%" PRIu64 " %" PRIu64 " %" PRId64 "\n", i, j, J) > 0
               ? PAISING_OK
               : (int)complain(STATUS_REFUSED, "not enough memory for the bonds");
}

int paising_bond(paising *p, uint64_t i, uint64_t j, int64_t J) {
    const left_behind before = begin_call(p);
    return end_call(before, add_bond(p, i, j, J));
}

/* --- the run --- */

/* Hands the bonds to the option that reads them. */
static int give_bonds(paising *p) {
    const bool lattice = p->set.row[setting_named("model") - settings];
    char path[40];
    if (p->bonds == NULL)
        return PAISING_OK;
    if (fflush(p->bonds) != 0)
        return (int)complain(STATUS_REFUSED, "not enough memory for the bonds");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(p->bonds));
    const int status = set(p, lattice ? "couplings" : "graph", path);
    return status ? status : set(p, "couplings-format", "ours");
}

static int simulate(paising *p) {
    parameters *const given = &p->given;
    couplings drawn;
    exit_status status;
    engine_pool engines;
    result_folder folder;
    int number = 0;
    const couplings *const sample = parameters_couplings(given, &drawn, &status);
    if (status)
        return (int)status;
    const method *const way = method_of(given);
    status = pool_create(&engines, given, sample, way->bytes(given));
    if (!status) {
        result_folder_in_memory(&folder, given, &p->result);
        status = way->run(given, &engines, &folder, &number);
        result_folder_close(&folder);
        pool_destroy(&engines);
    }
    couplings_destroy(&drawn);
    return status == STATUS_OK && number != 0 ? PAISING_STOPPED : (int)status;
}

static int run(paising *p) {
    const char *const broken = ieee_broken_rule();
    if (broken != NULL)
        return (int)complain(STATUS_REFUSED, "this thread rounds in its own way: not so here: %s",
                             broken);
    if (p->run)
        return (int)complain(STATUS_REFUSED, "the handle has run: a further run takes another one");
    p->run = true;
    int status = give_bonds(p);
    if (!status)
        status = options_end(&p->given, &p->set);
    return status ? status : simulate(p);
}

int paising_run(paising *p, paising_progress *progress, void *state) {
    const left_behind before = begin_call(p);
    p->calls.progress = progress;
    p->calls.state = state;
    return end_call(before, run(p));
}

void paising_stop(paising *p) {
    atomic_store(&p->calls.stop, SIGINT);
}

const char *paising_text(const paising *p) {
    return p->calls.text != NULL ? p->calls.text : "";
}

/* --- the result --- */

size_t paising_files(const paising *p) {
    return p->result.count;
}

const char *paising_file_name(const paising *p, size_t n) {
    return n < p->result.count ? p->result.file[n]->name : NULL;
}

const char *paising_file(const paising *p, const char *name, size_t *size) {
    for (size_t n = 0; n < p->result.count; n++)
        if (strcmp(p->result.file[n]->name, name) == 0) {
            *size = p->result.file[n]->size;
            return p->result.file[n]->text;
        }
    return NULL;
}

/* Goes to the next line of a text. */
static const char *next_line(const char *line) {
    const char *const end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

static bool is_row(const char *line) {
    return *line != '#' && *line != '\n' && *line != '\0';
}

/* The first row of a table, and the line above it, which names the columns. NULL: there is none. */
static const char *first_row(const paising *p, const char *name, const char **names) {
    size_t size;
    const char *line = paising_file(p, name, &size), *before = NULL;
    while (line != NULL && *line == '#') {
        before = line;
        line = next_line(line);
    }
    *names = before;
    return line != NULL && before != NULL && is_row(line) ? line : NULL;
}

size_t paising_rows(const paising *p, const char *name) {
    const char *names, *row = first_row(p, name, &names);
    size_t rows = 0;
    for (; row != NULL && *row != '\0'; row = next_line(row))
        rows += is_row(row);
    return rows;
}

/* Finds word number n of a line, from 0, and its length. NULL: the line has less. */
static const char *word(const char *line, size_t n, size_t *length) {
    for (;; n--) {
        line += strspn(line, " ");
        *length = strcspn(line, " \n");
        if (*length == 0 || n == 0)
            return *length > 0 ? line : NULL;
        line += *length;
    }
}

const char *paising_column(paising *p, const char *name, size_t n) {
    const char *names;
    size_t length;
    if (first_row(p, name, &names) == NULL)
        return NULL;
    const char *const found = word(names, n + 1, &length);
    if (found == NULL || length >= sizeof p->name)
        return NULL;
    memcpy(p->name, found, length);
    p->name[length] = '\0';
    return p->name;
}

size_t paising_values(const paising *p, const char *name, const char *column, double values[],
                      size_t room) {
    const char *names, *row = first_row(p, name, &names), *found;
    size_t length, n = 0, rows = 0;
    if (row == NULL)
        return 0;
    while ((found = word(names, n + 1, &length)) != NULL &&
           (strlen(column) != length || strncmp(found, column, length) != 0))
        n++;
    if (found == NULL)
        return 0;
    const locale_t before = uselocale(p->numbers);
    for (; *row != '\0'; row = next_line(row)) {
        if (!is_row(row))
            continue;
        const char *const value = word(row, n, &length);
        if (rows < room)
            values[rows] = value != NULL ? strtod(value, NULL) : strtod("nan", NULL);
        rows++;
    }
    uselocale(before);
    return rows;
}
