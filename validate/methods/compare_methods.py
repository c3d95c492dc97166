#!/usr/bin/env python3
"""make compare-methods: population annealing (one run, and many small ones with weights), parallel tempering and simulated annealing
(--resampling none), on the same samples at equal spin flips, at equal time and at equal energy.

Settings of the environment:

PROFILE=small    two cores, minutes (default), or full: a GPU
DEVICE=cpu       cpu or cuda
SECONDS=N        begins nothing after N seconds; repeat it until all is there
ALONE=no         other programs use the device, so that nothing is timed yet
DISORDER=SEED    other samples (default: 1), with other seeds of the runs

Deviations are from exact values where there are some, else from a longer run of tempering. Its error is taken off their
mean square. A cell has the root of that mean square over samples and repetitions, and its own uncertainty by the scatter of samples. In brackets
it has the mean square of deviation over stated error, which is 1 if the errors are right.

Times and joules are those of runs that are alone on the device, all samples side by side, longer where a run is short. At equal time
the precision is 1 / (mean square x seconds), in units of that of one run of annealing.

Results go to build/methods/PROFILE/compare (other samples: compare-SEED): compare.md, hard.dat with a picture, and a file for each run."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources

from jobs import BUILD, DEVICE, VALUES, Job, Values, exact_values, found_of, make_all  # noqa: E402
from pictures import draw  # noqa: E402


@dataclass(frozen=True)
class System:
    name: str
    model: str  # options
    size: str  # of build/exact; empty: not known
    samples: int  # 0: no disorder
    spins: int
    beta: float  # where values are compared
    temperatures: int
    flips: float  # of a run, per spin: the budget


@dataclass(frozen=True)
class Profile:
    systems: tuple[System, ...]
    repetitions: int
    chains: int  # of tempering, of a sample at each temperature
    longer: int  # times the flips of a run: those of the run of tempering that others are held to,
    wider: int  # and of these times the chains
    hard: System  # of the scatter of rho_t and tau
    timed: float  # flips of a timed run


SQUARE, GLASS2D, GLASS3D = "-L", "--model glass2d -L", "--model glass3d -L"
PROFILES = {
    "small": Profile(
        (
            System("square ferromagnet, L = 16, at beta_c", f"{SQUARE} 16", "16", 0, 256, 0.44, 12, 4e5),
            System("square ferromagnet, L = 16, ordered", f"{SQUARE} 16", "16", 0, 256, 0.6, 12, 4e5),
            System("2D glass, L = 16", f"{GLASS2D} 16", "16", 2, 256, 1.5, 12, 4e5),
            System("3D glass, L = 4", f"{GLASS3D} 4", "", 4, 64, 1.5, 12, 4e5),
        ),
        repetitions=6,
        chains=64,
        longer=20,
        wider=4,
        hard=System("hard samples: 3D glass, L = 6", f"{GLASS3D} 6", "", 12, 216, 1.5, 16, 2e5),
        timed=1e8,
    ),
    "full": Profile(
        (
            System("square ferromagnet, L = 32, at beta_c", f"{SQUARE} 32", "32", 0, 1024, 0.44, 24, 1.6e8),
            System("square ferromagnet, L = 32, ordered", f"{SQUARE} 32", "32", 0, 1024, 0.6, 24, 1.6e8),
            System("2D glass, L = 16", f"{GLASS2D} 16", "16", 4, 256, 2.0, 24, 1.6e8),
            System("3D glass, L = 4", f"{GLASS3D} 4", "4x4x4", 4, 64, 2.0, 24, 1.6e8),
            System("3D glass, L = 6", f"{GLASS3D} 6", "", 16, 216, 2.0, 24, 1.6e8),
            System("3D glass, L = 8", f"{GLASS3D} 8", "", 16, 512, 1.5, 24, 3.2e8),
            System("3D glass, L = 10", f"{GLASS3D} 10", "", 8, 1000, 1.25, 24, 3.2e8),
        ),
        repetitions=8,
        chains=512,
        longer=10,
        wider=1,
        hard=System("hard samples: 3D glass, L = 8", f"{GLASS3D} 8", "", 64, 512, 1.5, 24, 1.6e8),
        timed=3e11,
    ),
}
METHODS = ("annealing", "annealing, 8 runs", "tempering", "simulated annealing")
THETA, SMALL_RUNS = 10, 8
MOST_TIMED = 20  # times a run of the budget
DISORDER = int(os.environ.get("DISORDER", "1"))
SEED = 1000 * (DISORDER - 1) + 100  # of the runs


# --- runs ---


def options_of(system: System, method: str, chains: int, seed: int, times: float = 1, runs: int = 1, disorder: int = DISORDER) -> str:
    """The command of runs of so many times the budget; chains: of tempering."""
    samples = f" --disorder {disorder} --samples {system.samples}" if system.samples > 1 else ""
    common = f"{system.model}{samples} -s {seed} -t {THETA}"
    if method == "tempering":
        measurements = round(times * system.flips / (chains * system.temperatures * THETA))
        return (
            f"{common} --method tempering -R {chains} -b 0 -f {system.beta} -d {system.beta / (system.temperatures - 1):.17g} --update heat-bath"
            f" --thermalisation {measurements // 5} --measurements {measurements - measurements // 5}"
        )
    steps = 2 * system.temperatures
    rule = " --resampling none" if method == "simulated annealing" else ""
    return f"{common} -R {round(system.flips / (steps * THETA * runs))} -f {system.beta} -d {system.beta / steps:.17g}{rule} -M"


def jobs_of(system: System, profile: Profile) -> dict[str, list[Job]]:
    """The jobs of each method; those of `reference`; and a timed one of each method."""
    name = system.name.replace(" ", "").replace(",", "_").replace("=", "").replace(":", "")
    n = profile.repetitions

    def job(kind: str, options: str, repetitions: int, timed: bool = False) -> Job:
        return Job(f"{name}-{kind}", f"{options} -P 17", system.beta, system.samples, repetitions, timed)

    def options(method: str, seed: int, runs: int = 1) -> str:
        return options_of(system, method, profile.chains, seed, runs=runs)

    held_to = options_of(system, "tempering", profile.wider * profile.chains, SEED + 99, profile.longer)
    jobs = {
        "reference": [job("reference", held_to, 0)],
        "annealing": [job("annealing", f"{options('annealing', SEED)} {n}", n)],
        "simulated annealing": [job("simulated", f"{options('simulated annealing', SEED)} {n}", n)],
        "annealing, 8 runs": [job(f"small{k}", f"{options('annealing', SEED + k, SMALL_RUNS)} {SMALL_RUNS}", 0) for k in range(n)],
        "tempering": [job(f"tempering{k}", options("tempering", SEED + k), 0) for k in range(n)],
    }
    longer = max(1, min(MOST_TIMED, round(profile.timed / (system.flips * system.spins * max(1, system.samples)))))
    for method in METHODS:
        runs = SMALL_RUNS if "8" in method else 1
        timed = options_of(system, method, profile.chains, 200, longer if method == "tempering" else 1, runs, 1)
        jobs[f"time of {method}"] = [
            job(f"time-{METHODS.index(method)}", timed + ("" if method == "tempering" else f" {longer * runs}"), 0, True)
        ]
    return jobs


# --- deviations ---


@dataclass(frozen=True)
class Deviation:
    off: float
    stated: float  # its error; nan: none
    known: float  # error of what it is held to
    sample: int = 0


def deviations(found: list[list[Values]], right: list[Values], value: str) -> list[Deviation]:
    """Of the repetitions of each sample."""
    all_of = []
    for sample, (here, want) in enumerate(zip(found, right)):
        for x in here:
            if value in x and value in want and not math.isnan(x[value]):
                error = math.hypot(x.get(f"err_{value}", math.nan), want.get(f"err_{value}", 0))
                all_of.append(Deviation(x[value] - want[value], error, want.get(f"err_{value}", 0), sample))
    return all_of


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def mean_square(of: list[Deviation]) -> tuple[float, float]:
    """The mean square less that of the errors of what they are held to. Its error is the scatter of samples, whose repetitions are off
    together, and of a single one that of the repetitions."""
    squares = [d.off**2 - d.known**2 for d in of]
    samples = [mean([x for x, d in zip(squares, of) if d.sample == n]) for n in sorted({d.sample for d in of})]
    parts = samples if len(samples) > 1 else squares
    center = mean(squares)
    scatter = math.sqrt(sum((x - mean(parts)) ** 2 for x in parts) / max(1, len(parts) - 1) / len(parts)) if parts else math.nan
    return center, scatter


def pull(of: list[Deviation]) -> float:
    """The mean square of deviation over error."""
    return mean([(d.off / d.stated) ** 2 for d in of if d.stated > 0])


def cell(of: list[Deviation]) -> str:
    square, error = mean_square(of)
    if math.isnan(square):
        return ""
    if square <= error:
        return f"< {math.sqrt(max(0.0, square) + 2 * error):.1e} ({pull(of):.2f})"
    return f"{math.sqrt(square):.2g} +- {error / 2 / math.sqrt(square):.1g} ({pull(of):.2f})"


# --- ground states ---


def time_to_find(hits: int, runs: int, cost: float) -> float:
    """What finds the lowest energy with a probability of 99%, in units of `cost`, that of a run. A share of all or none is that of half a run
    more or less."""
    share = (hits + 0.5) / (runs + 1) if hits in (0, runs) else hits / runs
    return cost * max(1.0, math.log(0.01) / math.log(1 - share))


def ground_rows(found: dict[str, list[list[Values]]], reference: list[Values], seconds: dict[str, float], joules: dict[str, float]) -> list[str]:
    """A row for each method: the mean share of runs that find the lowest energy of all, samples that none or each run finds, and the mean time
    and energy to find it."""
    lowest = [
        min([want["E_min"]] + [x["E_min"] for method in found for x in found[method][n] if "E_min" in x]) for n, want in enumerate(reference)
    ]
    rows = []
    for method, of in found.items():
        hits = [sum(x.get("E_min") == low for x in here) for here, low in zip(of, lowest)]
        runs = [len(here) for here in of]
        times = [time_to_find(h, r, seconds[method]) for h, r in zip(hits, runs)]
        spent = mean(times) / seconds[method] * joules[method]
        share = mean([h / r for h, r in zip(hits, runs)])
        rows.append(
            f"| {method} | {share:.2f} | {sum(h == r for h, r in zip(hits, runs))} | {sum(h == 0 for h in hits)} | {1e3 * mean(times):.3g}"
            f" | {number(spent)} |"
        )
    return rows


# --- tables ---


def number(x: float) -> str:
    return "" if math.isnan(x) else f"{x:.3g}"


def right_values(system: System, reference: list[Values], folder: Path) -> list[Values]:
    """What runs are held to, sample by sample."""
    model = system.model.split("--model ")[1].split()[0] if "--model" in system.model else "square"
    right = []
    for n, want in enumerate(reference):
        row = dict(want)
        if system.size:
            sample = n if system.samples else None
            for name, x in zip(VALUES, exact_values(model, system.size, DISORDER, sample, system.beta, folder)):
                row[name], row[f"err_{name}"] = x, 0.0
        right.append(row)
    return right


def table_of(system: System, profile: Profile, folder: Path) -> list[str]:
    """The section of a system."""
    jobs = jobs_of(system, profile)
    reference = [here[0] for here in found_of(jobs["reference"][0], folder)["rows"]]
    right = right_values(system, reference, folder)
    budget = system.flips * system.spins
    found, seconds, joules, lines, squares = {}, {}, {}, [], {}
    for method in METHODS:
        parts = [found_of(job, folder)["rows"] for job in jobs[method]]
        found[method] = [[x for part in parts for x in part[n]] for n in range(len(right))]
        timed = found_of(jobs[f"time of {method}"][0], folder)
        seconds[method] = timed["seconds"] / timed["flips"] * budget
        joules[method] = timed["joules"] / timed["flips"] * budget
        off = {value: deviations(found[method], right, value) for value in VALUES}
        squares[method] = {value: mean_square(off[value]) for value in VALUES}
        trusted = mean([x["trusted"] for here in found[method] for x in here])
        lines.append(
            f"| {method} | {' | '.join(cell(off[value]) for value in VALUES)} | {trusted:.2f} | {1e12 * seconds[method] / budget:.2f} |"
            f" {number(1e12 * joules[method] / budget)} |"
        )
    head = f"{system.samples} samples" if system.samples else "no disorder"
    lines = [
        f"## {system.name}",
        "",
        f"At beta = {system.beta:g}; {head}, {profile.repetitions} repetitions; {system.flips:.1e} flips a spin, tempering in {profile.chains} chains;"
        f" held to {'exact values, q2 and q4 to a longer run' if system.size else 'a longer run'}.",
        "",
        f"| method | {' | '.join(VALUES)} | trusted | ps a flip | pJ a flip |",
        "|---" * (len(VALUES) + 4) + "|",
        *lines,
        "",
        *equal_time(squares, seconds, joules),
    ]
    if system.samples:
        lines += [
            "",
            "| method | finds E_0 | samples: each run does | none does | ms to find it (99%) | J |",
            "|---|---|---|---|---|---|",
            *ground_rows(found, reference, seconds, joules),
        ]
    return [*lines, ""]


def precision(own: tuple[float, float], other: tuple[float, float], cost: float) -> str:
    """The ratio of two mean squares, each with its error, over so many times the cost, with its own error; empty where a mean square
    is not known to be above 0."""
    if not (own[0] > own[1] and other[0] > other[1] and cost > 0):
        return ""
    ratio = own[0] / other[0] / cost
    return f"{ratio:.2g} +- {ratio * math.hypot(own[1] / own[0], other[1] / other[0]):.1g}"


def equal_time(squares: dict[str, dict[str, tuple[float, float]]], seconds: dict[str, float], joules: dict[str, float]) -> list[str]:
    """Precision at equal time, and at equal energy, in units of that of one run of annealing."""
    lines = [f"| precision over that of annealing | {' | '.join(VALUES)} |", "|---" * (len(VALUES) + 1) + "|"]
    for what, cost in (("time", seconds), ("joules", joules)):
        for method in METHODS[1:]:
            cells = [precision(squares["annealing"][v], squares[method][v], cost[method] / cost["annealing"]) for v in VALUES]
            if any(cells):
                lines.append(f"| {method}, equal {what} | {' | '.join(cells)} |")
    return lines


# --- hard samples ---


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


def hard_jobs(profile: Profile) -> tuple[Job, Job]:
    jobs = jobs_of(profile.hard, profile)
    return jobs["annealing"][0], jobs["reference"][0]


def hard(profile: Profile, folder: Path) -> list[str]:
    """rho_t against tau, sample by sample."""
    annealed, tempered = (found_of(job, folder)["rows"] for job in hard_jobs(profile))
    rows = []
    for sample, (runs, (chains,)) in enumerate(zip(annealed, tempered)):
        if not math.isnan(chains["tau"]):
            about = [mean([x[name] for x in runs]) for name in ("E_min", "q2", "C", "S/N")]
            rows.append((mean([x["rho_t"] for x in runs]), chains["tau"], sample, *about))
    text = "".join(f"{s} {rho:.6g} {tau:.6g} {' '.join(f'{x:.6g}' for x in more)}\n" for rho, tau, s, *more in sorted(rows, reverse=True))
    (folder / "hard.dat").write_text(f"# {profile.hard.name}, beta = {profile.hard.beta}\n# sample rho_t tau E_min q2 C S/N\n{text}")
    columns = [ranks([row[at] for row in rows]) for at in (0, 1, 3, 4, 5, 6)]
    lines = [
        f"## {profile.hard.name}",
        "",
        f"{len(rows)} samples at beta = {profile.hard.beta:g}, in hard.dat. rho_t is the mean of {profile.repetitions} runs of annealing, tau the longest of"
        f" q2 at any temperature of a run of tempering of {profile.longer} times the flips, in sweeps. Rank correlations; of unrelated numbers 0 +- {1 / math.sqrt(max(1, len(rows) - 1)):.2f}.",
        "",
        "| | tau | E_min | q2 | C | S/N |",
        "|---|---|---|---|---|---|",
    ]
    for name, own in (("rho_t", 0), ("tau", 1)):
        cells = [f"{correlation(columns[own], columns[at]):.2f}" if at != own else "" for at in range(1, 6)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    name = os.environ.get("PROFILE", "small")
    if name not in PROFILES:
        print(f"PROFILE={name}: allowed: {', '.join(PROFILES)}", file=sys.stderr)
        return 2
    deadline = time.monotonic() + float(os.environ.get("SECONDS", "inf"))
    profile, folder = PROFILES[name], BUILD / "methods" / name / ("compare" if DISORDER == 1 else f"compare-{DISORDER}")
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [*hard_jobs(profile)]  # the longest
    jobs += [job for system in profile.systems for of in jobs_of(system, profile).values() for job in of]
    now = [job for job in jobs if not job.timed or os.environ.get("ALONE") != "no"]
    whole = make_all(now, folder, deadline)
    there = sum((folder / f"{job.name}.json").exists() for job in jobs)
    if not whole or there < len(jobs):
        print(f"{there} of {len(jobs)} runs are there: repeat the command", flush=True)
        return 0
    lines = [
        "# Methods at equal spin flips, time and energy",
        "",
        f"`make compare-methods PROFILE={name} DEVICE={DEVICE}{f' DISORDER={DISORDER}' if DISORDER > 1 else ''}`, by {found_of(jobs[0], folder)['engine']}. A cell: root mean square deviation, its uncertainty",
        "(mean square of deviation over stated error). Precision: 1 / (mean square x cost).",
        "",
    ]
    for system in profile.systems:
        lines += table_of(system, profile, folder)
    lines += hard(profile, folder)
    (folder / "compare.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(f"{folder}/compare.md")
    draw(folder, "methods", ["hard"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
