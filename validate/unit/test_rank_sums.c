/* Claims about what ranks (ranks/) of populations of more than 2^32 replicas add up and count, on 1, 2, 3, 4 and 7 ranks:
 *  - squares of families and sums of tau-hat and of M^4 that need more than 64 bits are exact;
 *  - a rank whose replicas have more children than can be numbered is named, where the population may have as many.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "validate/lib/rank_twins.h"
#include "validate/lib/under_mpirun.h"

/* A population of 64 replicas a rank, which may have as many as need more than 32 bits. */
static engine *small_engine(bool wide, int plan) {
    const uint32_t ranks = ranks_world().count;
    char reason[300];
    const engine_config config = {.coding = CODING_MSC,
                                  .word = 32,
                                  .model = square_model(16),
                                  .capacity = 64 * ranks + 200,
                                  .wide = wide};
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
                              .rule = flip_rule_at(&e->model, 0.1)};
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
static void test_sums_have_128_bits(void **state) {
    (void)state;
    const uint32_t ranks = ranks_world().count;
    engine *const e = small_engine(true, COUNTS_MUCH);
    histogram h;
    assert_int_equal(make_small_step(e, PART_SWEEP | PART_MEASURE, &h), ENGINE_OK);
    const uint128 members = MUCH_MEMBERS * ranks;
    assert_int_equal(h.families, 1);
    assert_true(h.family_squares == members * members);
    assert_true(h.level[0].replicas == members);
    assert_true(h.level[0].q_low <= UINT32_MAX);
    assert_true(((uint128)h.level[0].q_high << 32) + h.level[0].q_low ==
                (((uint128)MUCH_Q_HIGH << 32) + MUCH_Q_LOW) * ranks);
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        assert_int_equal(h.parent[b].parents, members);
        assert_true(histogram_tau_hat(&h, b) == (uint128)MUCH_TAU_HAT * ranks);
    }
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* Of a population that may have as many, that is no reason to say that it has outgrown its memory. */
static void test_too_many_children_of_a_rank(void **state) {
    (void)state;
    for (int wide = 0; wide <= 1; wide++) {
        engine *const e = small_engine(wide, COUNTS_TOO_MANY);
        histogram h;
        assert_int_equal(make_small_step(e, WHOLE_STEP, &h),
                         wide ? ENGINE_FAILED : ENGINE_OUTGROWN);
        if (wide)
            claim_named(e->error, "its replicas have 2^32 children or more in one step: more "
                                  "ranks, or smaller steps, are needed");
        histogram_destroy(&h);
        e->verbs->destroy(e);
    }
}

/* The program as one of the ranks. */
static int test_as_rank(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_have_128_bits),
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
