/* Inverse temperatures in equal or adaptive steps (Sec. 2.3), or from a file. */
#include "schedule.h"

#include "resampling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static bool has_adaptive_sweeps(const beta_schedule *s) {
    return s->control.gain > 0;
}

/* Appends a temperature, and theta there unless theta is adaptive. */
static schedule_status append(beta_schedule *s, double beta) {
    if (s->count == SCHEDULE_MAX_TEMPERATURES)
        return SCHEDULE_TOO_LONG;
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity == 0 ? 256 : 2 * s->capacity;
        double *const betas = realloc(s->beta, capacity * sizeof *betas);
        if (betas != NULL)
            s->beta = betas;
        uint32_t *const sweeps = realloc(s->sweeps, capacity * sizeof *sweeps);
        if (sweeps != NULL)
            s->sweeps = sweeps;
        if (betas == NULL || sweeps == NULL)
            return SCHEDULE_NO_MEMORY;
        s->capacity = capacity;
    }
    if (beta >= s->beta_start && s->first_row == SIZE_MAX)
        s->first_row = s->count;
    s->beta[s->count] = beta;
    if (!has_adaptive_sweeps(s))
        s->sweeps[s->swept++] = profile_sweeps(&s->sweeps_at, s->theta, beta);
    s->count++;
    return SCHEDULE_NEXT;
}

double schedule_steps(double span, double step) {
    /* A rest of less than a millionth of a step is rounding, and makes no step. */
    return span > 0 ? fmax(1, ceil(span / step - 1e-6)) : 0;
}

double schedule_at(double start, double end, double step, double i, double steps) {
    return i < steps ? start + i * step : end;
}

/* Appends all temperatures of a schedule in fixed steps. */
static schedule_status append_fixed_steps(beta_schedule *s, double dbeta) {
    const double to_start = schedule_steps(s->beta_start - s->beta[0], dbeta);
    const double to_end = schedule_steps(s->beta_end - s->beta_start, dbeta);
    if (!(to_start + to_end < SCHEDULE_MAX_TEMPERATURES))
        return SCHEDULE_TOO_LONG;
    schedule_status status = SCHEDULE_NEXT;
    for (double i = 1; i <= to_start && status == SCHEDULE_NEXT; i++)
        status = append(s, schedule_at(0, s->beta_start, s->beta_start / to_start, i, to_start));
    for (double i = 1; i <= to_end && status == SCHEDULE_NEXT; i++)
        status = append(s, schedule_at(s->beta_start, s->beta_end, dbeta, i, to_end));
    return status;
}

/* Appends the temperatures of a file, the first of which may be 0. */
static schedule_status append_file(beta_schedule *s, const beta_profile *betas) {
    schedule_status status = SCHEDULE_NEXT;
    for (size_t n = betas->beta[0] > 0 ? 0 : 1; n < betas->count && status == SCHEDULE_NEXT; n++)
        status = append(s, betas->beta[n]);
    return status;
}

static bool is_adaptive(const beta_schedule *s) {
    return s->overlap > 0 || s->energy_step > 0;
}

schedule_status schedule_create(beta_schedule *s, schedule_plan *plan) {
    *s = (beta_schedule){.beta_start = plan->beta_start,
                         .beta_end = plan->beta_end,
                         .overlap = plan->overlap,
                         .energy_step = plan->energy_step,
                         .theta = plan->sweeps,
                         .sweeps_at = plan->sweeps_at,
                         .control = sweep_control_start(plan->sweep_gain, plan->sweeps),
                         .first_row = SIZE_MAX};
    schedule_status status = append(s, plan->beta_first);
    if (status == SCHEDULE_NEXT && has_adaptive_sweeps(s))
        s->sweeps[s->swept++] = 1; /* no sweeps are made at beta = 0 */
    if (status == SCHEDULE_NEXT && plan->betas.count > 0)
        status = append_file(s, &plan->betas);
    else if (status == SCHEDULE_NEXT && !is_adaptive(s))
        status = append_fixed_steps(s, plan->dbeta);
    profile_destroy(&plan->betas);
    if (status != SCHEDULE_NEXT)
        schedule_destroy(s);
    return status;
}

void schedule_destroy(beta_schedule *s) {
    free(s->beta);
    free(s->sweeps);
    profile_destroy(&s->sweeps_at);
    s->beta = NULL;
    s->sweeps = NULL;
}

/* Whether a step meets the target overlap or energy step. */
static bool is_asked_for(const beta_schedule *s, double dbeta, const histogram *h) {
    return s->energy_step > 0 ? dbeta * resampling_spread(h) <= s->energy_step
                              : resampling_overlap(h, dbeta) >= s->overlap;
}

/* Whether an adaptive step of dbeta meets the target and enough replicas carry its weights. */
static bool is_allowed(const beta_schedule *s, double dbeta, const histogram *h) {
    return is_asked_for(s, dbeta, h) && resampling_carriers(h, dbeta) >= SCHEDULE_CARRIERS;
}

/* The inverse temperature above beta, at most `limit`, at which the step becomes too large.
 * Bisection ends at neighbouring doubles, so that it terminates, and the result is always above
 * beta. */
static double adaptive_step(const beta_schedule *s, double beta, double limit, const histogram *h) {
    if (is_allowed(s, limit - beta, h))
        return limit;
    double low = beta;   /* a step up to here is allowed */
    double high = limit; /* a step up to here is not */
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(low < middle && middle < high))
            return high;
        if (is_allowed(s, middle - beta, h)) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/* Decides the temperature after number i unless it is known. */
static schedule_status next_beta(beta_schedule *s, size_t i, const histogram *h) {
    if (i + 1 < s->count)
        return SCHEDULE_NEXT;
    const double beta = s->beta[i];
    if (beta >= s->beta_end)
        return SCHEDULE_END;
    const double limit = beta < s->beta_start ? s->beta_start : s->beta_end;
    const double next = adaptive_step(s, beta, limit, h);
    if (next < limit && is_asked_for(s, next - beta, h))
        s->shortened = true;
    return append(s, next);
}

schedule_status schedule_next(beta_schedule *s, size_t i, const histogram *h) {
    const schedule_status status = next_beta(s, i, h);
    if (status == SCHEDULE_NEXT && i + 1 == s->swept)
        s->sweeps[s->swept++] = sweep_control_next(&s->control, sweep_control_redundancy(h));
    return status;
}

bool schedule_reads_sums(const beta_schedule *s) {
    return has_adaptive_sweeps(s) && !schedule_is_whole(s);
}

bool schedule_is_whole(const beta_schedule *s) {
    return s->beta[s->count - 1] >= s->beta_end && s->swept == s->count;
}

/* Continues a new schedule with the temperatures beta[0 .. count-1] of a checkpoint. Returns
 * SCHEDULE_NEXT; SCHEDULE_END if the schedule cannot have them; or SCHEDULE_NO_MEMORY. */
static schedule_status restore(beta_schedule *s, const double beta[], size_t count) {
    const size_t known = s->count; /* all of them in fixed steps, else beta = 0 alone */
    if (count < known || (count > known && !is_adaptive(s)))
        return SCHEDULE_END;
    for (size_t i = 0; i < known; i++)
        if (beta[i] != s->beta[i])
            return SCHEDULE_END;
    for (size_t i = known; i < count; i++) {
        if (!(beta[i] > s->beta[i - 1] && beta[i] <= s->beta_end))
            return SCHEDULE_END;
        const schedule_status status = append(s, beta[i]);
        if (status != SCHEDULE_NEXT)
            return status == SCHEDULE_NO_MEMORY ? status : SCHEDULE_END;
    }
    return SCHEDULE_NEXT;
}

static bool transfer_betas(section_file *f, beta_schedule *s) {
    uint64_t count = s->count;
    if (!section_choice(f, &count, SCHEDULE_MAX_TEMPERATURES))
        return false;
    if (f->mode != SECTION_READ)
        return section_transfer(f, s->beta, count * sizeof *s->beta);
    double *const beta = section_allocate(f, count, sizeof *beta);
    bool good = beta != NULL && section_transfer(f, beta, count * sizeof *beta);
    if (good) {
        const schedule_status status = restore(s, beta, count);
        if (status == SCHEDULE_NO_MEMORY)
            good = section_fail(f, "not enough memory for the temperatures");
        else
            good = status == SCHEDULE_NEXT || section_altered(f);
    }
    free(beta);
    return good;
}

/* Transfers the adaptive sweeps, which follow the temperatures. */
static bool transfer_sweeps(section_file *f, beta_schedule *s) {
    sweep_control *const c = &s->control;
    uint64_t swept = s->swept;
    if (!section_choice(f, &swept, s->count) || !SECTION_VALUE(f, c->theta) ||
        !SECTION_VALUE(f, c->redundancy) ||
        !section_transfer(f, s->sweeps, swept * sizeof *s->sweeps))
        return false;
    if (f->mode != SECTION_READ)
        return true;
    bool good = swept > 0 && c->theta >= 1 && c->theta <= c->most && c->redundancy >= 1 &&
                isfinite(c->redundancy);
    for (size_t i = 0; i < swept && good; i++)
        good = s->sweeps[i] >= 1 && s->sweeps[i] <= c->most;
    s->swept = swept;
    return good || section_altered(f);
}

bool schedule_transfer(section_file *f, beta_schedule *s) {
    return transfer_betas(f, s) && (!has_adaptive_sweeps(s) || transfer_sweeps(f, s));
}
