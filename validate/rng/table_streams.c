/* The generators of Table 2 in the orders of a block of GPU threads: the numbers of one sequence, and number n of all
 * threads, then number n + 1. */
#include "generators.h"
#include "streams_under_test.h"

#include <stdlib.h>

/* A generator, the threads of a block and the blocks that take turns. Threads that make the numbers of a state together
 * make one sequence: of them 32 are a block. */
typedef struct {
    generator_id generator;
    uint32_t threads, blocks;
    bool first_only; /* the numbers of thread 0 alone */
} table_order;

static const table_order mwc_one = {GENERATOR_MWC, 1, 1, false},
                         mwc_threads = {GENERATOR_MWC, 128, 4, false},
                         fibonacci_521 = {GENERATOR_FIBONACCI_521, 128, 1, false},
                         fibonacci_521_threads = {GENERATOR_FIBONACCI_521, 128, 32, false},
                         fibonacci_1279 = {GENERATOR_FIBONACCI_1279, 128, 1, false},
                         fibonacci_1279_threads = {GENERATOR_FIBONACCI_1279, 128, 32, false},
                         xorwow_threads = {GENERATOR_XORWOW, 128, 32, false},
                         xorshift_warp = {GENERATOR_XORSHIFT_WEYL, 32, 1, false},
                         xorshift_lane = {GENERATOR_XORSHIFT_WEYL, 32, 1, true},
                         xorshift_threads = {GENERATOR_XORSHIFT_WEYL, 128, 32, false},
                         mrg_one = {GENERATOR_MRG32K3A, 1, 1, false},
                         mrg_threads = {GENERATOR_MRG32K3A, 128, 32, false},
                         external_one = {GENERATOR_EXTERNAL, 1, 1, false},
                         external_threads = {GENERATOR_EXTERNAL, 128, 32, false};
#ifdef PAISING_CUDA
static const table_order mtgp = {GENERATOR_MTGP32, 128, 1, false},
                         mtgp_threads = {GENERATOR_MTGP32, 128, 32, false};
#endif

static const table_order *order_of(const stream_under_test *s) {
    return s->kind->definition;
}

static size_t words_of(const table_order *o) {
    const size_t words = generator_words(&generators[o->generator], o->threads);
    return words + words % 2; /* states stay aligned to 8 bytes */
}

static int table_open(stream_under_test *s) {
    const table_order *const o = order_of(s);
    uint32_t *const states = s->walk = malloc(o->blocks * words_of(o) * sizeof *states);
    s->numbers = malloc((size_t)o->threads * o->blocks * sizeof *s->numbers);
    s->count = 0;
    if (!states || !s->numbers)
        return -1;
    for (uint32_t b = 0; b < o->blocks; b++)
        generators[o->generator].seed(states + b * words_of(o), o->threads, b, o->blocks, s->seed);
    return 0;
}

static void refill_table(stream_under_test *s) {
    const table_order *const o = order_of(s);
    uint32_t *const states = s->walk;
    for (uint32_t b = 0; b < o->blocks; b++)
        generators[o->generator].draw(states + b * words_of(o), o->threads,
                                      s->numbers + (size_t)b * o->threads);
    s->count = o->first_only ? 1 : (size_t)o->threads * o->blocks;
}

#define TABLE(name, generator, order, definition, expected)                                        \
    { name, generator, "table: " order, expected, &(definition), table_open, refill_table }

const stream_kind table_streams[] = {
    TABLE("mwc1", "MWC", "one sequence", mwc_one, FAILS_CRUSH),
    TABLE("mwc1-threads", "MWC",
          "number n of 512 threads with multipliers of their own, then n + 1", mwc_threads,
          FAILS_NONE),
    TABLE("fibonacci-521", "Fibonacci, r = 521", "one sequence", fibonacci_521, FAILS_CRUSH),
    TABLE("fibonacci-521-threads", "Fibonacci, r = 521", "number n of 4096 threads, then n + 1",
          fibonacci_521_threads, FAILS_BIG_CRUSH),
    TABLE("fibonacci-1279", "Fibonacci, r = 1279", "one sequence", fibonacci_1279, FAILS_BIG_CRUSH),
    TABLE("fibonacci-1279-threads", "Fibonacci, r = 1279", "number n of 4096 threads, then n + 1",
          fibonacci_1279_threads, FAILS_BIG_CRUSH),
    TABLE("xorwow-threads", "XORWOW", "number n of 4096 threads, then n + 1", xorwow_threads,
          FAILS_BIG_CRUSH),
#ifdef PAISING_CUDA
    TABLE("mtgp32", "MTGP32", "one sequence", mtgp, FAILS_CRUSH),
    TABLE("mtgp32-threads", "MTGP32", "number n of 4096 threads, then n + 1", mtgp_threads,
          FAILS_BIG_CRUSH),
#endif
    TABLE("xorshift-weyl", "XORShift/Weyl", "number n of a warp's 32 threads, then n + 1",
          xorshift_warp, FAILS_NONE),
    TABLE("xorshift-weyl-thread", "XORShift/Weyl", "one thread", xorshift_lane, FAILS_NONE),
    TABLE("xorshift-weyl-threads", "XORShift/Weyl", "number n of 4096 threads, then n + 1",
          xorshift_threads, FAILS_NONE),
    TABLE("mrg32k3a", "MRG32k3a", "one sequence", mrg_one, FAILS_NONE),
    TABLE("mrg32k3a-threads", "MRG32k3a", "number n of 4096 threads, then n + 1", mrg_threads,
          FAILS_NONE),
    TABLE("external", "the user's own", "one thread", external_one, FAILS_NONE),
    TABLE("external-threads", "the user's own", "number n of 4096 threads, then n + 1",
          external_threads, FAILS_NONE),
    {.name = NULL}};
