"""How many bit planes K the mode `independent` decides a spin with (paising/engine/bernoulli.h)."""

from __future__ import annotations

import math


def mean_planes(dbeta: float, steps: int) -> float:
    """How many bit planes K the mode `independent` decides a spin with, on the average over the inverse
    temperatures dbeta, 2 dbeta, ..., steps dbeta: 32 replicas take a random word for each, which bounds
    their rate. A flip costs the energy 4, or else 8."""
    planes = 0
    for n in range(1, steps + 1):
        x = math.exp(-4 * dbeta * n)
        planes += planes_of((int(x * x * 2**32), int(x * 2**32)))
    return planes / steps


def planes_of(thresholds: tuple[int, ...]) -> int:
    """K of bernoulli_fill, against which test_bench.py holds it: the fewest planes that leave no more than
    half a point to throw on 256 lanes."""
    for planes in range(1, 32):
        decided = [t >> (32 - planes) << (32 - planes) for t in thresholds]
        density = max(-math.log1p(-(t - d) / (2**32 - d)) for t, d in zip(thresholds, decided))
        if density * 256 <= 0.5:
            return planes
    return 32
