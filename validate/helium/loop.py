"""Variational Monte Carlo of a few atoms of helium, independent of paising: real numbers in double precision, the generator of
Python's library, derivatives of ln psi as they are in the text. Energies in K an atom, lengths in A."""

from __future__ import annotations

import math
import random

from two import LAMBDA, potential

B, STEP = 3.07, 0.82
WARM_UP = 50  # macroupdates


def nearest(d: float, edge: float) -> float:
    """The distance to the nearest image along an axis."""
    return d - edge * round(d / edge)


def ln_psi(r: float, edge: float) -> float:
    """u_s(r) = u(r) + u(L - r) - 2 u(L/2) with u = -(b/r)^5 / 2."""
    return -0.5 * B**5 * (r**-5 + (edge - r) ** -5 - 2 * (edge / 2) ** -5)


class Walker:
    """Atoms in a periodic cube."""

    def __init__(self, atoms: int, edge: float, seed: int) -> None:
        self.edge, self.random = edge, random.Random(seed)
        n = math.ceil(atoms ** (1 / 3) - 1e-9)
        sites = [(i * edge / n, j * edge / n, k * edge / n) for i in range(n) for j in range(n) for k in range(n)]
        # Vacant sites lie apart from each other: a vacant slab would fill slowly.
        self.places = [list(sites[k * len(sites) // atoms]) for k in range(atoms)]

    def vectors(self, atom: int, place: list[float]) -> list[tuple[float, list[float]]]:
        """Distances of all other atoms that are nearer than L/2 to a place of this one, and from where to there."""
        found = []
        for other, there in enumerate(self.places):
            if other != atom:
                d = [nearest(a - b, self.edge) for a, b in zip(place, there)]
                r = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
                if r < self.edge / 2:
                    found.append((r, d))
        return found

    def move(self) -> int:
        """A proposed move; 1 if it is accepted."""
        atom = self.random.randrange(len(self.places))
        to = [x + self.random.gauss(0, STEP) for x in self.places[atom]]
        change = sum(ln_psi(r, self.edge) for r, _ in self.vectors(atom, to))
        change -= sum(ln_psi(r, self.edge) for r, _ in self.vectors(atom, self.places[atom]))
        if 2 * change <= math.log(1 - self.random.random()):
            return 0
        self.places[atom] = to
        return 1

    def energies(self) -> dict[str, float]:
        """The local energy: V, T, and both other estimates of T."""
        squares = laplacian = V = 0.0
        for atom, place in enumerate(self.places):
            gradient = [0.0, 0.0, 0.0]
            for r, d in self.vectors(atom, place):
                slope = 2.5 * B**5 * (r**-6 - (self.edge - r) ** -6)
                laplacian += -15 * B**5 * (r**-7 + (self.edge - r) ** -7) + 2 * slope / r
                V += potential(r) / 2
                for k in range(3):
                    gradient[k] += slope * d[k] / r
            squares += sum(g * g for g in gradient)
        n = len(self.places)
        T = -LAMBDA * (laplacian + squares) / n
        return {"E": T + V / n, "V": V / n, "T": T, "T1": LAMBDA * squares / n, "T2": -LAMBDA * laplacian / 2 / n}


def simulate(atoms: int, edge: float, blocks: int, analyses: int, seed: int) -> dict[str, tuple[float, float]]:
    """Means and errors by blocks, with a macroupdate between two analyses, after the warm-up."""
    walker = Walker(atoms, edge, seed)
    for _ in range(WARM_UP * atoms):
        walker.move()
    rows: dict[str, list[float]] = {}
    for _ in range(blocks):
        sums: dict[str, float] = {}
        for _ in range(analyses):
            accepted = sum(walker.move() for _ in range(atoms))
            for name, x in (walker.energies() | {"acceptance": accepted / atoms}).items():
                sums[name] = sums.get(name, 0) + x / analyses
        for name, x in sums.items():
            rows.setdefault(name, []).append(x)
    found = {}
    for name, values in rows.items():
        mean = sum(values) / blocks
        found[name] = (mean, math.sqrt(sum((x - mean) ** 2 for x in values) / blocks / (blocks - 1)))
    return found
