/* Microcanonical annealing (microcanonical.h): a population below an energy
 * ceiling, which falls until all replicas have the lowest energy, or have left what counts at the last temperature. A step culls
 * the replicas above the next ceiling, resamples the others to R, and makes theta sweeps, in which any change is made that stays
 * below the ceiling. With --heating the ceiling then rises again. M runs one after the other have means and jackknife errors; a
 * checkpoint stands between two of them, or between two steps. */
#include "microcanonical.h"
#include "base/clock.h"
#include "base/ieee_math.h"
#include "base/signals.h"
#include "method.h"
#include "progress.h"
#include "saved_population.h"
#include "step_pauses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A run ends where ln(Omega_k) - beta_end E_k is so far below its largest value. */
#define NEGLIGIBLE 50

/* Looks at the population below a ceiling end when R / ENOUGH_OF + 2 replicas below the next one were found; there are MOST_LOOKS at most. */
#define ENOUGH_OF  20
#define MOST_LOOKS 1000

/* Of a graph the lowest energy is not known: it is the one that all replicas have, and keep in so many looks. */
#define ENOUGH_LOOKS 20

/* --- runs --- */

static bool engine_did(ceiling_annealer *a, engine_status status) {
    if (status != ENGINE_OK)
        snprintf(a->failure, sizeof a->failure, "run %" PRIu64 ": %s failed: %.200s", a->runs,
                 a->steps.engine->name,
                 status == ENGINE_OUTGROWN ? "the population outgrew its memory"
                                           : a->steps.engine->error);
    return status == ENGINE_OK;
}

static stream_key key_of(const ceiling_annealer *a) {
    return stream_sample_run_key(a->given->seed, 0, (uint32_t)a->runs);
}

/* Makes a step below a ceiling: with tau-hat the replicas above it are culled before, and the others resampled. Returns false if it
 * failed or was given up. */
static bool make_step(ceiling_annealer *a, size_t most, uint32_t step, const uint64_t *tau_hat) {
    const energy_levels levels = a->steps.engine->model.levels;
    const double begun = clock_seconds();
    const engine_step next = {.parts = tau_hat != NULL ? WHOLE_STEP : PART_SWEEP | PART_MEASURE,
                              .key = key_of(a),
                              .temperature = step,
                              .sweeps = a->given->sweeps,
                              .founders = a->given->population,
                              .tau_hat = tau_hat,
                              .rule = {.states = state_rule_below(level_energy(levels, most))},
                              .stop =
                                  long_step_enter(stepper_heeds_stop(&a->steps), a->step_seconds)};
    if (!engine_did(a, stepper_submit(&a->steps, &next)))
        return false;
    stepper_flush(&a->steps);
    const engine_status made = stepper_wait(&a->steps);
    long_step_leave(next.stop);
    a->gave_up = made == ENGINE_STOPPED;
    if (a->gave_up || !engine_did(a, made) || !engine_did(a, stepper_wait_all(&a->steps)))
        return false;
    a->taken++;
    a->step_seconds = clock_seconds() - begun;
    return true;
}

/* ln Omega of a ceiling in run 0, which other runs weigh their own by; that of the run itself if run 0 has no such ceiling. */
static double ln_weight_of(const ceiling_annealer *a, size_t most, double ln_states) {
    const ceiling_run *const known = &a->run[0];
    for (size_t k = 0; a->runs > 0 && k < known->count && known->of[k].most >= most; k++)
        if (known->of[k].most == most)
            return known->of[k].ln_states;
    return ln_states;
}

/* Counts the population at hand below a ceiling. */
static bool count(ceiling_annealer *a, size_t most, double ln_states) {
    if (ceilings_add(&a->run[a->runs], &a->steps.report, most, ln_states,
                     ln_weight_of(a, most, ln_states)))
        return engine_did(a, microcanonical_spins_add(a));
    snprintf(a->failure, sizeof a->failure, "not enough memory for the ceilings");
    return false;
}

/* Runs keep the ceilings of run 0, so that no replica of theirs has a say in them. Returns whether run 0 has one below that at hand, and
 * sets *next to it. */
static bool next_is_known(const ceiling_annealer *a, size_t *next) {
    const ceiling_run *const known = &a->run[0];
    const ceiling *below = known->of;
    if (a->runs == 0 || known->of[known->count - 1].most >= a->at.most)
        return false;
    while (below->most >= a->at.most)
        below++;
    *next = below->most;
    return true;
}

static uint64_t enough(const ceiling_annealer *a) {
    return a->given->population / ENOUGH_OF + 2;
}

/* Adds the population at hand to those that tell which part of it is below ceiling `below`. Returns whether they have found enough there. */
static bool looked_enough(ceiling_annealer *a, size_t below) {
    a->at.last = ceilings_left(&a->steps.report, below);
    a->at.left += a->at.last;
    a->at.looks++;
    return a->at.left >= enough(a);
}

/* That part; the next looks are of another ceiling. */
static double take_part(ceiling_annealer *a) {
    ceiling_position *const at = &a->at;
    const double part = ceilings_part(a->steps.report.population, at->looks, at->left - at->last,
                                      at->last, enough(a));
    at->left = at->last = at->looks = 0;
    return part;
}

/* Ends a run: the numbers of states follow from its ceilings. */
static bool end_run(ceiling_annealer *a) {
    ceilings_count_states(&a->run[a->runs]);
    if (a->given->heating)
        ceilings_sum_heating(&a->run[a->runs]);
    a->at = (ceiling_position){.begun = false};
    a->runs++;
    return true;
}

/* The ceilings fall no further: lets them rise again, if that was asked, or ends the run. */
static bool turn(ceiling_annealer *a) {
    const size_t lowest = a->run[a->runs].count - 1;
    ceilings_leave(&a->run[a->runs], SIZE_MAX, 1);
    a->at.left = a->at.last = a->at.looks = 0;
    if (!a->given->heating || lowest == 0)
        return end_run(a);
    a->at.rising = lowest;
    return true;
}

/* Lowers the ceiling by a step, or looks once more at the population below it. */
static bool fall(ceiling_annealer *a) {
    ceiling_position *const at = &a->at;
    const spin_model *const model = &a->steps.engine->model;
    const double per_level =
        a->given->beta_end * (double)model->levels.spacing / level_unit(model->levels);
    const double weight = at->ln_states - per_level * (double)at->most;
    const bool known = next_is_known(a, &at->next), lowest_unknown = model->graph != NULL && !known;
    if (at->looks == 0) {
        if (!known)
            at->next = ceilings_next(&a->steps.report, a->given->cull,
                                     lowest_unknown ? a->steps.report.first : 0);
        at->largest = fmax(at->largest, weight);
        if (at->next == SIZE_MAX || weight < at->largest - NEGLIGIBLE)
            return turn(a);
    }
    if (!looked_enough(a, at->next)) {
        if (lowest_unknown && at->left == 0 && at->looks == ENOUGH_LOOKS)
            return turn(a);
        if (at->looks <= MOST_LOOKS)
            return make_step(a, at->most, ++at->step, NULL) && count(a, at->most, at->ln_states);
        a->stuck++;
        return turn(a);
    }
    const double part = take_part(a);
    at->ln_states += ieee_log(part);
    at->most = at->next;
    ceilings_tau_hat(&a->steps.report, at->most, a->given->population, a->tau_hat);
    if (!make_step(a, at->most, ++at->step, a->tau_hat))
        return false;
    ceilings_leave(&a->run[a->runs], at->most, part);
    return count(a, at->most, at->ln_states);
}

/* Sweeps below the ceiling above, and looks how many replicas are still below the one that is left. */
static bool rise(ceiling_annealer *a) {
    ceiling *const of = a->run[a->runs].of;
    size_t above = a->at.rising;
    while (above > 0 && of[above].most == of[a->at.rising].most)
        above--;
    if (of[above].most == of[a->at.rising].most)
        return end_run(a);
    a->at.most = of[above].most;
    if (!make_step(a, a->at.most, ++a->at.step, NULL))
        return false;
    const bool found = looked_enough(a, of[a->at.rising].most);
    if (!found && a->at.looks <= MOST_LOOKS)
        return true;
    const double part = take_part(a);
    of[above + 1].ln_heating = found ? ieee_log(part) : NAN;
    a->at.rising = above;
    return above > 0 || end_run(a);
}

/* --- checkpoints --- */

static void save(ceiling_annealer *a) {
    a->checkpoint_failed = microcanonical_save(a) != STATUS_OK;
    a->saved = clock_seconds();
}

/* Between two steps: whether the simulation is to end, of which the last step took so many seconds; writes a checkpoint if one is due. */
static bool pauses(ceiling_annealer *a, double step_seconds) {
    const checkpoint_interval every = a->given->checkpoint_every;
    const double now = clock_seconds();
    time_limit_keep(a->given, a->start, step_seconds);
    a->interrupted = signals_pending();
    if (a->given->checkpoint != NULL &&
        (a->interrupted != 0 ||
         (every.steps > 0 ? a->taken % every.steps == 0 : now - a->saved >= every.seconds)))
        save(a);
    return a->interrupted != 0;
}

/* Makes the rest of the run at hand. Returns false where it failed, or was interrupted. */
static bool make_run(ceiling_annealer *a, progress_line *progress) {
    const spin_model *const model = &a->steps.engine->model;
    const uint64_t run = a->runs;
    double last = clock_seconds();
    bool good = true;
    if (!a->at.begun) {
        a->at =
            (ceiling_position){.begun = true,
                               .most = model->levels.count - 1,
                               .ln_states = (double)model->sites * ieee_log(model_states(model)),
                               .largest = -INFINITY};
        good = engine_did(a, stepper_randomise(&a->steps, key_of(a), a->given->population)) &&
               count(a, a->at.most, a->at.ln_states);
    }
    while (good && a->runs == run) {
        const double now = clock_seconds();
        if (pauses(a, now - last))
            return false;
        last = now;
        const ceiling_position before = a->at;
        good = a->at.rising > 0 ? rise(a) : fall(a);
        if (a->gave_up) {
            a->at = before;
            pauses(a, 0);
        }
        progress_of_steps(progress, (uint32_t)a->runs, a->given->runs);
    }
    return good;
}

/* --- the method --- */

static exit_status publish(ceiling_annealer *a, result_folder *folder) {
    if (a->runs == 0)
        return STATUS_OK;
    if (a->runs < a->given->runs)
        snprintf(folder->note, sizeof folder->note,
                 "%s after run %" PRIu64 " of %" PRIu32 ": what comes after that is missing",
                 a->failure[0] != '\0' ? "failed" : "interrupted", a->runs, a->given->runs);
    return result_folder_put(folder, microcanonical_write, a, folder->note[0] != '\0');
}

static exit_status create(ceiling_annealer *a, engine *e) {
    a->run = calloc(a->given->runs, sizeof *a->run);
    a->tau_hat = calloc(e->model.levels.count, sizeof *a->tau_hat);
    bool made = a->run != NULL && a->tau_hat != NULL && !stepper_create(&a->steps, e);
    for (size_t m = 0; m < a->given->runs && made; m++)
        made = ceilings_create(&a->run[m], e->model.levels);
    made = made && microcanonical_spins_create(a);
    return made ? STATUS_OK
                : complain(STATUS_REFUSED, "-M %" PRIu32 ": not enough memory for the levels",
                           a->given->runs);
}

static void destroy(ceiling_annealer *a) {
    for (size_t m = 0; a->run != NULL && m < a->given->runs; m++)
        ceilings_destroy(&a->run[m]);
    microcanonical_spins_destroy(a);
    free(a->run);
    free(a->tau_hat);
    stepper_destroy(&a->steps);
}

/* Says how the simulation ended. */
static void say(const ceiling_annealer *a) {
    char how[PROGRESS_TEXT_SIZE];
    if (a->interrupted != 0)
        warn("%s: ended in run %" PRIu64 " of %" PRIu32 "%s%s", signals_name(a->interrupted),
             a->runs, a->given->runs,
             a->runs == 0 ? ": none is finished, and there is no result" : "",
             progress_how_to_go_on(how, a->given,
                                   a->given->checkpoint != NULL && !a->checkpoint_failed));
    if (a->stuck > 0)
        warn("warning: %" PRIu64 " of %" PRIu64
             " runs ended at a ceiling below which too few replicas came: lower energies are "
             "missing, and rows at a beta where these matter mean little; more replicas (-R) or "
             "sweeps (-t) would help",
             a->stuck, a->runs);
    if (a->runs == 1)
        warn("warning: one run has no errors, and whether few runs decide the averages is not "
             "known; more runs (-M) would tell");
    size_t scattered;
    double largest;
    const size_t rows = microcanonical_scatter(a, &scattered, &largest);
    if (scattered > 0)
        warn("warning: at %zu of %zu temperatures the logarithm of the partition function scatters "
             "over the runs "
             "with a variance above %d, of %.3g at most: few runs decide the averages, which may "
             "be far off, and errors mean little; more replicas "
             "(-R) or sweeps (-t) would help",
             scattered, rows, CEILINGS_MOST_VARIANCE, largest);
}

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    ceiling_annealer a = {
        .given = p, .parts = 1, .start = engines->start, .step_seconds = INFINITY};
    progress_line progress;
    exit_status status = create(&a, engines->member[0]);
    if (!status && p->resume != NULL)
        status = microcanonical_resume(&a);
    if (!status) {
        tell("seed %" PRIu64 "\n", p->seed);
        progress_announce(p, engines->place.device);
        progress_begin(&progress, p);
        a.saved = clock_seconds();
        while (a.runs < p->runs && make_run(&a, &progress)) {
        }
        progress_end(&progress);
        if (a.failure[0] != '\0')
            status = complain(STATUS_FAILED, "%s", a.failure);
        const exit_status published = publish(&a, folder);
        if (!status && !published && a.runs > 0)
            tell("%s\n", result_folder_place(folder));
        say(&a);
        status = status ? status : published;
        if (!status && a.checkpoint_failed && a.interrupted != 0)
            status = STATUS_FAILED;
    }
    *signal = a.interrupted;
    destroy(&a);
    return status;
}

static memory_share bytes(const parameters *p) {
    const spin_model model = parameters_model(p);
    const energy_levels levels = model.levels;
    const uint64_t found =
        levels.count * (sizeof(reweighting_level) + sizeof(fixed) + 2 * sizeof(double));
    return (memory_share){.each = levels.count * (sizeof(level_sums) + sizeof(uint64_t)) +
                                  sizeof(histogram) + (2 * (uint64_t)p->runs + 1) * found +
                                  microcanonical_spins_bytes(p, &model) +
                                  (p->checkpoint != NULL ? saved_population_bytes(&model) : 0)};
}

extern const method microcanonical_method;
const method microcanonical_method = {.run = run, .bytes = bytes};
