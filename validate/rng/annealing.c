/* build/rng_annealing: population annealing with any generator of the table or with the user's own (-g external), held
 * against the exact energy and free energy of the L = 16 lattice. A replica is a thread with its own numbers: a block of 128
 * replicas visits site after site, a number for each. Resampling is systematic, by numbers of a block of its own. */
#include "base/message.h"
#include "base/usage.h"
#include "engine/engine.h"
#include "generators.h"
#include "reference/exact.h"
#include "validate/lib/statistics.h"

#include <stdlib.h>
#include <string.h>

#define SIZE         16
#define SITES        (SIZE * SIZE)
#define BLOCKS       8
#define REPLICAS     (BLOCKS * GENERATOR_BLOCK)
#define SWEEPS       5 /* at each temperature */
#define TEMPERATURES 20
#define BETA_STEP    0.025 /* to beta = 0.5 */
#define POPULATIONS  20
#define CHECK_EVERY  4 /* temperatures */

static const char usage[] =
    "usage: rng_annealing -g GENERATOR [SEED]    one of rng_tiles list\n"
    "Prints z of the energy and of the free energy at some temperatures, from 20 populations of "
    "1024 "
    "replicas,\n"
    "and a verdict. Status 1: a |z| is larger than chance allows once in 1e6 runs.\n";

typedef int8_t lattice[SITES];

typedef struct {
    const generator *g;
    size_t words;
    uint32_t *states; /* [BLOCKS + 1][words] */
    lattice *spins, *children;
    int energy[REPLICAS];
} population;

static uint32_t *state_of(population *p, uint32_t block) {
    return p->states + block * p->words;
}

/* --- The steps --- */

static void randomise(population *p) {
    uint32_t numbers[GENERATOR_BLOCK];
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t site = 0; site < SITES; site++) {
            p->g->draw(state_of(p, b), GENERATOR_BLOCK, numbers);
            for (uint32_t t = 0; t < GENERATOR_BLOCK; t++)
                p->spins[b * GENERATOR_BLOCK + t][site] = numbers[t] >> 31 ? 1 : -1;
        }
}

static int neighbours(const int8_t *s, uint32_t site) {
    const uint32_t y = site / SIZE, x = site % SIZE;
    return s[(y + 1) % SIZE * SIZE + x] + s[(y + SIZE - 1) % SIZE * SIZE + x] +
           s[y * SIZE + (x + 1) % SIZE] + s[y * SIZE + (x + SIZE - 1) % SIZE];
}

/* Metropolis: site after site of a block's replicas. */
static void sweep(population *p, const uint32_t threshold[2]) {
    uint32_t numbers[GENERATOR_BLOCK];
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t site = 0; site < SITES; site++) {
            p->g->draw(state_of(p, b), GENERATOR_BLOCK, numbers);
            for (uint32_t t = 0; t < GENERATOR_BLOCK; t++) {
                int8_t *const s = p->spins[b * GENERATOR_BLOCK + t];
                const int parallel = s[site] * neighbours(s, site);
                if (parallel <= 0 || numbers[t] < threshold[parallel == 2])
                    s[site] = (int8_t)-s[site];
            }
        }
}

/* Returns the mean energy per site. */
static double measure(population *p) {
    int64_t sum = 0;
    for (uint32_t r = 0; r < REPLICAS; r++) {
        int twice = 0;
        for (uint32_t site = 0; site < SITES; site++)
            twice -= p->spins[r][site] * neighbours(p->spins[r], site);
        p->energy[r] = twice / 2;
        sum += p->energy[r];
    }
    return (double)sum / REPLICAS / SITES;
}

/* Replica r has R w_r / sum w children, rounded by one number for all. Returns ln Q. */
static double resample(population *p) {
    uint32_t numbers[GENERATOR_BLOCK], child = 0;
    double sum = 0, cumulated = 0;
    p->g->draw(state_of(p, BLOCKS), GENERATOR_BLOCK, numbers);
    const double start = numbers[0] * 0x1p-32;
    for (uint32_t r = 0; r < REPLICAS; r++)
        sum += exp(-BETA_STEP * (p->energy[r] + 2 * SITES));
    for (uint32_t r = 0; r < REPLICAS; r++) {
        cumulated += exp(-BETA_STEP * (p->energy[r] + 2 * SITES)) * REPLICAS / sum;
        while (child < REPLICAS && child + start < cumulated)
            memcpy(p->children[child++], p->spins[r], sizeof(lattice));
    }
    while (child < REPLICAS) /* rounding of the sum */
        memcpy(p->children[child++], p->spins[REPLICAS - 1], sizeof(lattice));
    lattice *const old = p->spins;
    p->spins = p->children;
    p->children = old;
    return log(sum / REPLICAS) + BETA_STEP * 2 * SITES;
}

/* --- A population, and the verdict --- */

/* Adds its energies and free energies, beta F per site, to the samples of each temperature. */
static void anneal(population *p, uint64_t seed, sample e[], sample f[]) {
    const spin_model model = square_model(SIZE);
    double ln_z = SITES * log(2);
    for (uint32_t b = 0; b <= BLOCKS; b++)
        p->g->seed(state_of(p, b), GENERATOR_BLOCK, b, BLOCKS + 1, seed);
    randomise(p);
    measure(p);
    for (int n = 1; n <= TEMPERATURES; n++) {
        const flip_rule rule = flip_rule_at(&metropolis_update, &model, n * BETA_STEP);
        ln_z += resample(p);
        for (int k = 0; k < SWEEPS; k++)
            sweep(p, rule.threshold);
        sample_add(&e[n], measure(p));
        sample_add(&f[n], -ln_z / SITES);
    }
}

static exit_status judge(const generator *g, const sample e[], const sample f[]) {
    z_series z = z_begin(g->name, 2 * (TEMPERATURES / CHECK_EVERY));
    printf("# beta e z betaF z\n");
    for (int n = CHECK_EVERY; n <= TEMPERATURES; n += CHECK_EVERY) {
        const exact_result exact = exact_thermodynamics(SIZE, n * BETA_STEP);
        const double z_e = sample_z(&e[n], exact.e), z_f = sample_z(&f[n], exact.beta_f);
        printf("%.3f %.6f %.2f %.6f %.2f\n", n * BETA_STEP, e[n].mean, z_e, f[n].mean, z_f);
        z_add(&z, z_e, "e at beta = %.3f", n * BETA_STEP);
        z_add(&z, z_f, "betaF at beta = %.3f", n * BETA_STEP);
    }
    const bool passed = z_passed(&z);
    printf("%s %s\n", g->name, passed ? "passed" : "FAILED");
    return passed ? STATUS_OK : STATUS_FAILED;
}

static exit_status anneal_populations(const generator *g, uint64_t seed) {
    static population p;
    sample e[TEMPERATURES + 1] = {{0}}, f[TEMPERATURES + 1] = {{0}};
    exit_status status = STATUS_FAILED;
    p = (population){.g = g, .words = generator_words(g, GENERATOR_BLOCK)};
    p.words += p.words % 2;
    p.states = malloc((BLOCKS + 1) * p.words * sizeof *p.states);
    p.spins = malloc(REPLICAS * sizeof *p.spins);
    p.children = malloc(REPLICAS * sizeof *p.children);
    if (p.states && p.spins && p.children) {
        for (uint64_t n = 0; n < POPULATIONS; n++)
            anneal(&p, seed + n, e, f);
        status = judge(g, e, f);
    } else
        complain(status, "not enough memory");
    free(p.states);
    free(p.spins);
    free(p.children);
    return status;
}

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc < 3 || argc > 4 || strcmp(argv[1], "-g") != 0)
        return complain(STATUS_REFUSED, "allowed: -g GENERATOR [SEED], or --help");
    char *end = NULL;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], &end, 10) : 1;
    if (end && (end == argv[3] || *end != '\0'))
        return complain(STATUS_REFUSED, "SEED '%s': a whole number", argv[3]);
    for (generator_id n = 0; n < GENERATORS; n++)
        if (strcmp(argv[2], generators[n].name) == 0 &&
            (n != GENERATOR_MTGP32 || mtgp32_sets() > 0)) {
            const exit_status status = anneal_populations(&generators[n], seed);
            const exit_status closed = close_stdout();
            return (int)(status ? status : closed);
        }
    return complain(STATUS_REFUSED, "generator '%s': not one of rng_tiles list", argv[2]);
}
