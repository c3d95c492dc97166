/* libpaising (paising.h): a handle is a set of parameters; a run puts the files of the result into memory. */
#include "paising.h"

#include "base/caller.h"
#include "base/commit.h"
#include "base/ieee_rules.h"
#include "base/number.h"
#include "command/options.h"
#include "files/checkpoint.h"
#include "method/execution.h"
#include "settings/graphs.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
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

/* What a checkpoint says about the run that goes on. */
typedef struct {
    parameters saved;
    checkpoint_head head;
} going_on;

struct paising {
    parameters given;
    settings_given set;
    going_on *resumed; /* NULL: the run begins */
    caller calls;
    kept_text *texts;
    FILE *bonds; /* in memory, as a file that options name; NULL: none */
    memory_files result;
    execution work;       /* begun once the settings are complete */
    last_population last; /* if keeps_spins */
    locale_t numbers;     /* with a decimal point */
    char name[64];        /* of the column that was asked for last */
    bool begun, run, keeps_spins;
    int status; /* of what was begun */
};

/* Options that have no meaning without a folder, or print something. */
static const char *const of_the_command[] = {"output",     "force", "samples",  "dry-run",
                                             "like",       "plan",  "continue", "quiet",
                                             "time-limit", "format"};

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
    if (p->begun)
        execution_end(&p->work);
    parameters_end(&p->given);
    last_population_destroy(&p->last);
    memory_files_free(&p->result);
    if (p->bonds != NULL)
        fclose(p->bonds);
    while (p->texts != NULL) {
        kept_text *const next = p->texts->next;
        free(p->texts);
        p->texts = next;
    }
    free(p->resumed);
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

/* Whether a setting was given, or a bond. */
static bool is_begun(const paising *p) {
    bool any = p->bonds != NULL;
    for (size_t i = 0; i < settings_count; i++)
        any = any || p->set.row[i];
    return any;
}

/* Replaces all settings by those of a checkpoint. */
static int resume(paising *p, const char *path) {
    if (is_begun(p))
        return (int)complain(STATUS_REFUSED, "resume: comes before other settings and bonds");
    p->resumed = calloc(1, sizeof *p->resumed);
    if (p->resumed == NULL)
        return (int)complain(STATUS_REFUSED, "not enough memory for resume");
    p->given.resume = path;
    const int status = options_resume(&p->given, &p->resumed->saved, &p->resumed->head);
    p->given.silent = true;
    p->set.row[setting_named("resume") - settings] = true;
    return status;
}

static int set(paising *p, const char *name, const char *value) {
    const char *kept = NULL;
    if (p->begun)
        return (int)complain(STATUS_REFUSED, "%s: the handle is prepared, or has run", name);
    for (size_t i = 0; i < sizeof of_the_command / sizeof *of_the_command; i++)
        if (strcmp(of_the_command[i], name) == 0)
            return (int)complain(STATUS_REFUSED, "%s: an option of the command alone", name);
    if (value != NULL && (kept = keep(p, value)) == NULL)
        return (int)complain(STATUS_REFUSED, "not enough memory for %s", name);
    if (kept != NULL && strcmp(name, "resume") == 0)
        return resume(p, kept);
    return options_set(&p->given, &p->set, name, kept);
}

int paising_set(paising *p, const char *name, const char *value) {
    const left_behind before = begin_call(p);
    return end_call(before, set(p, name, value));
}

/* Adds a line of the file of bonds; J: a decimal number. */
static int add_bond(paising *p, uint64_t i, uint64_t j, const char *J) {
    if (p->bonds == NULL) {
        const int descriptor = memfd_create("bonds", MFD_CLOEXEC);
        p->bonds = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    }
    if (p->begun)
        return (int)complain(STATUS_REFUSED,
                             "bond %" PRIu64 " %" PRIu64 ": the handle is prepared, or has run", i,
                             j);
    if (i > UINT32_MAX || j > UINT32_MAX)
        return (int)complain(STATUS_REFUSED, "bond %" PRIu64 " %" PRIu64 ": sites are below 2^32",
                             i, j);
    return p->bonds != NULL && fprintf(p->bonds, "%" PRIu64 " %" PRIu64 " %s\n", i, j, J) > 0
               ? PAISING_OK
               : (int)complain(STATUS_REFUSED, "not enough memory for the bonds");
}

int paising_bond(paising *p, uint64_t i, uint64_t j, int64_t J) {
    char text[24];
    const left_behind before = begin_call(p);
    snprintf(text, sizeof text, "%" PRId64, J);
    return end_call(before, add_bond(p, i, j, text));
}

/* The shortest decimal number that reads as J. */
static int add_real_bond(paising *p, uint64_t i, uint64_t j, double J) {
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(J))
        return (int)complain(STATUS_REFUSED,
                             "bond %" PRIu64 " %" PRIu64 ": J = %g: a number is needed", i, j, J);
    return add_bond(p, i, j, number_text(text, J));
}

int paising_bond_real(paising *p, uint64_t i, uint64_t j, double J) {
    const left_behind before = begin_call(p);
    return end_call(before, add_real_bond(p, i, j, J));
}

/* --- the run --- */

/* Hands the bonds to the option that reads them. */
static int give_bonds(paising *p) {
    const bool lattice = p->resumed != NULL ? p->resumed->saved.graph_file == NULL
                                            : p->set.row[setting_named("model") - settings];
    char path[40];
    if (p->bonds == NULL)
        return PAISING_OK;
    if (fflush(p->bonds) != 0)
        return (int)complain(STATUS_REFUSED, "not enough memory for the bonds");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(p->bonds));
    const int status = set(p, lattice ? "couplings" : "graph", path);
    return status ? status : set(p, "couplings-format", "ours");
}

/* Completes the settings, and reads the files that they name. Returns the same status when it is called again. */
static int begin_work(paising *p) {
    const char *const broken = ieee_broken_rule();
    if (broken != NULL)
        return (int)complain(STATUS_REFUSED, "this thread rounds in its own way: not so here: %s",
                             broken);
    if (p->begun)
        return p->status;
    p->status = give_bonds(p);
    if (!p->status)
        p->status = options_end(&p->given, &p->set, p->resumed != NULL ? &p->resumed->saved : NULL);
    p->work = (execution){.given = &p->given};
    if (!p->status)
        p->status = (int)execution_begin(&p->work, &p->given);
    if (!p->status && p->bonds != NULL && p->given.graph_file != NULL &&
        p->given.graph->origin.rounded > 0)
        warn("bonds: %s", p->given.graph->origin.text);
    p->begun = true;
    return p->status;
}

static int prepare(paising *p, uint64_t *host_bytes, uint64_t *device_bytes) {
    execution_needs needs = {0};
    int status = p->run ? (int)complain(STATUS_REFUSED, "the handle has run") : begin_work(p);
    if (!status)
        status = (int)execution_check(&p->work, &needs);
    if (host_bytes != NULL)
        *host_bytes = needs.host;
    if (device_bytes != NULL)
        *device_bytes = needs.device;
    return status;
}

int paising_prepare(paising *p, uint64_t *host_bytes, uint64_t *device_bytes) {
    const left_behind before = begin_call(p);
    return end_call(before, prepare(p, host_bytes, device_bytes));
}

static int run(paising *p) {
    result_folder folder;
    checkpoint_place place;
    int number = 0;
    if (p->run)
        return (int)complain(STATUS_REFUSED, "the handle has run: a further run takes another one");
    const int begun = begin_work(p);
    p->run = true;
    if (begun)
        return begun;
    exit_status status = checkpoint_place_open(&place, &p->given, "");
    p->given.checkpoint = place.path;
    if (!status) {
        result_folder_in_memory(&folder, &p->given, &p->result);
        status = execution_run(&p->work, &folder, p->keeps_spins ? &p->last : NULL, &number);
        result_folder_close(&folder);
    }
    p->given.checkpoint = NULL;
    checkpoint_place_close(&place);
    return status == STATUS_OK && number != 0 ? PAISING_STOPPED : (int)status;
}

int paising_run(paising *p, paising_progress *progress, void *state) {
    const left_behind before = begin_call(p);
    p->calls.progress = progress;
    p->calls.state = state;
    return end_call(before, run(p));
}

void paising_stop(paising *p) {
    __atomic_store_n(&p->calls.stop, SIGINT, __ATOMIC_RELAXED);
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

/* --- spins --- */

void paising_keep_spins(paising *p) {
    p->keeps_spins = true;
}

size_t paising_replicas(const paising *p) {
    return p->last.replicas;
}

size_t paising_sites(const paising *p) {
    return p->last.sites;
}

size_t paising_spins(const paising *p, size_t first, size_t count, int8_t spins[]) {
    const size_t left = first < p->last.replicas ? p->last.replicas - first : 0,
                 copied = count < left ? count : left;
    last_population_unpack(&p->last, first, copied, spins);
    return copied;
}
