/* Claims about the errors of a glass from beta = 1 to 4, where its replicas come to rest in their ground states:
 *  - a run is within two of its own errors of the exact e, C, betaF, S, |q|, q2, q4, q_l and |q(k)|^2 in 90 to 98% of cases: of
 *    three samples of 4 x 4, two of which have one ground state, of the ferromagnet as a sample (P = 1), and of one of
 *    4 x 4 x 4, whose overlaps nobody knows;
 *  - errors of the blocks alone, which excitations counted from a level that no state has come to, are found out
 *    (negative control).
 * Where a run has few events in the mean, rare excitations or pairs of two states (counting.h), coverage is more: numbers
 * of events are whole, and without any, all runs are within two sigma, or none is. Any error that is the root of their
 * number at least, and covers a mean of 3 where none is seen, covers 98% and more of means below 3, and those here 96% to
 * 99% up to FEW. There the size of the errors is claimed instead: their mean square is that of n events, n + 1.545^2 times what
 * an event changes, squared.
 *
 * `build/test_low_temperature 400` makes 400 runs of each sample, in some minutes, and prints what it finds. Seeds are
 * fixed, the false-alarm probability is that of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/disorder.h"
#include "estimate/trust.h"
#include "method/batch.h"
#include "reference/energy_states.h"
#include "validate/lib/all_states.h"
#include "validate/lib/cubic_tables.h"
#include "validate/lib/statistics.h"

#define COVERED_LEAST 0.90
#define COVERED_MOST  0.98
#define FEW           5
#define COUNT_ERROR   1.545 /* counting.h */

/* What an event changes is known to some tens of percent, and large ones count for more. */
#define LEAST_SIZE 0.7
#define MOST_SIZE  2.5

static size_t runs = 64;
static bool shown; /* what is found */

/* --- samples --- */

typedef struct {
    disorder from;
    uint32_t dimension;
    uint64_t population;
} glass_case;

static const glass_case cases[] = {{{11, 0, 0.5}, 2, 1000}, /* 24 ground states */
                                   {{4, 0, 0.75}, 2, 1000}, /* one and its mirror image */
                                   {{1, 0, 0.85}, 2, 1000}, /* likewise */
                                   {{1, 0, 1}, 2, 1000},    /* likewise, with a larger gap */
                                   {{CUBIC_SEED, 1, 0.5}, 3, 4000}};
#define CASES (sizeof cases / sizeof *cases)

typedef struct {
    spin_model model;
    couplings sample;
    energy_states states;
} glass;

/* The model has a pointer to the sample beside it. */
static void glass_create(glass *g, const glass_case *of) {
    static const uint32_t edges[] = {4, 4, 4};
    const model_kind *const kind = of->dimension == 2 ? &glass2d_kind : &glass3d_kind;
    assert_true(couplings_create(&g->sample, of->dimension, edges));
    disorder_draw(&g->sample, of->from);
    g->model = model_of_sample(kind->create((const uint32_t[]){4, 4, of->dimension == 2 ? 1 : 4}),
                               &g->sample);
    if (of->dimension == 2) {
        assert_true(square_states_count(&g->states, &g->sample));
        return;
    }
    uint64_t count[CUBIC_BONDS + 1];
    assert_true(cubic_states_read(of->from.sample, count) == of->from.ferromagnetic);
    assert_true(energy_states_create(&g->states, &g->sample));
    for (uint64_t u = 0; u <= CUBIC_BONDS; u++)
        *energy_states_count(&g->states, u) = count[u];
}

static void glass_destroy(glass *g) {
    energy_states_destroy(&g->states);
    couplings_destroy(&g->sample);
}

/* The part of its replicas that are not in a ground state. */
static double excited_part(const energy_states *s, double beta) {
    long double lowest = 0, above = 0;
    uint64_t first = 0;
    for (uint64_t u = 0; u <= s->bonds; u++) {
        const long double states = energy_states_number(s, u);
        if (lowest > 0)
            above += states * expl(-2 * (long double)beta * (u - first));
        else if (states > 0)
            lowest = states;
        first = lowest > 0 && above == 0 && states == lowest ? u : first;
    }
    return (double)(above / (lowest + above));
}

/* --- what is compared --- */

enum {
    QUANTITY_E,
    QUANTITY_C,
    QUANTITY_BETA_F,
    QUANTITY_S,
    THERMAL,
    QUANTITIES = THERMAL + OVERLAP_SELF /* the means that Ising spins have */
};

static const char *const quantity_name[QUANTITIES] = {"e",  "C",  "betaF", "S",       "|q|",
                                                      "q2", "q4", "q_l",   "|q(k)|^2"};

/* beta = 1, 2, 3, 4: every eighth of the temperatures. */
#define COMPARED 4
#define DBETA    0.125
#define EVERY    8

typedef struct {
    bool trusted;
    double value[QUANTITIES], error[QUANTITIES], blind[QUANTITIES]; /* by the blocks alone */
} compared_row;

/* An error without what counting has added to it, if events were few. */
static double blind_error(double error, double one, double replicas, double events) {
    const double counted = COUNT_ERROR * one / replicas;
    return events < 100 && 10 * events < replicas ? sqrt(fmax(0, error * error - counted * counted))
                                                  : error;
}

static void take_row(compared_row *out, const observables *row, const overlap_row *q,
                     double spins) {
    const double value[] = {row->e, row->c, row->beta_f, row->beta * row->e - row->beta_f / spins},
                 error[] = {row->error_e, row->error_c, row->error_beta_f, row->error_s},
                 e = row->gap / spins,
                 one[] = {e, row->beta * row->beta * row->gap * e, 0, row->beta * e},
                 off = 1 - q->value[OVERLAP_ABS_Q],
                 squares = off - q->value[OVERLAP_ABS_Q] + q->value[OVERLAP_Q2],
                 rare = off > 0 ? q->pairs * off * off / squares : 0;
    out->trusted = row->trusted;
    for (size_t n = 0; n < QUANTITIES; n++) {
        const size_t m = n - THERMAL;
        out->value[n] = n < THERMAL ? value[n] : q->value[m];
        out->error[n] = n < THERMAL ? error[n] : q->error[m];
        out->blind[n] = n < THERMAL ? blind_error(error[n], one[n], row->population, row->excited)
                                    : blind_error(q->error[m], q->one[m], q->pairs, rare);
    }
}

/* A run, as the program makes it. */
static void anneal(batch *loop, uint32_t run, compared_row out[COMPARED]) {
    const annealing *const a = loop->member;
    batch_pauses never = {.steps = 0};
    bool paused;
    batch_clear(loop);
    batch_add(loop, run);
    batch_run(loop, &never, &paused);
    assert_true(a->failure[0] == '\0' && a->rows.count == COMPARED * EVERY + 1);
    trust_judge(a->rows.row, a->rows.count);
    for (size_t n = 0; n < COMPARED; n++)
        take_row(&out[n], &a->rows.row[EVERY * (n + 1)], &a->overlaps.row[EVERY * (n + 1)],
                 (double)a->steps.engine->model.sites);
}

/* --- coverage --- */

typedef struct {
    double rows, within, blind, error2;
} coverage;

/* Of a quantity at one temperature of all runs: row[run][COMPARED]. */
static coverage coverage_of(const compared_row *row, size_t n, double exact) {
    coverage c = {0};
    for (size_t run = 0; run < runs; run++, row += COMPARED) {
        const double off = fabs(row->value[n] - exact);
        if (!row->trusted)
            continue;
        c.rows++;
        c.within += off <= 2 * row->error[n];
        c.blind += off <= 2 * row->blind[n];
        c.error2 += row->error[n] * row->error[n];
    }
    return c;
}

/* By how much a part of so many is off the band, in its own errors at the edge of it. */
static double off_band(double within, double rows, double least, double most) {
    const double edge = fmin(fmax(within / rows, least), most);
    return (within - edge * rows) / sqrt(rows * fmax(edge * (1 - edge), 1 / rows));
}

/* What is known of a sample at one temperature. */
typedef struct {
    double exact[QUANTITIES], at_rest[QUANTITIES]; /* nan: not known */
    double events[QUANTITIES]; /* in a run, of each; infinite where it has scatter of its own */
} expectation;

static expectation expect(const glass *g, const glass_case *of, double beta) {
    const exact_result x = energy_states_thermodynamics(&g->states, beta);
    const double spins = (double)g->model.sites, replicas = (double)of->population,
                 excited = replicas * excited_part(&g->states, beta);
    expectation w = {.exact = {x.e, x.c, spins * x.beta_f, x.s},
                     .events = {excited, excited, INFINITY, INFINITY}};
    for (size_t n = THERMAL; n < QUANTITIES; n++)
        w.exact[n] = NAN;
    if (of->dimension == 2) {
        const exact_overlaps q = all_overlaps(&g->sample, beta, &g->model);
        memcpy(w.exact + THERMAL, q.value, OVERLAP_SELF * sizeof *q.value);
        for (size_t n = THERMAL; n < QUANTITIES; n++) {
            w.events[n] = replicas / 2 * (1 - q.walls[0]);
            w.at_rest[n] = n < QUANTITIES - 1;
        }
    }
    w.at_rest[QUANTITY_E] = energy_states_thermodynamics(&g->states, 100).e;
    return w;
}

/* Of all comparisons: the band, and its lower edge for all of a quantity together; the same of blind errors. */
typedef struct {
    z_series band, control;
    coverage all[QUANTITIES];
    bool sizes; /* errors of few events are as large as counting has them */
} verdict;

/* The mean square of errors where events are few, in units of what the events and counting come to. */
static double size_of_errors(const expectation *w, size_t n, coverage c) {
    const double one = (w->exact[n] - w->at_rest[n]) / w->events[n],
                 expected = one * one * (w->events[n] + COUNT_ERROR * COUNT_ERROR);
    return c.error2 / c.rows / expected;
}

static void add_coverage(coverage *all, coverage c) {
    all->rows += c.rows;
    all->within += c.within;
    all->blind += c.blind;
}

static void judge_quantity(verdict *v, const expectation *w, size_t n, coverage c, double beta) {
    const bool few = w->events[n] < FEW;
    const double most = few ? 1 : COVERED_MOST, size = few ? size_of_errors(w, n, c) : 1;
    if (shown)
        printf(
            "  beta = %g, %.3g events: %s within 2 sigma %.3f, by blocks alone %.3f, size %.2f, of "
            "%g\n",
            beta, w->events[n], quantity_name[n], c.within / c.rows, c.blind / c.rows, size,
            c.rows);
    z_add(&v->band, off_band(c.within, c.rows, COVERED_LEAST, most), "%s at beta = %g",
          quantity_name[n], beta);
    z_add(&v->control, off_band(c.blind, c.rows, COVERED_LEAST, most), "%s at beta = %g, blind",
          quantity_name[n], beta);
    v->sizes = v->sizes && size > LEAST_SIZE && size < MOST_SIZE;
    add_coverage(&v->all[n], c);
}

static void judge(verdict *v, const glass *g, const glass_case *of, const compared_row *rows) {
    if (shown)
        printf("  %ud, P = %g\n", (unsigned)of->dimension, of->from.ferromagnetic);
    for (size_t i = 0; i < COMPARED; i++) {
        const double beta = 1 + (double)i;
        const expectation w = expect(g, of, beta);
        for (size_t n = 0; n < QUANTITIES && !isnan(w.exact[n]); n++)
            judge_quantity(v, &w, n, coverage_of(rows + i, n, w.exact[n]), beta);
    }
}

static void judge_all(verdict *v) {
    for (size_t n = 0; n < QUANTITIES; n++) {
        const coverage c = v->all[n];
        z_add(&v->band, off_band(c.within, c.rows, COVERED_LEAST, 1), "%s of all",
              quantity_name[n]);
        z_add(&v->control, off_band(c.blind, c.rows, COVERED_LEAST, 1), "%s of all, blind",
              quantity_name[n]);
    }
}

static void make_runs(const glass *g, const glass_case *of, compared_row *rows) {
    const parameters p = {.stripes = 1,
                          .model =
                              of->dimension, /* glass2d and glass3d stand there in model_kinds */
                          .size = {{4}},
                          .population = of->population,
                          .sweeps = 5,
                          .beta_end = COMPARED,
                          .dbeta = DBETA,
                          .runs = 1,
                          .seed = 44,
                          .precision = 6};
    const engine_config config = {.coding = of->dimension == 2 ? CODING_SSC : CODING_MSC,
                                  .model = g->model,
                                  .capacity = 2 * of->population,
                                  .word = 32,
                                  .rng = RNG_INDEPENDENT};
#pragma omp parallel
    {
        engine *const e = engine_cpu_create(&config);
        batch loop;
        assert_non_null(e);
        assert_int_equal(batch_create(&loop, &p, &e, 1), STATUS_OK);
        loop.progress.shown = false;
#pragma omp for schedule(dynamic)
        for (size_t run = 0; run < runs; run++)
            anneal(&loop, (uint32_t)run, rows + run * COMPARED);
        batch_destroy(&loop);
        e->verbs->destroy(e);
    }
}

static void errors_cover(void **state) {
    (void)state;
    const size_t planned = COMPARED * ((CASES - 1) * QUANTITIES + THERMAL) + QUANTITIES;
    verdict v = {.band = z_begin("2 sigma coverage", planned),
                 .control = z_begin("errors of blocks alone", planned),
                 .sizes = true};
    compared_row *const rows = calloc(runs * COMPARED, sizeof *rows);
    assert_non_null(rows);
    for (size_t k = 0; k < CASES; k++) {
        glass g;
        glass_create(&g, &cases[k]);
        make_runs(&g, &cases[k], rows);
        judge(&v, &g, &cases[k], rows);
        glass_destroy(&g);
    }
    free(rows);
    judge_all(&v);
    assert_true(z_passed(&v.band));
    assert_true(v.sizes);
    assert_true(z_detected(&v.control));
}

int main(int count, char *word[]) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_cover)};
    shown = count > 1;
    if (shown)
        runs = strtoul(word[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
