/* Parameters: the rules that they must obey, and names. */
#include "parameters.h"

#include "engine/capacity.h"
#include "engine/streams.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS 1000000

/* Above exp(-4 beta) = 2^-32, beta = 5.5, nothing moves any more. */
#define MAX_BETA 1000

spin_model parameters_model(const parameters *p) {
    return square_kind.create(p->size);
}

schedule_plan parameters_schedule(const parameters *p) {
    return (schedule_plan){.beta_start = p->beta_start,
                           .beta_end = p->beta_end,
                           .dbeta = p->dbeta,
                           .overlap = p->overlap};
}

beta_grid parameters_grid(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->reweight_step};
}

bool parameters_replicas_correlated(const parameters *p) {
    return p->coding == CODING_MSC && (p->rng == RNG_SHARED || p->rng == RNG_SHARED_REORDER);
}

/* Where a broken rule is put. */
typedef struct {
    char *text;
    size_t size;
} message;

/* Formats the message and returns -1. */
static int refuse(message m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(message m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m.text, m.size, format, arguments);
    va_end(arguments);
    return -1;
}

/* The edge of the lattice. */
static int check_size(const parameters *p, message m) {
    const edge_rule rule = square_kind.edges[p->coding];
    if (!edge_is_allowed(rule, p->size))
        return refuse(m,
                      "-L %" PRIu32
                      ": with coding %s the lattice edge must be a multiple of %" PRIu32
                      " from %" PRIu32 " to %" PRIu32,
                      p->size, coding_name(p->coding), rule.multiple, rule.smallest, rule.largest);
    return 0;
}

/* Whether the counters hold a population: replicas and families are counted in 32 bits, M^2 is
 * summed in 64 bits, and M^4 in units of the order unit to the fourth in 96 (histogram.h). */
static bool counters_hold(uint64_t population, const spin_model *model, uint32_t word) {
    const double capacity = (double)population_capacity(population, word);
    const double spins = (double)model->sites;
    return capacity < 0x1p32 && capacity * spins * spins < 0x1p64 &&
           capacity * pow(spins / model->order_unit, 4) < 0x1p96;
}

static int check_population(const parameters *p, message m) {
    const spin_model model = parameters_model(p);
    if (p->population >= 1 && p->population < UINT32_MAX &&
        counters_hold(p->population, &model, p->word))
        return 0;
    uint64_t fits = 1, too_large = UINT32_MAX;
    while (too_large - fits > 1) {
        const uint64_t middle = fits + (too_large - fits) / 2;
        if (counters_hold(middle, &model, p->word))
            fits = middle;
        else
            too_large = middle;
    }
    return refuse(m,
                  "-R %" PRIu64 ": the population must be from 1 to %" PRIu64
                  ", which the counters hold at L = %" PRIu32,
                  p->population, fits, p->size);
}

/* A step that leads from `from` over `middle` to `to`. */
static int check_step(message m, const char *option, double step, double from, double middle,
                      double to) {
    if (!(step > 0 && step <= MAX_BETA))
        return refuse(m, "%s %.15g: the step must be above 0 and at most %d", option, step,
                      MAX_BETA);
    const double temperatures =
        1 + schedule_steps(middle - from, step) + schedule_steps(to - middle, step);
    if (temperatures > SCHEDULE_MAX_TEMPERATURES)
        return refuse(m,
                      "%s %.15g: from %.15g to %.15g this step gives %.9g temperatures, and %d "
                      "are allowed",
                      option, step, from, to, temperatures, SCHEDULE_MAX_TEMPERATURES);
    return 0;
}

/* The inverse temperatures and the steps between them. */
static int check_betas(const parameters *p, message m) {
    if (!(p->beta_start >= 0 && p->beta_start <= MAX_BETA))
        return refuse(m, "-b %.15g: the first inverse temperature must be from 0 to %d",
                      p->beta_start, MAX_BETA);
    if (!(p->beta_end >= 0 && p->beta_end <= MAX_BETA))
        return refuse(m, "-f %.15g: the last inverse temperature must be from 0 to %d", p->beta_end,
                      MAX_BETA);
    if (p->beta_end < p->beta_start)
        return refuse(
            m, "-f %.15g: the last inverse temperature must not be below the first, -b %.15g",
            p->beta_end, p->beta_start);
    if (p->overlap != 0) {
        if (!(p->overlap > 0 && p->overlap < 1))
            return refuse(m, "-a %.15g: the overlap must be above 0 and below 1", p->overlap);
        return 0;
    }
    return check_step(m, "-d", p->dbeta, 0, p->beta_start, p->beta_end);
}

/* The grid of the multi-histogram analysis. */
static int check_reweighting(const parameters *p, message m) {
    if (!p->reweight)
        return 0;
    return check_step(m, "-m", p->reweight_step, p->beta_start, p->beta_start, p->beta_end);
}

/* Numbers with a range of their own. */
static int check_counts(const parameters *p, message m) {
    if (p->sweeps < 1)
        return refuse(m, "-t %" PRIu32 ": the number of sweeps must be at least 1", p->sweeps);
    if (p->runs < 1 || p->runs > MAX_RUNS)
        return refuse(m, "-M %" PRIu32 ": the number of runs must be from 1 to %d", p->runs,
                      MAX_RUNS);
    if (p->precision < 1 || p->precision > 17)
        return refuse(m, "-P %d: the digits in the output must be from 1 to 17", p->precision);
    if (p->word != 8 && p->word != 16 && p->word != 32 && p->word != 64)
        return refuse(m, "-p %" PRIu32 ": the replicas a word must be 8, 16, 32 or 64", p->word);
    return 0;
}

static int check_stages(const parameters *p, message m) {
    if (p->stages == STAGES_HYBRID && p->coding == CODING_MSC)
        return refuse(m, "--stages hybrid: allowed with -c ssc only; with -c msc: fused, apart");
    return 0;
}

int parameters_validate(const parameters *p, char *text, size_t size) {
    const message m = {text, size};
    return check_size(p, m) || check_counts(p, m) || check_population(p, m) || check_betas(p, m) ||
                   check_reweighting(p, m) || check_stages(p, m)
               ? -1
               : 0;
}

const char *device_name(device_kind device) {
    switch (device) {
    case DEVICE_AUTO:
        return "auto";
    case DEVICE_CPU:
        return "cpu";
    case DEVICE_CUDA:
        return "cuda";
    }
    return "unknown";
}

static const char *whole_text(char text[PARAMETER_TEXT_SIZE], uint64_t x) {
    snprintf(text, PARAMETER_TEXT_SIZE, "%" PRIu64, x);
    return text;
}

static const char *real_text(char text[PARAMETER_TEXT_SIZE], double x, bool there) {
    return there ? number_text(text, x) : "none";
}

const char *parameter_text(char text[PARAMETER_TEXT_SIZE], const parameters *p, int option) {
    switch (option) {
    case 'L':
        return whole_text(text, p->size);
    case 'R':
        return whole_text(text, p->population);
    case 't':
        return whole_text(text, p->sweeps);
    case 'b':
        return real_text(text, p->beta_start, true);
    case 'f':
        return real_text(text, p->beta_end, true);
    case 'd':
        return real_text(text, p->dbeta, !(p->overlap > 0));
    case 'a':
        return real_text(text, p->overlap, p->overlap > 0);
    case 'M':
        return whole_text(text, p->runs);
    case 's':
        return whole_text(text, p->seed);
    case 'P':
        return whole_text(text, (uint64_t)p->precision);
    case 'c':
        return coding_name(p->coding);
    case 'p':
        return p->coding == CODING_MSC ? whole_text(text, p->word) : "none";
    case 'g':
        return p->coding == CODING_MSC ? rng_name(p->rng) : "none";
    case 'm':
        return real_text(text, p->reweight_step, p->reweight);
    }
    return "unknown";
}

int parameters_differ(const parameters *a, const parameters *b) {
    for (const char *option = "LRtbfadMsPcpgm"; *option != '\0'; option++) {
        char of_a[PARAMETER_TEXT_SIZE], of_b[PARAMETER_TEXT_SIZE];
        if (strcmp(parameter_text(of_a, a, *option), parameter_text(of_b, b, *option)) != 0)
            return *option;
    }
    return 0;
}
