/* build/rng_tiles: the generators of Table 2 in the Ising test of the double checkerboard, on the CPU and on a GPU with the
 * same bits, and how many numbers a GPU draws a second. */
#include "base/clock.h"
#include "base/message.h"
#include "base/usage.h"
#include "engine/engine.h"
#include "reference/exact.h"
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETA          0.4
#define SIZE          1024 /* L of the Ising test, and for how many threads speed is measured */
#define EQUILIBRATION 400  /* sweeps from random spins; the energy forgets within some ten */
#define SAME_SIZE     64   /* L of the comparison of CPU and GPU */
#define SAME_STEPS    5
#define SUM_ROUNDS    200 /* numbers a thread, compared */
#define SPEED_ROUNDS  40000
#define SPEED_RUNS    5

static const char usage[] =
    "usage: rng_tiles list                            the generators: name, bits of state a "
    "thread, "
    "title\n"
    "       rng_tiles ising GENERATOR HITS STEPS SEED cpu|gpu SECONDS\n"
    "                                                 bins of STEPS steps, until SECONDS are over; "
    "a "
    "step is HITS\n"
    "                                                 sweeps of every tile, or with 0 a sweep in "
    "sequence\n"
    "       rng_tiles same                            CPU and GPU draw the same numbers, and make "
    "the same\n"
    "                                                 spins\n"
    "       rng_tiles speed                           1e9 numbers a second on the GPU\n"
    "ising prints a line a bin: generator, hits, device, seed, steps of the bin, the sums of D and "
    "of D^2,\n"
    "D = E - E0 of a step, E0 the integer nearest to the exact mean energy of the L = 1024 "
    "lattice.\n";

static tile_setup setup_of(generator_id id, uint32_t size, uint32_t hits, uint64_t seed) {
    const spin_model model = square_model(size);
    const flip_rule rule = flip_rule_at(&metropolis_update, &model, BETA);
    return (tile_setup){id, size, hits, {rule.threshold[0], rule.threshold[1]}, seed};
}

static bool is_there(generator_id n) {
    return n != GENERATOR_MTGP32 || mtgp32_sets() > 0;
}

/* --- ising --- */

static int64_t exact_energy(void) {
    return llround(exact_thermodynamics(SIZE, BETA).e * SIZE * SIZE);
}

static void print_bin(const tile_setup *s, const char *device, const int64_t *energy,
                      uint32_t count) {
    const int64_t origin = exact_energy();
    int64_t sum = 0, squares = 0;
    for (uint32_t n = 0; n < count; n++) {
        const int64_t d = energy[n] - origin;
        sum += d;
        squares += d * d;
    }
    printf("%s %u %s %llu %u %lld %lld\n", generators[s->generator].name, s->hits, device,
           (unsigned long long)s->seed, count, (long long)sum, (long long)squares);
    fflush(stdout); /* who ends the process loses one bin */
}

static int advance(tile_lattice *l, tile_gpu *gpu, uint32_t steps, int64_t *energy, char *reason,
                   size_t size) {
    if (gpu)
        return tile_gpu_advance(gpu, steps, energy, reason, size);
    tiles_advance(l, steps, energy);
    return 0;
}

static exit_status ising(const tile_setup *s, uint32_t steps, bool on_gpu, double seconds) {
    const uint32_t warm = EQUILIBRATION / (s->hits ? s->hits : 1) + 1;
    tile_lattice l;
    tile_gpu *gpu = NULL;
    char reason[300] = "not enough memory";
    int64_t *const energy = malloc((steps > warm ? steps : warm) * sizeof *energy);
    int failed = tiles_create(&l, s) || !energy ||
                 (on_gpu && tile_gpu_open(&gpu, &l, reason, sizeof reason)) ||
                 advance(&l, gpu, warm, energy, reason, sizeof reason);
    const double start = clock_seconds();
    while (!failed && clock_seconds() - start < seconds) {
        failed = advance(&l, gpu, steps, energy, reason, sizeof reason);
        if (!failed)
            print_bin(s, on_gpu ? "gpu" : "cpu", energy, steps);
    }
    tile_gpu_close(gpu);
    tiles_destroy(&l);
    free(energy);
    return failed ? complain(STATUS_FAILED, "%s: %s", generators[s->generator].name, reason)
                  : STATUS_OK;
}

/* --- same --- */

/* Whether the GPU makes of a lattice what the CPU does: energies, spins and states; and the same sums of numbers. */
static bool same_steps(tile_lattice *cpu, tile_lattice *copy, tile_gpu *gpu, char *reason,
                       size_t size) {
    const size_t sites = (size_t)SAME_SIZE * SAME_SIZE;
    int64_t ours[SAME_STEPS], theirs[SAME_STEPS];
    uint32_t numbers[GENERATOR_BLOCK], ours_sum[SAME_SIZE * SAME_SIZE] = {0},
                                                            theirs_sum[SAME_SIZE * SAME_SIZE];
    double seconds;
    tiles_advance(cpu, SAME_STEPS, ours);
    if (tile_gpu_advance(gpu, SAME_STEPS, theirs, reason, size) ||
        tile_gpu_read(gpu, copy, reason, size) ||
        tile_gpu_sum(gpu, SUM_ROUNDS, theirs_sum, &seconds, reason, size))
        return false;
    if (memcmp(ours, theirs, sizeof ours) != 0 || memcmp(cpu->spins, copy->spins, sites) != 0 ||
        memcmp(cpu->states, copy->states, cpu->blocks * cpu->words * sizeof *cpu->states) != 0) {
        snprintf(reason, size, "CPU and GPU differ");
        return false;
    }
    for (uint32_t b = 0; b < cpu->blocks; b++)
        for (uint32_t n = 0; n < SUM_ROUNDS; n++) {
            generators[cpu->setup.generator].draw(cpu->states + b * cpu->words, GENERATOR_BLOCK,
                                                  numbers);
            for (uint32_t t = 0; t < GENERATOR_BLOCK; t++)
                ours_sum[b * GENERATOR_BLOCK + t] += numbers[t];
        }
    if (memcmp(ours_sum, theirs_sum, cpu->blocks * GENERATOR_BLOCK * sizeof *ours_sum) == 0)
        return true;
    snprintf(reason, size, "the sums of CPU and GPU differ");
    return false;
}

static exit_status same(void) {
    exit_status status = STATUS_OK;
    for (generator_id n = 0; n < GENERATOR_EXTERNAL; n++) {
        if (!is_there(n)) {
            printf("# %s: SKIP, built without the CUDA toolkit\n", generators[n].name);
            continue;
        }
        const tile_setup s = setup_of(n, SAME_SIZE, 3, 1);
        char reason[300] = "not enough memory";
        tile_lattice cpu, copy = {0};
        tile_gpu *gpu = NULL;
        const bool good = tiles_create(&cpu, &s) == 0 && tiles_create(&copy, &s) == 0 &&
                          tile_gpu_open(&gpu, &cpu, reason, sizeof reason) == 0 &&
                          same_steps(&cpu, &copy, gpu, reason, sizeof reason);
        if (good)
            printf("%s: the same\n", generators[n].name);
        else
            status = complain(STATUS_FAILED, "%s: %s", generators[n].name, reason);
        tile_gpu_close(gpu);
        tiles_destroy(&cpu);
        tiles_destroy(&copy);
    }
    return status;
}

/* --- speed --- */

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static exit_status speed_of(generator_id n) {
    const tile_setup s = setup_of(n, SIZE, 1, 1);
    char reason[300] = "not enough memory";
    tile_lattice l;
    tile_gpu *gpu = NULL;
    double seconds, rate[SPEED_RUNS];
    int failed = tiles_create(&l, &s);
    const size_t threads = (size_t)l.blocks * GENERATOR_BLOCK;
    uint32_t *const sum = failed ? NULL : malloc(threads * sizeof *sum);
    failed = failed || !sum || tile_gpu_open(&gpu, &l, reason, sizeof reason);
    /* The first run is not counted. */
    for (int run = -1; run < SPEED_RUNS && !failed; run++) {
        failed = tile_gpu_sum(gpu, SPEED_ROUNDS, sum, &seconds, reason, sizeof reason);
        if (!failed && run >= 0)
            rate[run] = 1e-9 * (double)threads * SPEED_ROUNDS / seconds;
    }
    tile_gpu_close(gpu);
    tiles_destroy(&l);
    free(sum);
    if (failed)
        return complain(STATUS_FAILED, "%s: %s", generators[n].name, reason);
    qsort(rate, SPEED_RUNS, sizeof *rate, compare_doubles);
    printf("%s %.4g %.2f\n", generators[n].name, rate[SPEED_RUNS / 2],
           100 * (rate[SPEED_RUNS - 1] - rate[0]) / rate[SPEED_RUNS / 2]);
    return STATUS_OK;
}

static exit_status speed(void) {
    exit_status status = STATUS_OK;
    printf("# generator, 1e9 numbers a second (median of %d runs), spread in %%\n", SPEED_RUNS);
    for (generator_id n = 0; n < GENERATOR_EXTERNAL && !status; n++)
        if (is_there(n))
            status = speed_of(n);
    return status;
}

/* --- The command line --- */

#ifndef PAISING_CUDA

static int without(char *reason, size_t size) {
    snprintf(reason, size, "this program was built without CUDA");
    return -1;
}

int tile_gpu_open(tile_gpu **gpu, const tile_lattice *l, char *reason, size_t size) {
    (void)gpu, (void)l;
    return without(reason, size);
}

int tile_gpu_advance(tile_gpu *gpu, uint32_t steps, int64_t energy[], char *reason, size_t size) {
    (void)gpu, (void)steps, (void)energy;
    return without(reason, size);
}

int tile_gpu_read(tile_gpu *gpu, tile_lattice *l, char *reason, size_t size) {
    (void)gpu, (void)l;
    return without(reason, size);
}

int tile_gpu_sum(tile_gpu *gpu, uint32_t rounds, uint32_t sum[], double *seconds, char *reason,
                 size_t size) {
    (void)gpu, (void)rounds, (void)sum, (void)seconds;
    return without(reason, size);
}

void tile_gpu_close(tile_gpu *gpu) {
    (void)gpu;
}

#endif

static void list(void) {
    for (generator_id n = 0; n < GENERATORS; n++)
        if (is_there(n))
            printf("%s %.4g %s\n", generators[n].name, generators[n].bits, generators[n].title);
}

/* A number from first to last; -1: something else. */
static int64_t number_of(const char *text, int64_t first, int64_t last) {
    char *end;
    const long long n = strtoll(text, &end, 10);
    return *text == '\0' || *end != '\0' || n < first || n > last ? -1 : n;
}

static exit_status command_ising(char **words) {
    generator_id n = 0;
    while (n < GENERATORS && strcmp(words[0], generators[n].name) != 0)
        n++;
    if (n == GENERATORS || !is_there(n))
        return complain(STATUS_REFUSED, "generator '%s': not one of rng_tiles list", words[0]);
    const int64_t hits = number_of(words[1], 0, 1000), steps = number_of(words[2], 1, 10000000),
                  seed = number_of(words[3], 0, INT64_MAX),
                  seconds = number_of(words[5], 1, 1000000);
    if (hits < 0 || steps < 0 || seed < 0 || seconds < 0)
        return complain(STATUS_REFUSED,
                        "HITS from 0 to 1000, STEPS to 1e7, SEED from 0, SECONDS to 1e6");
    const bool on_gpu = strcmp(words[4], "gpu") == 0;
    if (!on_gpu && strcmp(words[4], "cpu") != 0)
        return complain(STATUS_REFUSED, "device '%s': cpu or gpu", words[4]);
    if (on_gpu && (hits == 0 || n == GENERATOR_EXTERNAL))
        return complain(STATUS_REFUSED, "sequentially, and external: on the CPU only");
    const tile_setup s = setup_of(n, SIZE, (uint32_t)hits, (uint64_t)seed);
    return ising(&s, (uint32_t)steps, on_gpu, (double)seconds);
}

int main(int argc, char **argv) {
    exit_status status = STATUS_OK;
    usage_show_if_asked(argc, argv, usage);
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        list();
    else if (argc == 2 && strcmp(argv[1], "same") == 0)
        status = same();
    else if (argc == 2 && strcmp(argv[1], "speed") == 0)
        status = speed();
    else if (argc == 8 && strcmp(argv[1], "ising") == 0)
        status = command_ising(argv + 2);
    else
        return complain(STATUS_REFUSED, "allowed: list, ising, same, speed or --help");
    const exit_status closed = close_stdout();
    return (int)(status ? status : closed);
}
