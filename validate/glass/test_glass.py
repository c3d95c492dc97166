#!/usr/bin/env python3
"""The analysis of `make glass`: crossings that are planted are found where they are, with the error that they have by
arithmetic; curves that do not cross have none; settings that are not allowed are refused.

    test_glass.py

The samples are drawn with a fixed seed; a planted crossing is off by more than 5 of its errors with a probability of
6e-7. One line a case: ok or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import glass
from cases import refusals, report

T_C, VALUE = 1.1, 1.5
NOISE, SAMPLES = 0.1, 400
LIMIT = 5


def slope(edge: int) -> float:
    return 0.1 * edge


def planted(edge: int, step: float, t_c: float, seed: int) -> glass.Measured:
    """A size with U4 = VALUE + slope (T - t_c), and q2 = 1, of samples whose q4 are multiplied by noise."""
    draw = random.Random(seed)
    beta = [0.5 + n * step for n in range(round(0.7 / step) + 1)]
    samples = []
    for _ in range(SAMPLES):
        factor = 1 + draw.gauss(0, NOISE)
        q4 = [factor * (VALUE + slope(edge) * (1 / b - t_c)) for b in beta]
        samples.append(glass.Moments(1, [1.0] * len(beta), q4, [1 / (1 + b) for b in beta]))
    everything = glass.add(samples)
    without = [everything - glass.add(samples[n :: glass.BLOCKS]) for n in range(glass.BLOCKS)]
    return glass.Measured(edge, beta, everything, without)


def crossings_are_found() -> list[str]:
    """At T_C with the error that noise of either size gives it, and not elsewhere."""
    wrong = []
    error = VALUE * NOISE * math.sqrt(2 / SAMPLES) / (slope(8) - slope(4))
    for seed in range(10):
        small = planted(4, 0.05, T_C, 2 * seed)
        found = glass.cross_with_errors("U4", small, planted(8, 0.02, T_C, 2 * seed + 1))
        if found is None:
            wrong.append(f"seed {seed}: none")
            continue
        (t, value), (t_error, value_error) = found
        if abs(t - T_C) > LIMIT * error or abs(value - VALUE) > LIMIT * value_error:
            wrong.append(f"seed {seed}: at T = {t}, {value}")
        if not 0.6 < t_error / error < 1.6:
            wrong.append(f"seed {seed}: error {t_error}, not {error}")
    # Control: one size is planted elsewhere, and the crossing moves by (6 errors) times 8 / (8 - 4).
    shift = 6 * error
    off = [
        glass.cross_with_errors("U4", planted(4, 0.05, T_C, seed), planted(8, 0.02, T_C + 2 * shift, seed + 1))
        for seed in (0, 2, 4)
    ]
    if not all(found and abs(found[0][0] - T_C) > LIMIT * error for found in off):
        wrong.append("control: a crossing planted elsewhere is not seen to be elsewhere")
    return wrong


def no_crossing_is_none() -> list[str]:
    """Curves of which one is above the other; and of several places the one that speaks for itself."""
    wrong = []
    apart = glass.cross_with_errors("U4", planted(4, 0.05, T_C, 0), planted(8, 0.02, T_C - 9, 1))
    if apart is not None:
        wrong.append(f"curves that do not cross: {apart}")
    xs = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    for d, expected in (
        ([3, 2, 1, -1, -2, -3], 2.5),
        ([-0.1, 0.1, 1, 2, -2, -3], 3.5),
        ([-3, -2, -1, 1, -0.1, 2], 2.5),
        ([1, 2, 3, 4, 5, 6], None),
    ):
        if glass.crossing(xs, d) != expected:
            wrong.append(f"{d}: {glass.crossing(xs, d)}, not {expected}")
    return wrong


def numbers_are_right() -> list[str]:
    """xi/L by hand, interpolation, and errors as they are printed."""
    one = glass.Moments(2, [0.5], [1.0], [2 * 0.25 * 8.0])
    cases = (
        (glass.correlation_length(4, one)[0], math.sqrt(64 * 0.5 / 4 - 1) / (8 * math.sin(math.pi / 4))),
        (glass.binder(4, one)[0], 2 * 1.0 / 0.25),
        (glass.at(1.5, [0, 1, 2], [0, 10, 30]), 20),
        (glass.at(0.25, [0, 1, 2], [0, 10, 30]), 2.5),
        (glass.with_error(1.10192, 0.0029), "1.1019(29)"),
        (glass.with_error(1.10192, 0.29), "1.10(29)"),
        (glass.with_error(1.10192, math.nan), "1.102(?)"),
        (glass.spread([(1.0, 2.0), (3.0, 2.0)]), [1.0, 0.0]),
    )
    return [
        f"{found}, not {expected}"
        for found, expected in cases
        if not (found == expected or (isinstance(found, float) and math.isclose(found, expected)))
    ]


def values_are_refused() -> list[str]:
    """Of the environment."""
    cases = (("PROFILE", "huge"), ("DEVICE", "gpu"), ("SAMPLES", "0"), ("SAMPLES", "-3"))
    return refusals(Path(__file__).with_name("glass.py"), cases)


def main() -> int:
    return report(
        {
            "planted crossings are found, with their errors": crossings_are_found(),
            "curves that do not cross have no crossing": no_crossing_is_none(),
            "values, interpolation and errors are right": numbers_are_right(),
            "settings that are not allowed are refused": values_are_refused(),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
