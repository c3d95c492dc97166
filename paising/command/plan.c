/* --plan: population and sweeps for a given time (plan.h). */
#include "plan.h"

#include "base/clock.h"
#include "base/number.h"
#include "device/pool.h"
#include "method/simulation.h"
#include "settings/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define FIRST_POPULATION    1000 /* R of the first pilot, which decides the size of the others */
#define LARGEST_PILOT       1e8
#define SHARE_OF_TIME       0.1
#define MOST_SECONDS        300.0
#define FEWEST_PILOTS       4 /* for a short time, for which pilots may take a larger share */
#define SHARE_OF_SHORT_TIME 0.5
#define SHARE_OF_FIRST      16.0 /* the first pilot may take 1/16 of the time of all pilots */
#define SMALLEST_POPULATION 100
#define LEVER                                                                                      \
    4 /* least ratio of two populations that tells the fixed cost of a step, and largest share of
       * that cost: 1 / LEVER of the larger one's time */

/* --- proposing --- */

double plan_fixed_seconds(const plan_pilot *small, const plan_pilot *large) {
    const double a = (double)small->population, b = (double)large->population;
    if (b < LEVER * a)
        return 0;
    const double constant = (small->seconds * b - large->seconds * a) / (b - a);
    return fmin(fmax(0, constant), large->seconds / LEVER);
}

static double seconds_per_replica(const plan_pilot *pilot, double fixed_seconds) {
    const double rest = pilot->seconds - fixed_seconds;
    return fmax(rest, pilot->seconds / 2) / (double)pilot->population;
}

/* Whether the error estimates of the pilot are reliable. Only then does a proposal contain errors. */
static bool is_believed(const plan_pilot *pilot) {
    return pilot->families >= TRUSTED_FAMILIES && pilot->variance_f > 0 && pilot->variance_c > 0;
}

/* The cost of accuracy, to be minimised: the variance that remains per second, as the geometric
 * mean for beta F and C. Without reliable errors: seconds per effective family. */
static double cost(const plan_pilot *pilot, double fixed_seconds, bool believed) {
    const double replica = seconds_per_replica(pilot, fixed_seconds);
    if (!believed)
        return replica * (double)pilot->population / pilot->families;
    return replica * (double)pilot->population * sqrt(pilot->variance_f * pilot->variance_c);
}

static size_t choose(const plan_pilot pilots[], size_t count, double fixed_seconds,
                     bool *believed) {
    *believed = false;
    for (size_t n = 0; n < count; n++)
        *believed = *believed || is_believed(&pilots[n]);
    size_t best = count;
    for (size_t n = 0; n < count; n++)
        if ((!*believed || is_believed(&pilots[n])) &&
            (best == count || cost(&pilots[n], fixed_seconds, *believed) <
                                  cost(&pilots[best], fixed_seconds, *believed)))
            best = n;
    return best;
}

/* Rounds down to three digits, with a tolerance for rounding errors. */
static uint64_t round_down(double population) {
    double unit = 1;
    while (population / unit >= 1000)
        unit *= 10;
    return (uint64_t)(floor(population / unit + 1e-6) * unit);
}

/* An error as text; "-" if none is proposed. */
static const char *error_text(char text[NUMBER_TEXT_SIZE], double error) {
    snprintf(text, NUMBER_TEXT_SIZE, isnan(error) ? "-" : "%.3g", error);
    return text;
}

/* The proposal to spend the time with the sweeps of one pilot. */
static plan_proposal propose_as(const parameters *p, const plan_pilot *pilot, double fixed_seconds,
                                uint64_t largest) {
    const double replica = seconds_per_replica(pilot, fixed_seconds);
    const double all = p->plan.seconds / p->samples;
    /* Seconds of a run with the largest population. */
    const double fits = fixed_seconds + replica * (double)largest;
    const double runs = fmax(p->runs, ceil(all / fits));
    const double population = (all / runs - fixed_seconds) / replica;
    plan_proposal q = {.sweeps = pilot->sweeps, .runs = (uint32_t)fmin(runs, 1e6)};
    q.population = population < 1 ? 0 : round_down(fmin(population, (double)largest));
    q.seconds = p->samples * q.runs * (fixed_seconds + replica * (double)q.population);
    const double gain = (double)q.population / (double)pilot->population;
    q.families = pilot->families * gain;
    q.believed = is_believed(pilot);
    q.error_f = q.believed ? sqrt(pilot->variance_f / gain / q.runs) : NAN;
    q.error_c = q.believed ? sqrt(pilot->variance_c / gain / q.runs) : NAN;
    q.fits = q.population >= SMALLEST_POPULATION;
    return q;
}

plan_proposal plan_propose(const parameters *p, const plan_pilot pilots[], size_t count,
                           double fixed_seconds, uint64_t largest) {
    bool believed;
    const size_t best = choose(pilots, count, fixed_seconds, &believed);
    plan_proposal q = propose_as(p, &pilots[best], fixed_seconds, largest);
    q.chosen = best;
    return q;
}

/* --- pilots --- */

/* Evaluates the rows of a pilot. */
static void judge_rows(plan_pilot *pilot, const observables rows[], size_t count) {
    pilot->temperatures = count;
    pilot->families = INFINITY;
    for (size_t i = 0; i < count; i++) {
        pilot->families = fmin(pilot->families, rows[i].effective_families);
        pilot->variance_c = fmax(pilot->variance_c, rows[i].error_c * rows[i].error_c);
    }
    pilot->variance_f = rows[count - 1].error_beta_f * rows[count - 1].error_beta_f;
}

static exit_status make_pilot(const parameters *p, const couplings *sample, uint64_t population,
                              uint32_t sweeps, plan_pilot *pilot, int *number) {
    parameters own = *p;
    own.population = population;
    own.sweeps = sweeps;
    own.runs = own.samples = own.in_flight = 1;
    own.reweight = false;
    *pilot = (plan_pilot){.sweeps = sweeps, .population = population};
    engine_pool engines;
    simulation s;
    exit_status status = pool_create(&engines, &own, sample, simulation_bytes(&own));
    if (status)
        return status;
    status = simulation_begin(&s, &own, engines.member, engines.count, engines.start);
    if (!status) {
        status = simulation_run(&s);
        pilot->seconds = clock_seconds() - engines.start;
        *number = s.interrupted;
        const size_t rows = status || *number ? 0 : weighted_reached(&s.finished, 0);
        if (rows > 0 && rows == s.finished.temperatures)
            judge_rows(pilot, s.finished.row, rows);
        simulation_end(&s);
    }
    pool_destroy(&engines);
    return status;
}

/* --- largest population --- */

/* Finds the largest population that fits into memory and counters, and the device for all pilots. */
static exit_status find_largest(parameters *p, uint64_t *largest) {
    char message[300];
    parameters own = *p;
    device_placement place;
    own.population = SMALLEST_POPULATION;
    if (placement_find(&own, &place))
        return STATUS_REFUSED;
    if (place.no_gpu[0] != '\0')
        warn("%s: running on the CPU", place.no_gpu);
    p->device = place.gpu ? DEVICE_CUDA : DEVICE_CPU;
    const memory_share share = simulation_bytes(&own);
    *largest = placement_largest_population(&place, share.once + share.each);
    for (own.population = *largest; own.population > 0; own.population -= own.population / 16 + 1) {
        *largest = own.population;
        if (parameters_validate(&own, message, sizeof message) == 0)
            return STATUS_OK;
    }
    return complain(STATUS_REFUSED, "--plan: no population fits into the memory there is");
}

static void show_proposal(const parameters *p, const plan_pilot pilots[], size_t count,
                          double fixed_seconds, uint64_t largest, const plan_proposal *q) {
    printf("pilots         R = %" PRIu64 ", %zu temperatures; %.3g s of a run whatever R\n",
           pilots[0].population, pilots[0].temperatures, fixed_seconds);
    printf("# theta seconds families | in %.4g s: R runs families err_betaF err_C(largest)\n",
           p->plan.seconds);
    for (size_t n = 0; n < count; n++) {
        const plan_proposal at = propose_as(p, &pilots[n], fixed_seconds, largest);
        char f[NUMBER_TEXT_SIZE], c[NUMBER_TEXT_SIZE];
        printf("%7" PRIu32 " %.3g %.4g | %" PRIu64 " %" PRIu32 " %.4g %s %s%s\n", pilots[n].sweeps,
               pilots[n].seconds, pilots[n].families, at.population, at.runs, at.families,
               error_text(f, at.error_f), error_text(c, at.error_c), n == q->chosen ? "  <-" : "");
    }
    printf("why            %s\n",
           q->believed
               ? "the smallest variances of betaF and C (geometric mean) for the time, of the "
                 "pilots that have 100 families to rely on"
               : "the most families to rely on for the time; no pilot has the 100 that its errors "
                 "need, so none are promised; a longer time makes larger pilots");
    printf("expected time  %.3g s, families to rely on %.3g", q->seconds, q->families);
    if (q->believed)
        printf(", bias of betaF %.2g (half its variance)", q->error_f * q->error_f * q->runs / 2);
    putchar('\n');
    if (q->families < TRUSTED_FAMILIES)
        printf("warning        fewer than %d families to rely on: the time is too short for errors "
               "that can be trusted\n",
               TRUSTED_FAMILIES);
    printf("proposed       -R %" PRIu64 " -t %" PRIu32, q->population, q->sweeps);
    if (q->runs > 1)
        printf(" -M %" PRIu32, q->runs);
    putchar('\n');
}

/* Whether the last two pilots were no better than an earlier one. */
static bool is_past_best(const plan_pilot pilots[], size_t count, double fixed_seconds) {
    bool believed;
    return count > 2 && choose(pilots, count, fixed_seconds, &believed) + 2 < count && believed;
}

exit_status plan_make(const parameters *p, const couplings *sample, int *number) {
    plan_pilot first, pilots[PLAN_MOST_PILOTS];
    uint64_t largest;
    parameters own = *p;
    exit_status status = find_largest(&own, &largest);
    if (status)
        return status;
    const double allowed = fmin(MOST_SECONDS, SHARE_OF_TIME * p->plan.seconds);
    status = make_pilot(&own, sample, largest < FIRST_POPULATION ? largest : FIRST_POPULATION, 1,
                        &first, number);
    if (status || *number)
        return status;
    const double larger = allowed / SHARE_OF_FIRST / first.seconds * (double)first.population;
    const uint64_t population =
        round_down(fmin(fmin(fmax(larger, FIRST_POPULATION), LARGEST_PILOT), (double)largest));
    size_t count = 0;
    double spent = first.seconds, fixed_seconds = 0;
    do {
        status = make_pilot(&own, sample, population, UINT32_C(1) << count, &pilots[count], number);
        if (status || *number)
            return status;
        spent += pilots[count].seconds;
        if (count == 0)
            fixed_seconds = plan_fixed_seconds(&first, &pilots[0]);
        count++;
    } while (count < PLAN_MOST_PILOTS &&
             spent + 2 * pilots[count - 1].seconds <=
                 (count < FEWEST_PILOTS ? fmax(allowed, SHARE_OF_SHORT_TIME * p->plan.seconds)
                                        : allowed) &&
             !is_past_best(pilots, count, fixed_seconds));
    const plan_proposal q = plan_propose(p, pilots, count, fixed_seconds, largest);
    if (!q.fits)
        return complain(STATUS_REFUSED,
                        "--plan %.10gs: too short: with one sweep a temperature a population of %d "
                        "takes longer",
                        p->plan.seconds, SMALLEST_POPULATION);
    show_proposal(p, pilots, count, fixed_seconds, largest, &q);
    return STATUS_OK;
}
