#!/usr/bin/env python3
"""The analysis of make critical and make compare-methods against planted data: crossings, fits, ranks. A fault is planted in each, and
must be found. One line a case: ok, or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import compare_methods  # noqa: E402
import critical  # noqa: E402
import runs  # noqa: E402
from cases import report  # noqa: E402
from compare_methods import METHODS, correlation, ranks  # noqa: E402

T_C, EXPONENT = 1.1, 1.6


def planted(exponent: float) -> critical.Points:
    """Crossings with two amplitudes, without noise."""
    return [(edge, kind, T_C + (0.9, -0.6)[kind] * edge**-exponent, 0.002) for kind in (0, 1) for edge in (4, 6, 8, 10)]


def lines(slope: float) -> list[float]:
    """A curve through 0.5 at T = 1.23."""
    return [0.5 + slope * (t - 1.23) for t in critical.TEMPERATURES]


def planted_blocks(edge: int, shift: float) -> list[critical.Block]:
    """64 blocks of two samples, whose U4 is 1.5 and falls with 1 / T faster in larger lattices; shift: of T_c."""
    dice, found = random.Random(edge), []
    for n in range(64):
        noise, means = 1 + 0.004 * dice.gauss(0, 1), []
        for t in critical.TEMPERATURES:
            u4 = 1.5 + 0.1 * edge * (t - T_C - shift)
            means += [0.1 * noise, 0.01 * u4 * noise, 0.1 * noise / (1 + (0.6 - 0.1 * edge * (t - T_C - shift)) ** 2 * 4 * edge**2 * math.sin(math.pi / edge) ** 2)]
        found.append(critical.Block(2 * n, 2, means))
    return found


def blocks() -> dict[str, list[str]]:
    """Blocks of samples, their files, and the bootstrap of them."""
    data = {edge: planted_blocks(edge, 0) for edge in (4, 6, 8, 10, 12)}
    crossed = critical.crossings(data, critical.once(data))
    far = [t for kind in crossed for t in kind if not abs(t - T_C) < 0.02]
    moved = {edge: planted_blocks(edge, 0.1) for edge in data}
    found = critical.crossings(moved, critical.once(moved))
    cases = {"blocks: crossings": [f"{far}"] if far else []}
    cases["control: blocks of another T_c"] = [] if all(abs(t - T_C) > 0.05 for kind in found for t in kind) else [f"{found}"]
    cases |= correlated()
    samples = [[float(s), 2.0 * s] for s in range(10)]
    made = [(b.first, b.count, b.means) for b in critical.blocks_of(samples, 30, 4)]
    right = [(30, 4, [1.5, 3.0]), (34, 4, [5.5, 11.0]), (38, 2, [8.5, 17.0])]
    cases["blocks: means of samples"] = [] if made == right else [f"{made}"]
    times = critical.drawn_from(random.Random(1), data, {})
    cases["blocks: as many are drawn as there are"] = [] if all(sum(times[e]) == 64 for e in data) else ["not so"]
    few, many, more = (
        critical.spread([critical.curves(part, 4, critical.drawn_from(dice, {4: part}, more)[4])[0][0] for _ in range(200)])
        for dice, part, more in ((random.Random(2), data[4][:16], {}), (random.Random(3), data[4], {}), (random.Random(3), data[4][:16], {4: 4, 6: 1}))
    )
    cases["bootstrap: four times the blocks have half of the error"] = [] if 1.4 < few / many < 3 else [f"{few / many}"]
    cases["bootstrap: four times the draws as well"] = [] if 1.4 < few / more < 3 else [f"{few / more}"]
    fit = critical.fit_of("", 0, [float(x) for x in reversed(range(101))])
    cases["the middle 68% of resamplings"] = [] if (fit.low, fit.high) == (16, 84) else [f"{fit.low} to {fit.high}"]
    halves = [critical.divided(random.Random(seed), data) for seed in (4, 5)]
    whole = all(sum(one[edge]) == 32 and all(sorted(two) == [0, 1] for two in zip(one[edge], other[edge])) for one, other in halves for edge in data)
    cases["random halves: each block is in one of two"] = [] if whole and halves[0] != halves[1] else ["not so"]
    dice, drawn, differences = random.Random(6), [], []
    for _ in range(60):
        one, other = (critical.crossings(data, times)[0][0] for times in critical.divided(dice, data))
        differences.append(one - other)
        drawn.append(critical.crossings(data, critical.drawn_from(dice, data, {}))[0][0])
    fit = critical.fit_of("", 0, drawn, differences)
    cases["random halves: the error of the bootstrap"] = [] if 0.7 < fit.halves / fit.error < 1.4 else [f"{fit.halves}, and {fit.error}"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tempering-4.dat"
        critical.write_blocks(path, data[4], "planted")
        read = critical.read_blocks(path)
    same = all(a.first == b.first and a.count == b.count for a, b in zip(read, data[4])) and len(read) == 64
    worst = max(abs(x - y) for a, b in zip(read, data[4]) for x, y in zip(a.means, b.means))
    cases["blocks: a file is read as it was written"] = [] if same and worst < 1e-5 else [f"{same}, {worst}"]
    return cases


def correlated() -> dict[str, list[str]]:
    """Points with a common error of 0.05 and errors of 0.002 of their own. The fit by their covariance has a chi-square of 1 a degree of
    freedom. The fit by their errors alone has a far smaller one."""
    dice, chis, alone, draws = random.Random(5), [], [], []
    exact = [t for _, _, t, _ in planted(EXPONENT)]
    for _ in range(300):
        common = [dice.gauss(0, 0.05), dice.gauss(0, 0.05)]
        draws.append([t + common[kind] + dice.gauss(0, 0.002) for (_, kind, _, _), t in zip(planted(EXPONENT), exact)])
    lower = critical.cholesky(critical.covariance(draws))
    for draw in draws[:100]:
        points = [(edge, kind, t, 0.05) for (edge, kind, _, _), t in zip(planted(EXPONENT), draw)]
        chis.append(critical.fit_at(points, EXPONENT, lower)[1] / 5)
        alone.append(critical.fit_at(points, EXPONENT)[1] / 5)
    mean, other = sum(chis) / 100, sum(alone) / 100
    return {
        "correlated points: chi-square": [] if 0.7 < mean < 1.4 else [f"{mean} a degree of freedom"],
        "control: without their covariance": [] if not 0.7 < other < 1.4 else [f"{other}"],
    }


def close(a: float, b: float) -> list[str]:
    return [] if abs(a - b) < 1e-9 else [f"{a}, not {b}"]


def compared() -> dict[str, list[str]]:
    """Deviations of two samples with two repetitions each, costs, and ground states."""
    right = [{"e": -1.0, "err_e": 0.0, "E_min": -8.0}, {"e": -2.0, "err_e": 1.0, "E_min": -9.0}]
    found = [[{"e": -1.0 + x, "err_e": 2.0, "E_min": low} for x, low in ((2, -8), (-2, -7))]]
    found += [[{"e": -2.0 + x, "err_e": 2.0, "E_min": low} for x, low in ((3, -10), (-3, -9))]]
    off = compare_methods.deviations(found, right, "e")
    turned = compare_methods.deviations(found, right[::-1], "e")
    missed = [{**x, "E_min": -1.0} for x in found[0]]
    of = {"all": [[found[0][0]] * 2, [found[1][0]] * 2], "half": found, "none": [missed, missed]}
    rows = [line.split(" | ") for line in compare_methods.ground_rows(of, right, dict.fromkeys(of, 1.0), dict.fromkeys(of, 2.0))]
    squares = {m: {**dict.fromkeys(("C", "betaF/N", "q2", "q4"), (0, 0)), "e": (1.0 + (m != "annealing"), 0.5)} for m in METHODS}
    cost = {m: 1.0 if m == "annealing" else 0.25 for m in METHODS}
    equal = compare_methods.equal_time(squares, cost, dict.fromkeys(METHODS, math.nan))
    half = math.log(0.01) / math.log(0.5)
    return {
        "compared: the mean square, less that of the reference": close(compare_methods.mean_square(off)[0], (4 + 4 + 8 + 8) / 4),
        "compared: its error is that of samples, 4 and 8": close(compare_methods.mean_square(off)[1], 2),
        "compared: over stated errors": close(compare_methods.pull(off), (1 + 1 + 9 / 5 + 9 / 5) / 4),
        "control: values of another sample": [] if compare_methods.mean_square(turned)[0] > 6.1 else ["not found"],
        "compared: time to find": close(compare_methods.time_to_find(5, 10, 3.0), 3 * half) + close(compare_methods.time_to_find(999, 999, 3.0), 3),
        "compared: never found is slowest": [] if compare_methods.time_to_find(0, 10, 1) > compare_methods.time_to_find(1, 10, 1) else ["not so"],
        "compared: shares of ground states": [] if [row[1:4] for row in rows] == [["1.00", "2", "0"], ["0.50", "0", "0"], ["0.00", "0", "2"]] else [f"{rows}"],
        "compared: joules go with seconds": close(float(rows[1][5].strip(" |")), round(2 * half, 1)),
        "compared: twice the mean square in a quarter of the time": [] if len(equal) == 5 and all("| 2 +- 1 |" in line for line in equal[2:]) else [f"{equal}"],
    }


def made_again() -> list[str]:
    """A run is made where it is missing, and again where it was interrupted; one that came to its end stays."""
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        program, folder = Path(place) / "paising", Path(place) / "run"
        program.write_text("#!/bin/sh\nfor to; do :; done\nmkdir -p $to\necho '{\"interrupted\": false, \"made\": true}' >$to/run.json\n")
        program.chmod(0o755)
        runs.BUILD, build = Path(place), runs.BUILD
        for before, made in ((None, True), ('{"interrupted": true}', True), ('{"interrupted": false}', False)):
            if before is not None:
                (folder / "run.json").write_text(before)
            runs.make(runs.Run(folder, ""))
            wrong += [] if ("made" in (folder / "run.json").read_text()) == made else [f"{before}: made {not made}"]
        runs.BUILD = build
    return wrong


def main() -> int:
    cases: dict[str, list[str]] = {"runs: one that was interrupted is made again": made_again()}
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
    cases |= blocks() | compared()
    a, b = [1.0, 5.0, 2.0, 9.0], [10.0, 30.0, 20.0, 1000.0]
    cases["ranks"] = [] if abs(correlation(ranks(a), ranks(b)) - 1) < 1e-12 else ["not 1"]
    cases["control: reversed ranks"] = [] if abs(correlation(ranks(a), ranks([-x for x in b])) + 1) < 1e-12 else ["not -1"]
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
