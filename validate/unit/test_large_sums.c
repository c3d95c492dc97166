/* Claims about what is counted of the largest populations, of almost 2^32 replicas: sums that need almost 64 bits, bins of
 * overlaps and ground states are in a file what they were. */
#include "estimate/ground_states.h"
#include "estimate/measurements.h"
#include "estimate/overlap_record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST ((uint64_t)UINT32_MAX)

/* Writes something and reads it again. */
static void pass_through(section_content *content, void *written, void *read) {
    section_file f;
    FILE *const stream = tmpfile();
    assert_non_null(stream);
    assert_true(section_file_write(&f, stream) && section_pass(&f, "it", content, written) &&
                section_file_end(&f));
    rewind(stream);
    assert_true(section_file_read(&f, stream) && section_pass(&f, "it", content, read) &&
                section_file_end(&f));
    assert_int_equal(fclose(stream), 0);
}

static bool pass_histogram(section_file *f, void *h) {
    return histogram_transfer(f, h, MOST);
}

static void large_sums_stand_in_files(void **state) {
    (void)state;
    const spin_model model = square_kind.create((const uint32_t[]){16, 16, 1});
    histogram h, read;
    assert_int_equal(histogram_create(&h, &model), 0);
    assert_int_equal(histogram_create(&read, &model), 0);
    h.population = MOST;
    h.family_squares = MOST * MOST;
    h.parent[7].tau_hat = UINT64_MAX;
    pass_through(pass_histogram, &h, &read);
    assert_true(read.population == MOST && read.family_squares == h.family_squares);
    assert_true(read.parent[7].tau_hat == UINT64_MAX && read.parent[8].tau_hat == 0);
    histogram_destroy(&h);
    histogram_destroy(&read);
}

/* Adds replicas with the largest |M| and with less; the sums of M^4 are those of whole numbers of 128 bits. The report of one replica has
 * room for one level. */
static void claim_fourth_powers(const spin_model *model, uint64_t replicas) {
    const uint64_t most = model_largest_order(model) / model->order_unit;
    const size_t level =
        replicas == 1 ? model->levels.count - 1 : 0; /* pages of others are not touched */
    histogram h;
    uint128 sum = 0;
    assert_int_equal(histogram_create_for(&h, model, replicas), 0);
    h.population = replicas;
    for (uint64_t k = 0; k < replicas; k++) {
        const uint64_t order = most - k % 3 * 12345 % most;
        sum += (uint128)(order * order) * (order * order);
        histogram_add(&h, k, level, order);
    }
    const level_sums *const found = histogram_level(&h, level);
    assert_true(found->replicas == replicas);
    assert_true(histogram_fourth(&h, found->q_low, found->q_high) == sum);
    assert_true(histogram_fourth(&h, h.block[0].q_low, h.block[0].q_high) > 0);
    const double m4 = measurement_of(&h, model->sites).m4,
                 expected = histogram_m4_unit(&h) * (double)sum / (double)replicas /
                            pow((double)model_largest_order(model), 4);
    assert_true(fabs(m4 - expected) <= 1e-14 * expected);
    histogram_clear(&h);
    assert_true(histogram_level(&h, level)->q_low == 0);
    histogram_destroy(&h);
}

static void fourth_powers_are_exact_in_the_largest_lattices(void **state) {
    (void)state;
    const spin_model square = square_kind.create((const uint32_t[]){8192, 8192, 1}),
                     cubic = cubic_kind.create((const uint32_t[]){406, 406, 406}),
                     small = square_kind.create((const uint32_t[]){4, 4, 1}),
                     odd = baxter_wu_kind.create((const uint32_t[]){3, 3, 1});
    const spin_model *const model[] = {&square, &cubic, &small, &odd};
    for (size_t n = 0; n < sizeof model / sizeof *model; n++) {
        claim_fourth_powers(model[n], 1);
        claim_fourth_powers(model[n], 4095); /* of L = 8192 there may be 4096 */
    }
}

static bool pass_overlaps(section_file *f, void *record) {
    return overlap_record_transfer(f, record, 1);
}

/* A record whose pairs are all alike. */
static void claim_bins(uint64_t pairs) {
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
    pass_through(pass_overlaps, &r, &read);
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
}

static void bins_hold_all_pairs(void **state) {
    (void)state;
    claim_bins(500);
    claim_bins(MOST / 2);
}

static bool pass_ground_states(section_file *f, void *found) {
    const spin_model model = glass3d_kind.create((const uint32_t[]){6, 6, 6});
    return ground_states_transfer(f, found, &model);
}

/* Two families have all the replicas. */
static void squares_of_families_in_ground_states_are_whole(void **state) {
    (void)state;
    uint8_t spins[6 * 6 * 6 / 8] = {0};
    const uint64_t each = MOST / 2;
    ground_states g = {.replicas = 2 * each,
                       .families = 2,
                       .squares = 2 * each * each,
                       .visits = MOST,
                       .below = 0.1,
                       .distinct = 1,
                       .spins = spins},
                  read = {.spins = NULL};
    pass_through(pass_ground_states, &g, &read);
    assert_true(read.squares == g.squares && read.below == 0.1 && read.visits == MOST);
    assert_true(ground_states_doubt(&read) == GROUND_FEW); /* two of them */
    ground_states_destroy(&read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fourth_powers_are_exact_in_the_largest_lattices),
        cmocka_unit_test(large_sums_stand_in_files),
        cmocka_unit_test(bins_hold_all_pairs),
        cmocka_unit_test(squares_of_families_in_ground_states_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
