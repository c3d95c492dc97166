/* The table of options (options.h). */
#include "options.h"

#include "base/line_file.h"
#include "base/number.h"
#include "base/usage.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef enum { WHOLE, WHOLE_64, REAL, TEXT, FLAG } option_kind;

typedef struct {
    const char *name, *in_file; /* the second one in files of parameters; NULL: the same */
    option_kind kind;
    size_t offset; /* in helium_request */
    double least, most;
    bool decides; /* the data */
    const char *help;
} option_row;

#define IN(member) offsetof(helium_request, member)

static const option_row options[] = {
    {"atoms", NULL, WHOLE, IN(p.atoms), 2, HELIUM_MOST_ATOMS, true, "atoms of a walker [1000]"},
    {"density", NULL, REAL, IN(density), 1e-9, 1, true, "atoms per A^3 [0.02186]"},
    {"edge", "bulkdimarray", REAL, IN(p.edge), 1e-3, HELIUM_LARGEST_EDGE, true,
     "edge of the box in A [(atoms/density)^(1/3)]"},
    {"jastrow-b", "jastrowb", REAL, IN(p.jastrow_b), 1, 1e3, true,
     "b of u(r) = -(b/r)^5 / 2, in A [3.07]"},
    {"mass", "mass", REAL, IN(p.mass), 1e-3, 1e3, true, "atomic mass units [4.002602]"},
    {"step", "mtpstep", REAL, IN(p.step), 1e-6, 1e3, true,
     "standard deviation of a displacement in each coordinate, in A [0.82]"},
    {"walkers", NULL, WHOLE, IN(p.walkers), 1, HELIUM_MOST_WALKERS, true, "configurations [16]"},
    {"blocks", "blockstogo", WHOLE, IN(blocks), 1, 1e6, true, "rows of the data files [20]"},
    {"analyses", "stepsinablock", WHOLE, IN(analyses), 1, 1e6, true, "analyses of a block [100]"},
    {"macroupdates", "vmcmacrosteps", WHOLE, IN(macroupdates), 1, 1e6, true,
     "m, updates of each atom between two analyses [4]"},
    {"warm-up", NULL, WHOLE, IN(warm_up), 0, 1e9, true,
     "macroupdates before the first block [300]"},
    {"seed", NULL, WHOLE_64, IN(p.seed), 0, 0, true, "of the random numbers [1]"},
    {"device", NULL, TEXT, IN(device), 0, 0, false,
     "cpu, cuda, cuda:N, or a list as cuda:0,1 that divides the walkers [cpu]"},
    {"blocks-per-walker", NULL, WHOLE, IN(blocks_per_walker), 0, 1024, false,
     "thread blocks of a walker on a GPU; 0: as many as fill it [0]"},
    {"analyse", NULL, TEXT, IN(analyst), 0, 0, false,
     "who analyses what a GPU moves: device, masked, masked-shape (g(r), S(k)), host [device]"},
    {"threads", NULL, WHOLE, IN(threads), 0, 4096, false, "of the CPU; 0: one a core [0]"},
    {"output", NULL, TEXT, IN(output), 0, 0, false, "folder of the result [helium]"},
    {"force", NULL, FLAG, IN(force), 0, 0, false, "replace a result that is there"},
    {"checkpoint", NULL, TEXT, IN(checkpoint), 0, 0, false, "file to write after each block"},
    {"resume", NULL, TEXT, IN(resume), 0, 0, false, "checkpoint to go on from"},
    {"continue", NULL, FLAG, IN(go_on), 0, 0, false,
     "go on from the file of --checkpoint if it is there, else begin"},
};
enum { OPTIONS = sizeof options / sizeof *options, PARAMETERS = OPTIONS };

static void *field_of(const helium_request *r, const option_row *o) {
    return (char *)(uintptr_t)r + o->offset;
}

/* --- Values --- */

static void allowed_text(char text[80], const option_row *o) {
    char least[NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE];
    if (o->kind == WHOLE_64)
        snprintf(text, 80, "a whole number below 2^64");
    else
        snprintf(text, 80, "a %snumber from %s to %s", o->kind == WHOLE ? "whole " : "",
                 number_short_text(least, o->least), number_short_text(most, o->most));
}

/* Takes a value. Returns false if it is not allowed. Of the density and the edge, the later one counts. */
static bool take(helium_request *r, const option_row *o, const char *text) {
    char *end = NULL;
    errno = 0;
    if (o->kind == REAL) {
        const double x = strtod(text, &end);
        if (end == text || *end != '\0' || isspace((unsigned char)*text) ||
            !(x >= o->least && x <= o->most))
            return false;
        *(double *)field_of(r, o) = x;
        if (o->offset == IN(density))
            r->p.edge = 0;
    } else if (o->kind == WHOLE || o->kind == WHOLE_64) {
        const unsigned long long n = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
        if (end == NULL || *end != '\0' || errno != 0)
            return false;
        if (o->kind == WHOLE_64)
            *(uint64_t *)field_of(r, o) = n;
        else if ((double)n >= o->least && (double)n <= o->most)
            *(uint32_t *)field_of(r, o) = (uint32_t)n;
        else
            return false;
    } else if (o->kind == TEXT) {
        if (*text == '\0')
            return false;
        *(const char **)field_of(r, o) = text;
    } else {
        *(bool *)field_of(r, o) = true;
    }
    return true;
}

static void value_text(char text[NUMBER_TEXT_SIZE], const helium_request *r, const option_row *o) {
    if (o->kind == REAL)
        number_text(text, *(double *)field_of(r, o));
    else
        snprintf(text, NUMBER_TEXT_SIZE, "%" PRIu64,
                 o->kind == WHOLE ? *(uint32_t *)field_of(r, o) : *(uint64_t *)field_of(r, o));
}

/* --- Files of parameters --- */

static const option_row *row_in_file(const char *name) {
    for (size_t n = 0; n < OPTIONS; n++)
        if (options[n].decides &&
            (strcmp(name, options[n].name) == 0 ||
             (options[n].in_file != NULL && strcmp(name, options[n].in_file) == 0)))
            return &options[n];
    return NULL;
}

/* Takes a line: a name, = or blanks, a value. bulkdimarray has one value or three, which must be equal. */
static bool take_line(helium_request *r, line_file *f, char *line) {
    static const char between[] = LINE_BLANKS "=,";
    char *rest = NULL;
    const char *const name = strtok_r(line, between, &rest);
    const option_row *const o = name == NULL ? NULL : row_in_file(name);
    if (o == NULL)
        return line_file_wrong(f, "'%s' is no parameter", name == NULL ? "" : name);
    const char *const value = strtok_r(NULL, between, &rest);
    char allowed[80];
    allowed_text(allowed, o);
    if (value == NULL || !take(r, o, value))
        return line_file_wrong(f, "%s '%s': %s", name, value == NULL ? "" : value, allowed);
    const char *more = strtok_r(NULL, between, &rest);
    int edges = 1;
    for (; edges < 3 && more != NULL && o->offset == IN(p.edge); edges++) {
        char *end;
        if (strtod(more, &end) != r->p.edge || *end != '\0')
            return line_file_wrong(f, "%s: '%s' is another edge; the box is a cube", name, more);
        more = strtok_r(NULL, between, &rest);
    }
    if (edges == 2)
        return line_file_wrong(f, "%s: two edges; allowed are one and three", name);
    if (more != NULL)
        return line_file_wrong(f, "%s: '%s' is one value too many", name, more);
    return true;
}

static exit_status take_file(helium_request *r, const char *path) {
    line_file f;
    if (!line_file_open(&f, "--parameters", path))
        return STATUS_REFUSED;
    for (char *line; (line = line_file_next(&f)) != NULL && take_line(r, &f, line);)
        ;
    const bool good = !f.failed;
    line_file_close(&f);
    return good ? STATUS_OK : STATUS_REFUSED;
}

/* --- The command line --- */

/* With the same bits on every machine: by Newton's method from above, until it no longer falls. */
static double cube_root(double x) {
    double root = fmax(x, 1);
    for (double next; (next = (2 * root + x / (root * root)) / 3) < root;)
        root = next;
    return root;
}

static _Noreturn void show_help(void) {
    static char text[4096];
    int n =
        snprintf(text, sizeof text,
                 "usage: paising-helium [OPTION...]\n"
                 "Variational Monte Carlo of liquid helium-4, energies in K, lengths in A.\n\n");
    for (size_t i = 0; i < OPTIONS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  --%-18s %s\n", options[i].name,
                      options[i].help);
    snprintf(text + n, sizeof text - (size_t)n,
             "  --%-18s file of lines NAME VALUE; also the names of QL: blockstogo,\n%23s"
             "stepsinablock, vmcmacrosteps, bulkdimarray (A), jastrowb, mass, mtpstep\n"
             "  --%-18s this text\n",
             "parameters", "", "help");
    usage_show(text);
}

/* Turns --continue into --resume where there is a checkpoint. A link to nothing counts: it is refused, not replaced. */
static exit_status go_on(helium_request *r) {
    struct stat there;
    if (r->checkpoint == NULL || r->resume != NULL || r->force)
        return complain(STATUS_REFUSED,
                        "--continue: allowed with --checkpoint, without --resume and --force");
    if (lstat(r->checkpoint, &there) == 0)
        r->resume = r->checkpoint;
    return STATUS_OK;
}

exit_status helium_options(helium_request *r, int argc, char **argv) {
    struct option known[OPTIONS + 3] = {{0}};
    for (int n = 0; n < OPTIONS; n++)
        known[n] = (struct option){options[n].name,
                                   options[n].kind == FLAG ? no_argument : required_argument, NULL,
                                   256 + n};
    known[OPTIONS] = (struct option){"parameters", required_argument, NULL, 256 + PARAMETERS};
    known[OPTIONS + 1] = (struct option){"help", no_argument, NULL, 'h'};
    *r = (helium_request){.p = {.atoms = 1000,
                                .walkers = 16,
                                .jastrow_b = 3.07,
                                .mass = 4.002602,
                                .step = 0.82,
                                .seed = 1},
                          .density = 0.02186,
                          .blocks = 20,
                          .analyses = 100,
                          .macroupdates = 4,
                          .warm_up = 300,
                          .device = "cpu",
                          .analyst = "device",
                          .output = "helium"};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        if (option == 'h')
            show_help();
        if (option == ':' || option == '?')
            return complain(STATUS_REFUSED,
                            option == ':' ? "%s: a value is missing"
                                          : "unknown option %s; --help lists them",
                            argv[optind - 1]);
        if (option == 256 + PARAMETERS) {
            if (take_file(r, optarg))
                return STATUS_REFUSED;
            continue;
        }
        const option_row *const o = &options[option - 256];
        if (!take(r, o, optarg)) {
            char allowed[80];
            allowed_text(allowed, o);
            return complain(STATUS_REFUSED, "--%s '%s': allowed is %s", o->name, optarg,
                            o->kind == TEXT ? "a text" : allowed);
        }
    }
    if (optind < argc)
        return complain(STATUS_REFUSED, "'%s' is no option; --help lists them", argv[optind]);
    if (r->p.edge > 0)
        r->density = r->p.atoms / (r->p.edge * r->p.edge * r->p.edge);
    else
        r->p.edge = cube_root(r->p.atoms / r->density);
    if (r->p.edge > HELIUM_LARGEST_EDGE)
        return complain(STATUS_REFUSED, "an edge of %.6g A: allowed is at most %g A", r->p.edge,
                        HELIUM_LARGEST_EDGE);
    return r->go_on ? go_on(r) : STATUS_OK;
}

/* --- What decides the data --- */

void helium_options_print(FILE *file, const helium_request *r) {
    char text[NUMBER_TEXT_SIZE];
    for (size_t n = 0; n < OPTIONS; n++)
        if (options[n].decides) {
            value_text(text, r, &options[n]);
            fprintf(file, "# %s %s\n", options[n].name, text);
        }
}

void helium_options_print_json(FILE *file, const helium_request *r) {
    char text[NUMBER_TEXT_SIZE];
    for (size_t n = 0; n < OPTIONS; n++)
        if (options[n].decides) {
            value_text(text, r, &options[n]);
            fprintf(file, "  \"%s\": %s,\n", options[n].name, text);
        }
}

const char *helium_options_differ(const helium_request *a, const helium_request *b) {
    char one[NUMBER_TEXT_SIZE], other[NUMBER_TEXT_SIZE];
    for (size_t n = 0; n < OPTIONS; n++) {
        if (!options[n].decides || options[n].offset == IN(blocks))
            continue;
        value_text(one, a, &options[n]);
        value_text(other, b, &options[n]);
        if (strcmp(one, other) != 0)
            return options[n].name;
    }
    return NULL;
}
