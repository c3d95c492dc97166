/* Claims about what is counted of populations of more than 2^32 replicas:
 *
 *  - families, and sums that need more than 64 bits, are in a file what they were, and as long as ever in small populations;
 *  - so are bins of overlaps and ground states that more than 2^32 pairs and replicas have;
 *  - sums of M^4 are carried where they need more than 64 bits. */
#include "engine/capacity.h"
#include "engine/families.h"
#include "estimate/ground_states.h"
#include "estimate/overlap_record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define BORDER       (UINT64_C(1) << 32)
#define ALL          UINT64_C(10000000000)

static void families_stand_in_files(void **state) {
    (void)state;
    static const struct {
        uint64_t founders, families[3];
        size_t bytes;
        uint8_t second[8];
    } example[] = {
        {1000, {1, 258, 999}, 4, {2, 1, 0, 0}},
        {BORDER, {0, 258, BORDER - 1}, 4, {2, 1, 0, 0}},
        {BORDER + 1, {0, BORDER, BORDER}, 8, {0, 0, 0, 0, 1, 0, 0, 0}},
        {ALL, {5, BORDER + 5, ALL - 1}, 8, {5, 0, 0, 0, 1, 0, 0, 0}},
    };
    for (size_t n = 0; n < COUNT(example); n++) {
        uint64_t families[3];
        const size_t bytes = example[n].bytes;
        memcpy(families, example[n].families, sizeof families);
        assert_int_equal(family_bytes(example[n].founders), bytes);
        families_pack(families, 3, example[n].founders);
        assert_memory_equal((const uint8_t *)families + bytes, example[n].second, bytes);
        families_unpack(families, 3, example[n].founders);
        assert_memory_equal(families, example[n].families, sizeof families);
    }
}

/* Writes something and reads it again; the bytes of the file. */
static long passed_through(section_content *content, void *written, void *read) {
    section_file f;
    FILE *const stream = tmpfile();
    assert_non_null(stream);
    assert_true(section_file_write(&f, stream) && section_pass(&f, "it", content, written) &&
                section_file_end(&f));
    const long bytes = ftell(stream);
    rewind(stream);
    assert_true(section_file_read(&f, stream) && section_pass(&f, "it", content, read) &&
                section_file_end(&f));
    assert_int_equal(fclose(stream), 0);
    return bytes;
}

static bool pass_small_histogram(section_file *f, void *h) {
    return histogram_transfer(f, h, BORDER - 1);
}

static bool pass_wide_histogram(section_file *f, void *h) {
    return histogram_transfer(f, h, ALL);
}

static void large_sums_stand_in_files(void **state) {
    (void)state;
    const spin_model model = square_kind.create((const uint32_t[]){16, 16, 1});
    histogram h, read;
    assert_int_equal(histogram_create(&h, &model), 0);
    assert_int_equal(histogram_create(&read, &model), 0);
    h.population = BORDER - 1;
    h.family_squares = (uint128)h.population * h.population;
    h.parent[7].tau_hat = UINT64_MAX;
    memset(read.tau_hat_high, 1, sizeof read.tau_hat_high); /* nothing stays */
    const long before = passed_through(pass_small_histogram, &h, &read);
    assert_true(read.family_squares == h.family_squares);
    assert_true(histogram_tau_hat(&read, 7) == UINT64_MAX && histogram_tau_hat(&read, 8) == 0);
    h.tau_hat_high[7] = 1; /* of parents that were more */
    const long with_few = passed_through(pass_wide_histogram, &h, &read);
    assert_true(histogram_tau_hat(&read, 7) == ((uint128)2 << 64) - 1);
    h.population = ALL;
    h.family_squares = (uint128)ALL * ALL;
    const long wide = passed_through(pass_wide_histogram, &h, &read);
    assert_int_equal(wide, with_few);
    assert_int_equal(wide - before, (POPULATION_BLOCKS + 1) * sizeof(uint64_t));
    assert_true(read.family_squares == h.family_squares);
    assert_true(histogram_tau_hat(&read, 7) == ((uint128)2 << 64) - 1);
    histogram_destroy(&h);
    histogram_destroy(&read);
}

#define FEW_PAIRS 500

static bool pass_overlaps(section_file *f, void *record) {
    return overlap_record_transfer(f, record, 1);
}

/* A record whose pairs are all alike; its bytes in a file. */
static long claim_bins(uint64_t pairs) {
    const spin_model model = glass3d_kind.create((const uint32_t[]){6, 6, 6});
    level_sums lowest = {.replicas = 2 * pairs};
    const histogram h = {.population = 2 * pairs,
                         .family_squares = 2 * pairs,
                         .levels = model.levels,
                         .end = 1,
                         .level = &lowest};
    overlap_record r, read;
    overlap_sums s;
    assert_int_equal(overlap_sums_create(&s, &model), 0);
    overlap_sums_begin(&s, 2 * pairs);
    for (size_t b = 0; b < OVERLAP_BLOCKS; b++)
        s.block[b].pairs = pairs * (b + 1) / OVERLAP_BLOCKS - pairs * b / OVERLAP_BLOCKS;
    for (size_t part = 0; part < OVERLAP_PARTS; part++)
        s.differ[part * s.scale.differ_bins + 3] =
            (uint32_t)(pairs * (part + 1) / OVERLAP_PARTS - pairs * part / OVERLAP_PARTS);
    overlap_record_start(&r, &model);
    overlap_record_start(&read, &model);
    assert_int_equal(overlap_record_add(&r, &s, &h, &model), 0);
    const long bytes = passed_through(pass_overlaps, &r, &read);
    for (size_t n = 0; n < r.bins; n++) {
        assert_int_equal(r.bin[n].count, n == 3 ? pairs : 0);
        assert_int_equal(read.bin[n].count, r.bin[n].count);
        assert_true(read.bin[n].error == r.bin[n].error);
        assert_true(r.bin[n].error ==
                    (n == 3 ? (float)(1.545 / (double)pairs) : 0)); /* counting.h */
    }
    assert_true(read.row->pairs == (double)pairs);
    overlap_record_end(&r);
    overlap_record_end(&read);
    overlap_sums_destroy(&s);
    return bytes;
}

static void bins_hold_all_pairs(void **state) {
    (void)state;
    const spin_model model = glass3d_kind.create((const uint32_t[]){6, 6, 6});
    const size_t bins = overlap_bin_count(overlap_scale_of(&model));
    const long few = claim_bins(FEW_PAIRS);
    assert_int_equal(claim_bins(BORDER - 1), few);
    assert_int_equal(claim_bins(BORDER) - few, bins * sizeof(uint32_t));
    assert_int_equal(claim_bins(3 * BORDER / 2) - few, bins * sizeof(uint32_t));
}

static bool pass_ground_states(section_file *f, void *found) {
    const spin_model model = glass3d_kind.create((const uint32_t[]){6, 6, 6});
    return ground_states_transfer(f, found, &model);
}

/* Two families have all the replicas. */
static void squares_of_families_in_ground_states_are_whole(void **state) {
    (void)state;
    uint8_t spins[6 * 6 * 6 / 8] = {0};
    long bytes[2];
    for (size_t n = 0; n < 2; n++) {
        const uint64_t each = n == 0 ? BORDER / 2 - 1 : BORDER + 5;
        ground_states g = {.replicas = 2 * each,
                           .families = 2,
                           .squares = 2 * (uint128)each * each,
                           .below = 0.1,
                           .distinct = 1,
                           .spins = spins},
                      read = {.spins = NULL};
        bytes[n] = passed_through(pass_ground_states, &g, &read);
        assert_true(read.squares == g.squares && read.below == 0.1);
        assert_true(fabs(ground_states_missed(&read) - exp(-2)) < 1e-12);
        ground_states_destroy(&read);
    }
    assert_int_equal(bytes[1] - bytes[0], sizeof(uint64_t));
}

static void sums_of_m4_are_carried(void **state) {
    (void)state;
    level_sums level[] = {{.q_low = UINT64_MAX, .q_high = 1},
                          {.q_low = 3 * BORDER + 7, .q_high = 5},
                          {.q_low = BORDER - 1, .q_high = 9},
                          {.q_low = BORDER}};
    histogram h = {.level = level, .first = 1, .end = 3};
    histogram_carry(&h);
    assert_true(level[0].q_low == UINT64_MAX && level[0].q_high == 1);
    assert_true(level[1].q_low == 7 && level[1].q_high == 8);
    assert_true(level[2].q_low == BORDER - 1 && level[2].q_high == 9);
    assert_true(level[3].q_low == BORDER && level[3].q_high == 0);
}

static void wide_is_what_may_have_2_to_the_32(void **state) {
    (void)state;
    assert_false(capacity_is_wide(BORDER - 1));
    assert_true(capacity_is_wide(BORDER));
    assert_true(population_capacity(BORDER - 1000, 32) >= BORDER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_stand_in_files),
        cmocka_unit_test(large_sums_stand_in_files),
        cmocka_unit_test(bins_hold_all_pairs),
        cmocka_unit_test(squares_of_families_in_ground_states_are_whole),
        cmocka_unit_test(sums_of_m4_are_carried),
        cmocka_unit_test(wide_is_what_may_have_2_to_the_32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
