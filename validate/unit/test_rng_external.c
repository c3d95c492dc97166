/* The user's own generator behind validate/rng/external.h, here one whose numbers say whose they are: every thread of a stream
 * and of a lattice has a number, a seed and a state of its own, and who ends the program in it has failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "validate/rng/external.h"
#include "validate/rng/streams_under_test.h"
#include "validate/rng/tiles.h"

#define SEED 77

/* The last byte is the first that another thread's state would lie on. */
typedef struct {
    uint64_t seed, thread, drawn;
    char mark;
} own_state;

#define BYTES (offsetof(own_state, mark) + 1)

const size_t external_state_bytes = BYTES;

static int ends; /* in the next number */

void external_seed(void *state, uint64_t seed, uint64_t thread) {
    const own_state s = {seed, thread, 0, 'x'};
    assert_int_equal((uintptr_t)state % 8, 0);
    memcpy(state, &s, BYTES);
}

uint32_t external_next(void *state) {
    own_state s;
    memcpy(&s, state, BYTES);
    if (ends)
        exit(0);
    assert_int_equal(s.mark, 'x');
    assert_int_equal(s.seed, SEED);
    const uint32_t number = (uint32_t)(s.thread << 12 | s.drawn++);
    memcpy(state, &s, BYTES);
    return number;
}

static void streams(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t threads;
    } orders[] = {{"external", 1}, {"external-threads", 4096}};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        stream_under_test s;
        assert_int_equal(stream_open(&s, orders[k].name, SHAPE_UNDER_TEST, SEED), 0);
        for (uint32_t n = 0; n < 3; n++)
            for (uint32_t t = 0; t < orders[k].threads; t++)
                assert_int_equal(stream_next(&s), t << 12 | n);
        stream_close(&s);
    }
}

/* A step of `hits` sweeps takes 4 `hits` numbers of each thread: half sweeps of two tiles. */
static void lattices(void **state) {
    (void)state;
    enum { HITS = 3 };
    int64_t energy;
    uint32_t numbers[GENERATOR_BLOCK];
    tile_lattice l;
    assert_int_equal(tiles_create(&l, &(tile_setup){GENERATOR_EXTERNAL, 64, HITS, {0, 0}, SEED}),
                     0);
    tiles_advance(&l, 1, 1, &energy);
    assert_int_equal(l.blocks, 8);
    for (uint32_t b = 0; b < l.blocks; b++) {
        generators[GENERATOR_EXTERNAL].draw(l.states + b * l.words, l.threads, numbers);
        for (uint32_t t = 0; t < l.threads; t++)
            assert_int_equal(numbers[t], (b * l.threads + t) << 12 | 4 * HITS);
    }
    tiles_destroy(&l);
}

static void nobody_succeeds_by_its_exit(void **state) {
    (void)state;
    int status;
    const pid_t child = fork();
    if (child == 0) {
        uint32_t words[64], number;
        generators[GENERATOR_EXTERNAL].seed(words, 1, 0, 1, SEED);
        ends = 1;
        generators[GENERATOR_EXTERNAL].draw(words, 1, &number);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams),
        cmocka_unit_test(lattices),
        cmocka_unit_test(nobody_succeeds_by_its_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
