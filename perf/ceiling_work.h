/* The work of the ceilings, thread by thread: what the device runs, and what the host repeats for
 * some of the threads to see that it was done. Eight chains each, kept in registers, so that no
 * step waits for the one before it; every result enters the next, so that none can be left out. */
#ifndef PAISING_CEILING_WORK_H
#define PAISING_CEILING_WORK_H

#include "base/portable.h"
#include "engine/mwc.h"
#include "engine/streams.h"

#define CHAINS 8

/* A loop's own instructions are to cost little beside its work. */
#ifdef __CUDACC__
#define UNROLLED _Pragma("unroll 8")
#else
#define UNROLLED
#endif

/* The 32-bit word i of a memory, and where a chain begins. */
SHARED_FUNCTION uint32_t memory_word(uint64_t i) {
    const uint32_t x = (uint32_t)i * 2654435761u;
    return x ^ x >> 15;
}

/* And between exclusive or: one instruction, and nothing that the compiler could rearrange. */
SHARED_FUNCTION uint32_t logic_work(uint32_t thread, uint32_t rounds) {
    uint32_t a[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        a[i] = memory_word(thread * CHAINS + (uint32_t)i);
    UNROLLED
    for (uint32_t n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++)
            a[i] ^= a[(i + 1) % CHAINS] & a[(i + 3) % CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum += a[i];
    return sum;
}

/* The factor is an argument, so that the compiler does not know it. */
SHARED_FUNCTION uint32_t multiply_add_work(uint32_t thread, uint32_t rounds, uint32_t factor) {
    uint32_t a[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        a[i] = memory_word(thread * CHAINS + (uint32_t)i);
    UNROLLED
    for (uint32_t n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++)
            a[i] = a[i] * factor + a[(i + 1) % CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum += a[i];
    return sum;
}

/* a b + c, which the device does in one instruction if it is asked for it in halves. */
SHARED_FUNCTION uint64_t wide_mad(uint32_t a, uint32_t b, uint64_t c) {
#ifdef __CUDA_ARCH__
    uint32_t low, high;
    asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;"
        : "=&r"(low), "=r"(high)
        : "r"(a), "r"(b), "r"((uint32_t)c), "r"((uint32_t)(c >> 32)));
    return (uint64_t)high << 32 | low;
#else
    return (uint64_t)a * b + c;
#endif
}

/* The upper half times the factor, added to the whole. */
SHARED_FUNCTION uint32_t wide_work(uint32_t thread, uint32_t rounds, uint32_t factor) {
    uint64_t a[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        a[i] = (uint64_t)memory_word(thread * CHAINS + (uint32_t)i) << 32 | thread;
    UNROLLED
    for (uint32_t n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++)
            a[i] = wide_mad((uint32_t)(a[i] >> 32), factor, a[i]);
    for (int i = 0; i < CHAINS; i++)
        sum += a[i];
    return (uint32_t)(sum ^ sum >> 32);
}

SHARED_FUNCTION uint32_t mixed_work(uint32_t thread, uint32_t rounds, uint32_t factor) {
    uint32_t a[CHAINS], b[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        a[i] = b[i] = memory_word(thread * CHAINS + (uint32_t)i);
    UNROLLED
    for (uint32_t n = 0; n < rounds; n++)
        for (int i = 0; i < CHAINS; i++) {
            a[i] ^= a[(i + 1) % CHAINS] & a[(i + 3) % CHAINS];
            b[i] = b[i] * factor + b[(i + 1) % CHAINS];
        }
    for (int i = 0; i < CHAINS; i++)
        sum += a[i] ^ b[i];
    return sum;
}

STREAM_FUNCTION uint32_t philox_work(uint32_t thread, uint32_t rounds) {
    const stream_key key = {{1, 2}};
    uint32_t sum = 0;
    for (uint32_t n = 0; n < rounds; n++) {
        const stream_block b = stream_philox(key, n, thread, 0, 0);
        sum += b.number[0] ^ b.number[1] ^ b.number[2] ^ b.number[3];
    }
    return sum;
}

/* Two bit planes (cuda/msc/planes.cuh), one that adds class 0 and one that adds class 1; where their generator begins,
 * and which lanes are of class 1. */
#define CEILING_BRANCH (4 * 2 + 1)
SHARED_FUNCTION mwc_state planes_seed(uint32_t thread) {
    return mwc_seed(memory_word(thread), thread, thread, thread);
}
SHARED_FUNCTION uint32_t planes_parity(uint32_t thread, int row) {
    return memory_word(thread * CHAINS + (uint32_t)row);
}

#endif
