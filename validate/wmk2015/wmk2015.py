#!/usr/bin/env python3
"""Population annealing of the Gaussian Edwards-Anderson glass in three dimensions, as Wang, Machta and Katzgraber did it
(Phys. Rev. E 92, 013303 and 063307, 2015): families at the lowest temperature, ground states, the overlap near 0.
`make wmk2015` calls it. Settings of the environment:

PROFILE=small   L = 4, 6 with small populations (default): ten minutes on two cores; or full: L = 4, 6, 8, 10, for a GPU
DEVICE=auto     auto, cpu, cuda or cuda:N
SAMPLES=K       of each size at most, or K,K,... of one size after the other, 2 at least; samples that are there already stay
SECONDS=T       ends behind the piece of samples in which T seconds are over; the same command goes on [480]

Each size is a folder of samples in build/wmk2015/PROFILE, annealed from beta = 0 to 5 in equal steps, 10 sweeps at each
temperature, with rows from T = 0.42 on. `full` has several samples in flight, so that the GPU is never idle. The table wmk2015.md and the pictures' wmk2015.dat are of the samples that are there. Errors are from the
scatter of the samples. Status 3 if time was over, 1 if something failed, 2 if a value is not allowed."""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM = "build/paising"
BETA, SWEEPS = 5.0, 10
PIECE = 30.0  # seconds of samples that are made by one command, about
TEMPERATURES = (0.2, 0.42)  # of I(0.2); the nearest step of beta is taken
NEAR_0 = 0.2
EQUILIBRIUM = math.log(100)  # what S_f must be at least
BINS = 24
PUBLISHED_E0 = "-1.700"
PICTURES = ("rho_t", "S_f", "P", "e0")


@dataclass(frozen=True)
class Size:
    """What is simulated of one size: N_T temperatures, beta = 0 among them."""

    edge: int
    samples: int
    population: int
    temperatures: int

    @property
    def step(self) -> float:
        return BETA / (self.temperatures - 1)

    @property
    def first_row(self) -> float:
        """The first beta of the results: that of the higher temperature at which overlaps are read."""
        return round(1 / max(TEMPERATURES) / self.step) * self.step


# Those of `full`: R and N_T as the papers have them, by recollection; their samples are some 5000 of each size.
PROFILES = {
    "small": (Size(4, 150, 2000, 51), Size(6, 60, 2000, 51)),
    "full": (Size(4, 2000, 50000, 101), Size(6, 2000, 200000, 101), Size(8, 500, 500000, 201), Size(10, 100, 1000000, 301)),
}
FLIGHT = {"small": 1, "full": 16}  # samples in flight, at least, and in the first piece of a size


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    profile: str
    device: str
    most: tuple[int, ...]
    seconds: float

    @property
    def folder(self) -> Path:
        return Path("build/wmk2015") / self.profile

    def wanted(self, size: Size) -> int:
        """Samples of a size that are to be there; one alone would be no folder of samples."""
        place = PROFILES[self.profile].index(size)
        return max(2, min(size.samples, self.most[min(place, len(self.most) - 1)]))


def read_settings() -> Settings:
    """All of them; one that is not allowed ends the program."""
    number = r"[1-9]\d{0,5}"
    return Settings(
        profile=setting("wmk2015", "PROFILE", "small", "|".join(PROFILES), " and ".join(PROFILES)),
        device=setting("wmk2015", "DEVICE", "auto", r"auto|cpu|cuda|cuda:\d{1,4}", "auto, cpu, cuda, cuda:N"),
        most=tuple(int(k) for k in setting("wmk2015", "SAMPLES", "999999", f"{number}(,{number})*", "numbers from 1").split(",")),
        seconds=float(setting("wmk2015", "SECONDS", "480", number, "a number from 1")),
    )


# --- samples ---


def made(folder: Path) -> int:
    """Samples of a size that are there."""
    return sum(1 for _ in folder.glob("sample_*"))


def run_twice_if_it_fails(command: Sequence[str]) -> None:
    """The command goes on with the samples that are missing. What it said when it failed is shown."""
    for _ in range(2):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode in (0, 2):
            break
        print(f"status {done.returncode}: {done.stderr.strip()[-2000:]}", file=sys.stderr, flush=True)
    done.check_returncode()


def simulate(size: Size, settings: Settings, until: float) -> bool:
    """Makes the samples that are not there yet, in pieces. Returns whether that was done in time."""
    folder = settings.folder / f"L{size.edge}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    wanted, flight = settings.wanted(size), FLIGHT[settings.profile]
    piece = max(2, flight)
    words = f"--model glass3d --couplings-type gaussian -c ssc -L {size.edge} -R {size.population} -t {SWEEPS}".split()
    # Sizes are independent.
    words += f"-b {size.first_row:.10g} -d {size.step:.10g} -f {BETA:g} --disorder {size.edge} -s {size.edge}".split()
    words += ["--in-flight", str(flight)] if flight > 1 else []
    while (there := made(folder)) < wanted:
        if time.monotonic() > until:
            return False
        samples = min(wanted, there + piece)
        command = [PROGRAM, "-D", settings.device, *words, "--samples", str(samples), "-o", str(folder), "--quiet"]
        print(" ".join(command), flush=True)
        begin = time.monotonic()
        run_twice_if_it_fails(command)
        each = (time.monotonic() - begin) / (samples - there)
        piece = max(1, min(16 * piece, round(PIECE / max(each, 1e-3))))
    return True


# --- what is read of them ---


@dataclass(frozen=True)
class Measured:
    """A size, by samples: the ground state and families at the last temperature, and P(q) near 0."""

    size: Size
    sites: int
    e0: list[float]
    rho_t: list[float]
    entropy: list[float]
    near_0: dict[float, list[float]]  # I(0.2), by beta
    density: list[tuple[float, float, float]]  # q, P(q) at the last temperature, its error
    identity: str


def share_near_0(path: Path, betas: Sequence[float]) -> dict[float, float]:
    """Of the pairs of a run, the share with |q| <= 0.2, at these temperatures."""
    share = dict.fromkeys(betas, 0.0)
    rows = tuple(f"{beta:.11g} 0 " for beta in betas)  # of overlaps there, with the digits of the program
    with path.open() as lines:
        for beta, _, q, _, part, _ in (line.split() for line in lines if line.startswith(rows)):
            if abs(float(q)) <= NEAR_0 + 1e-9:
                share[float(beta)] += float(part)
    return share


def density_of(path: Path, beta: float) -> list[tuple[float, float, float]]:
    """P(q) of all samples at a temperature, with errors; bins that are left out have no pairs."""
    rows = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] != "#" and float(words[0]) == beta and words[1] == "0":
            rows.append((float(words[2]), float(words[4]), float(words[5])))
    width = min((b[0] - a[0] for a, b in zip(rows, rows[1:])), default=1.0)
    return [(q, share / width, error / width) for q, share, error in rows]


def read_size(size: Size, settings: Settings) -> Measured:
    """Reads the samples of a size that are there."""
    folder = settings.folder / f"L{size.edge}"
    header, table = read_table(folder / "PA_disorder_averages.dat")
    _, samples = read_table(folder / "PA_samples.dat")
    betas = table["beta"]
    wanted = [min(betas, key=lambda beta: abs(beta - 1 / t)) for t in TEMPERATURES]
    near: dict[float, list[float]] = {beta: [] for beta in wanted}
    for number in samples["sample"]:
        share = share_near_0(folder / f"sample_{int(number):04d}" / "PA_overlap_run_0.dat", wanted)
        for beta in wanted:
            near[beta].append(share[beta])
    sites = size.edge**3
    return Measured(
        size,
        sites,
        [e / sites for e in samples["E_0"]],
        samples["rho_t"],
        samples["S_f"],
        near,
        density_of(folder / "PA_disorder_overlap.dat", betas[-1]),
        next((line[2:] for line in header if line.startswith("# equilibrium:")), ""),
    )


# --- what is said ---


def mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its error; nan of one value."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), error


def with_error(value: float, error: float) -> str:
    """-1.664(12): the error in units of the last digit."""
    if not error > 0:
        return f"{value:.4f}(?)"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({error * 10**digits:.0f})"


def extrapolate(points: Sequence[tuple[int, float, float]]) -> tuple[float, float]:
    """e0 at L to infinity by e0 + a / L^3, the straight line in 1/L^3 with weights 1 / error^2, and its error."""
    weights = [1 / error**2 for _, _, error in points]
    xs = [1 / edge**3 for edge, _, _ in points]
    s, sx = math.fsum(weights), math.fsum(w * x for w, x in zip(weights, xs))
    sxx = math.fsum(w * x * x for w, x in zip(weights, xs))
    sy = math.fsum(w * p[1] for w, p in zip(weights, points))
    sxy = math.fsum(w * x * p[1] for w, x, p in zip(weights, xs, points))
    determinant = s * sxx - sx * sx
    return (sxx * sy - sx * sxy) / determinant, math.sqrt(sxx / determinant)


def table(settings: Settings, measured: Sequence[Measured]) -> str:
    """wmk2015.md."""
    betas = list(measured[0].near_0)
    lines = [
        "| L | samples | R | N_T | e0 | S_f | S_f >= ln 100 | median rho_t | mean log10 rho_t | "
        + " | ".join(f"I(0.2), T = {1 / beta:.3g}" for beta in betas)
        + " |",
        "|" + "---|" * (9 + len(betas)),
    ]
    for m in measured:
        sound = sum(s >= EQUILIBRIUM for s in m.entropy)
        cells = [str(m.size.edge), str(len(m.e0)), str(m.size.population), str(m.size.temperatures)]
        cells += [with_error(*mean(m.e0)), with_error(*mean(m.entropy)), f"{sound} of {len(m.entropy)}"]
        cells += [f"{statistics.median(m.rho_t):.3g}", with_error(*mean([math.log10(r) for r in m.rho_t]))]
        cells += [with_error(*mean(values)) for values in m.near_0.values()]
        lines.append("| " + " | ".join(cells) + " |")
    points = [(m.size.edge, *mean(m.e0)) for m in measured if len(m.e0) > 1]
    lines += ["", f"{SWEEPS} sweeps at each of N_T temperatures, beta from 0 to {BETA:g}; PROFILE={settings.profile}."]
    if len(points) > 1:
        lines.append(f"e0 = {with_error(*extrapolate(points))} for L to infinity, by e0 + a / L^3; published, by recollection: {PUBLISHED_E0}.")
    lines += [f"L = {m.size.edge}, {m.identity}." for m in measured if m.identity]
    return "\n".join(lines) + "\n"


def histogram(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    """The density of values in equal bins."""
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / width)))] += 1
    return [(low + (n + 0.5) * width, count / len(values) / width) for n, count in enumerate(counts)]


def write_curves(settings: Settings, measured: Sequence[Measured]) -> None:
    """wmk2015.dat, for the pictures: indices rho_tL, S_fL and PL for each size L, and e0."""
    text = ["# distributions over samples: an index for each size and quantity; columns x, y, error"]

    def add(name: str, rows: Sequence[Sequence[float]]) -> None:
        text.append(f"# {name}")
        text.extend(" ".join(f"{x:.8g}" for x in row) for row in rows)
        text.extend(["", ""])

    high_rho = max(math.log10(r) for m in measured for r in m.rho_t) + 1e-9
    high_s = max(s for m in measured for s in m.entropy) + 1e-9
    for m in measured:
        add(f"rho_t{m.size.edge}", histogram([math.log10(r) for r in m.rho_t], 0, high_rho))
        add(f"S_f{m.size.edge}", histogram(m.entropy, 0, high_s))
        add(f"P{m.size.edge}", m.density)
    add("e0", [(1 / m.size.edge**3, *mean(m.e0)) for m in measured])
    (settings.folder / "wmk2015.dat").write_text("\n".join(text))


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    os.chdir(Path(__file__).resolve().parents[2])
    settings = read_settings()
    until = time.monotonic() + settings.seconds
    complete, failed = True, False
    for size in PROFILES[settings.profile]:
        try:
            complete = simulate(size, settings, until) and complete
        except subprocess.CalledProcessError as failure:
            print(f"wmk2015: L = {size.edge} ended with status {failure.returncode}", file=sys.stderr)
            failed = True
    there = [size for size in PROFILES[settings.profile] if (settings.folder / f"L{size.edge}/PA_samples.dat").exists()]
    if not there:
        return 1 if failed else 3
    measured = [read_size(size, settings) for size in there]
    write_curves(settings, measured)
    text = table(settings, measured)
    (settings.folder / "wmk2015.md").write_text(text)
    print(text)
    draw(settings.folder, "wmk2015", PICTURES)
    if not complete:
        print("wmk2015: time is over; the same command goes on", file=sys.stderr)
    return 1 if failed else 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
