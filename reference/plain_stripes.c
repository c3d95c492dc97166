/* Canonical simulation of lattices that are cut into stripes, which multi-spin coding puts into the lanes of a word: so a single
 * lattice is simulated at the speed of 32. Read plain.c and plain_msc.h before: sweep_words has the stripes.
 *
 * R lattices are kept at one inverse temperature. A step is theta sweeps of each and a measurement: means over the lattices. The first
 * steps are thermalisation, and are not printed. This program prints, byte for byte, the rows of MC_series.dat that `paising --method
 * canonical --stripes K` writes: step beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_stripes plain_stripes.c -lm
 *     ./plain_stripes -L 64 -R 8 -K 4 -t 1 -b 0.44 -w 100 -n 1000 -s 2017 -P 11 */
#define main         plain_main
#define read_options plain_options
#include "plain.c"
#undef main
#undef read_options

/* Reads "-X number" to value['X'], and an update as 0 or 1. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "u:L:R:K:t:b:w:n:s:P:")) != -1;)
        if (letter == 'u' && (!strcmp(optarg, "metropolis") || !strcmp(optarg, "heat-bath")))
            value['u'] = !strcmp(optarg, "heat-bath");
        else if (letter == '?' || letter == 'u' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['K'], 1, 32) && LANES % (int)value['K'] == 0 &&
           whole(value['L'] / 16 / value['K'], 1, 8192) && whole(value['R'], 1, 1e9) &&
           whole(value['R'] * value['K'] / LANES, 1, 1e9) && whole(value['t'], 1, UINT32_MAX) &&
           value['b'] >= 0 && value['b'] <= 1000 && whole(value['w'], 0, 1e8) &&
           whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) && whole(value['P'], 1, 17);
}

/* Prints the means over R lattices as a row. */
static void print_means(uint32_t L, int8_t *spins, uint64_t R, uint32_t step, double beta,
                        int digits) {
    const double N = (double)L * L;
    double row[7] = {step, beta};
    for (uint64_t j = 0; j < R; j++) {
        int64_t E, M;
        measure_lattice(L, (void *)(spins + j * L * L), &E, &M);
        const double e = (double)E / N, m = (double)M / N;
        const double powers[] = {e, e * e, fabs(m), m * m, m * m * m * m};
        for (int n = 0; n < 5; n++)
            row[2 + n] += powers[n];
    }
    for (int n = 0; n < 7; n++) {
        const double x = n < 2 ? row[n] : row[n] / (double)R;
        printf("%.*g%c", x == rint(x) ? 17 : digits, x + 0.0, n < 6 ? ' ' : '\n');
    }
}

int main(int argc, char **argv) {
    double value[128] = {['L'] = 64,  ['R'] = 8,    ['K'] = 4,    ['t'] = 1, ['b'] = 0.44,
                         ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_stripes [-u metropolis|heat-bath] [-L edge, 16 K n] [-R lattices, R K = 32 "
        "n] "
        "[-K stripes] [-t sweeps] [-b beta] [-w steps not measured] [-n steps measured] [-s seed] "
        "[-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const uint32_t L = (uint32_t)value['L'], stripes = (uint32_t)value['K'],
                   before = (uint32_t)value['w'], measured = (uint32_t)value['n'];
    const uint64_t R = (uint64_t)value['R'];
    const flip_rule rule = {value['u'] > 0, value['b']};
    const four_numbers random = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const uint64_t key = (uint64_t)random.r[1] << 32 | random.r[0];
    int8_t *const spins = malloc(R * L * L);
    if (!spins)
        errx(2, "not enough memory");
    printf("# step beta e e2 |m| m2 m4\n");
    randomise_words(L, stripes, spins, R, key);
    for (uint32_t step = 1; step <= before + measured; step++) {
        sweep_words(L, stripes, spins, R, rule, (uint32_t)value['t'], key, step);
        if (step > before)
            print_means(L, spins, R, step - before, value['b'], (int)value['P']);
    }
    free(spins);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
