/* Which runs count, and what they say (ground_runs.h). */
#include "ground_runs.h"

#include "base/ieee_math.h"

#include <math.h>

bool ground_runs_counts(const ground_run run[], const ground_summary *s, size_t n) {
    return run[n].measured && n > s->first;
}

/* Whether run n reaches the lowest energy. */
static bool reaches_lowest(const ground_run run[], const ground_summary *s, size_t n) {
    return run[n].states.replicas > 0 && run[n].states.energy <= s->lowest;
}

/* Finds the lowest energy and the runs that have it. */
static void find_lowest(const ground_run run[], size_t count, ground_summary *s) {
    *s = (ground_summary){.lowest = INFINITY, .states = count};
    for (size_t n = 0; n < count; n++)
        if (run[n].states.replicas > 0 && run[n].states.seen < s->lowest) {
            s->lowest = run[n].states.seen;
            s->first = n;
        }
    for (size_t n = count; n-- > 0;)
        if (reaches_lowest(run, s, n))
            s->states = n;
}

/* ln of the mean of g over the runs that count, and its error: few runs may agree by chance, so that it is no smaller than what the
 * errors of the runs themselves say, where they are known. Relative to the largest g. */
static void average_states(const ground_run run[], size_t count, ground_summary *s) {
    double top = -INFINITY, sum = 0, squares = 0, own = 0;
    const double n = (double)s->counted;
    for (size_t k = 0; k < count; k++)
        if (ground_runs_counts(run, s, k) && reaches_lowest(run, s, k))
            top = fmax(top, run[k].states.ln_g);
    for (size_t k = 0; k < count; k++)
        if (ground_runs_counts(run, s, k) && reaches_lowest(run, s, k)) {
            const double g = ieee_exp(run[k].states.ln_g - top);
            sum += g;
            squares += g * g;
            if (!isnan(run[k].states.ln_g_error))
                own += g * g * run[k].states.ln_g_error * run[k].states.ln_g_error;
        }
    s->ln_g = s->hits > 0 ? top + ieee_log(sum / n) : NAN;
    const double spread = n > 1 ? fmax(0, squares - sum * sum / n) * n / (n - 1) : 0;
    s->ln_g_error = spread > 0 || own > 0 ? sqrt(fmax(spread, own)) / sum : NAN;
}

void ground_runs_summary(const ground_run run[], size_t count, ground_summary *s) {
    double seconds = 0;
    find_lowest(run, count, s);
    for (size_t n = 0; n < count; n++)
        if (ground_runs_counts(run, s, n)) {
            s->hits += reaches_lowest(run, s, n);
            s->counted++;
            seconds += run[n].seconds;
        }
    s->missed = success_missed(s->hits, s->counted);
    s->solution = success_effort_of(s->hits, s->counted);
    s->seconds = s->counted > 0 ? seconds / (double)s->counted : NAN;
    average_states(run, count, s);
}

static bool is_narrow(size_t hits, size_t runs, double width) {
    const miss_estimate missed = success_missed(hits, runs);
    return runs > 0 && missed.most - missed.least <= width;
}

size_t ground_runs_needed(const ground_summary *s, double width, size_t most) {
    size_t more = 0;
    while (more < most && !is_narrow(s->hits + more, s->counted + more, width) &&
           !is_narrow(s->hits, s->counted + more, width))
        more++;
    return more;
}

bool ground_runs_tried(const ground_run *run, uint64_t population, uint32_t sweeps, double beta) {
    return !run->measured && run->population == population && run->sweeps == sweeps &&
           run->beta == beta;
}

ground_advice ground_runs_advice(const ground_run run[], size_t count) {
    size_t sound = 0, warm = 0;
    for (size_t n = 0; n < count; n++) {
        const bool good = ground_states_doubt(&run[n].states) == GROUND_SOUND;
        sound += good;
        warm +=
            !good && run[n].states.replicas > 0 && 2 * run[n].states.replicas < run[n].population;
    }
    return 2 * sound >= count          ? GROUND_KEEP
           : 2 * warm >= count - sound ? GROUND_COOL
                                       : GROUND_ENLARGE;
}
