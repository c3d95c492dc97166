/* Claims about estimates (dry_run.c). Spin flips are those of all runs and samples. Time (baseline.c): the speed is that
 * of the nearest point measured on the same device, in the same coding and mode, wherever the columns stand and however
 * lines end; tables of other devices, broken ones, and rows with another number of columns or words for numbers are
 * passed over. Memory (cuda/engine/bytes.c): of a GPU that is not here (--like)
 * at least what the spins take and hardly more, in whole pages, and little for the report of a single lattice; held against the memory that the table
 * names; checkpoints are counted, and the largest population that is named fits with them; not less than
 * the engine takes on a GPU that is here. */
#include "command/baseline.h"
#include "command/dry_run.h"
#include "cuda/engine/bytes.h"
#include "engine/capacity.h"
#include "method/saved_population.h"
#include "method/series.h"
#include "method/simulation_state.h"
#include "settings/plans.h"
#include "validate/lib/command_line.h"
#include "validate/lib/scratch.h"
#ifdef PAISING_CUDA
#include "cuda/engine/engine.h"
#endif

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
    "i gpu msc 64\n"                                                                               \
    "j gpu msc 64 20000 10 32 independent 0.005 1 fused 3 0.2 0.2 more\n"                          \
    "k gpu msc 64 20000 10 32 independent 0.005 1 fused 3 0.2x 0.2\n"

static parameters some_parameters(void) {
    return (parameters){.stripes = 1,
                        .size = {{64}},
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

static void lines_of_tables_end_in_any_way(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    const parameters p = some_parameters();
    assert_int_equal(mkdir("tables", 0777), 0);
    for (size_t n = 0; n < 3; n++) {
        char text[400];
        snprintf(text, sizeof text,
                 "# device Some GPU 5%s# id device coding L R theta mode stages min/ps t_SF/ps%s"
                 "a gpu msc 64 20000 10 independent fused 3 5.5%s",
                 ends[n], ends[n], ends[n]);
        write_file("tables/gpu.dat", text);
        assert_true(speed(true, &p) == 5.5);
    }
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
    p.update = UPDATE_OF_wolff;
    assert_true(isnan(speed(true, &p)));
    baseline_point b;
    assert_false(baseline_find("tables", "Some GPU", true, &p, &b));
    assert_false(baseline_find("absent", "Some GPU 5", true, &p, &b));
}

/* --- a GPU that is not here --- */

static void the_device_of_a_table_is_read(void **state) {
    (void)state;
    baseline_device d;
    write_tables();
    assert_int_equal(baseline_like("tables", "gpu", &d), STATUS_OK);
    assert_string_equal(d.name, "Some GPU 5");
    assert_true(d.memory == UINT64_MAX);
    write_file("tables/large.dat", "# memory 80000000000\n# device Large GPU\n" COLUMNS
                                   "# memory 1\n# device Late GPU\n");
    assert_int_equal(baseline_like("tables", "large", &d), STATUS_OK);
    assert_string_equal(d.name, "Large GPU");
    assert_true(d.memory == 80000000000); /* the first that is said */
}

/* What dry_run says on stdout and stderr together. */
static exit_status estimate(const parameters *p, char *output, size_t size) {
    FILE *const file = tmpfile();
    assert_non_null(file);
    fflush(NULL);
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    const exit_status status = dry_run(p, NULL, "tables");
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    rewind(file);
    output[fread(output, 1, size - 1, file)] = '\0';
    fclose(file);
    return status;
}

static parameters large_parameters(const char *like) {
    parameters p = some_parameters();
    p.beta_end = 1;
    p.dbeta = 0.01;
    p.runs = 1;
    p.precision = 11;
    p.population = 1000000;
    p.device = DEVICE_CUDA;
    p.dry_run = true;
    p.like = like;
    return p;
}

static void an_estimate_needs_no_gpu(void **state) {
    (void)state;
    char said[4096];
    write_tables();
    const parameters p = large_parameters("gpu");
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_OK);
    assert_non_null(strstr(said, "Some GPU 5, as in gpu.dat"));
    assert_non_null(strstr(said, "\nhost memory "));
    assert_non_null(strstr(said, " MB needed, not known how much is available\ntemperatures"));
    assert_non_null(strstr(said, "at 0.38 ps a flip"));
}

static void an_estimate_is_held_against_the_memory_of_the_table(void **state) {
    (void)state;
    char said[4096];
    write_tables();
    write_file("tables/small.dat", "# device Small GPU\n# memory 1000000000\n");
    write_file("tables/large.dat", "# device Large GPU\n# memory 2000000000\n");
    parameters p = large_parameters("small");
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_REFUSED);
    assert_non_null(strstr(said, " MB needed, 1000.0 MB available"));
    assert_non_null(strstr(said, "-R 1000000: the population needs"));
    p.like = "large";
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_OK);
    assert_non_null(strstr(said, " MB needed, 2000.0 MB available"));
}

static void an_unknown_name_is_answered_by_those_there_are(void **state) {
    (void)state;
    char said[4096];
    write_tables();
    parameters p = large_parameters("../tables/gpu");
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_REFUSED);
    assert_non_null(strstr(said, "--like ../tables/gpu: "));
    assert_non_null(strstr(said, "there are: broken, gpu, other\n"));
    assert_int_equal(count_files("tables"), 4);
    assert_int_equal(system("rm -r tables"), 0);
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_REFUSED);
    assert_non_null(strstr(said, "there are none\n"));
}

/* --- spin flips and their time --- */

/* Claims that the estimate of a command line says so. */
static void estimate_says(const char *options, const char *says) {
    char said[4096];
    parameters p;
    assert_int_equal(parse_line(&p, options, STDERR_FILENO, said, sizeof said), STATUS_OK);
    assert_int_equal(estimate(&p, said, sizeof said), STATUS_OK);
    if (strstr(said, says) == NULL)
        fail_msg("'%s': '%s' is not in '%s'", options, says, said);
}

static void spin_flips_are_counted(void **state) {
    (void)state;
    write_tables();
    write_file("f", "0\n0.25\n0.5\n");
    /* Two steps of 7 sweeps of 1000 x 64 spins: in one run, in 3, in 3 samples; as many at most, whatever the file. */
    estimate_says("-D cpu -c ssc -L 8 -R 1000 -t 7 -d 0.25 -f 0.5", "spin flips     896000\n");
    estimate_says("-D cpu -c ssc -L 8 -R 1000 -t 7 -d 0.25 -f 0.5 -M 3",
                  "spin flips     2.688e+06\n");
    estimate_says("-D cpu -c ssc -L 8 -R 1000 -t 7 -d 0.25 -f 0.5 --model glass2d --samples 3",
                  "spin flips     2.688e+06\n");
    estimate_says("-D cpu -c ssc -L 8 -R 1000 -t 7 --betas f", "spin flips     896000\n");
    estimate_says("-D cpu -c ssc -L 8 -R 1000 -t 7 --betas f --adaptive-sweeps 0.1",
                  "spin flips     at most 896000: adaptive sweeps");
}

/* 6.4e8 spin flips, by tables in which each takes so many seconds / 6.4e8. */
static void the_time_is_said_in_a_unit_of_its_size(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *says;
    } cases[] = {{0.5, "0.5 s"},    {119, "119 s"},    {121, "2.02 min"},
                 {7140, "119 min"}, {7250, "2.014 h"}, {360000, "100 h"}};
    assert_int_equal(mkdir("tables", 0777), 0);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char table[300], says[100], said[4096];
        snprintf(table, sizeof table,
                 "# device Some GPU 5\n" COLUMNS
                 "a gpu msc 64 20000 10 32 independent 0.005 1 fused 3 %.17g 1\n",
                 1e12 * cases[n].seconds / 6.4e8);
        write_file("tables/gpu.dat", table);
        parameters p = large_parameters("gpu");
        p.samples = 1;
        p.population = 15625;
        p.dbeta = p.beta_end;
        assert_int_equal(estimate(&p, said, sizeof said), STATUS_OK);
        snprintf(says, sizeof says, "\nexpected time  %s at ", cases[n].says);
        if (strstr(said, says) == NULL)
            fail_msg("'%s' is not in '%s'", says, said);
    }
}

/* --- memory --- */

static engine_config some_config(spin_coding coding, uint32_t size, uint64_t population) {
    const engine_config config = {.coding = coding,
                                  .model = square_model(size),
                                  .capacity = population_capacity(population, 32),
                                  .word = 32};
    return config;
}

static void memory_is_that_of_the_spins_and_little_more(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
        const engine_config config = some_config(coding, 64, 1000000);
        const double spins = 2 * 1e6 * 64 * 64 / (coding == CODING_MSC ? 8 : 1);
        const double bytes = (double)cuda_device_bytes_at_most(&config);
        assert_true(bytes > spins && bytes < 1.05 * spins);
        assert_true((double)cuda_host_bytes(&config) < 1e6);
    }
    engine_config config = some_config(CODING_SSC, 64, 1000000);
    config.stages = STAGES_HYBRID; /* both populations on the host too */
    assert_true((double)cuda_host_bytes(&config) > 2 * 1e6 * 64 * 64);
}

/* Replicas at fixed temperatures do not grow in number; a population does. */
static void only_populations_have_room_to_grow(void **state) {
    (void)state;
    parameters p = large_parameters("gpu");
    p.population = 3;
    p.beta_start = p.beta_end;
    assert_int_equal(parameters_capacity(&p, 3), population_capacity(3, p.word));
    p.method = METHOD_canonical;
    assert_int_equal(parameters_capacity(&p, 3), 3);
    p.runs = 4;
    assert_int_equal(parameters_capacity(&p, 3), 12);
}

/* Of a single lattice one level is reported, to a host and from a device; two may have any levels, of 40 bytes each. */
static void a_report_of_one_lattice_is_small(void **state) {
    (void)state;
    engine_config config = some_config(CODING_SSC, 1024, 1);
    const double levels = 1024.0 * 1024.0, tau_hat = 8 * levels;
    config.capacity = 1;
    const double device = (double)cuda_device_bytes_at_most(&config);
    assert_true((double)cuda_host_bytes(&config) < tau_hat + 1e5);
    config.capacity = 2;
    assert_true((double)cuda_host_bytes(&config) > tau_hat + 2 * 40 * levels);
    assert_true((double)cuda_device_bytes_at_most(&config) >
                device + 38 * levels); /* whole pages */
}

/* So it is of each of many runs; the whole population may have any levels. */
static void reports_of_many_runs_of_one_lattice_are_small(void **state) {
    (void)state;
    parameters p = large_parameters("gpu");
    const double whole = 40 * (1024.0 * 1024.0 + 1);
    p.method = METHOD_canonical;
    p.size = (lattice_size){{1024}};
    p.coding = CODING_SSC;
    p.beta_start = p.beta_end;
    p.measurements = 1;
    p.population = 1;
    p.runs = 100;
    assert_in_range(series_bytes(&p).each, whole, 1.2 * whole);
    p.population = 2;
    assert_in_range(series_bytes(&p).each, 101 * whole, 102 * whole);
}

/* Two copies of its bits, and of 16 sites 16 bytes of random numbers for each of 32 stripes together. */
static void the_largest_lattice_in_stripes_fits_into_a_gpu(void **state) {
    (void)state;
    parameters p = large_parameters("gpu");
    p.method = METHOD_canonical;
    p.beta_start = p.beta_end;
    p.size = (lattice_size){{131072}};
    p.population = 1;
    p.stripes = 32;
    const engine_config config = {.coding = CODING_MSC,
                                  .model = parameters_replica(&p),
                                  .capacity = parameters_capacity(&p, p.stripes),
                                  .word = p.word};
    const double bits = 131072.0 * 131072.0 / 8, bytes = (double)cuda_device_bytes_at_most(&config);
    assert_true(bytes > 2.25 * bits && bytes < 2.3 * bits);
}

/* What is named where a population is refused fits, with checkpoints too. */
static void the_largest_population_that_is_named_fits(void **state) {
    (void)state;
    static const char words[] = "the largest that fits is ";
    char said[4096];
    write_tables();
    write_file("tables/small.dat", "# device Small GPU\n# memory 1000000000\n");
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
        parameters p = large_parameters("small");
        p.coding = coding;
        p.population = 4000000;
        p.checkpoint = "ck";
        assert_int_equal(estimate(&p, said, sizeof said), STATUS_REFUSED);
        const char *const named = strstr(said, words);
        assert_non_null(named);
        p.population = strtoull(named + sizeof words - 1, NULL, 10);
        assert_int_equal(estimate(&p, said, sizeof said), STATUS_OK);
        p.population++;
        assert_int_equal(estimate(&p, said, sizeof said), STATUS_REFUSED);
    }
}

/* Checkpoints pass through the memory of the next children: they need none of the device, and of the host
 * two pieces of 16 MiB each. */
static void checkpoints_are_in_the_plan(void **state) {
    (void)state;
    for (uint32_t size = 4; size <= SQUARE_MAX_EDGE; size += 2)
        for (uint64_t population = 1; population <= 1000000; population *= 10) {
            const engine_config config = some_config(CODING_MSC, size, population);
            const uint64_t packed = config.capacity * model_packed_bytes(&config.model);
            assert_true(cuda_ssc_spin_bytes(&config) >= packed);
            assert_true(size % 16 != 0 || cuda_msc_spin_bytes(&config) >= packed);
        }
    parameters p = large_parameters(NULL);
    const memory_share without = simulation_bytes(&p);
    p.checkpoint = "ck";
    const memory_share with = simulation_bytes(&p);
    const uint64_t spins = p.size.edge[0] * p.size.edge[0] / 8, replicas = (16 << 20) / (spins + 4);
    assert_true(with.once == without.once + 2 * replicas * (spins + 4));
    assert_true(with.each == without.each);
}

/* An array that is longer than a page takes two. */
static void arrays_take_whole_pages(void **state) {
    (void)state;
    const engine_config config = some_config(CODING_MSC, 64, 1000);
    const uint64_t page = 2 << 20, bytes = cuda_device_bytes(&config, 1);
    const uint32_t blocks = (uint32_t)(page / cuda_msc_stream_bytes(&config.model, 1));
    assert_true(bytes % page == 0);
    assert_true(cuda_device_bytes(&config, blocks) == bytes);
    assert_true(cuda_device_bytes(&config, blocks + 1) == bytes + page);
}

static void a_gpu_takes_no_more_than_is_said_of_unknown_ones(void **state) {
    (void)state;
#ifdef PAISING_CUDA
    static const uint32_t sizes[] = {16, 64, 128, 256, 1024};
    char reason[300];
    cuda_device device;
    if (cuda_device_count(reason, sizeof reason) > 0) {
        assert_int_equal(cuda_device_open(0, &device, reason, sizeof reason), 0);
        for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                for (uint64_t population = 1; population <= 100000000; population *= 10) {
                    const engine_config config = some_config(coding, sizes[n], population);
                    assert_true(engine_cuda_bytes(&config) <= cuda_device_bytes_at_most(&config));
                }
        return;
    }
#endif
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(the_nearest_point_counts),
        TEST_IN_SCRATCH(only_what_is_alike_counts),
        TEST_IN_SCRATCH(lines_of_tables_end_in_any_way),
        TEST_IN_SCRATCH(the_device_of_a_table_is_read),
        TEST_IN_SCRATCH(an_estimate_needs_no_gpu),
        TEST_IN_SCRATCH(an_estimate_is_held_against_the_memory_of_the_table),
        TEST_IN_SCRATCH(an_unknown_name_is_answered_by_those_there_are),
        TEST_IN_SCRATCH(spin_flips_are_counted),
        TEST_IN_SCRATCH(the_time_is_said_in_a_unit_of_its_size),
        cmocka_unit_test(memory_is_that_of_the_spins_and_little_more),
        TEST_IN_SCRATCH(only_populations_have_room_to_grow),
        cmocka_unit_test(a_report_of_one_lattice_is_small),
        cmocka_unit_test(reports_of_many_runs_of_one_lattice_are_small),
        cmocka_unit_test(the_largest_lattice_in_stripes_fits_into_a_gpu),
        TEST_IN_SCRATCH(the_largest_population_that_is_named_fits),
        cmocka_unit_test(checkpoints_are_in_the_plan),
        cmocka_unit_test(arrays_take_whole_pages),
        cmocka_unit_test(a_gpu_takes_no_more_than_is_said_of_unknown_ones),
    };
    return cmocka_run_group_tests_name("dry run", tests, NULL, NULL);
}
