"""Two atoms of helium in a periodic cube, exactly: averages over |psi|^2 by one quadrature. Where the atoms are L/2 apart or more,
in the corners of the cube, psi = 1 and V = 0. Energies in K an atom, lengths in A."""

from __future__ import annotations

import math

LAMBDA = 24.25436707 / 4.002602  # hbar^2 / 2m


def potential(r: float) -> float:
    """HFD-B(HE), R. A. Aziz, F. R. W. McCourt, C. C. K. Wong, Mol. Phys. 61, 1487 (1987)."""
    x = r / 2.963
    damping = math.exp(-((1.4826 / x - 1) ** 2)) if x < 1.4826 else 1.0
    attraction = 1.36745214 / x**6 + 0.42123807 / x**8 + 0.17473318 / x**10
    return 10.948 * (1.8443101e5 * math.exp(-10.43329537 * x - 2.27965105 * x * x) - damping * attraction)


def two_atoms(edge: float, b: float = 3.07) -> dict[str, float]:
    """V, T1 = lambda <G^2> / N and T2 = -lambda <Lap> / 2N, which must agree; by Simpson's rule."""

    def u(r: float) -> float:
        return -0.5 * (b / r) ** 5

    steps, half, least = 20000, edge / 2, 0.3 * b
    sums = dict.fromkeys(("weight", "V", "T1", "T2"), 0.0)
    for n in range(steps + 1):
        r = least + (half - least) * n / steps
        weight = (1 if n in (0, steps) else 4 if n % 2 else 2) * (half - least) / steps / 3
        weight *= 4 * math.pi * r * r * math.exp(2 * (u(r) + u(edge - r) - 2 * u(half)))
        slope = 2.5 * b**5 * (r**-6 - (edge - r) ** -6)
        second = -15 * b**5 * (r**-7 + (edge - r) ** -7)
        sums["weight"] += weight
        sums["V"] += weight * potential(r) / 2
        sums["T1"] += weight * LAMBDA * slope * slope
        sums["T2"] -= weight * LAMBDA / 2 * (second + 2 * slope / r)
    total = sums.pop("weight") + edge**3 - 4 * math.pi / 3 * half**3
    return {name: value / total for name, value in sums.items()}
