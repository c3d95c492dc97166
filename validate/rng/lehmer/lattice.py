"""The spectral test. Points (u_n, u_{n+i}, u_{n+j}, ...) of a Lehmer generator u -> a u mod m (as fractions of m) lie on
families of parallel hyperplanes. The distance of the hyperplanes is 1 / |h|, for the integer vectors h of the dual lattice:

    h_0 + h_1 a^i + h_2 a^j + ... = 0 mod m

The shortest h tells the coarsest structure. The figure S_t is its length over the largest that any
lattice of t dimensions and determinant m can have, sqrt(gamma_t) m^(1/t): near 1 is best. All is exact: lattices are
reduced in integers (Lenstra, Lenstra, Lovasz) and searched to the end (Fincke, Pohst)."""

from __future__ import annotations

from math import sqrt
from typing import Sequence

# Hermite's constants gamma_t, to the power t.
HERMITE = {1: 1, 2: 4 / 3, 3: 2, 4: 4, 5: 8, 6: 64 / 3, 7: 64, 8: 256}

Vector = list[int]


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """The inner product."""
    return sum(map(int.__mul__, a, b))


class Reduction:
    """A basis, reduced in place. d[i] is the squared volume of its first i vectors; lam[i][j] is d[j+1] mu_ij:
    integers (H. Cohen, A Course in Computational Algebraic Number Theory, Algorithm 2.6.7)."""

    def __init__(self, basis: list[Vector]) -> None:
        self.basis = basis
        self.d = [1] + [0] * len(basis)
        self.lam = [[0] * len(basis) for _ in basis]
        k = last = 0
        while k < len(basis):
            if k >= last:
                self.orthogonalise(k)
                last = k + 1
            if k == 0:
                k = 1
                continue
            self.subtract(k, k - 1)
            if self.should_swap(k):
                self.swap(k, last)
                k -= 1
            else:
                for j in range(k - 2, -1, -1):
                    self.subtract(k, j)
                k += 1

    def orthogonalise(self, k: int) -> None:
        """Takes vector k in."""
        d, lam = self.d, self.lam
        for j in range(k + 1):
            u = dot(self.basis[k], self.basis[j])
            for i in range(j):
                u = (d[i + 1] * u - lam[k][i] * lam[j][i]) // d[i]
            lam[k][j] = u
        d[k + 1] = lam[k][k]

    def subtract(self, k: int, j: int) -> None:
        """Vector j from vector k, as often as fits."""
        lam, d = self.lam, self.d[j + 1]
        q = (2 * lam[k][j] + d) // (2 * d)
        if q:
            self.basis[k] = [x - q * y for x, y in zip(self.basis[k], self.basis[j])]
            lam[k][j] -= q * d
            for i in range(j):
                lam[k][i] -= q * lam[j][i]

    def should_swap(self, k: int) -> bool:
        """Lovasz' condition, with 0.99."""
        d, mu = self.d, self.lam[k][k - 1]
        return 100 * (d[k + 1] * d[k - 1] + mu * mu) < 99 * d[k] * d[k]

    def swap(self, k: int, last: int) -> None:
        """Vectors k and k - 1 change places."""
        basis, d, lam = self.basis, self.d, self.lam
        basis[k], basis[k - 1] = basis[k - 1], basis[k]
        for j in range(k - 1):
            lam[k][j], lam[k - 1][j] = lam[k - 1][j], lam[k][j]
        mu = lam[k][k - 1]
        volume = (d[k - 1] * d[k + 1] + mu * mu) // d[k]
        for i in range(k + 1, last):
            t = lam[i][k]
            lam[i][k] = (d[k + 1] * lam[i][k - 1] - mu * t) // d[k]
            lam[i][k - 1] = (volume * t + mu * lam[i][k]) // d[k + 1]
        d[k] = volume


def shortest(basis: list[Vector]) -> Vector:
    """A shortest vector, not 0, of a lattice. Floating-point numbers choose what is looked at, with room for their
    errors; what is compared are integers."""
    reduced = Reduction(basis)
    n = len(basis)
    star = [reduced.d[i + 1] / reduced.d[i] for i in range(n)]
    mu = [[reduced.lam[i][j] / reduced.d[j + 1] for j in range(i)] for i in range(n)]
    best = min(basis, key=lambda v: dot(v, v))
    room = 1 + 1e-9

    def search(i: int, chosen: list[int], length: float) -> None:
        """Chooses the coefficients i, i - 1, ..., 0; those above are chosen."""
        nonlocal best
        if i < 0:
            vector = [dot(chosen, column) for column in zip(*basis)]
            if any(vector) and dot(vector, vector) < dot(best, best):
                best = vector
            return
        centre = -sum(chosen[j] * mu[j][i] for j in range(i + 1, n))
        radius = sqrt(max(0.0, dot(best, best) * room - length) / star[i])
        # Of h and -h one will do: the highest coefficient that is not 0 is positive.
        lowest = int(centre - radius) - 1 if any(chosen[i + 1 :]) else 0
        for x in range(lowest, int(centre + radius) + 2):
            more = length + (x - centre) ** 2 * star[i]
            if more <= dot(best, best) * room:
                chosen[i] = x
                search(i - 1, chosen, more)
        chosen[i] = 0

    search(n - 1, [0] * n, 0.0)
    return best


def dual_basis(a: int, m: int, indices: Sequence[int]) -> list[Vector]:
    """Of the dual lattice of the points (u_{n + i}), i in indices, the first of which is 0."""
    rows = [[m] + [0] * (len(indices) - 1)]
    for place, index in enumerate(indices[1:], 1):
        row = [0] * len(indices)
        row[0], row[place] = -pow(a, index, m) % m, 1
        rows.append(row)
    return rows


def largest_shortest(t: int, determinant: float) -> float:
    """The length that the shortest vector of no lattice of t dimensions and this determinant exceeds."""
    return (HERMITE[t] ** 0.5 * determinant) ** (1 / t)


def length(vector: Vector) -> float:
    """Of a vector."""
    return sqrt(dot(vector, vector))


def strided(lag: int, t: int) -> tuple[int, ...]:
    """t indices, a lag apart."""
    return tuple(range(0, lag * t, lag))
