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
#define SPEED_ROUNDS  10000
#define SPEED_RUNS    5
#define SEQUENCES                                                                                  \
    (132 * SEQUENCE_BLOCK) /* lattices in sequence on a GPU: a block each of its multiprocessors */
#define SEQUENCE_WARM 600  /* sweeps: each makes few, and a mean over many is precise */
#define LATTICES      TILES_ON_GPU /* at most, with seeds in succession */

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
    "       rng_tiles speed                           1e9 numbers and 1e9 flips a second on the "
    "GPU\n"
    "Lattices advance side by side, of SEED and the seeds after it: 16 on a GPU, four in sequence, "
    "one on\n"
    "tiles on the CPU. In sequence on a GPU 12672 do, each with a line at the end, and SECONDS has "
    "their\n"
    "600 sweeps before.\n"
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

/* A line for each lattice; energy[count][lattices]. */
static void print_bins(const tile_setup *s, const char *device, uint32_t lattices,
                       const int64_t *energy, uint32_t count) {
    const int64_t origin = exact_energy();
    for (uint32_t k = 0; k < lattices; k++) {
        int64_t sum = 0, squares = 0;
        for (uint32_t n = 0; n < count; n++) {
            const int64_t d = energy[(size_t)n * lattices + k] - origin;
            sum += d;
            squares += d * d;
        }
        printf("%s %u %s %llu %u %lld %lld\n", generators[s->generator].name, s->hits, device,
               (unsigned long long)s->seed + k, count, (long long)sum, (long long)squares);
    }
    fflush(stdout); /* who ends the process loses one bin */
}

/* Lattices at work: LATTICES on a GPU; without one (gpu: NULL) TILES_SIDE_BY_SIDE in sequence, and one on tiles. */
typedef struct {
    uint32_t count;
    tile_lattice lattices[LATTICES];
    tile_gpu *gpu;
} bench;

static int bench_open(bench *b, const tile_setup *s, bool on_gpu, char *reason, size_t size) {
    *b = (bench){.count = on_gpu ? LATTICES : s->hits == 0 ? TILES_SIDE_BY_SIDE : 1};
    snprintf(reason, size, "not enough memory");
    for (uint32_t n = 0; n < b->count; n++) {
        tile_setup of_lattice = *s;
        of_lattice.seed += n;
        if (tiles_create(&b->lattices[n], &of_lattice))
            return -1;
    }
    return on_gpu ? tile_gpu_open(&b->gpu, b->lattices, b->count, reason, size) : 0;
}

static void bench_close(bench *b) {
    tile_gpu_close(b->gpu);
    for (uint32_t n = 0; n < b->count; n++)
        tiles_destroy(&b->lattices[n]);
}

static int advance(bench *b, uint32_t steps, int64_t *energy, char *reason, size_t size) {
    if (b->gpu)
        return tile_gpu_advance(b->gpu, steps, energy, reason, size);
    tiles_advance(b->lattices, b->count, steps, energy);
    return 0;
}

static exit_status ising(const tile_setup *s, uint32_t steps, bool on_gpu, double seconds) {
    const uint32_t warm = EQUILIBRATION / (s->hits ? s->hits : 1) + 1;
    bench b;
    char reason[300];
    int64_t *const energy = calloc(LATTICES * (steps > warm ? steps : warm), sizeof *energy);
    int failed = bench_open(&b, s, on_gpu, reason, sizeof reason) || !energy ||
                 advance(&b, warm, energy, reason, sizeof reason);
    const double start = clock_seconds();
    while (!failed && clock_seconds() - start < seconds) {
        failed = advance(&b, steps, energy, reason, sizeof reason);
        if (!failed)
            print_bins(s, on_gpu ? "gpu" : "cpu", b.count, energy, steps);
    }
    bench_close(&b);
    free(energy);
    return failed ? complain(STATUS_FAILED, "%s: %s", generators[s->generator].name, reason)
                  : STATUS_OK;
}

/* --- ising, in sequence on a GPU --- */

/* Sums of D and D^2 of lattices in sequence. */
typedef struct {
    int64_t sum[SEQUENCES], squares[SEQUENCES];
} sequence_sums;

static bool has_sequence(generator_id n) {
    return n == GENERATOR_LCG32_SKIPPED || n == GENERATOR_LCG64_SKIPPED ||
           n == GENERATOR_FIBONACCI_521;
}

/* Adds batches of `steps` steps until the clock says `end`; returns all steps, or 0 with the reason. */
static uint32_t add_sequences(sequence_gpu *g, uint32_t steps, double end, sequence_sums *all,
                              char *reason, size_t size) {
    static sequence_sums now;
    uint32_t done = 0;
    do {
        if (sequence_gpu_advance(g, steps, now.sum, now.squares, reason, size))
            return 0;
        done += steps;
        for (uint32_t n = 0; n < SEQUENCES; n++) {
            all->sum[n] += now.sum[n];
            all->squares[n] += now.squares[n];
        }
    } while (clock_seconds() < end);
    return done;
}

/* A line a lattice, at the end: a bin of all its steps. */
static exit_status ising_in_sequence(const tile_setup *s, uint32_t steps, double seconds) {
    static sequence_sums all;
    const double end = clock_seconds() + seconds;
    char reason[300];
    sequence_gpu *g;
    const int failed =
        sequence_gpu_open(&g, s, SEQUENCES, exact_energy(), reason, sizeof reason) ||
        sequence_gpu_advance(g, SEQUENCE_WARM, all.sum, all.squares, reason, sizeof reason);
    all = (sequence_sums){0};
    const uint32_t done = failed ? 0 : add_sequences(g, steps, end, &all, reason, sizeof reason);
    sequence_gpu_close(g);
    if (done == 0)
        return complain(STATUS_FAILED, "%s: %s", generators[s->generator].name, reason);
    for (uint32_t n = 0; n < SEQUENCES; n++)
        printf("%s 0 gpu %llu %u %lld %lld\n", generators[s->generator].name,
               (unsigned long long)s->seed + n, done, (long long)all.sum[n],
               (long long)all.squares[n]);
    return STATUS_OK;
}

/* --- same --- */

/* Whether the sums of numbers of a lattice's threads are those of the GPU. */
static bool same_sums(tile_lattice *l, const uint32_t theirs[]) {
    uint32_t numbers[GENERATOR_BLOCK], ours[SAME_SIZE * SAME_SIZE] = {0};
    for (uint32_t b = 0; b < l->blocks; b++)
        for (uint32_t n = 0; n < SUM_ROUNDS; n++) {
            generators[l->setup.generator].draw(l->states + b * l->words, GENERATOR_BLOCK, numbers);
            for (uint32_t t = 0; t < GENERATOR_BLOCK; t++)
                ours[b * GENERATOR_BLOCK + t] += numbers[t];
        }
    return memcmp(ours, theirs, l->blocks * GENERATOR_BLOCK * sizeof *ours) == 0;
}

/* Whether the GPU makes of a lattice, number n of all, what the CPU does: energies, spins and states; and the same sums. */
static bool same_lattice(tile_lattice *cpu, const tile_lattice *copy, uint32_t n,
                         int64_t energy[SAME_STEPS][LATTICES], const uint32_t sum[]) {
    int64_t ours[SAME_STEPS];
    bool same = true;
    tiles_advance(cpu, 1, SAME_STEPS, ours);
    for (uint32_t k = 0; k < SAME_STEPS; k++)
        same = same && ours[k] == energy[k][n];
    return same && memcmp(cpu->spins, copy->spins, (size_t)SAME_SIZE * SAME_SIZE) == 0 &&
           memcmp(cpu->states, copy->states, cpu->blocks * cpu->words * sizeof *cpu->states) == 0 &&
           same_sums(cpu, sum + (size_t)n * cpu->blocks * GENERATOR_BLOCK);
}

static int same_of(generator_id id, uint32_t hits, char *reason, size_t size) {
    static uint32_t sum[LATTICES * SAME_SIZE * SAME_SIZE];
    int64_t energy[SAME_STEPS][LATTICES];
    double seconds;
    bench cpu, gpu;
    const tile_setup s = setup_of(id, SAME_SIZE, hits, 1);
    int failed = bench_open(&gpu, &s, true, reason, size);
    for (cpu.count = 0; cpu.count < LATTICES && !failed; cpu.count++)
        failed = tiles_create(&cpu.lattices[cpu.count], &gpu.lattices[cpu.count].setup);
    cpu.gpu = NULL;
    failed = failed || tile_gpu_advance(gpu.gpu, SAME_STEPS, *energy, reason, size) ||
             tile_gpu_read(gpu.gpu, gpu.lattices, reason, size) ||
             tile_gpu_sum(gpu.gpu, SUM_ROUNDS, sum, &seconds, reason, size);
    for (uint32_t n = 0; n < LATTICES && !failed; n++)
        if (!same_lattice(&cpu.lattices[n], &gpu.lattices[n], n, energy, sum)) {
            snprintf(reason, size, "CPU and GPU differ in lattice %u", n);
            failed = -1;
        }
    bench_close(&cpu);
    bench_close(&gpu);
    return failed;
}

/* Whether the GPU's lattices in sequence have the energies of tiles_advance. */
static int same_sequences(generator_id id, char *reason, size_t size) {
    int64_t sum[SEQUENCE_BLOCK], squares[SEQUENCE_BLOCK], energy[SAME_STEPS];
    tile_setup s = setup_of(id, SAME_SIZE, 0, 1);
    sequence_gpu *g;
    int failed = sequence_gpu_open(&g, &s, SEQUENCE_BLOCK, 0, reason, size) ||
                 sequence_gpu_advance(g, SAME_STEPS, sum, squares, reason, size);
    for (uint32_t n = 0; n < SEQUENCE_BLOCK && !failed; n++, s.seed++) {
        tile_lattice l;
        failed = tiles_create(&l, &s);
        if (!failed)
            tiles_advance(&l, 1, SAME_STEPS, energy);
        for (uint32_t k = 0; k < SAME_STEPS && !failed; k++) {
            sum[n] -= energy[k];
            squares[n] -= energy[k] * energy[k];
        }
        tiles_destroy(&l);
        if (!failed && (sum[n] || squares[n])) {
            snprintf(reason, size, "CPU and GPU differ in sequence in lattice %u", n);
            failed = -1;
        }
    }
    sequence_gpu_close(g);
    return failed;
}

static exit_status same(void) {
    exit_status status = STATUS_OK;
    for (generator_id n = 0; n < GENERATOR_EXTERNAL; n++) {
        char reason[300];
        if (!is_there(n))
            printf("# %s: SKIP, built without the CUDA toolkit\n", generators[n].name);
        else if (same_of(n, 1, reason, sizeof reason) || same_of(n, 3, reason, sizeof reason) ||
                 (has_sequence(n) && same_sequences(n, reason, sizeof reason)))
            status = complain(STATUS_FAILED, "%s: %s", generators[n].name, reason);
        else
            printf("%s: the same\n", generators[n].name);
    }
    return status;
}

/* --- speed --- */

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1e9 numbers a second: the median of some runs, and their spread in %. The first run is not counted. */
static int number_rate(bench *b, double *median, double *spread, char *reason, size_t size) {
    const size_t threads = (size_t)b->count * b->lattices->blocks * GENERATOR_BLOCK;
    uint32_t *const sum = malloc(threads * sizeof *sum);
    double seconds, rate[SPEED_RUNS];
    int failed = sum ? 0 : -1;
    for (int run = -1; run < SPEED_RUNS && !failed; run++) {
        failed = tile_gpu_sum(b->gpu, SPEED_ROUNDS, sum, &seconds, reason, size);
        if (!failed && run >= 0)
            rate[run] = 1e-9 * (double)threads * SPEED_ROUNDS / seconds;
    }
    free(sum);
    if (failed)
        return failed;
    qsort(rate, SPEED_RUNS, sizeof *rate, compare_doubles);
    *median = rate[SPEED_RUNS / 2];
    *spread = 100 * (rate[SPEED_RUNS - 1] - rate[0]) / *median;
    return 0;
}

/* 1e9 flips a second, with the energy after every step. */
static int flip_rate(bench *b, uint32_t steps, double *rate, char *reason, size_t size) {
    int64_t *const energy = malloc(LATTICES * steps * sizeof *energy);
    int failed = energy ? advance(b, steps, energy, reason, size) : -1;
    const double start = clock_seconds();
    failed = failed || advance(b, steps, energy, reason, size);
    *rate =
        1e-9 * steps * b->lattices->setup.hits * b->count * SIZE * SIZE / (clock_seconds() - start);
    free(energy);
    return failed;
}

static exit_status speed_of(generator_id n) {
    static const uint32_t hits[] = {1, 100}, steps[] = {4000, 100};
    char reason[300];
    double numbers = 0, spread = 0, flips[2];
    int failed = 0;
    for (int k = 0; k < 2 && !failed; k++) {
        const tile_setup s = setup_of(n, SIZE, hits[k], 1);
        bench b;
        failed = bench_open(&b, &s, true, reason, sizeof reason) ||
                 (k == 0 && number_rate(&b, &numbers, &spread, reason, sizeof reason)) ||
                 flip_rate(&b, steps[k], &flips[k], reason, sizeof reason);
        bench_close(&b);
    }
    if (failed)
        return complain(STATUS_FAILED, "%s: %s", generators[n].name, reason);
    printf("%s %.4g %.4g %.2f %.4g %.4g\n", generators[n].name, generators[n].bits, numbers, spread,
           flips[0], flips[1]);
    fflush(stdout);
    return STATUS_OK;
}

static exit_status speed(void) {
    exit_status status = STATUS_OK;
    printf("# generator, bits of state a thread, 1e9 numbers a second (median of %d runs), spread "
           "in %%,\n# 1e9 flips a second with 1 and with 100 sweeps of a tile a step\n",
           SPEED_RUNS);
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

int tile_gpu_open(tile_gpu **gpu, const tile_lattice lattices[], uint32_t count, char *reason,
                  size_t size) {
    (void)gpu, (void)lattices, (void)count;
    return without(reason, size);
}

int tile_gpu_advance(tile_gpu *gpu, uint32_t steps, int64_t energy[], char *reason, size_t size) {
    (void)gpu, (void)steps, (void)energy;
    return without(reason, size);
}

int tile_gpu_read(tile_gpu *gpu, tile_lattice lattices[], char *reason, size_t size) {
    (void)gpu, (void)lattices;
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

int sequence_gpu_open(sequence_gpu **gpu, const tile_setup *s, uint32_t count, int64_t origin,
                      char *reason, size_t size) {
    (void)s, (void)count, (void)origin;
    *gpu = NULL;
    return without(reason, size);
}

int sequence_gpu_advance(sequence_gpu *gpu, uint32_t steps, int64_t sum[], int64_t squares[],
                         char *reason, size_t size) {
    (void)gpu, (void)steps, (void)sum, (void)squares;
    return without(reason, size);
}

void sequence_gpu_close(sequence_gpu *gpu) {
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
    if (on_gpu && (n == GENERATOR_EXTERNAL || (hits == 0 && !has_sequence(n))))
        return complain(STATUS_REFUSED, "external: on the CPU only; in sequence on a GPU: "
                                        "lcg32-skipped, lcg64-skipped, fibonacci-521");
    const tile_setup s = setup_of(n, SIZE, (uint32_t)hits, (uint64_t)seed);
    if (on_gpu && hits == 0)
        return ising_in_sequence(&s, (uint32_t)steps, (double)seconds);
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
