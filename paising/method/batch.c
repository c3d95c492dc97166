/* The loop of population annealing over the temperatures, for several runs side by side. */
#include "batch.h"

#include "base/clock.h"
#include "base/signals.h"
#include "settings/plans.h"
#include "settings/settings.h"

#include <math.h>
#include <stdlib.h>

exit_status batch_create(batch *b, const parameters *p, engine *const worker[], size_t engines) {
    schedule_plan plan;
    *b = (batch){.room = 0};
    if (parameters_schedule(p, &plan))
        return STATUS_REFUSED;
    b->member = calloc(engines, sizeof *b->member);
    if (schedule_create(&b->schedule, &plan) != SCHEDULE_NEXT || !b->member) {
        batch_destroy(b);
        return complain(STATUS_REFUSED, "not enough memory for the temperatures");
    }
    for (; b->room < engines; b->room++)
        if (annealing_create(&b->member[b->room], p, &b->schedule, worker[b->room])) {
            batch_destroy(b);
            return STATUS_REFUSED;
        }
    progress_begin(&b->progress, p);
    return STATUS_OK;
}

void batch_destroy(batch *b) {
    progress_end(&b->progress);
    for (size_t n = 0; n < b->room; n++)
        annealing_destroy(&b->member[n]);
    schedule_destroy(&b->schedule);
    free(b->member);
    *b = (batch){.room = 0};
}

/* --- members --- */

void batch_clear(batch *b) {
    b->count = 0;
}

bool batch_add(batch *b, uint32_t run) {
    annealing *const a = &b->member[b->count++];
    annealing_begin(a, run);
    return batch_failed(b) == NULL;
}

annealing *batch_failed(const batch *b) {
    annealing *const last = b->count > 0 ? &b->member[b->count - 1] : NULL;
    return last && last->failure[0] != '\0' ? last : NULL;
}

size_t batch_sound(const batch *b) {
    return b->count - (batch_failed(b) != NULL);
}

annealing *batch_leader(const batch *b) {
    for (size_t n = 0; n < b->count; n++)
        if (annealing_stands(&b->member[n]))
            return &b->member[n];
    return NULL;
}

/* Lets the first member that failed be the last. */
static void give_up_behind_failure(batch *b) {
    size_t n = 0;
    while (n < b->count && b->member[n].failure[0] == '\0')
        n++;
    b->count = n < b->count ? n + 1 : n;
}

/* --- temperatures --- */

bool batch_time_is_up(const batch_pauses *pauses) {
    return pauses->limit > 0 &&
           clock_seconds() + 1.5 * pauses->longest + pauses->saving >= pauses->limit;
}

/* Whether the batch is to pause at the temperature at hand; `next` is what follows it. */
static bool pause_is_due(const batch_pauses *pauses, schedule_status next) {
    if (next != SCHEDULE_NEXT && (next != SCHEDULE_END || pauses->nothing_follows))
        return false;
    if (signals_pending() || batch_time_is_up(pauses))
        return true;
    return (pauses->every.steps > 0 && pauses->steps >= pauses->every.steps) ||
           (pauses->every.seconds > 0 && pauses->steps > 0 &&
            clock_seconds() - pauses->last >= pauses->every.seconds);
}

static void explain_schedule(annealing *a, schedule_status status) {
    char option[SETTING_OPTION_SIZE];
    if (status == SCHEDULE_TOO_LONG)
        annealing_fail(a,
                       "run %u: more than %d temperatures: larger steps (%s) or "
                       "a larger population (-R) is needed",
                       a->run, SCHEDULE_MAX_TEMPERATURES,
                       setting_option(option, setting_of_steps(a->given)));
    else if (status == SCHEDULE_NO_MEMORY)
        annealing_fail(a, "run %u: not enough memory for the temperatures", a->run);
}

/* Adds the rows of the first `sound` members. */
static void add_rows(batch *b, size_t sound) {
    for (size_t n = 0; n < sound; n++)
        annealing_add_row(&b->member[n]);
    give_up_behind_failure(b);
}

/* Adds their overlaps. */
static void add_overlaps(batch *b, size_t sound) {
    for (size_t n = 0; n < sound && n < b->count; n++)
        annealing_add_overlaps(&b->member[n]);
    give_up_behind_failure(b);
}

void batch_add_rows(batch *b) {
    const size_t sound = batch_sound(b);
    add_rows(b, sound);
    add_overlaps(b, sound);
}

/* Begins the step to the next temperature; there may be none behind the one at hand. Of several members some would have made it
 * when others give it up, and a checkpoint has one temperature: it is given up by a member that is alone. Sums of the
 * multi-histogram analysis have the temperature at hand already, and cannot be taken back. */
static void submit_step(batch *b) {
    const bool may_stop = b->next == SCHEDULE_NEXT && b->count == 1 &&
                          !b->member->given->reweight && b->member->steps.engine->heeds_stop;
    b->member->stop = may_stop ? signals_stop() : NULL;
    if (may_stop)
        signals_enter_step();
    for (size_t n = 0; n < b->count; n++) {
        annealing *const a = &b->member[n];
        if (annealing_stands(a))
            annealing_save_spins(a);
        if (!annealing_stands(a))
            continue;
        if (b->next == SCHEDULE_NEXT)
            annealing_submit(a);
        else
            annealing_submit_overlaps(a);
    }
}

/* Waits for it, also for members that were given up meanwhile. */
static void wait_for_step(batch *b) {
    double started = 0;
    for (size_t n = 0; n < b->room; n++) {
        annealing *const a = &b->member[n];
        if (!stepper_is_under_way(&a->steps))
            continue;
        started = started > 0 ? started : a->steps.submitted_at;
        annealing_wait(a);
        b->state = a->stopped ? BATCH_PAUSED : b->state;
        if (n < b->count && annealing_stands(a) && !a->stopped)
            b->spin_flips += (double)annealing_model(a)->sites *
                             b->schedule.sweeps[a->temperature] * parameters_visits(a->given).hits *
                             (double)a->steps.report.population;
    }
    if (started > 0)
        b->step_seconds += clock_seconds() - started;
    if (b->room > 0 && b->member->stop != NULL)
        signals_leave_step();
    give_up_behind_failure(b);
}

static void show_progress(batch *b, const annealing *leader) {
    progress_update(&b->progress, b->member[0].run, b->count, b->schedule.beta[leader->temperature],
                    leader->steps.report.population, leader->free_energy.ln_q);
}

void batch_submit(batch *b, const batch_pauses *pauses) {
    b->leader = batch_leader(b);
    b->state = BATCH_ENDED;
    if (b->leader == NULL)
        return;
    if (schedule_reads_sums(&b->schedule))
        annealing_wait_all(b->leader);
    b->next = schedule_next(&b->schedule, b->leader->temperature, annealing_report(b->leader));
    b->sound = batch_sound(b); /* those whose step fails to start have a row, too */
    b->state = pause_is_due(pauses, b->next) ? BATCH_PAUSED : BATCH_UNDER_WAY;
    if (b->state == BATCH_UNDER_WAY)
        submit_step(b);
}

void batch_flush(batch *b) {
    for (size_t n = 0; n < b->count; n++)
        stepper_flush(&b->member[n].steps);
}

void batch_take_reports(batch *b) {
    if (b->leader == NULL)
        return;
    for (size_t n = 0; n < b->count; n++)
        annealing_take_report(&b->member[n]);
    if (b->state == BATCH_PAUSED)
        return;
    add_rows(b, b->sound);
    show_progress(b, b->leader);
    explain_schedule(b->leader, b->next);
}

void batch_add_overlaps(batch *b) {
    if (b->leader != NULL && b->state != BATCH_PAUSED)
        add_overlaps(b, b->sound);
}

double batch_make_texts(batch *b, double seconds) {
    double before = clock_seconds();
    for (size_t n = 0; n < b->count; n++)
        while (seconds > 0 && annealing_make_text(&b->member[n])) {
            const double now = clock_seconds();
            seconds -= now - before;
            before = now;
        }
    return seconds;
}

void batch_wait(batch *b, batch_pauses *pauses) {
    if (b->leader == NULL || b->state == BATCH_PAUSED)
        return;
    wait_for_step(b);
    if (b->state == BATCH_PAUSED)
        return;
    if (b->next == SCHEDULE_END)
        b->state = BATCH_ENDED;
    else
        pauses->steps++;
    const double now = clock_seconds();
    pauses->longest = fmax(pauses->longest, now - pauses->stepped);
    pauses->stepped = now;
}

void batch_run(batch *b, batch_pauses *pauses, bool *paused) {
    do {
        batch_submit(b, pauses);
        batch_flush(b);
        batch_take_reports(b);
        batch_add_overlaps(b);
        batch_wait(b, pauses);
    } while (b->state == BATCH_UNDER_WAY);
    *paused = b->state == BATCH_PAUSED;
}
