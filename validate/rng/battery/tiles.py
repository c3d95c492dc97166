"""The Ising test at the papers' precision: rows of build/rng_tiles, and what their bins say."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from .programs import LEAST_S, Refused, run_within
from .streams import BUILD

PROGRAM = str(BUILD / "rng_tiles")
SITES = 1024 * 1024
BETA = 0.4
# Of L = 1024 at beta = 0.4, as `build/exact` prints: energy and specific heat per site.
EXACT_E = -1.1060792071
EXACT_C = 0.8616983594
ORIGIN = round(EXACT_E * SITES)  # from which build/rng_tiles counts energies
# The error of e of the published table.
TARGET = 1.5e-6
STEPS_OF_EXTERNAL = 50
FEWEST_BINS = 8
# Rows of a device: a generator and its sweeps of a tile a step (0: in sequence), and on the CPU the share of the time that it gets.
# Those of the CPU are made on a GPU, too, where they are named.
ROWS = {
    "gpu": tuple((name, 1, 1) for name in (
        "lcg32-skipped", "lcg32", "lcg64-skipped", "lcg64", "mwc1", "fibonacci-521", "fibonacci-1279", "xorwow", "mtgp32",
        "xorshift-weyl", "philox-7", "philox-10", "mrg32k3a",
    )) + tuple((name, 100, 1) for name in (
        "lcg32-skipped", "lcg32", "lcg64-skipped", "lcg64", "fibonacci-521", "fibonacci-1279",
    )),
    "cpu": (("lcg32-skipped", 0, 2), ("lcg64-skipped", 0, 1), ("fibonacci-521", 0, 1)),
}
# Of results/: `build/rng_tiles speed`, with 1e9 flips a second with 1 and with 100 sweeps of a tile a step; and rows of earlier runs.
SPEED = "speed.dat"
TABLE = "tiles.dat"
# A row gets somewhat more time than it should need, and no less than so many seconds. What a process takes before its first step.
SPARE, SHORTEST, BEGINNING = 1.15, 2, 1
# Of lattices that build/rng_tiles has side by side, at most; in sequence on a GPU.
SEEDS, SEEDS_IN_SEQUENCE = 16, 12672
# The earliest rows of results/tiles.dat do not name their seeds, which are smaller ones.
FIRST_SEED = 100001
# One sequence of 2^32 numbers is over after 4096 sweeps of a lattice of 2^20 sites. Bins of a seed share its numbers and are not
# independent: they count as one, and errors are those between seeds.
PERIODIC = ("lcg32-skipped",)
PERIODIC_SECONDS = 1  # of a process of tiles on a GPU, which has seeds of its own: several periods


def steps_of(hits: int, device: str) -> int:
    """Steps of a bin: many autocorrelation times, and a second or less on a GPU, seconds on the CPU."""
    if hits == 0:
        return 200
    return max(500, 20000 // hits) if device == "gpu" else 50


@dataclass(frozen=True)
class Bin:
    """Steps of a seed, and sums of D and of D^2 over them, D = E - ORIGIN."""

    steps: int
    sum: int
    squares: int
    seed: int


@dataclass(frozen=True)
class Row:
    """What the bins of a generator say, per site; errors are standard deviations. `seeds`, sums of D and D^2 and the commit are
    words of results/tiles.dat, "-" where they are not known."""

    steps: int
    bins: int
    e: float
    e_error: float
    c: float
    c_error: float
    seeds: str = "-"
    sums: str = "- -"
    commit: str = "-"

    def deviations(self) -> tuple[float, float]:
        """Of e and C from the exact values, in errors."""
        return (self.e - EXACT_E) / self.e_error, (self.c - EXACT_C) / self.c_error


def z_of_student(t: float, n: int) -> float:
    """The z-score as improbable as Student's t of n degrees of freedom (statistics.h)."""
    return math.copysign(math.sqrt(n * math.log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3), t)


def read_bins(lines: Sequence[str]) -> dict[tuple[str, int, str], list[Bin]]:
    """The bins of every generator, sweeps of a tile and device; a line that is there twice counts once."""
    bins: dict[tuple[str, int, str], list[Bin]] = defaultdict(list)
    for line in dict.fromkeys(lines):
        words = line.split()
        if len(words) == 7 and not line.startswith("#"):
            bins[words[0], int(words[1]), words[2]].append(Bin(*map(int, (*words[4:], words[3]))))
    return {key: a_bin_a_seed(of_row) if key[0] in PERIODIC else of_row for key, of_row in bins.items()}


def a_bin_a_seed(bins: Sequence[Bin]) -> list[Bin]:
    """Adds the bins of each seed."""
    added: dict[int, Bin] = {}
    for b in bins:
        a = added.get(b.seed, Bin(0, 0, 0, b.seed))
        added[b.seed] = Bin(a.steps + b.steps, a.sum + b.sum, a.squares + b.squares, b.seed)
    return list(added.values())


def specific_heat(steps: int, total: int, squares: int) -> float:
    """beta^2 N times the variance of e."""
    return BETA * BETA / SITES * (squares / steps - (total / steps) ** 2)


def evaluate(bins: Sequence[Bin], commit: str = "-") -> Row:
    """The error of e from the scatter of the bins, that of C by the jackknife over them."""
    count = len(bins)
    steps, total, squares = (sum(getattr(b, name) for b in bins) for name in ("steps", "sum", "squares"))
    mean = total / steps
    scatter = sum((b.steps * count / steps) ** 2 * (b.sum / b.steps - mean) ** 2 for b in bins)
    without = [specific_heat(steps - b.steps, total - b.sum, squares - b.squares) for b in bins]
    middle = sum(without) / count
    return Row(
        steps,
        count,
        (ORIGIN + mean) / SITES,
        math.sqrt(scatter / count / (count - 1)) / SITES,
        specific_heat(steps, total, squares),
        math.sqrt(sum((c - middle) ** 2 for c in without) * (count - 1) / count),
        f"{min(b.seed for b in bins)}-{max(b.seed for b in bins)}",
        f"{total} {squares}",
        commit,
    )


def combine(rows: Sequence[Row]) -> Row:
    """Rows of independent runs, each with the weight of its steps."""
    steps = sum(row.steps for row in rows)

    def mean(name: str) -> float:
        return sum(row.steps * getattr(row, name) for row in rows) / steps

    def error(name: str) -> float:
        return math.sqrt(sum((row.steps * getattr(row, name)) ** 2 for row in rows)) / steps

    bins = sum(row.bins for row in rows)
    return Row(steps, bins, mean("e"), error("e_error"), mean("c"), error("c_error"))


def last_seed(lines: Sequence[str]) -> int:
    """The largest seed of bins and rows."""
    words = [line.split() for line in lines if not line.startswith("#")]
    seeds = [int(w[3]) for w in words if len(w) == 7] + [int(w[3].split("-")[1] or 0) for w in words if len(w) == 13]
    return max(seeds, default=0)


def read_rows(lines: Sequence[str], commit: str = "-") -> dict[tuple[str, int, str], list[Row]]:
    """What lines say of every generator, sweeps of a tile and device: rows of tables of earlier runs, and bins, of this commit."""
    rows: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
    for line in dict.fromkeys(lines):
        words = line.split()
        if len(words) == 13 and not line.startswith("#"):
            row = Row(int(words[4]), int(words[5]), *map(float, words[8:12]), words[3], " ".join(words[6:8]), words[12])
            rows[words[0], int(words[1]), words[2]].append(row)
    for key, bins in read_bins(lines).items():
        if len(bins) > 1:
            rows[key].append(evaluate(bins, commit))
    for key, of_key in rows.items():
        refuse_common_seeds(key, of_key)
    return dict(rows)


def refuse_common_seeds(key: tuple[str, int, str], rows: Sequence[Row]) -> None:
    """Refuses two runs of a generator that may have a seed in common: they are no independent ones."""
    ranges = sorted([int(seed) for seed in row.seeds.split("-")] for row in rows if row.seeds != "-")
    for before, after in zip(ranges, ranges[1:]):
        if after[0] <= before[1]:
            raise Refused(f"{key[0]}:{key[1]}: two runs with seed {after[0]}")


def report(lines: Sequence[str], commit: str = "-") -> Iterator[str]:
    """The lines of results/tiles.dat: a row a run."""
    yield "# Ising test, L = 1024, beta = 0.4, tiles of 16 x 16: hits are sweeps of a tile a step, 0: sites in sequence"
    yield f"# exact: e {EXACT_E} C {EXACT_C}; sums of D and D^2 over all steps, D = E - ({ORIGIN}); -: not known"
    yield "# generator hits device seeds steps bins sum squares e error C error commit"
    for (name, hits, device), rows in read_rows(lines, commit).items():
        for r in rows:
            yield (
                f"{name} {hits} {device} {r.seeds} {r.steps} {r.bins} {r.sums} {r.e:.8f} {r.e_error:.8f} "
                f"{r.c:.5f} {r.c_error:.5f} {r.commit}"
            )


def summary(lines: Sequence[str]) -> Iterator[str]:
    """A line a generator: all its runs together."""
    yield "# generator hits device steps bins e error deviation C error deviation"
    for (name, hits, device), rows in read_rows(lines).items():
        row = combine(rows)
        off_e, off_c = row.deviations()
        yield (
            f"{name} {hits} {device} {row.steps} {row.bins} {row.e:.8f} {row.e_error:.8f} {off_e:.2f} "
            f"{row.c:.5f} {row.c_error:.5f} {off_c:.2f}"
        )


def judge_external(seconds: int, log: Path, largest_z: float) -> str:
    """The user's own generator on the CPU, on tiles and sequentially, for so many seconds each; whether both are exact:
    passed, FAILED or undecided."""
    bins = {}
    for hits in (1, 0):
        command = [PROGRAM, "ising", "external", str(hits), str(STEPS_OF_EXTERNAL), "1", "cpu", str(seconds)]
        done = run_within(command, LEAST_S + seconds, check=True, stdout=subprocess.PIPE)
        bins[hits] = done.stdout.splitlines()
    lines = [*bins[1], *bins[0]]
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("\n".join(lines) + "\n")
    print("\n".join(summary(lines)))
    return judge_rows([evaluate(of_row) for of_row in read_bins(lines).values() if len(of_row) >= FEWEST_BINS], seconds, largest_z)


def judge_rows(rows: Sequence[Row], seconds: int, largest_z: float) -> str:
    """The verdict on the rows of both orders that have enough bins: a wrong one is enough to fail."""
    if any(abs(z_of_student(z, row.bins - 1)) > largest_z for row in rows for z in row.deviations()):
        return "FAILED"
    if len(rows) < 2:
        print(f"# Ising test: fewer than {FEWEST_BINS} bins in {seconds} s: SECONDS= longer")
        return "undecided"
    return "passed"


def read_log(log: Path) -> list[str]:
    """The lines of bins so far."""
    return log.read_text().splitlines() if log.exists() else []


def steps_wanted(hits: int) -> float:
    """Steps to the published error of e. The error squared times the steps is that of rows of generators without faults, and
    does not depend on the generator: sweeps of the same tile soon tell nothing new."""
    return 7.2e-6 * (1 + 3 / hits) / TARGET**2


def step_seconds(hits: int, rates: Sequence[float]) -> float:
    """Of a lattice on a GPU, from 1e9 flips a second with 1 and with 100 sweeps of a tile a step."""
    one, hundred = (1e-9 * SITES * sweeps / rate for sweeps, rate in zip((1, 100), rates))
    return one + (hundred - one) * (hits - 1) / 99


def unfinished(device: str, lines: Sequence[str]) -> list[tuple[str, int, int]]:
    """Rows of the device whose error of e is larger than that of the published table."""
    rows = {key: combine(of_key) for key, of_key in read_rows(lines).items()}
    errors = {key: row.e_error for key, row in rows.items() if row.bins >= FEWEST_BINS}
    return [row for row in ROWS[device] if errors.get((row[0], row[1], device), math.inf) > TARGET]


def seconds_left(
    rows: Sequence[tuple[str, int, int]], lines: Sequence[str], speed: Sequence[str]
) -> list[tuple[str, int, float]]:
    """What unfinished rows need on a GPU, those that need least first, as so most rows end; periodic ones, whose error is that of
    seeds, last. One that should have ended gets a tenth of all its steps more."""
    known = read_rows(lines)
    rates = {line.split()[0]: [float(word) for word in line.split()[-2:]] for line in speed if line[:1] != "#"}
    left = []
    for name, hits, _ in rows:
        done, wanted = sum(row.steps for row in known.get((name, hits, "gpu"), [])), steps_wanted(hits)
        steps = max(wanted - done, wanted / 10)
        left.append((name, hits, max(SHORTEST, SPARE * steps * step_seconds(hits, rates[name]))))
    return sorted(left, key=lambda row: (row[0] in PERIODIC, row[2]))


def named(words: Sequence[str], seconds: float) -> list[tuple[str, int, float]]:
    """Rows that are named GENERATOR:HITS, with the same part of the time each."""
    rows = []
    for word in words:
        name, _, hits = word.partition(":")
        if not name or not hits.isdigit():
            raise Refused(f"'{word}': GENERATOR:HITS")
        rows.append((name, int(hits), seconds / len(words)))
    return rows


def plan_gpu(rows: Sequence[tuple[str, int, float]], seconds: float) -> list[tuple[str, int, float, int]]:
    """Generator, hits, seconds and number, from 0, of each process: one row after another, with the seconds that it needs while
    there are any. A periodic generator has short processes."""
    each = []
    for name, hits, needed in rows:
        left = min(needed + BEGINNING, seconds)
        count = max(1, int(left / (PERIODIC_SECONDS + BEGINNING))) if name in PERIODIC and hits > 0 else 1
        length = left / count - BEGINNING
        if length >= 1 or not each:
            each += [(name, hits, length)] * count
            seconds -= left
    return [(*process, n) for n, process in enumerate(each)]


def plan_cpu(rows: Sequence[tuple[str, int, float]], seconds: float, at_once: int) -> list[tuple[str, int, float, int]]:
    """The same, all side by side: a row as often as its share of the cores says."""
    shares = sum(share for _, _, share in rows) or 1
    copies = [max(1, int(at_once * share / shares)) for _, _, share in rows]
    length = seconds / max(1, math.ceil(sum(copies) / at_once))
    each = [(name, hits, length) for (name, hits, _), count in zip(rows, copies) for _ in range(count)]
    return [(*process, n) for n, process in enumerate(each)]


def run(seconds: int, words: Sequence[str], device: str, at_once: int, log: Path, results: Path) -> bool:
    """Appends to the log bins of the rows, or of all that are not finished, for so many seconds together: with seeds that
    neither it nor the table in the folder of earlier results has. Whether no process failed."""
    if device not in ROWS:
        raise Refused(f"DEVICE={device}: gpu or cpu")
    lines = read_log(results / TABLE) + read_log(log)
    rows, left = named(words, seconds), unfinished(device, lines)
    if device == "gpu":
        tasks = plan_gpu(rows or seconds_left(left, lines, read_log(results / SPEED)), seconds)
    else:
        tasks = plan_cpu(rows or left, seconds, at_once)
    first = max(FIRST_SEED, last_seed(lines) + 1)
    apart = SEEDS_IN_SEQUENCE if device == "gpu" and any(hits == 0 for _, hits, *_ in tasks) else SEEDS
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"} if device == "cpu" else None

    def process(task: tuple[str, int, float, int]) -> int:
        name, hits, length, n = task
        command = [PROGRAM, "ising", name, str(hits), str(steps_of(hits, device)), str(first + n * apart), device]
        command.append(str(max(1, round(length))))
        print("#", *command, file=sys.stderr, flush=True)
        with log.open("a", encoding="ascii") as file:
            return subprocess.run(command, check=False, stdout=file, env=environment).returncode

    with ThreadPoolExecutor(1 if device == "gpu" else at_once) as pool:
        return not any(pool.map(process, tasks))
