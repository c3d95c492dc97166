/* The list of all streams: found by name, opened, refilled, reversed. */
#include "streams_under_test.h"

#include <stdlib.h>
#include <string.h>

#define REVERSED "-reversed"

static const stream_kind *const files[] = {counted_streams, strip_streams, mwc2_streams,
                                           control_streams, table_streams};

const stream_kind *stream_kind_at(size_t n) {
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (const stream_kind *kind = files[f]; kind->name != NULL; kind++)
            if (n-- == 0)
                return kind;
    return NULL;
}

/* The kind whose name is the first `length` characters. */
static const stream_kind *find_kind(const char *name, size_t length) {
    const stream_kind *kind;
    for (size_t n = 0; (kind = stream_kind_at(n)) != NULL; n++)
        if (strlen(kind->name) == length && strncmp(kind->name, name, length) == 0)
            return kind;
    return NULL;
}

int stream_open(stream_under_test *s, const char *name, stream_shape shape, uint64_t seed) {
    const size_t length = strlen(name), suffix = strlen(REVERSED);
    const bool reversed = length > suffix && strcmp(name + length - suffix, REVERSED) == 0;
    *s = (stream_under_test){.kind = find_kind(name, reversed ? length - suffix : length),
                             .reversed = reversed,
                             .shape = shape,
                             .seed = seed,
                             .key = stream_run_key(seed, 0)};
    if (s->kind == NULL)
        return -1;
    if (s->kind->open(s) == 0)
        return 0;
    stream_close(s);
    return -1;
}

void stream_close(stream_under_test *s) {
    free(s->numbers);
    free(s->walk);
    s->numbers = NULL;
    s->walk = NULL;
}

void stream_next_run(stream_under_test *s) {
    s->key = stream_run_key(s->seed, ++s->run);
}

static inline uint32_t reverse_bits(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

void stream_refill(stream_under_test *s) {
    s->kind->refill(s);
    s->next = 0;
    if (s->reversed)
        for (size_t n = 0; n < s->count; n++)
            s->numbers[n] = reverse_bits(s->numbers[n]);
}
