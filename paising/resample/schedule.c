/* Inverse temperatures in equal or adaptive steps (Sec. 2.3). */
#include "schedule.h"

#include "resampling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Appends a temperature. */
static schedule_status append(beta_schedule *s, double beta) {
    if (s->count == SCHEDULE_MAX_TEMPERATURES)
        return SCHEDULE_TOO_LONG;
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity == 0 ? 256 : 2 * s->capacity;
        double *const grown = realloc(s->beta, capacity * sizeof *grown);
        if (grown == NULL)
            return SCHEDULE_NO_MEMORY;
        s->beta = grown;
        s->capacity = capacity;
    }
    if (beta >= s->beta_start && s->first_row == SIZE_MAX)
        s->first_row = s->count;
    s->beta[s->count++] = beta;
    return SCHEDULE_NEXT;
}

double schedule_steps(double span, double step) {
    /* A millionth of a step is not worth a step. */
    return span > 0 ? fmax(1, ceil(span / step - 1e-6)) : 0;
}

double schedule_at(double start, double end, double step, double i, double steps) {
    return i < steps ? start + i * step : end;
}

/* Appends all temperatures of a schedule in fixed steps. */
static schedule_status append_fixed_steps(beta_schedule *s, double dbeta) {
    const double to_start = schedule_steps(s->beta_start, dbeta);
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

schedule_status schedule_create(beta_schedule *s, const schedule_plan *plan) {
    *s = (beta_schedule){.beta_start = plan->beta_start,
                         .beta_end = plan->beta_end,
                         .overlap = plan->overlap,
                         .first_row = SIZE_MAX};
    schedule_status status = append(s, 0);
    if (status == SCHEDULE_NEXT && !(plan->overlap > 0))
        status = append_fixed_steps(s, plan->dbeta);
    if (status != SCHEDULE_NEXT)
        schedule_destroy(s);
    return status;
}

void schedule_destroy(beta_schedule *s) {
    free(s->beta);
    s->beta = NULL;
}

/* Whether an adaptive step may be that large. */
static bool is_allowed(double target, double dbeta, const histogram *h) {
    return resampling_overlap(h, dbeta) >= target &&
           resampling_carriers(h, dbeta) >= SCHEDULE_CARRIERS;
}

/* The inverse temperature above beta, at most `limit`, where the step becomes too large: bisection down to
 * neighbouring numbers, so that it ends and always moves on. */
static double adaptive_step(double target, double beta, double limit, const histogram *h) {
    if (is_allowed(target, limit - beta, h))
        return limit;
    double low = beta;   /* allowed, */
    double high = limit; /* and not allowed */
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(low < middle && middle < high))
            return high;
        if (is_allowed(target, middle - beta, h)) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

schedule_status schedule_next(beta_schedule *s, size_t i, const histogram *h) {
    if (i + 1 < s->count)
        return SCHEDULE_NEXT;
    const double beta = s->beta[i];
    if (beta >= s->beta_end)
        return SCHEDULE_END;
    const double limit = beta < s->beta_start ? s->beta_start : s->beta_end;
    const double next = adaptive_step(s->overlap, beta, limit, h);
    if (next < limit && resampling_overlap(h, next - beta) > s->overlap)
        s->shortened = true;
    return append(s, next);
}

/* Takes over beta[0 .. count-1] in the place of the temperatures of a new schedule. Returns
 * SCHEDULE_NEXT; SCHEDULE_END if they cannot be of such a schedule; or SCHEDULE_NO_MEMORY. */
static schedule_status restore(beta_schedule *s, const double beta[], size_t count) {
    const size_t known = s->count; /* all of them in fixed steps, else the first */
    if (count < known || (count > known && !(s->overlap > 0)))
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

bool schedule_transfer(section_file *f, beta_schedule *s) {
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
