/* Canonical simulation of spins that are unit vectors, to be read from top to bottom.
 *
 *     heisenberg   E = - sum over nearest neighbours of J s . s',  |s| = 1,  vectors of n = 3 components
 *     xy           the same of n = 2 components
 *
 * with J = 1, or with the J of a file (-j), a line "x y z direction J" for each bond: a spin glass. They are
 * on a square or cubic lattice with L^d sites, L even, and periodic boundaries. R replicas are kept at the inverse temperature
 * beta. A step is theta sweeps of each replica, and a measurement: means over the R replicas. The first steps are thermalisation,
 * and are not printed. A sweep updates the sites with x + y + z even, then the others, in the field h of their neighbours, each times its J:
 *
 *     metropolis   a spin in any direction is proposed, and taken with the probability min(1, exp(-beta dE))
 *     heat-bath    a spin is drawn from the distribution exp(beta s . h)
 *
 * or clusters are mirrored: each with probability 1/2 (swendsen-wang), or that of a random site (wolff). Behind a sweep come K
 * sweeps of over-relaxation, which reflect each spin at its field.
 *
 * Components are numbers of 24 or 53 binary digits (plain_reals.h). Energies of bonds and components of the magnetisation are rounded
 * to multiples of 2^-20, and their sums are whole numbers.
 *
 * This program prints, byte for byte, the rows of MC_series.dat of `paising --method canonical`: step beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_vectors plain_vectors.c -lm
 *     ./plain_vectors -m heisenberg -u heat-bath -r float -k 1 -D 2 -L 16 -R 10 -t 1 -b 1 -w 100 -n 1000 -s 2017 -P 11 */
#include "plain_random.h"
#include "plain_reals.h"

#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Vectors --- */

static int n; /* components */

typedef struct {
    double at[3]; /* the last is 0 with n = 2 */
} vector;

static double product(vector a, vector b) {
    const double plane = add(mul(a.at[0], b.at[0]), mul(a.at[1], b.at[1]));
    return n == 2 ? plane : add(plane, mul(a.at[2], b.at[2]));
}

/* A step of Newton's method towards s / |s|. */
static vector of_norm_1(vector s) {
    const double factor = add(1.5, -mul(0.5, product(s, s)));
    return (vector){{mul(s.at[0], factor), mul(s.at[1], factor), mul(s.at[2], factor)}};
}

/* A number between 0 and 1. */
static double uniform(uint32_t r) {
    return mul(add(rounded(r), 0.5), 0x1p-32);
}

/* A vector in any direction. */
static vector any(four_numbers random) {
    double cosine, sine;
    turn_by(random.r[1], &cosine, &sine);
    if (n == 2)
        return (vector){{cosine, sine, 0}};
    const double z = mul(add(rounded((int32_t)random.r[0]), 0.5), 0x1p-31),
                 across = root(mul(add(1, -z), add(1, z)));
    return (vector){{mul(across, cosine), mul(across, sine), z}};
}

/* --- One lattice: spin s[i] of site i = (z L + y) L + x --- */

typedef struct {
    uint32_t d, L, N;
    uint32_t (*neighbour)[6]; /* (N) the next one in x and the one before, in y, in z */
    double (*J)[6];           /* (N) of the bonds to them */
    bool *odd;                /* (N) x + y + z */
} lattice;

static void number_sites(lattice *l) {
    for (uint32_t i = 0; i < l->N; i++) {
        uint32_t sum = 0;
        for (uint32_t d = 0, step = 1; d < l->d; d++, step *= l->L) {
            const uint32_t x = i / step % l->L; /* the coordinate in direction d */
            l->neighbour[i][2 * d] = x + 1 < l->L ? i + step : i - x * step;
            l->neighbour[i][2 * d + 1] = x > 0 ? i - step : i + (l->L - 1) * step;
            l->J[i][2 * d] = l->J[i][2 * d + 1] = 1;
            sum += x;
        }
        l->odd[i] = sum % 2;
    }
}

/* Reads J of all bonds; those without a line have J = 0. Returns whether each line is of a bond of the lattice. */
static bool read_couplings(const lattice *l, FILE *file) {
    char line[200];
    memset(l->J, 0, l->N * sizeof *l->J);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t x, y, z, d;
        double J;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "%u %u %u %u %lf", &x, &y, &z, &d, &J) != 5 || d >= l->d || x >= l->L ||
            y >= l->L || z >= (l->d > 2 ? l->L : 1))
            return false;
        const uint32_t i = (z * l->L + y) * l->L + x, next = l->neighbour[i][2 * d];
        l->J[i][2 * d] = l->J[next][2 * d + 1] = rounded(nearbyint(0x1p20 * J) / 0x1p20);
    }
    return fclose(file) == 0;
}

/* The sum of the neighbours, each times its J. */
static vector field(const lattice *l, const vector *s, uint32_t i) {
    vector h = {{0}};
    for (uint32_t k = 0; k < 2 * l->d; k++)
        for (int c = 0; c < 3; c++) {
            const double pull = mul(l->J[i][k], s[l->neighbour[i][k]].at[c]);
            h.at[c] = k == 0 ? pull : add(h.at[c], pull);
        }
    return h;
}

/* Whether something of probability exp(x) happens. */
static bool happens(double x, uint32_t r) {
    return x >= 0 || r >> 1 < (uint32_t)mul(exponential(x), 0x1p31);
}

static vector metropolis(double beta, vector s, vector h, uint64_t key, use u) {
    const four_numbers random = philox(key, u);
    const vector other = any(random);
    const double gain = add(product(other, h), -product(s, h)); /* - dE */
    return happens(mul(beta, gain), random.r[2]) ? other : s;
}

/* Draws the angle between s and h, whose cosine is 1 + ln(u + (1 - u) e^(-2K)) / K, and the angle around h. In powers of K that
 * is w + K (1 - w^2) / 2 - K^2 w (1 - w^2) / 3 + ..., w = 2 u - 1. */
static vector heat_bath_3(double beta, vector h, uint64_t key, use u) {
    const four_numbers random = philox(key, u);
    double around[2];
    turn_by(random.r[1], &around[0], &around[1]);
    const double v = uniform(random.r[0]), w = add(mul(2, v), -1), f = add(1, -mul(w, w)),
                 length = root(product(h, h)), K = mul(beta, length);
    double below; /* 1 - the cosine */
    if (K < (is_float ? rounded(0.02) : 1e-4))
        below = add(add(1, -w), -mul(mul(K, f), add(0.5, -mul(mul(K, w), rounded(1. / 3)))));
    else
        below = over(-logarithm(add(v, mul(add(1, -v), exponential(mul(-2, K))))), K);
    below = fmin(fmax(below, 0), 2);
    const double along = add(1, -below), across = root(mul(below, add(2, -below)));
    const double c = mul(across, around[0]), d = mul(across, around[1]);
    const double x = length > 0 ? over(h.at[0], length) : 0,
                 y = length > 0 ? over(h.at[1], length) : 0,
                 z = length > 0 ? over(h.at[2], length) : 1;
    /* Two vectors that make a frame with x, y, z (T. Duff et al., J. Comput. Graph. Tech. 6, 1, 2017). */
    const double sign = z < 0 ? -1 : 1, p = over(-1, add(sign, z)), q = mul(mul(x, y), p);
    const vector one = {{add(1, sign * mul(mul(x, x), p)), sign * q, -sign * x}},
                 two = {{q, add(sign, mul(mul(y, y), p)), -y}};
    const double axis[3] = {x, y, z};
    vector s;
    for (int i = 0; i < 3; i++)
        s.at[i] = add(add(mul(along, axis[i]), mul(c, one.at[i])), mul(d, two.at[i]));
    return of_norm_1(s);
}

/* Draws the angle from the distribution of von Mises by rejection, in 16 attempts. With K < 1/2 from all angles, else as D. J.
 * Best and N. I. Fisher do (J. R. Stat. Soc. C 28, 152, 1979). */
static vector heat_bath_2(double beta, vector s, vector h, uint64_t key, use u) {
    const double length = root(product(h, h)), K = mul(beta, length);
    const double x = length > 0 ? over(h.at[0], length) : 1,
                 y = length > 0 ? over(h.at[1], length) : 0;
    const double tau = add(1, root(add(1, mul(mul(4, K), K)))),
                 rho = over(add(tau, -root(mul(2, tau))), mul(2, K)),
                 r = over(add(1, mul(rho, rho)), mul(2, rho));
    const uint32_t site = u.position;
    for (uint32_t attempt = 0; attempt < 16; attempt++) {
        double cosine, sine;
        bool taken;
        u.position = attempt << 24 | site;
        const four_numbers random = philox(key, u);
        turn_by(random.r[1], &cosine, &sine);
        if (K < 0.5) {
            taken = happens(mul(K, add(cosine, -1)), random.r[2]);
        } else {
            const double f = over(add(1, mul(r, cosine)), add(r, cosine)), c = mul(K, add(r, -f)),
                         v = uniform(random.r[2]);
            taken =
                mul(c, add(2, -c)) > v || add(add(add(logarithm(c), -logarithm(v)), 1), -c) >= 0;
            cosine = f;
            sine = f < 1 && f > -1 ? root(mul(add(1, -f), add(1, f))) : 0;
            sine = random.r[3] >> 31 ? -sine : sine;
        }
        if (taken)
            return of_norm_1((vector){
                {add(mul(cosine, x), -mul(sine, y)), add(mul(sine, x), mul(cosine, y)), 0}});
    }
    return s;
}

/* 2 (s . h) h / h^2 - s */
static vector reflected(vector s, vector h) {
    const double square = product(h, h);
    if (!(square > 0))
        return s;
    const double twice = over(2 * product(s, h), square);
    for (int c = 0; c < n; c++)
        s.at[c] = add(mul(twice, h.at[c]), -s.at[c]);
    return of_norm_1(s);
}

/* Whether the bond to the next site in direction d is set: left out with the probability exp(-2 beta (r . s) (r . s')). */
static bool bond_is_set(const lattice *l, const vector *s, vector r, double beta, uint64_t key,
                        use u, uint32_t d) {
    const double own = mul(mul(2, beta), product(r, s[u.position]));
    return !happens(-mul(own, product(r, s[l->neighbour[u.position][2 * d]])), philox(key, u).r[d]);
}

/* Numbers the cluster of site u.position by that site, the first one in it. to_do has room for N sites. */
static void number_cluster(const lattice *l, const vector *s, vector r, double beta, uint64_t key,
                           use u, uint32_t *cluster, uint32_t *to_do) {
    const uint32_t first = to_do[0] = cluster[u.position] = u.position;
    for (uint32_t waiting = 1; waiting > 0;) {
        const uint32_t i = to_do[--waiting];
        for (uint32_t k = 0; k < 2 * l->d; k++) {
            const uint32_t j = l->neighbour[i][k];
            u.position = k % 2 == 0 ? i : j;
            if (cluster[j] < l->N || !bond_is_set(l, s, r, beta, key, u, k / 2))
                continue;
            cluster[j] = first;
            to_do[waiting++] = j;
        }
    }
}

/* s - 2 (s . r) r of all vectors in some clusters, for a random direction r. */
static void mirror_clusters(const lattice *l, vector *s, bool one, double beta, uint64_t key,
                            use u) {
    u.purpose = SITE;
    const four_numbers random = philox(key, u);
    const vector r = any((four_numbers){{random.r[2], random.r[3]}});
    uint32_t *const cluster = malloc(2 * l->N * sizeof *cluster);
    if (cluster == NULL)
        errx(2, "not enough memory");
    memset(cluster, 0xff, l->N * sizeof *cluster); /* more than N: no number */
    u.purpose = BONDS;
    for (u.position = 0; u.position < l->N; u.position++)
        if (cluster[u.position] > l->N)
            number_cluster(l, s, r, beta, key, u, cluster, cluster + l->N);
    for (uint32_t i = 0; i < l->N; i++) {
        const double twice = 2 * product(s[i], r);
        u.position = cluster[i];
        if (one ? cluster[i] != cluster[(uint64_t)random.r[0] * l->N >> 32]
                : philox(key, u).r[3] >> 31 == 0)
            continue;
        for (int c = 0; c < n; c++)
            s[i].at[c] = add(s[i].at[c], -mul(twice, r.at[c]));
        s[i] = of_norm_1(s[i]);
    }
    free(cluster);
}

enum { METROPOLIS, HEAT_BATH, SWENDSEN_WANG, WOLFF };

static void sweep(const lattice *l, vector *s, int update, int reflections, double beta,
                  uint64_t key, use u) {
    if (update >= SWENDSEN_WANG)
        mirror_clusters(l, s, update == WOLFF, rounded(beta), key, u);
    u.purpose = SPINS;
    for (int half = update >= SWENDSEN_WANG ? 2 : 0; half < 2 + 2 * reflections; half++)
        for (uint32_t i = 0; i < l->N; i++) {
            if (l->odd[i] != half % 2)
                continue;
            const vector h = field(l, s, i);
            u.position = i;
            s[i] = half >= 2              ? reflected(s[i], h)
                   : update == METROPOLIS ? metropolis(rounded(beta), s[i], h, key, u)
                   : n == 2               ? heat_bath_2(rounded(beta), s[i], h, key, u)
                                          : heat_bath_3(rounded(beta), h, key, u);
        }
}

/* --- Measurements --- */

/* E in units of 2^-20, and M: the length of the sum of all spins, on a scale of some 2^18 steps. */
static void measure(const lattice *l, const vector *s, int64_t *E, int64_t *M, double *most) {
    double sum[3] = {0}; /* of whole numbers */
    *E = 0;
    for (uint32_t i = 0; i < l->N; i++) {
        for (uint32_t d = 0; d < l->d; d++)
            *E -= (int64_t)nearbyint(0x1p20 * l->J[i][2 * d] *
                                     product(s[i], s[l->neighbour[i][2 * d]]));
        for (int c = 0; c < n; c++)
            sum[c] += nearbyint(0x1p20 * s[i].at[c]);
    }
    const double N = l->N, share = N < 0x1p18 ? floor(0x1p18 / N) : 1,
                 unit = N < 0x1p18 ? 1 : floor(N / 0x1p18);
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    const double steps = floor(length * (N * share / unit / (N * 0x1p20)) + 0.5);
    *M = (int64_t)(unit * fmin(steps, floor(N * share / unit)));
    *most = N * share;
}

/* Prints the means over R replicas as a row. Sums of whole numbers are exact; whole numbers keep all digits, and there is no -0. */
static void print_means(const lattice *l, const vector *spins, uint64_t replicas, double number,
                        double beta, int digits) {
    __extension__ typedef __int128 whole;
    whole sum_E = 0, sum_E2 = 0, sum_M = 0, sum_M2 = 0, sum_M4 = 0;
    double most = 1;
    for (uint64_t r = 0; r < replicas; r++) {
        int64_t E, M;
        measure(l, spins + r * l->N, &E, &M, &most);
        const whole square = (whole)M * M;
        sum_E += E;
        sum_E2 += (whole)E * E;
        sum_M += M;
        sum_M2 += square;
        sum_M4 += square * square;
    }
    const double R = (double)replicas, N = (double)l->N, U = 0x1p20;
    const double row[] = {number,
                          beta,
                          (double)sum_E / R / U / N,
                          (double)sum_E2 / R / (U * U) / (N * N),
                          (double)sum_M / R / most,
                          (double)sum_M2 / R / (most * most),
                          (double)sum_M4 / R / (most * most * most * most)};
    for (int k = 0; k < 7; k++)
        printf("%.*g%c", row[k] == rint(row[k]) ? 17 : digits, row[k] + 0.0, k < 6 ? ' ' : '\n');
}

/* --- The program --- */

static bool whole_number(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* The number of a word among some, which NULL ends; -1: it is none of them. */
static int word_number(const char *const *words, const char *word) {
    int k = 0;
    while (words[k] != NULL && strcmp(word, words[k]) != 0)
        k++;
    return words[k] != NULL ? k : -1;
}

/* Reads "-X number" to value['X'], words as their numbers, and the name of a file. Returns whether all options are known and their
 * values allowed. */
static bool read_options(int argc, char **argv, double value[128], const char **file) {
    static const char *const models[] = {"heisenberg", "xy", NULL},
                             *const updates[] = {"metropolis", "heat-bath", "swendsen-wang",
                                                 "wolff", NULL},
                             *const reals[] = {"float", "double", NULL};
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "j:m:u:r:k:D:L:R:t:b:w:n:s:P:")) != -1;)
        if (letter == 'j')
            *file = optarg;
        else if (letter == 'm' || letter == 'u' || letter == 'r')
            value[letter] = word_number(letter == 'm'   ? models
                                        : letter == 'u' ? updates
                                                        : reals,
                                        optarg);
        else if (letter == '?' || sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && value['m'] >= 0 && value['u'] >= 0 && value['r'] >= 0 &&
           whole_number(value['k'], 0, 1000) && whole_number(value['D'], 2, 3) &&
           whole_number(value['L'] / 2, 1, value['D'] > 2 ? 128 : 2048) &&
           whole_number(value['R'], 1, 1e9) && whole_number(value['t'], 1, UINT32_MAX) &&
           value['b'] >= 0 && value['b'] <= 1000 && whole_number(value['w'], 0, 1e8) &&
           whole_number(value['n'], 1, 1e8) && whole_number(value['s'], 0, 0x1p53) &&
           whole_number(value['P'], 1, 17) &&
           (*file == NULL || (value['u'] < SWENDSEN_WANG && value['L'] > 2));
}

int main(int argc, char **argv) {
    double value[128] = {['D'] = 2, ['L'] = 64,  ['R'] = 10,   ['t'] = 1,    ['b'] = 1,
                         ['k'] = 0, ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_vectors [-m heisenberg|xy] [-u metropolis|heat-bath|"
        "swendsen-wang|wolff] [-r float|double] [-k sweeps of over-relaxation] "
        "[-j file of J] [-D dimension, 2 or 3] [-L edge, even] [-R replicas] [-t sweeps of a "
        "step] [-b beta] [-w steps not measured] [-n steps measured] [-s seed] "
        "[-P digits]";
    const char *name = NULL;
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value, &name))
        errx(2, "%s", usage);
    const uint64_t R = (uint64_t)value['R'];
    const uint32_t L = (uint32_t)value['L'];
    lattice l = {.d = (uint32_t)value['D'], .L = L, .N = value['D'] > 2 ? L * L * L : L * L};
    l.neighbour = calloc(l.N, sizeof *l.neighbour);
    l.J = calloc(l.N, sizeof *l.J);
    l.odd = calloc(l.N, sizeof *l.odd);
    vector *const spins = calloc(R * l.N, sizeof *spins); /* (R, N) */
    if (l.neighbour == NULL || l.J == NULL || l.odd == NULL || spins == NULL)
        errx(2, "not enough memory");
    number_sites(&l);
    n = value['m'] == 0 ? 3 : 2;
    is_float = value['r'] == 0;
    FILE *const file = name != NULL ? fopen(name, "r") : NULL;
    if (name != NULL && (file == NULL || !read_couplings(&l, file)))
        errx(2, "%s: no file of bonds of this lattice", name);
    const uint32_t before = (uint32_t)value['w'], steps = before + (uint32_t)value['n'];
    const four_numbers of_seed = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const uint64_t key = (uint64_t)of_seed.r[1] << 32 | of_seed.r[0];

    printf("# step beta e e2 |m| m2 m4\n");
    for (uint64_t r = 0; r < R; r++)
        for (uint32_t i = 0; i < l.N; i++)
            spins[r * l.N + i] =
                any(philox(key, (use){.purpose = RANDOMISE, .position = i, .owner = (uint32_t)r}));
    for (uint32_t step = 1; step <= steps; step++) {
        for (uint64_t r = 0; r < R; r++) {
            use u = {.owner = (uint32_t)r, .step = step};
            for (u.sweep = 0; u.sweep < value['t']; u.sweep++)
                sweep(&l, spins + r * l.N, (int)value['u'], (int)value['k'], value['b'], key, u);
        }
        if (step > before)
            print_means(&l, spins, R, step - before, value['b'], (int)value['P']);
    }
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
