/* The command line, parsed with getopt_long. The options are the rows of the table of settings. */
#include "options.h"
#include "settings/rules.h"

#include "base/commit.h"
#include "base/message.h"
#include "completion.h"
#include "engine/msc_layout.h"
#include "files/checkpoint_head.h"
#include "manual.h"
#include "settings/exclusions.h"
#include "settings/graphs.h"
#include "settings/plans.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_REWEIGHT_STEP 0.005
#define MESSAGE_SIZE          300

static bool is_given(const settings_given *given, const char *name) {
    return given->row[setting_named(name) - settings];
}

static bool value_is_optional(const setting *s) {
    return s->flag.size > 0;
}

/* Whether the value of a text option is missing, so that the next option was taken for it. */
static bool is_forgotten(const setting *s, const char *text) {
    return s->type == SETTING_TEXT && strncmp(text, "--", 2) == 0;
}

/* Stores the value of an option; text is NULL if it has none. Returns false if the text has the
 * wrong type. */
static bool read_value(parameters *p, settings_given *given, const setting *s, const char *text) {
    given->row[s - settings] = true;
    if (value_is_optional(s)) {
        *(bool *)((char *)p + s->flag.offset) = true;
        memset((char *)p + s->field.offset, 0, s->field.size);
    }
    if (text == NULL)
        return value_is_optional(s) || setting_read(s, p, "true");
    return !is_forgotten(s, text) && setting_read(s, p, text);
}

/* Sets the values without options. */
static void set_defaults(parameters *p) {
    *p = (parameters){.force = false};
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].fallback != NULL)
            setting_read(&settings[i], p, settings[i].fallback);
}

static void print_help(void) {
    printf("usage: paising [options]\n"
           "Monte Carlo simulation of spin models and spin glasses.\n\n");
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (s->help == NULL)
            continue;
        const bool is_short = s->short_name != 0, optional = value_is_optional(s);
        char option[64];
        snprintf(option, sizeof option, "%c%c%c --%s%s%s%s", is_short ? '-' : ' ',
                 is_short ? s->short_name : ' ', is_short ? ',' : ' ', s->name,
                 optional           ? "[="
                 : s->value != NULL ? " "
                                    : "",
                 s->value != NULL ? s->value : "", optional ? "]" : "");
        printf("  %-25s %s", option, s->help);
        if (s->fallback != NULL)
            printf(" [%s]", s->fallback);
        putchar('\n');
    }
}

/* Executes an option that only prints something. */
static int show(const setting *s, const char *text) {
    if (text != NULL)
        return completion_print(stdout, text) ? STATUS_REFUSED : OPTIONS_SHOWN;
    if (s->short_name == 'h')
        print_help();
    else if (s->short_name == 'V')
        printf("paising %s\n", PAISING_VERSION);
    else
        manual_print(stdout);
    return OPTIONS_SHOWN;
}

/* --- the command line --- */

/* getopt_long returns this plus the row number for an option without a short form. */
#define NO_SHORT_NAME 256

static int code_of(const setting *s) {
    return s->short_name != 0 ? s->short_name : NO_SHORT_NAME + (int)(s - settings);
}

/* The option for a code of getopt_long; NULL if there is none. */
static const setting *option_of(int code) {
    return code < NO_SHORT_NAME ? setting_of_short_name(code) : &settings[code - NO_SHORT_NAME];
}

/* Fills the tables of options for getopt_long. */
static void fill_getopt_tables(char short_names[3 * SETTINGS_MOST + 2], struct option *names) {
    *short_names++ = ':'; /* report errors here, not in getopt_long */
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        const int argument = s->value == NULL       ? no_argument
                             : value_is_optional(s) ? optional_argument
                                                    : required_argument;
        if (s->help == NULL)
            continue;
        *names++ = (struct option){s->name, argument, NULL, code_of(s)};
        if (s->short_name != 0) {
            *short_names++ = (char)s->short_name;
            for (int colon = 0; colon < argument; colon++) /* none, one or two */
                *short_names++ = ':';
        }
    }
    *short_names = '\0';
    *names = (struct option){NULL, 0, NULL, 0};
}

/* If a decimal comma stands in place of a point, the corrected number, which the caller frees; else
 * NULL. */
static char *with_point(const setting *s, const char *text) {
    parameters p;
    char *const meant = strchr(text, ',') != NULL ? strdup(text) : NULL;
    if (meant != NULL)
        *strchr(meant, ',') = '.';
    if (meant != NULL && (s->type == SETTING_REAL || s->type == SETTING_INTERVAL) &&
        setting_read(s, &p, meant))
        return meant;
    free(meant);
    return NULL;
}

/* Refuses a value, and names the values that the option takes. */
static int refuse_value(const setting *s, const char *text) {
    const bool whole = s->type == SETTING_WHOLE || s->type == SETTING_INT;
    char option[SETTING_OPTION_SIZE], most[50] = "";
    if (is_forgotten(s, text))
        return complain(
            STATUS_REFUSED,
            "%s '%.100s': a value is missing; a name that begins so is written ./%.100s",
            setting_option(option, s), text, text);
    char *const meant = with_point(s, text);
    if (meant != NULL) {
        complain(STATUS_REFUSED, "%s '%.100s': not allowed: a decimal point is meant, as in %.100s",
                 setting_option(option, s), text, meant);
        free(meant);
        return STATUS_REFUSED;
    }
    if (whole)
        snprintf(most, sizeof most, "; whole numbers up to %" PRIu64, setting_most(s));
    return complain(STATUS_REFUSED, "%s '%.100s': not allowed: %s%s", setting_option(option, s),
                    text, s->help, most);
}

/* Refuses an ambiguous or unknown option name, and lists the options that match. */
static int refuse_name(const char *word) {
    const size_t length = strcspn(word, "=");
    char names[SETTINGS_MOST * SETTING_OPTION_SIZE] = "";
    size_t count = 0;
    for (size_t i = 0; length > 2 && i < settings_count; i++)
        if (settings[i].help != NULL && strncmp(settings[i].name, word + 2, length - 2) == 0)
            sprintf(names + strlen(names), "%s--%s", count++ > 0 ? ", " : "", settings[i].name);
    if (count > 1)
        return complain(STATUS_REFUSED, "%.100s: ambiguous: %s", word, names);
    return complain(STATUS_REFUSED, "%.100s: unknown option; --help lists what there is", word);
}

/* Refuses an option that getopt_long rejected. answer: the result of getopt_long; word: the last
 * word that it read. */
static int refuse_option(int answer, const char *word) {
    const setting *const s = option_of(optopt);
    char option[SETTING_OPTION_SIZE];
    if (answer == ':')
        return complain(STATUS_REFUSED, "%s: a value is missing: %s", setting_option(option, s),
                        s->help);
    if (s != NULL) /* optopt is set to an option that was given a value but takes none */
        return complain(STATUS_REFUSED, "%.100s: the option takes no value", word);
    if (optopt != 0)
        return complain(STATUS_REFUSED, "-%c: unknown option; --help lists what there is", optopt);
    return refuse_name(word);
}

static void set_unless_given(parameters *p, const settings_given *given, const char *name,
                             const char *value) {
    if (!is_given(given, name))
        setting_read(setting_named(name), p, value);
}

/* Begins a search of the lowest energy with small runs, which it cools and enlarges as it needs
 * (method/ground_simulation.c): sets what no option gives. Steps are adaptive, so that they suit any size, unless the kind of steps
 * is given, nothing is culled, or the population is too small for it. */
static void begin_small(parameters *p, const settings_given *given) {
    set_unless_given(p, given, "population", "256");
    set_unless_given(p, given, "beta-end", "1.6");
    set_unless_given(p, given, "runs", "40");
    set_unless_given(p, given, "time-limit", "60s");
    const bool uniform = is_given(given, "dbeta") || is_given(given, "overlap") ||
                         is_given(given, "culling") || is_given(given, "energy-step") ||
                         is_given(given, "betas") || is_given(given, "relaxation") ||
                         p->resampling == RESAMPLE_NONE || p->population < SCHEDULE_FEWEST_REPLICAS;
    set_unless_given(p, given, "sweeps", uniform ? "50" : "12");
    if (uniform)
        set_unless_given(p, given, "dbeta", "0.05");
    else
        setting_read(setting_named("culling"), p, "0.2");
}

/* Cuts lattices that are few, or too large for a word of 32 replicas, into as many stripes as they can have. Bonds around the edge
 * are those of all stripes, so that they must be there, and be as all others. */
static void choose_stripes(parameters *p) {
    const model_kind *const kind = parameters_kind(p);
    const stripe_rule rule = stripe_edges(kind->dimension);
    const uint32_t rows = update_kinds[p->update]->order == VISIT_TILES ? 2 * p->tile : rule.last;
    uint32_t edge[MODEL_MAX_DIMENSION], longest = 0;
    if (p->method != METHOD_canonical || p->coding != CODING_MSC || kind->disordered ||
        boundary_any(p->boundary, kind->dimension, BOUNDARY_OPEN) ||
        boundary_any(p->boundary, kind->dimension, BOUNDARY_ANTIPERIODIC) ||
        p->rng != RNG_INDEPENDENT || !lattice_edges(p->size, kind->dimension, edge))
        return;
    for (uint32_t d = 0; d < kind->dimension; d++)
        longest = edge[d] > longest ? edge[d] : longest;
    if (p->population % MACHINE_LANES == 0 && longest <= kind->edges[CODING_MSC].largest)
        return;
    while (p->stripes < MACHINE_LANES && edge[kind->dimension - 1] % (2 * rows * p->stripes) == 0)
        p->stripes *= 2;
}

/* Refuses settings that exclude each other, and sets what depends on others. */
static int complete(parameters *p, const settings_given *given) {
    char message[MESSAGE_SIZE];
    if (p->ground_states && p->resume == NULL)
        begin_small(p, given);
    if (p->time_limit.steps > 0) /* a number without a unit: seconds */
        p->time_limit = (checkpoint_interval){.seconds = p->time_limit.steps};
    if ((parameters_ask_for_graph(p) || parameters_have_walkers(p) ||
         parameters_kind(p)->spins != SPINS_ISING) &&
        !is_given(given, "coding"))
        p->coding = CODING_SSC;
    if (!is_given(given, "stripes") && p->stripes == 1)
        choose_stripes(p);
    if (settings_excluded(p, given, message, sizeof message) != 0)
        return complain(STATUS_REFUSED, "%s", message);
    if (p->reweight && p->reweight_step == 0)
        p->reweight_step = parameters_steps(p) == STEPS_FIXED ? p->dbeta : DEFAULT_REWEIGHT_STEP;
    /* A run that goes on has its weights. */
    if (p->weights != NULL && (p->resume == NULL || is_given(given, "weights")) &&
        parameters_read_weights(p))
        return STATUS_REFUSED;
    return parameters_read_files(p) || parameters_make_graph(p) ? STATUS_REFUSED : STATUS_OK;
}

/* Parses the options into *p. */
static int read_options(parameters *p, settings_given *given, int argc, char **argv) {
    char short_names[3 * SETTINGS_MOST + 2];
    struct option names[SETTINGS_MOST + 1];
    fill_getopt_tables(short_names, names);
    optind = 0; /* restarts getopt_long, even after an earlier parse (glibc) */
    for (;;) {
        const int code = getopt_long(argc, argv, short_names, names, NULL);
        if (code == -1)
            break;
        if (code == ':' || code == '?')
            return refuse_option(code, argv[optind - 1]);
        const setting *const s = option_of(code);
        if (s->type == SETTING_SHOW)
            return show(s, optarg);
        if (!read_value(p, given, s, optarg))
            return refuse_value(s, optarg);
    }
    if (optind < argc)
        return complain(STATUS_REFUSED,
                        "'%.100s': unexpected word: only options are allowed, and a value of -m is "
                        "written -mSTEP or --reweight=STEP",
                        argv[optind]);
    return STATUS_OK;
}

/* Whether --continue has a checkpoint to go on from. A link to nothing counts: it is refused, not replaced. */
static bool checkpoint_is_there(const parameters *p) {
    struct stat s;
    return p->continues && p->checkpoint != NULL && lstat(p->checkpoint, &s) == 0;
}

int options_resume(parameters *p, parameters *saved, checkpoint_head *head) {
    *saved = (parameters){.resume = p->resume};
    if (checkpoint_read_parameters(p->resume, saved, head) != STATUS_OK)
        return STATUS_REFUSED;
    *p = *saved;
    return STATUS_OK;
}

/* Checkpoints continue in the same file, unless --checkpoint names another one. */
static void go_on(parameters *p, const settings_given *given) {
    if (p->checkpoint == NULL)
        p->checkpoint = p->resume;
    if (is_given(given, "device") && !is_given(given, "stages"))
        p->stages = STAGES_FUSED; /* the stages of every device */
}

/* Refuses an option that would change the data files of the resumed simulation. */
static int refuse_difference(const parameters *p, const parameters *saved) {
    const setting *s = settings_differ(p, saved);
    char option[SETTING_OPTION_SIZE], here[SETTING_TEXT_SIZE], there[SETTING_TEXT_SIZE];
    if (s == NULL)
        return STATUS_OK;
    while (s->help == NULL) /* the fingerprint of a file follows the file's row in the table */
        s--;
    return complain(STATUS_REFUSED, "%s %s: the checkpoint %s has %s; leave the option out",
                    setting_option(option, s), setting_text(here, s, p), p->resume,
                    setting_text(there, s, saved));
}

/* --- in parts --- */

void options_begin(parameters *p, settings_given *given) {
    *given = (settings_given){.row = {false}};
    set_defaults(p);
}

int options_set(parameters *p, settings_given *given, const char *name, const char *text) {
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (s->help == NULL || s->type == SETTING_SHOW || strcmp(s->name, name) != 0)
            continue;
        if (text == NULL && s->type != SETTING_FLAG && !value_is_optional(s))
            return complain(STATUS_REFUSED, "%s: a value is missing", name);
        return read_value(p, given, s, text) ? STATUS_OK : refuse_value(s, text);
    }
    return complain(STATUS_REFUSED, "%.100s: there is no such setting", name);
}

static int check(const parameters *p) {
    char message[MESSAGE_SIZE];
    if (parameters_validate(p, message, sizeof message) != 0)
        return complain(STATUS_REFUSED, "%s", message);
    return STATUS_OK;
}

int options_end(parameters *p, const settings_given *given, const parameters *saved) {
    if (saved != NULL)
        go_on(p, given);
    if (complete(p, given) != STATUS_OK || (saved != NULL && refuse_difference(p, saved)))
        return STATUS_REFUSED;
    return check(p);
}

static int parse(parameters *p, int argc, char **argv) {
    static checkpoint_head head; /* lives as long as argv */
    parameters saved;
    settings_given given;
    options_begin(p, &given);
    int status = read_options(p, &given, argc, argv);
    if (status == STATUS_OK && p->continues && p->resume != NULL)
        return complain(STATUS_REFUSED,
                        "--continue: not allowed with --resume %s: both say where to go on",
                        p->resume);
    if (status == STATUS_OK && checkpoint_is_there(p))
        p->resume = p->checkpoint;
    const bool resumed = status == STATUS_OK && p->resume != NULL;
    if (resumed)
        status = options_resume(p, &saved, &head);
    if (resumed && status == STATUS_OK)
        status = read_options(p, &given, argc, argv);
    return status != STATUS_OK ? status : options_end(p, &given, resumed ? &saved : NULL);
}

int parameters_parse(parameters *p, int argc, char **argv) {
    const int status = parse(p, argc, argv);
    if (status != STATUS_OK)
        parameters_end(p);
    return status;
}
