/* One test of a TestU01 battery (SmallCrush, Crush, BigCrush; P. L'Ecuyer and R. Simard, 2007) on one
 * stream. Every test of every battery has a section of the stream to itself, and so has every
 * repetition: the stream's seed is made of their numbers. */
#include "base/message.h"
#include "base/usage.h"
#include "streams_under_test.h"

#include <TestU01.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_TESTS       106
#define MOST_REPETITIONS 9

typedef struct {
    const char *name;
    int tests;
    void (*run)(unif01_Gen *generator, int repetitions[]);
} battery;

static const battery batteries[] = {{"smallcrush", 10, bbattery_RepeatSmallCrush},
                                    {"crush", 96, bbattery_RepeatCrush},
                                    {"bigcrush", 106, bbattery_RepeatBigCrush}};

#define BATTERIES (sizeof batteries / sizeof *batteries)

static const char usage[] =
    "usage: rng_battery STREAM smallcrush|crush|bigcrush TEST [REPETITION]\n"
    "Streams: see build/rng_streams. TestU01's report goes to standard output, at its end a line "
    "for each p-value:\n"
    "  result STREAM BATTERY TEST REPETITION P SECONDS NAME\n";

/* --- A stream as TestU01 takes it --- */

static unsigned long next_bits(void *unused, void *stream) {
    (void)unused;
    return stream_next(stream);
}

static double next_u01(void *unused, void *stream) {
    (void)unused;
    return stream_next(stream) * unif01_INV32;
}

static void write_state(void *stream) {
    const stream_under_test *const s = stream;
    printf("seed %llu, run %u of %s\n", (unsigned long long)s->seed, s->run, s->kind->order);
}

static exit_status run_test(char *name, size_t battery_number, int test, int repetition) {
    const uint64_t seed = (battery_number * 1000 + (uint64_t)test) * 10 + (uint64_t)repetition;
    const battery *const b = &batteries[battery_number];
    stream_under_test stream;
    if (stream_open(&stream, name, SHAPE_UNDER_TEST, seed))
        return stream.kind
                   ? complain(STATUS_FAILED, "%s: not enough memory", name)
                   : complain(STATUS_REFUSED,
                              "stream '%s': not one of those that build/rng_streams names", name);
    unif01_Gen generator = {.state = &stream,
                            .name = name,
                            .GetU01 = next_u01,
                            .GetBits = next_bits,
                            .Write = write_state};
    int repetitions[1 + MOST_TESTS] = {0};
    repetitions[test] = 1;
    swrite_Host = FALSE;
    b->run(&generator, repetitions);
    const double seconds = (double)clock() / CLOCKS_PER_SEC;
    stream_close(&stream);
    for (int n = 0; n < bbattery_NTests; n++)
        if (bbattery_pVal[n] >= 0) /* a statistic that was not computed is negative */
            printf("result %s %s %d %d %.17g %.2f %s\n", name, b->name, test, repetition,
                   bbattery_pVal[n], seconds, bbattery_TestNames[n]);
    return STATUS_OK;
}

/* --- The command line --- */

/* A number from first to last, or -1. */
static int number_of(const char *text, int first, int last) {
    char *end;
    const long n = strtol(text, &end, 10);
    return *text == '\0' || *end != '\0' || n < first || n > last ? -1 : (int)n;
}

static exit_status command(int count, char **words) {
    size_t b = 0;
    while (b < BATTERIES && strcmp(words[1], batteries[b].name) != 0)
        b++;
    if (b == BATTERIES)
        return complain(STATUS_REFUSED, "battery '%s': smallcrush, crush or bigcrush", words[1]);
    const int test = number_of(words[2], 1, batteries[b].tests);
    if (test < 0)
        return complain(STATUS_REFUSED, "test '%s': 1 to %d of %s", words[2], batteries[b].tests,
                        batteries[b].name);
    const int repetition = count > 3 ? number_of(words[3], 0, MOST_REPETITIONS) : 0;
    if (repetition < 0)
        return complain(STATUS_REFUSED, "repetition '%s': 0 to %d", words[3], MOST_REPETITIONS);
    return run_test(words[0], b, test, repetition);
}

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc != 4 && argc != 5)
        return complain(STATUS_REFUSED, "allowed: STREAM BATTERY TEST [REPETITION], or --help");
    const exit_status status = command(argc - 1, argv + 1);
    return (int)(status == STATUS_OK ? close_stdout() : status);
}
