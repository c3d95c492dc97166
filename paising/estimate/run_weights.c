/* The distribution of the weights of the runs (run_weights.h). */
#include "run_weights.h"

#include "base/message.h"
#include "base/number.h"

#define LINE_SIZE 300

/* Inverse temperature number i. At least one run must have reached it. */
static double beta_at(const weighted_average *w, size_t i) {
    size_t run = 0;
    while (weighted_reached(w, run) <= i)
        run++;
    return w->row[run * w->temperatures + i].beta;
}

run_weights run_weights_of(const weighted_average *w) {
    const size_t rows = weighted_rows(w);
    run_weights r = {.runs = w->runs};
    size_t all_reached = rows;
    for (size_t run = 0; run < w->runs; run++) {
        const size_t reached = weighted_reached(w, run);
        r.died += reached < w->temperatures;
        all_reached = reached < all_reached ? reached : all_reached;
    }
    if (all_reached < rows)
        r.died_at = beta_at(w, all_reached);
    for (size_t i = 0; i < rows; i++) {
        const double variance = weighted_variance(w, i);
        if (variance > r.variance) {
            r.variance = variance;
            r.variance_at = beta_at(w, i);
        }
    }
    return r;
}

/* Each of these writes a warning into `line`, and returns false if there is none. */

static bool say_died(char line[LINE_SIZE], const run_weights *r) {
    char at[NUMBER_TEXT_SIZE];
    if (r->died == 0 || r->died == r->runs)
        return false;
    snprintf(line, LINE_SIZE,
             "%zu of %zu runs died out, the first before beta = %s: their weight is 0 from there "
             "on; a larger population (-R) would help",
             r->died, r->runs, number_short_text(at, r->died_at));
    return true;
}

static bool say_variance(char line[LINE_SIZE], const run_weights *r) {
    char at[NUMBER_TEXT_SIZE];
    if (!(r->variance > TRUSTED_VARIANCE))
        return false;
    snprintf(line, LINE_SIZE,
             "few runs carry the averages: var(betaF) over the runs is %.3g at beta = %s, more "
             "than %d; a larger population (-R) or more sweeps (-t) would help",
             r->variance, number_short_text(at, r->variance_at), TRUSTED_VARIANCE);
    return true;
}

void run_weights_print(FILE *file, const run_weights *r) {
    char line[LINE_SIZE], at[NUMBER_TEXT_SIZE];
    if (r->runs > 1)
        fprintf(file, "# var(betaF) over runs: at most %.3g, at beta = %s\n", r->variance,
                number_short_text(at, r->variance_at));
    if (say_died(line, r))
        fprintf(file, "# warning: %s\n", line);
    if (say_variance(line, r))
        fprintf(file, "# warning: %s\n", line);
}

void run_weights_warn(const run_weights *r) {
    char line[LINE_SIZE];
    if (say_died(line, r))
        warn("warning: %s", line);
    if (say_variance(line, r))
        warn("warning: %s", line);
}
