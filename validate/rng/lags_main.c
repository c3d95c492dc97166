/* build/rng_lags STREAM: whether bits of a stream agree, or differ, too often with the bits 1 to 4096 numbers before. */
#include "base/message.h"
#include "base/usage.h"
#include "lags.h"
#include "streams_under_test.h"
#include "validate/lib/statistics.h"

#include <stdlib.h>

#define NUMBERS (1 << 20)

static const char usage[] = "usage: rng_lags STREAM    one that rng_streams names\n"
                            "Compares each bit of a million numbers with the same bit 1 to 4096 "
                            "numbers before. Status 1: one agrees, or differs, "
                            "more often\n"
                            "than chance allows once in 1e6 runs.\n";

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc != 2)
        return (int)complain(STATUS_REFUSED, "allowed: a stream, or --help");
    stream_under_test s;
    if (stream_open(&s, argv[1], SHAPE_UNDER_TEST, 1))
        return (int)(s.kind ? complain(STATUS_FAILED, "%s: not enough memory", argv[1])
                            : complain(STATUS_REFUSED,
                                       "stream '%s': not one of those that build/rng_streams names",
                                       argv[1]));
    uint32_t *const numbers = malloc(NUMBERS * sizeof *numbers);
    lag_finding worst;
    for (size_t n = 0; numbers && n < NUMBERS; n++)
        numbers[n] = stream_next(&s);
    stream_close(&s);
    const int failed = !numbers || lags_scan(numbers, NUMBERS, &worst);
    free(numbers);
    if (failed)
        return (int)complain(STATUS_FAILED, "%s: not enough memory", argv[1]);
    const double limit = z_limit(32 * LAGS_MOST);
    printf("%s: largest |z| = %.2f of %d lags of each bit, limit %.2f: bit %u, lag %u\n", argv[1],
           fabs(worst.z), LAGS_MOST, limit, worst.bit, worst.lag);
    return fabs(worst.z) > limit ? STATUS_FAILED : STATUS_OK;
}
