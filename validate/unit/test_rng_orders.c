/* The streams `mwc2-*` that `make rng` tests are draws of the strips' generators (engine/mwc.h), taken here from the
 * generators themselves, in the orders and bit by bit as the names say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/mwc.h"
#include "validate/rng/streams_under_test.h"

enum { SIZE = 16, SWEEPS = 16, DRAWS = 2 * SWEEPS * 8 * 7 };

static const stream_shape shape = {SIZE, 128, SWEEPS, 2};
static const uint64_t seed = 2017;

static stream_under_test open_stream(const char *name) {
    stream_under_test s;
    assert_int_equal(stream_open(&s, name, shape, seed), 0);
    return s;
}

/* [strip][draw]: of the first row of strips */
static uint32_t drawn[SIZE / 2][DRAWS];

static void draw_first_strips(void) {
    for (uint32_t strip = 0; strip < SIZE / 2; strip++) {
        const stream_block b = stream_draw(stream_run_key(seed, 0), STREAM_MWC, strip, 0, 0, 1);
        mwc_state state = mwc_seed(b.number[0], b.number[1], b.number[2], b.number[3]);
        for (uint32_t n = 0; n < DRAWS; n++)
            drawn[strip][n] = mwc_next(&state);
    }
}

/* The bits of a lane of 32 draws, `stride` apart from the first on. */
static uint32_t lane_bits(uint32_t strip, uint32_t first, uint32_t stride, uint32_t lane) {
    uint32_t bits = 0;
    for (uint32_t n = 0; n < 32; n++)
        bits |= (drawn[strip][first + n * stride] >> lane & 1) << n;
    return bits;
}

static void orders_of_lag_2_are_the_strips_draws(void **state) {
    (void)state;
    stream_under_test strip = open_stream("mwc2-strip"), in_turn = open_stream("mwc2-strips"),
                      rows = open_stream("mwc2-lacunary"), lanes = open_stream("mwc2-lanes"),
                      spins = open_stream("mwc2-spins"), lane_5 = open_stream("mwc2-lane-5");
    draw_first_strips();
    for (uint32_t n = 0; n < DRAWS; n++)
        for (uint32_t k = 0; k < SIZE / 2; k++)
            assert_int_equal(stream_next(&in_turn), drawn[k][n]);
    for (uint32_t k = 0; k < SIZE / 2; k++) {
        for (uint32_t n = 0; n < DRAWS; n++)
            assert_int_equal(stream_next(&strip), drawn[k][n]);
        for (uint32_t row = 0; row < 8; row++)
            for (uint32_t n = row; n < DRAWS; n += 8)
                assert_int_equal(stream_next(&rows), drawn[k][n]);
        for (uint32_t n = 0; n < DRAWS; n += 32) {
            for (uint32_t lane = 0; lane < 32; lane++)
                assert_int_equal(stream_next(&lanes), lane_bits(k, n, 1, lane));
            assert_int_equal(stream_next(&lane_5), lane_bits(k, n, 1, 5));
        }
        for (uint32_t row = 0; row < 8; row++)
            for (uint32_t lane = 0; lane < 32; lane++)
                for (uint32_t n = row; n < DRAWS; n += 8 * 32)
                    assert_int_equal(stream_next(&spins), lane_bits(k, n, 8, lane));
    }
    stream_close(&strip);
    stream_close(&in_turn);
    stream_close(&rows);
    stream_close(&lanes);
    stream_close(&spins);
    stream_close(&lane_5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_lag_2_are_the_strips_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
