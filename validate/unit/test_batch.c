/* Claims about runs in flight together (method/batch.h), made of small SSC simulations whose engines are
 * watched from behind their interface. However many there are, the data files are the same bytes: of runs
 * that come to their end, that die out, all of them too, that fail at any moment, and of simulations that are ended by a
 * signal and taken up. All steps are started before one is sent off, all rows made before one is finished, of simulations side by
 * side, too, and none is started of a run that has ended. The time of a step is not counted for each of its runs;
 * spin flips are those of the populations and sweeps at each temperature. */
#include "base/clock.h"
#include "engine/async.h"
#include "engine/capacity.h"
#include "files/data_columns.h"
#include "method/simulation.h"
#include "method/simulation_results.h"
#include "resample/resampling.h"
#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>

#define RUNS        7
#define MOST_FLIGHT 9
#define STEPS       8

/* Runs of 8 steps, in which populations of 2 often die out. */
static parameters some_parameters(uint64_t population) {
    return (parameters){.stripes = 1,
                        .size = {{6}},
                        .population = population,
                        .sweeps = 1,
                        .beta_end = 1,
                        .dbeta = 0.125,
                        .runs = RUNS,
                        .seed = 5,
                        .precision = 17,
                        .output = "out",
                        .coding = CODING_SSC,
                        .device = DEVICE_CPU,
                        .word = 32};
}

/* --- a signal --- */

/* How often the program may still ask for one (once a step) before it is told of one; negative: for ever. */
static int patience = -1;

/* Stands before signals_pending (the linker's --wrap). */
int __wrap_signals_pending(void);
int __wrap_signals_pending(void) {
    patience -= patience > 0;
    return patience == 0 ? SIGTERM : 0;
}

/* --- SSC engines of a small square lattice: they note in which order steps are made side by side, and fail where they are
 * told to --- */

/* When a run fails: as a step is finished, or started, or its report completed. */
enum { AT_FINISH, AT_START, AT_COMPLETION };

/* And where: the first population is number 0. */
typedef struct {
    uint32_t run;
    uint32_t temperature;
    int when;
    engine_status status;
} planted_end;

static const planted_end no_end = {.run = UINT32_MAX};
#define EVERY_RUN (UINT32_MAX - 1)

typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    const parameters *given;
    planted_end end;
    uint32_t run, temperature, expected; /* the temperature of the step that is expected, ... */
    uint32_t reported;                   /* and of the report that is to be completed */
    bool begun, whole, sent_off; /* a step was started, not a part of one, and is under way */
    engine_step step;            /* this one */
    bool over;                   /* the run is not to go on */
    double since;                /* when */
} watched;

/* Steps that are started, and were finished since the last start; and that nobody expected. */
static size_t started, finished, most_started, surprises;
static bool in_lock_step; /* no step was started between two that were finished together */

/* What becomes of steps: each part of all that are in flight, then the next. */
typedef enum { STARTED, SENT_OFF, FOLLOWED, BESIDE, FINISHED } step_part;
static step_part last_part;

static void note_part(step_part part) {
    const bool next = part == STARTED && started == 0;
    in_lock_step = in_lock_step && (next || part >= last_part);
    last_part = part;
}

static bool ends_here(const watched *w, uint32_t temperature, int when) {
    return (w->run == w->end.run || w->end.run == EVERY_RUN) && temperature == w->end.temperature &&
           when == w->end.when;
}

static engine_status watched_randomise(engine *self, stream_key key, uint64_t replicas,
                                       histogram *out) {
    watched *const w = (watched *)self;
    for (w->run = 0; w->run < w->given->runs; w->run++) {
        const stream_key other = stream_run_key(w->given->seed, w->run);
        if (memcmp(&key, &other, sizeof key) == 0)
            break;
    }
    w->temperature = 0;
    w->over = false;
    const engine_status status = w->inner->verbs->randomise(w->inner, key, replicas, out);
    return ends_here(w, 0, AT_FINISH) ? w->end.status : status;
}

static void watched_hint(engine *self, const engine_step *step) {
    watched *const w = (watched *)self;
    w->expected = step->temperature;
}

static engine_status watched_submit(engine *self, const engine_step *step) {
    watched *const w = (watched *)self;
    assert_false(w->begun || w->over);
    if (step->parts == WHOLE_STEP) {
        surprises += w->expected != step->temperature;
        note_part(STARTED);
        w->temperature = step->temperature;
        if (ends_here(w, w->temperature, AT_START)) {
            w->over = true;
            return w->end.status;
        }
        started++;
        most_started = started > most_started ? started : most_started;
    }
    w->begun = true;
    w->whole = step->parts == WHOLE_STEP;
    w->sent_off = !w->whole;
    w->since = clock_seconds();
    w->step = *step;
    return ENGINE_OK;
}

static void watched_flush(engine *self) {
    watched *const w = (watched *)self;
    if (w->begun && w->whole)
        note_part(SENT_OFF);
    w->sent_off = true;
}

/* Where the row of a population is made. */
static engine_status watched_wait_all(engine *self, histogram *out) {
    watched *const w = (watched *)self;
    if (w->begun && w->whole)
        note_part(FOLLOWED);
    if (!ends_here(w, w->reported, AT_COMPLETION))
        return ENGINE_OK;
    memset(out->block, 0, sizeof out->block); /* which cannot be averaged */
    return w->end.status;
}

static engine_status watched_wait(engine *self, histogram *out) {
    watched *const w = (watched *)self;
    assert_true(w->begun && w->sent_off);
    if (w->whole)
        note_part(FINISHED);
    w->begun = false;
    engine_status status = w->inner->verbs->step(w->inner, &w->step, out);
    w->reported = w->temperature;
    if (status == ENGINE_OK && ends_here(w, w->temperature, AT_FINISH))
        status = w->end.status;
    w->over = status != ENGINE_OK;
    w->face.seconds[STAGE_STEP] += clock_seconds() - w->since;
    if (started > 0 && ++finished == started)
        started = finished = 0;
    return status;
}

static engine_status watched_read(engine *self, uint64_t first, uint64_t count, uint8_t *spins,
                                  uint32_t *families) {
    engine *const e = ((watched *)self)->inner;
    return e->verbs->read(e, first, count, spins, families);
}

static engine_status watched_write(engine *self, uint64_t first, uint64_t count, uint64_t replicas,
                                   const uint8_t *spins, const uint32_t *families) {
    engine *const e = ((watched *)self)->inner;
    return e->verbs->write(e, first, count, replicas, spins, families);
}

static engine_status watched_step(engine *self, const engine_step *step, histogram *out) {
    const engine_status status = watched_submit(self, step);
    return status == ENGINE_OK ? watched_wait(self, out) : status;
}

/* The inner engine goes where the test has it destroyed. */
static void watched_destroy(engine *self) {
    engine *const e = ((watched *)self)->inner;
    e->verbs->destroy(e);
}

static const struct engine_async_verbs watched_async = {.submit = watched_submit,
                                                        .hint = watched_hint,
                                                        .flush = watched_flush,
                                                        .wait = watched_wait,
                                                        .wait_all = watched_wait_all};

static const struct engine_verbs watched_verbs = {.randomise = watched_randomise,
                                                  .step = watched_step,
                                                  .read = watched_read,
                                                  .write = watched_write,
                                                  .destroy = watched_destroy,
                                                  .async = &watched_async};

static void watch(watched *w, const parameters *p, planted_end end) {
    const engine_config config = {.coding = p->coding,
                                  .model = square_model(p->size.edge[0]),
                                  .capacity = population_capacity(p->population, p->word),
                                  .word = p->word};
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    *w = (watched){.face = *e, .inner = e, .given = p, .end = end};
    w->face.seconds[STAGE_STEP] = 0;
    w->face.verbs = &watched_verbs;
}

static void forget_steps(void) {
    started = finished = most_started = surprises = 0;
    in_lock_step = true;
    last_part = FINISHED;
}

/* --- simulations --- */

typedef struct {
    exit_status made;
    simulation_times spent;
    double spin_flips;
    double flips_of_rows;                  /* by the populations of the rows, which are all there */
    size_t died;                           /* runs that did not come to their end */
    size_t idle;                           /* of them, in the checkpoint that was taken up, */
    double died_at[MOST_FLIGHT];           /* and where each of its runs did; 0: it goes on */
    size_t most_in_flight;                 /* steps */
    double sum_of_steps, longest_of_steps; /* seconds that engines say of their steps */
    char said[600];
} outcome;

/* N sum R theta over the temperatures of all runs but the first, which has no sweeps. */
static double flips_of_rows(const simulation *s) {
    double flips = 0;
    for (size_t run = 0; run < s->finished.runs; run++)
        for (size_t i = 1; i < weighted_reached(&s->finished, run); i++)
            flips += s->flight.schedule.sweeps[i] *
                     s->finished.row[run * s->finished.temperatures + i].population;
    return (double)simulation_model(s)->sites * flips;
}

/* Rows that are trusted by themselves, and not for the next one. */
static size_t before_trust_ends;

/* Claims that rows are trusted if they and the next have families enough, which where a run has died out has none. */
static void assert_judged(const observables rows[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool own = rows[i].effective_families >= TRUSTED_FAMILIES;
        const bool next = i + 1 == count || rows[i + 1].effective_families >= TRUSTED_FAMILIES;
        assert_true(rows[i].trusted == (own && next));
        before_trust_ends += own && !next;
    }
}

static void assert_all_judged(const simulation *s) {
    const weighted_average *const runs = &s->finished;
    for (size_t run = 0; run < runs->runs; run++)
        assert_judged(runs->row + run * runs->temperatures, runs->temperatures);
    for (size_t n = 0; n < s->flight.count; n++)
        assert_judged(s->flight.member[n].rows.row, s->flight.member[n].rows.count);
    if (s->average != NULL)
        assert_judged(s->average, weighted_rows(runs));
}

/* Makes a simulation with so many engines; its result is in p->output. */
static outcome simulate(const parameters *p, size_t engines, planted_end end) {
    watched w[MOST_FLIGHT];
    engine *face[MOST_FLIGHT];
    result_folder folder;
    simulation s;
    outcome o;
    for (size_t n = 0; n < engines; n++) {
        watch(&w[n], p, end);
        face[n] = &w[n].face;
    }
    forget_steps();
    capture c = capture_begin(STDERR_FILENO);
    assert_int_equal(result_folder_open(&folder, p), STATUS_OK);
    const exit_status begun = simulation_begin(&s, p, face, engines, clock_seconds());
    o.idle = 0;
    for (size_t n = 0; !begun && n < s.flight.count; n++) {
        o.died_at[n] = s.flight.member[n].died_at;
        o.idle += o.died_at[n] > 0;
    }
    o.made = begun ? begun : simulation_run(&s);
    if (!begun) {
        o.spent = simulation_spent(&s);
        o.spin_flips = s.flight.spin_flips;
        o.flips_of_rows = flips_of_rows(&s);
        o.died = 0;
        for (size_t run = 0; run < s.finished.runs; run++)
            o.died += weighted_reached(&s.finished, run) < s.finished.temperatures;
        simulation_publish(&s, &folder);
        assert_all_judged(&s);
        simulation_end(&s);
    }
    capture_end(&c, o.said, sizeof o.said);
    result_folder_close(&folder);
    o.most_in_flight = most_started;
    o.sum_of_steps = o.longest_of_steps = 0;
    for (size_t n = 0; n < engines; n++) {
        o.sum_of_steps += face[n]->seconds[STAGE_STEP];
        o.longest_of_steps = fmax(o.longest_of_steps, face[n]->seconds[STAGE_STEP]);
        w[n].inner->verbs->destroy(w[n].inner);
    }
    assert_true(in_lock_step);
    return o;
}

/* The data files of a result, one after the other, names and all. */
static const char *data_of(const char *folder, char *text, size_t size) {
    static const char *const kinds[] = {"PA_results", "PA_MHR_results"};
    size_t length = 0;
    for (size_t kind = 0; kind < 2; kind++)
        for (uint32_t run = 0; run <= RUNS; run++) {
            char path[100];
            snprintf(path, sizeof path, "%s/%s_run_%" PRIu32 ".dat", folder, kinds[kind], run);
            if (run == RUNS)
                snprintf(path, sizeof path, "%s/%s_weighted.dat", folder, kinds[kind]);
            if (access(path, F_OK) != 0)
                continue;
            length += (size_t)snprintf(text + length, size - length, "%s\n%s",
                                       path + strlen(folder), read_file(path));
            assert_true(length < size);
        }
    text[length] = '\0';
    return text;
}

/* Claims that two folders have the same data files, some at least. */
static void assert_same_data(const char *folder, const char *other, const char *what,
                             size_t engines) {
    static char texts[2][1 << 18];
    if (strcmp(data_of(folder, texts[0], sizeof *texts), data_of(other, texts[1], sizeof *texts)) !=
        0)
        fail_msg("%s: other data files with %zu runs in flight", what, engines);
    assert_true(strlen(texts[0]) > 0);
}

/* Makes a simulation in folder `alone` with one run in flight, and claims that any other number gives the same.
 * Returns how the first one went. */
static outcome same_with_any_number(const parameters *given, planted_end end, const char *what) {
    static const size_t numbers[] = {2, 3, 5, MOST_FLIGHT};
    parameters p = *given;
    p.force = true;
    p.output = "alone";
    const outcome alone = simulate(&p, 1, end);
    p.output = "together";
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        const outcome together = simulate(&p, numbers[n], end);
        assert_int_equal(together.made, alone.made);
        assert_in_range(together.most_in_flight, alone.most_in_flight,
                        numbers[n] < RUNS ? numbers[n] : RUNS);
        if (end.run >= RUNS && together.made == STATUS_OK && p.population > 2)
            assert_int_equal(together.most_in_flight, numbers[n] < RUNS ? numbers[n] : RUNS);
        assert_same_data("alone", "together", what, numbers[n]);
        if (alone.made == STATUS_OK)
            assert_true(together.spin_flips == alone.spin_flips);
        if (alone.made == STATUS_OK && p.beta_start == 0)
            assert_true(alone.spin_flips == alone.flips_of_rows);
        assert_string_equal(together.said, alone.said);
    }
    assert_int_equal(system("rm -r alone together"), 0);
    return alone;
}

/* --- claims --- */

static void any_number_gives_the_same_bytes(void **state) {
    (void)state;
    parameters p = some_parameters(300);
    assert_int_equal(same_with_any_number(&p, no_end, "fixed steps").made, STATUS_OK);
    p.reweight = true;
    p.reweight_step = 0.0625;
    assert_int_equal(same_with_any_number(&p, no_end, "-m").made, STATUS_OK);
    p.beta_start = 0.5;
    assert_int_equal(same_with_any_number(&p, no_end, "-b").made, STATUS_OK);
    p.overlap = 0.7;
    assert_int_equal(same_with_any_number(&p, no_end, "-a").made, STATUS_OK);
}

/* theta = 1, 5, 2 at beta = 0.25, 0.5, 0.75: the number in run.json, too. Runs that die out have no flips where they do. */
static void spin_flips_are_those_of_the_rows(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    write_file("sweeps", "0 1\n0.25 1\n0.5 5\n0.75 2\n");
    p.sweeps_file = "sweeps";
    p.beta_end = 0.75;
    p.dbeta = 0.25;
    p.output = "swept";
    const outcome o = simulate(&p, 3, no_end);
    data_columns d;
    double flips = 0;
    const double theta[] = {0, 1, 5, 2};
    for (uint32_t run = 0; run < RUNS; run++) {
        char path[60];
        snprintf(path, sizeof path, "swept/PA_results_run_%" PRIu32 ".dat", run);
        assert_int_equal(data_columns_read(&d, path, (const char *[]){"R"}, 1), STATUS_OK);
        assert_int_equal(d.rows, 4);
        for (size_t i = 0; i < 4; i++)
            flips += 36 * theta[i] * d.value[i];
        free(d.value);
    }
    assert_true(o.spin_flips == flips);
    const char *const said = strstr(read_file("swept/run.json"), "\"spin_flips\": ");
    assert_non_null(said);
    assert_true(strtod(said + strlen("\"spin_flips\": "), NULL) == flips);
}

/* The lines of a header that warn, in a buffer that the next call but one reuses. */
static const char *warnings_of(const char *path) {
    static char texts[2][4096];
    static size_t turn;
    char *const text = texts[turn++ % 2];
    size_t length = 0;
    for (const char *line = read_file(path); *line == '#'; line = strchr(line, '\n') + 1)
        if (strncmp(line, "# warning: ", strlen("# warning: ")) == 0)
            length += (size_t)snprintf(text + length, sizeof *texts - length, "%.*s",
                                       (int)(strchr(line, '\n') + 1 - line), line);
    text[length] = '\0';
    return text;
}

/* The mean over the runs but one with weights exp(-beta F), where beta F is 36 times f. */
static double mean_without(size_t without, double m[RUNS][STEPS + 1], double f[RUNS][STEPS + 1],
                           size_t i) {
    double sum = 0, weights = 0;
    for (size_t run = 0; run < RUNS; run++) {
        const double weight = run == without ? 0 : exp(-36 * (f[run][i] - f[0][i]));
        sum += weight * m[run][i];
        weights += weight;
    }
    return sum / weights;
}

/* Errors of an analysis are the scatter of the runs, those of their mean the jackknife's; warnings are those of the run,
 * or of the averages over runs. Rows are trusted where they and the next may be. */
static void analyses_have_the_errors_and_warnings_of_their_runs(void **state) {
    (void)state;
    parameters p = some_parameters(400);
    double m[RUNS][STEPS + 1], f[RUNS][STEPS + 1], errors[RUNS][STEPS + 1];
    data_columns d;
    size_t differ = 0;
    p.dbeta = 0.125;
    p.reweight = true;
    p.reweight_step = 0.125;
    p.output = "analysed";
    before_trust_ends = 0;
    assert_int_equal(simulate(&p, 2, no_end).made, STATUS_OK);
    assert_true(before_trust_ends > 0);
    for (uint32_t run = 0; run < RUNS; run++) {
        char analysis[60], result[60];
        snprintf(analysis, sizeof analysis, "analysed/PA_MHR_results_run_%" PRIu32 ".dat", run);
        snprintf(result, sizeof result, "analysed/PA_results_run_%" PRIu32 ".dat", run);
        assert_int_equal(
            data_columns_read(&d, analysis, (const char *[]){"|m|", "err_|m|", "betaF/N"}, 3),
            STATUS_OK);
        assert_int_equal(d.rows, STEPS + 1);
        for (size_t i = 0; i <= STEPS; i++) {
            m[run][i] = d.value[3 * i];
            errors[run][i] = d.value[3 * i + 1];
            f[run][i] = d.value[3 * i + 2];
        }
        free(d.value);
        assert_string_equal(warnings_of(analysis), warnings_of(result));
        differ += strcmp(warnings_of(result), warnings_of("analysed/PA_results_run_0.dat")) != 0;
    }
    assert_string_equal(warnings_of("analysed/PA_MHR_results_weighted.dat"),
                        warnings_of("analysed/PA_results_weighted.dat"));
    assert_true(differ > 0);
    assert_int_equal(data_columns_read(&d, "analysed/PA_MHR_results_weighted.dat",
                                       (const char *[]){"|m|", "err_|m|"}, 2),
                     STATUS_OK);
    for (size_t i = 0; i <= STEPS; i++) {
        double mean = 0, squares = 0;
        for (size_t run = 0; run < RUNS; run++)
            mean += m[run][i] / RUNS;
        for (size_t run = 0; run < RUNS; run++)
            squares += (m[run][i] - mean) * (m[run][i] - mean);
        for (size_t run = 0; run < RUNS; run++)
            assert_true(fabs(errors[run][i] - sqrt(squares / (RUNS - 1))) < 1e-12);
        double center = 0, scatter = 0;
        for (size_t run = 0; run < RUNS; run++)
            center += mean_without(run, m, f, i) / RUNS;
        for (size_t run = 0; run < RUNS; run++)
            scatter += pow(mean_without(run, m, f, i) - center, 2);
        assert_true(fabs(d.value[2 * i] - mean_without(RUNS, m, f, i)) < 1e-12);
        assert_true(fabs(d.value[2 * i + 1] - sqrt(scatter * (RUNS - 1) / RUNS)) < 1e-12);
    }
    free(d.value);
}

/* Replicas that share random numbers are no strangers, whatever their energies say. */
static void shared_numbers_have_no_relatives(void **state) {
    (void)state;
    parameters p = some_parameters(640);
    p.coding = CODING_MSC;
    p.size.edge[0] = 16;
    for (int shared = 0; shared < 2; shared++) {
        watched w;
        engine *const face[] = {&w.face};
        simulation s;
        size_t ones = 0;
        p.rng = shared ? RNG_SHARED : RNG_INDEPENDENT;
        watch(&w, &p, no_end);
        assert_int_equal(simulation_begin(&s, &p, face, 1, clock_seconds()), STATUS_OK);
        assert_int_equal(simulation_run(&s), STATUS_OK);
        for (size_t i = 0; i < RUNS * (STEPS + 1); i++)
            ones += s.finished.row[i].relatives.ratio == 1;
        assert_int_equal(ones, shared ? RUNS * (STEPS + 1) : 0);
        simulation_end(&s);
        w.inner->verbs->destroy(w.inner);
    }
}

/* Where the seed lets some of the runs die out, and where an engine says so: of the last run, too. */
static void runs_that_die_out_leave_their_places_idle(void **state) {
    (void)state;
    parameters p = some_parameters(2);
    size_t died = 0;
    for (p.seed = 0; p.seed < 6; p.seed++) {
        p.reweight = p.seed % 2;
        p.reweight_step = 0.125;
        died += same_with_any_number(&p, no_end, "a population of 2").died;
    }
    assert_in_range(died, 1, 6 * RUNS - 1);
    p = some_parameters(100);
    for (uint32_t run = 0; run < RUNS; run += 3)
        for (uint32_t at = 1; at <= STEPS; at += 7)
            for (int when = AT_FINISH; when <= AT_START; when++) {
                const planted_end end = {run, at, when, ENGINE_EXTINCT};
                assert_int_equal(same_with_any_number(&p, end, "a run that dies out").died, 1);
            }
    /* The run that decides the temperatures must not, and others may before they are all decided. */
    p.overlap = 0.7;
    for (uint32_t run = 0; run < RUNS; run += 3) {
        const planted_end end = {run, 2, AT_FINISH, ENGINE_EXTINCT};
        const outcome o = same_with_any_number(&p, end, "a run that dies out with -a");
        assert_int_equal(o.made, run == 0 ? STATUS_FAILED : STATUS_OK);
        assert_int_equal(o.died, run > 0);
    }
}

/* Rows in a data file. */
static size_t rows_of(const char *path) {
    size_t rows = 0;
    for (const char *line = read_file(path); *line != '\0'; line = strchr(line, '\n') + 1)
        rows += *line != '#';
    return rows;
}

/* With -b, too, the header says which temperature was not reached: number 4, of which number 2 is the first row. */
static void the_header_says_where_a_run_died_out(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    const planted_end end = {1, 4, AT_FINISH, ENGINE_EXTINCT};
    p.beta_start = 0.25;
    p.output = "died";
    assert_int_equal(simulate(&p, 2, end).made, STATUS_OK);
    assert_non_null(strstr(read_file("died/PA_results_run_1.dat"),
                           "# the population died out before it reached beta = 0.5: "));
    assert_int_equal(rows_of("died/PA_results_run_1.dat"), 2);
}

/* The rows have ln Q and the overlap of the step that led to them, the least so far, and beta F is - N ln 2 less all ln Q:
 * by the populations of the same run that pauses at each temperature, with no step on its way. */
static void rows_are_of_the_steps_before_them(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    watched w;
    engine *const face[] = {&w.face};
    simulation s;
    bool paused;
    double ln_q[STEPS + 1] = {0}, overlap[STEPS + 1] = {1}, beta_f = -36 * log(2);
    batch_pauses pauses = {.every = {.steps = 1}};
    p.runs = 1;
    watch(&w, &p, no_end);
    assert_int_equal(simulation_begin(&s, &p, face, 1, clock_seconds()), STATUS_OK);
    assert_true(batch_add(&s.flight, 0));
    const annealing *const a = s.flight.member;
    for (size_t i = 1; i <= STEPS; i++) {
        ln_q[i] = resampling_ln_q(&a->steps.report, p.dbeta);
        overlap[i] = fmin(overlap[i - 1], resampling_overlap(&a->steps.report, p.dbeta));
        assert_true(overlap[i] < overlap[i - 1] || i > 2);
        pauses.steps = 0;
        batch_run(&s.flight, &pauses, &paused);
        assert_true(paused && a->temperature == i);
    }
    simulation_end(&s);
    assert_int_equal(simulation_begin(&s, &p, face, 1, clock_seconds()), STATUS_OK);
    assert_int_equal(simulation_run(&s), STATUS_OK);
    for (size_t i = 0; i <= STEPS; i++) {
        const observables *const row = &s.finished.row[i];
        beta_f -= ln_q[i];
        assert_true(row->ln_q == ln_q[i] && row->overlap == overlap[i]);
        assert_true(fabs(row->beta_f - beta_f) < 1e-9);
    }
    simulation_end(&s);
    w.inner->verbs->destroy(w.inner);
}

/* Not all of them may: that is a failure, and said. */
static void all_runs_that_die_out_are_a_failure(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    for (p.runs = 1; p.runs <= 2; p.runs++) {
        const planted_end end = {EVERY_RUN, 3, AT_FINISH, ENGINE_EXTINCT};
        const outcome o = same_with_any_number(&p, end, "runs that all die out");
        char says[60];
        snprintf(says, sizeof says,
                 "run %" PRIu32 ": the population died out at beta = 0.375: ", p.runs - 1);
        assert_int_equal(o.made, STATUS_FAILED);
        assert_int_equal(o.died, p.runs);
        assert_non_null(strstr(o.said, says));
    }
}

/* As if one run were made after the other: the runs before it are finished, and its rows are there. */
static void a_run_that_fails_ends_those_behind_it(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    static const engine_status failures[] = {ENGINE_OUTGROWN, ENGINE_FAILED};
    for (size_t n = 0; n < sizeof failures / sizeof *failures; n++)
        for (uint32_t run = 0; run < RUNS; run += 2)
            for (uint32_t at = run == 0; at <= STEPS; at += 4)
                for (int when = AT_FINISH; when <= (at == 0 ? AT_FINISH : AT_START); when++) {
                    const planted_end end = {run, at, when, failures[n]};
                    if (run == 0 && at == 0)
                        continue;
                    const outcome o = same_with_any_number(&p, end, "a run that fails");
                    char says[20];
                    snprintf(says, sizeof says, "run %" PRIu32 ": ", run);
                    assert_int_equal(o.made, STATUS_FAILED);
                    assert_non_null(strstr(o.said, says));
                }
}

/* What the device had not brought yet when it failed is in no row: those before it are there. */
static void a_report_that_is_not_whole_makes_no_row(void **state) {
    (void)state;
    parameters p = some_parameters(100);
    p.runs = 1;
    p.output = "torn";
    p.force = true;
    for (uint32_t at = 1; at <= STEPS; at += 7) {
        const planted_end end = {0, at, AT_COMPLETION, ENGINE_FAILED};
        const outcome o = simulate(&p, 1, end);
        assert_int_equal(o.made, STATUS_FAILED);
        assert_non_null(strstr(o.said, "run 0: "));
        assert_int_equal(rows_of("torn/PA_results_run_0.dat"), at);
    }
}

/* A simulation with a checkpoint after each `every` steps, which is taken up from the last one, twice. Returns
 * how many runs had died out there. */
static size_t check_resumed(const parameters *whole, uint32_t every) {
    const size_t engines = 2 + every % 4;
    parameters p = *whole;
    size_t idle = 0;
    p.output = "part";
    p.checkpoint = "ck";
    p.checkpoint_every.steps = every;
    simulate(&p, engines, no_end);
    assert_same_data("whole", "part", "with checkpoints", engines);
    p.resume = "ck";
    for (int part = 0; part < 2 && access("ck", F_OK) == 0; part++) {
        const outcome o = simulate(&p, engines, no_end);
        assert_true(o.spent.parts >= 2);
        assert_same_data("whole", "part", "taken up", engines);
        idle += o.idle;
    }
    unlink("ck"); /* if it was not over before */
    return idle;
}

static void resumed_simulations_give_the_same_bytes(void **state) {
    (void)state;
    size_t idle = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        parameters p = some_parameters(seed == 0 ? 100 : 2);
        p.force = true;
        p.seed = seed;
        p.reweight = seed % 2 == 0;
        p.reweight_step = 0.125;
        p.output = "whole";
        simulate(&p, 1, no_end);
        for (uint32_t every = 3; every <= STEPS; every++)
            idle += check_resumed(&p, every);
    }
    assert_true(idle > 0);
}

/* A run that died out, in the first step too, stays so where it did: in the checkpoint, which a simulation that is
 * interrupted leaves, in the files of the part, and in those of the whole. */
static void a_run_that_died_out_stays_so(void **state) {
    (void)state;
    enum { FLIGHT = 3 };
    parameters p = some_parameters(100);
    p.runs = FLIGHT;
    p.force = true;
    for (uint32_t at = 1; at <= 4; at += 3) {
        const planted_end dies = {1, at, AT_FINISH, ENGINE_EXTINCT};
        char says[100];
        snprintf(says, sizeof says,
                 "the population died out before it reached beta = %.17g:", at * p.dbeta);
        p.output = "whole";
        simulate(&p, FLIGHT, dies);
        p.output = "part";
        p.checkpoint = "ck";
        patience = STEPS - 2; /* steps, behind the one in which it dies */
        assert_int_equal(simulate(&p, FLIGHT, dies).made, STATUS_OK);
        patience = -1;
        assert_non_null(strstr(read_file("part/PA_results_run_1.dat"), says));
        assert_null(strstr(read_file("part/PA_results_run_0.dat"), "died out"));
        p.resume = "ck";
        const outcome o = simulate(&p, FLIGHT, no_end);
        assert_int_equal(o.made, STATUS_OK);
        assert_true(o.died_at[0] == 0 && o.died_at[1] == at * p.dbeta && o.died_at[2] == 0);
        assert_same_data("whole", "part", "with a run that died out", FLIGHT);
        p.checkpoint = p.resume = NULL;
        assert_int_equal(system("rm -r whole part"), 0);
    }
}

/* A batch that has lost members to a failure leaves checkpoints of the others, and with an engine that works
 * the simulation comes to its end. */
static void a_failed_run_is_made_again(void **state) {
    (void)state;
    const planted_end end = {4, 2, AT_FINISH, ENGINE_FAILED};
    parameters p = some_parameters(100);
    p.output = "whole";
    simulate(&p, 1, no_end);
    p.output = "part";
    p.checkpoint = "ck";
    p.checkpoint_every.steps = 3;
    assert_int_equal(simulate(&p, 3, end).made, STATUS_FAILED);
    p.resume = "ck";
    p.force = true;
    assert_int_equal(simulate(&p, 3, no_end).made, STATUS_OK);
    assert_same_data("whole", "part", "taken up after a failure", 3);
}

/* The watched engines say the time from start to finish of each step, which for seven side by side is some
 * four times what passes; what is reported is the time in which one step was in flight at least. */
static void overlapping_steps_are_counted_once(void **state) {
    (void)state;
    const parameters p = some_parameters(2000);
    const outcome o = simulate(&p, RUNS, no_end);
    assert_int_equal(o.made, STATUS_OK);
    assert_true(o.sum_of_steps > o.spent.total_seconds);
    assert_true(o.spent.seconds[STAGE_STEP] <= o.spent.total_seconds);
    assert_true(o.spent.seconds[STAGE_STEP] >= o.longest_of_steps);
}

/* What is done beside the steps. */
static void note_beside(void *state) {
    size_t *const times = state;
    if (started > 0)
        note_part(BESIDE);
    ++*times;
}

/* The files of a simulation whose engine has gone on with another lattice are those of the simulation. */
static void engines_may_go_before_the_files(void **state) {
    (void)state;
    size_t times = 0;
    const meanwhile_work beside = {note_beside, &times};
    parameters p = some_parameters(100);
    p.runs = 1;
    for (int leaves = 0; leaves < 2; leaves++) {
        simulation s;
        result_folder folder;
        watched w;
        engine kept, *const face[] = {&w.face};
        p.output = leaves ? "left" : "stayed";
        watch(&w, &p, no_end);
        assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
        assert_int_equal(simulation_begin(&s, &p, face, 1, clock_seconds()), STATUS_OK);
        assert_int_equal(simulations_run(&s, 1, &beside), STATUS_OK);
        if (leaves) {
            simulation_leave_engine(&s, &kept);
            w.face.model.sites = 1;
        }
        assert_int_equal(simulation_publish(&s, &folder), STATUS_OK);
        simulation_end(&s);
        result_folder_close(&folder);
        w.inner->verbs->destroy(w.inner);
    }
    assert_int_equal(times, 2 * (STEPS + 1)); /* and once at the end of the last one */
    assert_int_equal(system("diff -r -x run.json stayed left"), 0);
}

/* Of three simulations with two runs in flight each, in one thread. */
static void simulations_go_side_by_side(void **state) {
    (void)state;
    enum { SIDE_BY_SIDE = 3, FLIGHT = 2 };
    const parameters p = some_parameters(100);
    simulation s[SIDE_BY_SIDE];
    watched w[SIDE_BY_SIDE][FLIGHT];
    size_t times = 0;
    const meanwhile_work beside = {note_beside, &times};
    forget_steps();
    for (size_t n = 0; n < SIDE_BY_SIDE; n++) {
        engine *face[FLIGHT];
        for (size_t i = 0; i < FLIGHT; i++) {
            watch(&w[n][i], &p, no_end);
            face[i] = &w[n][i].face;
        }
        assert_int_equal(simulation_begin(&s[n], &p, face, FLIGHT, clock_seconds()), STATUS_OK);
    }
    assert_int_equal(simulations_run(s, SIDE_BY_SIDE, &beside), STATUS_OK);
    assert_true(in_lock_step);
    assert_true(times >= STEPS);
    assert_int_equal(most_started, SIDE_BY_SIDE * FLIGHT);
    assert_int_equal(surprises, 0);
    for (size_t n = 0; n < SIDE_BY_SIDE; n++) {
        assert_int_equal(s[n].finished.runs, RUNS);
        simulation_end(&s[n]);
        for (size_t i = 0; i < FLIGHT; i++)
            w[n][i].inner->verbs->destroy(w[n][i].inner);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(any_number_gives_the_same_bytes),
        TEST_IN_SCRATCH(runs_that_die_out_leave_their_places_idle),
        TEST_IN_SCRATCH(all_runs_that_die_out_are_a_failure),
        TEST_IN_SCRATCH(analyses_have_the_errors_and_warnings_of_their_runs),
        cmocka_unit_test(shared_numbers_have_no_relatives),
        TEST_IN_SCRATCH(the_header_says_where_a_run_died_out),
        cmocka_unit_test(rows_are_of_the_steps_before_them),
        TEST_IN_SCRATCH(spin_flips_are_those_of_the_rows),
        TEST_IN_SCRATCH(a_run_that_fails_ends_those_behind_it),
        TEST_IN_SCRATCH(a_report_that_is_not_whole_makes_no_row),
        TEST_IN_SCRATCH(resumed_simulations_give_the_same_bytes),
        TEST_IN_SCRATCH(a_run_that_died_out_stays_so),
        TEST_IN_SCRATCH(a_failed_run_is_made_again),
        TEST_IN_SCRATCH(overlapping_steps_are_counted_once),
        TEST_IN_SCRATCH(simulations_go_side_by_side),
        TEST_IN_SCRATCH(engines_may_go_before_the_files),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
