/* Claims about how many runs are in flight (device/pool.h, cuda/engine/fill.h): as many as were asked for, or as fill
 * the device, but not more than there are runs, and than fit into the memory of host and GPU; whoever asked
 * for more is told, and a checkpoint that holds more is refused. A GPU is filled by as few populations as
 * are large, and by one where the stages of a step are timed; a CPU by a sample for each processor. Threads share
 * the room of a pool, and an engine that goes on to another sample, with levels of another parity, is as good as
 * a new one: which on a GPU it need not be. */
#include "cuda/engine/fill.h"
#include "device/pool.h"
#include "method/simulation_state.h"
#include "validate/lib/annealer.h"
#include "validate/lib/capture.h"
#include "validate/lib/some_models.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static parameters some_parameters(void) {
    return (parameters){.stripes = 1,
                        .size = {{64}},
                        .population = 5000,
                        .sweeps = 1,
                        .beta_end = 1,
                        .dbeta = 0.25,
                        .runs = 10,
                        .coding = CODING_SSC,
                        .device = DEVICE_CPU,
                        .word = 32};
}

/* A place where engines take so much of the host and of a GPU. */
static device_placement some_place(uint64_t host_bytes, uint64_t host_available,
                                   uint64_t device_bytes, uint64_t device_available) {
    const parameters p = some_parameters();
    device_placement place = placement_like(&p, "some GPU", device_available);
    place.fill = 4;
    place.host_bytes = host_bytes;
    place.host_available = host_available;
    place.device_bytes = device_bytes;
    return place;
}

static const memory_share own = {.once = 1000, .each = 10};

/* --- how many --- */

static void runs_that_fill_the_device_or_as_many_as_are_asked_for(void **state) {
    (void)state;
    const device_placement place = some_place(1, UINT64_MAX, 1, UINT64_MAX);
    parameters p = some_parameters();
    assert_int_equal(pool_size(&p, &place, own), 4);
    p.in_flight = 7;
    assert_int_equal(pool_size(&p, &place, own), 7);
    p.in_flight = 1000000;
    assert_int_equal(pool_size(&p, &place, own), 10); /* -M */
    p.runs = 3;
    p.in_flight = 0;
    assert_int_equal(pool_size(&p, &place, own), 3);
}

/* Of 300 that would fill a GPU, a quarter of the samples, and with few sweeps as many as the host keeps up with; a number
 * that was asked for stands. */
static void each_engine_makes_four_samples(void **state) {
    (void)state;
    static const struct {
        uint32_t samples, sweeps, engines;
    } cases[] = {{2, 1000, 2},      {30, 1000, 30},         {64, 1000, 32},  {500, 1000, 125},
                 {1199, 1000, 299}, {5000, 1000, 300},      {5000, 60, 272}, {5000, 1, 36},
                 {1000, 100, 250},  {5000, 3435973812, 300}};
    device_placement place = some_place(1, UINT64_MAX, 1, UINT64_MAX);
    parameters p = some_parameters();
    place.fill = 300;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        p.samples = cases[n].samples;
        p.sweeps = cases[n].sweeps;
        place.gpu = true;
        assert_int_equal(pool_size(&p, &place, own), cases[n].engines);
        place.gpu = false;
        assert_int_equal(pool_size(&p, &place, own),
                         cases[n].samples < 300 ? cases[n].samples : 300);
    }
    place.gpu = true;
    p.samples = 100;
    p.in_flight = 90;
    assert_int_equal(pool_size(&p, &place, own), 90);
}

/* Of populations that are launched as batches, more than fill the device, by 16 threads. */
static void batches_wait_for_the_device(void **state) {
    (void)state;
    const int usual = omp_get_max_threads();
    engine_pool f = {.place = some_place(1, UINT64_MAX, 1, UINT64_MAX)};
    parameters p = some_parameters();
    f.place.gpu = f.place.batched = true;
    p.samples = 5000;
    p.sweeps = 1000;
    for (f.place.fill = 1; f.place.fill < 300; f.place.fill++)
        assert_int_equal(pool_size(&p, &f.place, own),
                         f.place.fill == 1 ? 1 : 5 * f.place.fill / 2);
    p.samples = 1; /* runs are of one thread */
    assert_int_equal(pool_size(&p, &f.place, own), 10);
    f.place.fill = 4;
    assert_int_equal(pool_size(&p, &f.place, own), 4);
    omp_set_num_threads(40);
    for (f.room = 1; f.room < 100; f.room++)
        assert_int_equal(pool_threads(&f), f.room < 16 ? f.room : 16);
    omp_set_num_threads(usual);
}

static void as_many_as_memory_holds(void **state) {
    (void)state;
    parameters p = some_parameters();
    p.in_flight = 10;
    for (uint32_t fit = 1; fit <= 10; fit++) {
        device_placement place = some_place(90, 1000 + 100 * fit, 1, UINT64_MAX);
        assert_int_equal(pool_size(&p, &place, own), fit);
        assert_int_equal(pool_host_bytes(&place, own, fit), place.host_available);
        place.host_available--;
        assert_int_equal(pool_size(&p, &place, own), fit > 1 ? fit - 1 : 1);
        place = some_place(1, UINT64_MAX, 70, 70 * fit);
        assert_int_equal(pool_size(&p, &place, own), fit);
        assert_int_equal(pool_device_bytes(&place, fit), place.device_available);
        place.device_available--;
        assert_int_equal(pool_size(&p, &place, own), fit > 1 ? fit - 1 : 1);
    }
}

/* What pool_check says of a place with room for three; it does not doubt that one fits. */
static exit_status check(const parameters *p, char said[600]) {
    device_placement place = placement_like(p, "some GPU", UINT64_MAX);
    place.fill = 4;
    place.device_available = 3 * place.device_bytes;
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = pool_check(p, &place, own);
    capture_end(&c, said, 600);
    return status;
}

static void who_asked_for_more_is_told(void **state) {
    (void)state;
    char said[600];
    parameters p = some_parameters();
    assert_int_equal(check(&p, said), STATUS_OK);
    assert_string_equal(said, "");
    p.in_flight = 3;
    assert_int_equal(check(&p, said), STATUS_OK);
    assert_string_equal(said, "");
    p.in_flight = 5;
    assert_int_equal(check(&p, said), STATUS_OK);
    assert_non_null(strstr(said, "--in-flight 5: so many populations need "));
    assert_non_null(strstr(said, " MB of device memory: 3 at a time\n"));
    p.resume = "ck"; /* which holds five */
    assert_int_equal(check(&p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "--in-flight 5: so many populations need "));
    assert_non_null(strstr(said, " MB of device memory, and there is room for 3\n"));
}

/* --- engines --- */

static void there_is_an_engine_for_each(void **state) {
    (void)state;
    engine_pool f;
    parameters p = some_parameters();
    assert_int_equal(pool_create(&f, &p, NULL, own), STATUS_OK);
    assert_int_equal(f.count, 1); /* on a CPU */
    assert_int_equal(p.in_flight, 1);
    pool_destroy(&f);
    p.in_flight = 12;
    assert_int_equal(pool_create(&f, &p, NULL, own), STATUS_OK);
    assert_int_equal(f.count, 10);
    assert_int_equal(p.in_flight, 10);
    for (uint32_t n = 1; n < f.count; n++)
        assert_ptr_not_equal(f.member[n], f.member[n - 1]);
    pool_destroy(&f);
}

/* Where the address space has room for three populations and a half, of 47 MB each. */
static void memory_that_is_not_there_lowers_their_number(void **state) {
    (void)state;
    char said[600];
    struct rlimit usual;
    device_placement place;
    engine_pool f;
    parameters p = some_parameters();
    p.in_flight = 8;
    assert_int_equal(placement_find(&p, &place), STATUS_OK);
    assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    FILE *const file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    const rlim_t use = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    const struct rlimit low = {use + 7 * place.host_bytes / 2, usual.rlim_max};
    capture c = capture_begin(STDERR_FILENO);
    setrlimit(RLIMIT_AS, &low);
    const exit_status status = pool_create(&f, &p, NULL, own);
    setrlimit(RLIMIT_AS, &usual);
    capture_end(&c, said, sizeof said);
    assert_int_equal(status, STATUS_OK);
    assert_in_range(f.count, 2, 3);
    assert_int_equal(p.in_flight, f.count);
    assert_non_null(strstr(said, "--in-flight 8: so many populations need "));
    pool_destroy(&f);
}

/* --- samples --- */

static void a_cpu_has_a_sample_for_each_processor(void **state) {
    (void)state;
    const int usual = omp_get_max_threads();
    device_placement place;
    parameters p = some_parameters();
    omp_set_num_threads(2);
    for (p.samples = 1; p.samples < 5; p.samples++) {
        assert_int_equal(placement_find(&p, &place), STATUS_OK);
        assert_int_equal(place.fill, p.samples < 2 ? 1 : 2);
    }
    omp_set_num_threads(usual);
}

static void threads_share_the_room(void **state) {
    (void)state;
    const int usual = omp_get_max_threads();
    omp_set_num_threads(4);
    engine_pool f = {.place = {.gpu = false}}, part;
    for (f.room = 1; f.room < 10; f.room++) {
        f.place.gpu = false;
        assert_int_equal(pool_threads(&f), f.room < 4 ? 1 : 4);
        f.place.gpu = true;
        assert_int_equal(pool_threads(&f), f.room < 4 ? f.room : 4);
        f.place.gpu = false;
        for (uint32_t threads = 1; threads <= f.room; threads++) {
            uint32_t room = 0;
            for (uint32_t n = 0; n < threads; n++) {
                assert_int_equal(pool_divide(&f, threads, n, &part), STATUS_OK);
                assert_in_range(part.room, f.room / threads, f.room / threads + 1);
                room += part.room;
                pool_destroy(&part);
            }
            assert_int_equal(room, f.room);
        }
    }
    omp_set_num_threads(usual);
}

#define STEPS 8

/* Anneals a sample with the next engine of a pool. */
static void anneal_sample(engine_pool *f, const couplings *sample, run_averages row[STEPS + 1]) {
    const annealing_plan plan = {.seed = 1,
                                 .population = 300,
                                 .sweeps = 2,
                                 .steps = STEPS,
                                 .dbeta = 0.1,
                                 .threshold_factor = 1};
    char reason[300];
    engine *const e = pool_add(f, sample, reason, sizeof reason);
    assert_non_null(e);
    memset(row, 0, (STEPS + 1) * sizeof *row);
    anneal(e, &plan, 0, row);
}

/* On a GPU, if there is one. */
static void engines_go_on_to_another_sample(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
        parameters p = some_parameters();
        p.model = 3; /* glass3d */
        p.size = (lattice_size){{4}};
        p.coding = coding;
        p.population = 300;
        p.samples = 2;
        p.device = DEVICE_AUTO;
        couplings samples[10];
        engine_pool f, fresh;
        assert_int_equal(pool_find(&f, &p, own), STATUS_OK);
        uint64_t odd = 0;
        for (size_t n = 0; n < 10; n++) {
            run_averages row[STEPS + 1], alone[STEPS + 1];
            some_model(model_kinds[p.model], p.size, n, &samples[n]);
            odd += couplings_count_negative(&samples[n]) % 2;
            anneal_sample(&f, &samples[n], row);
            pool_clear(&f);
            assert_int_equal(pool_find(&fresh, &p, own), STATUS_OK);
            anneal_sample(&fresh, &samples[n], alone);
            pool_destroy(&fresh);
            assert_memory_equal(row, alone, sizeof row);
        }
        assert_in_range(odd, 1, 9);
        pool_destroy(&f);
        for (size_t n = 0; n < 10; n++)
            couplings_destroy(&samples[n]);
    }
}

/* --- what fills a GPU --- */

static uint32_t fill(spin_coding coding, uint32_t size, uint64_t capacity, stage_mode stages) {
    const engine_config config = {.coding = coding,
                                  .model = square_model(size),
                                  .capacity = capacity,
                                  .word = 32,
                                  .stages = stages};
    return cuda_populations_to_fill(&config, 132, true);
}

static void large_populations_fill_a_gpu_alone(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
        uint32_t before = UINT32_MAX;
        for (uint64_t capacity = 1; capacity < 100000000; capacity *= 2) {
            const uint32_t now = fill(coding, 64, capacity, STAGES_FUSED);
            assert_in_range(now, 1, before);
            assert_int_equal(fill(coding, 64, capacity, STAGES_APART), 1);
            before = now;
        }
        assert_int_equal(before, 1);
        assert_true(fill(coding, 64, 100, STAGES_FUSED) > 8);
        assert_true(fill(coding, 16, 2000, STAGES_FUSED) >= fill(coding, 64, 2000, STAGES_FUSED));
    }
    assert_in_range(fill(CODING_MSC, 128, 2000, STAGES_FUSED), 2, 6);
    assert_int_equal(fill(CODING_MSC, 128, 50000, STAGES_FUSED), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_fill_the_device_or_as_many_as_are_asked_for),
        cmocka_unit_test(each_engine_makes_four_samples),
        cmocka_unit_test(batches_wait_for_the_device),
        cmocka_unit_test(as_many_as_memory_holds),
        cmocka_unit_test(who_asked_for_more_is_told),
        cmocka_unit_test(there_is_an_engine_for_each),
        cmocka_unit_test(memory_that_is_not_there_lowers_their_number),
        cmocka_unit_test(a_cpu_has_a_sample_for_each_processor),
        cmocka_unit_test(threads_share_the_room),
        cmocka_unit_test(engines_go_on_to_another_sample),
        cmocka_unit_test(large_populations_fill_a_gpu_alone),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
