/* build/inflation_table FOLDER NAME...: by how much multi-spin coding inflates statistical errors
 * (Barash et al. 2017, Sec. 4, Table 1 and Fig. 2).
 *
 * FOLDER/NAME is a result of build/paising with many runs (inflation.sh); one of each model is single-spin
 * coded, the reference. Writes FOLDER/inflation.dat and FOLDER/inflation.md (report.c). Status 0:
 * every claim holds and every negative control is refuted; 1: not so, or curves are missing, or a
 * file is wrong; 2: a bad command line. */
#include "base/usage.h"
#include "report.h"
#include "validate/lib/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The claim "near p". The inflation is p where all replicas of a word are alike; the estimate of C
 * from the W = R/p words that are then left spreads by up to 2/W less, and the lattice is small. */
#define NEAR_LOW  0.75
#define NEAR_HIGH 1.25

/* Whether the mode gives the spins of a word one number: their replicas become alike. */
static bool shares_numbers(const curve *c) {
    return !strncmp(c->rng, "shared", strlen("shared"));
}

/* --- curves --- */

static bool same_model(const curve *a, const curve *b) {
    return !strcmp(a->common[CURVE_MODEL], b->common[CURVE_MODEL]);
}

/* Checks that a curve is independent of one before it, and can be compared with one of its model. */
static exit_status check_pair(const curve *a, const curve *b, const char *folder) {
    for (size_t i = 0; i < CURVE_COMMON && same_model(a, b); i++)
        if (strcmp(a->common[i], b->common[i]) != 0)
            return complain(STATUS_FAILED, "%s/%s: %s %s, but %s has %s", folder, b->name,
                            curve_common[i], b->common[i], a->name, a->common[i]);
    if (same_model(a, b) && a->sample.temperatures != b->sample.temperatures)
        return complain(STATUS_FAILED, "%s/%s: not the temperatures of %s", folder, b->name,
                        a->name);
    if (a->seed == b->seed)
        return complain(STATUS_FAILED, "%s/%s: seed %" PRIu64 " is that of %s", folder, b->name,
                        b->seed, a->name);
    return STATUS_OK;
}

/* Reads all curves and checks that they belong together. */
static exit_status read_curves(curve *curves, char **names, size_t count, const char *folder) {
    exit_status status = STATUS_OK;
    for (size_t i = 0; i < count && !status; i++) {
        status = curve_read(&curves[i], folder, names[i]);
        for (size_t k = 0; k < i && !status; k++)
            if (curves[i].made && curves[k].made)
                status = check_pair(&curves[k], &curves[i], folder);
    }
    return status;
}

static const curve *find_ssc(const curve *curves, size_t count, const curve *of) {
    for (size_t i = 0; i < count; i++)
        if (curves[i].made && !strcmp(curves[i].coding, "ssc") && same_model(&curves[i], of))
            return &curves[i];
    return NULL;
}

/* --- claims --- */

/* Below the transition temperature replicas with the same random numbers become alike, up to a
 * reversal of all spins; above it they do so only by descent, in part, and nothing is claimed. */
static bool find_claim(const curve *c, int window, claim *out) {
    const double p = (double)c->word;
    *out = shares_numbers(c) ? (claim){NEAR_LOW * p, NEAR_HIGH * p} : (claim){1, 1};
    return window == COLD || !shares_numbers(c);
}

static judgement judge(const curve *c, const curve *ssc, double limit) {
    judgement j = {.ssc = ssc};
    const size_t runs = c->sample.runs;
    for (int w = 0; w < WINDOWS; w++) {
        const beta_window at = report_windows(c)[w];
        j.ratio[w] = spread_ratio(spread_window(&c->sample, at.first, at.last),
                                  spread_window(&ssc->sample, at.first, at.last));
        j.claimed[w] = find_claim(c, w, &j.expected[w]);
        j.z[w] = claim_z(j.expected[w], j.ratio[w], runs);
        j.outcome[w] = claim_decide(j.expected[w], j.ratio[w], runs, limit);
        j.control_z[w] = claim_z((claim){1, 1}, j.ratio[w], runs);
    }
    j.control[COLD] = shares_numbers(c);
    j.control[WARM] = !strcmp(c->rng, "shared"); /* without reordering, by descent */
    return j;
}

/* Whether everything that is claimed of a curve is so. */
static bool passes(const judgement *j, double limit) {
    for (int w = 0; w < WINDOWS; w++)
        if ((j->claimed[w] && j->outcome[w] != CLAIM_HOLDS) ||
            (j->control[w] && !(fabs(j->control_z[w]) > limit)))
            return false;
    return true;
}

/* Judges all curves that are made. A refuted claim weighs more than a missing curve. */
static report_verdict judge_all(report *r, judgement *judgements) {
    report_verdict verdict = REPORT_PASS;
    for (size_t i = 0; i < r->count; i++) {
        const curve *const c = &r->curves[i];
        const curve *const ssc = c->made ? find_ssc(r->curves, r->count, c) : NULL;
        if (!ssc) {
            if (verdict == REPORT_PASS)
                verdict = REPORT_INCOMPLETE;
        } else if (c != ssc) {
            judgements[i] = judge(c, ssc, r->limit);
            if (!passes(&judgements[i], r->limit))
                verdict = REPORT_FAIL;
        }
    }
    return verdict;
}

static const char usage[] =
    "usage: inflation_table FOLDER NAME...\n"
    "Judges the curves FOLDER/NAME, the results of many runs each, and writes FOLDER/inflation.dat "
    "and\n"
    "FOLDER/inflation.md. Status 1: a claim fails, or a curve is missing.\n";

int main(int argc, char **argv) {
    usage_show_if_asked(argc, argv, usage);
    if (argc < 3)
        return complain(STATUS_REFUSED, "allowed: FOLDER NAME..., the curves, or --help");
    const size_t count = (size_t)argc - 2;
    curve *const curves = calloc(count, sizeof *curves);
    judgement *const judgements = calloc(count, sizeof *judgements);
    if (!curves || !judgements)
        return complain(STATUS_FAILED, "not enough memory");
    exit_status status = read_curves(curves, argv + 2, count, argv[1]);
    if (!status) {
        report r = {.curves = curves,
                    .judgements = judgements,
                    .count = count,
                    .limit = z_limit(WINDOWS * count)};
        r.verdict = judge_all(&r, judgements);
        status = report_write_data(&r, argv[1]);
        if (!status)
            status = report_write_table(&r, argv[1]);
        if (!status && r.verdict != REPORT_PASS)
            status = STATUS_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        curve_free(&curves[i]);
    free(judgements);
    free(curves);
    return (int)status;
}
