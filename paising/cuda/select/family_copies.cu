/* Copies of families. A family number of 40 bits is stored as a lower array of 32 bits and an upper
 * one of 8 bits, which pass through a small host buffer. */
#include "cuda/select/family_copies.h"

#include <string.h>

#define PIECE 32768

/* Queues a copy. */
static void copy_to(cuda_population *p, void *to, const void *from, uint64_t bytes,
                    cudaMemcpyKind kind) {
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(to, from, bytes, kind, p->stream));
}

void cuda_families_copy(cuda_population *p, family_list to, family_list from, uint64_t count) {
    if (count == 0)
        return;
    copy_to(p, to.low, from.low, count * sizeof *to.low, cudaMemcpyDefault);
    if (to.high && from.high)
        copy_to(p, to.high, from.high, count * sizeof *to.high, cudaMemcpyDefault);
}

void cuda_parents_copy(cuda_population *p, parent_list to, parent_list from, uint64_t count) {
    if (count > 0)
        copy_to(p, to.place, from.place, count * sizeof *to.place, cudaMemcpyDefault);
    cuda_families_copy(p, to.family, from.family, count);
}

/* Waits for the stream. Returns whether no call has failed. */
static bool wait_for_stream(cuda_population *p) {
    return !p->failed && CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

/* The 32-bit numbers first fill the upper half of the output array, and are widened from there. */
static void read_low(cuda_population *p, const uint32_t *from, uint64_t count, uint64_t *families) {
    uint8_t *const there = (uint8_t *)families + count * sizeof *from;
    copy_to(p, there, from, count * sizeof *from, cudaMemcpyDeviceToHost);
    if (!wait_for_stream(p))
        return;
    for (uint64_t n = 0; n < count; n++) {
        uint32_t low;
        memcpy(&low, there + n * sizeof low, sizeof low);
        families[n] = low;
    }
}

static void add_high(cuda_population *p, const uint8_t *from, uint64_t count, uint64_t *families) {
    uint8_t high[PIECE];
    for (uint64_t first = 0, now; first < count; first += now) {
        now = count - first < PIECE ? count - first : PIECE;
        copy_to(p, high, from + first, now, cudaMemcpyDeviceToHost);
        if (!wait_for_stream(p))
            return;
        for (uint64_t n = 0; n < now; n++)
            families[first + n] |= (uint64_t)high[n] << 32;
    }
}

void cuda_families_read(cuda_population *p, family_list from, uint64_t count, uint64_t *families) {
    read_low(p, from.low, count, families);
    if (from.high)
        add_high(p, from.high, count, families);
}

void cuda_families_write(cuda_population *p, family_list to, uint64_t count,
                         const uint64_t *families) {
    uint32_t low[PIECE];
    uint8_t high[PIECE];
    const family_list room = {low, to.high ? high : NULL};
    for (uint64_t first = 0, now; first < count; first += now) {
        now = count - first < PIECE ? count - first : PIECE;
        for (uint64_t n = 0; n < now; n++)
            family_put(room, n, families[first + n]);
        copy_to(p, to.low + first, low, now * sizeof *low, cudaMemcpyHostToDevice);
        if (to.high)
            copy_to(p, to.high + first, high, now, cudaMemcpyHostToDevice);
        wait_for_stream(p);
    }
}
