/* The command line, read with getopt_long. One table holds the options, what help says of them, and
 * what messages say is allowed. */
#include "options.h"
#include "base/commit.h"

#include "base/message.h"
#include "files/checkpoint_head.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codes of options without a letter. */
enum {
    OPTION_FORCE = 256,
    OPTION_STAGES,
    OPTION_DRY_RUN,
    OPTION_CHECKPOINT,
    OPTION_CHECKPOINT_EVERY,
    OPTION_RESUME
};

typedef struct {
    int code; /* the letter, or OPTION_... */
    const char *name;
    const char *value;    /* its name in the help; NULL: the option takes none */
    const char *fallback; /* the value that holds without the option; NULL: none */
    const char *help;     /* what it means and takes */
} option_line;

static const option_line option_table[] = {
    {'L', "size", "L", "64", "lattice edge: even from 4 (ssc), a multiple of 16 (msc)"},
    {'R', "population", "R", "20000", "target population size, from 1"},
    {'t', "sweeps", "THETA", "100", "sweeps per temperature, from 1"},
    {'b', "beta-start", "BETA", "0", "first inverse temperature, from 0"},
    {'f', "beta-end", "BETA", "1", "last inverse temperature, from BETA of -b"},
    {'d', "dbeta", "STEP", "0.005", "fixed step of the inverse temperature, above 0"},
    {'a', "overlap", "ALPHA", NULL,
     "adaptive steps with this overlap, above 0 and below 1; not with -d"},
    {'M', "runs", "M", "1", "independent runs, from 1"},
    {'s', "seed", "SEED", "2017", "64-bit seed, decimal or 0x..."},
    {'P', "precision", "DIGITS", "11", "significant digits in the data files, 1 to 17"},
    {'o', "output", "FOLDER", NULL, "where the results go [named after the parameters]"},
    {OPTION_FORCE, "force", NULL, NULL, "replace a result that is there already"},
    {OPTION_DRY_RUN, "dry-run", NULL, NULL,
     "say what the run would take (memory, spin flips, time), and end"},
    {'c', "coding", "CODING", "msc", "ssc (one byte a spin) or msc (one bit a spin)"},
    {'D', "device", "DEVICE", "auto", "cpu, cuda, cuda:N, or auto: a GPU if there is one"},
    {OPTION_STAGES, "stages", "MODE", "fused",
     "how a GPU makes a step: fused, apart (each timed) or hybrid (resampling on the CPU; ssc "
     "only)"},
    {'p', "word", "P", "32", "replicas a word, 8, 16, 32 or 64; msc only"},
    {'g', "rng", "MODE", "independent",
     "independent, philox, shared, shared-reorder or lcg; msc only"},
    {'m', "reweight", "STEP", NULL,
     "multi-histogram analysis on a grid of this step, above 0 [step of -d, or 0.005]"},
    {OPTION_CHECKPOINT, "checkpoint", "FILE", NULL,
     "a new file for checkpoints, written between temperatures [FILE of --resume]"},
    {OPTION_CHECKPOINT_EVERY, "checkpoint-every", "TIME", "10m",
     "how often: a time above 0 like 600s, 10m, 2h, or a number of temperature steps, from 1"},
    {OPTION_RESUME, "resume", "FILE", NULL,
     "go on from a checkpoint, whose options hold; others than -D, -o, --stages, --force and "
     "--checkpoint... must not differ"},
    {'h', "help", NULL, NULL, "print this"},
    {'V', "version", NULL, NULL, "print the version"},
};

enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

#define DEFAULT_REWEIGHT_STEP 0.005

/* Options whose mere presence matters. */
typedef struct {
    bool dbeta, overlap, word, rng, reweight_step, device, stages, checkpoint_every;
} options_given;

static bool value_is_optional(const option_line *line) {
    return line->code == 'm';
}

static const option_line *find_option(int code) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].code == code)
            return &option_table[i];
    return NULL;
}

/* --- values --- */

/* A whole number written as such, or like 1e5, with nothing behind it. */
static bool read_whole(const char *text, uint64_t *value) {
    if (text[strspn(text, "0123456789.eE+")] != '\0' || text[0] == '+' || text[0] == '\0')
        return false;
    char *end;
    errno = 0;
    if (text[strspn(text, "0123456789")] == '\0') {
        *value = strtoull(text, &end, 10);
        return errno == 0;
    }
    const double x = strtod(text, &end);
    if (errno != 0 || *end != '\0' || end == text || !(x < 0x1p53) || x != (double)(uint64_t)x)
        return false;
    *value = (uint64_t)x;
    return true;
}

static bool read_whole_32(const char *text, uint32_t *value) {
    uint64_t wide;
    if (!read_whole(text, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* A 64-bit number, decimal or hexadecimal. */
static bool read_seed(const char *text, uint64_t *value) {
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *const digits = hex ? text + 2 : text;
    if (digits[0] == '\0' ||
        digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] != '\0')
        return false;
    errno = 0;
    *value = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

/* A finite decimal number. */
static bool read_real(const char *text, double *value) {
    if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    char *end;
    errno = 0;
    *value = strtod(text, &end) + 0.0; /* -0 becomes 0 */
    return errno == 0 && *end == '\0';
}

static bool read_coding(const char *text, spin_coding *coding) {
    for (spin_coding c = CODING_SSC; c <= CODING_MSC; c++) {
        if (strcmp(text, coding_name(c)) == 0) {
            *coding = c;
            return true;
        }
    }
    return false;
}

static bool read_rng(const char *text, rng_mode *mode) {
    for (rng_mode m = RNG_INDEPENDENT; m <= RNG_LCG; m++) {
        if (strcmp(text, rng_name(m)) == 0) {
            *mode = m;
            return true;
        }
    }
    return false;
}

static bool read_stages(const char *text, stage_mode *stages) {
    for (stage_mode s = STAGES_FUSED; s <= STAGES_HYBRID; s++) {
        if (strcmp(text, stages_name(s)) == 0) {
            *stages = s;
            return true;
        }
    }
    return false;
}

/* A time in seconds, minutes or hours, or a whole number of steps. */
static bool read_interval(const char *text, checkpoint_interval *every) {
    char number[32];
    const size_t length = strlen(text);
    *every = (checkpoint_interval){.steps = 0};
    if (read_whole_32(text, &every->steps))
        return every->steps > 0;
    if (length < 2 || length >= sizeof number)
        return false;
    memcpy(number, text, length - 1);
    number[length - 1] = '\0';
    const char unit = text[length - 1];
    if ((unit != 's' && unit != 'm' && unit != 'h') || !read_real(number, &every->seconds))
        return false;
    every->seconds *= unit == 's' ? 1 : unit == 'm' ? 60 : 3600;
    return every->seconds > 0;
}

/* "cpu", "cuda", "auto", or "cuda:N" with at most four digits. */
static bool read_device(const char *text, device_kind *device, int *number) {
    *number = 0;
    for (device_kind d = DEVICE_AUTO; d <= DEVICE_CUDA; d++) {
        if (strcmp(text, device_name(d)) == 0) {
            *device = d;
            return true;
        }
    }
    static const char prefix[] = "cuda:";
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *const digits = text + sizeof prefix - 1;
    const size_t length = strspn(digits, "0123456789");
    if (length < 1 || length > 4 || digits[length] != '\0')
        return false;
    *device = DEVICE_CUDA;
    *number = (int)strtol(digits, NULL, 10);
    return true;
}

/* Puts the value of an option into its place. Returns false if it is not of the option's kind. */
static bool read_value(parameters *p, options_given *given, int code, const char *text) {
    uint32_t number;
    switch (code) {
    case 'L':
        return read_whole_32(text, &p->size);
    case 'R':
        return read_whole(text, &p->population);
    case 't':
        return read_whole_32(text, &p->sweeps);
    case 'b':
        return read_real(text, &p->beta_start);
    case 'f':
        return read_real(text, &p->beta_end);
    case 'd':
        given->dbeta = true;
        return read_real(text, &p->dbeta);
    case 'a':
        given->overlap = true;
        return read_real(text, &p->overlap);
    case 'M':
        return read_whole_32(text, &p->runs);
    case 's':
        return read_seed(text, &p->seed);
    case 'P':
        if (!read_whole_32(text, &number) || number > INT32_MAX)
            return false;
        p->precision = (int)number;
        return true;
    case 'o':
        p->output = text;
        return text[0] != '\0';
    case OPTION_FORCE:
        p->force = true;
        return true;
    case OPTION_DRY_RUN:
        p->dry_run = true;
        return true;
    case 'c':
        return read_coding(text, &p->coding);
    case 'D':
        given->device = true;
        return read_device(text, &p->device, &p->device_number);
    case OPTION_STAGES:
        given->stages = true;
        return read_stages(text, &p->stages);
    case OPTION_CHECKPOINT:
        p->checkpoint = text;
        return text[0] != '\0';
    case OPTION_CHECKPOINT_EVERY:
        given->checkpoint_every = true;
        return read_interval(text, &p->checkpoint_every);
    case OPTION_RESUME:
        p->resume = text;
        return text[0] != '\0';
    case 'p':
        given->word = true;
        return read_whole_32(text, &p->word);
    case 'g':
        given->rng = true;
        return read_rng(text, &p->rng);
    case 'm':
        p->reweight = true;
        given->reweight_step = text != NULL;
        return text == NULL || read_real(text, &p->reweight_step);
    }
    return false;
}

/* The values that hold without any option. */
static void set_defaults(parameters *p) {
    *p = (parameters){.force = false};
    options_given nothing = {.dbeta = false};
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].fallback != NULL)
            read_value(p, &nothing, option_table[i].code, option_table[i].fallback);
}

static void print_help(void) {
    printf("usage: paising [options]\n"
           "Population annealing of the 2D Ising model.\n\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_line *const line = &option_table[i];
        const bool letter = line->code < 256, optional = value_is_optional(line);
        char option[64];
        snprintf(option, sizeof option, "%c%c%c --%s%s%s%s", letter ? '-' : ' ',
                 letter ? line->code : ' ', letter ? ',' : ' ', line->name,
                 optional              ? "[="
                 : line->value != NULL ? " "
                                       : "",
                 line->value != NULL ? line->value : "", optional ? "]" : "");
        printf("  %-25s %s", option, line->help);
        if (line->fallback != NULL)
            printf(" [%s]", line->fallback);
        putchar('\n');
    }
}

/* --- the command line --- */

/* The option table in the form that getopt_long takes. */
static void make_getopt_tables(char letters[3 * OPTION_COUNT + 2], struct option names[]) {
    *letters++ = ':'; /* errors are ours to report */
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_line *const line = &option_table[i];
        const int argument = line->value == NULL       ? no_argument
                             : value_is_optional(line) ? optional_argument
                                                       : required_argument;
        names[i] = (struct option){line->name, argument, NULL, line->code};
        if (line->code < 256) {
            *letters++ = (char)line->code;
            for (int colon = 0; colon < argument; colon++) /* none, one or two */
                *letters++ = ':';
        }
    }
    *letters = '\0';
    names[OPTION_COUNT] = (struct option){NULL, 0, NULL, 0};
}

/* An option as messages name it: by its letter, or else by its name. Returns text. */
#define OPTION_TEXT_SIZE 32
static const char *option_text(char text[OPTION_TEXT_SIZE], int code) {
    if (code < 256)
        snprintf(text, OPTION_TEXT_SIZE, "-%c", code);
    else
        snprintf(text, OPTION_TEXT_SIZE, "--%s", find_option(code)->name);
    return text;
}

/* Says what is wrong with an option that getopt_long did not take: `answer` is what it returned,
 * word the last word of the command line that it read. */
static int refuse_option(int answer, const char *word) {
    const option_line *const line = find_option(optopt);
    char option[OPTION_TEXT_SIZE];
    if (answer == ':')
        return complain(STATUS_REFUSED, "%s: a value is missing: %s", option_text(option, optopt),
                        line->help);
    if (line != NULL) /* getopt_long says which option was given more than it takes */
        return complain(STATUS_REFUSED, "%.100s: the option takes no value", word);
    if (optopt != 0)
        return complain(STATUS_REFUSED, "-%c: unknown option; --help lists what there is", optopt);
    return complain(STATUS_REFUSED,
                    "%.100s: unknown or ambiguous option; --help lists what there is", word);
}

/* Fills in what depends on other options, and refuses combinations that mean nothing. */
static int complete(parameters *p, const options_given *given) {
    if (given->overlap && given->dbeta)
        return complain(STATUS_REFUSED,
                        "-a %.15g: adaptive steps exclude fixed ones, -d %.15g: give one of them",
                        p->overlap, p->dbeta);
    if (given->overlap && p->overlap == 0) /* which is how parameters say that there is none */
        return complain(STATUS_REFUSED, "-a 0: the overlap must be above 0 and below 1");
    if (given->word && p->coding == CODING_SSC)
        return complain(STATUS_REFUSED,
                        "-p %" PRIu32 ": allowed with -c msc only: ssc has no words", p->word);
    if (given->rng && p->coding == CODING_SSC)
        return complain(STATUS_REFUSED,
                        "-g %s: allowed with -c msc only: ssc has no choice of them",
                        rng_name(p->rng));
    if (given->checkpoint_every && p->checkpoint == NULL)
        return complain(STATUS_REFUSED,
                        "--checkpoint-every %.15g%s: allowed with --checkpoint or --resume only",
                        p->checkpoint_every.seconds + p->checkpoint_every.steps,
                        p->checkpoint_every.steps > 0 ? "" : "s");
    if (p->reweight && !given->reweight_step)
        p->reweight_step = given->overlap ? DEFAULT_REWEIGHT_STEP : p->dbeta;
    return STATUS_OK;
}

/* Reads the options over what *p holds. */
static int read_options(parameters *p, options_given *given, int argc, char **argv) {
    char letters[3 * OPTION_COUNT + 2];
    struct option names[OPTION_COUNT + 1];
    make_getopt_tables(letters, names);
    optind = 0; /* begins anew even if argv was parsed before (glibc) */
    for (;;) {
        const int code = getopt_long(argc, argv, letters, names, NULL);
        if (code == -1)
            break;
        if (code == ':' || code == '?')
            return refuse_option(code, argv[optind - 1]);
        if (code == 'h') {
            print_help();
            return OPTIONS_SHOWN;
        }
        if (code == 'V') {
            printf("paising %s\n", PAISING_VERSION);
            return OPTIONS_SHOWN;
        }
        char option[OPTION_TEXT_SIZE];
        if (!read_value(p, given, code, optarg))
            return complain(STATUS_REFUSED, "%s '%.100s': not allowed: %s",
                            option_text(option, code), optarg, find_option(code)->help);
    }
    if (optind < argc)
        return complain(STATUS_REFUSED,
                        "'%.100s': unexpected word: only options are allowed, and a value of -m is "
                        "written -mSTEP or --reweight=STEP",
                        argv[optind]);
    return STATUS_OK;
}

/* Puts the options over those of the checkpoint p->resume, which goes on to be written unless there
 * is to be another one. */
static int resume_options(parameters *p, parameters *saved, options_given *given, int argc,
                          char **argv) {
    static char output[PATH_MAX]; /* as argv, for as long as the program runs */
    if (checkpoint_read_parameters(p->resume, saved, output) != STATUS_OK)
        return STATUS_REFUSED;
    *p = *saved;
    *given = (options_given){.overlap = saved->overlap > 0, .reweight_step = saved->reweight};
    const int status = read_options(p, given, argc, argv);
    if (p->checkpoint == NULL)
        p->checkpoint = p->resume;
    if (given->device && !given->stages)
        p->stages = STAGES_FUSED; /* which every device has */
    return status;
}

/* Refuses an option that would change the data files of the checkpoint's simulation. */
static int refuse_difference(const parameters *p, const parameters *saved) {
    const int option = parameters_differ(p, saved);
    char here[PARAMETER_TEXT_SIZE], there[PARAMETER_TEXT_SIZE];
    if (option == 0)
        return STATUS_OK;
    return complain(STATUS_REFUSED, "-%c %s: the checkpoint %s has %s; leave the option out",
                    option, parameter_text(here, p, option), p->resume,
                    parameter_text(there, saved, option));
}

int parameters_parse(parameters *p, int argc, char **argv) {
    parameters saved = {.resume = NULL};
    options_given given = {.dbeta = false};
    set_defaults(p);
    int status = read_options(p, &given, argc, argv);
    const bool resumed = status == STATUS_OK && p->resume != NULL;
    if (resumed)
        status = resume_options(p, &saved, &given, argc, argv);
    if (status != STATUS_OK)
        return status;
    if (complete(p, &given) != STATUS_OK || (resumed && refuse_difference(p, &saved) != STATUS_OK))
        return STATUS_REFUSED;
    char message[300];
    if (parameters_validate(p, message, sizeof message) != 0)
        return complain(STATUS_REFUSED, "%s", message);
    return STATUS_OK;
}
