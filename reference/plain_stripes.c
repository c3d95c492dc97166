/* Canonical simulation of lattices that are cut into stripes, which multi-spin coding puts into the lanes of a word: so a single
 * lattice is simulated at the speed of 32. Read plain.c and plain_msc.h before: sweep_words has the stripes.
 *
 * With -T the sites come in tiles, as in plain_visits.c: an update is -k sweeps of each tile, those of tiles with even x / T
 * + y / T first, and with -p the second half of it is the first one backwards. A tile of edge T has T/8 rows of T/2 strips,
 * and strips are numbered tile by tile, those of the first colour before those of the other: their numbers say which random
 * numbers they have, and groups are of strips of one colour. A strip counts its own half sweeps.
 *
 * R lattices are kept at one inverse temperature. A step is theta sweeps of each, at beta = 0 by a heat bath, and a
 * measurement: means over the lattices. The first steps are thermalisation, and are not printed. This program prints, byte
 * for byte, the rows of MC_series.dat that `paising --method canonical --stripes K` writes: step beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_stripes plain_stripes.c -lm
 *     ./plain_stripes -L 64 -R 8 -K 4 -t 1 -b 0.44 -w 100 -n 1000 -s 2017 -P 11
 *     ./plain_stripes -L 64 -R 16 -K 2 -T 16 -k 10 -t 1 -b 0.44 -w 100 -n 1000 -s 2017 -P 11 */
#define main         plain_main
#define read_options plain_options
#include "plain.c"
#undef main
#undef read_options

/* Tiles of edge T, k hits of each. T = 0: the checkerboard. */
typedef struct {
    uint32_t T, k;
    bool palindrome;
} tiling;

/* Fills place[] with the numbers row by row of the strips of a colour, tile by tile. Returns how many they are. */
static uint32_t place_strips(uint32_t L, uint32_t rows, uint32_t T, uint32_t colour,
                             uint32_t *place) {
    uint32_t n = 0;
    for (uint32_t Y = 0; Y < rows / T; Y++)
        for (uint32_t X = 0; X < L / T; X++)
            for (uint32_t strip = 0; (X + Y) % 2 == colour && strip < T / 8 * (T / 2); strip++) {
                const uint32_t row = Y * (T / 8) + strip / (T / 2),
                               column = X * (T / 2) + strip % (T / 2);
                place[n++] = row * (L / 2) + column;
            }
    return n;
}

/* Hits first .. end - 1 of an update of the strips from `begin` on, `count` of them, which are those of the tiles of a colour. */
static void hit_strips(lattice_word *w, const decision_rule *rule, const tiling *t, uint32_t begin,
                       uint32_t count, uint32_t update, uint32_t updates, uint32_t first,
                       uint32_t end, bool backwards) {
    for (uint64_t h = 2 * ((uint64_t)update * t->k + first);
         h < 2 * ((uint64_t)update * t->k + end); h++) {
        for (uint32_t n = 0; n < count; n += rule->group)
            throw_points(w, rule, begin + n, count - n < rule->group ? count - n : rule->group, h,
                         2 * (uint64_t)updates * t->k);
        for (uint32_t n = 0; n < count; n++)
            update_strip(w, rule, begin + n, (uint32_t)(h + backwards) % 2);
    }
}

/* theta updates of R lattices by tiles. */
static void update_by_tiles(uint32_t L, uint32_t stripes, int8_t *spins, uint64_t R,
                            flip_rule flips, const tiling *t, uint32_t theta, uint64_t key,
                            uint32_t step) {
    const uint32_t strips = L * (L / stripes) / (2 * STRIP_ROWS),
                   half = t->palindrome ? t->k / 2 : t->k;
    const decision_rule rule = rule_at(flips, strips);
    uint32_t *const place = calloc(strips, sizeof *place);
    lattice_word w = {.L = L,
                      .strips = strips,
                      .stripes = stripes,
                      .lanes = LANES,
                      .stream = calloc(strips, sizeof *w.stream),
                      .points = calloc(strips, sizeof *w.points),
                      .hit = calloc(strips, sizeof *w.hit),
                      .place = place};
    if (!w.stream || !w.points || !w.hit || !place)
        errx(2, "not enough memory");
    const uint32_t a = place_strips(L, L / stripes, t->T, 0, place),
                   b = place_strips(L, L / stripes, t->T, 1, place + a);
    for (uint64_t word = 0; word < R * stripes / LANES; word++) {
        use u = {.purpose = STRIP, .owner = (uint32_t)word, .step = step};
        w.spins = spins + word * LANES / stripes * L * L;
        for (u.position = 0; u.position < strips; u.position++)
            w.stream[u.position] = begin_generator(key, u);
        for (uint32_t n = 0; n < theta; n++) {
            hit_strips(&w, &rule, t, 0, a, n, theta, 0, half, false);
            hit_strips(&w, &rule, t, a, b, n, theta, 0, half, false);
            hit_strips(&w, &rule, t, a, b, n, theta, half, t->k, true);
            hit_strips(&w, &rule, t, 0, a, n, theta, half, t->k, true);
        }
    }
    free(w.stream);
    free(w.points);
    free(w.hit);
    free(place);
}

/* Whether tiles of this edge divide the stripes, in both colours. */
static bool has_tiles(const double value[128]) {
    const double T = value['T'], L = value['L'], K = value['K'], k = value['k'];
    return whole(k, 1, 1e6) && whole(k / (value['p'] ? 2 : 1), 1, 1e6) &&
           (T == 0 || ((T == 8 || T == 16 || T == 32 || T == 64) && whole(L / K / T / 2, 1, L)));
}

/* Reads "-X number" to value['X'], and an update as 0 or 1. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "u:L:R:K:T:k:pt:b:w:n:s:P:")) != -1;)
        if (letter == 'p')
            value['p'] = 1;
        else if (letter == 'u' && (!strcmp(optarg, "metropolis") || !strcmp(optarg, "heat-bath")))
            value['u'] = !strcmp(optarg, "heat-bath");
        else if (letter == '?' || letter == 'u' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['K'], 1, 32) && LANES % (int)value['K'] == 0 &&
           whole(value['L'] / 16 / value['K'], 1, 8192) && whole(value['R'], 1, 1e9) &&
           whole(value['R'] * value['K'] / LANES, 1, 1e9) && whole(value['t'], 1, UINT32_MAX) &&
           value['b'] >= 0 && value['b'] <= 1000 && whole(value['w'], 0, 1e8) &&
           whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) && whole(value['P'], 1, 17) &&
           has_tiles(value);
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
    double value[128] = {['L'] = 64,   ['R'] = 8,   ['K'] = 4,    ['k'] = 1,    ['t'] = 1,
                         ['b'] = 0.44, ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_stripes [-u metropolis|heat-bath] [-L edge, 16 K n] [-R lattices, R K = 32 "
        "n] "
        "[-K stripes] [-T tile, 8, 16, 32 or 64] [-k hits] [-p (palindrome)] [-t sweeps] [-b beta] "
        "[-w steps not measured] [-n steps measured] [-s seed] "
        "[-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const uint32_t L = (uint32_t)value['L'], stripes = (uint32_t)value['K'],
                   before = (uint32_t)value['w'], measured = (uint32_t)value['n'];
    const uint64_t R = (uint64_t)value['R'];
    const flip_rule rule = {value['u'] > 0 || value['b'] == 0,
                            value['b']}; /* at beta = 0 a heat bath */
    const tiling tiles = {(uint32_t)value['T'], (uint32_t)value['k'], value['p'] > 0};
    const four_numbers random = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const uint64_t key = (uint64_t)random.r[1] << 32 | random.r[0];
    int8_t *const spins = malloc(R * L * L);
    if (!spins)
        errx(2, "not enough memory");
    printf("# step beta e e2 |m| m2 m4\n");
    randomise_words(L, stripes, spins, R, key);
    for (uint32_t step = 1; step <= before + measured; step++) {
        if (tiles.T)
            update_by_tiles(L, stripes, spins, R, rule, &tiles, (uint32_t)value['t'], key, step);
        else
            sweep_words(L, stripes, spins, R, rule, (uint32_t)value['t'], key, step);
        if (step > before)
            print_means(L, spins, R, step - before, value['b'], (int)value['P']);
    }
    free(spins);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
