/* Claims about the means of chains over time (chain_means.h):
 *  - chains that mix agree, at any length over the autocorrelation time: of 200 sets of chains at most one does not;
 *  - where one chain of 64 is off by ten standard deviations of a value, all chains together are off by 9 of their errors, and are found
 *    not to agree; the error of the chains' mean series does not tell it (negative control);
 *  - a single chain, and chains without values, agree;
 *  - of a long series 256 values and more of a chain are taken, fewer than twice as many; of a short one all.
 *
 * Seeds are fixed. A set of chains that agree is found not to with a probability of 1e-4, so that two of 200 are with 2e-4. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/autocorrelation.h"
#include "estimate/chain_means.h"
#include "validate/lib/ar1.h"

enum { CHAINS = 64, LENGTH = 2000, SETS = 200 };
#define FACTOR 0.8 /* tau_int = 4.5 */

/* Sets c to the chains of set number `number`, of which the first is off by `off`. Returns the mean of all over time. */
static autocorrelation chains_of(chain_means *c, uint32_t number, double off) {
    static double x[CHAINS][LENGTH], all[LENGTH];
    for (uint32_t r = 0; r < CHAINS; r++)
        ar1_series(x[r], LENGTH, FACTOR, number * CHAINS + r);
    c->values = 0;
    for (size_t r = 0; r < CHAINS; r++)
        c->sum[r] = 0;
    for (uint32_t t = 0; t < LENGTH; t++) {
        const bool taken = chain_means_take(t + 1, LENGTH);
        all[t] = 0;
        for (size_t r = 0; r < CHAINS; r++) {
            const double value = x[r][t] + (r == 0 ? off : 0);
            all[t] += value / CHAINS;
            c->sum[r] += taken ? value : 0;
        }
        c->values += taken;
    }
    return autocorrelation_of(all, LENGTH);
}

static void test_chains(void **state) {
    (void)state;
    chain_means c;
    int strangers = 0;
    assert_int_equal(chain_means_create(&c, 1, CHAINS), 0);
    for (uint32_t n = 0; n < SETS; n++) {
        const autocorrelation a = chains_of(&c, n, 0);
        strangers += !chain_means_agree(&c, 0, 1, a.error_mean);
    }
    assert_in_range(strangers, 0, 1);
    for (uint32_t n = 0; n < 20; n++) {
        const autocorrelation same = chains_of(&c, n, 0), a = chains_of(&c, n, 10);
        assert_true(fabs(a.mean) > 6 * a.error_mean);
        assert_true(fabs(a.error_mean / same.error_mean - 1) < 1e-6);
        assert_false(chain_means_agree(&c, 0, 1, a.error_mean));
    }
    chain_means_destroy(&c);
}

static void test_few(void **state) {
    (void)state;
    chain_means c;
    assert_int_equal(chain_means_create(&c, 2, 2), 0);
    assert_true(chain_means_agree(&c, 1, 1, 0.1));
    c.values = 300;
    c.sum[2] = 3000;
    assert_true(chain_means_agree(&c, 0, 1, 0.1));
    assert_false(chain_means_agree(&c, 1, 1, 0.1));
    c.chains = 1;
    assert_true(chain_means_agree(&c, 1, 1, 0.1));
    chain_means_destroy(&c);
}

static void test_taken(void **state) {
    (void)state;
    for (uint32_t planned = 1; planned < 3000; planned += 37) {
        uint32_t taken = 0;
        for (uint32_t n = 1; n <= planned; n++)
            taken += chain_means_take(n, planned);
        if (planned < 2 * CHAIN_VALUES)
            assert_int_equal(taken, planned);
        else
            assert_in_range(taken, CHAIN_VALUES, 2 * CHAIN_VALUES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
