/* A step of population annealing (Sec. 2.1): from the histogram of a population to the next temperature, and
 * the row of each temperature, which is made while the engine works. */
#include "annealing.h"

#include "resample/resampling.h"
#include "settings/plans.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

exit_status annealing_create(annealing *a, const parameters *p, const beta_schedule *betas,
                             engine *e) {
    *a = (annealing){.given = p, .schedule = betas, .founders = p->population};
    a->tau_hat = calloc(e->model.levels.count, sizeof *a->tau_hat);
    overlap_record_start(&a->overlaps, &e->model);
    if (!stepper_create(&a->steps, e) && a->tau_hat &&
        (!p->reweight || !reweighting_create(&a->histograms, reweighting_levels(&e->model))))
        return STATUS_OK;
    annealing_destroy(a);
    return complain(STATUS_REFUSED, "not enough memory for the histogram of %llu spins",
                    (unsigned long long)e->model.sites);
}

void annealing_destroy(annealing *a) {
    stepper_destroy(&a->steps);
    reweighting_destroy(&a->histograms);
    overlap_record_end(&a->overlaps);
    overlap_text_end(&a->text);
    spin_copies_destroy(&a->saved);
    free(a->rows.row);
    free(a->tau_hat);
}

void annealing_fail(annealing *a, const char *format, ...) {
    va_list arguments;
    if (a->failure[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(a->failure, sizeof a->failure, format, arguments);
    va_end(arguments);
}

/* Whether others can go on without this run: not if it was to decide their schedule. */
static bool is_dispensable(const annealing *a) {
    return !parameters_first_run_decides(a->given) || a->run > 0;
}

void annealing_fail_extinct(annealing *a) {
    annealing_fail(
        a,
        "run %u: the population died out at beta = %.10g: a larger population (-R) or %s "
        "are needed",
        a->run, a->died_at, parameters_smaller_steps(a->given));
}

bool annealing_stands(const annealing *a) {
    return a->failure[0] == '\0' && !(a->died_at > 0);
}

/* Notes what is wrong with a step to beta, if it is wrong: an extinct population may be a result. */
static void explain_engine(annealing *a, double beta, engine_status status) {
    switch (status) {
    case ENGINE_OK:
    case ENGINE_STOPPED:
        return;
    case ENGINE_EXTINCT:
        a->died_at = beta;
        if (!is_dispensable(a))
            annealing_fail_extinct(a);
        return;
    case ENGINE_OUTGROWN:
        annealing_fail(a,
                       "run %u: the population outgrew its memory at beta = %.10g: "
                       "a larger population (-R) or %s are needed",
                       a->run, beta, parameters_smaller_steps(a->given));
        return;
    case ENGINE_FAILED:
        annealing_fail(a, "run %u: %s failed at beta = %.10g: %.200s", a->run,
                       a->steps.engine->name, beta, a->steps.engine->error);
    }
}

/* The key of its random numbers. */
static stream_key key_of(const annealing *a) {
    const parameters *const p = a->given;
    /* A loaded population was made with the numbers of its seed: those that follow are others. */
    const uint64_t seed =
        p->load_spins != NULL ? p->seed ^ ((uint64_t)p->load_print << 32 | 1) : p->seed;
    return stream_sample_run_key(seed, p->sample, a->run);
}

bool annealing_has_overlaps(const annealing *a) {
    return annealing_model(a)->disordered;
}

/* Has the rule of a temperature that is known there. */
static void prepare_rule(annealing *a, size_t temperature) {
    const double beta = a->schedule->beta[temperature];
    if (beta != a->rule_beta)
        a->rule = flip_rule_at(parameters_acceptance(a->given), annealing_model(a), beta);
    a->rule_beta = beta;
}

/* The width of the step from a temperature to the next one; 0 where it is not known, or energies have levels. */
static double next_width(const annealing *a, size_t temperature) {
    const double *const beta = a->schedule->beta + temperature;
    const bool known = temperature + 1 < a->schedule->count && annealing_model(a)->levels.fine;
    return known ? beta[1] - beta[0] : 0;
}

/* The step to a temperature, as far as it does not depend on the one before. */
static engine_step step_to(annealing *a, size_t temperature) {
    prepare_rule(a, temperature);
    return (engine_step){.parts = WHOLE_STEP,
                         .key = key_of(a),
                         .temperature = (uint32_t)temperature,
                         .sweeps = a->schedule->sweeps[temperature],
                         .founders = a->founders,
                         .next_width = next_width(a, temperature),
                         .next_target = a->given->population,
                         .rule = a->rule};
}

/* Says how the step to a temperature will be, if that is known. */
static void hint_step(annealing *a, size_t temperature) {
    if (temperature >= a->schedule->count)
        return;
    const engine_step step = step_to(a, temperature);
    stepper_hint(&a->steps, &step);
}

void annealing_begin(annealing *a, uint32_t run) {
    const parameters *const p = a->given;
    a->run = run;
    a->temperature = 0;
    a->accounted = 0;
    a->died_at = 0;
    a->stopped = false;
    a->failure[0] = '\0';
    a->rows.count = a->overlaps.count = 0;
    overlap_text_clear(&a->text);
    spin_copies_destroy(&a->saved);
    if (annealing_has_overlaps(a))
        overlap_record_expect(&a->overlaps, a->schedule->count);
    a->rule_beta = -1;
    if (p->reweight)
        reweighting_clear(&a->histograms);
    if (p->load_spins == NULL && next_width(a, 0) != 0)
        stepper_hint(&a->steps,
                     &(engine_step){.next_width = next_width(a, 0), .next_target = p->population});
    if (p->load_spins == NULL)
        explain_engine(a, 0, stepper_randomise(&a->steps, key_of(a), p->population));
    free_energy_start(&a->free_energy, annealing_model(a)->sites, model_states(annealing_model(a)));
    if (p->load_spins != NULL) {
        a->founders = annealing_report(a)->population;
        a->free_energy.beta_f = 0; /* ln Z there is not known */
    }
    if (annealing_stands(a))
        hint_step(a, 1);
}

void annealing_save_spins(annealing *a) {
    const double beta = a->schedule->beta[a->temperature];
    if (a->given->save_spins == NULL || !parameters_save_at(a->given, a->schedule, a->temperature))
        return;
    annealing_wait_all(a);
    if (!annealing_stands(a))
        return;
    const engine_status done =
        spin_saver_add(&a->saved, a->steps.engine, annealing_report(a), a->run, beta);
    if (done == ENGINE_OUTGROWN)
        annealing_fail(a, "run %u: not enough memory for the population at beta = %.10g", a->run,
                       beta);
    else
        explain_engine(a, beta, done);
}

void annealing_submit_overlaps(annealing *a) {
    if (annealing_has_overlaps(a) && a->temperature >= a->schedule->first_row)
        explain_engine(a, a->schedule->beta[a->temperature], stepper_submit_overlaps(&a->steps));
}

/* The width of the step from the temperature at hand to the next. */
static double step_width(const annealing *a) {
    const double *const beta = a->schedule->beta + a->temperature;
    return beta[1] - beta[0];
}

void annealing_submit(annealing *a) {
    const parameters *const p = a->given;
    const double beta_next = a->schedule->beta[a->temperature + 1];
    engine_step step = step_to(a, a->temperature + 1);
    step.tau_hat = a->tau_hat;
    step.stop = a->stop;
    annealing_submit_overlaps(a);
    if (!annealing_stands(a))
        return;
    const bool weighed =
        resampling_copies(annealing_report(a), step_width(a), p->population, &a->copies);
    step.copies = weighed ? &a->copies : NULL;
    a->ahead.ln_q =
        weighed ? resampling_ln_q(annealing_report(a), step_width(a))
                : resampling_tau_hat(annealing_report(a), step_width(a), p->population, a->tau_hat);
    step.line = resampling_line(annealing_report(a), p->resampling, weighed ? NULL : a->tau_hat,
                                p->population);
    explain_engine(a, beta_next, stepper_submit(&a->steps, &step));
}

void annealing_wait_all(annealing *a) {
    explain_engine(a, a->schedule->beta[a->temperature], stepper_wait_all(&a->steps));
}

void annealing_take_report(annealing *a) {
    const engine_status done = stepper_wait_all(&a->steps);
    explain_engine(a, a->schedule->beta[a->temperature], done);
    if (stepper_is_under_way(&a->steps)) {
        a->ahead.overlap = resampling_overlap(annealing_report(a), step_width(a));
        hint_step(a, a->temperature + 2);
    }
    if (a->accounted < a->temperature && done == ENGINE_OK)
        free_energy_step(&a->free_energy, annealing_report(a), a->behind.ln_q, a->behind.overlap);
    a->accounted = a->temperature;
}

/* Makes room for one more row. Returns 0, or -1 without memory. */
static int reserve_row(annealing_rows *rows) {
    if (rows->count < rows->room)
        return 0;
    const size_t room = rows->room ? 2 * rows->room : 256;
    observables *const row = realloc(rows->row, room * sizeof *row);
    if (!row)
        return -1;
    rows->row = row;
    rows->room = room;
    return 0;
}

void annealing_add_row(annealing *a) {
    annealing_rows *const rows = &a->rows;
    const size_t first = a->schedule->first_row;
    const double beta = a->schedule->beta[a->temperature];
    if (!stepper_has_all(&a->steps) || a->temperature < first ||
        rows->count > a->temperature - first)
        return;
    if (reserve_row(rows)) {
        annealing_fail(a, "run %u: not enough memory for the results", a->run);
        return;
    }
    observables *const row = &rows->row[rows->count];
    *row = observables_compute(annealing_report(a), annealing_model(a)->sites, beta,
                               &a->free_energy, rows->count > 0 ? row - 1 : NULL);
    rows->count++;
    if (parameters_replicas_correlated(a->given))
        observables_ignore_relatives(row);
    if (a->given->resampling == RESAMPLE_NONE)
        observables_distrust(row);
    if (a->given->reweight &&
        reweighting_add(&a->histograms, annealing_report(a), beta, a->free_energy.beta_f))
        annealing_fail(a, "run %u: not enough memory for the multi-histogram analysis", a->run);
}

void annealing_add_overlaps(annealing *a) {
    if (!annealing_has_overlaps(a) || a->overlaps.count == a->rows.count)
        return;
    const engine_status done = stepper_wait_overlaps(&a->steps);
    const bool there = done == ENGINE_OK;
    explain_engine(a, a->schedule->beta[a->temperature], done);
    if (there && !overlap_record_add(&a->overlaps, &a->steps.overlaps, annealing_report(a),
                                     annealing_model(a)))
        return;
    a->rows.count = a->overlaps.count;
    if (there)
        annealing_fail(a, "run %u: not enough memory for the results", a->run);
}

bool annealing_make_text(annealing *a) {
    return annealing_has_overlaps(a) &&
           overlap_text_add(&a->text, a->given->precision, annealing_model(a), a->rows.row,
                            &a->overlaps);
}

void annealing_wait(annealing *a) {
    if (!stepper_is_under_way(&a->steps))
        return;
    const engine_status done = stepper_wait(&a->steps);
    explain_engine(a, a->schedule->beta[a->temperature + 1], done);
    a->stopped = done == ENGINE_STOPPED;
    if (!annealing_stands(a) || a->stopped)
        return;
    a->temperature++;
    a->behind = a->ahead;
}

bool annealing_transfer_position(section_file *f, annealing *a) {
    const beta_schedule *const s = a->schedule;
    uint64_t temperature = a->temperature;
    bool died = a->died_at > 0;
    if (!section_choice(f, &temperature, s->swept - 1) || !section_bool(f, &died))
        return false;
    if (died && (temperature + 1 == s->count || !is_dispensable(a)))
        return section_altered(f);
    a->temperature = temperature;
    if (f->mode == SECTION_READ)
        a->accounted = temperature;
    a->died_at = died ? s->beta[temperature + 1] : 0;
    return true;
}

size_t annealing_rows_before(const annealing *a) {
    const size_t first = a->schedule->first_row;
    /* That of the temperature at hand is to come, unless the run died out behind it. */
    const size_t temperatures = a->temperature + (a->died_at > 0);
    return temperatures > first ? temperatures - first : 0;
}

bool annealing_transfer_rows(section_file *f, annealing *a) {
    annealing_rows *const rows = &a->rows;
    const size_t count = annealing_rows_before(a);
    if (!section_known(f, count))
        return false;
    if (f->mode == SECTION_READ) {
        rows->row = section_allocate(f, count, sizeof *rows->row);
        if (rows->row == NULL)
            return false;
        rows->count = rows->room = count;
    }
    return observables_transfer(f, rows->row, count);
}
