#!/usr/bin/env python3
"""make critical: the critical temperature of the 3D glass, J = +1 or -1, by tempering and by annealing on the same samples.

    critical.py           PROFILE=small (default: two cores, minutes) or full (a GPU); DEVICE=cpu, cuda; SAMPLES=K of each size at most;
                          SECONDS=N: begins nothing after N seconds; repeat it until all is there
    critical.py FOLDER    the fits alone, of the blocks in FOLDER
    critical.py FOLDER --more L=K ...   the errors that fits of tempering would have with K times the samples of size L: resamplings
                          draw so many more blocks

Tempering makes samples in words of 32, two chains each, of which sums over the second half of the measurements are kept (--record bins);
annealing makes the first ones of them. Means of q2, q4 and |q(k)|^2 over blocks of samples go to METHOD-L.dat, a line a block.

U4 = [q4] / [q2]^2 and xi/L of two successive sizes cross at T*, which is linear interpolation between temperatures. T* goes to T_c as
T* = T_c + a L^-x, L the smaller size, x = omega + 1/nu. With four crossings and more x is free; and beside it fixed, x = 1.51 (omega = 1.12,
1/nu = 0.39: M. Baity-Jesi and others, Phys. Rev. B 88, 224416, 2013, whose T_c is 1.1019(29)). Fits of U4 and of xi/L share T_c and x. Errors are
those of a bootstrap over blocks of samples, 200 resamplings by a fixed seed: of each the crossings and the fits are made anew. Of a fit
there is the interval of the middle 68% beside the standard deviation, which few resamplings far off decide. Crossings that
share a size, or samples, are correlated: fits have the covariance of the resamplings. Whether these errors are right, 40 divisions of the
blocks into random halves tell: half of the difference between the fits of two halves has the error of the fit of all.

Results go to build/methods/PROFILE/critical: critical.md, and the blocks."""

from __future__ import annotations

import argparse
import concurrent.futures
import math
import operator
import os
import random
import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True  # no files beside the sources

from jobs import ON_GPU  # noqa: E402
from runs import BUILD, DEVICE, Run, make, row_at  # noqa: E402

FIXED = 1.51
RESAMPLINGS = 200
DIVISIONS = 40  # into random halves
TEMPERATURES = [0.95 + 0.05 * k for k in range(12)]  # where curves are compared
PIECE = 4256  # samples of a run of tempering
Means = list[float]  # q2, q4, |q(k)|^2 at each of them, one after another


@dataclass(frozen=True)
class Size:
    edge: int
    samples: int  # by tempering
    measurements: int  # of tempering, 10 sweeps apart, from random states on; the second half counts
    annealed: int  # of these samples, by annealing
    replicas: int  # of annealing


PROFILES = {
    "small": (Size(4, 64, 2000, 40, 2000), Size(6, 64, 4000, 40, 4000)),
    "full": (
        Size(4, 36 * PIECE, 3000, 256, 20000),
        Size(6, 48 * PIECE, 6000, 256, 50000),
        Size(8, 60 * PIECE, 12000, 256, 100000),  # the error of a free fit is that of L = 8 above all
        Size(10, 12 * PIECE, 24000, 256, 200000),
        Size(12, 8 * PIECE, 30000, 256, 500000),
    ),
}


@dataclass(frozen=True)
class Block:
    """Means over samples first .. first + count - 1."""

    first: int
    count: int
    means: Means


# --- runs ---


def rows_at(betas: list[float]) -> list[int]:
    return [row_at({"beta": betas}, 1 / t) for t in TEMPERATURES]


def tempered(run: Run) -> list[Means]:
    """Each sample of a run of tempering: MC_samples.dat has a row for each of its temperatures."""
    lines = (run.folder / "MC_samples.dat").read_text().splitlines()
    names = next(line for line in lines if line.startswith("# sample ")).split()[1:]
    rows = [line.split() for line in lines if not line.startswith("#")]
    beta, *columns = (names.index(name) for name in ("beta", "q2", "q4", "|q(k)|^2"))
    temperatures = len({row[beta] for row in rows})
    at = rows_at([float(row[beta]) for row in rows[:temperatures]])
    return [[float(rows[s + i][c]) for i in at for c in columns] for s in range(0, len(rows), temperatures)]


def annealed(run: Run, edge: int) -> list[Means]:
    found = []
    for folder in sorted(run.folder.glob("sample_*")):
        table = Run(folder, "").table("PA_results_run_0.dat")
        found.append([x for i in rows_at(table["beta"]) for x in (table["q2"][i], table["q4"][i], table["chi(k)"][i] / edge**3)])
    return found


def agreeing(run: Run) -> str:
    """At how many temperatures the last three logarithmic bins agree."""
    agree = run.table("MC_disorder_averages.dat")["agree"]
    return f"{sum(map(int, agree))} of {len(agree)}"


def blocks_of(samples: list[Means], first: int, each: int) -> list[Block]:
    parts = [samples[n : n + each] for n in range(0, len(samples), each)]
    return [Block(first + n * each, len(p), [sum(x) / len(p) for x in zip(*p)]) for n, p in enumerate(parts)]


def write_blocks(path: Path, blocks: list[Block], note: str) -> None:
    lines = [f"# {note}", "# first sample, samples, then at T = " + ", ".join(f"{t:.2f}" for t in TEMPERATURES) + ": q2, q4, |q(k)|^2"]
    lines += [" ".join([str(b.first), str(b.count), *(f"{x:.6g}" for x in b.means)]) for b in blocks]
    unfinished = path.with_suffix(".new")
    unfinished.write_text("\n".join(lines) + "\n")
    unfinished.rename(path)


def read_blocks(path: Path) -> list[Block]:
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return [Block(int(row[0]), int(row[1]), [float(x) for x in row[2:]]) for row in rows]


def make_piece(size: Size, first: int, count: int, betas: Path, to: Path) -> None:
    """Samples first .. first + count - 1 by tempering, in blocks of 64."""
    options = (
        f"--model glass3d -L {size.edge} --disorder 1 --sample {first} --samples {count} -t 10 --method tempering --words samples"
        f" --record bins -R 2 --betas {betas} --thermalisation 0 --measurements {size.measurements}"
    )
    run = Run(to.with_suffix(""), options, digits=7)
    make(run, threads=0)
    each = 64 if count > 1000 else 1
    write_blocks(to, blocks_of(tempered(run), first, each), f"tempering, L = {size.edge}; bins agree at {agreeing(run)} temperatures")
    shutil.rmtree(run.folder)


def make_annealed(size: Size, count: int, betas: Path, to: Path) -> None:
    options = f"--model glass3d -L {size.edge} --disorder 1 --samples {count} -t 10 -R {size.replicas} --betas {betas}"
    run = Run(to.with_suffix(""), options)
    make(run, threads=0)
    write_blocks(to, blocks_of(annealed(run, size.edge), 0, 8 if count > 100 else 1), f"annealing, L = {size.edge}")
    shutil.rmtree(run.folder)


def join(pieces: list[Path], to: Path) -> None:
    texts = [piece.read_text() for piece in pieces]
    to.write_text("".join(texts))


def make_data(sizes: tuple[Size, ...], most: int, folder: Path, seconds: float) -> bool:
    """Makes what is missing of METHOD-L.dat. Returns whether all is there."""
    start = time.monotonic()
    cold = sorted(1 / t for t in TEMPERATURES)
    hot = [b for b in (0.3 + 0.05 * k for k in range(7)) if b < cold[0] - 0.01]
    between = [b for b in (0.02 * k for k in range(1, 53)) if b < cold[-1] and min(abs(b - c) for c in cold) > 0.005]
    betas = {"tempering": [*hot, *cold], "annealing": sorted([*cold, *between])}
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    for method, steps in betas.items():
        (parts / f"betas-{method}").write_text("".join(f"{b!r}\n" for b in steps))
    files: dict[Path, list[Path]] = {}  # the pieces of each
    missing: list[tuple[Path, Callable[[], None]]] = []
    for size in sizes:
        count = min(size.samples, most)
        spans = [(first, min(PIECE, count - first)) for first in range(0, count, PIECE)]
        files[folder / f"tempering-{size.edge}.dat"] = [parts / f"tempering-{size.edge}-{first:05}-{some}.dat" for first, some in spans]
        for path, (first, some) in zip(files[folder / f"tempering-{size.edge}.dat"], spans):
            missing.append((path, partial(make_piece, size, first, some, parts / "betas-tempering", path)))
    for size in sizes:
        count = min(size.annealed, most)
        path = parts / f"annealing-{size.edge}-00000-{count}.dat"
        files[folder / f"annealing-{size.edge}.dat"] = [path]
        missing.append((path, partial(make_annealed, size, count, parts / "betas-annealing", path)))

    def one(path: Path, begin: Callable[[], None]) -> bool:
        if not path.exists() and time.monotonic() - start <= seconds:
            begin()
            print(f"{path.stem}: {time.monotonic() - start:.1f} s", flush=True)
        return path.exists()

    with concurrent.futures.ThreadPoolExecutor(ON_GPU if DEVICE.startswith("cuda") else 1) as pool:
        if not all(list(pool.map(one, *zip(*missing)))):
            return False
    for to, pieces in files.items():
        join(pieces, to)
    return True


# --- curves ---


def curves(blocks: list[Block], edge: int, times: list[int]) -> tuple[list[float], list[float]]:
    """U4 and xi/L at each temperature, of blocks taken so many times."""
    weights = [n * b.count for n, b in zip(times, blocks)]
    means = [sum(map(operator.mul, weights, column)) / sum(weights) for column in zip(*(b.means for b in blocks))]
    u4, xi = [], []
    for k in range(len(TEMPERATURES)):
        q2, q4, wave = means[3 * k : 3 * k + 3]
        u4.append(q4 / q2**2)
        xi.append(math.sqrt(max(0.0, q2 / wave - 1)) / (2 * edge * math.sin(math.pi / edge)))
    return u4, xi


def crossing(small: list[float], large: list[float], rising: bool) -> float:
    """Where the curve of the larger size crosses that of the smaller one, from the high temperatures down; nan without."""
    sign = -1.0 if rising else 1.0
    gap = [sign * (b - a) for a, b in zip(small, large)]  # below T_c negative, above positive
    for k in range(len(gap) - 1, 0, -1):
        if gap[k - 1] <= 0 < gap[k]:
            part = gap[k - 1] / (gap[k - 1] - gap[k])
            return TEMPERATURES[k - 1] + part * (TEMPERATURES[k] - TEMPERATURES[k - 1])
    return math.nan


Points = list[tuple[int, int, float, float]]  # edge, curve, T*, error
Matrix = list[list[float]]


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle whose product with its transpose is the matrix, which is positive."""
    lower = [[0.0] * len(matrix) for _ in matrix]
    for i, row in enumerate(matrix):
        for j in range(i + 1):
            rest = row[j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    return lower


def covariance(draws: list[list[float]]) -> Matrix:
    means = [sum(column) / len(draws) for column in zip(*draws)]
    off = [[x - m for x, m in zip(draw, means)] for draw in draws]
    return [[sum(a * b for a, b in zip(x, y)) / (len(draws) - 1) for y in zip(*off)] for x in zip(*off)]


def whitened(rows: Matrix, lower: Matrix) -> Matrix:
    """Combinations of rows whose errors are 1 and not correlated, where those of the rows have this Cholesky triangle."""
    made: Matrix = []
    for i, row in enumerate(rows):
        made.append([(x - sum(lower[i][k] * made[k][c] for k in range(i))) / lower[i][i] for c, x in enumerate(row)])
    return made


def fit_at(points: Points, x: float, lower: Matrix | None = None) -> tuple[float, float]:
    """T_c and chi-square of the linear fit with this exponent: T_c shared, an amplitude for each curve. lower: of the covariance of the
    points; without it their errors are not correlated."""
    kinds = sorted({kind for _, kind, _, _ in points})
    n = 1 + len(kinds)
    matrix, right = [[0.0] * n for _ in range(n)], [0.0] * n
    plain = [[1.0, *(edge**-x if kind == k else 0.0 for k in kinds), t] for edge, kind, t, _ in points]
    rows = whitened(plain, lower) if lower else [[value / p[3] for value in row] for row, p in zip(plain, points)]
    for row in rows:
        for i in range(n):
            right[i] += row[i] * row[n]
            for j in range(n):
                matrix[i][j] += row[i] * row[j]
    for i in range(n):  # Gauss; the matrix is positive
        for j in range(i + 1, n):
            part = matrix[j][i] / matrix[i][i]
            right[j] -= part * right[i]
            for k in range(i, n):
                matrix[j][k] -= part * matrix[i][k]
    for i in reversed(range(n)):
        right[i] = (right[i] - sum(matrix[i][k] * right[k] for k in range(i + 1, n))) / matrix[i][i]
    return right[0], sum((row[n] - sum(a * b for a, b in zip(row, right))) ** 2 for row in rows)


def free_fit(points: Points, lower: Matrix | None = None) -> tuple[float, float]:
    """T_c and x with the least chi-square, x from 0.3 to 5."""
    about = min((0.3 + 0.1 * k for k in range(48)), key=lambda at: fit_at(points, at, lower)[1])
    x = min((max(0.3, about + 0.02 * k) for k in range(-5, 6)), key=lambda at: fit_at(points, at, lower)[1])
    return fit_at(points, x, lower)[0], x


def spread(values: list[float]) -> float:
    there = [v for v in values if not math.isnan(v)]
    if len(there) < 2:
        return math.nan
    mean = sum(there) / len(there)
    return math.sqrt(sum((v - mean) ** 2 for v in there) / (len(there) - 1))


Data = dict[int, list[Block]]  # of each edge


def crossings(data: Data, times: dict[int, list[int]]) -> list[list[float]]:
    """T* of U4, and of xi/L, of each two successive sizes."""
    edges = sorted(data)
    made = {edge: curves(data[edge], edge, times[edge]) for edge in edges}
    return [[crossing(made[a][kind], made[b][kind], rising=kind == 1) for a, b in zip(edges, edges[1:])] for kind in (0, 1)]


def once(data: Data) -> dict[int, list[int]]:
    return {edge: [1] * len(blocks) for edge, blocks in data.items()}


def drawn_from(dice: random.Random, data: Data, more: dict[int, int]) -> dict[int, list[int]]:
    """How often each block is drawn, of as many draws as there are blocks; of some sizes so many times more."""
    times = {edge: [0] * len(blocks) for edge, blocks in data.items()}
    for edge, blocks in data.items():
        for _ in range(more.get(edge, 1) * len(blocks)):
            times[edge][dice.randrange(len(blocks))] += 1
    return times


def divided(dice: random.Random, data: Data) -> list[dict[int, list[int]]]:
    """A random half of the blocks of each size, and the others."""
    one = {}
    for edge, blocks in data.items():
        half = len(blocks) // 2
        one[edge] = dice.sample([1] * half + [0] * (len(blocks) - half), len(blocks))
    return [one, {edge: [1 - n for n in times] for edge, times in one.items()}]


@dataclass(frozen=True)
class Fit:
    """T_c, its standard deviation over resamplings, and between which values the middle 68% of them are: fewer of a free fit are far off.
    `halves` is the error by divisions into random halves; nan without."""

    text: str
    best: float
    error: float
    low: float
    high: float
    halves: float = math.nan


def fit_of(text: str, best: float, drawn: list[float], differences: list[float] | None = None) -> Fit:
    values = sorted(drawn)
    low, high = (values[round(share * (len(values) - 1))] for share in (0.16, 0.84))
    squares = [d**2 / 4 for d in differences or []]
    return Fit(text, best, spread(values), low, high, math.sqrt(sum(squares) / len(squares)) if squares else math.nan)


@dataclass(frozen=True)
class Report:
    rows: list[str]  # of crossings
    fits: list[Fit]


def report(method: str, data: Data, divisions: int = 0, more: dict[int, int] | None = None) -> Report:
    dice, edges = random.Random(1), sorted(data)
    found = crossings(data, once(data))
    drawn = [crossings(data, drawn_from(dice, data, more or {})) for _ in range(RESAMPLINGS)]
    pairs = len(edges) - 1
    errors = [[spread([d[kind][n] for d in drawn]) for n in range(pairs)] for kind in (0, 1)]
    rows = [
        f"| {method} | {name} | {edges[n]}, {edges[n + 1]} | {found[kind][n]:.4f} | {errors[kind][n]:.4f} |"
        for kind, name in enumerate(("U4", "xi/L"))
        for n in range(pairs)
    ]

    there = [(kind, n) for kind in (0, 1) for n in range(pairs) if not math.isnan(found[kind][n]) and errors[kind][n] > 0]
    whole = [d for d in drawn if not any(math.isnan(d[kind][n]) for kind, n in there)]
    fits: list[Fit] = []
    if len(edges) < 3 or len(whole) < RESAMPLINGS / 4:
        return Report(rows, fits)

    def points(values: list[list[float]]) -> Points:
        return [(edges[n], kind, values[kind][n], errors[kind][n]) for kind, n in there]

    lower = cholesky(covariance([[p[2] for p in points(d)] for d in whole]))
    pairs_of_halves = [[points(crossings(data, times)) for times in divided(dice, data)] for _ in range(divisions)]
    pairs_of_halves = [two for two in pairs_of_halves if not any(math.isnan(p[2]) for half in two for p in half)]
    free_of = len(points(found)) - 3  # degrees of freedom
    best, chi = fit_at(points(found), FIXED, lower)
    fixed = [fit_at(points(d), FIXED, lower)[0] for d in whole]
    differences = [fit_at(one, FIXED, lower)[0] - fit_at(other, FIXED, lower)[0] for one, other in pairs_of_halves]
    fits.append(fit_of(f"{method}, x = {FIXED}, chi-square {chi:.1f} of {free_of}", best, fixed, differences))
    if len(edges) > 4:
        free = [free_fit(points(d), lower) for d in whole]
        best, x = free_fit(points(found), lower)
        chi = fit_at(points(found), x, lower)[1]
        text = f"{method}, x free, {x:.2f} +- {spread([x for _, x in free]):.2f}, chi-square {chi:.1f} of {free_of - 1}"
        differences = [free_fit(one, lower)[0] - free_fit(other, lower)[0] for one, other in pairs_of_halves]
        fits.append(fit_of(text, best, [t for t, _ in free], differences))
    return Report(rows, fits)


def halves(data: Data) -> list[Data]:
    """Every second block of each size; and the others."""
    return [{edge: blocks[n::2] for edge, blocks in data.items()} for n in (0, 1)]


def told(fit: Fit) -> str:
    text = f"{fit.text}: T_c = {fit.best:.4f} +- {fit.error:.4f}, 68% from {fit.low:.4f} to {fit.high:.4f}"
    return text if math.isnan(fit.halves) else f"{text}; error by random halves {fit.halves:.4f}"


def load(folder: Path, method: str) -> Data:
    paths = {int(path.stem.partition("-")[2]): path for path in folder.glob(f"{method}-*.dat")}
    return {edge: read_blocks(paths[edge]) for edge in sorted(paths)}


def beside(tempering: Data, annealing: Data) -> str:
    """q2 at the lowest temperature by tempering over that by annealing, on the samples that both have made."""
    ratios, samples = [], 0
    for edge in sorted(set(tempering) & set(annealing)):
        samples = sum(b.count for b in annealing[edge])
        same = [b for b in tempering[edge] if b.first + b.count <= samples]
        sums = [sum(b.count * b.means[0] for b in blocks) for blocks in (same, annealing[edge])]
        if sum(b.count for b in same) == samples:
            ratios.append(f"L = {edge}: {sums[0] / sums[1]:.4f}")
    text = f"On the {samples} samples that both have made q2 at T = {TEMPERATURES[0]:.2f} by tempering is that by annealing times "
    return text + ", ".join(ratios) + "." if ratios else ""


def page(folder: Path, title: str) -> str:
    lines = ["# Where the 3D glass freezes, by two methods", "", title, ""]
    table, texts = ["| method | curve | sizes | T* | error |", "|---|---|---|---|---|"], []
    for method in ("tempering", "annealing"):
        data = load(folder, method)
        if len(data) < 2:
            continue
        counts = ", ".join(f"L = {edge}: {sum(b.count for b in blocks)}" for edge, blocks in data.items())
        lines.append(f"Samples of disorder seed 1 by {method}: {counts}.")
        made = report(method, data, DIVISIONS)
        table += made.rows
        texts += [told(fit) for fit in made.fits]
        if method == "tempering":
            for name, half in zip(("even", "odd"), halves(data)):
                texts += [f"{told(fit)} (half of the samples, {name} blocks)" for fit in report(method, half).fits]
    lines.append(beside(load(folder, "tempering"), load(folder, "annealing")))
    return "\n".join([*lines, "", *table, "", *(f"- {text}" for text in texts)]) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path, help="of blocks, for the fits alone")
    arguments.add_argument("--more", nargs="+", metavar="L=K", type=lambda word: tuple(map(int, word.split("=", 1))), help="times the samples")
    given = arguments.parse_args()
    if given.more:
        for fit in report("tempering", load(given.folder, "tempering"), more=dict(given.more)).fits:
            print(told(fit))
        return 0
    name = os.environ.get("PROFILE", "small")
    if name not in PROFILES:
        print(f"PROFILE={name}: allowed: {', '.join(PROFILES)}", file=sys.stderr)
        return 2
    folder = given.folder or BUILD / "methods" / name / "critical"
    title = "By `validate/methods/critical.py FOLDER`." if given.folder else f"`make critical PROFILE={name} DEVICE={DEVICE}`."
    most, seconds = int(os.environ.get("SAMPLES", "1000000")), float(os.environ.get("SECONDS", "inf"))
    if not given.folder and not make_data(PROFILES[name], most, folder, seconds):
        print("not all of it yet: repeat the command", flush=True)
        return 0
    text = page(folder, title)
    print(text)
    if not given.folder:
        (folder / "critical.md").write_text(text)
        print(f"{folder}/critical.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
