/* How many replicas change their rank at a resampling: a population is annealed on the CPU, and the copies that it gets
 * (eq. 2) are counted as P ranks would hold it, for as many P as are asked for. The shares are those of paising/ranks/:
 * whole machine words, evenly divided, children in the order of their parents.
 *
 * Replica k has n_k children, of variance s^2. The children of the replicas before a boundary at x R differ
 * from its new place by some s sqrt(R x (1 - x)). If the n_k are independent, what crosses all boundaries is on the average
 *     sqrt(2/pi) s sum_b sqrt(R x_b (1 - x_b)),  x_b = b / P.
 * They are not independent where relatives, who stand side by side, are alike: `alike` is what was
 * counted over that. */
#include "base/message.h"
#include "base/usage.h"
#include "command/options.h"
#include "engine/capacity.h"
#include "resample/resampling.h"
#include "resample/rules.h"
#include "rounds.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNIT       32 /* replicas that stand together */
#define MOST       16 /* numbers of ranks */
#define MOST_RANKS 1000000
#define DBETA      0.005
#define DBETA_TEXT "0.005"

/* A population, and the children that it is to get. */
typedef struct {
    engine *e;
    histogram report;
    uint64_t *tau_hat;  /* [levels] tau-hat */
    uint32_t *level;    /* [capacity] */
    uint32_t *children; /* [capacity] */
    uint64_t target, all;
    double variance; /* of the children of a replica */
} annealed;

/* What happens on P ranks, over all steps. */
typedef struct {
    uint64_t ranks;
    double sent, expected; /* replicas in all steps; what crosses boundaries by the formula above */
    double crossed;        /* what crosses boundaries */
    double worst_step, worst_at; /* the most that crosses them in one step, and its beta */
    uint64_t worst_rank;         /* the most that one rank sends in a step */
    uint64_t hops;               /* the longest way, in ranks */
} exchange;

static uint64_t share_begin(uint64_t population, uint64_t rank, uint64_t ranks) {
    const uint64_t units = (population + UNIT - 1) / UNIT, begin = units * rank / ranks * UNIT;
    return begin < population ? begin : population;
}

/* Draws the children of all replicas, as the next step will. */
static void draw_children(annealed *a, stream_key key, uint32_t temperature) {
    const uint64_t replicas = a->report.population;
    double squares = 0;
    a->all = 0;
    for (uint64_t k = 0; k < replicas; k += 4) {
        const selection_numbers numbers = {key, temperature};
        const stream_block four = resampling_shared(numbers, k);
        for (uint64_t j = k; j < k + 4 && j < replicas; j++) {
            const uint64_t n = resampling_copies_of(RESAMPLE_NEAREST, numbers, (uint32_t)j, &four,
                                                    a->tau_hat[a->level[j]]);
            a->children[j] = (uint32_t)n;
            a->all += n;
            squares += (double)n * (double)n;
        }
    }
    const double mean = (double)a->all / (double)replicas;
    a->variance = squares / (double)replicas - mean * mean;
}

/* Sends the replicas of one rank whose children are made by others; the first has the number of *child. */
static uint64_t send(const annealed *a, exchange *x, uint64_t rank, uint64_t *child, uint64_t *to) {
    const uint64_t end = share_begin(a->report.population, rank + 1, x->ranks);
    uint64_t sent = 0;
    for (uint64_t k = share_begin(a->report.population, rank, x->ranks); k < end; k++) {
        uint64_t last = UINT64_MAX; /* who has got this replica */
        for (uint32_t n = 0; n < a->children[k]; n++, ++*child) {
            while (*child >= share_begin(a->all, *to + 1, x->ranks))
                ++*to;
            const uint64_t way = *to > rank ? *to - rank : rank - *to;
            sent += way > 0 && last != *to;
            x->hops = way > x->hops ? way : x->hops;
            last = *to;
        }
    }
    return sent;
}

/* Counts what a step moves. */
static void count(const annealed *a, exchange *x, double beta) {
    const double replicas = (double)a->report.population;
    const double unit = sqrt(2 / M_PI * a->variance * replicas);
    uint64_t child = 0, to = 0;
    double crossed = 0;
    for (uint64_t rank = 0; rank < x->ranks; rank++) {
        const double left = (double)rank / (double)x->ranks;
        const uint64_t place = share_begin(a->all, rank, x->ranks);
        x->expected += unit * sqrt(left * (1 - left));
        crossed += (double)(place > child ? place - child : child - place);
        const uint64_t sent = send(a, x, rank, &child, &to);
        x->worst_rank = sent > x->worst_rank ? sent : x->worst_rank;
        x->sent += (double)sent;
    }
    x->crossed += crossed;
    if (crossed > x->worst_step) {
        x->worst_step = crossed;
        x->worst_at = beta;
    }
}

/* The time in which a rank finds what one other has of its children. */
static double walk_ns(const annealed *a, uint64_t ranks) {
    volatile uint64_t seen = 0;
    const double start = cpu_seconds();
    const uint64_t rounds = 1000000 / ranks + 1;
    for (uint64_t n = 0; n < rounds * ranks; n++)
        seen = seen + share_begin(a->all, n % ranks, ranks) +
               share_begin(a->all, n % ranks + 1, ranks);
    return 1e9 * (cpu_seconds() - start) / (double)(rounds * ranks);
}

/* Makes a step to the next temperature, after the exchange of all `x` has been counted. */
static exit_status make_step(annealed *a, exchange *x, size_t rows, uint32_t temperature,
                             uint32_t sweeps) {
    const stream_key key = stream_run_key(1, 0);
    const double beta = DBETA * temperature;
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = key,
                              .temperature = temperature,
                              .sweeps = sweeps,
                              .founders = a->target,
                              .tau_hat = a->tau_hat,
                              .rule = flip_rule_at(&metropolis_update, &a->e->model, beta)};
    resampling_tau_hat(&a->report, DBETA, a->target, a->tau_hat);
    if (a->e->verbs->read_levels(a->e, 0, a->report.population, a->level) != ENGINE_OK)
        return complain(STATUS_FAILED, "%s", a->e->error);
    draw_children(a, key, temperature);
    for (size_t n = 0; n < rows; n++)
        count(a, &x[n], beta);
    if (a->e->verbs->step(a->e, &step, &a->report) != ENGINE_OK)
        return complain(STATUS_FAILED, "the population does not reach beta = %g", beta);
    if (a->report.population != a->all)
        return complain(STATUS_FAILED, "beta = %g: other children than those that were counted",
                        beta);
    return STATUS_OK;
}

static exit_status create(annealed *a, const parameters *p) {
    const engine_config config = {.coding = CODING_MSC,
                                  .model = parameters_model(p),
                                  .word = UNIT,
                                  .rng = RNG_INDEPENDENT,
                                  .capacity = population_capacity(p->population, UNIT)};
    *a = (annealed){.e = engine_cpu_create(&config), .target = p->population};
    a->level = malloc(config.capacity * sizeof *a->level);
    a->children = malloc(config.capacity * sizeof *a->children);
    a->tau_hat = a->e ? calloc(a->e->model.levels.count, sizeof *a->tau_hat) : NULL;
    if (!a->level || !a->children || !a->tau_hat || histogram_create(&a->report, &a->e->model))
        return complain(STATUS_REFUSED, "R = %" PRIu64 ": not enough memory", p->population);
    a->e->verbs->randomise(a->e, stream_run_key(1, 0), a->target, &a->report);
    return STATUS_OK;
}

/* --- the command line --- */

/* L, R, THETA and BETA, by the rules of the program's options. Returns its answer. */
static int read_parameters(parameters *p, char **word) {
    char *options[] = {word[0], "-L", word[1], "-R", word[2],   "-t",
                       word[3], "-f", word[4], "-d", DBETA_TEXT};
    const int answer = parameters_parse(p, sizeof options / sizeof *options, options);
    if (answer == STATUS_OK && p->beta_end < DBETA)
        return (int)complain(STATUS_REFUSED, "BETA '%s': from " DBETA_TEXT " on", word[4]);
    return answer;
}

static exit_status read_ranks(exchange *x, const char *text) {
    char *end;
    x->ranks = strtoull(text, &end, 10);
    if (*end != '\0' || !isdigit((unsigned char)*text) || x->ranks < 1 || x->ranks > MOST_RANKS)
        return complain(STATUS_REFUSED, "P '%s': a whole number from 1 to %d", text, MOST_RANKS);
    return STATUS_OK;
}

static void show(const parameters *p, const char *size, const exchange *x, size_t rows,
                 uint32_t steps, double variance, const annealed *a) {
    puts(
        "# L R theta beta_end P sent crossing independent alike worst_step at_beta worst_rank hops "
        "variance walk/ns");
    for (size_t n = 0; n < rows; n++) {
        const double each = steps * (double)x[n].ranks;
        printf("%s %" PRIu64 " %u %g %" PRIu64 " %.4g %.4g %.4g %.3f %.4g %.3f %" PRIu64 " %" PRIu64
               " %.4f %.3g\n",
               size, p->population, p->sweeps, steps * DBETA, x[n].ranks, x[n].sent / each,
               x[n].crossed / each, x[n].expected / each, x[n].crossed / x[n].expected,
               x[n].worst_step / (double)x[n].ranks, x[n].worst_at, x[n].worst_rank, x[n].hops,
               variance, walk_ns(a, x[n].ranks));
    }
}

static const char usage[] = "usage: exchange_volume L R THETA BETA P...\n"
                            "Anneals R replicas of the square lattice to BETA in steps of 0.005, "
                            "and counts what P ranks would send to one\n"
                            "another. On the average over steps and ranks: sent, replicas; "
                            "crossing, children that cross the boundary below a\n"
                            "rank; independent, what would cross if copies were independent; "
                            "alike, the ratio of the two. worst_step: crossing\n"
                            "in the worst step; worst_rank: the most that one rank sends in a "
                            "step; hops: the farthest, in ranks.\n";

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc < 6 || argc > 5 + MOST)
        return complain(STATUS_REFUSED, "allowed: L R THETA BETA and 1 to %d numbers of ranks",
                        MOST);
    parameters p;
    if (read_parameters(&p, argv))
        return STATUS_REFUSED;
    const size_t rows = (size_t)argc - 5;
    exchange x[MOST] = {{0}};
    for (size_t n = 0; n < rows; n++)
        if (read_ranks(&x[n], argv[5 + n]))
            return STATUS_REFUSED;
    annealed a;
    if (create(&a, &p))
        return STATUS_REFUSED;
    const uint32_t steps = (uint32_t)lround(p.beta_end / DBETA);
    double variance = 0;
    for (uint32_t t = 1; t <= steps; t++) {
        if (make_step(&a, x, rows, t, p.sweeps))
            return STATUS_FAILED;
        variance += a.variance / steps;
    }
    show(&p, argv[1], x, rows, steps, variance, &a);
    a.e->verbs->destroy(a.e);
    histogram_destroy(&a.report);
    free(a.tau_hat);
    free(a.level);
    free(a.children);
    return (int)close_stdout();
}
