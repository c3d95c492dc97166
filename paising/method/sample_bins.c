/* Samples of which sums over bins are kept (sample_bins.h). */
#include "sample_bins.h"

#include "base/clock.h"
#include "base/signals.h"
#include "engine/sample_sums.h"
#include "files/run_json.h"
#include "files/sample_bins_results.h"
#include "progress.h"
#include "settings/plans.h"
#include "step_pauses.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define PIECE_SECONDS 0.3 /* of rounds between two looks for signals */

typedef struct {
    parameters given; /* common to all: without the number of a sample */
    result_folder *folder;
    const device_placement *place;
    sample_bins result;
    couplings *bonds;                        /* [samples] */
    energy_levels *levels;                   /* likewise */
    const couplings *(*lanes)[SAMPLE_LANES]; /* [words] */
    stream_key *key, (*own)[SAMPLE_LANES];   /* [words] */
    engine_group *group;                     /* [temperatures] */
    double *beta;                            /* likewise */
    uint32_t *fingerprint;                   /* [samples] */
    lane_sums *sums;                         /* [temperatures][words] */
    sample_plan plan;
    sample_engine *engine;
    progress_line progress;
    uint32_t made, piece;        /* rounds so far; of the next piece */
    double start, round_seconds; /* seconds: of a round of the last piece; 0: none yet */
    int interrupted;             /* the signal that ended it early; 0: none */
} bins_run;

static exit_status no_memory(const parameters *p) {
    return complain(STATUS_REFUSED, "--samples %" PRIu32 ": not enough memory", p->samples);
}

/* --- the plan --- */

/* Takes the temperatures, from beta_start on. Returns false without memory. */
static bool take_temperatures(bins_run *s) {
    schedule_plan plan;
    beta_schedule betas;
    if (parameters_schedule(&s->given, &plan) || schedule_create(&betas, &plan) != SCHEDULE_NEXT)
        return false;
    const size_t count = betas.count - betas.first_row;
    s->plan.temperatures = (uint32_t)count;
    s->beta = calloc(count, sizeof *s->beta);
    s->group = calloc(count, sizeof *s->group);
    for (size_t k = 0; k < count && s->beta != NULL && s->group != NULL; k++) {
        s->beta[k] = betas.beta[betas.first_row + k];
        s->group[k] = (engine_group){
            .first = k * s->given.population,
            .rule = flip_rule_at(parameters_acceptance(&s->given), &s->plan.model, s->beta[k])};
    }
    schedule_destroy(&betas);
    return s->beta != NULL && s->group != NULL &&
           !exchange_table_create(&s->plan.exchanges, &s->plan.model, s->beta, count);
}

/* Draws the couplings of a sample, and gives it its bit. */
static bool take_sample(bins_run *s, uint32_t place) {
    parameters one = s->given;
    exit_status status;
    one.sample = s->result.first + place;
    const uint32_t word = one.sample / SAMPLE_LANES - s->result.first / SAMPLE_LANES,
                   lane = one.sample % SAMPLE_LANES;
    if (parameters_couplings(&one, &s->bonds[place], &status) == NULL)
        return false;
    s->lanes[word][lane] = &s->bonds[place];
    s->own[word][lane] = stream_sample_run_key(one.seed, one.sample, 0);
    s->levels[place] = model_of_sample(s->plan.model, &s->bonds[place]).levels;
    s->fingerprint[place] = couplings_fingerprint(&s->bonds[place]);
    return true;
}

static bool take_samples(bins_run *s) {
    const uint32_t first = s->result.first, count = s->given.samples,
                   words = (first + count - 1) / SAMPLE_LANES - first / SAMPLE_LANES + 1;
    s->plan.words = words;
    s->bonds = calloc(count, sizeof *s->bonds);
    s->levels = calloc(count, sizeof *s->levels);
    s->fingerprint = calloc(count, sizeof *s->fingerprint);
    s->lanes = calloc(words, sizeof *s->lanes);
    s->key = calloc(words, sizeof *s->key);
    s->own = calloc(words, sizeof *s->own);
    bool good = s->bonds && s->levels && s->fingerprint && s->lanes && s->key && s->own;
    for (uint32_t w = 0; w < words && good; w++)
        s->key[w] =
            stream_sample_run_key(s->given.seed, (first / SAMPLE_LANES + w) * SAMPLE_LANES, 0);
#pragma omp parallel for reduction(&& : good) schedule(dynamic, 8)
    for (uint32_t place = 0; place < count; place++)
        good = good && take_sample(s, place);
    return good;
}

/* Makes room for what is measured. */
static bool make_room(bins_run *s) {
    sample_bins *const r = &s->result;
    const size_t temperatures = s->plan.temperatures;
    r->given = &s->given;
    r->model = &s->plan.model;
    r->beta = s->beta;
    r->temperatures = temperatures;
    r->samples = s->given.samples;
    r->fingerprint = s->fingerprint;
    r->bins = logarithmic_bins_divide(s->given.measurements, r->bin);
    r->means = calloc(r->bins * temperatures * r->samples, sizeof *r->means);
    r->accepted = calloc(temperatures * r->samples, sizeof *r->accepted);
    r->attempts = calloc(temperatures, sizeof *r->attempts);
    r->agree = calloc(temperatures, sizeof *r->agree);
    s->sums = calloc(temperatures * s->plan.words, sizeof *s->sums);
    return r->means && r->accepted && r->attempts && r->agree && s->sums;
}

static exit_status create(bins_run *s) {
    char reason[300];
    s->plan.model = parameters_replica(&s->given);
    s->plan.sweeps = s->given.sweeps;
    s->plan.chains = s->given.population;
    if (!take_temperatures(s) || !take_samples(s) || !make_room(s))
        return no_memory(&s->given);
    s->plan.lanes = (const couplings *const(*)[SAMPLE_LANES])s->lanes;
    s->plan.key = s->key;
    s->plan.own = (const stream_key(*)[SAMPLE_LANES])s->own;
    s->plan.group = s->group;
    s->engine = placement_sample_engine(s->place, &s->plan, reason, sizeof reason);
    return s->engine != NULL ? STATUS_OK : complain(STATUS_REFUSED, "--record bins: %s", reason);
}

/* --- rounds --- */

/* Takes the time limit for a signal; finds out whether the run is to end before `count` more rounds. */
static bool ends_early(bins_run *s, uint32_t count) {
    time_limit_keep(&s->given, s->start, count * s->round_seconds);
    s->interrupted = signals_pending();
    return s->interrupted != 0;
}

/* Makes rounds up to number `end`, in pieces of some tenths of a second. */
static exit_status make_rounds(bins_run *s, uint32_t end, bool measured) {
    while (s->made < end) {
        const uint32_t left = end - s->made, count = s->piece < left ? s->piece : left;
        if (ends_early(s, count))
            break;
        const double begun = clock_seconds();
        if (!s->engine->verbs->run(s->engine, s->made, count, measured))
            return complain(STATUS_FAILED, "%s failed: %.200s", s->engine->name, s->engine->error);
        s->made += count;
        const double seconds = clock_seconds() - begun;
        s->round_seconds = seconds / count;
        if (seconds < PIECE_SECONDS / 2 && s->piece < (1u << 20))
            s->piece *= 2;
        else if (seconds > PIECE_SECONDS && s->piece > 1)
            s->piece /= 2;
        progress_of_steps(&s->progress, s->made, s->given.thermalisation + s->given.measurements);
    }
    return STATUS_OK;
}

/* Takes the sums of bin `bin`. */
static exit_status take_bin(bins_run *s, size_t bin) {
    sample_bins *const r = &s->result;
    const uint32_t words = s->plan.words, first = r->first;
    if (!s->engine->verbs->read(s->engine, s->sums))
        return complain(STATUS_FAILED, "%s failed: %.200s", s->engine->name, s->engine->error);
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < r->temperatures; k++)
        for (size_t place = 0; place < r->samples; place++) {
            const uint32_t number = first + (uint32_t)place,
                           word = number / SAMPLE_LANES - first / SAMPLE_LANES,
                           lane = number % SAMPLE_LANES;
            const lane_sums *const sums = &s->sums[k * words + word];
            r->means[(bin * r->temperatures + k) * r->samples + place] =
                sample_means_of(sums, lane, r->bin[bin].count, s->given.population, s->beta[k],
                                &s->plan.model, s->levels[place]);
            r->accepted[k * r->samples + place] += sums->of[LANE_ACCEPTED][lane];
        }
    for (size_t n = 0; n < r->bin[bin].count; n++)
        for (size_t k = (s->given.thermalisation + r->bin[bin].first + n) % 2;
             k + 1 < r->temperatures; k += 2)
            r->attempts[k] += s->given.population;
    return STATUS_OK;
}

/* Makes all rounds: those before the first bin without sums, then the bins, the oldest one first. */
static exit_status simulate(bins_run *s) {
    const sample_bins *const r = &s->result;
    const uint32_t before = s->given.thermalisation;
    exit_status status = make_rounds(s, before + (uint32_t)r->bin[r->bins - 1].first, false);
    for (size_t bin = r->bins; bin > 0 && !status && s->interrupted == 0; bin--) {
        const logarithmic_bin *const b = &r->bin[bin - 1];
        status = make_rounds(s, before + (uint32_t)(b->first + b->count), true);
        if (!status && s->interrupted == 0)
            status = take_bin(s, bin - 1);
    }
    return status;
}

/* --- results --- */

static exit_status write_results(result_folder *folder, void *state) {
    const bins_run *const s = state;
    parameters shown = s->given;
    run_report report = {.engine = s->engine->name,
                         .driver = s->engine->driver,
                         .threads = s->engine->threads,
                         .temperatures = s->result.temperatures,
                         .parts = 1,
                         .ranks = 1,
                         .lowest = NAN,
                         .spin_flips = (double)s->made * s->given.sweeps *
                                       (double)s->result.temperatures *
                                       (double)s->given.population * (double)s->result.samples *
                                       (double)s->plan.model.sites,
                         .ground_seconds = NAN,
                         .total_seconds = clock_seconds() - s->start};
    shown.sample = s->result.first;
    for (size_t stage = 0; stage < STAGES; stage++)
        report.seconds[stage] = NAN;
    const exit_status status = sample_bins_write(folder, &s->result);
    return status ? status : run_json_write(folder, &shown, &report);
}

static exit_status publish(bins_run *s) {
    size_t apart = 0;
    sample_bins_compare(&s->result);
    const exit_status status = result_folder_put(s->folder, write_results, s, false);
    for (size_t k = 0; k < s->result.temperatures; k++)
        apart += !s->result.agree[k];
    if (!status)
        tell("%s\n", result_folder_place(s->folder));
    if (!status && apart > 0)
        warn("warning: at %zu of %zu temperatures the last three logarithmic bins do not agree; "
             "more measurements (--measurements) or sweeps (-t) would help",
             apart, s->result.temperatures);
    return status;
}

static void destroy(bins_run *s) {
    if (s->engine != NULL)
        s->engine->verbs->destroy(s->engine);
    for (uint32_t place = 0; s->bonds != NULL && place < s->given.samples; place++)
        couplings_destroy(&s->bonds[place]);
    free(s->bonds);
    free(s->levels);
    free(s->lanes);
    free(s->key);
    free(s->own);
    free(s->group);
    free(s->beta);
    free(s->fingerprint);
    free(s->sums);
    free(s->plan.exchanges.threshold);
    free(s->result.means);
    free(s->result.accepted);
    free(s->result.agree);
    free(s->result.attempts);
}

static exit_status make(bins_run *s) {
    exit_status status = create(s);
    if (status)
        return status;
    tell("seed %" PRIu64 "\n", s->given.seed);
    progress_announce(&s->given, s->place->device);
    progress_begin(&s->progress, &s->given);
    status = simulate(s);
    progress_end(&s->progress);
    if (s->interrupted != 0)
        warn("%s: ended at step %" PRIu32 " of %" PRIu32 "; samples are made as a whole, and "
             "nothing is kept",
             signals_name(s->interrupted), s->made,
             s->given.thermalisation + s->given.measurements);
    return !status && s->interrupted == 0 ? publish(s) : status;
}

exit_status sample_bins_run(const parameters *p, const device_placement *place,
                            result_folder *folder, int *number) {
    bins_run s = {.given = *p,
                  .folder = folder,
                  .place = place,
                  .result.first = p->sample,
                  .piece = 1,
                  .start = clock_seconds()};
    if (p->samples > 1)
        s.given.sample = 0;
    const exit_status status = make(&s);
    *number = s.interrupted;
    destroy(&s);
    return status;
}

exit_status sample_bins_make(const parameters *p, int *number) {
    device_placement place;
    result_folder folder;
    parameters all = *p;
    all.sample = 0;
    *number = 0;
    exit_status status = result_folder_open_samples(&folder, &all, p->sample);
    if (status)
        return status;
    const bool finished = result_folder_is_finished(&folder);
    status = finished ? STATUS_OK : placement_find(p, &place);
    if (!status && !finished && place.no_gpu[0] != '\0')
        warn("%s: running on the CPU", place.no_gpu);
    if (!status && !finished)
        status = sample_bins_run(p, &place, &folder, number);
    result_folder_close(&folder);
    return status;
}
