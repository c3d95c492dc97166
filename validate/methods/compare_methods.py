#!/usr/bin/env python3
"""make compare-methods: population annealing (one run, and many small ones with weights) beside parallel tempering, at equal spin flips.

    compare_methods.py     PROFILE=small (default: two cores, minutes) or full (a GPU); DEVICE=cpu, cuda

For each system there are some samples, and repetitions with other seeds. The first table has, at one temperature, the root of the mean
square of the deviations of e, C and betaF/N from exact values, over samples and repetitions. Of q2, which is not known exactly, it has
the scatter of the repetitions. In brackets stands the mean square of deviation over stated error: 1 where errors are right. Its own
uncertainty is sqrt(2 / n), n deviations. Seconds are those of a run on one core, or the device.

The second table has, sample by sample, rho_t of annealing at the last temperature and the longest tau of tempering, in sweeps. Their rank
correlation stands below.

Results go to build/methods/PROFILE: compare.md, and a folder for each run, which stays."""

from __future__ import annotations

import argparse
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources

from runs import BUILD, DEVICE, Run, exact, make_all, row_at  # noqa: E402


@dataclass(frozen=True)
class System:
    name: str
    model: str  # options
    size: str  # of build/exact; empty: not known
    samples: int  # 0: no disorder
    spins: int
    beta: float  # where values are compared
    start: float  # of tempering; 0: with heat bath
    temperatures: int
    flips: float  # of a run, per spin: the budget


@dataclass(frozen=True)
class Profile:
    systems: tuple[System, ...]
    repetitions: int
    hard_samples: int  # of the second table, 3D glass of edge hard_edge
    hard_edge: int


PROFILES = {
    "small": Profile(
        (
            System("square ferromagnet, L = 16, at beta_c", "-L 16", "16", 0, 256, 0.44, 0.0, 12, 4e5),
            System("square ferromagnet, L = 16, ordered", "-L 16", "16", 0, 256, 0.6, 0.0, 12, 4e5),
            System("2D glass, L = 8", "--model glass2d -L 8 -c ssc", "8", 2, 64, 1.5, 0.0, 12, 4e5),
            System("3D glass, L = 4", "--model glass3d -L 4", "4x4x4", 2, 64, 1.5, 0.0, 12, 4e5),
        ),
        6,
        12,
        6,
    ),
    "full": Profile(
        (
            System("square ferromagnet, L = 32, at beta_c", "-L 32", "32", 0, 1024, 0.44, 0.0, 24, 2e7),
            System("square ferromagnet, L = 32, ordered", "-L 32", "32", 0, 1024, 0.6, 0.0, 24, 2e7),
            System("2D glass, L = 16", "--model glass2d -L 16", "16", 4, 256, 2.0, 0.0, 24, 2e7),
            System("3D glass, L = 4", "--model glass3d -L 4", "4x4x4", 4, 64, 2.0, 0.0, 24, 2e7),
            System("3D glass, L = 6", "--model glass3d -L 6", "", 8, 216, 2.0, 0.0, 24, 2e7),
            System("3D glass, L = 8", "--model glass3d -L 8", "", 8, 512, 1.5, 0.0, 24, 4e7),
        ),
        10,
        64,
        8,
    ),
}
VALUES = ("e", "C", "betaF/N", "q2")
CHAINS = 64
THETA = 10


def options_of(system: System, method: str, seed: int, sample: int | None) -> str:
    """The command of a run of so many flips."""
    disorder = "" if sample is None else f" --disorder 1 --sample {sample}"
    common = f"{system.model}{disorder} -s {seed} -t {THETA}"
    steps = 2 * system.temperatures  # of annealing
    if method == "tempering":
        dbeta = system.beta / (system.temperatures - 1)
        measurements = round(system.flips / (CHAINS * system.temperatures * THETA))
        return (
            f"{common} --method tempering -R {CHAINS} -b 0 -f {system.beta} -d {dbeta:.17g} --update heat-bath"
            f" --thermalisation {measurements // 5} --measurements {measurements - measurements // 5}"
        )
    replicas = round(system.flips / (steps * THETA))
    runs = 1 if method == "annealing" else 8
    return f"{common} -R {replicas // runs} -M {runs} -f {system.beta} -d {system.beta / steps:.17g}"


def values_of(run: Run, system: System, method: str) -> dict[str, tuple[float, float]]:
    """Values and errors at the temperature."""
    if method == "tempering":
        tables = [run.table("MC_results.dat"), run.table("MC_free_energy.dat")]
        tables += [run.table("MC_overlap_results.dat")] if system.samples else []
    else:
        tables = [run.table("PA_results_weighted.dat")]
    found = {}
    for table in tables:
        at = row_at(table, system.beta)
        for name in VALUES:
            if name in table and f"err_{name}" in table:
                found[name] = (table[name][at], table[f"err_{name}"][at])
    return found


def rms(values: list[float]) -> float:
    return math.sqrt(sum(x * x for x in values) / len(values)) if values else math.nan


def compare(system: System, repetitions: int, folder: Path) -> list[str]:
    """Lines of the table."""
    methods = ("annealing", "annealing, 8 runs", "tempering")
    samples = list(range(system.samples)) or [None]
    name = system.name.replace(" ", "").replace(",", "_").replace("=", "")
    runs = {
        (method, sample, n): Run(
            folder / f"{name}-{method.replace(', ', '')}-{sample}-{n}".replace(" ", ""),
            options_of(system, method, 100 + n, sample),
        )
        for method in methods
        for sample in samples
        for n in range(repetitions)
    }
    make_all(list(runs.values()))
    model = system.model.split("--model ")[1].split()[0] if "--model" in system.model else "square"
    known = {s: exact(model, system.size, s, [system.beta])[system.beta] if system.size else [] for s in samples}
    lines = []
    for method in methods:
        found = {key: values_of(run, system, method) for key, run in runs.items() if key[0] == method}
        seconds = sum(runs[key].seconds() for key in found) / len(found)
        cells = []
        for at, value in enumerate(VALUES):
            off, pulls = [], []
            for sample in samples:
                here = [found[method, sample, n][value] for n in range(repetitions) if value in found[method, sample, n]]
                if not here:
                    continue
                mean = sum(x for x, _ in here) / len(here)
                exactly = at < len(known[sample])
                scale = 1.0 if exactly else math.sqrt(len(here) / (len(here) - 1))
                right = known[sample][at] if exactly else mean
                off += [(x - right) * scale for x, _ in here]
                pulls += [(x - right) * scale / error for x, error in here if error > 0]
            cells.append(f"{rms(off):.2g} ({rms(pulls) ** 2:.2f})" if off else "")
        lines.append(f"| {system.name} | {method} | {' | '.join(cells)} | {seconds:.2f} |")
    return lines


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    rank = [0.0] * len(values)
    for place, i in enumerate(order):
        rank[i] = float(place)
    return rank


def correlation(a: list[float], b: list[float]) -> float:
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return top / math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))


def hard(profile: Profile, folder: Path) -> list[str]:
    """rho_t against tau."""
    edge = profile.hard_edge
    system = System("hard", f"--model glass3d -L {edge}", "", profile.hard_samples, edge**3, 1.5, 0.0, 16, 1e6)
    runs = {
        (method, sample): Run(folder / f"hard-{method}-{sample}", options_of(system, method, 7, sample))
        for method in ("annealing", "tempering")
        for sample in range(system.samples)
    }
    make_all(list(runs.values()))
    rows = []
    for sample in range(system.samples):
        rho = runs["annealing", sample].table("PA_results_run_0.dat")["rho_t"][-1]
        taus = [tau for tau in runs["tempering", sample].table("MC_overlap_results.dat")["tau_q2"] if not math.isnan(tau)]
        rows.append((rho, max(taus) if taus else math.nan, sample))
    told = [row for row in rows if not math.isnan(row[1])]
    lines = [f"{len(told)} samples of the 3D glass, L = {edge}, down to T = 1 / 1.5", "", "| sample | rho_t | tau of q2, sweeps |", "|---|---|---|"]
    lines += [f"| {sample} | {rho:.1f} | {tau:.0f} |" for rho, tau, sample in sorted(rows, reverse=True)]
    rank = correlation(ranks([r for r, _, _ in told]), ranks([t for _, t, _ in told]))
    error = 1 / math.sqrt(len(told) - 1)
    return [*lines, "", f"Rank correlation of the two: {rank:.2f}, of unrelated numbers 0 +- {error:.2f}."]


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    name = os.environ.get("PROFILE", "small")
    if name not in PROFILES:
        print(f"PROFILE={name}: allowed: {', '.join(PROFILES)}", file=sys.stderr)
        return 2
    profile, folder = PROFILES[name], BUILD / "methods" / name
    lines = [
        "# Methods at equal spin flips",
        "",
        f"`make compare-methods PROFILE={name} DEVICE={DEVICE}`. {profile.repetitions} repetitions of each sample. A cell: root mean square deviation",
        "(mean square of deviation over stated error).",
        "",
        f"| system | method | {' | '.join(VALUES)} | seconds |",
        "|---|---" + "|---" * (len(VALUES) + 1) + "|",
    ]
    for system in profile.systems:
        lines += compare(system, profile.repetitions, folder / "runs")
        print("\n".join(lines[-3:]), flush=True)
    lines += ["", "## Hard samples", "", *hard(profile, folder / "runs")]
    (folder / "compare.md").write_text("\n".join(lines) + "\n")
    print(f"{folder}/compare.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
