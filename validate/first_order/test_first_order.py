#!/usr/bin/env python3
"""Claims about validate/first_order/first_order.py:
- exact values are those of other programs and papers;
- a planted entropy with two phases has its tension and its phases, and one with a deeper valley has another tension;
- root mean squares and the verdict are those of planted numbers;
- pilots find the time that is wanted, and a later call does not repeat them.

One line a case: ok or FAIL."""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validate/command"), str(TOP / "validate/first_order")]

import first_order  # noqa: E402
from cases import report  # noqa: E402

LATENT_HEATS = {5: 0.05291876, 8: 0.48635808, 10: 0.69604943, 20: 1.19415525}  # another program
LENGTHS = {5: 2512.2, 8: 23.9, 10: 10.559519, 20: 2.6955}  # correlation lengths as published


def exact_values() -> list[str]:
    wrong = [f"latent heat of q = {q}" for q, x in LATENT_HEATS.items() if abs(first_order.latent_heat(q) - x) > 0.6e-8]
    wrong += [f"length of q = {q}" for q, x in LENGTHS.items() if abs(1 / first_order.interface_tension(q) / x - 1) > 2e-3]
    q = 10**6  # where Z of a phase is that of the ordered states, exp(2 beta_t N)
    return wrong + ([] if abs(first_order.free_energy(q) + 2 * first_order.beta_t(q) - 0.001) < 0.002 else ["betaF of many states"])


def planted(q: int, edge: int, depth: float) -> dict[int, float]:
    """ln g whose P(E) at beta_t has equal Gaussian peaks at Baxter's energies, and between them a valley so much deeper."""
    sites, beta = edge * edge, first_order.beta_t(q)
    ordered, disordered = (round(e * sites) for e in first_order.phase_energies(q))
    half = (disordered - ordered) / 2
    entropy = {}
    for e in range(ordered - 60, disordered + 61):
        x = min(abs(e - ordered), abs(e - disordered)) / half
        entropy[e] = beta * e - (depth * x * x if ordered < e < disordered else 0.02 * (half * x) ** 2)
    return entropy


def two_phases() -> list[str]:
    q, edge, depth = 10, 24, 3.0
    found = first_order.tension(q, edge, planted(q, edge, depth))
    deeper = first_order.tension(q, edge, planted(q, edge, 1.5 * depth))
    wrong = [] if abs(found - depth / edge) < 0.05 * depth / edge else [f"tension {found}, not {depth / edge}"]
    wrong += [] if abs(deeper - depth / edge) > 0.3 * depth / edge else ["a deeper valley is not found"]
    line = {e: first_order.beta_t(q) * e for e in planted(q, edge, depth) if e % 2 == 0}
    half = max(line) - min(line)
    phases = first_order.difference_of_phases(q, edge, line)  # flat: the means are the middles of the two halves
    return wrong + ([] if abs(phases * edge * edge - half / 2) < 2 else [f"phases {phases}"])


def page() -> list[str]:
    def outcomes(values: list[float]) -> list[first_order.Outcome]:
        return [first_order.Outcome(2, {"betaF/N": x, "heat": x, "tension": math.nan, "phases": math.nan}) for x in values]

    reference = {"betaF/N": 1.0, "heat": 1.0, "tension": math.nan, "phases": math.nan}
    good, bad = (first_order.compare(n, outcomes(x), reference) for n, x in (("a", [0.9, 1.1]), ("b", [1.3, 1.5])))
    wrong = [] if math.isclose(good.off["heat"], 0.1) and math.isclose(bad.off["heat"], math.sqrt(0.17)) else [f"{good.off} {bad.off}"]
    late = first_order.compare("c", [first_order.Outcome(8, o.values) for o in outcomes([0.9, 1.1])], reference)
    wrong += [] if math.isclose(first_order.at_time(late, "heat", 2), 0.2) else ["four times the time, not twice the deviation"]
    lines = first_order.verdict(10, [good, bad], 2)
    wrong += [] if len(lines) == 2 and all("a is best" in line and "b 4.1 ± 2.9" in line for line in lines) else lines
    more = [first_order.compare(n, 8 * outcomes(x), reference) for n, x in (("a", [0.9, 1.1]), ("b", [1.3, 1.5]), ("c", [0.88, 1.12]))]
    lines = first_order.verdict(10, more, 2)
    wrong += [] if len(lines) == 2 and all("a and c are best" in line and "b 4.1 ± 1.0" in line for line in lines) else lines
    found = first_order.Found(10, 12, {name: (1.0, 0.25) for name in reference}, 7.5, more)
    text = first_order.page_of(first_order.PROFILES["brief"], "cpu", [found])
    return wrong + ([] if "| reference | 7.50 | 0.50000 | 0.50000 | 0.50000 |" in text else ["the page has not the times of the reference"])


def highest() -> list[str]:
    """The peak of 1 / cosh^2 between points of the grid, and those at both ends of it."""
    xs = [0.6 * k for k in range(12)]
    x, y = first_order.peak(xs, [math.cosh((x - 2.8) / 2) ** -2 for x in xs])
    wrong = [] if abs(x - 2.8) < 0.01 and abs(y - 1) < 1e-3 else [f"a peak at {x}, {y}"]
    wrong += [] if first_order.peak(xs, [math.exp(-x) for x in xs]) == (0, 1) else ["a peak at the first point"]
    last = first_order.peak([0, 1, 2, 3], [1, 2, 4.1, 8.3])
    return wrong + ([] if last == (3, 8.3) else [f"a peak at the last point: {last}"])


def runs_are_made_once() -> list[str]:
    """Runs that take 0.1 + 0.01 DIAL seconds, one call for the pilots, and a later one that has no time."""
    made: list[int] = []

    class Planned(first_order.Study):
        def simulate(self, method: first_order.Method, words: list[str]) -> first_order.Outcome:
            made.append(int(words[1]))
            return first_order.Outcome(0.1 + 0.01 * made[-1], {})

    method = first_order.Method("planned", "-R DIAL", 2, "")
    with tempfile.TemporaryDirectory() as name:
        begin = lambda until: Planned(10, 12, "cpu", 1, 0, Path(name) / "runs.json", until)  # noqa: E731
        dials = begin(math.inf).dials(method, 2, 4)
        wrong = [] if dials == (190, 790) else [f"dials {dials}"]
        before = len(made)
        wrong += [] if begin(0).dials(method, 2, 4) == dials and len(made) == before else ["pilots were made again"]
        try:
            begin(0).repeat(method, dials[0], [7])
            wrong.append("a run began behind the end")
        except first_order.OutOfTime:
            pass
    return wrong


def checks() -> list[str]:
    expected = first_order.free_energy(20) - math.log(21) / 144
    right, wrong = ({"betaF/N": (expected + x, 1e-4)} for x in (2e-4, 2e-3))
    return first_order.check_reference(20, 12, right) + ([] if first_order.check_reference(20, 12, wrong) else ["a wrong reference is not found"])


if __name__ == "__main__":
    sys.exit(
        report(
            {
                "exact values": exact_values(),
                "tension and phases of a planted entropy": two_phases(),
                "deviations and verdict": page(),
                "a wrong reference is found": checks(),
                "the peak of a parabola": highest(),
                "runs are made once, and in time": runs_are_made_once(),
            }
        )
    )
