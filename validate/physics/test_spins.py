#!/usr/bin/env python3
"""What the program makes of spins: series and states of flat histograms (--record states), and observables of spins by energy and by temperature in
microcanonical annealing (--spin-observables).

    test_spins.py [BUILD]

Each row of FH_series.dat has the energy, |m|, sub-lattices, polarisation and largest cluster that this page makes of the same row of FH_spins.npy, on lattices of
different edges in two and three dimensions; walkers are all there at each measurement, with energies of their windows; their numbers and means of |m| by energy are those of FH_density.dat.

On 3 x 3 all states are enumerated. Means, mean squares and mean fourth powers at some temperatures are within the limit of Student's t with one degree of freedom
fewer than there are runs, which together they exceed with a probability of 1e-6; means by energy give those by temperature. So are those of clusters of a graph with fields, and of an open lattice. Seeds are fixed.

Planted faults that must be found: spins of the next row; clusters that do not go around the edges; a polarisation with a neighbour left out; another sub-lattice; a graph without one of its bonds.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import itertools
import math
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402
from test_states import ISING_BONDS, RUNS, States, averages, beyond, compare_orders, missed, simulate, write_ising, z_of  # noqa: E402

State = tuple[int, ...]  # of each site: 0 .. q - 1, or the spin
Values = dict[str, float]
MOMENTS = ("", "2", "4")


class Lattice:
    """Sites row by row, periodic."""

    def __init__(self, *edges: int) -> None:
        self.edges = edges
        self.places = list(itertools.product(*map(range, edges[::-1])))  # z, y, x
        self.number = {place: i for i, place in enumerate(self.places)}

    def step(self, i: int, d: int) -> int:
        """The site behind site i in direction d, 0 for x."""
        place = list(self.places[i])
        at = len(place) - 1 - d
        place[at] = (place[at] + 1) % self.edges[d]
        return self.number[tuple(place)]

    def bonds(self) -> list[tuple[int, int]]:
        return [(i, self.step(i, d)) for i in range(len(self.places)) for d in range(len(self.edges))]

    def open_bonds(self) -> list[tuple[int, int]]:
        return [(i, j) for i, j in self.bonds() if j > i]


def triangles(lattice: Lattice) -> list[tuple[int, int, int]]:
    """Two of each site: with the sites at x + 1 and y + 1, and with those at y + 1 and x - 1, y + 1."""
    lx, ly = lattice.edges

    def site(x: int, y: int) -> int:
        return y % ly * lx + x % lx

    return [(site(x, y), site(x, y + 1), other) for y in range(ly) for x in range(lx) for other in (site(x + 1, y), site(x - 1, y + 1))]


def sub_lattices(lattice: Lattice) -> list[int]:
    """Sites of a triangle are on different ones; sites 0, 1 and 2 are on a, b and c."""
    of = {0: 0, 1: 1, 2: 2}
    while len(of) < len(lattice.places):
        for triangle in triangles(lattice):
            known = [of[i] for i in triangle if i in of]
            if len(known) == 2:
                of |= {i: 3 - sum(known) for i in triangle if i not in of}
    return [of[i] for i in range(len(lattice.places))]


def polarisations(lattice: Lattice, spins: State, fewer: bool = False) -> list[int]:
    """P of each sub-lattice: pairs of its spins and those on the next one that a triangle joins, once for each of the two."""
    of, twice = sub_lattices(lattice), [0, 0, 0]
    for triangle in triangles(lattice)[int(fewer) :]:
        for i, j in itertools.permutations(triangle, 2):
            twice[of[i]] += spins[i] * spins[j] * ((of[i] + 1) % 3 == of[j])
    return [x // 2 for x in twice]


def of_triangles(lattice: Lattice, spins: State, fewer: bool = False) -> Values:
    sites, of = len(spins), sub_lattices(lattice)
    m = [sum(s for s, k in zip(spins, of) if k == n) for n in range(3)]
    p = polarisations(lattice, spins, fewer)
    return {
        "m_s": math.sqrt(3 * sum(x * x for x in m)) / sites,
        "p_s": math.sqrt(sum(x * x for x in p) / 3) / sites,
        **{f"m_{name}": 3 * abs(x) / sites for name, x in zip("abc", m)},
    }


def largest(bonds: list[tuple[int, int]], spins: State) -> float:
    """The part of the sites in the largest cluster of equal spins."""
    around: dict[int, set[int]] = {i: set() for i in range(len(spins))}
    for i, j in bonds:
        if spins[i] == spins[j]:
            around[i].add(j)
            around[j].add(i)
    most, left = 0, set(around)
    while left:
        ends = [left.pop()]
        size = 1
        while ends:
            more = around[ends.pop()] & left
            left -= more
            size += len(more)
            ends += more
        most = max(most, size)
    return most / len(spins)


# --- each row of a series ---


class Model:
    """What the spins of a replica are worth."""

    def __init__(self, words: str, *edges: int, couplings: dict[tuple[int, int], int] | None = None) -> None:
        self.words, self.lattice, self.couplings = words, Lattice(*edges), couplings

    def spins(self, stored: bytes) -> State:
        sites = len(self.lattice.places)
        if "potts" in self.words:
            return tuple(stored)
        if "blume" in self.words:
            return tuple(s - 1 for s in stored)
        if "baxter" in self.words:
            return tuple(2 * s - 1 for s in stored)
        return tuple(2 * (stored[i // 8] >> i % 8 & 1) - 1 for i in range(sites))

    def energy(self, s: State) -> float:
        if "baxter" in self.words:
            return -sum(s[i] * s[j] * s[k] for i, j, k in triangles(self.lattice))
        if "potts" in self.words:
            return -sum(s[i] == s[j] for i, j in self.lattice.bonds())
        J = self.couplings or dict.fromkeys(self.lattice.bonds(), 1)
        field = 1.3 if "blume" in self.words else 0
        return -sum(J[i, j] * s[i] * s[j] for i, j in self.lattice.bonds()) + field * sum(x * x for x in s)

    def order(self, s: State) -> float:
        q = 3
        if "potts" in self.words:
            return (q * max(Counter(s).values()) / len(s) - 1) / (q - 1)
        return abs(sum(s)) / len(s)

    def values(self, s: State) -> Values:
        if "glass" in self.words:
            return {"E": self.energy(s)}
        rest = of_triangles(self.lattice, s) if "baxter" in self.words else {"cluster": largest(self.lattice.bonds(), s)}
        return {"E": self.energy(s), "|m|": self.order(s), **rest}


MODELS = [
    Model("", 4, 6),
    Model("--model cubic", 4, 6, 4),
    Model("--model potts2d", 5, 4),
    Model("--model potts3d", 3, 4, 5),
    Model("--model blume-capel2d --crystal-field 13/10", 4, 5),
    Model("--model baxter-wu", 6, 9),
    Model("--model glass2d --disorder 3", 4, 6),
]


def read_npy(path: Path) -> list[bytes]:
    """Rows of an array of bytes."""
    data = path.read_bytes()
    begin = 10 + int.from_bytes(data[8:10], "little")
    rows, columns = (int(x) for x in data[10:begin].split(b"(")[1].split(b")")[0].split(b",")[:2])
    assert len(data) == begin + rows * columns
    return [data[begin + n * columns : begin + (n + 1) * columns] for n in range(rows)]


def differences(model: Model, table: dict[str, list[float]], states: list[bytes]) -> list[str]:
    """Columns of a series that are not what the spins say."""
    wrong: Counter[str] = Counter()
    for n, stored in enumerate(states):
        values = model.values(model.spins(stored))
        wrong.update(name for name, x in values.items() if not abs(table[name][n] - x) < 1e-9)
        wrong.update(name for name in table if name not in values and name not in ("step", "window", "walker"))
    return [f"{name}: {count} of {len(states)} rows" for name, count in wrong.items()]


def by_energy(table: dict[str, list[float]], density: dict[str, list[float]]) -> list[str]:
    """Numbers of walkers and means of |m| that are not those of FH_density.dat."""
    found: dict[float, list[float]] = {}
    for e, m in zip(table["E"], table["|m|"]):
        found.setdefault(round(e, 6), []).append(m)
    wrong = []
    for e, count, m in zip(density["E"], density["measurements"], density["|m|"]):
        values = found.pop(round(e, 6), [])
        if len(values) != count or (values and not abs(sum(values) / len(values) - m) < 1e-9):
            wrong.append(f"E = {e}: {len(values)} walkers, {count} in FH_density.dat")
    return wrong + [f"E = {e} is not in FH_density.dat" for e in found]


def series(model: Model, scratch: Path) -> dict[str, list[str]]:
    name = model.words or "Ising"
    folder, edges = scratch / "series", "x".join(map(str, model.lattice.edges))
    measurements, walkers = 40, 6
    simulate(
        folder,
        f"--method multicanonical {model.words} -L {edges} -R {walkers // 2} --windows 2 -t 2 --thermalisation 0 --iterations 2 --iteration-length 20 "
        f"--measurements {measurements} --record states --force",
    )
    if "glass" in name:
        numbers = [line.split() for line in (folder / "PA_couplings.dat").read_text().splitlines() if not line.startswith("#")]
        place = model.lattice.number
        model.couplings = {
            (place[int(y), int(x)], model.lattice.step(place[int(y), int(x)], int(d))): int(J) for x, y, _, d, J in numbers
        }
    table, states = read_table(folder / "FH_series.dat")[1], read_npy(folder / "FH_spins.npy")
    wrong = differences(model, table, states)
    wrong += [] if len(states) == measurements * walkers == len(table["E"]) else [f"{len(states)} states and {len(table['E'])} rows"]
    for t in range(measurements):
        rows = slice(t * walkers, (t + 1) * walkers)
        if sorted(table["walker"][rows]) != list(range(walkers)) or table["window"][rows] != [0] * 3 + [1] * 3 or set(table["step"][rows]) != {t + 1}:
            wrong.append(f"measurement {t + 1}: walkers {table['walker'][rows]}")
    shared = read_table(folder / "FH_exchanges.dat")[1]
    moved = sum(table["walker"][n] != table["walker"][n + walkers] for n in range(len(states) - walkers)) / 2
    if not 0 < moved <= shared["accepted"][0] <= moved + 3:
        wrong.append(f"walkers change places {moved} times, and {shared['accepted'][0]} exchanges were accepted")
    beside = [e for e, w in zip(table["E"], table["window"]) if (e > shared["highest"][0] + 1e-9 if w == 0 else e < shared["lowest"][0] - 1e-9)]
    wrong += [f"energies outside of the window: {beside}"] if beside else []
    cases = {f"series and states: {name}": wrong}
    if "glass" not in name:
        cases[f"series by energy: {name}"] = by_energy(table, read_table(folder / "FH_density.dat")[1])
    cases[f"control: spins of the next row: {name}"] = [] if differences(model, table, states[1:]) else ["not found"]
    return cases


# --- all states of 3 x 3 ---


def counted(spins: tuple[int, ...], energy: Callable[[State], float], value: Callable[[State], Values]) -> dict[str, States]:
    """Of each observable how many states have this E and this value."""
    found: dict[str, Counter[tuple[float, float]]] = {}
    for s in itertools.product(spins, repeat=9):
        e = energy(s)
        for name, x in value(s).items():
            found.setdefault(name, Counter())[e, round(x, 10)] += 1
    return dict(found)


def compare(table: dict[str, list[float]], exact: dict[str, States]) -> dict[str, float]:
    z = {}
    for k, beta in enumerate(table["beta"]):
        for name, states in exact.items():
            _, _, mean, _, square, fourth = averages(states, beta)
            for power, value in zip(MOMENTS, (mean, square, fourth)):
                z[f"{name}{power}({beta:.3g})"] = z_of(table[name + power][k] - value, table[f"err_{name}{power}"][k], RUNS - 1)
    return z


def as_order(table: dict[str, list[float]], name: str) -> dict[str, list[float]]:
    """A table with this observable in place of |m|."""
    return {**table, "|m|": table[name], "m2": table[f"{name}2"], "m4": table[f"{name}4"]}


def microcanonical(scratch: Path) -> dict[str, list[str]]:
    lattice, cases = Lattice(3, 3), {}
    for words, spins, end in (("--model baxter-wu", (-1, 1), 0.6), ("--model potts2d", (0, 1, 2), 1.6), ("--model square", (-1, 1), 0.8)):
        model, folder = Model(words, 3, 3), scratch / "ceilings"
        options = f"{words} --method microcanonical -L 3 -R 200 -t 2 -M {RUNS} -f {end} -d {end / 4} -s 5 --force"
        simulate(folder, f"{options} --spin-observables")
        entropy, rows = (read_table(folder / file)[1] for file in ("MA_entropy.dat", "MA_results.dat"))
        exact = counted(spins, model.energy, lambda s: {k: x for k, x in model.values(s).items() if k not in ("E", "|m|")})
        cases[f"observables of spins: {words}"] = beyond(compare(rows, exact))
        cases[f"... by energy and by temperature: {words}"] = [x for name in exact for x in compare_orders(as_order(entropy, name), as_order(rows, name))]
        cases[f"control: those of the next energy: {words}"] = [
            f"{name}: not found" for name in exact if not compare_orders(as_order(entropy, name), as_order(rows, name), 1)
        ]
        if "baxter" in words:
            fewer = counted(spins, model.energy, lambda s: {"p_s": of_triangles(lattice, s, True)["p_s"]})
            cases["control: a polarisation with neighbours left out"] = missed(compare(rows, fewer))
            other = counted(spins, model.energy, lambda s: {"m_a": abs(sum(s[:3])) / 3})
            cases["control: a row in place of a sub-lattice"] = missed(compare(rows, other))
        elif "potts" in words:
            cut = counted(spins, model.energy, lambda s: {"cluster": largest(lattice.open_bonds(), s)})
            cases["control: clusters that do not go around the edges"] = missed(compare(rows, cut))
        plain = scratch / "plain"
        simulate(plain, options)
        named = {name: column for name, column in read_table(plain / "MA_results.dat")[1].items()}
        cases[f"the other columns stay: {words}"] = [name for name, column in named.items() if column != rows[name]]
    return cases


def graph(scratch: Path) -> dict[str, list[str]]:
    """Clusters of a graph with fields, and of an open lattice."""
    write_ising(scratch / "graph")
    of_graph = [(i, j) for i, j, _ in ISING_BONDS]
    fields = lambda s: -sum(J * s[i] * s[j] for i, j, J in ISING_BONDS) - sum(s[::2])  # noqa: E731
    ends = Lattice(3, 3).open_bonds()
    cases = {}
    for name, words, energy, bonds in (
        ("a graph", f"--graph {scratch / 'graph'} --couplings-format ours", fields, of_graph),
        ("an open lattice", "-L 3 --boundary open", lambda s: -sum(s[i] * s[j] for i, j in ends), ends),
    ):
        folder = scratch / "bonds"
        simulate(folder, f"{words} --method microcanonical -R 200 -t 2 -M {RUNS} -f 0.8 -d 0.2 -s 5 --spin-observables --force")
        exact = counted((-1, 1), energy, lambda s: {"cluster": largest(bonds, s)})
        cases[f"clusters of {name}"] = beyond(compare(read_table(folder / "MA_results.dat")[1], exact))
        fewer = counted((-1, 1), energy, lambda s: {"cluster": largest(bonds[1:], s)})
        cases[f"control: a bond left out of {name}"] = missed(compare(read_table(folder / "MA_results.dat")[1], fewer))
    return cases


def threads(scratch: Path) -> list[str]:
    """One thread and three give the same bytes."""
    wrong = []
    for words in (
        "--method microcanonical --model baxter-wu -L 6 -R 50 -t 1 -M 2 -f 0.4 -d 0.2 --spin-observables",
        "--method wang-landau --iterations 2 --model potts2d -L 5 -R 7 -t 1 --measurements 20 --record states",
    ):
        for count in ("1", "3"):
            simulate(scratch / f"threads{count}", f"{words} --force", count)
        for file in sorted((scratch / "threads1").iterdir()):
            if file.name != "run.json" and file.read_bytes() != (scratch / "threads3" / file.name).read_bytes():
                wrong.append(f"{words}: {file.name}")
        wrong += [] if len(list((scratch / "threads1").iterdir())) > 3 else [words]
    return wrong


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        cases = {name: wrong for model in MODELS for name, wrong in series(model, scratch).items()}
        return report({**cases, **microcanonical(scratch), **graph(scratch), "threads": threads(scratch)})


if __name__ == "__main__":
    sys.exit(main())
