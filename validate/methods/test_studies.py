#!/usr/bin/env python3
"""The analysis of make critical and make compare-methods against planted data: crossings, fits, ranks. A fault is planted in each, and
must be found. One line a case: ok, or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import critical  # noqa: E402
from cases import report  # noqa: E402
from compare_methods import correlation, ranks  # noqa: E402

T_C, EXPONENT = 1.1, 1.6


def planted(exponent: float) -> critical.Points:
    """Crossings with two amplitudes, without noise."""
    return [(edge, kind, T_C + (0.9, -0.6)[kind] * edge**-exponent, 0.002) for kind in (0, 1) for edge in (4, 6, 8, 10)]


def lines(slope: float) -> list[float]:
    """A curve through 0.5 at T = 1.23."""
    return [0.5 + slope * (t - 1.23) for t in critical.TEMPERATURES]


def main() -> int:
    cases: dict[str, list[str]] = {}
    best, x = critical.free_fit(planted(EXPONENT))
    cases["the free fit finds T_c and the exponent"] = [] if abs(best - T_C) < 1e-3 and abs(x - EXPONENT) < 0.02 else [f"{best}, {x}"]
    cases["the fixed fit finds T_c"] = [] if abs(critical.fit_at(planted(1.51), 1.51)[0] - T_C) < 1e-9 else ["another"]
    wrong = critical.fit_at(planted(EXPONENT), 3.0)
    cases["control: another exponent shows in chi-square"] = [] if wrong[1] > 10 else [f"chi-square {wrong[1]}"]
    at = critical.crossing(lines(0.2), lines(0.5), rising=False)
    cases["a crossing of U4"] = [] if abs(at - 1.23) < 1e-9 else [f"at {at}"]
    at = critical.crossing(lines(-0.2), lines(-0.5), rising=True)
    cases["a crossing of xi/L"] = [] if abs(at - 1.23) < 1e-9 else [f"at {at}"]
    at = critical.crossing(lines(0.2), lines(0.5), rising=True)
    cases["control: the other way there is none"] = [] if math.isnan(at) else [f"at {at}"]
    a, b = [1.0, 5.0, 2.0, 9.0], [10.0, 30.0, 20.0, 1000.0]
    cases["ranks"] = [] if abs(correlation(ranks(a), ranks(b)) - 1) < 1e-12 else ["not 1"]
    cases["control: reversed ranks"] = [] if abs(correlation(ranks(a), ranks([-x for x in b])) + 1) < 1e-12 else ["not -1"]
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
