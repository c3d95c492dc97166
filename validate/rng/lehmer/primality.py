"""Primes, proven: by two theorems, one for a number N whose N + 1 is divisible by a large power of two, one for a
number whose N - 1 is divisible by a large prime. Each proof is a small number, its witness, that anybody can check."""

from __future__ import annotations

from math import gcd
from typing import Iterator

MOST_WITNESSES = 200


class NotProven(Exception):
    """A number that no proof makes a prime; the text says where it breaks."""


def lucas_v(p: int, k: int, n: int) -> int:
    """V_k mod n: V_0 = 2, V_1 = p, V_{j+1} = p V_j - V_{j-1}; that is x^k + x^-k for x + 1/x = p."""
    low, high = 2, p  # V_j and V_{j+1}
    for bit in bin(k)[2:]:
        if bit == "1":
            low, high = (low * high - p) % n, (high * high - 2) % n
        else:
            low, high = (low * low - 2) % n, (low * high - p) % n
    return low


def prove_by_n_plus_1(n: int) -> int:
    """Lucas, Lehmer, Riesel: let 2^k divide n + 1, (2^k - 1)^2 > n. If for a p with no common factor of p^2 - 4 and n
    V_{(n+1)/2} = -2 mod n, then n is prime. For let f be a prime factor of n, and x + 1/x = p in the field of f
    elements or in its quadratic extension. V says x^((n+1)/2) = -1, so 2^k divides the order of x; as x and 1/x are
    conjugates or both in the smaller field, that order divides f + 1 or f - 1. So every prime factor is at least
    2^k - 1, more than the square root. Returns p, or raises NotProven."""
    power = (n + 1) & -(n + 1)
    if (power - 1) ** 2 <= n:
        raise NotProven(f"{n}: the power of two in n + 1 is too small")
    for p in range(3, MOST_WITNESSES):
        v = lucas_v(p, (n + 1) // 2, n)
        if v == n - 2 and gcd(p * p - 4, n) == 1:
            return p
    raise NotProven(f"{n}: no p below {MOST_WITNESSES} proves it")


def prove_by_n_minus_1(n: int, q: int) -> int:
    """Pocklington: let a prime q > sqrt(n) - 1 divide n - 1; if a^(n-1) = 1 mod n and gcd(a^((n-1)/q) - 1, n) = 1,
    then n is prime. Returns a, or raises NotProven."""
    if (n - 1) % q or (q + 1) ** 2 <= n:
        raise NotProven(f"{n}: {q} is no large factor of n - 1")
    for a in range(2, 100):
        if pow(a, n - 1, n) != 1:
            raise NotProven(f"{n} is composite: {a}^(n-1) is not 1")
        if gcd(pow(a, (n - 1) // q, n) - 1, n) == 1:
            return a
    raise NotProven(f"{n}: no base proves it")


def primes_below(limit: int) -> Iterator[int]:
    """Those from 3 on."""
    sieve = bytearray([1]) * limit
    for n in range(3, limit, 2):
        if sieve[n]:
            yield n
            sieve[n * n :: 2 * n] = bytes(len(range(n * n, limit, 2 * n)))
