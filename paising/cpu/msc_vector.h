/* Vectors of 32-bit machine words for the MSC kernels. The kernels are compiled once for each
 * instruction set (cpu.mk), and the program selects the widest that the processor has. Operators
 * are those of GNU C vectors; a few operations use intrinsics. */
#ifndef PAISING_CPU_MSC_VECTOR_H
#define PAISING_CPU_MSC_VECTOR_H

#include "base/portable.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_WORDS 16
#elif defined(__AVX2__)
#define VECTOR_WORDS 8
#else
#define VECTOR_WORDS 4
#endif

/* Names of kernels end with the name of the instruction set. */
#define MSC_PASTE2(a, b) a##_##b
#define MSC_PASTE(a, b)  MSC_PASTE2(a, b)
#define MSC_NAME(f)      MSC_PASTE(f, MSC_VARIANT)

typedef uint32_t vec32 __attribute__((vector_size(4 * VECTOR_WORDS), may_alias));
typedef uint64_t vec64 __attribute__((vector_size(4 * VECTOR_WORDS), may_alias));
typedef uint32_t vec32_unaligned
    __attribute__((vector_size(4 * VECTOR_WORDS), aligned(4), may_alias));

static inline vec32 vec_load(const uint32_t *p) {
    return *(const vec32_unaligned *)p;
}

static inline void vec_store(uint32_t *p, vec32 v) {
    *(vec32_unaligned *)p = v;
}

/* The products of the low halves of 64-bit lanes. */
static inline vec64 vec_multiply_low(vec64 a, vec64 b) {
#if defined(__AVX512F__)
    return (vec64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (vec64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (vec64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* Interleaves the low halves of 64-bit lanes. This is a shuffle; Clang names it differently, and
 * recognises the expression. */
static inline vec32 vec_interleave(vec64 even, vec64 odd) {
#if defined(__clang__)
    return (vec32)((even & UINT32_MAX) | odd << 32);
#else
    vec32 from;
    for (uint32_t n = 0; n < VECTOR_WORDS; n++)
        from[n] = n % 2 ? VECTOR_WORDS + n - 1 : n;
    return __builtin_shuffle((vec32)even, (vec32)odd, from);
#endif
}

/* 0, 1, 2, ... */
static inline vec32 vec_iota(void) {
    vec32 v;
    for (uint32_t n = 0; n < VECTOR_WORDS; n++)
        v[n] = n;
    return v;
}

/* Rotates each word left by `bits` < 32. */
static inline vec32 vec_rotate(vec32 v, uint32_t bits) {
    const vec32 left = bits - (vec32){0};
#if defined(__AVX512F__)
    return (vec32)_mm512_rolv_epi32((__m512i)v, (__m512i)left);
#else
    return v << left | v >> (-left & 31);
#endif
}

/* Bits of a where the mask is set, else bits of b. */
static inline vec32 vec_select(vec32 mask, vec32 a, vec32 b) {
#if defined(__AVX512F__)
    return (vec32)_mm512_ternarylogic_epi32((__m512i)mask, (__m512i)a, (__m512i)b, 0xca);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* The bitwise majority of three vectors: the carry of a full adder. */
static inline vec32 vec_majority(vec32 a, vec32 b, vec32 c) {
#if defined(__AVX512F__)
    return (vec32)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#else
    return (a & b) | (c & (a ^ b));
#endif
}

/* Stores the first `count` words of a vector, or all if count is larger. */
static inline void vec_store_first(uint32_t *p, vec32 v, uint32_t count) {
    vec_store(p,
              count < VECTOR_WORDS ? vec_select((vec32)(vec_iota() < count), v, vec_load(p)) : v);
}

/* Whether any bit is set. */
static inline int vec_any(vec32 v) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    uint32_t any = 0;
    for (uint32_t n = 0; n < VECTOR_WORDS; n++)
        any |= v[n];
    return any != 0;
#endif
}

#endif
