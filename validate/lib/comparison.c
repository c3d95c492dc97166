/* Holds a result against the exact solution (comparison.h). */
#include "comparison.h"
#include "base/number.h"
#include "estimate/observables.h"
#include "model/model.h"
#include "reference/exact.h"
#include "student.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define FEWEST_DIGITS      9    /* that beta and the values are written with */
#define FEWEST_EXCITATIONS 1000 /* that an error knows of */
#define EXCITATION         8    /* energy of a spin that is turned over in the ground state */
#define EXACT_ACCURACY     1e-12

enum { COMPARED_E, COMPARED_C, COMPARED_BETA_F, COMPARED };

/* One value of a row. */
typedef struct {
    double measured, exact, error;
    double range;      /* of what it can be at all */
    double excitation; /* what one excitation changes; 0: it has a history of other temperatures */
} compared_value;

/* What the values of one quantity have in common. */
typedef struct {
    size_t count;
    double largest;    /* |z| */
    double sum_square; /* of z */
} compared_quantity;

/* The limit of |z| where errors come from so many parts. */
typedef struct {
    uint64_t parts; /* 0: not known yet */
    double limit;
} compared_limit;

typedef struct {
    uint32_t size;
    uint64_t asked, runs; /* runs that were asked for, and that the averages are over */
    uint64_t digits;
    double alarm;          /* the probability of a false alarm for each value */
    compared_limit limit;  /* of the row at hand, */
    uint64_t fewest, most; /* and the numbers of parts of all trusted rows */
    compared_quantity quantity[COMPARED];
    double worst;    /* |z| in units of its limit, the largest */
    double coarsest; /* the largest error times its limit, in units of the range */
    bool finite;     /* all numbers of the trusted rows */
} comparison;

/* --- The header --- */

/* How many runs the averages are over; 0 if the header does not say. */
static uint64_t averaged_runs(const result_file *result) {
    char text[RESULT_VALUE_SIZE];
    uint64_t runs;
    int length = 0;
    result_file_parameter(result, "averages", text);
    return sscanf(text, "over %" SCNu64 " runs%n", &runs, &length) == 1 && length > 0 ? runs : 0;
}

static bool is_of_square_model(const result_file *result) {
    const char *const title = square_model(EXACT_MIN_SIZE).title;
    const char *const found = strstr(result->header, title);
    return found && memchr(result->header, '\n', (size_t)(found - result->header)) == NULL &&
           found[strlen(title)] == '\n';
}

static bool is_trusted(const double x[RESULT_COLUMNS]) {
    return x[RESULT_TRUSTED] > 0;
}

/* Whether a row of so many runs can be a trusted one, but for the rounding of its numbers. */
static bool has_families(const double x[RESULT_COLUMNS], uint64_t runs) {
    return x[RESULT_R] * (double)runs / x[RESULT_RHO_T] > 0.99 * TRUSTED_FAMILIES;
}

/* Whether its errors can come from as many parts as it says: several runs or, of one run, its blocks. */
static bool has_parts(const double x[RESULT_COLUMNS], uint64_t runs) {
    const double parts = x[RESULT_BLOCKS];
    return runs > 1 ? parts == (double)runs
                    : parts >= 2 && parts <= POPULATION_BLOCKS && parts == floor(parts);
}

static exit_status begin(comparison *c, const result_file *result, const char *path,
                         double false_alarm) {
    const uint64_t size = result_file_number(result, "size");
    *c = (comparison){.asked = result_file_number(result, "runs"),
                      .runs = averaged_runs(result),
                      .digits = result_file_number(result, "precision"),
                      .finite = true};
    if (!is_of_square_model(result))
        return complain(STATUS_FAILED,
                        "%s: not a result of the 2D Ising model, the one solved here", path);
    if (size < EXACT_MIN_SIZE || size > SQUARE_MAX_EDGE || size % 2)
        return complain(STATUS_FAILED, "%s: not a result of paising: no such size", path);
    if (c->runs == 0 || c->runs > c->asked)
        return complain(STATUS_FAILED,
                        "%s: not the averages of a result: no line 'averages over K runs', of 1 to "
                        "the number of runs",
                        path);
    size_t trusted = 0;
    for (size_t i = 0; i < result->rows; i++) {
        if (!is_trusted(result->row[i]))
            continue;
        trusted++;
        if (!has_families(result->row[i], c->runs))
            return complain(STATUS_FAILED,
                            "%s: not a result of paising: row %zu is trusted with fewer than %d "
                            "families",
                            path, i + 1, TRUSTED_FAMILIES);
        if (!has_parts(result->row[i], c->runs))
            return complain(STATUS_FAILED,
                            "%s: not a result of paising: row %zu is trusted with errors from %g "
                            "blocks",
                            path, i + 1, result->row[i][RESULT_BLOCKS]);
    }
    c->alarm = false_alarm / fmax(1, COMPARED * (double)trusted);
    c->size = (uint32_t)size;
    return STATUS_OK;
}

/* --- Rows --- */

/* A difference that is nothing but the last digit of a value. */
static double rounding(const comparison *c, double x) {
    return (0.5 * pow(10, 1 - (double)c->digits) + EXACT_ACCURACY) * fabs(x);
}

/* The error of a value, of which so many excitations are expected. */
static double error_of(const compared_value *v, double excitations) {
    return excitations < FEWEST_EXCITATIONS
               ? fmax(v->error, sqrt(FEWEST_EXCITATIONS) * v->excitation)
               : v->error;
}

/* Difference in units of the error; 0 where both vanish, as at beta = 0. */
static double z_score(const comparison *c, const compared_value *v, double error) {
    const double off = v->measured - v->exact;
    return fabs(off) <= rounding(c, v->exact) ? 0 : off / error;
}

/* Whether there is everything that belongs to a trusted row. R_eff is 0 / 0 where no spin is excited. */
static bool is_finite(const double x[RESULT_COLUMNS]) {
    bool finite = true;
    for (int n = 0; n < RESULT_COLUMNS; n++)
        finite = finite && (n == RESULT_R_EFF || isfinite(x[n]));
    return finite;
}

static void judge(comparison *c, compared_quantity *q, double z, double error, double range) {
    q->count++;
    q->sum_square += z * z;
    q->largest = isfinite(z) ? fmax(q->largest, fabs(z)) : INFINITY;
    c->worst = isfinite(z) ? fmax(c->worst, fabs(z) / c->limit.limit) : INFINITY;
    c->coarsest = fmax(c->coarsest, error > 0 ? error * c->limit.limit / range : 0);
}

/* Sets the limit for a trusted row. */
static void set_limit(comparison *c, const double x[RESULT_COLUMNS]) {
    const uint64_t parts = (uint64_t)x[RESULT_BLOCKS];
    if (parts != c->limit.parts)
        c->limit = (compared_limit){parts, student_limit(c->alarm, parts - 1)};
    c->fewest = c->fewest == 0 || parts < c->fewest ? parts : c->fewest;
    c->most = parts > c->most ? parts : c->most;
}

static void compare_row(comparison *c, const double x[RESULT_COLUMNS], FILE *out) {
    const exact_result exact = exact_thermodynamics(c->size, x[RESULT_BETA]);
    const double spins = (double)c->size * c->size, beta = x[RESULT_BETA];
    const double replicas = x[RESULT_R] * (double)c->runs;
    const double quantum = EXCITATION / (spins * replicas); /* of e */
    const double excitations = (exact.e + 2) / quantum;
    const compared_value value[COMPARED] = {
        {x[RESULT_E], exact.e, x[RESULT_ERR_E], 2, quantum},
        {x[RESULT_C], exact.c, x[RESULT_ERR_C], 4 * beta * beta * spins,
         EXCITATION * beta * beta * quantum},
        {x[RESULT_BETA_F], exact.beta_f, x[RESULT_ERR_BETA_F], 2 * beta, 0}};
    const bool trusted = is_trusted(x);
    double z[COMPARED];
    if (trusted)
        set_limit(c, x);
    for (int n = 0; n < COMPARED; n++) {
        const double error = error_of(&value[n], excitations);
        z[n] = z_score(c, &value[n], error);
        if (trusted)
            judge(c, &c->quantity[n], z[n], error, value[n].range);
    }
    c->finite = c->finite && (!trusted || is_finite(x));
    fprintf(out, "%-7.5g %10.6f %10.6f %6.2f %10.6f %10.6f %6.2f %10.6f %10.6f %6.2f %7.0f %d\n",
            beta, x[RESULT_E], exact.e, z[COMPARED_E], x[RESULT_C], exact.c, z[COMPARED_C],
            x[RESULT_BETA_F], exact.beta_f, z[COMPARED_BETA_F], x[RESULT_R] / x[RESULT_RHO_T],
            trusted);
}

/* --- The verdict --- */

static void print_quantities(const comparison *c, FILE *out) {
    static const char *const name[COMPARED] = {"e", "C", "betaF/N"};
    for (int n = 0; n < COMPARED; n++) {
        const compared_quantity *const q = &c->quantity[n];
        fprintf(out, "# %s: %zu trusted rows, largest |z| %.2f, root mean square z %.2f\n", name[n],
                q->count, q->largest, q->count ? sqrt(q->sum_square / (double)q->count) : 0);
    }
}

static void print_limit(const comparison *c, size_t values, const char *alarm, FILE *out) {
    fprintf(out, "# limit: Student's t with %" PRIu64, c->fewest - 1);
    if (c->most > c->fewest)
        fprintf(out, " to %" PRIu64, c->most - 1);
    fprintf(out, " degrees of freedom, which exceeds it with the probability %s / %zu\n", alarm,
            values);
}

static comparison_verdict print_verdict(const comparison *c, double false_alarm, FILE *out) {
    size_t values = 0;
    double largest = 0;
    for (int n = 0; n < COMPARED; n++) {
        values += c->quantity[n].count;
        largest = fmax(largest, c->quantity[n].largest);
    }
    if (values == 0) {
        fprintf(out, "# not judged: no row is trusted\n");
        return COMPARISON_NOT_JUDGED;
    }
    const bool agrees = c->finite && c->worst <= 1;
    char alarm[NUMBER_TEXT_SIZE];
    number_text(alarm, false_alarm);
    print_limit(c, values, alarm, out);
    if (!c->finite)
        fprintf(out, "# a number of a trusted row is not finite\n");
    if (agrees && c->digits < FEWEST_DIGITS) {
        fprintf(out, "# not judged: numbers of %" PRIu64 " digits are rounded, %d are needed\n",
                c->digits, FEWEST_DIGITS);
        return COMPARISON_NOT_JUDGED;
    }
    if (agrees && c->coarsest >= 1) {
        fprintf(out,
                "# not judged: with errors from %" PRIu64 " parts the limit lets any value pass\n",
                c->fewest);
        return COMPARISON_NOT_JUDGED;
    }
    fprintf(
        out,
        "# %s the exact solution: largest |z| %.2f of %zu values, %.2f of its limit at most, false "
        "alarm %s\n",
        agrees ? "agrees with" : "DISAGREES with", largest, values, c->worst, alarm);
    return agrees ? COMPARISON_AGREES : COMPARISON_DISAGREES;
}

comparison_verdict compare_with_exact(const result_file *result, const char *path,
                                      double false_alarm, FILE *out) {
    comparison c;
    if (begin(&c, result, path, false_alarm))
        return COMPARISON_DISAGREES;
    fprintf(out, "# beta          e    exact e    z_e          C    exact C    z_C    betaF/N"
                 "  exact bF/N   z_bF R/rho_t trusted\n");
    for (size_t i = 0; i < result->rows; i++)
        compare_row(&c, result->row[i], out);
    if (c.runs < c.asked)
        fprintf(out, "# interrupted: averages over %" PRIu64 " of %" PRIu64 " runs\n", c.runs,
                c.asked);
    print_quantities(&c, out);
    return print_verdict(&c, false_alarm, out);
}
