#!/usr/bin/env python3
"""The multiplier A of the multiply-with-carry generator of paising/engine/mwc.h: what it is held to.

    multiplier.py show [A]                 order, proofs and figures of an A (default: that of mwc.h)
    multiplier.py search [FIRST [COUNT]]   the best of FIRST <= A < FIRST + COUNT; minutes

x_n = lo(A x_{n-2} + c), c = hi(A x_{n-2} + c), base b = 2^32. The state is z = x_{n-2} + x_{n-1} b + c b^2. The next
state z' obeys b z' = z + x_{n-2} m with m = A b^2 - 1. So z' = z / b mod m, which is a Lehmer generator. Its number
x_{n-2} = z mod b is floor(b z' / m), the leading 32 bits of u = z' / m. All z from 1 to m - 1 are states, each once.

b = (2^16)^2 is a square, so its order mod m divides (m - 1) / 2. If (m - 1) / 2 is a prime, it is the order. Then there
are two cycles of (m - 1) / 2 states: the squares, and their negatives m - z. (-1 is no square, as m = 3 mod 4.) The
numbers of the second cycle are the bitwise complements of those of the first.

The spectral test (lehmer/lattice.py) is that of u at the indices that a simulation uses together: successive ones,
and every 8th and 16th number of a strip. Some figures no A can make good (R. Couture, P. L'Ecuyer, Math. Comput. 66,
591 (1997)). With A b^2 = 1 mod m, b^-j is congruent to the small c_j = A^i b^(2i-j), times a common power of b. So the
dual lattice has the sublattice sum_j h_j c_j = 0, of one dimension less and with the determinant |c| / gcd(c). For the
indices 0, 1, 3 it is h_0 b + h_1 + h_3 A = 0, with an h of some 2^16. So beside S = |h| / (largest that a lattice of
determinant m can have) there is Q = |h| / (largest that these sublattices, too, allow), from 0 to 1 for any indices.

A is odd and has 12 to 20 bits set. Q is at least LEAST_STRIDED in all dimensions of the three lags. It is at least
LEAST_IN_WINDOWS for every choice of two, three or four indices in windows. Of such A the one with the greatest Q of the
lags is taken."""

from __future__ import annotations

import itertools
import re
import sys
from functools import cache
from math import gcd, hypot, log2
from pathlib import Path
from typing import Iterator, Sequence

sys.dont_write_bytecode = True

from lehmer.lattice import dual_basis, largest_shortest, length, shortest, strided  # noqa: E402
from lehmer.primality import NotProven, primes_below, prove_by_n_minus_1, prove_by_n_plus_1  # noqa: E402

HEADER = Path(__file__).resolve().parents[2] / "paising/engine/mwc.h"
B = 2**32
LAGS = (1, 8, 16)
DIMENSIONS = range(2, 9)
STRIDED = tuple(strided(lag, t) for t in DIMENSIONS for lag in LAGS)
# Every choice of two indices that are at most 64 apart, of three at most 24, of four at most 10.
WINDOWS = {2: 64, 3: 24, 4: 10}
IN_WINDOWS = tuple((0, *rest) for t, window in WINDOWS.items()
                   for rest in itertools.combinations(range(1, window + 1), t - 1))
LEAST_STRIDED, LEAST_IN_WINDOWS = 0.6, 0.1
FIRST, COUNT = 0xE0000000, 0x10000000
BITS_SET = range(12, 21)  # of A


def modulus(a: int) -> int:
    """m of a multiplier."""
    return a * B * B - 1


@cache
def relations(indices: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Sets of exponents (of A, of b) whose monomials are congruent to b^(shift - j) for some of the indices j: those of
    degree 3 at most, as beyond m they limit nothing."""
    found = []
    for shift in range(indices[-1] + 1):
        exponents = []
        for j in indices:
            of_a = max(0, (j - shift + 1) // 2)
            exponents.append((of_a, 2 * of_a - j + shift))
        small = sorted((e for e in exponents if sum(e) <= 3), key=lambda e: (sum(e), e))
        found += [tuple(small[:n]) for n in range(2, len(small) + 1)]
    return tuple(found)


def attainable(a: int, indices: Sequence[int]) -> float:
    """The length that the shortest vector of no A of this size exceeds."""
    best = largest_shortest(len(indices), modulus(a))
    for exponents in relations(indices):
        c = [a**of_a * B**of_b for of_a, of_b in exponents]
        divisor = gcd(*c)
        best = min(best, largest_shortest(len(c) - 1, hypot(*(x // divisor for x in c))))
    return best


def figures(a: int, indices: Sequence[int]) -> tuple[float, float]:
    """S and Q."""
    m = modulus(a)
    h = length(shortest(dual_basis(a * B % m, m, indices)))
    return h / largest_shortest(len(indices), m), h / attainable(a, indices)


def least(a: int, sets: Sequence[Sequence[int]], enough: float = 0.0) -> tuple[float, Sequence[int]]:
    """The least Q of the sets, and whose it is; the first that is below `enough` will do."""
    worst = (2.0, ())
    for indices in sets:
        worst = min(worst, (figures(a, indices)[1], indices))
        if worst[0] < enough:
            break
    return worst


def candidates(first: int, count: int) -> Iterator[int]:
    """The A for which m and (m - 1) / 2 pass Fermat's test."""
    block = 2**22
    primes = list(primes_below(2**16))
    for start in range(first, first + count, block):
        size = min(block, first + count - start)
        sieve = bytearray([1]) * size
        for p in primes:
            half = (p + 1) // 2
            for power in (64, 63):  # A = 2^-power mod p
                hit = (pow(half, power, p) - start) % p
                sieve[hit::p] = bytes(len(range(hit, size, p)))
        at = sieve.find(1)
        while at >= 0:
            m = modulus(start + at)
            if pow(2, m // 2 - 1, m // 2) == 1 and pow(2, m - 1, m) == 1:
                yield start + at
            at = sieve.find(1, at + 1)


def good(a: int) -> bool:
    """Whether an A, proofs aside, is one that the search would take."""
    return (
        a % 2 == 1
        and bin(a).count("1") in BITS_SET
        and least(a, STRIDED, LEAST_STRIDED)[0] >= LEAST_STRIDED
        and least(a, IN_WINDOWS, LEAST_IN_WINDOWS)[0] >= LEAST_IN_WINDOWS
    )


def order(a: int) -> int:
    """Of b mod m, proven. Raises NotProven if m or (m - 1) / 2 is composite."""
    m = modulus(a)
    q = m // 2
    prove_by_n_plus_1(q)
    prove_by_n_minus_1(m, q)
    assert pow(B, q, m) == 1 != B % m  # a divisor of q, and not 1
    return q


def multiplier_in_use() -> int:
    """That of mwc.h."""
    found = re.search(r"MULTIPLIER\s+0x([0-9a-f]+)u", HEADER.read_text())
    if found is None:
        raise ValueError(f"{HEADER} has no multiplier")
    return int(found[1], 16)


def show(a: int) -> None:
    """Prints what is known of an A."""
    m = modulus(a)
    q = order(a)
    print(f"A = {a:#x} = {a}, {bin(a).count('1')} bits set; m = A 2^64 - 1 = {m}")
    print(f"q = (m - 1) / 2 = {q} is prime: V_((q+1)/2)(P) = -2 mod q, P = {prove_by_n_plus_1(q)}")
    print(f"m is prime: a^(m-1) = 1 mod m and gcd(a^2 - 1, m) = 1, a = {prove_by_n_minus_1(m, q)}")
    print(f"order of 2^32 mod m: (m - 1) / 2 = 2^{log2(q):.2f}; two cycles")
    print("lag  " + "".join(f"{f't = {t}':>18}" for t in DIMENSIONS) + "     (S, Q)")
    for lag in LAGS:
        pairs = [figures(a, strided(lag, t)) for t in DIMENSIONS]
        print(f"{lag:<5}" + "".join(f"{f'{s:.3g}, {q:.3f}':>18}" for s, q in pairs))
    for name, sets in (("lags and dimensions above", STRIDED), ("windows", IN_WINDOWS)):
        q_least, indices = least(a, sets)
        print(f"least Q of {len(sets)} sets, {name}: {q_least:.4f}, indices {', '.join(map(str, indices))}")


def search(first: int, count: int) -> None:
    """Prints those that have the figures of the lags, and the best of those that have those of the windows, too."""
    best, seen, looked_at = (0.0, 0), 0, 0
    print("# A, least Q of the lags, of the windows")
    for a in candidates(first, count):
        seen += 1
        if a % 2 == 0 or bin(a).count("1") not in BITS_SET:
            continue
        looked_at += 1
        strided_q = least(a, STRIDED, LEAST_STRIDED)[0]
        if strided_q >= LEAST_STRIDED:
            window_q = least(a, IN_WINDOWS)[0]
            print(f"{a:#x} {strided_q:.4f} {window_q:.4f}", flush=True)
            if window_q >= LEAST_IN_WINDOWS:
                best = max(best, (strided_q, a))
    print(f"# {seen} A with m and (m - 1) / 2 prime by Fermat's test,")
    print(f"# {looked_at} of them odd and with {BITS_SET[0]} to {BITS_SET[-1]} bits set")
    print(f"# best: {best[1]:#x}" if best[1] else "# none is good")


def main(words: list[str]) -> int:
    """Does what the command line says. Returns the exit status."""
    command, *numbers = words or ["--help"]
    try:
        values = [int(n, 0) for n in numbers]
        if command == "show" and len(values) <= 1:
            show(*(values or [multiplier_in_use()]))
        elif command == "search" and len(values) <= 2:
            search(*(values + [FIRST, COUNT][len(values) :]))
        elif command in ("-h", "--help"):
            print(f"usage: multiplier.py COMMAND ...\n\n{__doc__}")
        else:
            raise ValueError
    except NotProven as why:
        print(f"multiplier.py: {why}", file=sys.stderr)
        return 1
    except ValueError:
        allowed = "show [A], search [FIRST [COUNT]] or --help"
        print(f"multiplier.py: {' '.join(words)!r}: allowed: {allowed}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
