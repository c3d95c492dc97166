/* A test that starts itself under mpirun, on 1, 2, 3 and 7 ranks; on 3 that see nothing of each other's memory, and on 5 of
 * which two see each other's, two others too, and one is alone (several_hosts.c). Where mpirun is missing, all is skipped. */
#ifndef PAISING_UNDER_MPIRUN_H
#define PAISING_UNDER_MPIRUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *mpirun_program;

/* What MPI leaves at its end is no concern of a sanitizer here. */
static inline void run_on(int ranks, const char *environment) {
    char command[1000];
    if (system("mpirun --version >/dev/null 2>&1") != 0) {
        print_message("SKIP %d ranks: mpirun is missing; please type: ci/setup.sh mpi\n", ranks);
        skip();
    }
    snprintf(command, sizeof command,
             "env %s LSAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1 timeout -s KILL 120 mpirun "
             "--allow-run-as-root --oversubscribe -n %d '%s'",
             environment, ranks, mpirun_program);
    assert_int_equal(system(command), 0);
}

/* By the usual ways; the state is how many ranks. */
static inline void test_on_ranks(void **state) {
    run_on(*(const int *)*state, "-u PAISING_EXCHANGE");
}

static inline void test_on_3_that_see_nothing(void **state) {
    (void)state;
    run_on(3, "PAISING_EXCHANGE=host");
}

static inline void test_on_3_hosts(void **state) {
    (void)state;
    run_on(5, "-u PAISING_EXCHANGE TEST_RANKS_OF_A_HOST=2");
}

/* Returns the status of all runs; in a rank, that of what it is to do. */
static inline int run_under_mpirun(int argc, char **argv, int (*as_rank)(int, char **)) {
    static int ranks[] = {1, 2, 3, 7};
    const struct CMUnitTest tests[] = {{"test_on_1", test_on_ranks, NULL, NULL, &ranks[0]},
                                       {"test_on_2", test_on_ranks, NULL, NULL, &ranks[1]},
                                       {"test_on_3", test_on_ranks, NULL, NULL, &ranks[2]},
                                       {"test_on_7", test_on_ranks, NULL, NULL, &ranks[3]},
                                       cmocka_unit_test(test_on_3_that_see_nothing),
                                       cmocka_unit_test(test_on_3_hosts)};
    mpirun_program = argv[0];
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return as_rank(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
