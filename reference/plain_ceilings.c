/* Microcanonical annealing, to be read from top to bottom (N. Rose, J. Machta, Phys. Rev. E 100, 063304, 2019). A square lattice has L x L
 * sites, L even, with periodic boundaries, and spins s = 0 .. q - 1. Of its 2N bonds K join equal spins.
 *
 *     potts    E = - sum over bonds of delta(s, s') = -K;  level n of the energy has K = 2N - n
 *     ising    E = - sum over bonds of S S' = 2N - 2K,  S = 2 s - 1, q = 2;  level n has K = 2N - 2n
 *
 * R replicas have levels up to a ceiling. The number Omega of states there is q^N above all of them. A step lowers the ceiling until a
 * part `cull` of the replicas at least is above the new one: Omega is multiplied with the part that is below. Each of these gets R / (their
 * number) copies on average, and theta sweeps, in which any change is made that stays below the ceiling. If fewer than R / 20 + 2
 * replicas are below the next ceiling, all are swept until so many have been seen there; the part is that of inverse sampling then. The looks at a
 * population count as one of R replicas: the parts below and above the next ceiling are as just found, and a level's share of either is that of all
 * looks. A level has as many states as replicas were so counted there,
 * over those that a state is expected to have had: the sum of R / Omega over the populations whose ceiling is not below it. The ceiling falls
 * until the level is 0, or Omega exp(-beta E) is exp(-50) of its largest value.
 *
 * Nothing here is fast. This program prints, byte for byte, columns of files that `paising --method microcanonical` writes: behind # those of
 * MA_ceilings.dat, e lnOmega R; and those of MA_entropy.dat, e lng replicas.
 *
 *     cc -O2 -ffp-contract=off -o plain_ceilings plain_ceilings.c -lm
 *     ./plain_ceilings -m potts -q 10 -L 8 -R 1000 -t 5 -c 0.1 -f 1.5 -s 2017 -P 11 */
#include "../paising/base/ieee_math.h" /* exp and log, the same on any machine */
#include "plain_random.h"
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 wide;

/* --- Random numbers --- */

/* A whole number below q from two numbers of 32 bits. */
static uint8_t below(uint32_t q, const uint32_t r[2]) {
    return (uint8_t)((wide)((uint64_t)r[1] << 32 | r[0]) * q >> 64);
}

/* --- One lattice: s[i], i = L y + x --- */

typedef struct {
    bool ising;
    uint32_t q, L, N;
    uint64_t target, key, R; /* R_0; of the random numbers; replicas */
    double cull, beta;
    uint8_t *spins, *children; /* (2 R_0 + 64, N) */
    int64_t *level, levels;    /* (2 R_0 + 64) of the replicas; how many there are */
    uint64_t *count;           /* (levels) replicas there */
    double *found, *looked; /* (levels) replicas there in all looks; in those at one population */
    double *counted, *ln_g; /* (levels) replicas as they are counted; what follows */
} simulation;

/* The n-th site of a colour of the checkerboard; none has a neighbour of its own colour. */
static uint32_t site_of(const simulation *p, uint32_t colour, uint32_t n) {
    const uint32_t y = 2 * n / p->L;
    return 2 * n + (y + colour) % 2;
}

/* Draws the spins: of Ising 128 sites share a call, of Potts two. */
static void randomise(const simulation *p, uint8_t *s, use u) {
    for (uint32_t n = 0; n < p->N; n++) {
        u.position = n / (p->ising ? 128 : 2);
        const four_numbers random = philox(p->key, u);
        if (p->ising)
            s[site_of(p, 2 * n >= p->N, n % (p->N / 2))] = random.r[n / 32 % 4] >> n % 32 & 1;
        else
            s[n] = below(p->q, random.r + n % 2 * 2);
    }
}

/* How many of the neighbours of site i are in state t. */
static int64_t equal_around(const simulation *p, const uint8_t *s, uint32_t i, uint8_t t) {
    const uint32_t L = p->L, x = i % L, row = i - x;
    return (s[row + (x + 1) % L] == t) + (s[row + (x + L - 1) % L] == t) +
           (s[(i + L) % p->N] == t) + (s[(i + p->N - L) % p->N] == t);
}

static int64_t equal_bonds(const simulation *p, const uint8_t *s) {
    int64_t twice = 0;
    for (uint32_t i = 0; i < p->N; i++)
        twice += equal_around(p, s, i, s[i]);
    return twice / 2;
}

/* Site i becomes `to` if K stays at least. */
static void change(const simulation *p, uint8_t *s, uint32_t i, uint8_t to, int64_t least,
                   int64_t *K) {
    const int64_t then = *K + equal_around(p, s, i, to) - equal_around(p, s, i, s[i]);
    if (then < least)
        return;
    *K = then;
    s[i] = to;
}

/* Whether some of `fours` are skipped by going on by d, modulo their number. */
static bool skips(uint32_t fours, uint32_t d) {
    uint32_t steps = 1, at = d % fours;
    for (; at != 0; at = (at + d) % fours)
        steps++;
    return steps < fours;
}

/* A sweep in which K stays at least. A Potts spin goes to any state: first those of one colour, where sites i and i + 2 share a call. An
 * Ising spin is flipped with the probability 1/2: of one colour four in succession share a call.
 * All replicas begin with the same four, drawn at random, and go on by the same distance, drawn between a half and three quarters of their number. */
static void sweep(const simulation *p, uint8_t *s, int64_t least, use u) {
    const uint32_t half = p->N / 2, of_half = (half + 3) / 4, fours = 2 * of_half;
    const four_numbers order = philox(p->key, (use){SPINS, fours, 0, u.sweep, u.step});
    uint64_t distance = fours / 2 + ((uint64_t)order.r[1] * (fours / 4 + 1) >> 32);
    while (skips(fours, (uint32_t)distance))
        distance++;
    int64_t K = equal_bonds(p, s);
    for (uint32_t m = 0; !p->ising && m < p->N; m++) {
        const uint32_t i = site_of(p, m >= half, m % half);
        u.position = i / 4 * 2 + i % 2;
        change(p, s, i, below(p->q, philox(p->key, u).r + i % 4 / 2 * 2), least, &K);
    }
    for (uint32_t m = 0; p->ising && m < fours; m++) {
        u.position = (uint32_t)((((uint64_t)order.r[0] * fours >> 32) + m * distance) % fours);
        const four_numbers random = philox(p->key, u);
        for (uint32_t k = 0, n = u.position % of_half * 4; k < 4 && n + k < half; k++) {
            const uint32_t i = site_of(p, u.position / of_half, n + k);
            change(p, s, i, (uint8_t)(s[i] ^ random.r[k] >> 31), least, &K);
        }
    }
}

/* --- The population --- */

static void measure(simulation *p) {
    memset(p->count, 0, (size_t)p->levels * sizeof *p->count);
    for (uint64_t j = 0; j < p->R; j++) {
        p->level[j] =
            (2 * (int64_t)p->N - equal_bonds(p, p->spins + j * p->N)) / (p->ising ? 2 : 1);
        p->count[p->level[j]]++;
    }
    for (int64_t n = 0; n < p->levels; n++) {
        p->found[n] += (double)p->count[n];
        p->looked[n] += (double)p->count[n];
    }
}

static uint64_t left_below(const simulation *p, int64_t most) {
    uint64_t left = 0;
    for (int64_t n = 0; n <= most; n++)
        left += p->count[n];
    return left;
}

/* Culls the highest level that is occupied, and the next ones until part `cull` of R is reached. Returns the ceiling, -1 from level 0. Of Ising
 * spins, whose lowest energy paising does not know, a level stays. */
static int64_t next_ceiling(const simulation *p) {
    int64_t n = p->levels - 1, first = 0;
    for (; p->count[n] == 0; n--)
        continue;
    for (; p->ising && p->count[first] == 0; first++)
        continue;
    double above = (double)p->count[n--];
    for (; n > first && above < p->cull * (double)p->R; n--)
        above += (double)p->count[n];
    return n;
}

/* (enough - 1) / (n - 1), n the replicas that were looked at until `enough` were seen below a ceiling: R in each of the looks before, which have
 * found `before` of them. Of the R of the last look c are below, in any order: its x-th replica ends the count with the probability
 * binom(x - 1, k - 1) binom(R - x, c - k) / binom(R, c), k = enough - before; the probability of x + 1 is x (R - x - c + k) / ((x - k + 1)(R - x)) of that.
 * Sums begin near the largest, which is 1 in them. */
static double part_below(double R, uint64_t looks, double before, double c, double enough) {
    const double k = enough - before, earlier = (double)(looks - 1) * R;
    const double middle = fmin(fmax(rint(k * (R + 1) / (c + 1)), k), R - c + k);
    double all = 1, sum = 1 / (earlier + middle - 1), p = 1;
    if (looks == 1)
        return c / R;
    for (double x = middle + 1; x <= R - c + k && p > 0x1p-60 * all; x++) {
        p *= (x - 1) / (x - k) * ((R - x + 1 - c + k) / (R - x + 1));
        all += p;
        sum += p / (earlier + x - 1);
    }
    p = 1;
    for (double x = middle - 1; x >= k && p > 0x1p-60 * all; x--) {
        p /= x / (x - k + 1) * ((R - x - c + k) / (R - x));
        all += p;
        sum += p / (earlier + x - 1);
    }
    return (enough - 1) * (sum / all);
}

/* A replica up to the ceiling gets a whole number of copies, and one more at random. */
static void resample(simulation *p, int64_t most, uint32_t step) {
    const double each = fmin((double)p->target / (double)left_below(p, most), 0x1p31);
    const uint64_t tau_hat = (uint64_t)(each * 0x1p32 + 0.5);
    uint64_t children = 0;
    for (uint64_t j = 0; j < p->R; j++) {
        const use u = {.purpose = RESAMPLE, .owner = (uint32_t)(j / 4), .step = step};
        const bool more = philox(p->key, u).r[j % 4] < (uint32_t)tau_hat;
        for (uint64_t n = p->level[j] <= most ? (tau_hat >> 32) + more : 0; n > 0; n--) {
            if (children == 2 * p->target + 64)
                errx(1, "the population outgrew its memory");
            memcpy(p->children + children++ * p->N, p->spins + j * p->N, p->N);
        }
    }
    uint8_t *const parents = p->spins;
    p->spins = p->children;
    p->children = parents;
    p->R = children;
}

/* Prints numbers as a row. Whole ones keep all digits, and there is no -0. */
static void print_row(const char *before, const double row[3], int digits) {
    printf("%s", before);
    for (int n = 0; n < 3; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0, n < 2 ? ' ' : '\n');
}

static double energy(const simulation *p, int64_t n) {
    return (double)((p->ising ? 4 : 1) * n - 2 * (int64_t)p->N) / p->N;
}

/* ln of exp(a) + exp(b). */
static double ln_sum(double a, double b) {
    const double top = fmax(a, b);
    return top == -INFINITY ? top : top + ieee_log(ieee_exp(a - top) + ieee_exp(b - top));
}

/* Looks at a population: at the first look, the part 1 / Omega of R of its replicas belongs to each state of the levels up to the ceiling. */
static void look(simulation *p, int64_t most, double ln_omega, bool first, int digits) {
    const double R = (double)p->R;
    measure(p);
    print_row("# ", (double[]){energy(p, most), ln_omega, R}, digits);
    for (int64_t n = 0; first && n <= most; n++)
        p->ln_g[n] = ln_sum(p->ln_g[n], ieee_log(R) - ln_omega);
}

/* Counts a population behind all looks: `part` of it is at levels up to `below`. */
static void count(simulation *p, int64_t below, double part) {
    double all = 0, left = 0;
    for (int64_t n = 0; n < p->levels; n++) {
        all += p->looked[n];
        left += n <= below ? p->looked[n] : 0;
    }
    const double looks = all / (double)p->R, share = left / all;
    for (int64_t n = 0; n < p->levels; n++) {
        if (p->looked[n] > 0)
            p->counted[n] +=
                1 / looks * (n <= below ? part / share : (1 - part) / (1 - share)) * p->looked[n];
        p->looked[n] = 0;
    }
}

/* Lowers the ceiling step by step. */
static void anneal(simulation *p, uint32_t theta, int digits) {
    int64_t most = p->levels - 1, next = most;
    double ln_omega = p->N * ieee_log(p->q), largest = -INFINITY;
    const uint64_t enough = p->target / 20 + 2;
    uint64_t left = 0, looks = 0;
    look(p, most, ln_omega, true, digits);
    for (uint32_t step = 1;; step++) {
        if (looks == 0) {
            const double weight = ln_omega - p->beta * (p->ising ? 4 : 1) * (double)most;
            largest = fmax(largest, weight);
            next = next_ceiling(p);
            if (next < 0 || weight < largest - 50)
                break;
        }
        const uint64_t here = left_below(p, next);
        left += here;
        looks++;
        if (left >= enough) {
            const double part = part_below((double)p->R, looks, (double)(left - here), (double)here,
                                           (double)enough);
            count(p, next, part);
            ln_omega += ieee_log(part);
            most = next;
            left = looks = 0;
            resample(p, most, step);
        } else if (looks > 1000 || (p->ising && left == 0 && looks == 20))
            break;
        for (uint64_t j = 0; j < p->R; j++)
            for (uint32_t n = 0; n < theta; n++)
                sweep(p, p->spins + j * p->N, 2 * (int64_t)p->N - most * (p->ising ? 2 : 1),
                      (use){SPINS, 0, (uint32_t)j, n, step});
        look(p, most, ln_omega, looks == 0, digits);
    }
    count(p, most, 1);
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* Reads "-X number" to value['X'], and the model. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "m:q:L:R:t:c:f:s:P:")) != -1;)
        if (letter == 'm' && (!strcmp(optarg, "potts") || !strcmp(optarg, "ising")))
            value['m'] = !strcmp(optarg, "ising");
        else if (letter == '?' || letter == 'm' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['q'], 2, 64) && whole(value['L'] / 2, 2, 256) &&
           whole(value['R'], 1, 1e6) && whole(value['t'], 1, 1e6) && value['c'] > 0 &&
           value['c'] < 1 && value['f'] >= 0 && value['f'] <= 1000 &&
           whole(value['s'], 0, 0x1p53) && whole(value['P'], 1, 17);
}

int main(int argc, char **argv) {
    double value[128] = {['q'] = 10,  ['L'] = 8, ['R'] = 1000, ['t'] = 5,
                         ['c'] = 0.1, ['f'] = 1, ['s'] = 2017, ['P'] = 11};
    const char usage[] = "usage: plain_ceilings [-m potts|ising] [-q states of potts] [-L even "
                         "edge] [-R population] [-t sweeps] "
                         "[-c part that is culled] [-f last beta] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const uint32_t L = (uint32_t)value['L'];
    simulation p = {
        .ising = value['m'] > 0, .L = L, .N = L * L, .cull = value['c'], .beta = value['f']};
    const int digits = (int)value['P'];
    p.q = p.ising ? 2 : (uint32_t)value['q'];
    p.target = p.R = (uint64_t)value['R'];
    p.levels = p.ising ? p.N + 1 : 2 * p.N + 1;
    p.key = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY}).r[1];
    p.key = p.key << 32 | philox((uint64_t)value['s'], (use){.purpose = RUN_KEY}).r[0];
    const size_t capacity = 2 * p.target + 64, levels = (size_t)p.levels;
    p.spins = malloc(capacity * p.N);
    p.children = malloc(capacity * p.N);
    p.level = malloc(capacity * sizeof *p.level);
    p.count = malloc(levels * sizeof *p.count);
    p.found = calloc(levels, sizeof *p.found);
    p.looked = calloc(levels, sizeof *p.looked);
    p.counted = calloc(levels, sizeof *p.counted);
    p.ln_g = malloc(levels * sizeof *p.ln_g);
    if (!p.spins || !p.children || !p.level || !p.count || !p.found || !p.looked || !p.counted ||
        !p.ln_g)
        errx(2, "not enough memory");
    for (size_t n = 0; n < levels; n++)
        p.ln_g[n] = -INFINITY;
    for (uint64_t j = 0; j < p.R; j++)
        randomise(&p, p.spins + j * p.N, (use){.purpose = RANDOMISE, .owner = (uint32_t)j});
    anneal(&p, (uint32_t)value['t'], digits);
    for (int64_t n = 0; n < p.levels; n++)
        if (p.found[n] > 0)
            print_row("", (double[]){energy(&p, n), ieee_log(p.counted[n]) - p.ln_g[n], p.found[n]},
                      digits);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
