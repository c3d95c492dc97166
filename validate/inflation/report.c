/* The files of the comparison. */
#include "report.h"

#include "base/safe_file.h"
#include "validate/lib/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const beta_window *report_windows(const curve *c) {
    static const beta_window square_or_glass[WINDOWS] = {{0.5, 1}, {0.2, 0.4}},
                             cubic[WINDOWS] = {{0.25, 0.5}, {0.1, 0.2}};
    return strcmp(c->common[CURVE_MODEL], "cubic") ? square_or_glass : cubic;
}

/* Whether a curve is of the square ferromagnet, the model of the paper. */
static bool of_paper(const curve *c) {
    return c->common[CURVE_MODEL][0] == '\0';
}

/* The bits of these modes do not depend on p. */
static bool any_word(const curve *c) {
    return !strcmp(c->rng, "independent") || !strcmp(c->rng, "philox");
}

/* Opens FOLDER/name. */
static exit_status open_file(safe_file *file, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return safe_file_open(file, path);
}

static exit_status publish(safe_file *file) {
    exit_status status = safe_file_close(file);
    if (!status)
        status = safe_file_sync(file);
    return status ? status : safe_file_publish(file);
}

/* --- what both files say --- */

/* Prints the parameters that a curve has in common with others of its model. */
static void print_common(FILE *f, const curve *c, const char *before, const char *between,
                         const char *after) {
    const char *separator = before;
    for (size_t n = 0; n < CURVE_COMMON; n++)
        if (c->common[n][0] != '\0') {
            fprintf(f, "%s%s %s", separator, curve_common[n], c->common[n]);
            separator = between;
        }
    fprintf(f, "%s", after);
}

/* The first curve of the paper's model; NULL: there is none. */
static const curve *first_of_paper(const report *r) {
    for (size_t i = 0; i < r->count; i++)
        if (r->curves[i].made && of_paper(&r->curves[i]))
            return &r->curves[i];
    return NULL;
}

/* Where the curves were made, one line each. */
static void print_origins(FILE *f, const report *r, const char *prefix) {
    for (size_t i = 0; i < r->count; i++) {
        const curve *const c = &r->curves[i];
        if (c->made)
            fprintf(f, "%s%s: seed %" PRIu64 ", %s, driver %s, commit %s, %s\n", prefix, c->name,
                    c->seed, c->engine, c->driver, c->commit, c->date);
        else
            fprintf(f, "%s%s: missing\n", prefix, c->name);
    }
}

/* --- inflation.dat --- */

static void print_data_header(FILE *f, const report *r) {
    fprintf(f, "# MSC error inflation: the spread of the specific heat C over independent runs\n");
    const curve *const first = first_of_paper(r);
    if (first)
        print_common(f, first, "# ", "\n# ", "\n");
    print_origins(f, r, "# curve ");
    fprintf(f, "# Errors: one standard deviation, by jackknife over the runs. sigma(C) is the\n"
               "# standard deviation of C over the runs. At beta = 0, where C = 0, there is none.\n"
               "# The curves independent and philox stand for every p: their bits are the same.\n"
               "# column 1: beta, inverse temperature, in 1/J\n"
               "# column 2: C, specific heat per spin, mean over the runs, in k_B\n"
               "# column 3: sigma(C)/C\n"
               "# column 4: its error\n"
               "# column 5: ratio, sigma^2(C) of the curve over sigma^2(C) of SSC\n"
               "# column 6: its error\n"
               "# Each curve is a data set with its name above it (gnuplot: index \"NAME\").\n");
}

static void print_curve(FILE *f, const curve *c, const curve *ssc) {
    fprintf(f, "\n\n# %s\n", c->name);
    if (!of_paper(c))
        print_common(f, c, "# ", ", ", "\n");
    for (size_t t = 0; t < c->sample.temperatures; t++) {
        if (!(c->sample.beta[t] > 0))
            continue;
        const measured relative = spread_relative(&c->sample, t);
        measured ratio = {NAN, NAN};
        if (ssc)
            ratio = spread_ratio(spread_ln_variance(&c->sample, t),
                                 spread_ln_variance(&ssc->sample, t));
        fprintf(f, "%-6.5g %12.6g %12.6g %12.6g %12.6g %12.6g\n", c->sample.beta[t],
                spread_mean(&c->sample, t), relative.value, relative.error, ratio.value,
                ratio.error);
    }
}

exit_status report_write_data(const report *r, const char *folder) {
    safe_file file;
    const exit_status status = open_file(&file, folder, "inflation.dat");
    if (status)
        return status;
    print_data_header(file.stream, r);
    for (size_t i = 0; i < r->count; i++)
        if (r->curves[i].made)
            print_curve(file.stream, &r->curves[i], r->judgements[i].ssc);
    return publish(&file);
}

/* --- inflation.md --- */

static void print_introduction(FILE *f, const report *r) {
    const curve *const first = first_of_paper(r);
    const beta_window *const at = report_windows(first ? first : r->curves);
    const beta_window cold = at[COLD], warm = at[WARM];
    fprintf(
        f,
        "# MSC error inflation\n\n"
        "sigma^2_MSC(C) / sigma^2_SSC(C): the variance of the specific heat over independent\n"
        "runs with multi-spin coding, over that with single-spin coding; the number in brackets\n"
        "is the error of the last digits. \"Cold\" is the mean of its logarithm over\n"
        "%g <= beta <= %g, the low-temperature phase, for which the paper states its values;\n"
        "\"warm\" that over %g <= beta <= %g. The errors come from a jackknife over the runs.\n\n",
        cold.first, cold.last, warm.first, warm.last);
    if (first)
        print_common(f, first, "Parameters: ", ", ", ".\n\n");
}

/* A ratio as 7.48(23): the error has two digits. */
static void print_ratio(FILE *f, measured ratio) {
    const int digits = (int)fmax(0, fmin(6, 1 - floor(log10(ratio.error))));
    fprintf(f, " %.*f(%.0f) |", digits, ratio.value, ratio.error * pow(10, digits));
}

/* What is claimed of a window, what came out, and z. */
static void print_claim(FILE *f, const judgement *j, int window) {
    const claim *const c = &j->expected[window];
    if (!j->claimed[window])
        fprintf(f, " none |");
    else if (c->low < c->high)
        fprintf(f, " %g to %g: %s |", c->low, c->high, claim_outcome_name(j->outcome[window]));
    else
        fprintf(f, " %g, z = %.1f: %s |", c->low, j->z[window],
                claim_outcome_name(j->outcome[window]));
}

/* The columns that say how a curve was made, and the paper's value. */
static void print_mode(FILE *f, const curve *c) {
    const bool lcg = !strcmp(c->rng, "lcg"), shared = !strcmp(c->rng, "shared");
    const bool reorder = lcg || !strcmp(c->rng, "shared-reorder");
    char p[24] = "any";
    if (!any_word(c))
        snprintf(p, sizeof p, "%" PRIu64, c->word);
    fprintf(f, "| %s | %s | %s | %s | %s |", c->rng, p, any_word(c) ? "p" : "1",
            reorder ? "yes" : "no", lcg ? "yes" : "no");
    if (shared)
        fprintf(f, " %s |", p);
    else
        fprintf(f, " %s |", lcg || !strcmp(c->rng, "philox") ? "1" : "");
}

static void print_row(FILE *f, const curve *c, const judgement *j) {
    print_mode(f, c);
    for (int w = 0; w < WINDOWS; w++) {
        print_ratio(f, j->ratio[w]);
        print_claim(f, j, w);
    }
    fprintf(f, "\n");
}

/* A table of the models that the paper does not have; no mode shares numbers there. */
static void print_other_models(FILE *f, const report *r) {
    const char *head = "\nOther models, by the same ratio:\n\n"
                       "| model, parameters | mode | cold | claim | warm | claim |\n"
                       "|---|---|---|---|---|---|\n";
    for (size_t i = 0; i < r->count; i++) {
        const curve *const c = &r->curves[i];
        if (!r->judgements[i].ssc || of_paper(c))
            continue;
        const beta_window *const at = report_windows(c);
        fprintf(f, "%s", head);
        head = "";
        print_common(f, c, "| ", ", ", "");
        fprintf(f, " | %s |", c->rng);
        for (int w = 0; w < WINDOWS; w++) {
            fprintf(f, " %g to %g:", at[w].first, at[w].last);
            print_ratio(f, r->judgements[i].ratio[w]);
            print_claim(f, &r->judgements[i], w);
        }
        fprintf(f, "\n");
    }
}

static void print_rows(FILE *f, const report *r) {
    fprintf(f, "| mode | p | n_RNG | reordering | LCG | paper | cold | claim | warm | claim |\n"
               "|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < r->count; i++) {
        const curve *const c = &r->curves[i];
        if (r->judgements[i].ssc && of_paper(c))
            print_row(f, c, &r->judgements[i]);
    }
    print_other_models(f, r);
    fprintf(
        f,
        "\nThe bits of the modes independent and philox do not depend on p: one curve stands for\n"
        "all. A claim is refuted by |z| > %.2f; the probability that this happens to any of the\n"
        "claims by chance is %g. A claim is undecided, and the comparison failed, if a ratio off\n"
        "by a factor of %g could not have refuted it.\n\n",
        r->limit, FALSE_ALARM, CLAIM_SHARPNESS);
}

/* The controls of one window. */
static void print_controls(FILE *f, const report *r, int window, const char *name) {
    fprintf(f, "Negative controls, the claim \"%s ratio = 1\" where it is wrong:\n", name);
    const char *separator = "";
    for (size_t i = 0; i < r->count; i++) {
        const judgement *const j = &r->judgements[i];
        if (!j->control[window])
            continue;
        fprintf(f, "%s%s %s (z = %.1f)", separator, r->curves[i].name,
                fabs(j->control_z[window]) > r->limit ? "refuted" : "NOT REFUTED",
                j->control_z[window]);
        separator = ",\n";
    }
    fprintf(f, "%s.\n\n", *separator ? "" : "none");
}

exit_status report_write_table(const report *r, const char *folder) {
    static const char *const verdicts[] = {
        "PASS: every claim holds", "FAIL: a claim does not hold, or a control is not refuted",
        "INCOMPLETE: curves are missing"};
    safe_file file;
    const exit_status status = open_file(&file, folder, "inflation.md");
    if (status)
        return status;
    print_introduction(file.stream, r);
    print_rows(file.stream, r);
    print_controls(file.stream, r, COLD, "cold");
    print_controls(file.stream, r, WARM, "warm");
    fprintf(file.stream, "Curves:\n\n");
    print_origins(file.stream, r, "- ");
    fprintf(file.stream, "\n%s\n", verdicts[r->verdict]);
    return publish(&file);
}
