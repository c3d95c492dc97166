/* Canonical simulation of cubic lattices in multi-spin coding, whose lanes are lattices or stripes, by the checkerboard or
 * by tiles. Read plain_msc.h and plain_stripes.c before: what is said there is so here, but for these.
 *
 * A flip changes the energy by dE = 12 - 4 d with d of 6 bonds unsatisfied, so that d = 0, 1 and 2 are three classes, and
 * with the heat bath d = 3 costs nothing. A point counts in a class if its mark is below the ratio of the class's lambda to
 * the largest one.
 *
 * A cell is 2 x 2 x 2 sites; cells are counted along x, then y, then z. Strip n is the cells 2 n and 2 n + 1: word 4 c + 2 z
 * + y of a colour is the site at y, z of cell c that has this colour. Stripes are layers L/K of the lattice, and tiles cubes
 * of edge T, of T/2 layers of T/2 rows of T/4 strips.
 *
 *     cc -O2 -ffp-contract=off -o plain_cubes plain_cubes.c -lm
 *     ./plain_cubes -L 16 -R 32 -K 1 -t 1 -b 0.22 -w 100 -n 1000 -s 2017 -P 11
 *     ./plain_cubes -L 32 -R 16 -K 2 -T 8 -k 10 -t 1 -b 0.22 -w 10 -n 100 -s 2017 -P 11 */
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

enum { CLASSES = 3 };

/* --- The rule at a temperature --- */

typedef struct {
    bool heat_bath;
    uint32_t group, planes;
    uint64_t digits[CLASSES]; /* 2^K f_d */
    double counts[CLASSES];   /* probability that a point counts in the class */
    double more_than[MOST_POINTS];
} cubic_rule;

static double largest_density(const double p[CLASSES], uint32_t planes) {
    double largest = 0;
    for (int d = 0; d < CLASSES; d++)
        largest = fmax(largest, density(p[d], planes));
    return largest;
}

static cubic_rule cubic_rule_at(flip_rule flips, uint32_t strips) {
    double p[CLASSES], least = INFINITY;
    cubic_rule rule = {.heat_bath = flips.heat_bath, .group = 1, .planes = MOST_PLANES};
    while (rule.group < MOST_GROUP && 2 * rule.group <= strips)
        rule.group *= 2;
    for (int d = 0; d < CLASSES; d++)
        p[d] = fmin((flips.heat_bath ? 2 : 1) * acceptance(flips, 12 - 4 * d), 1 - 0x1p-45);
    for (uint32_t planes = 0; planes <= MOST_PLANES && planes < least; planes++) {
        const double points = LANES * STRIP_ROWS * largest_density(p, planes),
                     cost = planes + (points > 0 ? 0.7 * (points + 0.5) : 0);
        if (points * rule.group <= 240 && cost < least) {
            least = cost;
            rule.planes = planes;
        }
    }
    const double largest = largest_density(p, rule.planes);
    for (int d = 0; d < CLASSES; d++) {
        rule.digits[d] = (uint64_t)ldexp(p[d], (int)rule.planes);
        rule.counts[d] = largest > 0 ? density(p[d], rule.planes) / largest : 0;
    }
    fill_more_than(rule.more_than, largest * LANES * STRIP_ROWS * rule.group);
    return rule;
}

/* --- The lattices of a machine word --- */

typedef struct {
    uint32_t L, stripes, layers; /* layers of sites of a stripe */
    uint32_t strips;
    int8_t *spins; /* (LANES / stripes, L, L, L) */
    generator *stream;
    uint32_t *points;
    uint32_t (*hit)[CLASSES][STRIP_ROWS];
    uint32_t *place; /* each strip's number in the order of cells */
} cubes;

static int8_t *spin_at(const cubes *w, uint32_t lane, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t L = w->L, lattice = lane / w->stripes,
                   Z = (lane % w->stripes * w->layers + z + L) % L;
    return w->spins + ((lattice * L + Z) * L + y % L) * L + x % L;
}

/* dE of a flip. Coordinates may be one beyond an edge. */
static int cost_of_flip(const cubes *w, uint32_t lane, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t L = w->L;
    const int sum = *spin_at(w, lane, x + 1, y, z) + *spin_at(w, lane, x + L - 1, y, z) +
                    *spin_at(w, lane, x, y + 1, z) + *spin_at(w, lane, x, y + L - 1, z) +
                    *spin_at(w, lane, x, y, z + 1) + *spin_at(w, lane, x, y, z + L - 1);
    return 2 * *spin_at(w, lane, x, y, z) * sum;
}

/* As in plain_msc.h. */
static void throw_in_group(cubes *w, const cubic_rule *rule, uint32_t first, uint32_t strips,
                           uint64_t h, uint64_t half_sweeps) {
    for (uint32_t n = 0; h % strips == 0 && n < strips && h + n < half_sweeps; n++) {
        uniform_number u = draw_uniform(&w->stream[first + n]);
        uint32_t *const points = &w->points[first + n];
        for (*points = 0; *points < MOST_POINTS && is_below(&u, rule->more_than[*points]);)
            ++*points;
    }
    for (uint32_t point = 0; point < w->points[first + h % strips]; point++) {
        generator *const thrower = &w->stream[first + point % strips];
        const uint32_t place = next_number(thrower);
        uniform_number mark = draw_uniform(thrower);
        const uint32_t row = (place >> 5 & 3) * 2 + (place >> 12 & 1),
                       strip = (place >> 7) % rule->group;
        for (int d = 0; d < CLASSES; d++)
            if (is_below(&mark, rule->counts[d]) && strip < strips)
                w->hit[first + strip][d][row] |= 1u << place % LANES;
    }
}

static bool is_accepted(const cubes *w, const cubic_rule *rule, uint32_t strip, uint32_t row,
                        uint32_t lane, int d, uint32_t random[MOST_PLANES][STRIP_ROWS]) {
    bool accept = false;
    for (uint32_t k = 0; k < rule->planes; k++) {
        const bool r = random[k][row] >> lane & 1;
        accept = rule->digits[d] >> k & 1 ? accept || r : accept && r;
    }
    return accept || w->hit[strip][d][row] >> lane & 1;
}

/* Updates the spins of one colour in a strip. */
static void update_cells(cubes *w, const cubic_rule *rule, uint32_t strip, uint32_t colour) {
    uint32_t random[MOST_PLANES][STRIP_ROWS] = {{0}}, half[STRIP_ROWS] = {0};
    for (uint32_t k = 0; k < rule->planes;) {
        const uint32_t end = k + 1 + (k > 0 || rule->planes % 2 == 0);
        for (uint32_t row = 0; row < STRIP_ROWS; row++)
            for (uint32_t plane = k; plane < end; plane++)
                random[plane][row] = next_number(&w->stream[strip]);
        k = end;
    }
    for (uint32_t row = 0; rule->heat_bath && row < STRIP_ROWS; row++)
        half[row] = next_number(&w->stream[strip]);
    for (uint32_t row = 0; row < STRIP_ROWS; row++) {
        const uint32_t across = w->L / 2, cell = 2 * w->place[strip] + row / 4,
                       y = cell / across % across * 2 + row % 2,
                       z = cell / across / across * 2 + row / 2 % 2,
                       x = cell % across * 2 + (y + z + colour) % 2;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const int dE = cost_of_flip(w, lane, x, y, z), costs = rule->heat_bath ? abs(dE) : dE;
            bool flips =
                costs <= 0 || is_accepted(w, rule, strip, row, lane, 3 - costs / 4, random);
            if (rule->heat_bath)
                flips = (flips && half[row] >> lane & 1) != (dE < 0);
            if (flips)
                *spin_at(w, lane, x, y, z) = (int8_t) - *spin_at(w, lane, x, y, z);
        }
    }
    memset(w->hit[strip], 0, sizeof w->hit[strip]);
}

/* --- The orders --- */

/* Fills place[] with the strips of a colour, tile by tile; without tiles all have colour 0. Returns how many they are. */
static uint32_t place_cells(cubes *w, uint32_t T, uint32_t colour, uint32_t *place) {
    const uint32_t edge = T ? T : w->L, deep = T ? T : w->layers;
    uint32_t n = 0;
    for (uint32_t Z = 0; Z < w->layers / deep; Z++)
        for (uint32_t Y = 0; Y < w->L / edge; Y++)
            for (uint32_t X = 0; X < w->L / edge; X++)
                for (uint32_t z = 0; (X + Y + Z) % 2 == colour && z < deep / 2; z++)
                    for (uint32_t y = 0; y < edge / 2; y++)
                        for (uint32_t x = 0; x < edge / 4; x++)
                            place[n++] =
                                ((Z * deep / 2 + z) * (w->L / 2) + Y * edge / 2 + y) * (w->L / 4) +
                                X * edge / 4 + x;
    return n;
}

/* Hits first .. end - 1 of an update of `count` strips from `begin` on. */
static void hit_cells(cubes *w, const cubic_rule *rule, const tiling *t, uint32_t begin,
                      uint32_t count, uint32_t update, uint32_t updates, uint32_t first,
                      uint32_t end, bool backwards) {
    for (uint64_t h = 2 * ((uint64_t)update * t->k + first);
         h < 2 * ((uint64_t)update * t->k + end); h++) {
        for (uint32_t n = 0; n < count; n += rule->group)
            throw_in_group(w, rule, begin + n, count - n < rule->group ? count - n : rule->group, h,
                           2 * (uint64_t)updates * t->k);
        for (uint32_t n = 0; n < count; n++)
            update_cells(w, rule, begin + n, (uint32_t)(h + backwards) % 2);
    }
}

/* theta updates of the lattices of a machine word. `colours`: the strips of each. */
static void update_cubes(cubes *w, const cubic_rule *rule, const tiling *t,
                         const uint32_t colours[2], uint32_t theta, uint64_t key, use u) {
    const uint32_t a = colours[0], b = colours[1], half = t->palindrome ? t->k / 2 : t->k;
    for (u.position = 0; u.position < w->strips; u.position++)
        w->stream[u.position] = begin_generator(key, u);
    for (uint32_t n = 0; n < theta; n++) {
        hit_cells(w, rule, t, 0, a, n, theta, 0, half, false);
        hit_cells(w, rule, t, a, b, n, theta, 0, half, false);
        hit_cells(w, rule, t, a, b, n, theta, half, t->k, true);
        hit_cells(w, rule, t, 0, a, n, theta, half, t->k, true);
    }
}

/* --- The program --- */

static void randomise_cubes(cubes *w, uint32_t word, uint64_t key) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        use u = {.purpose = RANDOMISE, .owner = word};
        for (uint32_t colour = 0, n = 0; colour < 2; colour++)
            for (uint32_t z = 0; z < w->layers; z++)
                for (uint32_t y = 0; y < w->L; y++)
                    for (uint32_t x = (y + z + colour) % 2; x < w->L; x += 2, n++) {
                        u.position = n / 4;
                        *spin_at(w, lane, x, y, z) = philox(key, u).r[n % 4] >> lane & 1 ? 1 : -1;
                    }
    }
}

/* Adds e, e^2, |m|, m^2, m^4 of the lattices of a machine word to a row. */
static void add_to_row(const cubes *w, double row[5]) {
    const uint32_t L = w->L;
    const double N = (double)L * L * L;
    for (uint32_t lane = 0; lane < LANES; lane += w->stripes) {
        int64_t E = 0, M = 0;
        for (uint32_t z = 0; z < L; z++)
            for (uint32_t y = 0; y < L; y++)
                for (uint32_t x = 0; x < L; x++) {
                    E -= cost_of_flip(w, lane, x, y, z) / 2;
                    M += *spin_at(w, lane, x, y, z);
                }
        const double e = (double)(E / 2) / N, m = (double)M / N;
        const double powers[] = {e, e * e, fabs(m), m * m, m * m * m * m};
        for (int n = 0; n < 5; n++)
            row[n] += powers[n];
    }
}

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
    const double T = value['T'], L = value['L'], K = value['K'], k = value['k'];
    return optind == argc && whole(K, 1, 32) && LANES % (int)K == 0 && whole(L / 4, 1, 64) &&
           whole(L / K / 2, 1, 128) && whole(value['R'] * K / LANES, 1, 1e6) &&
           (T == 0 || ((T == 8 || T == 16) && whole(L / K / T / 2, 1, L))) && whole(k, 1, 1e6) &&
           whole(k / (value['p'] ? 2 : 1), 1, 1e6) && whole(value['t'], 1, 1e6) &&
           value['b'] >= 0 && value['b'] <= 1000 && whole(value['w'], 0, 1e8) &&
           whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) && whole(value['P'], 1, 17);
}

/* Steps w + 1 to w + n are printed. A row has seven numbers. */
static void run(cubes *w, const double value[128], const tiling *t) {
    const uint32_t words = (uint32_t)(value['R'] * w->stripes / LANES), L = w->L,
                   before = (uint32_t)value['w'], steps = before + (uint32_t)value['n'];
    const flip_rule flips = {value['u'] > 0 || value['b'] == 0,
                             value['b']}; /* at beta = 0 a heat bath */
    const cubic_rule rule = cubic_rule_at(flips, w->strips);
    const four_numbers random = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const uint64_t key = (uint64_t)random.r[1] << 32 | random.r[0],
                   bytes = (uint64_t)LANES / w->stripes * L * L * L;
    int8_t *const spins = w->spins;
    uint32_t colours[2];
    colours[0] = place_cells(w, t->T, 0, w->place);
    colours[1] = t->T ? place_cells(w, t->T, 1, w->place + colours[0]) : 0;
    for (uint32_t step = 0; step <= steps; step++) {
        double row[7] = {step - (double)before, value['b']};
        for (uint32_t word = 0; word < words; word++) {
            w->spins = spins + word * bytes;
            if (step == 0)
                randomise_cubes(w, word, key);
            else
                update_cubes(w, &rule, t, colours, (uint32_t)value['t'], key,
                             (use){.purpose = STRIP, .owner = word, .step = step});
            add_to_row(w, row + 2);
        }
        for (int n = 0; n < 7 && step > before; n++) {
            const double x = n < 2 ? row[n] : row[n] / value['R'];
            printf("%.*g%c", x == rint(x) ? 17 : (int)value['P'], x + 0.0, n < 6 ? ' ' : '\n');
        }
    }
    w->spins = spins;
}

int main(int argc, char **argv) {
    double value[128] = {['L'] = 16,   ['R'] = 32,  ['K'] = 1,    ['k'] = 1,    ['t'] = 1,
                         ['b'] = 0.22, ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_cubes [-u metropolis|heat-bath] [-L edge, 4 n] [-R lattices, R K = 32 n] "
        "[-K stripes] [-T tile, 8 or 16] [-k hits] [-p (palindrome)] [-t sweeps] [-b beta] "
        "[-w steps not measured] [-n steps measured] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const uint32_t L = (uint32_t)value['L'], stripes = (uint32_t)value['K'],
                   strips = L / 4 * (L / 2) * (L / stripes / 2);
    const tiling tiles = {(uint32_t)value['T'], (uint32_t)value['k'], value['p'] > 0};
    cubes w = {.L = L,
               .stripes = stripes,
               .layers = L / stripes,
               .strips = strips,
               .spins = malloc((uint64_t)value['R'] * L * L * L),
               .stream = calloc(strips, sizeof *w.stream),
               .points = calloc(strips, sizeof *w.points),
               .hit = calloc(strips, sizeof *w.hit),
               .place = calloc(strips, sizeof *w.place)};
    if (!w.spins || !w.stream || !w.points || !w.hit || !w.place)
        errx(2, "not enough memory");
    printf("# step beta e e2 |m| m2 m4\n");
    run(&w, value, &tiles);
    free(w.spins);
    free(w.stream);
    free(w.points);
    free(w.hit);
    free(w.place);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
