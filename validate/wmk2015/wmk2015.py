#!/usr/bin/env python3
"""Population annealing of the Gaussian Edwards-Anderson glass in three dimensions, as Wang, Machta and Katzgraber did it
(Phys. Rev. E 92, 013303 and 063307, 2015): families at the lowest temperature, ground states, the overlap near 0, beside parallel
tempering of the first samples.

    wmk2015.py                what `make wmk2015` does: makes samples that are missing, and the table of all
    wmk2015.py FOLDER [TO]    the table of the samples of PROFILE, which made them, whose parts are in FOLDER. TO gets one part of each size and
                              method, to be kept, or copied to where the study goes on

Settings of the environment:

PROFILE=small   L = 4, 6 with small populations (default): ten minutes on two cores; or full: L = 4, 6, 8, 10, 12, for a GPU
DEVICE=auto     auto, cpu, cuda or cuda:N
SAMPLES=K       of each size at most, or K,K,... of one size after the other, 2 at least; samples that are there already stay
SECONDS=T       ends behind the piece of samples in which T seconds are over; the same command goes on [480]

Samples are annealed from beta = 0 to 5 in equal steps, 10 sweeps at each temperature, with rows from T = 0.42 on. `full` has several
samples in flight, so that the GPU is never idle. What is read of them stays in build/wmk2015/PROFILE/parts (parts.py). The table
wmk2015.md and the pictures' wmk2015.dat are of the samples that are there. Errors are from the scatter of the samples. Status 3 if time
was over, 1 if something failed, 2 if a value is not allowed."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from environment import begin, setting  # noqa: E402
from parts import BETA, SWEEPS, Size, Tempering, join, parts_of, read_density, read_parts, simulate  # noqa: E402
from pictures import draw  # noqa: E402

EQUILIBRIUM = math.log(100)  # what S_f must be at least
BINS = 24
BONDS = 3  # of a site
PUBLISHED_E0 = "-1.700"
PICTURES = ("rho_t", "S_f", "P", "e0")

NO_TEMPERING = Tempering(0, 64, 2, 1, 1)
# Those of `full`: R and N_T as the papers have them, by recollection; their samples are some 5000 of each size.
PROFILES = {
    "small": (
        Size(4, 150, 2000, 51, 1, Tempering(8, 64, 12, 100, 200)),
        Size(6, 60, 2000, 51, 1, NO_TEMPERING),
    ),
    "full": (
        Size(4, 2000, 50000, 101, 16, Tempering(64, 512, 16, 1000, 1000)),
        Size(6, 2000, 200000, 101, 16, Tempering(32, 512, 20, 2000, 2000)),
        Size(8, 500, 500000, 201, 8, Tempering(16, 64, 24, 50000, 50000)),
        Size(10, 100, 1000000, 301, 4, Tempering(4, 64, 30, 100000, 100000)),
        Size(12, 48, 1000000, 301, 2, NO_TEMPERING),
    ),
}


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

    @property
    def parts(self) -> Path:
        return self.folder / "parts"

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


# --- what is read of samples ---


@dataclass(frozen=True)
class Measured:
    """A size: the columns of its samples by annealing, and of the first ones by tempering (parts.py); P(q) at the last temperature."""

    size: Size
    annealed: dict[str, list[float]]
    tempered: dict[str, list[float]]
    density: list[tuple[float, float, float]]

    @property
    def e0(self) -> list[float]:
        """Lowest energies a site."""
        return [energy / self.size.edge**3 for energy in self.annealed["E_0"]]


def read_sizes(settings: Settings, folder: Path) -> list[Measured]:
    """Reads the samples that are there, of sizes that have any."""
    measured = []
    for size in PROFILES[settings.profile]:
        if parts_of(folder, size, "annealing"):
            annealed = read_parts(folder, size, "annealing")
            density = read_density(folder, size, len(annealed["sample"]))
            measured.append(Measured(size, annealed, read_parts(folder, size, "tempering"), density))
    return measured


def off_identity(columns: dict[str, list[float]]) -> list[float]:
    """e a bond + beta (1 - q_l) of each sample at the last temperature, whose mean is 0 in equilibrium: integration by parts over J."""
    return [e / BONDS + BETA * (1 - q_l) for e, q_l in zip(columns["e"], columns["q_l"])]


# --- what is said ---


def mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its error: of one value nan, both of values that were not measured (nan)."""
    if any(map(math.isnan, values)):
        return math.nan, math.nan
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), error


def with_error(value: float, error: float) -> str:
    """-1.664(12): the error in units of the last digit; "-" of what was not measured."""
    if math.isnan(value):
        return "-"
    if not error > 0:
        return f"{value:.4f}(?)"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({error * 10**digits:.0f})"


def energies(measured: Sequence[Measured]) -> list[tuple[int, float, float]]:
    """L, e0 and its error of the sizes that have one."""
    return [(m.size.edge, *mean(m.e0)) for m in measured if len(m.e0) > 1]


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


def row_of(m: Measured) -> str:
    """What a size has in the table."""
    a = m.annealed
    sound = sum(s >= EQUILIBRIUM for s in a["S_f"])
    cells = [str(m.size.edge), str(len(m.e0)), str(m.size.population), str(m.size.temperatures)]
    cells += [with_error(*mean(m.e0)), with_error(*mean(a["S_f"])), f"{sound} of {len(m.e0)}"]
    cells += [f"{statistics.median(a['rho_t']):.3g}", with_error(*mean([math.log10(r) for r in a["rho_t"]]))]
    cells += [with_error(*mean(a[name])) for name in ("I_cold", "I_warm")]
    return "| " + " | ".join(cells + [with_error(*mean(off_identity(a)))]) + " |"


def beside_tempering(measured: Sequence[Measured]) -> list[str]:
    """Differences between the two methods of the samples that both have; none without such samples."""
    lines = []
    for m in measured:
        count = min(len(m.tempered["sample"]), len(m.e0))
        if count < 2:
            continue
        cells = [str(m.size.edge), str(count)]
        for name in ("e", "q_l", "I_cold", "I_warm"):
            differences = [a - b for a, b in zip(m.annealed[name][:count], m.tempered[name][:count])]
            cells.append(with_error(*mean(differences)))
        lines.append("| " + " | ".join(cells + [with_error(*mean(off_identity(m.tempered)))]) + " |")
    return lines


def table(settings: Settings, measured: Sequence[Measured]) -> str:
    """wmk2015.md."""
    cold, warm = (f"I(0.2), T = {1 / beta:.3g}" for beta in (BETA, measured[0].size.first_row))
    lines = [
        f"| L | samples | R | N_T | e0 | S_f | S_f >= ln 100 | median rho_t | mean log10 rho_t | {cold} | {warm} | identity |",
        "|" + "---|" * 12,
        *map(row_of, measured),
        "",
        f"{SWEEPS} sweeps at each of N_T temperatures, beta from 0 to {BETA:g}; PROFILE={settings.profile}. The identity is the mean of",
        "e a bond + beta (1 - q_l) at the last temperature, 0 in equilibrium.",
    ]
    points = energies(measured)
    if len(points) > 1:
        lines.append(f"e0 = {with_error(*extrapolate(points))} for L to infinity, by e0 + a / L^3; published, by recollection: {PUBLISHED_E0}.")
    beside = beside_tempering(measured)
    if beside:
        lines += [
            "",
            "The same samples by parallel tempering: means of annealing less tempering, with errors from the scatter of these differences.",
            "",
            f"| L | samples | e, T = {1 / BETA:.3g} | q_l | {cold} | {warm} | identity of tempering |",
            "|" + "---|" * 7,
            *beside,
        ]
    return "\n".join(lines) + "\n"


def histogram(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    """The density of values in equal bins."""
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / width)))] += 1
    return [(low + (n + 0.5) * width, count / len(values) / width) for n, count in enumerate(counts)]


def write_curves(folder: Path, measured: Sequence[Measured]) -> None:
    """wmk2015.dat, for the pictures: indices rho_tL, S_fL and PL for each size L, e0, and limit: e0 at L to infinity, nan of one size."""
    text = ["# distributions over samples: an index for each size and quantity; columns x, y, error"]

    def add(name: str, rows: Sequence[Sequence[float]]) -> None:
        text.append(f"# {name}")
        text.extend(" ".join(f"{x:.8g}" for x in row) for row in rows)
        text.extend(["", ""])

    high_rho = max(math.log10(r) for m in measured for r in m.annealed["rho_t"]) + 1e-9
    high_s = max(s for m in measured for s in m.annealed["S_f"]) + 1e-9
    for m in measured:
        add(f"rho_t{m.size.edge}", histogram([math.log10(r) for r in m.annealed["rho_t"]], 0, high_rho))
        add(f"S_f{m.size.edge}", histogram(m.annealed["S_f"], 0, high_s))
        add(f"P{m.size.edge}", m.density)
    points = energies(measured)
    add("e0", [(1 / edge**3, e0, error) for edge, e0, error in points])
    add("limit", [(0, *(extrapolate(points) if len(points) > 1 else (math.nan, math.nan)))])
    (folder / "wmk2015.dat").write_text("\n".join(text))


def table_of_parts(settings: Settings, folder: Path, to: Optional[Path]) -> int:
    """What is there of another machine. 1 if that is nothing, or samples are missing."""
    try:
        measured = read_sizes(settings, folder)
        if not measured:
            raise ValueError(f"{folder}: no samples of PROFILE={settings.profile}")
        others = {part.name.split("_")[0] for part in folder.glob("L*_annealing_*.dat")} - {f"L{m.size.edge}" for m in measured}
        if others:
            raise ValueError(f"{folder}: {', '.join(sorted(others))}: no sizes of PROFILE={settings.profile}")
        print(table(settings, measured), end="")
        if to is not None:
            for m in measured:
                join(folder, m.size, "annealing", to)
                join(folder, m.size, "tempering", to)
    except ValueError as error:
        print(f"wmk2015: {error}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    given = begin(__doc__ or "", "folder", "to")
    settings = read_settings()
    if given.folder is not None:
        return table_of_parts(settings, given.folder, given.to)
    os.chdir(Path(__file__).resolve().parents[2])
    until = time.monotonic() + settings.seconds
    complete, failed = True, False
    for size in PROFILES[settings.profile]:
        try:
            wanted = settings.wanted(size)
            for method, samples in (("tempering", min(size.tempering.samples, wanted)), ("annealing", wanted)):
                complete = simulate(size, method, samples, settings.device, settings.parts, until) and complete
        except subprocess.CalledProcessError as failure:
            print(f"wmk2015: L = {size.edge} ended with status {failure.returncode}", file=sys.stderr)
            failed = True
        except ValueError as error:
            print(f"wmk2015: {error}", file=sys.stderr)
            failed = True
    measured = read_sizes(settings, settings.parts)
    if not measured:
        return 1 if failed else 3
    write_curves(settings.folder, measured)
    text = table(settings, measured)
    (settings.folder / "wmk2015.md").write_text(text)
    print(text)
    draw(settings.folder, "wmk2015", PICTURES)
    if not complete:
        print("wmk2015: time is over; the same command goes on", file=sys.stderr)
    return 1 if failed else 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
