/* CRC-32 by multiplications of polynomials without carries: 64 bytes are folded onto the 64 behind them, whose remainder by the
 * polynomial of CRC-32 is the same then (V. Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction, Intel, 2009). zlib takes 20 times as many instructions. */
#include "checksum.h"

#include <zlib.h>

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define FOLDED 64 /* bytes at a time */

/* x^n modulo the polynomial for each n that a fold moves by, bits reversed and shifted by one (Sec. 4 there). */
#define BY_512_BITS _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define BY_128_BITS _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)
#define BY_64_BITS  _mm_set_epi64x(0, 0x163cd6124)
#define POLYNOMIAL  _mm_set_epi64x(0x1f7011641, 0x1db710641) /* and its reciprocal */

#define FOLDING __attribute__((target("pclmul,sse4.1")))

static FOLDING inline __m128i load(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Moves x by the distance of `power`, onto what stands there. */
static FOLDING inline __m128i fold(__m128i x, __m128i power, __m128i onto) {
    const __m128i low = _mm_clmulepi64_si128(x, power, 0x00),
                  high = _mm_clmulepi64_si128(x, power, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

/* The remainder of 128 bits. */
static FOLDING uint32_t reduce(__m128i x) {
    const __m128i halves = _mm_setr_epi32(-1, 0, -1, 0);
    x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, BY_128_BITS, 0x10));
    x = _mm_xor_si128(_mm_srli_si128(x, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(x, halves), BY_64_BITS, 0x00));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(x, halves), POLYNOMIAL, 0x10);
    quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, halves), POLYNOMIAL, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, quotient), 1);
}

/* A multiple of FOLDED bytes, and not none. */
static FOLDING uint32_t add_folded(uint32_t crc, const uint8_t *bytes, size_t size) {
    __m128i x[4];
    for (size_t n = 0; n < 4; n++)
        x[n] = load(bytes + 16 * n);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)~crc));
    for (const uint8_t *next = bytes + FOLDED; next < bytes + size; next += FOLDED)
        for (size_t n = 0; n < 4; n++)
            x[n] = fold(x[n], BY_512_BITS, load(next + 16 * n));
    for (size_t n = 1; n < 4; n++)
        x[n] = fold(x[n - 1], BY_128_BITS, x[n]);
    return ~reduce(x[3]);
}

/* As much as can be folded. Returns how many bytes that are. */
static size_t add_most(uint32_t *crc, const uint8_t *bytes, size_t size) {
    const size_t most = size / FOLDED * FOLDED;
    if (most == 0 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1"))
        return 0;
    *crc = add_folded(*crc, bytes, most);
    return most;
}
#else
static size_t add_most(uint32_t *crc, const uint8_t *bytes, size_t size) {
    (void)crc, (void)bytes, (void)size;
    return 0;
}
#endif

uint32_t checksum_add(uint32_t crc, const void *bytes, size_t size) {
    const uint8_t *const first = bytes;
    const size_t most = add_most(&crc, first, size);
    return most < size ? (uint32_t)crc32_z(crc, first + most, size - most) : crc;
}
