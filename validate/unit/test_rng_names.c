/* Random streams by their names (validate/rng/streams_under_test.h): each is found, and reversed when its name
 * says so; what is not a name is refused; and the control that no engine knows, XORWOW, is
 * Marsaglia's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "validate/rng/streams_under_test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const stream_shape shape = {16, 128, 16, 2};
static const uint64_t seed = 2017;

static stream_under_test open_stream(const char *name) {
    stream_under_test s;
    assert_int_equal(stream_open(&s, name, shape, seed), 0);
    return s;
}

/* Marsaglia's recurrence in his own words, from the five numbers that a state begins with. */
static void xorwow_is_marsaglias(void **state) {
    (void)state;
    const stream_key key = stream_run_key(seed, 0);
    const stream_block a = stream_philox(key, 0, 0, 0, 0), b = stream_philox(key, 1, 0, 0, 0),
                       c = stream_philox(key, 2, 0, 0, 0);
    uint32_t x = a.number[0], y = a.number[1], z = b.number[0], w = b.number[1], v = c.number[0],
             d = c.number[1], t;
    stream_under_test s = open_stream("xorwow");
    for (int n = 0; n < 10000; n++) {
        t = (x ^ (x >> 2)), x = y, y = z, z = w, w = v, v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        assert_int_equal(stream_next(&s), (d += 362437) + v);
    }
    stream_close(&s);
}

static void names_are_found_and_reversed(void **state) {
    (void)state;
    const stream_kind *kind;
    for (size_t n = 0; (kind = stream_kind_at(n)) != NULL; n++) {
        char reversed[100];
        snprintf(reversed, sizeof reversed, "%s-reversed", kind->name);
        stream_under_test a = open_stream(kind->name), b = open_stream(reversed);
        assert_ptr_equal(a.kind, kind);
        for (int k = 0; k < 10000; k++) {
            const uint32_t forward = stream_next(&a), backward = stream_next(&b);
            for (int bit = 0; bit < 32; bit++)
                assert_int_equal(forward >> bit & 1, backward >> (31 - bit) & 1);
        }
        stream_close(&a);
        stream_close(&b);
    }
    stream_under_test s;
    static const char *const unknown[] = {"", "mwc", "mwc-strips-", "-reversed",
                                          "mwc-lane-reversed-reversed"};
    for (size_t n = 0; n < COUNT(unknown); n++) {
        assert_int_equal(stream_open(&s, unknown[n], shape, seed), -1);
        assert_null(s.kind);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xorwow_is_marsaglias),
        cmocka_unit_test(names_are_found_and_reversed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
