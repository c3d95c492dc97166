/* Claims that checkpoints know nothing of a model but what the model says: a simulation of the made-up one
 * (validate/lib/chain_simulation.h) that is resumed gives the same bytes, and a checkpoint with levels that a model
 * does not have is refused. */
#include "validate/lib/chain_simulation.h"

#include <unistd.h>

/* Two runs of ten steps; the last checkpoint, which stays, is that of step 14: step 4 of run 1. */
static parameters checkpointed(void) {
    parameters p = given;
    p.population = 200;
    p.runs = 2;
    p.checkpoint = "ck";
    p.checkpoint_every.steps = 7;
    return p;
}

/* Whether two results have the same data files, byte for byte. */
static bool same_data(const char *folder, const char *other) {
    static const char *const names[] = {"PA_results_run_0.dat",     "PA_results_run_1.dat",
                                        "PA_results_weighted.dat",  "PA_MHR_results_run_0.dat",
                                        "PA_MHR_results_run_1.dat", "PA_MHR_results_weighted.dat"};
    bool same = true;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, names[n]);
        char *const text = strdup(read_file(path));
        assert_non_null(text);
        snprintf(path, sizeof path, "%s/%s", other, names[n]);
        same = same && strcmp(text, read_file(path)) == 0;
        free(text);
    }
    return same;
}

static void a_resumed_simulation_gives_the_same_bytes(void **state) {
    (void)state;
    const spin_model model = chain_model(SITES);
    const parameters p = checkpointed();
    parameters q = p;
    simulate(&p, &model);
    q.checkpoint = NULL;
    q.output = "resumed";
    q.resume = "ck";
    simulate(&q, &model);
    assert_non_null(strstr(read_file("resumed/run.json"), "\"parts\": 2,"));
    assert_true(same_data("out", "resumed"));
    q.output = "at once";
    q.resume = NULL;
    simulate(&q, &model);
    assert_true(same_data("out", "at once"));
    q.output = "another";
    q.seed++;
    simulate(&q, &model);
    assert_false(same_data("out", "another"));
}

/* Takes "ck" up for a model. Returns the status, what is said, and where the occupied levels end that the
 * checkpoint has: those of all temperatures so far (-m), or of the population at hand. */
static exit_status take_up(const parameters *of, const spin_model *model, size_t *end,
                           char said[600]) {
    parameters p = *of;
    p.resume = "ck";
    engine *const e = engine_of(&p, model);
    FILE *const file = tmpfile();
    simulation s;
    assert_non_null(file);
    fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    const exit_status status = simulation_begin(&s, &p, &e, 1, clock_seconds());
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    said[fread(said, 1, 599, file)] = '\0';
    fclose(file);
    if (status == STATUS_OK) {
        const annealing *const a = s.flight.member;
        *end = p.reweight ? a->histograms.end : a->steps.report.end;
        simulation_end(&s);
    }
    e->verbs->destroy(e);
    return status;
}

/* With one level less than are occupied, and the checkpoint is none of this model. */
static void levels_beyond_the_model_are_refused(void **state) {
    (void)state;
    for (int reweight = 0; reweight < 2; reweight++) {
        spin_model model = chain_model(SITES);
        parameters p = checkpointed();
        char said[600];
        size_t end = 0;
        p.reweight = reweight;
        p.force = true;
        simulate(&p, &model);
        assert_int_equal(take_up(&p, &model, &end, said), STATUS_OK);
        assert_true(end > 0 && end < model.levels.count);
        model.levels.count = (uint32_t)end;
        assert_int_equal(take_up(&p, &model, &end, said), STATUS_OK);
        model.levels.count--;
        assert_int_equal(take_up(&p, &model, &end, said), STATUS_REFUSED);
        assert_non_null(strstr(said, reweight ? "'multi-histogram'" : "'histogram'"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_resumed_simulation_gives_the_same_bytes),
        TEST_IN_SCRATCH(levels_beyond_the_model_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
