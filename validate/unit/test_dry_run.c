/* Claims about the expected time (baseline.c): the speed is that of the nearest point measured on the
 * same device, in the same coding and mode, wherever the columns stand; tables of other devices and
 * broken ones are passed over. */
#include "command/baseline.h"
#include "validate/lib/scratch.h"

#include <math.h>

#define COLUMNS "# id device coding L R theta p mode dbeta beta_end stages tables t_SF/ps min/ps\n"
#define TABLE                                                                                      \
    "# device Some GPU 5\n# driver CUDA 13.0\n" COLUMNS                                            \
    "a gpu msc 128 50000 500 32 independent 0.005 1 fused 3 0.121 0.120\n"                         \
    "b gpu msc 128 50000 1 32 independent 0.005 1 fused 3 0.38 0.37\n"                             \
    "c gpu msc 128 50000 1 32 independent 0.005 1 apart 3 0.9 0.8\n"                               \
    "d gpu msc 128 50000 1 32 shared 0.005 1 fused 3 0.1 0.1\n"                                    \
    "e gpu ssc 128 50000 1 - - 0.005 1 fused 3 1.55 1.5\n"                                         \
    "f cpu msc 128 512 1 32 independent 0.005 1 - 3 70 69\n"                                       \
    "#wrong g gpu msc 64 20000 10 32 independent 0.005 1 fused 3 0.001 0.001\n"                    \
    "h gpu msc 64 20000 10 32 independent 0.005 1 fused 3 nan nan\n"                               \
    "i gpu msc 64\n"

static parameters some_parameters(void) {
    return (parameters){.size = 64,
                        .population = 20000,
                        .sweeps = 10,
                        .coding = CODING_MSC,
                        .word = 32,
                        .rng = RNG_INDEPENDENT};
}

static void write_tables(void) {
    assert_int_equal(mkdir("tables", 0777), 0);
    write_file("tables/other.dat", "# device Another GPU\n" COLUMNS
                                   "a gpu msc 64 20000 10 32 independent 0.005 1 fused 3 5 5\n");
    write_file("tables/gpu.dat", TABLE);
    write_file("tables/gpu.txt", "# device Some GPU 5\n" COLUMNS
                                 "a gpu msc 64 20000 10 32 independent 0.005 1 fused 3 7 7\n");
    write_file("tables/broken.dat", "# device Some GPU 5\n# id device coding\na gpu msc\n\n");
}

/* The speed that is found; nan for none. */
static double speed(bool gpu, const parameters *p) {
    baseline_point b;
    return baseline_find("tables", "Some GPU 5", gpu, p, &b) ? b.t_sf_ps : NAN;
}

static void the_nearest_point_counts(void **state) {
    (void)state;
    write_tables();
    parameters p = some_parameters();
    p.sweeps = 400;
    assert_true(speed(true, &p) == 0.121);
    p.sweeps = 2;
    assert_true(speed(true, &p) == 0.38);
    baseline_point b;
    assert_true(baseline_find("tables", "Some GPU 5", true, &p, &b));
    assert_string_equal(b.file, "gpu.dat");
    assert_true(b.size == 128 && b.population == 50000 && b.theta == 1);
}

static void only_what_is_alike_counts(void **state) {
    (void)state;
    write_tables();
    parameters p = some_parameters();
    p.stages = STAGES_APART;
    assert_true(speed(true, &p) == 0.9);
    p = some_parameters();
    p.rng = RNG_SHARED;
    assert_true(speed(true, &p) == 0.1);
    p.rng = RNG_LCG;
    assert_true(isnan(speed(true, &p)));
    p = some_parameters();
    assert_true(speed(false, &p) == 70);
    p.coding = CODING_SSC;
    assert_true(speed(true, &p) == 1.55);
    assert_true(isnan(speed(false, &p)));
    baseline_point b;
    assert_false(baseline_find("tables", "Some GPU", true, &p, &b));
    assert_false(baseline_find("absent", "Some GPU 5", true, &p, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(the_nearest_point_counts),
        TEST_IN_SCRATCH(only_what_is_alike_counts),
    };
    return cmocka_run_group_tests_name("dry run", tests, NULL, NULL);
}
