/* The streams under test, a line each: name, what is expected of it, fingerprint, generator and order;
 * with --speed also what a number takes. The fingerprint is a checksum of the first numbers: results
 * of a stream that has changed since are not its own. */
#include "base/message.h"
#include "base/usage.h"
#include "streams_under_test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define FINGERPRINT_NUMBERS (1 << 20)
#define SPEED_NUMBERS       50000000

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* FNV-1a over 32-bit words. */
static uint32_t fingerprint(stream_under_test *s) {
    uint32_t hash = 2166136261u;
    for (uint32_t n = 0; n < FINGERPRINT_NUMBERS; n++)
        hash = (hash ^ stream_next(s)) * 16777619u;
    return hash;
}

static double ns_a_number(stream_under_test *s) {
    uint32_t sum = 0;
    const double start = cpu_seconds();
    for (uint32_t n = 0; n < SPEED_NUMBERS; n++)
        sum += stream_next(s);
    const double ns = (cpu_seconds() - start) / SPEED_NUMBERS * 1e9;
    volatile uint32_t sink = sum; /* the loop must not be optimised away */
    (void)sink;
    return ns;
}

static const char usage[] = "usage: rng_streams [--speed]\n"
                            "The streams under test, a line each: name, what is expected of it, "
                            "fingerprint, generator and\n"
                            "order; with --speed also what a number takes, in ns.\n";

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    static const char *const expected[] = {"pass", "smallcrush", "crush", "bigcrush"};
    const bool speed = argc == 2 && strcmp(argv[1], "--speed") == 0;
    if (argc > 1 && !speed)
        return (int)complain(STATUS_REFUSED, "'%s': allowed: --speed, --help, or none", argv[1]);
    const stream_kind *kind;
    printf("# stream, expected (pass, or the battery from which on it fails), fingerprint,%s "
           "generator; order\n",
           speed ? " ns a number," : "");
    for (size_t n = 0; (kind = stream_kind_at(n)) != NULL; n++) {
        stream_under_test s;
        if (stream_open(&s, kind->name, SHAPE_UNDER_TEST, 0))
            return (int)complain(STATUS_FAILED, "%s: not enough memory", kind->name);
        printf("%s %s %08x ", kind->name, expected[kind->expected], fingerprint(&s));
        if (speed)
            printf("%.2f ", ns_a_number(&s));
        printf("%s; %s\n", kind->generator, kind->order);
        stream_close(&s);
    }
    return (int)close_stdout();
}
