/* The random streams that the batteries test: named sequences of 32-bit numbers, each in an order in
 * which a simulation consumes the numbers of streams.h (one replica after the other, lane after lane,
 * sweep after sweep, ...), and generators of known faults as controls.
 *
 * A stream belongs to a seed. It walks through the seed's run 0 of the program, of a given shape,
 * then through its run 1, and so forth. */
#ifndef PAISING_STREAMS_UNDER_TEST_H
#define PAISING_STREAMS_UNDER_TEST_H

#include "engine/engine.h"
#include "engine/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The run that is walked through: L a multiple of 16, R of 64 and the sweeps of 16, so that no order
 * has leftovers. */
typedef struct {
    uint32_t size;         /* L */
    uint32_t replicas;     /* R */
    uint32_t sweeps;       /* theta */
    uint32_t temperatures; /* counted from 1 */
} stream_shape;

/* The batteries': near the program's default run. */
#define SHAPE_UNDER_TEST ((stream_shape){64, 16384, 128, 200})

/* The battery from which on a stream is known to fail. */
typedef enum {
    FAILS_NONE, /* must pass all */
    FAILS_SMALL_CRUSH,
    FAILS_CRUSH,
    FAILS_BIG_CRUSH
} stream_expectation;

typedef struct stream_under_test stream_under_test;

typedef struct {
    const char *name;
    const char *generator;
    const char *order; /* in words */
    stream_expectation expected;
    const void *definition;
    /* Prepares s, which has shape, seed and key. Returns 0, or -1 if there is not enough memory. */
    int (*open)(stream_under_test *s);
    /* Writes the next numbers to s->numbers and how many, at least one, to s->count. */
    void (*refill)(stream_under_test *s);
} stream_kind;

struct stream_under_test {
    const stream_kind *kind;
    bool reversed; /* the bits of each number, for tests that look at the leading ones only */
    stream_shape shape;
    uint64_t seed;
    uint32_t run;
    stream_key key; /* of the run */
    uint32_t *numbers;
    size_t count, next;
    void *walk; /* where it stands; of the kind's own making */
};

/* Kind n, or NULL from the number of kinds on. */
const stream_kind *stream_kind_at(size_t n);

/* Opens the stream of that name, "-reversed" appended for reversed bits. Returns 0, or -1 if there
 * is no such stream or (s->kind is not NULL) not enough memory. */
int stream_open(stream_under_test *s, const char *name, stream_shape shape, uint64_t seed);
void stream_close(stream_under_test *s);

/* Fills the buffer anew. */
void stream_refill(stream_under_test *s);

static inline uint32_t stream_next(stream_under_test *s) {
    if (s->next == s->count)
        stream_refill(s);
    return s->numbers[s->next++];
}

/* Goes on to the seed's next run: for the kinds. */
void stream_next_run(stream_under_test *s);

/* The kinds, by files; the last one's name is NULL. */
extern const stream_kind counted_streams[]; /* Philox at counters */
extern const stream_kind strip_streams[];   /* the MWC of the mode `independent` */
extern const stream_kind mwc2_streams[];    /* the MWC of lag 2 */
extern const stream_kind control_streams[];
extern const stream_kind table_streams[]; /* those of the published table; MTGP32 with nvcc only */

/* LCG64: L'Ecuyer's multiplier and an odd increment; its upper 32 bits are the number. */
#define LCG64_MULTIPLIER UINT64_C(2862933555777941757)
#define LCG64_INCREMENT  UINT64_C(1442695040888963407)

/* The decisions for which the strip's numbers are drawn: those at beta = 0.4, on a lattice of this size. */
flip_rule strip_rule(uint32_t size);

#endif
