"""A model of the time of a step on P ranks, each with a GPU and the same number of replicas, and a simulation of what
they exchange: perf/results/ranks-model/tables.md shows what comes of it.

The constants are measured ones, in constants.dat: reductions and copies on one host. The replicas that change their rank
are counted by build/exchange_volume, on real copies, in exchange.dat; the time of a flip is that of the benchmark.
What is assumed, of a network between hosts, is named there, too.
"""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.book import fit_line
from bench.common import Failed, data_lines, publish
from bench.results import Row, read_results
from bench.tables import align, markdown, paragraph

PROGRAM = Path("build/exchange_volume")
BENCHMARK = Path("perf/results/nvidia-h200")
SIMULATIONS = (  # L R theta beta_end P...
    "32 1048576 1 0.5 10 32 100 320 1000 3200 10000",
    "64 8192 1 0.5 8 32",
    "64 32768 1 0.5 8 32",
    "64 65536 1 0.5 2 4 8 32 128 512",
    "64 262144 1 0.5 8 32 128",
    "64 16384 10 0.5 8 32",
    "64 65536 10 0.5 2 4 8 32 128 512",
)

# What is modelled: L = 64, steps of 0.005 in beta.
SITES = 64 * 64
REPLICAS = 10**5  # a rank
THETAS = (1, 10, 100)
LEVELS = 400  # occupied: some 8 standard deviations of the energy, the most near the critical point
REPORT = 256 * (7 + 2 + 3) + 5 * LEVELS  # numbers: sums over blocks, founders and parents, and over levels
COUNTED = LEVELS + 2 * (LEVELS // 8 + 8)  # levels: those that are guessed, before it is known which are occupied
COMMAND_NUMBERS = 19  # an order, one a step that others wait for, with tau-hat of the levels counted
REPLICA_BYTES = SITES // 8 + 12  # with a place and a family
RANKS = [2**n for n in range(14)] + [10**4]
PARTS = "order count exchange walk reduce".split()


@dataclass
class Constants:
    """Times in seconds."""

    latency: float  # a level of a tree in a host
    number: float  # of it, for each int64
    copy_latency: float
    copy_rate: float  # bytes a second
    network_latency: float
    network_rate: float
    host: int  # ranks


def read_constants(folder: Path) -> Constants:
    """The constants, by straight lines through what was measured: the time of a level of a reduction against its
    numbers, that of a copy against its bytes."""
    rows = [line.split() for line in data_lines((folder / "constants.dat").read_text())]
    levels = [(float(n), 1e-6 * float(t) / math.log2(float(P))) for what, P, n, t in rows if what == "allreduce"]
    copies = [(float(n), 1e-6 * float(t)) for what, _, n, t in rows if what == "peer"]
    assumed = {n: float(t) for what, _, n, t in rows if what == "network"}
    tree, copy = fit_line(levels), fit_line(copies)
    if not tree or not copy:
        raise Failed(f"{folder / 'constants.dat'}: too few measurements")
    return Constants(tree[0], tree[1], copy[0], 1 / copy[1], 1e-6 * assumed["latency"], 1e9 * assumed["rate"],
                     int(assumed["host"]))


def read_exchange(folder: Path) -> list[Row]:
    """What the simulations counted."""
    text = (folder / "exchange.dat").read_text().splitlines()
    names = next(line[2:].split() for line in text if line.startswith("# L "))
    return [dict(zip(names, line.split())) for line in text if not line.startswith("#")]


def crossing(row: Row) -> float:
    """c, where c sqrt(R x (1 - x)) replicas cross a boundary at x R, on the average over steps."""
    P, R = int(row["P"]), float(row["R"])
    bridge = sum(math.sqrt(R * b / P * (1 - b / P)) for b in range(P))
    return float(row["crossing"]) * P / bridge


def worst(row: Row) -> float:
    """What crosses in the worst step over the average."""
    return float(row["worst_step"]) / float(row["crossing"])


def exchange_of(rows: list[Row], theta: int) -> Row:
    """The simulation for theta: of its sweeps, or the most there are; of the largest population on the most ranks, which
    have the most boundaries."""
    return [row for row in rows if row["L"] == "64" and int(row["theta"]) <= theta][-1]


# --- the model ---


def levels_of(c: Constants, P: int) -> tuple[float, float]:
    """Levels of a tree of P ranks: within hosts, and between them."""
    return math.log2(min(P, c.host)), math.log2(max(P / c.host, 1))


def tree(c: Constants, P: int, numbers: float) -> float:
    """A reduction or a broadcast by a tree that takes each host together first."""
    inside, between = levels_of(c, P)
    return inside * (c.latency + c.number * numbers) + between * (
        c.network_latency + (c.number + 8 / c.network_rate) * numbers)


def flat(c: Constants, P: int, numbers: float) -> float:
    """The same by a tree that does not know hosts: all levels are between them where there are several."""
    if P <= c.host:
        return tree(c, P, numbers)
    return math.log2(P) * (c.network_latency + (c.number + 8 / c.network_rate) * numbers)


def divided(c: Constants, P: int, numbers: float) -> float:
    """The same in pieces, each rank adding up its own, then collected: every number passes twice, not log2 P times."""
    inside, between = levels_of(c, P)
    rate = 8 / c.network_rate if P > c.host else 0
    return 2 * (inside * c.latency + between * c.network_latency) + 2 * (c.number + rate) * numbers * (1 - 1 / P)


def gather(c: Constants, P: int, each: int) -> float:
    """What all ranks say to all: the bytes of one double at each level."""
    inside, between = levels_of(c, P)
    return inside * c.latency + between * c.network_latency + P * each / c.network_rate * (P > 1)


def crossed(P: int, factor: float) -> float:
    """Replicas that cross the boundary in the middle."""
    return factor * math.sqrt(REPLICAS * P) / 2 * (P > 1)


def parts_of(c: Constants, P: int, factor: float, walk_ns: float) -> dict[str, float]:
    """The times of a step beside the sweeps, in seconds."""
    latency, rate = (c.copy_latency, c.copy_rate) if P <= c.host else (c.network_latency + c.copy_latency, c.network_rate)
    hops = max(1, math.ceil(crossed(P, factor) / REPLICAS))
    return {"order": tree(c, P, COMMAND_NUMBERS + COUNTED),
            "count": gather(c, P, 8),
            "exchange": (hops * latency + crossed(P, factor) * REPLICA_BYTES / rate) * (P > 1),
            "walk": 2e-9 * walk_ns * (P - 1),
            "reduce": tree(c, P, (COUNTED + 1) / 2)}


def sweep_seconds() -> dict[int, float]:
    """The time of a step of one GPU by theta, from t_SF of the benchmark at the same R."""
    rows = read_results(BENCHMARK).rows
    found = {int(row["theta"]): float(row["t_SF/ps"]) for row in rows
             if (row["coding"], row["L"], row["R"], row["stages"], row["mode"]) == ("msc", "128", "100000", "fused", "independent")}
    return {theta: 1e-12 * SITES * REPLICAS * theta * found[theta] for theta in THETAS}


@dataclass
class Model:
    """The model with its numbers."""

    constants: Constants
    rows: list[Row]
    sweeps: dict[int, float]

    def parts(self, P: int, theta: int, of_worst: bool = False) -> dict[str, float]:
        row = exchange_of(self.rows, theta)
        walk = sum(float(row["walk/ns"]) for row in self.rows) / len(self.rows)
        return parts_of(self.constants, P, crossing(row) * (worst(row) if of_worst else 1), walk)

    def efficiency(self, P: int, theta: int) -> float:
        """In %."""
        return 100 * self.sweeps[theta] / (self.sweeps[theta] + sum(self.parts(P, theta).values()))

    def breaks(self, part: str, theta: int) -> int | None:
        """The ranks, up to 10^6, from which on a part takes more than 5% of the sweeps; None: never."""
        return next((P for P in (int(2**(n / 4)) for n in range(4, 81))
                     if self.parts(P, theta)[part] > 0.05 * self.sweeps[theta]), None)


def open_model(folder: Path) -> Model:
    """The model of the constants and simulations in a folder."""
    return Model(read_constants(folder), read_exchange(folder), sweep_seconds())


# --- tables ---


def table_constants(m: Model) -> tuple[str, str, list[list[str]]]:
    c = m.constants
    lines = [["a level of a tree in a host", f"{1e6 * c.latency:.2f} us"],
             ["and for each number", f"{1e9 * c.number:.2f} ns"],
             ["a copy from GPU to GPU in a host", f"{1e6 * c.copy_latency:.1f} us, {1e-9 * c.copy_rate:.0f} GB/s"],
             ["a message between hosts (assumed)", f"{1e6 * c.network_latency:.1f} us, {1e-9 * c.network_rate:.0f} GB/s"],
             ["GPUs a host (assumed)", str(c.host)],
             ["to find what one other rank has of one's children", f"{m.parts(3, 1)['walk'] / 4 * 1e9:.0f} ns"]]
    lines += [[f"sweeps of a step, theta = {theta}", f"{1e6 * t:.0f} us"] for theta, t in m.sweeps.items()]
    lines += [[f"c, theta = {theta}; in the worst step", f"{crossing(row):.2f}; {crossing(row) * worst(row):.1f}"]
              for theta, row in ((theta, exchange_of(m.rows, theta)) for theta in (1, 10))]
    return "", "what time", lines


def table_steps(m: Model) -> tuple[str, str, list[list[str]]]:
    lines = []
    for P in RANKS:
        parts = m.parts(P, 1)
        cells = [str(P), *(f"{1e6 * parts[name]:.1f}" for name in PARTS), f"{1e6 * m.parts(P, 1, True)['exchange']:.1f}"]
        lines.append(cells + [f"{m.efficiency(P, theta):.1f}" for theta in THETAS])
    head = (f"L = 64, {REPLICAS} replicas a GPU, steps of 0.005: microseconds of a step beside the sweeps, at theta = 1, and "
            "the weak efficiency in % by theta. worst: the exchange of the worst step.")
    return head, "P " + " ".join(PARTS) + " worst " + " ".join(f"theta={theta}" for theta in THETAS), lines


def table_breaks(m: Model) -> tuple[str, str, list[list[str]]]:
    lines = [[part, *(str(m.breaks(part, theta) or "-") for theta in THETAS)] for part in PARTS]
    return "Ranks from which on a part takes more than 5% of the sweeps' time.", "part " + " ".join(
        f"theta={theta}" for theta in THETAS), lines


def table_reductions(m: Model) -> tuple[str, str, list[list[str]]]:
    c = m.constants
    lines = [[str(P), *(f"{1e6 * way(c, P, REPORT):.1f}" for way in (flat, tree, divided))] for P in RANKS[1:]]
    head = f"Microseconds to add up the {REPORT} numbers of a report: by a tree that does not know hosts, by one that adds up each host first, and in pieces."
    return head, "P flat hosts pieces", lines


def table_exchange(m: Model) -> tuple[str, str, list[list[str]]]:
    columns = "L R theta P sent crossing independent alike worst_step at_beta worst_rank hops".split()
    head = ("Steps of 0.005 in beta from 0 to 0.5; replicas, on the average over steps and ranks. sent: to other ranks; "
            "crossing: children over the boundary below a rank; independent: what would cross if copies were drawn "
            "independently; alike: the ratio of the two; worst_step: crossing in the worst step, at_beta; worst_rank: the "
            "most that one rank sent in any; hops: the farthest, in ranks.")
    return head, " ".join(columns), [[row[name] for name in columns] for row in m.rows]


TABLES = {"constants": table_constants, "steps": table_steps, "breaks": table_breaks, "reductions": table_reductions,
          "exchange": table_exchange}


def render_model(m: Model, name: str, form: str) -> str:
    """A table of TABLES in a form, dat or md."""
    head, columns, lines = TABLES[name](m)
    text = (markdown if form == "md" else align)(columns.split(), lines)
    return (paragraph(head, form) if head else "") + text


def simulate(folder: Path) -> None:
    """Counts the exchange anew, into exchange.dat."""
    lines: list[str] = []
    for words in SIMULATIONS:
        print(PROGRAM, words, file=sys.stderr)
        done = subprocess.run([str(PROGRAM), *words.split()], stdout=subprocess.PIPE, check=False, text=True)
        if done.returncode != 0:
            raise Failed(f"{PROGRAM} {words}: status {done.returncode}")
        head, *rows = done.stdout.splitlines()
        lines = lines or [head]
        lines += rows
    publish(folder / "exchange.dat", "\n".join(lines) + "\n")
