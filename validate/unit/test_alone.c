/* Claims about a program that was built without MPI (ranks/alone.c), which this test is, wherever it is built:
 *  - it is rank 0 of 1, and its engine is the one that the maker makes, of the whole population;
 *  - started as one of several by mpirun, of whatever MPI, it refuses to do each time what all should do together;
 *    started as the only one, it does not. */
#include "ranks/ranks.h"
#include "validate/lib/capture.h"

#include <stdlib.h>
#include <string.h>

static engine made;

static engine *make_planned(const engine_config *config, int device, char *reason, size_t size) {
    assert_int_equal(config->capacity, 1234);
    assert_int_equal(device, 5);
    snprintf(reason, size, "planned");
    return &made;
}

static void describe_planned(const engine_config *config, int device, rank_needs *needs) {
    (void)device;
    needs->host_bytes = 10 * config->capacity;
}

static void test_there_is_one_rank(void **state) {
    (void)state;
    const rank_maker maker = {NULL, make_planned, describe_planned};
    const engine_config config = {.capacity = 1234};
    rank_needs needs = {.gpu = false};
    char reason[20];
    char *arguments[] = {"paising", NULL};
    assert_int_equal(ranks_begin(1, arguments), STATUS_OK);
    assert_int_equal(ranks_world().rank, 0);
    assert_int_equal(ranks_world().count, 1);
    assert_int_equal(ranks_world().neighbours, 1);
    assert_int_equal(ranks_share(&config).capacity, 1234);
    assert_int_equal(ranks_bytes(&config) + ranks_device_bytes(&config), 0);
    assert_ptr_equal(ranks_engine(&config, 1000, 5, &maker, reason, sizeof reason), &made);
    assert_string_equal(reason, "planned");
    ranks_describe(&config, 5, &maker, &needs);
    assert_int_equal(needs.host_bytes, 12340);
    ranks_end();
}

#define SAID_SIZE 300

/* Begins as mpirun would have it begin. What is said is in said[SAID_SIZE]. */
static exit_status begin_as(const char *variable, const char *number, char *said) {
    char *arguments[] = {"paising", NULL};
    assert_int_equal(setenv(variable, number, 1), 0);
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = ranks_begin(1, arguments);
    capture_end(&c, said, SAID_SIZE);
    assert_int_equal(unsetenv(variable), 0);
    return status;
}

static void test_one_of_several_is_refused(void **state) {
    (void)state;
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    char said[SAID_SIZE];
    for (size_t n = 0; n < sizeof variables / sizeof *variables; n++) {
        assert_int_equal(begin_as(variables[n], "1", said), STATUS_OK);
        assert_string_equal(said, "");
        assert_int_equal(begin_as(variables[n], "3", said), STATUS_REFUSED);
        assert_non_null(strstr(said, "mpirun -n 3: this program was built without MPI"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_there_is_one_rank),
                                       cmocka_unit_test(test_one_of_several_is_refused)};
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
