/* Arithmetic modulo primes of 62 bits, without divisions (P. L. Montgomery, 1985): x is represented
 * by x 2^64 mod p. A count known modulo enough primes is known exactly (square_states.c). */
#ifndef PAISING_MODULAR_H
#define PAISING_MODULAR_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

typedef struct {
    uint64_t p;
    uint64_t negative_inverse; /* -1 / p modulo 2^64 */
    uint64_t one;              /* 2^64 mod p, which represents 1 */
    uint64_t square; /* 2^128 mod p, the factor that converts a number to its representation */
} modulus;

/* x / 2^64 mod p, x < 2^64 p. */
static inline uint64_t modular_reduce(const modulus *m, uint128 x) {
    const uint64_t q = (uint64_t)x * m->negative_inverse;
    const uint64_t r = (uint64_t)((x + (uint128)q * m->p) >> 64);
    return r >= m->p ? r - m->p : r;
}

static inline uint64_t modular_multiply(const modulus *m, uint64_t a, uint64_t b) {
    return modular_reduce(m, (uint128)a * b);
}

static inline uint64_t modular_add(const modulus *m, uint64_t a, uint64_t b) {
    const uint64_t sum = a + b;
    return sum >= m->p ? sum - m->p : sum;
}

static inline uint64_t modular_negate(const modulus *m, uint64_t a) {
    return a == 0 ? 0 : m->p - a;
}

static inline uint64_t modular_subtract(const modulus *m, uint64_t a, uint64_t b) {
    return a >= b ? a - b : a + m->p - b;
}

/* The representation of a number below p; and the number of a representation. */
static inline uint64_t modular_from(const modulus *m, uint64_t number) {
    return modular_multiply(m, number, m->square);
}

static inline uint64_t modular_number(const modulus *m, uint64_t a) {
    return modular_reduce(m, a);
}

static inline uint64_t modular_power(const modulus *m, uint64_t a, uint64_t exponent) {
    uint64_t power = m->one;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            power = modular_multiply(m, power, a);
        a = modular_multiply(m, a, a);
    }
    return power;
}

/* 1 / a, a != 0: a^(p - 2). */
static inline uint64_t modular_inverse(const modulus *m, uint64_t a) {
    return modular_power(m, a, m->p - 2);
}

/* The modulus for an odd number from 3 to 2^62 - 1. */
static inline modulus modulus_of(uint64_t p) {
    modulus m = {.p = p, .one = (uint64_t)((((uint128)1) << 64) % p)};
    uint64_t inverse = p; /* correct in the lowest 3 bits; each step doubles their number */
    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - p * inverse;
    m.negative_inverse = -inverse;
    m.square = (uint64_t)((uint128)m.one * m.one % p);
    return m;
}

/* The largest prime below n, n <= 2^62, that is 1 modulo `order`, an even number. Miller's test
 * uses the first twelve primes, which no composite number below 3e24 passes (Sorenson and Webster,
 * 2015). */
static inline modulus modulus_below(uint64_t n, uint64_t order) {
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (uint64_t p = (n - 2) / order * order + 1;; p -= order) {
        const modulus m = modulus_of(p);
        const int twos = __builtin_ctzll(p - 1);
        bool prime = true;
        for (int k = 0; k < 12 && prime; k++) {
            uint64_t x = modular_power(&m, modular_from(&m, bases[k]), (p - 1) >> twos);
            prime = x == m.one;
            for (int i = 0; i < twos && !prime; i++, x = modular_multiply(&m, x, x))
                prime = x == p - m.one;
        }
        if (prime)
            return m;
    }
}

#endif
