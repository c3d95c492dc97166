/* Converts parameters to the arguments of other folders (plans.h). */
#include "plans.h"

#include "base/ieee_math.h"
#include "base/line_file.h"
#include "base/npy.h"
#include "base/number.h"
#include "engine/capacity.h"
#include "engine/disorder.h"
#include "engine/overlaps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the file `path`, if not NULL, and compares its fingerprint with `print`, if known. A
 * resumed checkpoint has either the fingerprint or no such file. */
static exit_status read_file(beta_profile *file, profile_kind kind, const char *path,
                             uint32_t print, const char *resume) {
    *file = (beta_profile){.count = 0};
    if (path == NULL)
        return STATUS_OK;
    if (resume != NULL && print == 0)
        return complain(STATUS_REFUSED,
                        "%s %.200s: the checkpoint %.100s has none; leave the option out",
                        profile_option(kind), path, resume);
    if (profile_read(file, kind, path))
        return STATUS_REFUSED;
    if (print == 0 || print == file->fingerprint)
        return STATUS_OK;
    complain(STATUS_REFUSED,
             "%s %.200s: fingerprint %lu; allowed are the numbers of the %s%.100s, fingerprint %lu",
             profile_option(kind), path, (unsigned long)file->fingerprint,
             resume != NULL ? "checkpoint " : "start", resume != NULL ? resume : "",
             (unsigned long)print);
    profile_destroy(file);
    return STATUS_REFUSED;
}

/* Reads both files of a plan. */
static exit_status read_plan_files(const parameters *p, schedule_plan *plan) {
    const bool of_sweeps = p->sweeps_file != NULL;
    exit_status status =
        read_file(&plan->betas, PROFILE_BETAS, p->betas, p->betas_print, p->resume);
    if (!status) {
        status = read_file(&plan->sweeps_at, of_sweeps ? PROFILE_SWEEPS : PROFILE_RELAXATION,
                           of_sweeps ? p->sweeps_file : p->relaxation,
                           of_sweeps ? p->sweeps_print : p->relaxation_print, p->resume);
        if (status)
            profile_destroy(&plan->betas);
    }
    return status;
}

/* A profile of so many lines, without numbers. */
static bool make_profile(beta_profile *profile, profile_kind kind, size_t count) {
    *profile = (beta_profile){.kind = kind, .count = count};
    profile->beta = calloc(count, sizeof *profile->beta);
    profile->value = calloc(count, sizeof *profile->value);
    return profile->beta != NULL && profile->value != NULL;
}

/* Fills a profile with temperatures in geometric progression, of which the last step may be smaller. */
static exit_status fill_geometric(beta_profile *betas, const parameters *p) {
    const double step = ieee_log(1 + p->geometric),
                 steps = schedule_steps(ieee_log(p->beta_end / p->beta_start), step);
    if (!make_profile(betas, PROFILE_BETAS, 1 + (size_t)steps)) {
        profile_destroy(betas);
        return complain(STATUS_REFUSED, "--geometric %.15g: not enough memory", p->geometric);
    }
    betas->beta[0] = p->beta_start;
    for (size_t k = 1; k < betas->count; k++)
        betas->beta[k] =
            k + 1 == betas->count ? p->beta_end : p->beta_start * ieee_exp(step * (double)k);
    return STATUS_OK;
}

/* Whether a search chooses theta by the temperature: of bonds J = 1 and -1, with which it knows where dynamics is slow. */
static bool has_search_sweeps(const parameters *p) {
    return p->ground_states && p->sweeps_file == NULL && p->relaxation == NULL &&
           p->sweep_gain == 0 && !parameters_ask_for_graph(p) &&
           p->couplings_type == COUPLINGS_BIMODAL;
}

/* Theta of a search over that of its cold temperatures. Above the transition a sweep or two decorrelate, and there most of the
 * adaptive steps are. At equal flips 12 of 48 runs had the lowest energy of two samples with L = 12 in place of 4. */
static exit_status fill_search_sweeps(beta_profile *sweeps) {
    static const double tau[][2] = {{0, 0.02}, {0.35, 0.1}, {0.7, 1}};
    const size_t count = sizeof tau / sizeof *tau;
    if (!make_profile(sweeps, PROFILE_RELAXATION, count)) {
        profile_destroy(sweeps);
        return complain(STATUS_REFUSED, "--ground-states: not enough memory for the sweeps");
    }
    for (size_t n = 0; n < count; n++) {
        sweeps->beta[n] = tau[n][0];
        sweeps->value[n] = tau[n][1];
    }
    return STATUS_OK;
}

exit_status parameters_schedule(const parameters *p, schedule_plan *plan) {
    *plan = (schedule_plan){.beta_first = parameters_beta_first(p),
                            .beta_start = p->beta_start,
                            .beta_end = p->beta_end,
                            .dbeta = p->dbeta,
                            .overlap = p->culling > 0 ? 1 - p->culling : p->overlap,
                            .energy_step = p->energy_step,
                            .sweeps = p->sweeps,
                            .sweep_gain = p->sweep_gain};
    if (p->geometric > 0)
        return fill_geometric(&plan->betas, p);
    if (has_search_sweeps(p))
        return fill_search_sweeps(&plan->sweeps_at);
    return read_plan_files(p, plan);
}

double parameters_beta_first(const parameters *p) {
    return p->load_spins != NULL ? p->beta_start : 0;
}

bool saved_name_beta(const char *name, double *beta) {
    static const char before[] = "_beta_", behind[] = ".npy";
    const char *const at = strstr(name, before);
    char number[NUMBER_TEXT_SIZE], *end = NULL;
    if (at == NULL)
        return false;
    const char *const text = at + strlen(before);
    const size_t length = strspn(text, "0123456789.e-+"), digits = length - (length > 0);
    if (digits == 0 || digits >= sizeof number || strcmp(text + digits, behind) != 0)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    *beta = number_read(number, &end);
    return *end == '\0' && *beta >= 0 && *beta <= PARAMETERS_MAX_BETA;
}

/* Sets the fingerprint of the file of --load-spins, and the first inverse temperature, which the name of
 * the file says. */
static exit_status read_loaded(parameters *p) {
    const char *const slash = strrchr(p->load_spins, '/');
    const char *why;
    double beta;
    if (!npy_crc(p->load_spins, &p->load_print, &why))
        return complain(STATUS_REFUSED, "--load-spins %.300s: %s", p->load_spins, why);
    if (!saved_name_beta(slash != NULL ? slash + 1 : p->load_spins, &beta))
        return STATUS_OK;
    if (p->beta_start > 0 && fabs(p->beta_start - beta) > 1e-9 * beta)
        return complain(STATUS_REFUSED,
                        "--load-spins %.300s: its population is of beta = %.15g; -b %.15g is "
                        "another one; leave -b out",
                        p->load_spins, beta, p->beta_start);
    p->beta_start = beta;
    return STATUS_OK;
}

exit_status parameters_read_files(parameters *p) {
    schedule_plan plan;
    if ((p->load_spins != NULL && read_loaded(p)) || read_plan_files(p, &plan))
        return STATUS_REFUSED;
    if (p->betas != NULL) {
        p->betas_print = plan.betas.fingerprint;
        p->beta_start = plan.betas.beta[0];
        p->beta_end = plan.betas.beta[plan.betas.count - 1];
    }
    if (p->sweeps_file != NULL)
        p->sweeps_print = plan.sweeps_at.fingerprint;
    else if (p->relaxation != NULL)
        p->relaxation_print = plan.sweeps_at.fingerprint;
    profile_destroy(&plan.betas);
    profile_destroy(&plan.sweeps_at);
    return STATUS_OK;
}

exit_status parameters_read_weights(parameters *p) {
    const char *why;
    if (npy_crc(p->weights, &p->weights_print, &why))
        return STATUS_OK;
    return complain(STATUS_REFUSED, "--weights %.300s: %s", p->weights, why);
}

uint64_t parameters_temperatures(const parameters *p, double *sweeps) {
    schedule_plan plan;
    beta_schedule s;
    uint64_t count = 0;
    *sweeps = 0;
    if (p->method == METHOD_microcanonical)
        return 0;
    if (p->method != METHOD_annealing) {
        count = parameters_populations(p) / parameters_series_runs(p);
        /* Of flat histograms production alone is known before. */
        *sweeps = (double)count * p->sweeps * ((double)p->thermalisation + p->measurements);
        return count;
    }
    if (parameters_steps(p) == STEPS_FIXED && p->sweeps_file == NULL && p->relaxation == NULL) {
        const double steps = schedule_steps(p->beta_start - parameters_beta_first(p), p->dbeta) +
                             schedule_steps(p->beta_end - p->beta_start, p->dbeta);
        *sweeps = steps * p->sweeps;
        return 1 + (uint64_t)steps;
    }
    if (parameters_steps_are_adaptive(p) || parameters_schedule(p, &plan))
        return 0;
    if (schedule_create(&s, &plan) == SCHEDULE_NEXT) {
        count = s.count;
        for (size_t i = 1; i < s.count; i++)
            *sweeps += p->sweep_gain > 0 ? p->sweeps : s.sweeps[i];
        schedule_destroy(&s);
    }
    return count;
}

uint32_t parameters_lanes(const parameters *p) {
    return p->words == WORDS_SAMPLES ? 32 : 1;
}

uint64_t parameters_pairs(const parameters *p) {
    return p->words == WORDS_SAMPLES ? p->population / 2 : overlap_pairs(p->population);
}

uint32_t parameters_series_runs(const parameters *p) {
    return p->method == METHOD_canonical ? p->runs : 1;
}

/* The temperatures of a method of fixed ones. */
static uint64_t fixed_temperatures(const parameters *p) {
    schedule_plan plan;
    beta_schedule s;
    uint64_t count = 1;
    if (parameters_steps(p) == STEPS_FIXED)
        return 1 + (uint64_t)schedule_steps(p->beta_end - p->beta_start, p->dbeta);
    if (parameters_steps_are_adaptive(p) || parameters_schedule(p, &plan))
        return 1;
    if (schedule_create(&s, &plan) == SCHEDULE_NEXT) {
        count = s.count - s.first_row;
        schedule_destroy(&s);
    }
    return count;
}

walk_range parameters_range(const parameters *p, const spin_model *model) {
    return walk_range_between(model, walk_range_of(model, p->boundary), p->lowest_energy,
                              p->highest_energy);
}

uint64_t parameters_populations(const parameters *p) {
    if (p->method == METHOD_annealing || p->method == METHOD_microcanonical)
        return 1;
    if (parameters_have_walkers(p))
        return p->windows;
    return parameters_series_runs(p) * fixed_temperatures(p);
}

uint64_t parameters_capacity(const parameters *p, uint64_t population) {
    const uint64_t populations = parameters_populations(p);
    return p->method == METHOD_canonical ? population * populations
                                         : populations_capacity(population, populations, p->word);
}

size_t parameters_saved_betas(const parameters *p, double beta[SAVED_BETAS_MOST]) {
    const char *text = p->save_spins;
    size_t count = 0;
    while (text != NULL) {
        char *end;
        if (count == SAVED_BETAS_MOST || text[0] < '0' || text[0] > '9')
            return 0;
        beta[count] = number_read(text, &end);
        if (!(beta[count++] <= PARAMETERS_MAX_BETA) || (*end != ',' && *end != '\0'))
            return 0;
        text = *end == ',' ? end + 1 : NULL;
    }
    return count;
}

bool saved_beta_is_reached(double asked, double beta) {
    return beta >= asked * (1 - 1e-9);
}

/* Whether temperature number i is the first at or above one of asked[count]. */
static bool is_due(const double asked[], size_t count, const beta_schedule *betas, size_t i) {
    bool due = false;
    for (size_t n = 0; n < count && !due; n++)
        due = saved_beta_is_reached(asked[n], betas->beta[i]) &&
              (i == 0 || !saved_beta_is_reached(asked[n], betas->beta[i - 1]));
    return due;
}

bool parameters_save_at(const parameters *p, const beta_schedule *betas, size_t i) {
    double asked[SAVED_BETAS_MOST];
    return is_due(asked, parameters_saved_betas(p, asked), betas, i);
}

size_t parameters_saved_steps(const parameters *p, double beta[SAVED_BETAS_MOST], bool *known) {
    schedule_plan plan;
    beta_schedule s;
    double asked[SAVED_BETAS_MOST];
    const size_t most = parameters_saved_betas(p, asked);
    size_t count = 0;
    *known = most == 0 || (!parameters_steps_are_adaptive(p) && !parameters_schedule(p, &plan) &&
                           schedule_create(&s, &plan) == SCHEDULE_NEXT);
    if (most == 0 || !*known)
        return most;
    for (size_t i = 0; i < s.count; i++)
        if (is_due(asked, most, &s, i))
            beta[count++] = s.beta[i];
    schedule_destroy(&s);
    return count;
}

beta_grid parameters_grid(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->reweight_step};
}

steps_advice parameters_advice(const parameters *p) {
    return (steps_advice){parameters_smaller_steps(p), parameters_steps_are_adaptive(p),
                          p->resampling != RESAMPLE_NONE};
}

/* Sets the fingerprint of the couplings file, which must equal that of the checkpoint. */
static exit_status take_fingerprint(parameters *p, const couplings *c) {
    const uint32_t saved = p->fingerprint;
    p->fingerprint = couplings_fingerprint(c);
    if (p->resume == NULL || saved == p->fingerprint)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "--couplings %s: fingerprint %lu; allowed are the couplings of the checkpoint "
                    "%s, fingerprint %lu",
                    p->couplings, (unsigned long)p->fingerprint, p->resume, (unsigned long)saved);
}

/* Draws the sample. Returns false without memory. */
static bool draw_sample(const parameters *p, couplings *c) {
    const disorder from = {
        .seed = p->disorder, .sample = p->sample, .ferromagnetic = p->ferromagnetic};
    if (p->couplings_type == COUPLINGS_BIMODAL)
        disorder_draw(c, from);
    else if (!disorder_draw_gaussian(c, from, p->couplings_mean, p->couplings_width))
        return false;
    return disorder_dilute(c, from, p->dilution);
}

/* Refuses couplings with values whose energies a population could not add up in 62 bits. */
static exit_status check_sums(const parameters *p, const couplings *c) {
    uint64_t sum = 0;
    for (uint64_t bond = 0; bond < c->bonds; bond++)
        sum += (uint64_t)labs((long)c->value[bond]);
    const uint64_t most = parameters_capacity(p, p->population),
                   limit = (UINT64_C(1) << 62) / (sum > 0 ? sum : 1);
    if (most <= limit)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "-R %" PRIu64 ": the sum of all |J| is %.10g, with which the sums over the "
                    "population hold %" PRIu64 " replicas, room for growth included",
                    p->population, (double)sum / FINE_UNIT, limit);
}

const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status) {
    const spin_model model = parameters_model(p);
    *c = (couplings){.negative = NULL};
    *status = STATUS_OK;
    if (!model.coupled)
        return NULL;
    if (p->couplings != NULL)
        *status = (p->couplings_type == COUPLINGS_REAL ? couplings_read_real : couplings_read)(
            c, model.dimension, model.edge, (bond_reading){p->couplings_format, p->couplings_from},
            p->couplings);
    else if (!couplings_create(c, model.dimension, model.edge))
        *status =
            complain(STATUS_REFUSED, "--model %s: not enough memory for its couplings", model.name);
    if (*status)
        return NULL;
    if ((parameters_kind(p)->disordered && p->couplings == NULL && !draw_sample(p, c)) ||
        !boundary_apply(p->boundary, c))
        *status =
            complain(STATUS_REFUSED, "--model %s: not enough memory for its couplings", model.name);
    if (!*status && p->couplings != NULL)
        *status = take_fingerprint(p, c);
    if (!*status && c->value != NULL)
        *status = check_sums(p, c);
    if (*status)
        couplings_destroy(c);
    return *status ? NULL : c;
}
