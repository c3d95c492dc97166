#!/usr/bin/env python3
"""Where the Edwards-Anderson glass in three dimensions, J = +1 or -1, freezes: the crossings of the Binder parameter
and of the correlation length of two sizes, beside the literature. `make glass` calls it. Settings of the environment:

PROFILE=small   L = 4, 6, 8 on a CPU (default), or full: 4, 6, 8, 10 with more samples and replicas, for a GPU
DEVICE=auto     auto, cpu, cuda or cuda:N
SAMPLES=K       of each size at most, for a trial; samples that are there already stay

U4 = [q^4] / [q^2]^2 and xi/L do not depend on L at T_c, up to corrections that vanish with L. Where the curves of two
sizes, straight between their temperatures, cross is printed with an error: from leaving out one of 50 blocks of the
samples of either size. Results go to build/glass/PROFILE: a folder of samples for each size, glass.dat for the
pictures U4.png and xi.png, and glass.md, the table. Status 1 if something failed, 2 if a value is not allowed."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import begin, setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM = "build/paising"
BETAS = "-b 0.5 -f 1.2"
SWEEPS = 10
BLOCKS = 50
PICTURES = ("U4", "xi")
# Baity-Jesi et al. (Janus), Phys. Rev. B 88, 224416 (2013): L up to 40, extrapolated.
LITERATURE = {"T": "1.1019(29)", "U4": "1.4899(28)", "xi": "0.6516(32)"}


@dataclass(frozen=True)
class Size:
    """What is simulated of one size. The steps of beta let neighbouring temperatures overlap by 3/4 or more."""

    edge: int
    samples: int
    population: int
    step: float


PROFILES = {
    "small": (Size(4, 2500, 2000, 0.05), Size(6, 1400, 5000, 0.025), Size(8, 700, 10000, 0.02)),
    "full": (
        Size(4, 2000, 20000, 0.025),
        Size(6, 2000, 20000, 0.02),
        Size(8, 2000, 20000, 0.02),
        Size(10, 2000, 40000, 0.0125),
    ),
}


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    profile: str
    device: str
    most: int

    @property
    def folder(self) -> Path:
        return Path("build/glass") / self.profile


def read_settings() -> Settings:
    """All of them; one that is not allowed ends the program."""
    return Settings(
        profile=setting("glass", "PROFILE", "small", "|".join(PROFILES), " and ".join(PROFILES)),
        device=setting("glass", "DEVICE", "auto", r"auto|cpu|cuda|cuda:\d{1,4}", "auto, cpu, cuda, cuda:N"),
        most=int(setting("glass", "SAMPLES", "1000000", r"[1-9]\d{0,5}|1000000", "a number from 1")),
    )


# --- samples ---


def simulate(size: Size, settings: Settings) -> Path:
    """Makes the samples of a size that are not there yet. Returns their folder."""
    folder = settings.folder / f"L{size.edge}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    samples = min(size.samples, settings.most)
    words = f"--model glass3d -L {size.edge} -R {size.population} -t {SWEEPS} -d {size.step} {BETAS}".split()
    seeds = f"--disorder {size.edge} -s {size.edge} --samples {samples}".split()  # sizes are independent
    command = [PROGRAM, "-D", settings.device, *words, *seeds, "-o", str(folder)]
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


# --- curves ---


@dataclass(frozen=True)
class Moments:
    """Sums over samples, at each temperature."""

    samples: int
    q2: list[float]
    q4: list[float]
    wave: list[float]  # chi(k)

    def __sub__(self, other: Moments) -> Moments:
        def less(a: list[float], b: list[float]) -> list[float]:
            return [x - y for x, y in zip(a, b)]

        return Moments(
            self.samples - other.samples, less(self.q2, other.q2), less(self.q4, other.q4), less(self.wave, other.wave)
        )


def add(parts: Sequence[Moments]) -> Moments:
    """The sum of several."""

    def total(columns: Sequence[list[float]]) -> list[float]:
        return [math.fsum(values) for values in zip(*columns)]

    return Moments(
        sum(p.samples for p in parts),
        total([p.q2 for p in parts]),
        total([p.q4 for p in parts]),
        total([p.wave for p in parts]),
    )


@dataclass(frozen=True)
class Measured:
    """A size: its temperatures, the sums over its samples, and those without one block of them each."""

    edge: int
    beta: list[float]
    all: Moments
    without: list[Moments]


def read_samples(size: Size, folder: Path, most: int) -> Measured:
    """Reads the samples of a size, as they stand in their folders."""
    samples = []
    beta: list[float] = []
    for number in range(min(size.samples, most)):
        _, table = read_table(folder / f"sample_{number:04d}" / "PA_results_weighted.dat")
        beta = table["beta"]
        samples.append(Moments(1, table["q2"], table["q4"], table["chi(k)"]))
    everything = add(samples)
    count = min(BLOCKS, len(samples))
    return Measured(size.edge, beta, everything, [everything - add(samples[block::count]) for block in range(count)])


def binder(edge: int, m: Moments) -> list[float]:
    """U4 = [q4] / [q2]^2."""
    del edge
    return [m.samples * q4 / (q2 * q2) for q2, q4 in zip(m.q2, m.q4)]


def correlation_length(edge: int, m: Moments) -> list[float]:
    """xi/L from [chi_SG] = N [q2] and [chi(k)]; 0 where noise has it the other way round."""
    scale = 2 * edge * math.sin(math.pi / edge)
    return [math.sqrt(max(0.0, edge**3 * q2 / wave - 1)) / scale for q2, wave in zip(m.q2, m.wave)]


QUANTITIES: dict[str, Callable[[int, Moments], list[float]]] = {"U4": binder, "xi": correlation_length}


# --- crossings ---


def at(x: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    """The straight line between the points of a curve that x lies between."""
    n = next((n for n in range(1, len(xs) - 1) if xs[n] >= x), len(xs) - 1)
    share = (x - xs[n - 1]) / (xs[n] - xs[n - 1])
    return ys[n - 1] + share * (ys[n] - ys[n - 1])


def crossing(xs: Sequence[float], d: Sequence[float]) -> Optional[float]:
    """Where the difference d of two curves changes its sign: of several places the one that the fewest points speak
    against, by the sum of |d| on the wrong side; None without any."""
    best = None
    for n in range(1, len(xs)):
        if (d[n - 1] < 0) == (d[n] < 0):
            continue
        sign = 1 if d[n] > d[n - 1] else -1
        wrong = sum(max(0.0, sign * v) for v in d[:n]) + sum(max(0.0, -sign * v) for v in d[n:])
        if best is None or wrong < best[0]:
            best = (wrong, xs[n - 1] + (xs[n] - xs[n - 1]) * d[n - 1] / (d[n - 1] - d[n]))
    return best[1] if best else None


Point = tuple[float, float]  # T, and the value there


def cross(quantity: str, a: Measured, b: Measured, of_a: Moments, of_b: Moments) -> Optional[Point]:
    """Where the curves of two sizes cross."""
    curve = QUANTITIES[quantity]
    values_a, values_b = curve(a.edge, of_a), curve(b.edge, of_b)
    difference = [at(x, a.beta, values_a) - y for x, y in zip(b.beta, values_b)]
    beta = crossing(b.beta, difference)
    return None if beta is None else (1 / beta, at(beta, b.beta, values_b))


def spread(points: Sequence[Optional[Point]]) -> list[float]:
    """Variances by the jackknife, of T and of the value; nan if the curves without a block do not always cross."""
    if None in points or len(points) < 2:
        return [math.nan, math.nan]
    result = []
    for n in range(2):
        values = [p[n] for p in points if p is not None]
        mean = math.fsum(values) / len(values)
        result.append(math.fsum((v - mean) ** 2 for v in values) * (len(values) - 1) / len(values))
    return result


def cross_with_errors(quantity: str, a: Measured, b: Measured) -> Optional[tuple[Point, Point]]:
    """The crossing and its errors, to which the samples of either size add."""
    point = cross(quantity, a, b, a.all, b.all)
    if point is None:
        return None
    of_a = spread([cross(quantity, a, b, left, b.all) for left in a.without])
    of_b = spread([cross(quantity, a, b, a.all, left) for left in b.without])
    return point, (math.sqrt(of_a[0] + of_b[0]), math.sqrt(of_a[1] + of_b[1]))


# --- what is said ---


def with_error(value: float, error: float) -> str:
    """1.102(29): the error in units of the last digit."""
    if not error > 0:
        return f"{value:.3f}(?)"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({error * 10**digits:.0f})"


def table(settings: Settings, sizes: Sequence[Size], measured: Sequence[Measured]) -> str:
    """glass.md: the crossings of all pairs, and what they rest on."""
    lines = ["| sizes | T, of U4 | U4 there | T, of xi/L | xi/L there |", "|---|---|---|---|---|"]
    for n, large in enumerate(measured):
        for small in measured[:n]:
            cells = []
            for quantity in QUANTITIES:
                found = cross_with_errors(quantity, small, large)
                cells += [with_error(v, e) for v, e in zip(*found)] if found else ["none", ""]
            lines.append(f"| {small.edge}, {large.edge} | " + " | ".join(cells) + " |")
    lines.append(
        f"| L to infinity, literature | {LITERATURE['T']} | {LITERATURE['U4']} | {LITERATURE['T']} | {LITERATURE['xi']} |"
    )
    lines += ["", f"theta = {SWEEPS}, J = +1 and -1 with equal probability; PROFILE={settings.profile}.", ""]
    lines += ["| L | R | step of beta | samples | with families enough |", "|---|---|---|---|---|"]
    for size, m in zip(sizes, measured):
        header, _ = read_table(settings.folder / f"L{size.edge}" / "PA_disorder_averages.dat")
        sound = next(re.search(r"(\d+) of \d+ samples have families", line) for line in header if "families enough" in line)
        lines.append(
            f"| {size.edge} | {size.population} | {size.step} | {m.all.samples} | {sound.group(1) if sound else '?'} |"
        )
    return "\n".join(lines) + "\n"


def write_curves(settings: Settings, sizes: Sequence[Size]) -> None:
    """glass.dat, for the pictures: an index L4, L6, ... for each size, from its averages over samples."""
    columns = ("U4", "err_U4", "xi/L", "err_xi/L", "equilibrated")
    text = ["# averages over samples: an index for each size", f"# T {' '.join(columns)}"]
    for size in sizes:
        _, rows = read_table(settings.folder / f"L{size.edge}" / "PA_disorder_averages.dat")
        text += [f"# L{size.edge}"]
        for n, beta in enumerate(rows["beta"]):
            text.append(" ".join(f"{x:.8g}" for x in (1 / beta, *(rows[name][n] for name in columns))))
        text += ["", ""]
    (settings.folder / "glass.dat").write_text("\n".join(text))


def main() -> int:
    begin(__doc__ or "")
    os.chdir(Path(__file__).resolve().parents[2])
    settings = read_settings()
    sizes = PROFILES[settings.profile]
    measured = []
    for size in sizes:
        try:
            folder = simulate(size, settings)
        except subprocess.CalledProcessError as failed:
            print(f"glass: L = {size.edge} ended with status {failed.returncode}", file=sys.stderr)
            return 1
        measured.append(read_samples(size, folder, settings.most))
    write_curves(settings, sizes)
    text = table(settings, sizes, measured)
    (settings.folder / "glass.md").write_text(text)
    print(text)
    draw(settings.folder, "glass", PICTURES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
