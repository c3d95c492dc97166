"""How many bit planes K the mode `independent` decides a spin with (paising/engine/bernoulli.h)."""

from __future__ import annotations

import math


def mean_planes(dbeta: float, steps: int) -> float:
    """How many bit planes K the mode `independent` needs to decide a spin: the mean over the inverse temperatures dbeta,
    2 dbeta, ..., steps dbeta. Each plane takes a random word for 32 replicas, which bounds their rate. A flip costs the energy 4, or else 8."""
    return sum(planes_at(dbeta * n) for n in range(1, steps + 1)) / steps


def planes_at(beta: float) -> int:
    """K at an inverse temperature."""
    x = math.exp(-4 * beta)
    return planes_of((x * x, x))


def render_planes(dbeta: float, steps: int) -> str:
    """K at each inverse temperature, its mean so far, and the smallest and largest from there on."""
    planes = [planes_at(dbeta * n) for n in range(1, steps + 1)]
    text = "# beta K mean-so-far smallest-from-here largest-from-here\n"
    for n in range(1, steps + 1):
        rest = planes[n - 1:]
        text += f"{dbeta * n:.6g} {rest[0]} {sum(planes[:n]) / n:.4g} {min(rest)} {max(rest)}\n"
    return text


def planes_of(probabilities: tuple[float, ...]) -> int:
    """K of bernoulli_fill, against which test_bench.py holds it: what costs least, by planes and by the turns in
    which a strip throws a correction point, if 32 strips expect no more than 240 points."""
    near = [min(p, 1 - 2**-45) for p in probabilities]

    def cost(planes: int) -> float:
        decided = [math.floor(p * 2**planes) / 2**planes for p in near]
        points = 256 * max(-math.log1p(-(p - d) / (1 - d)) for p, d in zip(near, decided))
        return math.inf if 32 * points > 240 else planes + (0.7 * (points + 0.5) if points > 0 else 0)
    return min(range(46), key=cost)
