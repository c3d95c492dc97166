/* Available memory from files as kernels write them, and the largest population that fits. */
#include "base/memory.h"
#include "cpu/walk.h"
#include "cuda/engine/bytes.h"
#include "engine/capacity.h"
#include "engine/walk.h"
#include "validate/lib/scratch.h"

#include <inttypes.h>
#include <sys/resource.h>

/* --- the largest population --- */

/* 10 bytes a replica of the capacity, and 1000 more. */
static uint64_t linear_need(const engine_config *config) {
    return 10 * config->capacity + 1000;
}

static void the_largest_population_just_fits(void **state) {
    (void)state;
    engine_config config = {.coding = CODING_MSC, .model = square_model(64), .word = 32};
    for (uint64_t available = 5000; available < 10000000000; available = available * 3 + 1) {
        const uint64_t largest = capacity_largest_population(config, 1, available, linear_need);
        assert_true(largest > 0);
        config.capacity = population_capacity(largest, config.word);
        assert_true(linear_need(&config) <= available);
        config.capacity = population_capacity(largest + 1, config.word);
        assert_true(linear_need(&config) > available);
    }
    assert_int_equal(capacity_largest_population(config, 1, 1000, linear_need), 0);
    const uint64_t most = capacity_largest_population(config, 1, UINT64_MAX, linear_need);
    assert_true(population_capacity(most, config.word) <= MOST_REPLICAS);
    assert_true(population_capacity(most + 1, config.word) > MOST_REPLICAS);
}

static void the_capacity_leaves_room_for_fluctuations(void **state) {
    (void)state;
    assert_int_equal(population_capacity(1, 8), 1 + 8 + 8);
    assert_int_equal(population_capacity(10000, 32), 10000 + 800 + 32);
    assert_int_equal(population_capacity(2, 64), 2 + 12 + 64); /* 11.3, rounded up */
}

static void too_large_a_population_is_refused(void **state) {
    (void)state;
    engine_config config = {.coding = CODING_MSC, .model = square_model(64), .word = 32};
    config.capacity = population_capacity(10000, config.word);
    const uint64_t need = linear_need(&config);
    assert_int_equal(capacity_check(&config, 10000, 1, need, linear_need), STATUS_OK);
    assert_int_equal(capacity_check(&config, 10000, 1, need - 1, linear_need), STATUS_REFUSED);
}

/* --- several populations --- */

static void each_window_of_walkers_has_all_levels(void **state) {
    (void)state;
    const uint32_t threads = 3;
    engine_config one = {
        .coding = CODING_SSC, .model = square_model(64), .word = 32, .walkers = true};
    one.capacity = 6400;
    engine_config many = one;
    many.group = 64;
    assert_int_equal(engine_populations(&one), 1);
    assert_int_equal(engine_populations(&many), 100);
    const uint64_t more = 99 * (uint64_t)one.model.levels.count;
    assert_int_equal(walk_space_bytes(&many, threads) - walk_space_bytes(&one, threads),
                     more * threads * sizeof(uint64_t));
    const uint64_t on_device = cuda_device_bytes(&many, 1) - cuda_device_bytes(&one, 1),
                   row = walk_changes(&one.model) * sizeof(uint32_t) + sizeof(uint64_t);
    assert_true(on_device >= more * row && on_device < 2 * more * row);
    many.group = 6401; /* a rank may have a part of a window */
    assert_int_equal(engine_populations(&many), 1);
}

static void each_temperature_has_a_report_on_a_gpu(void **state) {
    (void)state;
    engine_config one = {.coding = CODING_MSC, .model = square_model(64), .word = 32};
    one.capacity = 6400;
    engine_config many = one;
    many.group = 64;
    const uint64_t sums = 100 * (uint64_t)one.model.levels.count * sizeof(level_sums),
                   more = cuda_device_bytes(&many, 1) - cuda_device_bytes(&one, 1),
                   pinned = cuda_host_bytes(&many) - cuda_host_bytes(&one);
    assert_true(more >= sums && more < 2 * sums);
    assert_true(pinned >= sums && pinned < 2 * sums);
    assert_int_equal(cuda_group_levels(false, 1000, 10), 1000);
    assert_int_equal(cuda_group_levels(true, 1000, 10),
                     10); /* of energies without levels no more */
    assert_int_equal(cuda_group_levels(false, 1000, 1), 1);
}

/* --- available memory --- */

/* Makes a file below the scratch folder, and the folders to it. */
static void put(const char *path, const char *text) {
    char command[300];
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", path);
    assert_int_equal(system(command), 0);
    write_file(path, text);
}

static void put_meminfo(void) {
    put("proc/meminfo", "MemTotal:       24684000 kB\nMemFree:  1 kB\nMemAvailable:    1000 kB\n");
}

static void the_kernel_says_what_is_available(void **state) {
    (void)state;
    assert_true(memory_available_below(".") == UINT64_MAX);
    put_meminfo();
    assert_int_equal(memory_available_below("."), 1024000);
    put("proc/self/cgroup", "0::/\n"); /* the root group has no limit */
    assert_int_equal(memory_available_below("."), 1024000);
}

static void groups_of_version_2_limit_it(void **state) {
    (void)state;
    put_meminfo();
    put("proc/self/cgroup", "0::/user/job\n");
    put("sys/fs/cgroup/user/job/memory.max", "max\n");
    put("sys/fs/cgroup/user/job/memory.current", "700000\n");
    assert_int_equal(memory_available_below("."), 1024000);
    put("sys/fs/cgroup/user/memory.max", "900000\n");
    put("sys/fs/cgroup/user/memory.current", "700000\n");
    assert_int_equal(memory_available_below("."), 200000);
    put("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 50000\nactive_file 1000\n");
    assert_int_equal(memory_available_below("."), 251000); /* page cache can go */
    put("sys/fs/cgroup/user/job/memory.max", "500000\n");
    assert_int_equal(memory_available_below("."), 0);
}

static void groups_of_version_1_limit_it(void **state) {
    (void)state;
    put_meminfo();
    put("proc/self/cgroup", "5:cpu,cpuacct:/c\n4:memory:/host/path\n0::/\n");
    /* a container sees its own group at the mount, not where the host has it */
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "800000\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "300000\n");
    put("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 20000\n");
    assert_int_equal(memory_available_below("."), 520000);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(memory_available_below("."), 1024000);
}

static void a_limit_on_address_space_counts(void **state) {
    (void)state;
    struct rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    FILE *const file = fopen("/proc/self/statm", "r");
    uint64_t pages = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%" SCNu64, &pages), 1);
    fclose(file);
    const uint64_t more = 1 << 28, use = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    const struct rlimit low = {use + more, usual.rlim_max};
    setrlimit(RLIMIT_AS, &low);
    const uint64_t available = memory_available(1), beside_another = memory_available(2);
    setrlimit(RLIMIT_AS, &usual);
    assert_true(available > more / 2 && available <= more);
    assert_true(beside_another > more / 2); /* the limit is of each process */
    assert_true(memory_available(1) > more);
}

static void processes_of_a_host_share_its_memory(void **state) {
    (void)state;
    const uint64_t all = memory_available(1), part = memory_available(4);
    if (all == UINT64_MAX) {
        assert_true(part == UINT64_MAX);
        return;
    }
    assert_true(part > all / 8 && part < all / 2); /* others take and give meanwhile */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_population_just_fits),
        cmocka_unit_test(the_capacity_leaves_room_for_fluctuations),
        cmocka_unit_test(too_large_a_population_is_refused),
        cmocka_unit_test(each_window_of_walkers_has_all_levels),
        cmocka_unit_test(each_temperature_has_a_report_on_a_gpu),
        TEST_IN_SCRATCH(the_kernel_says_what_is_available),
        TEST_IN_SCRATCH(groups_of_version_2_limit_it),
        TEST_IN_SCRATCH(groups_of_version_1_limit_it),
        cmocka_unit_test(a_limit_on_address_space_counts),
        cmocka_unit_test(processes_of_a_host_share_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
