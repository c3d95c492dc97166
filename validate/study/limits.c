/* build/study_limits: what infinitely many sweeps and an infinite population would give (branching.h), of the L x L ferromagnet,
 * from its exact numbers of states. Prints two blocks that gnuplot knows as index "temperatures" and "families". */
#include "base/message.h"
#include "base/usage.h"
#include "branching.h"
#include "reference/energy_states.h"
#include "reference/exact.h"
#include "resample/schedule.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>

static const char usage[] =
    "usage: study_limits -L L [-d STEP] [-f BETA] [-F]\n"
    "Population annealing of the L x L ferromagnet with infinitely many sweeps and an infinite\n"
    "population, by rule of resampling: mean family sizes and free energies.\n"
    "\n"
    "  -L L      lattice edge, even, 4 to 40\n"
    "  -d STEP   step of the inverse temperature, above 0 [0.01]\n"
    "  -f BETA   the last one, above 0 and at most 10 [1]\n"
    "  -F        also what becomes of families: takes some seconds\n"
    "  -h        this text\n";

/* At so many temperatures families are counted, and as many steps the limit of small ones is made of at most. */
#define FAMILY_ROWS 10
#define FINE_STEPS  100
#define MOST_SIZE   160

typedef struct {
    uint32_t size;
    double step, end;
    bool families;
} request;

static double number_of(const char *text, double most, const char *option) {
    char *rest;
    const double x = strtod(text, &rest);
    if (rest == text || *rest != '\0' || !(x > 0 && x <= most))
        exit(
            complain(STATUS_REFUSED, "%s %s: a number above 0 and at most %g", option, text, most));
    return x;
}

static request read_request(int argc, char **argv) {
    request r = {.step = 0.01, .end = 1};
    opterr = 0;
    for (int option; (option = getopt(argc, argv, "L:d:f:F")) != -1;)
        switch (option) {
        case 'L':
            r.size = (uint32_t)number_of(optarg, 40, "-L");
            break;
        case 'd':
            r.step = number_of(optarg, 10, "-d");
            break;
        case 'f':
            r.end = number_of(optarg, 10, "-f");
            break;
        case 'F':
            r.families = true;
            break;
        default:
            exit(complain(STATUS_REFUSED, "unknown option; study_limits --help lists them"));
        }
    if (optind < argc || r.size < EXACT_MIN_SIZE || r.size % 2 != 0)
        exit(complain(STATUS_REFUSED, "-L: the lattice edge must be an even number from 4 to 40"));
    return r;
}

/* The steps from beta = 0. */
typedef struct {
    size_t count;
    double *beta; /* [count + 1] */
    branching_step *step;
} annealing_steps;

static bool steps_create(annealing_steps *a, const level_states *s, request r) {
    const double count = schedule_steps(r.end, r.step);
    *a = (annealing_steps){0, calloc((size_t)count + 1, sizeof *a->beta),
                           calloc((size_t)count + 1, sizeof *a->step)};
    bool good = a->beta != NULL && a->step != NULL;
    for (double i = 1; good && i <= count; i++) {
        a->beta[(size_t)i] = schedule_at(0, r.end, r.step, i, count);
        good = branching_step_create(&a->step[a->count++], s, a->beta[(size_t)i - 1],
                                     a->beta[(size_t)i]);
    }
    return good;
}

/* Whether the numbers of states give the energies of Kaufman's solution at every temperature; if not, says where. */
static bool states_are_right(const annealing_steps *a, const level_states *s, request r) {
    double *const p = malloc(s->levels.count * sizeof *p);
    bool good = p != NULL;
    for (size_t k = 0; good && k <= a->count; k++) {
        const double sites = (double)r.size * r.size;
        double energy = 0;
        canonical_fill(s, a->beta[k], p);
        for (size_t n = 0; n < s->levels.count; n++)
            energy += p[n] * (double)level_energy(s->levels, n);
        good = fabs(energy / sites - exact_thermodynamics(r.size, a->beta[k]).e) < 1e-11;
        if (!good)
            complain(STATUS_FAILED, "beta = %g: the states do not have Kaufman's energy",
                     a->beta[k]);
    }
    free(p);
    return good;
}

/* Sums over the first `count` steps of var tau and of the variances of a rule. */
static double sum_tau(const annealing_steps *a, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += branching_tau_variance(&a->step[k]);
    return sum;
}

static double rho_t(const annealing_steps *a, size_t count, branching_rule rule) {
    double sum = 1;
    for (size_t k = 0; k < count; k++)
        sum += branching_variance(&a->step[k], rule);
    return sum;
}

static void print_temperatures(const annealing_steps *a, const level_states *s, request r) {
    printf(
        "# temperatures: sum of var tau, R times the variance of ln Z of any rule; rho_t by rule, "
        "and for steps to 0\n"
        "# beta e C betaF/N var_tau rho_t:nearest rho_t:poisson rho_t:residual rho_t:nearest,0\n");
    double rate_sum = 0;
    for (size_t k = 0; k <= a->count; k++) {
        const exact_result x = exact_thermodynamics(r.size, a->beta[k]);
        for (int n = 0; k > 0 && n < 4; n++) { /* the integral of the rate, in quarters of a step */
            const double width = (a->beta[k] - a->beta[k - 1]) / 4;
            rate_sum += width * branching_rate(s, a->beta[k - 1] + (n + 0.5) * width);
        }
        printf("%.15g %.12g %.12g %.12g %.10g %.10g %.10g %.10g %.10g\n", a->beta[k], x.e, x.c,
               x.beta_f, sum_tau(a, k), rho_t(a, k, BRANCH_NEAREST), rho_t(a, k, BRANCH_POISSON),
               rho_t(a, k, BRANCH_RESIDUAL), 1 + 2 * rate_sum);
    }
}

/* Whether there was memory. */
static bool print_families(const annealing_steps *a, const level_states *s) {
    systematic_families systematic;
    double rate_sum = 0, before = 0;
    bool good = systematic_create(&systematic, MOST_SIZE);
    printf("\n\n# families: shares that live and rho_s by rule, for steps to 0 of nearest integers "
           "and of systematic "
           "resampling\n# beta alive:nearest rho_s:nearest alive:poisson rho_s:poisson "
           "alive:residual rho_s:residual "
           "alive:nearest,0 rho_s:nearest,0 alive:systematic,0 rho_s:systematic,0 "
           "rho_t:systematic,0\n");
    for (size_t row = 1; good && row <= FAMILY_ROWS; row++) {
        const size_t count = a->count * row / FAMILY_ROWS;
        const double beta = a->beta[count];
        printf("%.15g", beta);
        for (branching_rule rule = 0; rule < BRANCH_RULES; rule++) {
            const family_sizes f = branching_families(a->step, count, rule, rho_t(a, count, rule));
            printf(" %.10g %.10g", f.alive, f.rho_s);
        }
        const int parts = FINE_STEPS / FAMILY_ROWS;
        for (int n = 0; good && n < parts; n++) {
            const double width = (beta - before) / parts, from = before + n * width;
            rate_sum += width * branching_rate(s, from + width / 2);
            good = systematic_step(&systematic, s, from, from + width);
        }
        before = beta;
        const family_sizes small = branching_geometric(rate_sum),
                           side = systematic_sizes(&systematic);
        printf(" %.10g %.10g %.10g %.10g %.10g\n", small.alive, small.rho_s, side.alive, side.rho_s,
               systematic_rho_t(&systematic));
    }
    systematic_destroy(&systematic);
    return good;
}

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    const request r = read_request(argc, argv);
    const uint32_t edge[MODEL_MAX_DIMENSION] = {r.size, r.size, 1};
    const spin_model model = square_kind.create(edge);
    level_states states;
    annealing_steps steps;
    if (!level_states_create(&states, &model) || !steps_create(&steps, &states, r))
        return complain(STATUS_FAILED, "not enough memory");
    if (!states_are_right(&steps, &states, r))
        return STATUS_FAILED;
    print_temperatures(&steps, &states, r);
    const bool good = !r.families || print_families(&steps, &states);
    for (size_t k = 0; k < steps.count; k++)
        branching_step_destroy(&steps.step[k]);
    free(steps.beta);
    free(steps.step);
    level_states_destroy(&states);
    return (int)(good ? close_stdout() : complain(STATUS_FAILED, "not enough memory"));
}
