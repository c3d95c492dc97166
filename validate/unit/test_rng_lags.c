/* The scan of lags finds bits that were copied from an earlier number, where they were; independent numbers pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/streams.h"
#include "validate/lib/statistics.h"
#include "validate/rng/lags.h"

enum { NUMBERS = 1 << 15 };

/* Independent numbers, of which each takes a bit of the number `lag` before with probability 1/4; lag 0: none does. */
static lag_finding finding_of(uint32_t lag, uint32_t bit, uint32_t invert) {
    static uint32_t numbers[NUMBERS];
    lag_finding worst;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        const stream_block b = stream_philox(stream_run_key(1, 0), n, 0, 0, 0);
        numbers[n] = b.number[0];
        if (lag && n >= lag && b.number[1] % 4 == 0) {
            const uint32_t before = (numbers[n - lag] >> bit & 1) ^ invert;
            numbers[n] = (numbers[n] & ~(UINT32_C(1) << bit)) | before << bit;
        }
    }
    assert_int_equal(lags_scan(numbers, NUMBERS, &worst), 0);
    return worst;
}

static void independent_numbers_pass(void **state) {
    (void)state;
    const double z = fabs(finding_of(0, 0, 0).z);
    assert_true(z > 3 && z < z_limit(32 * LAGS_MOST)); /* of so many, the largest is some 4.5 */
}

static void copied_bits_are_found(void **state) {
    (void)state;
    static const uint32_t lags[] = {1, 63, 64, 65, 1024, LAGS_MOST - 1, LAGS_MOST};
    for (size_t k = 0; k < sizeof lags / sizeof *lags; k++) {
        const uint32_t bit = (uint32_t)(k * 31 / 6), invert = k % 2;
        const lag_finding found = finding_of(lags[k], bit, invert);
        /* a quarter of sqrt(pairs) */
        assert_true(fabs(found.z) > 35 && fabs(found.z) < 50 && (found.z < 0) == (invert == 1));
        assert_int_equal(found.lag, lags[k]);
        assert_int_equal(found.bit, bit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_numbers_pass),
        cmocka_unit_test(copied_bits_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
