/* Claims about what ranks (ranks/) of populations of almost 2^32 replicas add up and count, on 1, 2, 3, 5 and 7 ranks:
 *  - squares of families and sums of tau-hat and of M^4 that need almost 64 bits are exact;
 *  - a rank whose replicas have more children than can be numbered has outgrown the population.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "validate/lib/rank_twins.h"
#include "validate/lib/under_mpirun.h"

/* A population of 64 replicas a rank. */
static engine *small_engine(int plan) {
    const uint32_t ranks = ranks_world().count;
    char reason[300];
    const engine_config config = {
        .coding = CODING_MSC, .word = 32, .model = square_model(16), .capacity = 64 * ranks + 200};
    engine *const e = ranks_engine(&config, 64 * ranks, plan, &maker, reason, sizeof reason);
    assert_non_null(e);
    return e;
}

/* Begins it, and makes a step. */
static engine_status make_small_step(engine *e, step_parts parts, histogram *h) {
    const uint64_t replicas = 64 * ranks_world().count;
    const stream_key key = stream_run_key(3, 0);
    uint64_t *const tau_hat = calloc(e->model.levels.count, sizeof *tau_hat);
    const engine_step step = {.parts = parts,
                              .key = key,
                              .temperature = 1,
                              .tau_hat = parts & PART_SELECT ? tau_hat : NULL,
                              .sweeps = 1,
                              .founders = replicas,
                              .rule = flip_rule_at(&metropolis_update, &e->model, 0.1)};
    assert_non_null(tau_hat);
    for (size_t n = 0; n < e->model.levels.count; n++)
        tau_hat[n] = UINT64_C(1) << 32;
    assert_int_equal(histogram_create(h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, key, replicas, h), ENGINE_OK);
    const engine_status status = e->verbs->step(e, &step, h);
    free(tau_hat);
    return status;
}

/* One family is on all ranks. */
static void test_sums_have_64_bits(void **state) {
    (void)state;
    const uint32_t ranks = ranks_world().count;
    engine *const e = small_engine(COUNTS_MUCH);
    histogram h;
    assert_int_equal(make_small_step(e, PART_SWEEP | PART_MEASURE, &h), ENGINE_OK);
    const uint64_t members = MUCH_MEMBERS * ranks;
    assert_int_equal(h.families, 1);
    assert_true(h.family_squares == members * members);
    assert_true(h.level[0].replicas == members);
    assert_true(h.level[0].q_low == MUCH_Q_LOW * ranks);
    assert_true(h.level[0].q_high == MUCH_Q_HIGH * ranks);
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        assert_int_equal(h.parent[b].parents, members);
        assert_true(h.parent[b].tau_hat == MUCH_TAU_HAT * ranks);
    }
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

static void test_too_many_children_of_a_rank(void **state) {
    (void)state;
    engine *const e = small_engine(COUNTS_TOO_MANY);
    histogram h;
    assert_int_equal(make_small_step(e, WHOLE_STEP, &h), ENGINE_OUTGROWN);
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* The program as one of the ranks. */
static int test_as_rank(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_have_64_bits),
                                       cmocka_unit_test(test_too_many_children_of_a_rank)};
    int failed = 0;
    if (ranks_begin(argc, argv) != STATUS_OK)
        return 1;
    if (ranks_world().rank > 0)
        ranks_run_worker(&maker);
    else
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    ranks_end();
    return failed;
}

int main(int argc, char **argv) {
    return run_under_mpirun(argc, argv, test_as_rank);
}
