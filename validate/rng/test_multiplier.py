#!/usr/bin/env python3
"""Claims about the multiplier of paising/engine/mwc.h:
- m and (m - 1) / 2 are primes, with proofs;
- the cycles are as long as is said;
- the spectral figures are those by which it was chosen;
- the numbers of mwc.h, which are those of validate/unit/mwc_vectors.txt, are those of the Lehmer generator.

Claims about the tools: the proofs find every prime and no other number. The shortest vectors are those of an exhaustive
search and of the literature. Bad multipliers are found: m or (m - 1) / 2 is composite, or the figures are poor."""

from __future__ import annotations

import itertools
import sys
import unittest

sys.dont_write_bytecode = True

import multiplier  # noqa: E402
from lehmer import lattice, primality  # noqa: E402

VECTORS = multiplier.HEADER.parents[2] / "validate/unit/mwc_vectors.txt"
COMPOSITE_M = 0xEF31901F  # only (m - 1) / 2 is prime
COMPOSITE_HALF = 0xEF319017  # only m is
POOR = 0xF5A8BA13  # m and (m - 1) / 2 are primes; every eighth number, t = 4: 0.39
POOR_IN_WINDOWS = 0xEECA04AB  # 0.055


def is_prime(n: int) -> bool:
    """By trial."""
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))


def proven(prove, *numbers: int) -> bool:
    """Whether a proof is found."""
    try:
        prove(*numbers)
        return True
    except primality.NotProven:
        return False


class Multiplier(unittest.TestCase):
    """The one in use, and those that are not."""

    def test_the_one_in_use(self) -> None:
        a = multiplier.multiplier_in_use()
        self.assertEqual(multiplier.order(a), multiplier.modulus(a) // 2)
        self.assertTrue(multiplier.good(a))

    def test_bad_ones(self) -> None:
        self.assertTrue(proven(primality.prove_by_n_plus_1, multiplier.modulus(COMPOSITE_M) // 2))
        self.assertTrue(proven(primality.prove_by_n_plus_1, multiplier.modulus(COMPOSITE_HALF)))
        for a in (COMPOSITE_M, COMPOSITE_HALF):
            self.assertFalse(proven(multiplier.order, a), hex(a))
        for a in (POOR, POOR_IN_WINDOWS):
            self.assertTrue(proven(multiplier.order, a), hex(a))
            self.assertFalse(multiplier.good(a), hex(a))

    def test_no_figure_is_beyond_its_limit(self) -> None:
        """Q <= 1 whatever A is, and is S where the lattice has no sublattice that decides."""
        for a in (3, 0x10001, 0x80000001, 0xF5A8BA13, 0xFFFFFFFF):
            for indices in (*multiplier.STRIDED, *multiplier.IN_WINDOWS[::7]):
                s, q = multiplier.figures(a, indices)
                self.assertLessEqual(s, q, (a, indices))
                self.assertLessEqual(q, 1 + 1e-9, (a, indices))
        for indices in ((0, 9), (0, 8, 16), (0, 16, 32, 48)):
            s, q = multiplier.figures(0xEF319015, indices)
            self.assertEqual(s, q)

    def test_the_numbers_drawn(self) -> None:
        """Draws n - 1 and n from a state are those of z b^-n."""
        a, b = multiplier.multiplier_in_use(), multiplier.B
        m = multiplier.modulus(a)
        lines = [line.split() for line in VECTORS.read_text().splitlines() if not line.startswith("#")]
        self.assertGreater(len(lines), 10)
        for line in lines:
            x1, x2, c, last, before = (int(line[k], 16) for k in (0, 1, 2, 4, 5))
            z = (x2 + x1 * b + c * b * b) * pow(b, -int(line[3]), m) % m
            self.assertEqual((z % b, z // b % b), (before, last), line)


class Cycles(unittest.TestCase):
    """Small generators of the same kind, their bases even squares, followed round."""

    def test_two_cycles_and_complements(self) -> None:
        followed = 0
        for b, a in itertools.product((4, 16, 36, 64, 100), range(2, 64)):
            m = a * b * b - 1
            if a >= b or m > 100000 or not (is_prime(m) and is_prime(m // 2)):
                continue
            followed += 1
            state = start = (1, 0, 0)
            numbers, residues, complement = [], set(), (b - 2, b - 1, a - 1)
            while True:
                x1, x2, c = state
                z = x2 + x1 * b + c * b * b
                residues.add(z)
                state = ((a * x2 + c) % b, x1, (a * x2 + c) // b)
                numbers.append(state[0])
                y1, y2, d = complement
                complement = ((a * y2 + d) % b, y1, (a * y2 + d) // b)
                self.assertEqual(state[0] + complement[0], b - 1)
                self.assertEqual((state[1] + state[0] * b + state[2] * b * b) * b % m, z)
                if state == start:
                    break
            self.assertEqual(len(numbers), m // 2)
            squares = {z * z % m for z in range(1, m)}
            self.assertEqual(residues, squares if b in residues else set(range(1, m)) - squares)
        self.assertGreaterEqual(followed, 3)


class Primality(unittest.TestCase):
    """The proofs, by trial."""

    def test_n_plus_1(self) -> None:
        for k in range(2, 12):
            for h in range(1, 2**k, 2):
                n = h * 2**k - 1
                if (2**k - 1) ** 2 > n:
                    self.assertEqual(proven(primality.prove_by_n_plus_1, n), is_prime(n), n)

    def test_n_minus_1(self) -> None:
        for q in (7, 11, 101, 1009):
            for k in range(2, q, 2):
                n = k * q + 1
                if (q + 1) ** 2 > n:
                    self.assertEqual(proven(primality.prove_by_n_minus_1, n, q), is_prime(n), n)
        self.assertFalse(proven(primality.prove_by_n_minus_1, 101, 11))


class Lattices(unittest.TestCase):
    """The shortest vectors."""

    def test_by_trial(self) -> None:
        for m, t, most in ((101, 2, 12), (127, 3, 7), (509, 3, 11), (211, 4, 5)):
            small = [h for h in itertools.product(range(-most, most + 1), repeat=t) if any(h)]
            small.sort(key=lambda h: sum(x * x for x in h))
            for a in range(2, m, 5):
                length = next(
                    lattice.dot(h, h) for h in small if sum(x * a**k for k, x in enumerate(h)) % m == 0
                )
                found = lattice.shortest(lattice.dual_basis(a, m, range(t)))
                self.assertEqual(sum(x * pow(a, k, m) for k, x in enumerate(found)) % m, 0)
                self.assertEqual(lattice.dot(found, found), length, (a, m, t))

    def test_published(self) -> None:
        """Lehmer generators modulo 2^31 - 1, t = 2 to 6 (G. S. Fishman, L. R. Moore III, SIAM J. Sci. Stat. Comput. 7,
        24 (1986))."""
        m = 2**31 - 1
        for a, published in ((16807, (0.3375, 0.4412, 0.5752, 0.7361, 0.6454)),
                             (742938285, (0.8673, 0.8607, 0.8627, 0.8320, 0.8342))):
            for t, value in enumerate(published, 2):
                h = lattice.shortest(lattice.dual_basis(a, m, range(t)))
                self.assertAlmostEqual(lattice.length(h) / lattice.largest_shortest(t, m), value, delta=1.01e-4)


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=2).result
    wrong = {getattr(test, "test_case", test) for test, _ in done.failures + done.errors}
    print(f"{done.testsRun - len(wrong)} passed, {len(wrong)} failed, 0 skipped")
    sys.exit(0 if done.wasSuccessful() else 1)
