#!/usr/bin/env python3
"""Flat histograms of graphs against all states of them: triangular, honeycomb, chain and square lattices with couplings of near and far
neighbours and fields, and a glass with odd edges.

    test_flat_graphs.py [BUILD]

`build/exact --graph` has the number of states of each energy, and |m|, m2 and m4 there; a chain is counted here, too. Each energy that has states
is found, and no other, and ln g is within the limit of its error, which is that of Student's t with 31 degrees of freedom. So are e, C, betaF/N, S/N,
|m|, m2, m4, chi and U4 at four temperatures: of some 500 values one is beyond it with a probability below 4e-5. |m| by energy is the mean of some
measurements, of which one in four is independent at least: one of 150 is more than seven of these errors off with a probability below 1e-9. Seeds are fixed, and weights are
ready before production.

Of a range of energies, in windows, ln g is that of the states there.

What must be found: another coupling, another field, half as many states again of every third energy, |m| of the next energy; and planted in reference/plain_graph.h, with which plain_flat prints
the bytes of the program (test_plain.sh): a flip that forgets the field, and one that forgets half of a bond.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "validate/command"))
sys.path.insert(0, str(ROOT / "validate/lib"))

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402
from test_flat import BETAS, BUILD, T_LIMIT, exact_rows, simulate, unready  # noqa: E402

Lines = list[tuple[int, int, str]]  # i j J, or i i h
APART = 4  # measurements, of which one is independent


@dataclass(frozen=True)
class Level:
    states: int
    order: tuple[float, float, float]  # |m|, m2, m4


Levels = dict[float, Level]


def lattice(lx: int, ly: int, steps: dict[tuple[int, int], str], field: str = "") -> Lines:
    """A periodic lattice, whose sites have these neighbours, with their J, and a field."""
    lines = [(y * lx + x, (y + dy) % ly * lx + (x + dx) % lx, j) for y in range(ly) for x in range(lx) for (dx, dy), j in steps.items()]
    return lines + ([(i, i, field) for i in range(lx * ly)] if field else [])


def honeycomb(near: str, next_near: str, field: str) -> Lines:
    """4 x 4 as a wall of bricks: three neighbours, and those of the triangular lattices of each half."""
    lines = lattice(4, 4, {(1, 0): near, (1, 1): next_near}, field)
    return lines + [(y * 4 + x, (y + 1) % 4 * 4 + x, near) for y in range(4) for x in range(4) if (x + y) % 2 == 0]


def glass() -> Lines:
    """5 x 3 with J = 1 and -1."""
    return lattice(5, 3, {(1, 0): "", (0, 1): ""})


def signs(lines: Lines) -> Lines:
    return [(i, j, "1" if (7 * n * n + 3 * n) % 5 % 2 else "-1") for n, (i, j, _) in enumerate(lines)]


TRIANGLES = {(1, 0): "-1", (0, 1): "-1", (1, 1): "-1"}
SQUARES = {(1, 0): "3", (0, 1): "3", (1, 1): "-2", (1, 3): "-2"}
CHAIN = {(1, 0): "1"}

# Bonds and fields, and options behind the file.
MULTICANONICAL = "--method multicanonical -R 16 -t 10 --thermalisation 10 --measurements 640"
GRAPHS: dict[str, tuple[Lines, str]] = {
    "triangular antiferromagnet": (lattice(4, 4, TRIANGLES), MULTICANONICAL),
    "triangular lattice of 20 sites, J1, J2 and a field": (lattice(5, 4, {**TRIANGLES, (2, 1): "0.5", (1, 2): "0.5"}, "1"), MULTICANONICAL),
    "chain in a field": (lattice(12, 1, CHAIN, "0.5"), MULTICANONICAL),
    "square lattice, J1 and J2": (lattice(4, 4, SQUARES), f"{MULTICANONICAL.replace('multicanonical', 'wang-landau')} --last-ln-f 1e-4"),
    "honeycomb lattice, J1, J2 and a field": (honeycomb("2", "-1", "1"), MULTICANONICAL),
    "glass with odd edges": (signs(glass()), MULTICANONICAL),
    "square lattice in a field": (lattice(4, 4, {(1, 0): "1", (0, 1): "1"}, "0.5"), MULTICANONICAL),
}
# Options of a lattice that is a graph.
LATTICES = {
    "glass with odd edges": "-c ssc --model glass2d -L 5x3 --couplings FILE",
    "square lattice in a field": "-c ssc -L 4 --field 1/2",
}
# Energies, and windows, of a range.
RANGES = {"triangular antiferromagnet": (-14.0, 9.0, 2), "chain in a field": (-11.0, 6.5, 1), "square lattice, J1 and J2": (-40.0, 33.0, 3)}


def write(lines: Lines, scratch: Path) -> Path:
    """A file of its own: what `exact` says of it is kept by its name."""
    file = Path(tempfile.mkstemp(dir=scratch)[1])
    file.write_text("".join(f"{i} {j} {value}\n" for i, j, value in lines))
    return file


def exact_levels(file: Path) -> Levels:
    rows = [list(map(float, row)) for row in exact_rows(["--graph", str(file), "--states", "--magnetic"])]
    return {row[0]: Level(round(row[1]), (row[2], row[3], row[4])) for row in rows}


def counted(lines: Lines) -> dict[float, tuple[int, float]]:
    """States of each energy, and their mean |m|, by all states."""
    sites = max(max(i, j) for i, j, _ in lines) + 1
    values = [(i, j, float(value)) for i, j, value in lines]
    states: Counter[float] = Counter()
    order: Counter[float] = Counter()
    for state in range(2**sites):
        s = [1 - 2 * (state >> i & 1) for i in range(sites)]
        energy = -sum(v * s[i] * (s[j] if i != j else 1) for i, j, v in values)
        states[energy] += 1
        order[energy] += abs(sum(s)) / sites
    return {e: (n, order[e] / n) for e, n in states.items()}


def is_counted(file: Path, lines: Lines) -> list[str]:
    exact, by_hand = exact_levels(file), counted(lines)
    if exact.keys() != by_hand.keys():
        return [f"energies {exact.keys() ^ by_hand.keys()}"]
    return [f"E = {e}: {exact[e]}, not {by_hand[e]}" for e in exact if exact[e].states != by_hand[e][0] or abs(exact[e].order[0] - by_hand[e][1]) > 1e-12]


def wrong_states(folder: Path, exact: Levels, ln_all: float = 0.0) -> list[str]:
    """Energies that are missing, or have no states, and those whose ln g is off; ln_all: of the states of a range."""
    _, table = read_table(folder / "FH_density.dat")
    found = dict(zip(table["E"], zip(table["ln_g"], table["err_ln_g"])))
    if found.keys() != exact.keys():
        return [f"energies {sorted(found.keys() ^ exact.keys())}"]
    off = {e: x - math.log(exact[e].states) + ln_all for e, (x, _) in found.items()}
    return [f"ln g({e}) is off by {off[e]:.3g}, its error is {error:.3g}" for e, (_, error) in found.items() if not abs(off[e]) <= T_LIMIT * error]


def wrong_averages(folder: Path, file: Path, sites: int) -> list[str]:
    _, table = read_table(folder / "FH_results.dat")
    wrong = []
    rows = exact_rows(["--graph", str(file), "--magnetic", *map(str, BETAS)])
    for n, (beta, *values) in enumerate(rows):
        row = dict(zip(("e", "C", "betaF/N", "S/N", "|m|", "m2", "m4"), map(float, values)))
        row["chi"] = float(beta) * sites * (row["m2"] - row["|m|"] ** 2)
        row["U4"] = 1 - row["m4"] / (3 * row["m2"] ** 2)
        for name, exact in row.items():
            off, error = table[name][n] - exact, table[f"err_{name}"][n]
            if not abs(off) <= T_LIMIT * error:
                wrong.append(f"{name}({beta}): {table[name][n]:.8g}, exact {exact:.8g}, error {error:.2g}")
    return wrong


def wrong_orders(folder: Path, exact: Levels, shift: int = 0) -> list[str]:
    """|m| by energy that is off; `shift`: that of a higher energy, a fault."""
    _, table = read_table(folder / "FH_density.dat")
    energies = sorted(exact)
    wrong = []
    for e, m, count in zip(table["E"], table["|m|"], table["measurements"]):
        if e not in exact or not count > 0:
            continue
        level = exact[energies[min(energies.index(e) + shift, len(energies) - 1)]]
        error = math.sqrt(max(level.order[1] - level.order[0] ** 2, 0.0) * APART / count)
        if not abs(m - level.order[0]) <= 7 * error + 1e-10:
            wrong.append(f"|m| at E = {e}: {m:.6g}, exact {level.order[0]:.6g}, error {error:.2g}")
    return wrong


def more_states(exact: Levels) -> Levels:
    return {e: Level(exact[e].states * (3 if n % 3 == 1 else 2), exact[e].order) for n, e in enumerate(exact)}


def not_found(wrong: list[str]) -> list[str]:
    """Of a control."""
    return [] if wrong else ["not found"]


def judge(name: str, scratch: Path) -> dict[str, list[str]]:
    lines, options = GRAPHS[name]
    file = write(lines, scratch)
    exact, sites = exact_levels(file), max(max(i, j) for i, j, _ in lines) + 1
    where = LATTICES.get(name, "") or "--graph FILE"
    folder = simulate(f"{where.replace('FILE', str(file))} {options}", 2017, scratch)
    other = write([*lines[:-1], (*lines[-1][:2], "-3")], scratch)
    cases = {
        name: unready(folder, options) + wrong_states(folder, exact) + wrong_averages(folder, file, sites) + wrong_orders(folder, exact),
        f"control: another bond or field: {name}": not_found(wrong_states(folder, exact_levels(other))),
        f"control: every third energy with half as many states again: {name}": not_found(wrong_states(folder, more_states(exact))),
        f"control: averages with another bond or field: {name}": not_found(wrong_averages(folder, other, sites)),
        f"control: |m| of the next energy: {name}": not_found(wrong_orders(folder, exact, 1)),
    }
    if name in RANGES:
        lowest, highest, windows = RANGES[name]
        options += f" --lowest-energy {lowest} --highest-energy {highest} --windows {windows}"
        part = simulate(f"--graph {file} {options}", 2017, scratch)
        inside = {e: level for e, level in exact.items() if lowest <= e <= highest}
        ln_all = math.log(sum(level.states for level in inside.values()))
        cases[f"a range of energies: {name}"] = unready(part, options) + wrong_states(part, inside, ln_all) + wrong_orders(part, inside)
    return cases


# What is changed in reference/plain_graph.h, and how.
FAULTS = {
    "no fault": ("    int64_t along = g->h[i];\n    for (size_t n = 0; n < g->lines; n++) {", "    int64_t along = g->h[i];\n    for (size_t n = 0; n < g->lines; n++) {"),
    "a flip forgets the field": ("    int64_t along = g->h[i];\n    for (size_t n = 0; n < g->lines; n++) {", "    int64_t along = 0;\n    for (size_t n = 0; n < g->lines; n++) {"),
    "bonds are known to one of their ends": ("(g->i[n] != i && g->j[n] != i)", "g->i[n] != i"),
}


def fault(name: str, scratch: Path) -> bool:
    """Whether ln g of the chain is off by 0.2 on average, or energies are wrong, with the fault."""
    lines, _ = GRAPHS["chain in a field"]
    lines = [(i, j, str(round(2 * float(value)))) for i, j, value in lines]  # whole numbers
    graph = write(lines, scratch)
    source = (ROOT / "reference/plain_graph.h").read_text()
    right, wrong = FAULTS[name]
    assert source.count(right) == 1, name
    faulty = scratch / "faulty"
    faulty.mkdir(exist_ok=True)
    (faulty / "plain_graph.h").write_text(source.replace(right, wrong))
    (faulty / "plain_flat.c").write_text((ROOT / "reference/plain_flat.c").read_text())
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-ffp-contract=off", f"-I{ROOT}/reference"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, "-o", faulty / "flat", faulty / "plain_flat.c", "-lm"], check=True)
    done = subprocess.run(
        [faulty / "flat", *f"-m multicanonical -R 8 -t 10 -w 10 -i 50 -n 400 -I 8 -G {graph}".split()], stdout=subprocess.PIPE, text=True, check=False
    )
    exact = exact_levels(graph)
    found = {float(row[0]): float(row[1]) for row in map(str.split, done.stdout.splitlines()) if row[0] != "#"}
    if done.returncode != 0 or found.keys() != exact.keys():
        return True
    return sum(abs(found[e] - math.log(exact[e].states)) for e in exact) / len(exact) > 0.2


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        lines, _ = GRAPHS["chain in a field"]
        cases = {"a chain by all states": is_counted(write(lines, scratch), lines)}
        for name in GRAPHS:
            cases |= judge(name, scratch)
        for name in FAULTS:
            cases[f"planted: {name}"] = [] if fault(name, scratch) == (name != "no fault") else ["not as it should be"]
        return report(cases)


if __name__ == "__main__":
    sys.exit(main())
