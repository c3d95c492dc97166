#!/usr/bin/env python3
"""Claims about validate/lattice/lattice.py:
- numbers with errors are read and written;
- a wrong quench is found, and a right one is not;
- exponents are those of a power;
- tables are made of their runs, and no run begins after the end of the time.

One line a case: ok or FAIL."""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validate/command"), str(TOP / "validate/lattice")]

import lattice  # noqa: E402
from cases import report  # noqa: E402


def numbers() -> list[str]:
    known = {"-0.7397(30)": (-0.7397, 0.0030), "-1.0351(108)": (-1.0351, 0.0108)}
    wrong = [text for text, pair in known.items() if max(abs(a - b) for a, b in zip(vars(lattice.number_of(text)).values(), pair)) > 1e-12]
    return wrong + [text for text in ("-0.7397(30)", "1.23(45)") if str(lattice.number_of(text)) != text]


def drawn(order: str) -> list[lattice.Time]:
    """A quench as the other program says, within its errors."""
    numbers_of_errors = random.Random(order)
    known = [lattice.number_of(text) for text in lattice.QUENCHES[order].split()]
    return [lattice.Time(numbers_of_errors.gauss(x.value, x.error), x.error / 3) for x in known]


def quenches() -> list[str]:
    right = {order: drawn(order) for order in lattice.QUENCHES}
    wrong = [] if not lattice.quench_wrong(right) else ["right quenches are called wrong"]
    for order, other in (("random", "dead-border"), ("sequential", "double-tiling"), ("metropolis", "sequential")):
        found = lattice.quench_wrong({**right, order: drawn(other)})
        wrong += [] if found and all(order in line for line in found) else [f"{other} for {order} is not found"]
    return wrong


def exponents() -> list[str]:
    z = lattice.exponent(lattice.Time(3 * 16**2.17, 1), lattice.Time(3 * 32**2.17, 1), 2)
    return [] if math.isclose(z.value, 2.17) and z.error > 0 else [f"{z}"]


def tables() -> list[str]:
    """Each table is made of its runs and of no others; one without all of them is not written, and others are."""
    wrong = []
    run = lattice.Run(Path("nowhere"), lattice.Time(2, 0.1), lattice.Time(3, 0.1), True, 0.0, 0.5, 0.1)
    for profile, p in lattice.PROFILES.items():
        wrong += [f"{profile}: no whole tiles in {size}, T = {t}" for size, t in p.striped if int(size.split("x")[-1]) % (2 * t * lattice.STRIPES) != 0]
        for name, kind in lattice.TABLES.items():
            if name == "quench":  # reads series
                continue
            page, data = kind.make(p, {words: run for words in kind.runs(p) + kind.timed(p)})
            cells = {line.count("|") for line in page if line.startswith("|")}
            wrong += [f"{profile}: {name}: rows have {cells}"] if len(cells) != 1 else []
            wrong += [f"{profile}: {name}: nan"] if "nan" in "".join(page + data) else []
    return wrong


def hits() -> list[str]:
    """tau comes from the series, t_f from the runs whose time counts."""
    wrong = []
    p, kind = lattice.PROFILES["full"], lattice.TABLES["hits"]
    series = lattice.Run(Path("nowhere"), lattice.Time(200, 10), lattice.Time(3, 0.1), True, 0.0, 7.0, 0.1)
    timed = lattice.Run(Path("nowhere"), lattice.Time(5, 1), lattice.Time(3, 0.1), True, 0.0, 0.25, 0.1)
    page, _ = kind.make(p, {words: series for words in kind.runs(p)} | {words: timed for words in kind.timed(p)})
    rows = [[cell.strip() for cell in line.split("|")[4:7]] for line in page if line.startswith("| 128")]
    wrong += [] if len(rows) == len(p.hits) else [f"{len(rows)} rows"]
    return wrong + [f"{row}" for row in rows if row != ["200(10)", "0.25", "50"]]


def marks() -> list[str]:
    """A time is called an upper limit where measurements are further apart than half of it, unless they follow each update."""
    wrong = []
    for apart, trusted, expected in ((0.0, True, "7.0(20)"), (3.0, True, "7.0(20)"), (4.0, True, "7.0(20) +"), (4.0, False, "7.0(20) ? +")):
        time = lattice.Time(7, 2)
        found = lattice.mark(lattice.Run(Path("nowhere"), time, time, trusted, apart, 0.5, 0.1), time)
        wrong += [] if found == expected else [f"{found} for {expected}"]
    return wrong


def pieces() -> list[str]:
    """Behind the end of the time no run begins; those that are there count, if they came to their end."""
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        settings = lattice.Settings("brief", "cpu", 1, until=time.monotonic() - 1)
        there, missing = Path(place) / "there", Path(place) / "missing"
        there.mkdir()
        (there / "MC_results.dat").write_text("")
        for interrupted in (False, True):
            (there / "run.json").write_text(json.dumps({"interrupted": interrupted}))
            wrong += [f"a run that is there, interrupted {interrupted}"] if lattice.simulate(settings, "", there) == interrupted else []
        wrong += ["a run is made behind the end"] if lattice.simulate(settings, "", missing) or missing.exists() else []
    return wrong


if __name__ == "__main__":
    sys.exit(report({
        "numbers with errors": numbers(), "quenches": quenches(), "exponents": exponents(), "tables are made of their runs": tables(), "tau times t_f": hits(),
        "measurements far apart": marks(), "time is over": pieces(),
    }))
