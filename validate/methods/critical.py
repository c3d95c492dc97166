#!/usr/bin/env python3
"""make critical: the critical temperature of the 3D glass, J = +1 or -1, by tempering and by annealing on the same samples.

    critical.py     PROFILE=small (default: two cores, minutes) or full (a GPU); SAMPLES=K of each size; DEVICE=cpu, cuda

U4 = [q4] / [q2]^2 and xi/L of two successive sizes cross at T*, which is linear interpolation between temperatures. T* goes to T_c as
T* = T_c + a L^-x, L the smaller size, x = omega + 1/nu. With four crossings and more x is free; and beside it fixed, x = 1.51 (omega = 1.12,
1/nu = 0.39: M. Baity-Jesi and others, Phys. Rev. B 88, 224416, 2013, whose T_c is 1.1019(29)). Fits of U4 and of xi/L share T_c and x. Errors are
those of a bootstrap over samples, 200 resamplings by a fixed seed: of each the crossings and the fits are made anew.

Results go to build/methods/PROFILE: critical.md, and a folder for each run, which stays."""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources

from runs import BUILD, DEVICE, Run, make_all, row_at  # noqa: E402

FIXED = 1.51
RESAMPLINGS = 200
TEMPERATURES = [0.95 + 0.05 * k for k in range(12)]  # where curves are compared
Means = list[tuple[float, float, float]]  # q2, q4, |q(k)|^2 at each of them


@dataclass(frozen=True)
class Size:
    edge: int
    samples: int
    measurements: int  # of tempering, 10 sweeps apart
    replicas: int  # of annealing


PROFILES = {
    "small": (Size(4, 40, 400, 2000), Size(6, 40, 800, 4000)),
    "full": (
        Size(4, 2000, 1000, 20000),
        Size(6, 2000, 2000, 50000),
        Size(8, 2000, 5000, 100000),
        Size(10, 2000, 10000, 200000),
        Size(12, 1000, 20000, 500000),
    ),
}


def command(size: Size, method: str, sample: int, betas: Path) -> str:
    common = f"--model glass3d -L {size.edge} --disorder 1 --sample {sample} -t 10"
    if method == "annealing":
        return f"{common} -R {size.replicas} --betas {betas}"
    return (
        f"{common} --method tempering -R 64 --betas {betas}"
        f" --thermalisation {size.measurements // 2} --measurements {size.measurements}"
    )


def means_of(run: Run, method: str, edge: int) -> Means:
    tempering = method == "tempering"
    table = run.table("MC_overlap_results.dat" if tempering else "PA_results_run_0.dat")
    wave = table["|q(k)|^2"] if tempering else [x / edge**3 for x in table["chi(k)"]]
    rows = [row_at(table, 1 / t) for t in TEMPERATURES]
    return [(table["q2"][i], table["q4"][i], wave[i]) for i in rows]


def curves(samples: list[Means], edge: int, chosen: list[int]) -> tuple[list[float], list[float]]:
    """U4 and xi/L at each temperature, of the chosen samples."""
    u4, xi = [], []
    for k in range(len(TEMPERATURES)):
        q2, q4, wave = (sum(samples[s][k][n] for s in chosen) / len(chosen) for n in range(3))
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


def fit_at(points: Points, x: float) -> tuple[float, float]:
    """T_c and chi-square of the linear fit with this exponent: T_c shared, an amplitude for each curve."""
    kinds = sorted({kind for _, kind, _, _ in points})
    n = 1 + len(kinds)
    matrix, right = [[0.0] * n for _ in range(n)], [0.0] * n
    rows = [([1.0, *(edge**-x if kind == k else 0.0 for k in kinds)], t, 1 / error**2) for edge, kind, t, error in points]
    for row, t, weight in rows:
        for i in range(n):
            right[i] += weight * row[i] * t
            for j in range(n):
                matrix[i][j] += weight * row[i] * row[j]
    for i in range(n):  # Gauss; the matrix is positive
        for j in range(i + 1, n):
            part = matrix[j][i] / matrix[i][i]
            right[j] -= part * right[i]
            for k in range(i, n):
                matrix[j][k] -= part * matrix[i][k]
    for i in reversed(range(n)):
        right[i] = (right[i] - sum(matrix[i][k] * right[k] for k in range(i + 1, n))) / matrix[i][i]
    return right[0], sum(w * (t - sum(a * b for a, b in zip(row, right))) ** 2 for row, t, w in rows)


def free_fit(points: Points) -> tuple[float, float]:
    """T_c and x with the least chi-square, x from 0.3 to 5."""
    grid = [0.3 + 0.02 * k for k in range(236)]
    x = min(grid, key=lambda at: fit_at(points, at)[1])
    return fit_at(points, x)[0], x


def spread(values: list[float]) -> float:
    there = [v for v in values if not math.isnan(v)]
    if len(there) < 2:
        return math.nan
    mean = sum(there) / len(there)
    return math.sqrt(sum((v - mean) ** 2 for v in there) / (len(there) - 1))


def crossings(sizes: tuple[Size, ...], data: dict[int, list[Means]], chosen: dict[int, list[int]]) -> list[list[float]]:
    """T* of U4, and of xi/L, of each two successive sizes."""
    made = {size.edge: curves(data[size.edge], size.edge, chosen[size.edge]) for size in sizes}
    pairs = list(zip(sizes, sizes[1:]))
    return [[crossing(made[a.edge][kind], made[b.edge][kind], rising=kind == 1) for a, b in pairs] for kind in (0, 1)]


def report(method: str, sizes: tuple[Size, ...], data: dict[int, list[Means]]) -> list[str]:
    dice = random.Random(1)
    found = crossings(sizes, data, {size.edge: list(range(len(data[size.edge]))) for size in sizes})
    drawn = [
        crossings(sizes, data, {e: [dice.randrange(len(rows)) for _ in rows] for e, rows in data.items()})
        for _ in range(RESAMPLINGS)
    ]
    errors = [[spread([d[kind][n] for d in drawn]) for n in range(len(sizes) - 1)] for kind in (0, 1)]
    lines = []
    for kind, name in enumerate(("U4", "xi/L")):
        for n, (a, b) in enumerate(zip(sizes, sizes[1:])):
            lines.append(f"| {method} | {name} | {a.edge}, {b.edge} | {found[kind][n]:.4f} | {errors[kind][n]:.4f} |")

    def points(values: list[list[float]]) -> Points:
        all_points = [(sizes[n].edge, kind, values[kind][n], errors[kind][n]) for kind in (0, 1) for n in range(len(sizes) - 1)]
        return [p for p in all_points if not math.isnan(p[2]) and p[3] > 0]

    def told(text: str, fit: list[float], most: float) -> str:
        return f"{method}, {text}: T_c = {most:.4f} +- {spread(fit):.4f}"

    fits = []
    if len(sizes) > 2:
        fixed = [fit_at(points(d), FIXED)[0] for d in drawn if len(points(d)) == len(points(found))]
        fits.append(told(f"x = {FIXED}", fixed, fit_at(points(found), FIXED)[0]))
    if len(sizes) > 4:
        free = [free_fit(points(d)) for d in drawn if len(points(d)) == len(points(found))]
        best = free_fit(points(found))
        fits.append(told(f"x free, {best[1]:.2f} +- {spread([x for _, x in free]):.2f}", [t for t, _ in free], best[0]))
    return [*lines, "", *fits, ""] if fits else [*lines, ""]


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    name = os.environ.get("PROFILE", "small")
    if name not in PROFILES:
        print(f"PROFILE={name}: allowed: {', '.join(PROFILES)}", file=sys.stderr)
        return 2
    sizes, folder = PROFILES[name], BUILD / "methods" / name
    most = int(os.environ.get("SAMPLES", "1000000"))
    folder.mkdir(parents=True, exist_ok=True)
    betas = {"tempering": folder / "betas-tempering", "annealing": folder / "betas-annealing"}
    cold = sorted(1 / t for t in TEMPERATURES)
    hot = [0.3 + 0.05 * k for k in range(7)]
    betas["tempering"].write_text("".join(f"{b!r}\n" for b in [*(b for b in hot if b < cold[0] - 0.01), *cold]))
    between = [b for b in (0.02 * k for k in range(1, 53)) if b < cold[-1] and min(abs(b - c) for c in cold) > 0.005]
    betas["annealing"].write_text("".join(f"{b!r}\n" for b in sorted([*cold, *between])))
    counts = ", ".join(f"L = {size.edge}: {min(size.samples, most)}" for size in sizes)
    lines = ["# Where the 3D glass freezes, by two methods", "", f"`make critical PROFILE={name} DEVICE={DEVICE}`, samples of disorder"]
    lines += [f"seed 1: {counts}.", "", "| method | curve | sizes | T* | error |", "|---|---|---|---|---|"]
    texts = []
    for method in ("tempering", "annealing"):
        data = {}
        for size in sizes:
            runs = [
                Run(folder / "critical" / f"{method}-{size.edge}-{s}", command(size, method, s, betas[method]))
                for s in range(min(size.samples, most))
            ]
            make_all(runs)
            data[size.edge] = [means_of(run, method, size.edge) for run in runs]
        texts += report(method, sizes, data)
        print("\n".join(texts), flush=True)
    rows = [line for line in texts if line.startswith("|")]
    (folder / "critical.md").write_text("\n".join([*lines, *rows, "", *(line for line in texts if line and not line.startswith("|"))]) + "\n")
    print(f"{folder}/critical.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
