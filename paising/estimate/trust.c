/* Warnings about results that cannot be trusted (trust.h). */
#include "trust.h"

#include "base/message.h"
#include "base/number.h"

#include <math.h>

#define LINE_SIZE 300

void trust_judge(observables rows[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        const observables *const next = &rows[i + 1 < count ? i + 1 : i];
        rows[i].trusted =
            fmin(rows[i].effective_families, next->effective_families) >= TRUSTED_FAMILIES;
    }
}

static bool is_too_small(double overlap) {
    return overlap < TRUSTED_OVERLAP * (1 - OVERLAP_TOLERANCE);
}

trust_verdict trust_of_rows(const observables rows[], size_t count) {
    trust_verdict t = {.rows = count, .overlap = 1};
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].trusted && t.few_families++ == 0)
            t.few_families_at = rows[i].beta;
        if (is_too_small(rows[i].overlap) && !is_too_small(t.overlap))
            t.overlap_at = rows[i].beta;
        if (rows[i].overlap < t.overlap)
            t.overlap = rows[i].overlap;
    }
    return t;
}

/* Each of these writes a warning into `line`, and returns false if there is none. */

static bool say_overlap(char line[LINE_SIZE], const trust_verdict *t, steps_advice steps) {
    if (!is_too_small(t->overlap))
        return false;
    char at[NUMBER_TEXT_SIZE];
    snprintf(line, LINE_SIZE,
             "steps are too large from beta = %s on: the energies before and after overlap by %.2g "
             "only (eq. 8), less than %g; %s%s would help",
             number_short_text(at, t->overlap_at), t->overlap, TRUSTED_OVERLAP, steps.smaller,
             steps.adaptive ? "" : " or adaptive ones (-a)");
    return true;
}

static bool say_families(char line[LINE_SIZE], const trust_verdict *t, steps_advice steps) {
    if (t->few_families == 0)
        return false;
    if (!steps.resampled) {
        snprintf(line, LINE_SIZE,
                 "no row is trusted: without resampling replicas lag behind equilibrium, and no "
                 "error tells by how much");
        return true;
    }
    char at[NUMBER_TEXT_SIZE];
    snprintf(
        line, LINE_SIZE,
        "%zu of %zu temperatures, the first beta = %s, have fewer than %d families to rely on "
        "(R / rho_t, less the more alike relatives are), and errors that mean little; a larger "
        "population (-R), %s or more sweeps (-t) would help",
        t->few_families, t->rows, number_short_text(at, t->few_families_at), TRUSTED_FAMILIES,
        steps.smaller);
    return true;
}

void trust_print(FILE *file, const trust_verdict *t, steps_advice steps) {
    char line[LINE_SIZE];
    if (say_overlap(line, t, steps))
        fprintf(file, "# warning: %s\n", line);
    if (say_families(line, t, steps))
        fprintf(file, "# warning: %s\n", line);
}

void trust_warn(const trust_verdict *t, steps_advice steps) {
    char line[LINE_SIZE];
    if (say_overlap(line, t, steps))
        warn("warning: %s", line);
    if (say_families(line, t, steps))
        warn("warning: %s", line);
}
