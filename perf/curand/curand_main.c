/* build/curand_sweep: sweeps with generators of cuRAND (curand_sweep.h). Checks the twin and the kernels, then times the kernels. */
#include "base/commit.h"
#include "base/message.h"
#include "base/usage.h"
#include "curand_sweep.h"
#include "perf/rounds.h"
#include "reference/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: build/curand_sweep [check | NUMBER]\n"
    "Single-spin coded Metropolis sweeps with generators of cuRAND on GPU NUMBER (default 0): the "
    "spins\n"
    "of each kernel are compared with those of its twin on the CPU, e and C at L = 64 with the "
    "exact\n"
    "ones, and then each is timed, unless the word is check. Without a GPU the twins alone are "
    "checked.\n"
    "Status 1: something differs; 2: wrong words.\n";

static int skipped; /* of the two: twins, kernels */

#ifdef PAISING_CUDA

#define BETA  0.4
#define LIMIT 6.0 /* errors; a false alarm in 1e6 for the 32 replicas of a twin, in 5e8 for many */

static const char *const names[SWEEP_GENERATORS] = {"philox", "xorwow", "mrg32k3a", "mtgp32",
                                                    "control"};
static char reason[300];

static sweep_task task_of(uint32_t edge, uint32_t replicas, uint32_t blocks) {
    return (sweep_task){
        .edge = edge,
        .replicas = replicas,
        .blocks = blocks,
        .threshold = {(uint32_t)(0x1p32 * exp(-4 * BETA)), (uint32_t)(0x1p32 * exp(-8 * BETA))},
        .seed = 2017};
}

/* --- energies against exact ones --- */

/* A mean over replicas against an exact value: each has a mean over time of its own, and so the error is theirs. */
typedef struct {
    double mean, error, exact;
} estimate;

static double deviation(const estimate *x) {
    return (x->mean - x->exact) / x->error;
}

static estimate estimate_of(const double *value, uint32_t n, double exact) {
    double sum = 0, squares = 0;
    for (uint32_t r = 0; r < n; r++)
        sum += value[r];
    for (uint32_t r = 0; r < n; r++)
        squares += (value[r] - sum / n) * (value[r] - sum / n);
    return (estimate){sum / n, sqrt(squares / (n - 1) / n), exact};
}

/* e = <-bonds / N>, and C = beta^2 N <(e - exact e)^2>, after `warm` sweeps, from `times` configurations, `apart` sweeps each.
 * Returns 0, or -1 with the reason. */
static int measure(sweep_generator generator, bool on_gpu, const sweep_task *task, uint32_t warm,
                   uint32_t times, uint32_t apart, estimate *e, estimate *c) {
    const double sites = (double)task->edge * task->edge;
    const exact_result exact = exact_thermodynamics(task->edge, BETA);
    sweep_population *const p = sweep_create(generator, on_gpu, task, reason, sizeof reason);
    int32_t *const bonds = malloc(task->replicas * sizeof *bonds);
    double *const first = calloc(2 * task->replicas, sizeof *first),
                  *const second = first + task->replicas, seconds;
    int status = p && bonds && first ? 0 : -1;
    for (uint32_t n = 0; n <= times && !status; n++) {
        status = sweep_step(p, n == 0 ? warm : apart, bonds, &seconds, reason, sizeof reason);
        for (uint32_t r = 0; r < task->replicas && n > 0; r++) {
            const double energy = -bonds[r] / sites;
            first[r] += energy / times;
            second[r] += BETA * BETA * sites * (energy - exact.e) * (energy - exact.e) / times;
        }
    }
    if (!status) {
        *e = estimate_of(first, task->replicas, exact.e);
        *c = estimate_of(second, task->replicas, exact.c);
    }
    free(first);
    free(bonds);
    sweep_destroy(p);
    return status;
}

/* Whether e and C of each generator are exact, and those of the control are not. */
static exit_status check_energies(bool on_gpu, const sweep_task *task, uint32_t warm,
                                  uint32_t times, uint32_t apart) {
    printf("# L = %" PRIu32 ", beta = %g, %" PRIu32 " replicas of a %s, %" PRIu32 " times %" PRIu32
           " sweeps\n"
           "# generator          e      error deviation          C      error deviation\n",
           task->edge, BETA, task->replicas, on_gpu ? "GPU" : "CPU", times, apart);
    exit_status status = STATUS_OK;
    for (sweep_generator g = 0; g < SWEEP_GENERATORS; g++) {
        estimate e, c;
        if (measure(g, on_gpu, task, warm, times, apart, &e, &c))
            return complain(STATUS_FAILED, "%s: %s", names[g], reason);
        printf("# %-9s %10.6f %10.2g %9.2f %10.6f %10.2g %9.2f\n", names[g], e.mean, e.error,
               deviation(&e), c.mean, c.error, deviation(&c));
        const bool exact = fabs(deviation(&e)) < LIMIT && fabs(deviation(&c)) < LIMIT;
        if (exact == (g == SWEEP_CONTROL))
            status = complain(STATUS_FAILED, "%s: e and C are %s", names[g],
                              exact ? "exact: the control is not found out" : "not the exact ones");
    }
    return status;
}

/* --- kernels against twins --- */

/* Two steps of both, from the same seed; two blocks share five replicas. */
static exit_status check_kernel(sweep_generator generator, uint32_t edge) {
    const sweep_task task = task_of(edge, 5, 2);
    const size_t bytes = (size_t)task.replicas * edge * edge;
    int8_t *const spins[2] = {malloc(bytes), malloc(bytes)};
    int32_t bonds[2][5] = {{0}};
    double seconds;
    int status = spins[0] && spins[1] ? 0 : -1;
    snprintf(reason, sizeof reason, "not enough memory");
    for (int on_gpu = 0; on_gpu < 2 && !status; on_gpu++) {
        sweep_population *const p = sweep_create(generator, on_gpu, &task, reason, sizeof reason);
        status = p ? 0 : -1;
        for (uint32_t sweeps = 3; sweeps < 5 && !status; sweeps++)
            status = sweep_step(p, sweeps, bonds[on_gpu], &seconds, reason, sizeof reason);
        if (!status)
            status = sweep_spins(p, spins[on_gpu], reason, sizeof reason);
        sweep_destroy(p);
    }
    if (!status && (memcmp(spins[0], spins[1], bytes) != 0 ||
                    memcmp(bonds[0], bonds[1], sizeof *bonds) != 0)) {
        snprintf(reason, sizeof reason, "L = %" PRIu32 ": other spins than the twin", edge);
        status = -1;
    }
    free(spins[0]);
    free(spins[1]);
    return status ? complain(STATUS_FAILED, "%s: %s", names[generator], reason) : STATUS_OK;
}

/* --- times --- */

/* A row: t_SF of a step, the median, least and largest of several. */
static exit_status time_kernel(sweep_generator generator, uint32_t edge, uint32_t replicas,
                               uint32_t sweeps) {
    const sweep_task task = task_of(edge, replicas, 0);
    const double flips = (double)edge * edge * replicas * sweeps;
    sweep_population *const p = sweep_create(generator, true, &task, reason, sizeof reason);
    int32_t *const bonds = malloc(replicas * sizeof *bonds);
    double ps[ROUNDS], seconds;
    int status = p && bonds ? 0 : -1;
    for (int round = -1; round < ROUNDS && !status; round++) { /* the first one warms up */
        status = sweep_step(p, sweeps, bonds, &seconds, reason, sizeof reason);
        if (round >= 0)
            ps[round] = 1e12 * seconds / flips;
    }
    free(bonds);
    sweep_destroy(p);
    if (status)
        return complain(STATUS_FAILED, "%s: %s", names[generator], reason);
    const double middle = median(ps); /* which sorts them */
    printf("%-11s %11.4g %4" PRIu32 " %6" PRIu32 " %5" PRIu32 " %9.4g %9.4g %9.4g\n",
           names[generator], sweep_state_bytes(generator), edge, replicas, sweeps, middle, ps[0],
           ps[ROUNDS - 1]);
    return STATUS_OK;
}

/* The parameters of the paper's peak performance, Table 2, and of its default run. */
static exit_status time_kernels(void) {
    static const uint32_t points[][3] = {{64, 50000, 500}, {128, 50000, 500}, {64, 20000, 100}};
    exit_status status = STATUS_OK;
    printf("# medians of %d steps without resampling\n"
           "# generator bytes/thread    L      R theta   t_SF/ps    min/ps    max/ps\n",
           ROUNDS);
    for (size_t n = 0; n < sizeof points / sizeof *points && !status; n++)
        for (sweep_generator g = 0; g < SWEEP_CONTROL && !status; g++)
            status = time_kernel(g, points[n][0], points[n][1], points[n][2]);
    return status;
}

static exit_status check_twins(void) {
    const sweep_task task = task_of(32, 32, 4);
    return check_energies(false, &task, 200, 40, 10);
}

static exit_status use_gpu(int number, bool timed) {
    char name[300];
    if (sweep_open(number, name, reason, sizeof reason)) {
        printf("SKIP kernels: %s\n", reason);
        skipped++;
        return STATUS_OK;
    }
    for (sweep_generator g = 0; g < SWEEP_GENERATORS; g++)
        for (uint32_t edge = 32; edge <= 128; edge *= 2)
            if (check_kernel(g, edge))
                return STATUS_FAILED;
    printf("# device: %s, commit %s\n"
           "# spins of all kernels are those of their twins, L = 32, 64, 128\n",
           name, commit_name());
    const sweep_task task = task_of(64, 32768, 0);
    if (check_energies(true, &task, 2000, 200, 20))
        return STATUS_FAILED;
    return timed ? time_kernels() : STATUS_OK;
}

#else

static exit_status check_twins(void) {
    printf("SKIP twins: the program was made without CUDA, which has cuRAND\n");
    skipped++;
    return STATUS_OK;
}

static exit_status use_gpu(int number, bool timed) {
    (void)number, (void)timed;
    printf("SKIP kernels: the program was made without CUDA\n");
    skipped++;
    return STATUS_OK;
}

#endif

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    const bool check = argc == 2 && strcmp(argv[1], "check") == 0;
    char *end = NULL;
    const long number = argc == 2 && !check ? strtol(argv[1], &end, 10) : 0;
    if (argc > 2 || (end && (end == argv[1] || *end != '\0' || number < 0 || number > 1000)))
        return complain(STATUS_REFUSED, "the number of a GPU, or check");
    const int failed = (check_twins() != STATUS_OK) + (use_gpu((int)number, !check) != STATUS_OK);
    if (check)
        printf("%d passed, %d failed, %d skipped\n", 2 - failed - skipped, failed, skipped);
    return failed ? STATUS_FAILED : STATUS_OK;
}
