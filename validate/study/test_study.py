#!/usr/bin/env python3
"""What `make study` concludes from numbers:
- right claims are refuted as often as they should be, and planted faults are refuted;
- results are reduced to what was in their files;
- averages of runs are what they should be;
- settings that are not allowed are refused.

    test_study.py

Numbers are drawn with a fixed seed; a right claim is refuted with a probability below 1e-6 in each case. One line a
case: ok or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import fig_errors
import fig_sweeps
import fig_weighted
from cases import refusals, report
from claims import Claim, agree, at_most, equals, z_limit, z_of_student
from figures import RULES, short
from runs import Job, mean_and_error, read_result, reduce_result, variance

LIMIT = z_limit(400)


def claims_are_decided() -> list[str]:
    """Of means that are right, and of the same with a fault of some errors."""
    dice = random.Random(17)
    wrong = []
    values = [dice.gauss(3, 2) for _ in range(400)]
    mean = mean_and_error(values)
    other = mean_and_error([dice.gauss(3, 2) for _ in range(400)])
    off = 10 * mean[1]
    cases = (
        (equals("right", mean, 3, 400), False),
        (equals("wrong", mean, 3 + off, 400), True),
        (agree("right", mean, other), False),
        (agree("wrong", mean, (other[0] + off, other[1])), True),
        (at_most("right", mean, other), False),
        (at_most("far below", (mean[0] - off, mean[1]), other), False),
        (at_most("above", (mean[0] + off, mean[1]), other), True),
        (equals("no error", (3.0, math.nan), 3, 400), True),
        (Claim("holds", holds=True), False),
        (Claim("does not", holds=False), True),
    )
    for claim, refuted in cases:
        if claim.refuted(LIMIT) != refuted:
            wrong.append(claim.line(LIMIT))
    control = Claim("planted", 50.0, control=True)
    if not control.good(LIMIT) or Claim("unseen", 1.0, control=True).good(LIMIT):
        wrong.append("a control that is refuted is good, and no other")
    return wrong


def tails_are_right() -> list[str]:
    """Student's t of 7 and 100 degrees of freedom, by their tails: P(|t| > x) = 1e-3."""
    wrong = [
        f"{freedom}: {z_of_student(t, freedom):.3f}"
        for t, freedom in ((5.408, 7), (3.390, 100))
        if abs(z_of_student(t, freedom) - 3.2905) > 0.02
    ]
    if abs(400 * math.erfc(LIMIT / math.sqrt(2)) / 1e-6 - 1) > 1e-3:
        wrong.append(f"limit {LIMIT}")
    return wrong


RUN = """# a header
# column 1: beta
# beta e C betaF/N R lnQ families rho_t R_eff
0 0.0 0.0 -0.7 1000 0 1000 1 1000
0.5 -1.5 {c} -1 {r} 30.5 10 90 500
# crc32 00000000
"""


def alike(found: object, expected: object) -> bool:
    """Texts, numbers or lists of them."""
    if isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(alike, found, expected))
    if isinstance(found, (int, float)) and isinstance(expected, (int, float)):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return found == expected


def results_are_reduced() -> list[str]:
    """Two runs made up by hand: means, errors, weights."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "result"
        folder.mkdir()
        (folder / "PA_results_run_0.dat").write_text(RUN.format(c=1.0, r=1100))
        (folder / "PA_results_run_10.dat").write_text(RUN.format(c=3.0, r=900))
        (folder / "run.json").write_text('{"spin_flips": 5e6}')
        path = Path(name) / "kept.dat"
        reduce_result(Job("kept", "-R 1000 -M 2", (0.45,)), folder, path, "the command")
        result = read_result(path)
        first = path.read_text().splitlines()[0]
    rows = result.at(0.4)
    cases = (
        (first, "# the command"),
        (result.spin_flips, 5e6),
        (result.beta, [0.0, 0.5]),
        (result.value("C", 0.5), (2.0, 1.0)),
        (result.value("e", 0.1), (0.0, 0.0)),
        ([row["C"] for row in rows], [1.0, 3.0]),
        ([row["lnW"] for row in rows], [30.5 + math.log(1.1), 30.5 + math.log(0.9)]),
    )
    return [f"{found}, not {expected}" for found, expected in cases if not alike(found, expected)]


def averages_are_weighted() -> list[str]:
    """Two runs, one with three times the weight: by hand."""
    spins, beta = 256, 0.5
    scale = beta * beta * spins
    rows = [
        {"lnW": 1.0, "e": -1.0, "C": 2.0, "betaF/N": -1.0},
        {"lnW": 1.0 + math.log(3), "e": -2.0, "C": 4.0, "betaF/N": -2.0},
    ]
    e = (-1 - 3 * 2) / 4
    squares = ((2 / scale + 1) + 3 * (4 / scale + 4)) / 4
    expected = (e, scale * (squares - e * e), -(1 + math.log(2)) - spins * math.log(2))
    found = fig_weighted.averages(rows, True, spins, beta)
    plain = fig_weighted.averages(rows, False, spins, beta)
    wrong = [f"{a}, not {b}" for a, b in zip(found, expected) if not math.isclose(a, b)]
    wrong += [f"{a}, not {b}" for a, b in zip(plain, (-1.5, 3.0, -1.5 * spins)) if not math.isclose(a, b)]
    return wrong


def biases_are_judged() -> list[str]:
    """ln Z that is Gaussian with a bias of half its variance passes, one without bias does not; weights likewise."""
    dice = random.Random(5)
    spins, sigma, wrong = 16, 0.3, []
    exact = {"beta": 1.0, "e": 0.0, "C": 0.0, "betaF/N": -1.0}
    ln_z = spins - spins * math.log(2)
    for bias, holds in ((sigma * sigma / 2, True), (0.0, False)):
        rows = [{"lnW": dice.gauss(ln_z - bias, sigma)} for _ in range(4000)]
        spread = fig_errors.spread_of(rows, exact, "betaF", spins)
        if (
            abs(spread.bias - bias) > 5 * spread.bias_error
            or abs(spread.variance - sigma**2) > 5 * spread.variance_error
        ):
            wrong.append(f"{spread}")
        for claim in (fig_errors.half_claim("half", spread), fig_errors.weight_claim("weights", rows, exact, spins)):
            if claim.refuted(LIMIT) == holds:
                wrong.append(claim.line(LIMIT))
    return wrong


def scatter_is_judged() -> list[str]:
    """R_eff by blocking that is right on average holds, one that is three times too large does not, nor does none."""
    dice = random.Random(11)
    wrong, relative = [], 0.25
    right = [dice.gauss(0, relative) for _ in range(8)]
    cases = ((right, True), ([x - math.log(3) for x in right], False), ([], False))
    for ratios, holds in cases:
        claim = fig_sweeps.scatter_claim("made up", ratios, relative)
        if claim.refuted(LIMIT) == holds:
            wrong.append(claim.line(LIMIT))
    return wrong


def numbers_are_printed() -> list[str]:
    """Errors in units of the last digit."""
    cases = (
        (1.10192, 0.0029, "1.1019(29)"),
        (1.1019, 0.29, "1.10(29)"),
        (12.34, 2.91, "12.3(2.9)"),
        (123.4, 29.1, "123(29)"),
        (5.0, math.nan, "5"),
    )
    return [f"{short(v, e)}, not {text}" for v, e, text in cases if short(v, e) != text]


def seeds_differ() -> list[str]:
    """No two simulations of a figure have one seed and are otherwise alike, or one name."""
    wrong = []
    for profile in ("small", "paper"):
        made = fig_errors.jobs(profile) + fig_weighted.jobs(profile)
        if len({job.name for job in made}) != len(made) or len({job.options for job in made}) != len(made):
            wrong.append(profile)
    if len(set(RULES)) != 6 or abs(variance([1.0, 2.0, 3.0]) - 1) > 1e-12:
        wrong.append("rules, variance")
    return wrong


def values_are_refused() -> list[str]:
    """Of the environment."""
    cases = (("PROFILE", "huge"), ("DEVICE", "gpu"), ("FIGURES", "all,steps"), ("FIGURES", "none"))
    return refusals(Path(__file__).with_name("study.py"), cases)


def main() -> int:
    return report(
        {
            "right claims hold, wrong ones are refuted": claims_are_decided(),
            "tails of Student's t and the limit are right": tails_are_right(),
            "results are reduced to what is in their files": results_are_reduced(),
            "averages are weighted, C after them": averages_are_weighted(),
            "the bias of betaF is judged by its variance": biases_are_judged(),
            "R_eff by blocking is judged by the scatter of runs": scatter_is_judged(),
            "numbers are printed with their errors": numbers_are_printed(),
            "simulations have names and options of their own": seeds_differ(),
            "settings that are not allowed are refused": values_are_refused(),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
