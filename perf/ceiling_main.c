/* build/ceiling: what the device can do at most, as a table. On a CPU: one core's Philox calls, the
 * unit of cpu_ratios.c, and the bandwidth of all cores together. */
#include "base/clock.h"
#include "base/message.h"
#include "base/usage.h"
#include "ceiling.h"
#include "ceiling_work.h"
#include "command/options.h"
#include "rounds.h"
#ifdef PAISING_CUDA
#include "cuda/engine/engine.h"
#endif

#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED_THREADS 16
#define WARM_UP_SECONDS 0.5
#define CPU_COPY_BYTES  ((size_t)1 << 28)

static void print_head(const char *device) {
    printf("# What this device can do at most; value: median of %d rounds, in 1e9 a second;\n"
           "# theoretical: from clock, lanes and bus, nan where that is not documented;\n"
           "# spread: largest less smallest, in %% of the median\n# device: %s\n"
           "# %-20s %12s %-8s %12s %8s\n",
           ROUNDS, device, "name", "value", "unit", "theoretical", "spread-%");
}

static void print_row(const char *name, double rates[ROUNDS], const char *unit,
                      double theoretical) {
    const double middle = median(rates);
    printf("%-22s %12.6g %-8s %12.6g %8.2f\n", name, middle, unit, theoretical,
           100 * (rates[ROUNDS - 1] - rates[0]) / middle);
}

/* --- CPU --- */

/* Bytes read and written a second by all cores, in 1e9; NAN: the copy is not what was copied. */
static double copy_rate(const uint8_t *from, uint8_t *to, int threads) {
    const size_t part = CPU_COPY_BYTES / (size_t)threads;
    const double start = clock_seconds();
#pragma omp parallel for num_threads(threads)
    for (int n = 0; n < threads; n++)
        memcpy(to + (size_t)n * part, from + (size_t)n * part, part);
    const double seconds = clock_seconds() - start;
    if (memcmp(from, to, part * (size_t)threads) != 0)
        return NAN;
    return 2e-9 * (double)(part * (size_t)threads) / seconds;
}

static exit_status measure_cpu(void) {
    const int threads = omp_get_max_threads();
    uint8_t *const from = malloc(CPU_COPY_BYTES), *const to = malloc(CPU_COPY_BYTES);
    double philox[ROUNDS], copy[ROUNDS];
    char device[80];
    if (!from || !to) {
        free(from);
        free(to);
        return complain(STATUS_FAILED, "not enough memory");
    }
    for (size_t n = 0; n < CPU_COPY_BYTES; n++)
        from[n] = (uint8_t)memory_word(n);
    memset(to, 0, CPU_COPY_BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        philox[round] = 1 / philox_unit_ns();
        copy[round] = copy_rate(from, to, threads);
    }
    free(from);
    free(to);
    for (int round = 0; round < ROUNDS; round++)
        if (isnan(copy[round]))
            return complain(STATUS_FAILED, "copy: the result is wrong");
    snprintf(device, sizeof device, "CPU; philox on one core, copy on %d", threads);
    print_head(device);
    print_row("philox", philox, "call/s", NAN);
    print_row("copy", copy, "byte/s", NAN);
    return STATUS_OK;
}

/* --- GPU --- */

#ifdef PAISING_CUDA

typedef struct {
    const char *name, *unit;
} ceiling_row;

static const ceiling_row rows[CEILINGS] = {
    [CEILING_LOGIC] = {"logic", "op/s"},
    [CEILING_MULTIPLY_ADD] = {"multiply_add", "op/s"},
    [CEILING_WIDE_MULTIPLY_ADD] = {"wide_multiply_add", "op/s"},
    [CEILING_MIX] = {"mix", "op/s"},
    [CEILING_PLANES] = {"planes", "word/s"},
    [CEILING_PHILOX] = {"philox", "call/s"},
    [CEILING_COPY] = {"copy", "byte/s"},
    [CEILING_L2_READ] = {"l2_read", "byte/s"},
    [CEILING_SHARED_READ] = {"shared_read", "byte/s"},
};

/* CEILING_BRANCH in plain C: a bit of the threshold that is set adds lanes, one that is not takes lanes away, each in
 * the lanes of its class. */
static uint32_t planes_work(uint32_t thread, uint32_t rounds) {
    mwc_state state = planes_seed(thread);
    uint32_t accept[CHAINS] = {0}, sum = 0;
    for (uint32_t n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++)
            for (int plane = 0; plane < 2; plane++) {
                const uint32_t parity = planes_parity(thread, i), r = mwc_next(&state);
                const uint32_t adds = plane ? parity : ~parity;
                accept[i] = (adds & (accept[i] | r)) | (~adds & (accept[i] & r));
            }
    for (int i = 0; i < CHAINS; i++)
        sum += accept[i];
    return sum;
}

static uint32_t copy_work(const ceiling_device *d, uint32_t thread) {
    uint32_t sum = 0;
    for (uint64_t i = thread; i < d->copied; i += d->threads)
        sum += memory_word(i);
    return sum;
}

/* Reading `quads` times 16 bytes in turns, from `at` on in strides. */
static uint32_t read_work(uint64_t at, uint64_t stride, uint64_t quads, uint32_t rounds) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < rounds; n++, at += stride) {
        uint32_t digest = 0;
        for (uint64_t i = 0; i < 4; i++)
            digest ^= memory_word(at % quads * 4 + i);
        sum += digest;
    }
    return sum;
}

/* What a thread must have found. */
static uint32_t expected(const ceiling_device *d, ceiling_kind kind, uint32_t thread) {
    const uint32_t rounds = d->rounds[kind];
    switch (kind) {
    case CEILING_LOGIC:
        return logic_work(thread, rounds);
    case CEILING_MULTIPLY_ADD:
        return multiply_add_work(thread, rounds, LCG_MULTIPLIER);
    case CEILING_WIDE_MULTIPLY_ADD:
        return wide_work(thread, rounds, LCG_MULTIPLIER);
    case CEILING_MIX:
        return mixed_work(thread, rounds, LCG_MULTIPLIER);
    case CEILING_PLANES:
        return planes_work(thread, rounds);
    case CEILING_PHILOX:
        return philox_work(thread, rounds);
    case CEILING_COPY:
        return copy_work(d, thread);
    case CEILING_L2_READ:
        return read_work(thread, d->threads, d->l2 / 4, rounds);
    case CEILING_SHARED_READ:
        return read_work(thread % CEILING_BLOCK, CEILING_BLOCK, CEILING_SHARED_WORDS / 4, rounds);
    case CEILINGS:
        break;
    }
    return 0;
}

static bool results_right(const ceiling_device *d, ceiling_kind kind, const uint32_t *results) {
    for (uint64_t n = 0; n < CHECKED_THREADS; n++) {
        const uint32_t thread = (uint32_t)(n * (d->threads - 1) / (CHECKED_THREADS - 1));
        if (results[thread] != expected(d, kind, thread))
            return false;
    }
    return true;
}

static exit_status measure_kind(ceiling_device *d, ceiling_kind kind, uint32_t *results) {
    double seconds, rates[ROUNDS];
    char reason[300];
    /* The round before the first is not counted; its results are checked. */
    for (int round = -1; round < ROUNDS; round++) {
        if (ceiling_run(d, kind, &seconds, results, reason, sizeof reason))
            return complain(STATUS_FAILED, "%s: %s", rows[kind].name, reason);
        if (round < 0 && !results_right(d, kind, results))
            return complain(STATUS_FAILED, "%s: the results are wrong", rows[kind].name);
        if (round >= 0)
            rates[round] = 1e-9 * (double)d->units[kind] / seconds;
    }
    print_row(rows[kind].name, rates, rows[kind].unit, d->theoretical[kind]);
    return STATUS_OK;
}

/* Keeps the device at work until its clock has risen. */
static exit_status warm_up(ceiling_device *d, uint32_t *results) {
    const double start = clock_seconds();
    char reason[300];
    double seconds;
    while (clock_seconds() - start < WARM_UP_SECONDS)
        if (ceiling_run(d, CEILING_LOGIC, &seconds, results, reason, sizeof reason))
            return complain(STATUS_FAILED, "%s", reason);
    return STATUS_OK;
}

static exit_status measure_gpu(int number) {
    ceiling_device d;
    char reason[300];
    if (ceiling_open(&d, number, reason, sizeof reason)) {
        ceiling_close(&d);
        return complain(STATUS_FAILED, "-D cuda:%d: %s", number, reason);
    }
    uint32_t *const results = malloc(d.threads * sizeof *results);
    exit_status status =
        results ? warm_up(&d, results) : complain(STATUS_FAILED, "not enough memory");
    if (!status)
        print_head(d.name);
    for (ceiling_kind kind = 0; kind < CEILINGS && !status; kind++)
        status = measure_kind(&d, kind, results);
    free(results);
    ceiling_close(&d);
    return status;
}

static int gpus(char *reason, size_t size) {
    return cuda_device_count(reason, size);
}

#else

static exit_status measure_gpu(int number) {
    return complain(STATUS_FAILED, "-D cuda:%d: this program was built without CUDA", number);
}

static int gpus(char *reason, size_t size) {
    snprintf(reason, size, "this program was built without CUDA");
    return 0;
}

#endif

/* --- the program --- */

static const char usage[] = "usage: ceiling [-D auto|cpu|cuda|cuda:N]\n"
                            "Measures what the device can do.\n";

int main(int argc, char **argv) {
    static const struct option known[] = {{"device", required_argument, NULL, 'D'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    char device_option[] = "-D", automatic[] = "auto";
    char *device[] = {argv[0], device_option, automatic, NULL};
    char reason[300];
    parameters p;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "D:h", known, NULL)) != -1;) {
        if (c == 'h')
            usage_show(usage);
        if (c != 'D')
            return complain(STATUS_REFUSED, "%s: allowed: -D DEVICE, -h", argv[optind - 1]);
        device[2] = optarg;
    }
    if (optind < argc)
        return complain(STATUS_REFUSED, "%s: allowed: -D DEVICE, -h", argv[optind]);
    optind = 1; /* the device is read as the program reads it */
    if (parameters_parse(&p, 3, device))
        return STATUS_REFUSED;

    const int count = p.device == DEVICE_CPU ? 0 : gpus(reason, sizeof reason);
    if (p.device == DEVICE_CUDA && p.device_number >= count)
        return complain(STATUS_REFUSED, "-D %s: %s", device[2],
                        count ? "there are not so many GPUs" : reason);
    const exit_status measured = count ? measure_gpu(p.device_number) : measure_cpu();
    const exit_status printed = close_stdout();
    return (int)(measured ? measured : printed);
}
