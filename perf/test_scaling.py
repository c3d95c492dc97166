#!/usr/bin/env python3
"""Tests of what `make scaling` and `make ranks-model` make of times that are made up: nothing is measured.

    perf/test_scaling.py

One line a case: ok or FAIL. Status 1 if a case failed."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True

from bench import ranks_model
from bench.results import Results, parse_results
from bench.scaling import choose_ranks
from bench.scaling_points import IDENTITY, ScalingPoint, list_scaling
from bench.scaling_results import derived, render_scaling, rows_of, summarise_scaling

MACHINE = "# device Test GPU 9\n# driver 1.0\n# commit 1234567\n"
RANKS = [1, 2, 4, 8]


def step_seconds(point: ScalingPoint) -> float:
    """A made-up time of all steps: 1 ps a flip on each rank, and 4% more on several."""
    return point.R / point.ranks * point.theta * (1.04 if point.ranks > 1 else 1)


def made_up(scratch: Path, digest: Callable[[ScalingPoint, int], str] = lambda *_: "same") -> Results:
    """Results of the points of GPUs."""
    points = list_scaling("gpu", RANKS, False)
    (scratch / "points").mkdir(exist_ok=True)
    for point in points:
        t, flips = step_seconds(point), 1e12 * point.R * point.theta
        runs = [f"{n} {t * factor} {2 * t} {t / 10} {t / 20} {t / 50} {flips} 100 {digest(point, n)}"
                for n, factor in enumerate((1, 7, 0.9)[:point.runs])]
        (scratch / f"points/{point.id}.dat").write_text("\n".join(runs) + "\n")
    return parse_results(summarise_scaling(MACHINE, points, scratch))


def cell(results: Results, name: str, ranks: int, theta: int, R: int, column: str) -> str:
    """A cell of a table, of L = 64."""
    for row in rows_of(results, name):
        if (row["model"], row["L"], row["ranks"], row["theta"], row["R"]) == ("square", "64", str(ranks), str(theta), str(R)):
            return derived(results, row, name)[column]
    return "no such row"


def different(wanted: dict[str, object], got: dict[str, object]) -> list[str]:
    return [f"{name}: {got[name]}, not {wanted[name]}" for name in wanted if got[name] != wanted[name]]


def efficiencies(scratch: Path) -> list[str]:
    """Medians, efficiency and speed-up against their definitions, and the targets."""
    r = made_up(scratch)
    wanted = {"time": "1.000", "loss": "1.040", "one": "100.0", "weak": "96.15", "weak 2": "no", "weak 8": "yes",
              "no target": "", "strong": "1.923", "reached": "yes", "share": "10", "whole": "96.15"}
    weak = lambda ranks, column, theta=10: cell(r, "weak", ranks, theta, 10**5 * ranks, column)
    got = {"time": weak(1, "flip/ps"), "loss": weak(2, "flip/ps"), "one": weak(1, "efficiency-%"),
           "weak": weak(2, "efficiency-%"), "weak 2": weak(2, "reached"), "weak 8": weak(8, "reached"),
           "no target": weak(4, "target-%"), "strong": cell(r, "strong", 2, 10, 10**6, "speed-up"),
           "reached": cell(r, "strong", 2, 10, 10**6, "reached"), "share": weak(2, "exchange-%", 100),
           "whole": weak(2, "whole-%")}
    return different(wanted, got)


def wrong_bytes(scratch: Path) -> list[str]:
    """Bytes that differ between runs, or between numbers of ranks of one population."""
    among_runs = made_up(scratch, lambda point, n: str(n if point.ranks == 2 and point.runs == 3 else 0))
    among_ranks = made_up(scratch, lambda point, _: str(int(point.ranks == 4 and point.sets == "strong")))
    found = [len([line for line in r.missing if "#wrong" in line]) for r in (among_runs, among_ranks, made_up(scratch))]
    points = list_scaling("gpu", RANKS, False)
    two = sum(point.ranks == 2 and point.runs == 3 for point in points)
    four = sum(point.ranks == 4 and point.sets == "strong" for point in points)
    hidden = render_scaling(among_ranks, "strong", "md").count("| 4 |") > 0
    return different({"runs": two, "ranks": four, "none": 0, "shown": False},
                     {"runs": found[0], "ranks": found[1], "none": found[2], "shown": hidden})


def plans(_: Path) -> list[str]:
    """A call is to end within ten minutes; each point once; each comparison with its one rank."""
    wrong = []
    for ranks, most in (([1, 2], 240), ([1, 2, 4], 300), (RANKS, 500)):
        points = list_scaling("gpu", ranks, False)
        seconds = sum(point.runs * point.seconds for point in points)
        if seconds > most:
            wrong.append(f"{ranks}: {seconds:.0f} s")
        if len({point.id for point in points}) != len(points):
            wrong.append(f"{ranks}: a point twice")
    with_threads = list_scaling("cpu", [1, 2], True)
    return wrong + different(
        {"threads": True, "alone": [1, 3], "sets": 28, "distinct": 28},
        {"threads": any(p.threads == 2 and p.ranks == 1 for p in with_threads), "alone": choose_ranks("3", False),
         "sets": len(IDENTITY), "distinct": len(set(IDENTITY))})


def command_of_make(*options: str) -> str:
    """What `make scaling` would type behind its building."""
    ours = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "DEVICE", "RANKS", "MINUTES")
    told = subprocess.run(["make", "-n", "scaling", *options], capture_output=True, text=True, check=True,
                          cwd=Path(__file__).resolve().parent.parent,
                          env={name: value for name, value in os.environ.items() if name not in ours})
    words = told.stdout.replace("\\\n", " ").split()
    return " ".join(words[words.index("scaling"):])


def options_of_make(_: Path) -> list[str]:
    return different({"without any": "scaling --device auto --minutes 9.5",
                      "with all": "scaling --device cuda --ranks 1,2 --minutes 3"},
                     {"without any": command_of_make(),
                      "with all": command_of_make("DEVICE=cuda", "RANKS=1,2", "MINUTES=3")})


def model(scratch: Path) -> list[str]:
    """A step on many ranks, with constants and counts that are made up."""
    tree = [f"allreduce {P} {n} {math.log2(P) * (2 + 0.003 * n)}" for P in (2, 8) for n in (1, 1000)]
    copies = [f"peer 2 {n} {5 + n / 1e5}" for n in (1, 10**6)]
    assumed = ["network - latency 3", "network - rate 10", "network - host 8"]
    (scratch / "constants.dat").write_text("\n".join(tree + copies + assumed) + "\n")
    c = ranks_model.read_constants(scratch)
    row = {"R": "1024", "P": "4", "crossing": str(sum(math.sqrt(b * (4 - b)) * 8 for b in range(4)) / 4 * 1.5)}
    factor = ranks_model.crossing(row)
    parts = ranks_model.parts_of(c, 64, factor, 50)
    sent = 1.5 * math.sqrt(64 * ranks_model.REPLICAS) / 2
    wanted = {"latency": 2, "number": 3, "copy": 5, "rate": 100, "c": 1.5, "walk": 6.3,
              "exchange": 8 + sent * ranks_model.REPLICA_BYTES / 1e4, "tree": 3 * (2 + 0.3) + 3 * (3 + 0.3 + 0.08),
              "pieces": 2 * (3 * 2 + 3 * 3) + 2 * 0.38 * 63 / 64}
    got = {"latency": 1e6 * c.latency, "number": 1e9 * c.number, "copy": 1e6 * c.copy_latency, "rate": 1e-9 * c.copy_rate,
           "c": factor, "walk": 1e6 * parts["walk"], "exchange": 1e6 * parts["exchange"],
           "tree": 1e6 * ranks_model.tree(c, 64, 100), "pieces": 1e6 * ranks_model.divided(c, 64, 100)}
    return [f"{name}: {got[name]:.6g}, not {wanted[name]:.6g}" for name in wanted
            if abs(got[name] / wanted[name] - 1) > 1e-9]


def main() -> int:
    failed = 0
    cases = {"efficiency, speed-up and targets are as they are defined": efficiencies,
             "points with other bytes are wrong, and in no table": wrong_bytes,
             "a call of make scaling ends in time": plans,
             "make scaling hands over what it is told, and nothing else": options_of_make,
             "the model of a step adds up": model}
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as scratch:
            wrong = case(Path(scratch))
        print("\n     | ".join([f"{'FAIL' if wrong else 'ok  '} {name}", *wrong]))
        failed += bool(wrong)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
