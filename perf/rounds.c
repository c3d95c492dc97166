/* Medians, the clock of one thread, and the unit: a scalar Philox call. */
#include "rounds.h"

#include "engine/streams.h"

#include <stdlib.h>
#include <time.h>

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double x[ROUNDS]) {
    qsort(x, ROUNDS, sizeof *x, ascending);
    return x[ROUNDS / 2];
}

double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double philox_unit_ns(void) {
    const uint32_t calls = 4000000;
    const stream_key key = {{1, 2}};
    uint32_t sum = 0;
    const double start = cpu_seconds();
    for (uint32_t n = 0; n < calls; n++) {
        const stream_block b = stream_philox(key, n, 0, 0, 0);
        sum += b.number[0] ^ b.number[1] ^ b.number[2] ^ b.number[3];
    }
    const double ns = (cpu_seconds() - start) / calls * 1e9;
    volatile uint32_t sink = sum; /* the loop must not be optimised away */
    (void)sink;
    return ns;
}
