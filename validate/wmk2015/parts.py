"""Samples of `make wmk2015`, made in parts: a command makes some samples one after the other in number, and what the study reads of them
goes to a small file. Their folders are then removed. So the study goes on where it ended, on another machine too, if it has these files.

    L8_annealing_00064.dat   the samples from 64 on, a line each: COLUMNS; above them how they were made
    L8_annealing_00064.P     of these samples, at the last temperature: q, the sum of their shares of pairs with this overlap, and
                             the sum of the squares of these shares
    L8_tempering_00000.dat   the first samples again, by parallel tempering: no families, no lowest energies

Another command may make other parts of the same samples; they do not depend on it. join() makes one part of all, to be kept."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402

PROGRAM = "build/paising"
BETA, SWEEPS = 5.0, 10
PIECE = 20.0  # seconds of samples that are made by one command, about
TEMPERATURES = (0.2, 0.42)  # of I(0.2); the nearest step of beta is taken
NEAR_0 = 0.2
HOTTEST = 0.5  # beta of the hottest chains of tempering
COLUMNS = ("sample", "couplings", "E_0", "e", "q_l", "S_f", "rho_t", "I_cold", "I_warm")


@dataclass(frozen=True)
class Tempering:
    """Chains at each of so many temperatures, and rounds of SWEEPS sweeps that are left out and measured; of the first samples."""

    samples: int
    chains: int
    temperatures: int
    thermalisation: int
    measurements: int


@dataclass(frozen=True)
class Size:
    """What is simulated of one size: N_T temperatures, beta = 0 among them, and so many samples in flight."""

    edge: int
    samples: int
    population: int
    temperatures: int
    flight: int
    tempering: Tempering

    @property
    def step(self) -> float:
        return BETA / (self.temperatures - 1)

    @property
    def first_row(self) -> float:
        """The first beta of the results: that of the higher temperature at which overlaps are read, as the command line has it."""
        return float(f"{round(1 / max(TEMPERATURES) / self.step) * self.step:.10g}")


def betas_of(size: Size) -> list[float]:
    """The betas of tempering: from HOTTEST to BETA in equal ratios, one of them moved to the first row of annealing."""
    count = size.tempering.temperatures
    betas = [HOTTEST * (BETA / HOTTEST) ** (n / (count - 1)) for n in range(count)]
    nearest = min(range(count), key=lambda n: abs(betas[n] - size.first_row))
    betas[nearest] = size.first_row
    return betas


def share_near_0(path: Path, betas: Sequence[float]) -> list[float]:
    """Of the pairs of a sample, the share with |q| <= 0.2, at each of these temperatures. ValueError if the file lacks one."""
    texts = [f"{beta:.11g}" for beta in betas]  # as the program prints them
    begins = tuple(f"{text} 0 " for text in texts)
    share: dict[str, float] = {}
    with path.open() as lines:
        for beta, _, q, _, part, _ in (line.split() for line in lines if line.startswith(begins)):
            near = float(part) if abs(float(q)) <= NEAR_0 + 1e-9 else 0.0
            share[beta] = share.get(beta, 0.0) + near
    missing = [text for text in texts if text not in share]
    if missing:
        raise ValueError(f"{path}: no overlaps at beta = {', '.join(missing)}")
    return [share[text] for text in texts]


def shares_at(path: Path, beta: float) -> dict[str, float]:
    """The shares of a sample's pairs at a temperature, by q as the file has it."""
    begin = f"{beta:.11g} 0 "
    with path.open() as lines:
        return {words[2]: float(words[4]) for words in (line.split() for line in lines if line.startswith(begin))}


def number_text(value: float) -> str:
    return f"{value:.11g}"


def made_by(size: Size, method: str) -> str:
    """The first line of a part: of a study with other populations or temperatures it differs."""
    t = size.tempering
    if method == "annealing":
        return f"# annealing: R = {size.population}, {size.temperatures} temperatures, {SWEEPS} sweeps at each"
    return f"# tempering: {t.chains} chains, {t.temperatures} temperatures, {t.thermalisation} + {t.measurements} rounds of {SWEEPS} sweeps"


def write_part(to: Path, made: str, rows: Sequence[Sequence[float]], sums: dict[float, list[float]]) -> None:
    """Writes a part; the .dat last, so that a part of annealing has both files."""
    if sums:
        lines = [f"{q:.11g} {number_text(a)} {number_text(b)}" for q, (a, b) in sorted(sums.items())]
        to.with_suffix(".P").write_text("\n".join(["# q sum sum_of_squares", *lines]) + "\n")
    part = to.with_suffix(".tmp")
    part.write_text("\n".join([made, "# " + " ".join(COLUMNS), *(" ".join(map(number_text, row)) for row in rows)]) + "\n")
    part.rename(to)


def condense(folder: Path, size: Size, method: str, to: Path) -> None:
    """Writes what the study reads of a folder of samples."""
    overlaps, table = ("PA_overlap_run_0.dat", "PA_samples.dat") if method == "annealing" else ("MC_overlap.dat", "MC_samples.dat")
    _, samples = read_table(folder / table)
    sums: dict[str, list[float]] = {}
    rows = []
    for n, number in enumerate(samples["sample"]):
        path = folder / f"sample_{int(number):04d}" / overlaps
        near = share_near_0(path, (BETA, size.first_row))
        values = [samples[name][n] if name in samples else math.nan for name in COLUMNS[:7]]
        rows.append([*values, *near])
        for q, share in shares_at(path, BETA).items():
            of_q = sums.setdefault(q, [0.0, 0.0])
            of_q[0] += share
            of_q[1] += share * share
    write_part(to, made_by(size, method), rows, {float(q): of_q for q, of_q in sums.items()} if method == "annealing" else {})


def parts_of(folder: Path, size: Size, method: str) -> list[Path]:
    """The parts that are there, by their first samples."""
    return sorted(folder.glob(f"L{size.edge}_{method}_*.dat"))


def rows_of(path: Path) -> list[list[float]]:
    return [[float(word) for word in line.split()] for line in path.read_text().splitlines() if not line.startswith("#")]


def read_parts(folder: Path, size: Size, method: str) -> dict[str, list[float]]:
    """The columns of all parts. ValueError if a sample is missing, there twice, or made otherwise."""
    for part in parts_of(folder, size, method):
        made = part.read_text().partition("\n")[0]
        if made != made_by(size, method):
            raise ValueError(f"{part}: '{made}', where '{made_by(size, method)}' is asked for")
    rows = [row for part in parts_of(folder, size, method) for row in rows_of(part)]
    if [row[0] for row in rows] != list(range(len(rows))):
        raise ValueError(f"{folder}: samples of L = {size.edge} by {method} are missing, or there twice")
    return {name: [row[n] for row in rows] for n, name in enumerate(COLUMNS)}


def sums_of(folder: Path, size: Size) -> dict[float, list[float]]:
    """Of all parts of annealing: by q, the sum of the shares of the samples, and that of their squares."""
    sums: dict[float, list[float]] = {}
    for part in parts_of(folder, size, "annealing"):
        for q, a, b in rows_of(part.with_suffix(".P")):
            of_q = sums.setdefault(q, [0.0, 0.0])
            of_q[0] += a
            of_q[1] += b
    return sums


def read_density(folder: Path, size: Size, samples: int) -> list[tuple[float, float, float]]:
    """q, P(q) of all samples at the last temperature, and its error from their scatter; bins that are left out have no pairs."""
    sums = sums_of(folder, size)
    qs = sorted(sums)
    width = min((b - a for a, b in zip(qs, qs[1:])), default=1.0)
    rows = []
    for q in qs:
        mean, square = (x / samples for x in sums[q])
        error = math.sqrt(max(0.0, square - mean * mean) / max(1, samples - 1))
        rows.append((q, mean / width, error / width))
    return rows


def join(folder: Path, size: Size, method: str, to: Path) -> None:
    """Makes one part of all in a folder, in another. ValueError: samples are missing, or there is more already."""
    columns = read_parts(folder, size, method)
    rows = list(zip(*columns.values()))
    if not rows:
        return
    joined = to / f"L{size.edge}_{method}_00000.dat"
    if parts_of(to, size, method) not in ([], [joined]) or (joined.exists() and len(rows_of(joined)) > len(rows)):
        raise ValueError(f"{to}: has more samples of L = {size.edge} by {method} than {folder}, or parts of them")
    to.mkdir(parents=True, exist_ok=True)
    write_part(joined, made_by(size, method), rows, sums_of(folder, size) if method == "annealing" else {})


def run_twice_if_it_fails(command: Sequence[str]) -> None:
    """The command goes on with the samples that are missing. What it said when it failed is shown."""
    for _ in range(2):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode in (0, 2):
            break
        print(f"status {done.returncode}: {done.stderr.strip()[-2000:]}", file=sys.stderr, flush=True)
    done.check_returncode()


def words_for(size: Size, method: str, folder: Path) -> list[str]:
    """The options of a method."""
    words = f"--model glass3d --couplings-type gaussian -c ssc -L {size.edge} -t {SWEEPS}".split()
    words += f"--disorder {size.edge} -s {size.edge}".split()  # sizes are independent
    if method == "annealing":
        return words + f"-R {size.population} -b {size.first_row:.10g} -d {size.step:.10g} -f {BETA:g} --in-flight {size.flight}".split()
    t = size.tempering
    betas = folder / f"L{size.edge}_betas"
    betas.write_text("".join(f"{beta:.10g}\n" for beta in betas_of(size)))
    times = f"--thermalisation {t.thermalisation} --measurements {t.measurements}"
    return words + f"--method tempering -R {t.chains} --betas {betas} {times}".split()


def simulate(size: Size, method: str, wanted: int, device: str, folder: Path, until: float) -> bool:
    """Makes the samples of a size that are in no part yet. Returns whether that was done in time."""
    if wanted == 0:
        return True
    folder.mkdir(parents=True, exist_ok=True)
    words = words_for(size, method, folder)
    piece = max(2, size.flight)  # one sample alone would be no folder of samples
    while (there := sum(len(rows_of(part)) for part in parts_of(folder, size, method))) < wanted:
        if time.monotonic() > until:
            return False
        samples = max(2, min(wanted - there, piece))
        name = f"L{size.edge}_{method}_{there:05d}"
        of_samples = ["--sample", str(there), "--samples", str(samples), "-o", str(folder / name)]
        command = [PROGRAM, "-D", device, *words, *of_samples, "--quiet"]
        print(" ".join(command), flush=True)
        shutil.rmtree(folder / name, ignore_errors=True)  # of a command that was ended
        begin = time.monotonic()
        run_twice_if_it_fails(command)
        each = (time.monotonic() - begin) / samples
        condense(folder / name, size, method, folder / f"{name}.dat")
        shutil.rmtree(folder / name)
        piece = max(2, size.flight, min(8 * piece, round(PIECE / max(each, 1e-3))))
    return True
