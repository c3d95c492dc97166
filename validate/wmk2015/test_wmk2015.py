#!/usr/bin/env python3
"""The analysis of `make wmk2015`: planted ground-state energies are extrapolated to where they lead, with the error that
they have by arithmetic; shares of overlaps near 0 and histograms are what was planted; settings that are not allowed are
refused.

    test_wmk2015.py

Energies are drawn with a fixed seed; an extrapolation is off by more than 5 of its errors with a probability of 6e-7. One
line a case: ok or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import wmk2015
from cases import refusals, report

INFINITE, SLOPE = -1.7, 2.3
LIMIT = 5


def planted(random_numbers: random.Random, of_slope: float = 1.0) -> list[tuple[int, float, float]]:
    """Means of three sizes on a line in 1/L^3, or on one in 1/L^2 besides."""
    points = []
    for edge, error in ((4, 0.002), (6, 0.001), (8, 0.0008)):
        line = INFINITE + of_slope * SLOPE / edge**3 + (1 - of_slope) * SLOPE / edge
        points.append((edge, line + random_numbers.gauss(0, error), error))
    return points


def energies_are_extrapolated() -> list[str]:
    """To the planted value within its error, whose spread it has; with another law not."""
    draw = random.Random(7)
    deviations = []
    for _ in range(200):
        value, error = wmk2015.extrapolate(planted(draw))
        deviations.append((value - INFINITE) / error)
    wrong = [f"{z:.1f} of its errors off" for z in deviations if abs(z) > LIMIT]
    spread = math.sqrt(sum(z * z for z in deviations) / len(deviations))
    if not 0.8 < spread < 1.2:  # 4 sigma of 200
        wrong.append(f"deviations are {spread:.2f} of their errors")
    value, error = wmk2015.extrapolate(planted(draw, 0.5))
    if abs(value - INFINITE) < LIMIT * error:
        wrong.append("another law is not seen")
    return wrong


def overlaps_near_0_are_counted() -> list[str]:
    """Bins up to 0.2 on either side, of one temperature, and not of link overlaps."""
    rows = ["# beta kind q count share err_share"]
    rows += [f"5 0 {q:.4f} 1 0.1 0" for q in (-1, -0.25, -0.2, 0, 0.1875, 0.2, 0.21875)]
    rows += ["5 1 0 1 0.5 0", "", "2.4 0 0 1 0.7 0", "1 0 0 1 0.9 0"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "overlap.dat"
        path.write_text("\n".join(rows) + "\n")
        found = wmk2015.share_near_0(path, [5.0, 2.4])
    good = abs(found[5.0] - 0.4) < 1e-9 and abs(found[2.4] - 0.7) < 1e-9
    return [] if good else [str(found)]


def histograms_hold_everything() -> list[str]:
    """Their area is 1, ends included, and a value is in its bin."""
    rows = wmk2015.histogram([0.0, 0.1, 2.39, 2.4], 0, 2.4)
    area = sum(density * 0.1 for _, density in rows)
    good = abs(area - 1) < 1e-9 and abs(rows[0][1] - 2.5) < 1e-9 and abs(rows[-1][1] - 5) < 1e-9
    return [] if good else [str(rows)]


def samples_of_a_size_are_counted() -> list[str]:
    """SAMPLES of one size after the other, the last of them for all that follow; no more than there are, and two at least."""
    sizes = wmk2015.PROFILES["full"]
    settings = wmk2015.Settings("full", "cpu", (700, 99999, 1), 1)
    found = [settings.wanted(size) for size in sizes]
    return [] if found == [700, sizes[1].samples, 2, 2] else [str(found)]


def rows_begin_on_the_grid() -> list[str]:
    """The first row is at the step of beta that is nearest to T = 0.42."""
    wrong = []
    for size in (size for sizes in wmk2015.PROFILES.values() for size in sizes):
        steps = size.first_row / size.step
        if abs(steps - round(steps)) > 1e-9 or abs(size.first_row - 1 / 0.42) > size.step / 2:
            wrong.append(f"L = {size.edge}: {size.first_row}")
    return wrong


def values_are_refused() -> list[str]:
    """Of the environment."""
    cases = (("PROFILE", "huge"), ("DEVICE", "gpu"), ("SAMPLES", "0"), ("SAMPLES", "3,"), ("SECONDS", "x"))
    return refusals(Path(__file__).with_name("wmk2015.py"), cases)


def main() -> int:
    return report(
        {
            "energies are extrapolated, with their error": energies_are_extrapolated(),
            "shares of overlaps near 0 are counted": overlaps_near_0_are_counted(),
            "histograms hold every value": histograms_hold_everything(),
            "samples of a size are counted": samples_of_a_size_are_counted(),
            "rows begin on the grid of beta": rows_begin_on_the_grid(),
            "settings that are not allowed are refused": values_are_refused(),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
