/* build/climb: the climb from the simplest kernel to a fast one (climb.h). Checks the twin and each kernel, then times the kernels. */
#include "base/message.h"
#include "base/usage.h"
#include "climb.h"
#include "perf/rounds.h"
#include "reference/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETA_C 0.44068679350977151262 /* ln(1 + sqrt 2) / 2 */

static const char usage[] =
    "usage: build/climb [check | NUMBER [L ...]]\n"
    "The climb of the checkerboard Metropolis update from the simplest CUDA kernel to a fast one, "
    "on\n"
    "GPU NUMBER (default 0), of square lattices of edges L (default 4096 and 8192), multiples of "
    "64.\n"
    "e of the twin on the CPU is compared with the exact energy, and the spins of each kernel "
    "with\n"
    "those of the twin. Then each kernel is timed, unless the word is check. Without a GPU the "
    "twin\n"
    "alone is checked.\n"
    "Status 1: something differs; 2: wrong words.\n";

static climb_lattice lattice_of(uint32_t edge, double beta) {
    return (climb_lattice){
        .edge = edge,
        .threshold = {(uint32_t)(0x1p32 * exp(-8 * beta)), (uint32_t)(0x1p32 * exp(-4 * beta))},
        .key = stream_sample_run_key(2017, 0, 0)};
}

/* --- the twin against the exact energy --- */

enum { SMALL = 32, BLOCKS = 40, EACH = 100, APART = 4 };
#define LARGEST_T 6.0 /* of Student's t with 39 degrees of freedom: a false alarm in 2e6 */

/* Measures e at the critical point, `wrong` times the temperature that it is told. Returns t: the deviation over its error. */
static double deviation(double wrong, double *e) {
    const climb_lattice l = lattice_of(SMALL, BETA_C / wrong);
    static int8_t spins[SMALL * SMALL];
    const double exact = exact_thermodynamics(SMALL, BETA_C).e;
    double sum = 0, squares = 0;
    memset(spins, 1, sizeof spins);
    climb_twin(&l, spins, 0, BLOCKS * EACH / 4);
    uint32_t half = 2 * (BLOCKS * EACH / 4);
    for (int b = 0; b < BLOCKS; b++) {
        double block = 0;
        for (int n = 0; n < EACH; n++, half += 2 * APART) {
            climb_twin(&l, spins, half, APART);
            block -= (double)climb_bonds(spins, SMALL) / (SMALL * SMALL) / EACH;
        }
        sum += block;
        squares += block * block;
    }
    *e = sum / BLOCKS;
    return (*e - exact) / sqrt((squares / BLOCKS - *e * *e) / (BLOCKS - 1));
}

static exit_status check_twin(void) {
    double e, other;
    const double t = deviation(1, &e), control = deviation(1.03, &other);
    printf("# twin: L = %d, e at beta_c %.5f, exact %.5f, t = %.1f; 3%% hotter t = %.1f\n", SMALL,
           e, exact_thermodynamics(SMALL, BETA_C).e, t, control);
    if (!(fabs(t) < LARGEST_T))
        return complain(STATUS_FAILED, "the energy of the twin is not the exact one");
    if (!(fabs(control) > LARGEST_T))
        return complain(STATUS_FAILED, "another temperature is not found out");
    return STATUS_OK;
}

#ifdef PAISING_CUDA

static const char *const names[CLIMB_KERNELS] = {"naive", "split", "crinkled",
                                                 "char",  "four",  "bits"};
static const double bytes[CLIMB_KERNELS] = {8, 8, 8, 2, 2, 0.25}; /* read and written a flip */

/* --- kernels against the twin --- */

static exit_status check_kernel(climb_kind kind, uint32_t edge) {
    const climb_lattice l = lattice_of(edge, BETA_C);
    const size_t sites = (size_t)edge * edge;
    int8_t *const spins = malloc(2 * sites), *const twin = spins + sites;
    char reason[300] = "not enough memory";
    double seconds;
    bool good = spins != NULL;
    for (size_t i = 0; i < sites && good; i++)
        spins[i] = twin[i] = (i * 2654435761u >> 16 & 1) ? 1 : -1;
    good = good && climb_sweep(kind, &l, spins, 6, 20, 1, &seconds, reason, sizeof reason) == 0;
    if (good) {
        climb_twin(&l, twin, 6, 20);
        good = memcmp(spins, twin, sites) == 0;
        snprintf(reason, sizeof reason, "L = %" PRIu32 ": other spins than the twin", edge);
    }
    free(spins);
    return good ? STATUS_OK : complain(STATUS_FAILED, "%s: %s", names[kind], reason);
}

/* --- times --- */

/* The time of a flip in ps: the median of rounds of 0.3 s. NAN after a message. */
static double flip_time(climb_kind kind, uint32_t edge, int8_t *spins) {
    const climb_lattice l = lattice_of(edge, BETA_C);
    const double flips = (double)edge * edge;
    double ps[ROUNDS], seconds;
    char reason[300];
    if (climb_sweep(kind, &l, spins, 0, 10, 1, &seconds, reason, sizeof reason)) {
        complain(STATUS_FAILED, "%s: %s", names[kind], reason);
        return NAN;
    }
    const uint32_t sweeps = 1 + (uint32_t)(0.3 * 10 / seconds);
    if (climb_sweep(kind, &l, spins, 0, sweeps, ROUNDS, ps, reason, sizeof reason)) {
        complain(STATUS_FAILED, "%s: %s", names[kind], reason);
        return NAN;
    }
    for (int round = 0; round < ROUNDS; round++)
        ps[round] *= 1e12 / sweeps / flips;
    return median(ps);
}

static exit_status time_kernels(uint32_t edge) {
    int8_t *const spins = malloc((size_t)edge * edge);
    double first = NAN;
    if (spins == NULL)
        return complain(STATUS_FAILED, "L = %" PRIu32 ": not enough memory", edge);
    memset(spins, 1, (size_t)edge * edge);
    for (climb_kind kind = CLIMB_NAIVE; kind < CLIMB_KERNELS; kind++) {
        const double ps = flip_time(kind, edge, spins);
        first = kind == CLIMB_NAIVE ? ps : first;
        if (isnan(ps))
            break;
        printf("%-10s %6" PRIu32 " %10.4g %10.3g %12.4g\n", names[kind], edge, ps, first / ps,
               1e3 * bytes[kind] / ps);
    }
    free(spins);
    return isnan(first) ? STATUS_FAILED : STATUS_OK;
}

static exit_status climb(int number, const uint32_t edge[], int edges) {
    char name[300], reason[300];
    exit_status status = STATUS_OK;
    if (climb_open(number, name, reason, sizeof reason)) {
        printf("SKIP kernels: %s\n", reason);
        return STATUS_OK;
    }
    for (climb_kind kind = CLIMB_NAIVE; kind < CLIMB_KERNELS; kind++)
        for (uint32_t L = 64; L <= 320 && !status; L += 128)
            status = check_kernel(kind, L);
    if (status)
        return status;
    printf("# device: %s\n# spins of all kernels are those of the twin, L = 64, 192, 320\n", name);
    if (edges > 0)
        printf(
            "# medians of %d rounds; published for the first and an optimised one, L = 4096, on a "
            "GTX Titan Black: 200 and 60 ps\n"
            "# kernel        L    ps/flip  speed-up  1e9 bytes/s\n",
            ROUNDS);
    for (int n = 0; n < edges && !status; n++)
        status = time_kernels(edge[n]);
    return status;
}

#else

static exit_status climb(int number, const uint32_t edge[], int edges) {
    (void)number, (void)edge, (void)edges;
    printf("SKIP kernels: the program was made without CUDA\n");
    return STATUS_OK;
}

#endif

enum { MOST_EDGES = 16 };

/* A whole number up to `most`, or -1. */
static int64_t number_from(const char *text, int64_t most) {
    char *end;
    const long long x = strtoll(text, &end, 10);
    return end == text || *end != '\0' || x < 0 || x > most ? -1 : x;
}

int main(int argc, char **argv) {
    uint32_t edge[MOST_EDGES] = {4096, 8192};
    usage_show_if_asked(argc, argv, usage);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && strcmp(argv[1], "check") == 0) {
        const bool twin = check_twin() == STATUS_OK, kernels = climb(0, edge, 0) == STATUS_OK;
        printf("%d passed, %d failed\n", twin + kernels, 2 - twin - kernels);
        return twin && kernels ? STATUS_OK : STATUS_FAILED;
    }
    const int64_t number = argc > 1 ? number_from(argv[1], 1000) : 0;
    if (number < 0 || argc - 2 > MOST_EDGES)
        return complain(STATUS_REFUSED, "the number of a GPU, and up to %d edges", MOST_EDGES);
    for (int n = 2; n < argc; n++) {
        const int64_t x = number_from(argv[n], 65536);
        if (x <= 0 || x % CLIMB_EDGE != 0)
            return complain(STATUS_REFUSED, "%s: an edge is a multiple of %d, up to 65536", argv[n],
                            CLIMB_EDGE);
        edge[n - 2] = (uint32_t)x;
    }
    if (check_twin())
        return STATUS_FAILED;
    return climb((int)number, edge, argc > 2 ? argc - 2 : 2);
}
