/* The networks that collect the children of the MSC engine on a GPU (cuda/msc/networks.h), on the CPU: what they make
 * of a word is what a loop over its lanes copies, for random parents, for one with all children, and for parents that
 * are far apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda/msc/networks.h"
#include "engine/msc_layout.h"
#include "engine/streams.h"

#define WORDS  8
#define TRIALS 20000

static uint32_t random_below(uint32_t bound) {
    static uint32_t n = 0;
    return (uint32_t)((uint64_t)stream_philox((stream_key){{141, 592}}, n++, 0, 0, 0).number[0] *
                          bound >>
                      32);
}

/* Spins of a site in WORDS machine words of parents, and where the parents of 32 children stand. */
typedef struct {
    uint32_t spins[WORDS];
    uint32_t slot[MACHINE_LANES];
} children;

/* Each child has the parent of the one before, or one beyond it with probability 1 / `siblings`, at most `skipped`
 * of them being left out. */
static children random_children(uint32_t siblings, uint32_t skipped) {
    children c;
    for (uint32_t n = 0; n < WORDS; n++)
        c.spins[n] = random_below(UINT32_MAX);
    uint32_t slot = random_below(MACHINE_LANES);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (lane > 0 && random_below(siblings) == 0)
            slot += 1 + random_below(skipped + 1);
        if (slot >= MACHINE_LANES * WORDS) /* from the beginning: the order falls */
            slot = random_below(MACHINE_LANES);
        c.slot[lane] = slot;
    }
    return c;
}

static uint32_t spin_of(const children *c, uint32_t slot) {
    return c->spins[slot / MACHINE_LANES] >> slot % MACHINE_LANES & 1;
}

static uint32_t copied_lane_by_lane(const children *c) {
    uint32_t word = 0;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        word |= spin_of(c, c->slot[lane]) << lane;
    return word;
}

/* Of each lane: how many parents come before its own. */
static void rank_parents(const children *c, uint32_t rank[MACHINE_LANES]) {
    rank[0] = 0;
    for (uint32_t lane = 1; lane < MACHINE_LANES; lane++)
        rank[lane] = rank[lane - 1] + (c->slot[lane] != c->slot[lane - 1]);
}

/* One past the last lane of the window that begins with lane `first`. */
static uint32_t end_of_window(const children *c, uint32_t first) {
    uint32_t lane = first + 1;
    while (lane < MACHINE_LANES && c->slot[lane] >= c->slot[lane - 1] &&
           c->slot[lane] - c->slot[first] < MACHINE_LANES)
        lane++;
    return lane;
}

/* The parents of the lanes first .. end-1, compressed into the upper bits. */
static uint32_t compressed(const children *c, const uint32_t rank[MACHINE_LANES], uint32_t first,
                           uint32_t end) {
    const uint32_t last = c->slot[end - 1], word = last / MACHINE_LANES;
    uint32_t mask[NETWORK_STAGES] = {0};
    for (uint32_t lane = first; lane < end; lane++) {
        const uint32_t below = last - c->slot[lane], way = below - (rank[end - 1] - rank[lane]);
        for (uint32_t k = 0; k < NETWORK_STAGES; k++)
            mask[k] |= compress_mask(MACHINE_LANES - 1 - below, way, k);
    }
    const uint32_t window = join(word > 0 ? c->spins[word - 1] : 0, c->spins[word],
                                 MACHINE_LANES - 1 - last % MACHINE_LANES);
    return compress(window, mask);
}

/* The children of a word, by the networks; *windows is how many it took. */
static uint32_t collected(const children *c, uint32_t *windows) {
    uint32_t rank[MACHINE_LANES], first[MACHINE_LANES + 1] = {0}, mask[NETWORK_STAGES] = {0},
                                                        word = 0;
    rank_parents(c, rank);
    for (*windows = 0; first[*windows] < MACHINE_LANES; ++*windows)
        first[*windows + 1] = end_of_window(c, first[*windows]);
    for (uint32_t n = *windows; n-- > 0;)
        word = join(compressed(c, rank, first[n], first[n + 1]), word,
                    rank[first[n + 1] - 1] - rank[first[n]] + 1);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        for (uint32_t k = 0; k < NETWORK_STAGES; k++)
            mask[k] |= spread_mask(lane, lane - rank[lane], k);
    return spread(word, mask);
}

/* With one window, with two and with many. */
static void children_have_their_parents_spins(void **state) {
    (void)state;
    static const uint32_t siblings[] = {1, 2, 3, 8, 100}, skipped[] = {0, 1, 2, 5, 20, 70};
    uint32_t taken[MACHINE_LANES + 1] = {0};
    for (size_t i = 0; i < sizeof siblings / sizeof *siblings; i++)
        for (size_t j = 0; j < sizeof skipped / sizeof *skipped; j++)
            for (int trial = 0; trial < TRIALS; trial++) {
                const children c = random_children(siblings[i], skipped[j]);
                uint32_t windows;
                assert_int_equal(collected(&c, &windows), copied_lane_by_lane(&c));
                taken[windows]++;
            }
    assert_true(taken[1] > TRIALS && taken[2] > TRIALS && taken[16] > 100);
}

/* One parent has 1 to 32 children, beside parents with one child each. */
static void one_parent_may_have_all_children(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= MACHINE_LANES; count++)
        for (uint32_t before = 0; before + count <= MACHINE_LANES; before++) {
            children c = random_children(1, 0);
            for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
                c.slot[lane] = lane < before           ? lane
                               : lane < before + count ? before + 20
                                                       : lane + 20;
            uint32_t windows;
            assert_int_equal(collected(&c, &windows), copied_lane_by_lane(&c));
        }
}

/* The parents in falling order: a window each. */
static void any_order_is_collected(void **state) {
    (void)state;
    children c = random_children(1, 0);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        c.slot[lane] = (MACHINE_LANES - 1 - lane) * (WORDS - 1);
    uint32_t windows;
    assert_int_equal(collected(&c, &windows), copied_lane_by_lane(&c));
    assert_int_equal(windows, MACHINE_LANES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(children_have_their_parents_spins),
                                       cmocka_unit_test(one_parent_may_have_all_children),
                                       cmocka_unit_test(any_order_is_collected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
