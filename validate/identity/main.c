/* build/identity: engines on two devices against each other, bit for bit, over a random grid of
 * parameters; first the negative controls (controls.h).
 *
 * One line a case: its parameters (--help explains the columns), and "same" or the first difference.
 * Status 1: a difference, a control that was missed, or a case that could not be compared. With
 * --options it compares nothing, but draws what identity.py compares the whole program with. */
#include "base/commit.h"
#include "base/message.h"
#include "base/usage.h"
#include "controls.h"
#include "grid.h"
#include "option_sets.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define DEFAULT_CASES 200
#define MAX_CASES     1000000
#define MAX_SETS      999999

typedef struct {
    uint32_t first, end; /* cases */
    bool only_sets;      /* no cases, but sets of options: */
    uint32_t sets;
    uint64_t seed;
    identity_device device[2];
    bool devices_given;
} identity_options;

static const char usage[] =
    "usage: identity [options]\n"
    "Compares engines on two devices, bit for bit, over a random grid of parameters.\n"
    "\n"
    "  --cases N      how many cases, from 1 to 1000000 [200]\n"
    "  --seed SEED    the seed of the grid, a 64-bit decimal number [a new one, printed]\n"
    "  --case N       this case alone, from 0\n"
    "  --devices A,B  two of cpu (all threads), cpu:THREADS, cuda, cuda:N\n"
    "                 [cpu,cuda; without a GPU the CPU with one thread and with all]\n"
    "  --options N    print N sets of options of the program, one a line, from 0 to 999999; and "
    "end\n"
    "  --help         print this\n"
    "\n"
    "Columns: lattice edges L, replicas a word p, mode of the random numbers; founders, the\n"
    "population at beta = 0, target, the one that resampling aims at, capacity; theta sweeps at\n"
    "each of `steps` temperatures, the first one having the index `first`; step i resamples for a\n"
    "rise by dbeta and sweeps at beta + i dbeta, or with the acceptance thresholds given (hex);\n"
    "piece, the replicas that a save or load copies at a time; load A<B@I: after step I engine A\n"
    "loads what engine B saves; again N: engine N is taken through everything twice; the stages of "
    "a\n"
    "step on a GPU; the rule of the resampling.\n";

/* --- the command line --- */

/* Reads a decimal number from `low` to `high`. */
static bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >= low &&
           *value <= high;
}

static bool read_devices(const char *text, identity_device device[2]) {
    char first[32];
    const char *const comma = strchr(text, ',');
    const size_t length = comma ? (size_t)(comma - text) : sizeof first;
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    return identity_read_device(&device[0], first) && identity_read_device(&device[1], comma + 1);
}

enum {
    OPTION_CASES = 'n',
    OPTION_SEED = 's',
    OPTION_CASE = 'c',
    OPTION_DEVICES = 'd',
    OPTION_SETS = 'o'
};

/* Takes one option. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr. */
static exit_status take_option(identity_options *o, int option, const char *value) {
    uint64_t number;
    switch (option) {
    case OPTION_CASES:
        if (!read_number(value, 1, MAX_CASES, &number))
            return complain(STATUS_REFUSED, "--cases '%s': allowed: 1 to %d", value, MAX_CASES);
        o->first = 0;
        o->end = (uint32_t)number;
        return STATUS_OK;
    case OPTION_CASE:
        if (!read_number(value, 0, MAX_CASES - 1, &number))
            return complain(STATUS_REFUSED, "--case '%s': allowed: 0 to %d", value, MAX_CASES - 1);
        o->first = (uint32_t)number;
        o->end = o->first + 1;
        return STATUS_OK;
    case OPTION_SETS:
        if (!read_number(value, 0, MAX_SETS, &number))
            return complain(STATUS_REFUSED, "--options '%s': allowed: 0 to %d", value, MAX_SETS);
        o->only_sets = true;
        o->sets = (uint32_t)number;
        return STATUS_OK;
    case OPTION_SEED:
        if (!read_number(value, 0, UINT64_MAX, &o->seed))
            return complain(STATUS_REFUSED, "--seed '%s': allowed: 0 to 2^64 - 1", value);
        return STATUS_OK;
    default:
        o->devices_given = true;
        if (!read_devices(value, o->device))
            return complain(STATUS_REFUSED,
                            "--devices '%s': allowed: two of cpu, cpu:THREADS, cuda, cuda:N, "
                            "with a comma between them",
                            value);
        return STATUS_OK;
    }
}

static exit_status read_options(identity_options *o, int argc, char **argv) {
    static const struct option names[] = {{"cases", required_argument, NULL, OPTION_CASES},
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"case", required_argument, NULL, OPTION_CASE},
                                          {"devices", required_argument, NULL, OPTION_DEVICES},
                                          {"options", required_argument, NULL, OPTION_SETS},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == '?')
            return STATUS_REFUSED; /* getopt_long has said why */
        if (option == 'h')
            usage_show(usage);
        if (take_option(o, option, optarg))
            return STATUS_REFUSED;
    }
    if (optind < argc)
        return complain(STATUS_REFUSED, "'%s': unexpected word: only options are allowed",
                        argv[optind]);
    return STATUS_OK;
}

/* Sees to two devices that are there. Without a GPU, unless one was asked for, *skipped says why
 * the comparison is one of the CPU with itself. */
static exit_status choose_devices(identity_options *o, char *skipped, size_t size) {
    char reason[300], name[DEVICE_TEXT_SIZE];
    skipped[0] = '\0';
    if (!o->devices_given) {
        const identity_device all = identity_all_threads(), gpu = {true, 0};
        o->device[0] = all;
        o->device[1] = gpu;
        if (!identity_device_is_there(gpu, skipped, size)) {
            o->device[0].number = 1;
            o->device[1] = (identity_device){false, all.number > 1 ? all.number : 2};
            return STATUS_OK;
        }
        skipped[0] = '\0';
    }
    for (size_t n = 0; n < 2; n++)
        if (!identity_device_is_there(o->device[n], reason, sizeof reason))
            return complain(STATUS_REFUSED, "--devices %s: %s",
                            identity_device_text(name, o->device[n]), reason);
    return STATUS_OK;
}

/* --- the work --- */

/* Runs the negative controls. Returns how many were missed. */
static size_t run_controls(const identity_device device[2]) {
    const size_t count = identity_controls();
    size_t missed = 0;
    char text[RESULT_TEXT_SIZE];
    for (size_t n = 0; n < count; n++) {
        const identity_finding f = identity_control(n, device);
        printf("# control, %s: %s: %s\n", f.name, f.found ? "found" : "MISSED",
               identity_result_text(text, &f.result));
        missed += !f.found;
    }
    printf("# controls: %zu of %zu planted faults found where they are\n#\n", count - missed,
           count);
    return missed;
}

/* How the cases went. */
typedef struct {
    size_t same, died, outgrown, different, not_compared;
} identity_sums;

static identity_sums run_cases(const identity_options *o) {
    const identity_pair pair = {{o->device[0], o->device[1]}, NULL};
    identity_sums sums = {0};
    char text[RESULT_TEXT_SIZE > CASE_TEXT_SIZE ? RESULT_TEXT_SIZE : CASE_TEXT_SIZE];
    printf("# case %s result\n", identity_case_columns());
    for (uint32_t n = o->first; n < o->end; n++) {
        const identity_case c = identity_grid_case(o->seed, n);
        printf("%6" PRIu32 " %s ", n, identity_case_text(text, &c));
        fflush(stdout);
        const identity_result r = identity_run(&c, &pair);
        printf("%s\n", identity_result_text(text, &r));
        fflush(stdout);
        sums.same += r.verdict == IDENTITY_SAME;
        sums.died += r.verdict == IDENTITY_SAME && r.status == ENGINE_EXTINCT;
        sums.outgrown += r.verdict == IDENTITY_SAME && r.status == ENGINE_OUTGROWN;
        sums.different += r.verdict == IDENTITY_DIFFERENT;
        sums.not_compared += r.verdict == IDENTITY_NOT_COMPARED;
    }
    return sums;
}

static void print_verdict(const identity_options *o, bool skipped, const identity_sums *sums) {
    char name[2][DEVICE_TEXT_SIZE];
    identity_device_text(name[0], o->device[0]);
    identity_device_text(name[1], o->device[1]);
    printf("# of the same, %zu died out and %zu outgrew their capacity on both\n", sums->died,
           sums->outgrown);
    printf("# repeat a case: build/identity --case N --seed %" PRIu64 " --devices %s,%s\n", o->seed,
           name[0], name[1]);
    if (skipped)
        printf("# SKIP: CUDA against CPU; CPU with %d thread against %d: ", o->device[0].number,
               o->device[1].number);
    else
        printf("# %s against %s: ", name[0], name[1]);
    printf("%zu same, %zu different, %zu not compared\n", sums->same, sums->different,
           sums->not_compared);
}

static exit_status print_option_sets(const identity_options *o) {
    char text[OPTION_SET_SIZE];
    for (uint32_t n = 0; n < o->sets; n++)
        puts(identity_option_set(text, o->seed, n));
    return close_stdout();
}

int main(int argc, char **argv) {
    identity_options o = {.end = DEFAULT_CASES};
    char skipped[300];
    uint32_t fresh;
    if (getrandom(&fresh, sizeof fresh, 0) == sizeof fresh)
        o.seed = fresh;
    if (read_options(&o, argc, argv))
        return STATUS_REFUSED;
    if (o.only_sets)
        return (int)print_option_sets(&o);
    if (choose_devices(&o, skipped, sizeof skipped))
        return STATUS_REFUSED;
    printf("# identity of engines (paising " PAISING_VERSION "), seed %" PRIu64 ", cases %" PRIu32
           " to %" PRIu32 "\n",
           o.seed, o.first, o.end - 1);
    if (skipped[0])
        printf("# SKIP: CUDA against CPU: %s\n", skipped);
    const size_t missed = run_controls(o.device);
    const identity_sums sums = run_cases(&o);
    print_verdict(&o, skipped[0] != '\0', &sums);
    const exit_status printed = close_stdout();
    return missed || sums.different || sums.not_compared ? STATUS_FAILED : (int)printed;
}
