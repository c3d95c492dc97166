"""Simulations of the study: a command each, made once, and kept as what the figures need of it.

A result of many runs is reduced to one file, NAME.dat, with two blocks. `curve` has the mean of every column over the
runs at every temperature, and its error from their scatter. `runs` has a row for each run at the temperatures that were
asked for. The file begins with the command; where it is there with the same command, nothing is made again."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402

KEPT = ("e", "C", "betaF/N", "R", "families", "rho_t", "R_eff", "rho_s")
IDEAL = "build/study_ideal"
ANNEAL = "build/paising"


@dataclass(frozen=True)
class Job:
    """A simulation: options of the program, and the temperatures at which each run is kept."""

    name: str
    options: str
    betas: tuple[float, ...]
    ideal: bool = False  # infinitely many sweeps

    def command(self, device: str, folder: Path) -> list[str]:
        """What makes it."""
        place = [] if self.ideal else ["-D", device]
        return [IDEAL if self.ideal else ANNEAL, *self.options.split(), *place, "-o", str(folder), "--force"]


Row = dict[str, float]


@dataclass
class Result:
    """What is kept of a simulation."""

    beta: list[float] = field(default_factory=list)
    mean: dict[str, list[float]] = field(default_factory=dict)  # of each column, at each temperature
    error: dict[str, list[float]] = field(default_factory=dict)
    runs: dict[float, list[Row]] = field(default_factory=dict)  # at the temperatures nearest to those asked for
    spin_flips: float = 0  # of all runs

    def at(self, beta: float) -> list[Row]:
        """The runs at the temperature nearest to this one."""
        return self.runs[min(self.runs, key=lambda b: abs(b - beta))]

    def value(self, column: str, beta: float) -> tuple[float, float]:
        """The mean over the runs and its error at the temperature nearest to this one."""
        n = min(range(len(self.beta)), key=lambda k: abs(self.beta[k] - beta))
        return self.mean[column][n], self.error[column][n]


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Of independent values; the error of a single one is nan."""
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:
        return mean, math.nan
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n * (n - 1)))


def variance(values: Sequence[float]) -> float:
    """The unbiased variance."""
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)


# --- from the files of the program ---


def read_families(path: Path) -> list[list[float]]:
    """rho_s of each run at each temperature, as build/study_ideal writes it."""
    runs: list[list[float]] = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            runs[-1].append(float(line.split()[4]))
        elif not line:
            runs.append([])
    return runs


def read_run(path: Path, target: float) -> dict[str, list[float]]:
    """The columns of a run, with lnW: of its weight, the product of all Q_k R_k / R."""
    _, table = read_table(path)
    total, weights = 0.0, []
    for q, size in zip(table["lnQ"], table["R"]):
        total += q
        total += math.log(size / target)
        weights.append(total)
    table["lnW"] = weights
    return table


def reduce_result(job: Job, folder: Path, path: Path, command: str) -> None:
    """Writes NAME.dat."""
    files = sorted(folder.glob("PA_results_run_*.dat"), key=lambda f: int(f.stem.rsplit("_", 1)[1]))
    target = float(option(job.options, "-R"))
    runs = [read_run(f, target) for f in files]
    families = folder.parent / f"{folder.name}.families"
    if families.exists():
        for run, rho_s in zip(runs, read_families(families)):
            run["rho_s"] = rho_s
    columns = [c for c in (*KEPT, "lnW") if c in runs[0]]
    most = max(runs, key=lambda r: len(r["beta"]))["beta"]
    chosen = sorted({min(range(len(most)), key=lambda k: abs(most[k] - b)) for b in job.betas})
    flips = json.loads((folder / "run.json").read_text())["spin_flips"]
    lines = [
        f"# {command}",
        f"# curve: means over the runs and their errors; spin flips {flips}",
        "# beta runs " + " ".join(f"{c} err_{c}" for c in columns),
    ]
    for n, beta in enumerate(most):
        there = [r for r in runs if len(r["beta"]) > n]
        pairs = [mean_and_error([r[c][n] for r in there]) for c in columns]
        lines.append(f"{beta:.12g} {len(there)} " + " ".join(f"{m:.12g} {e:.6g}" for m, e in pairs))
    lines += ["", "", "# runs: one by one", "# beta run " + " ".join(columns)]
    for n in chosen:
        lines += [
            f"{most[n]:.12g} {k} " + " ".join(f"{r[c][n]:.12g}" for c in columns)
            for k, r in enumerate(runs)
            if len(r["beta"]) > n
        ]
    spare = path.with_suffix(".new")
    spare.write_text("\n".join(lines) + "\n")
    spare.rename(path)


def option(options: str, letter: str) -> str:
    """The value of an option."""
    words = options.split()
    return words[words.index(letter) + 1]


def read_result(path: Path) -> Result:
    """Reads NAME.dat."""
    result = Result()
    curve, runs = path.read_text().split("\n\n\n")
    lines = curve.splitlines()
    result.spin_flips = float(lines[1].rsplit(" ", 1)[1])
    names = lines[2].split()[1:]
    for line in lines[3:]:
        row = dict(zip(names, map(float, line.split())))
        result.beta.append(row.pop("beta"))
        for name, value in row.items():
            kind = result.error if name.startswith("err_") else result.mean
            kind.setdefault(name.removeprefix("err_"), []).append(value)
    lines = runs.splitlines()
    names = lines[1].split()[1:]
    for line in lines[2:]:
        row = dict(zip(names, map(float, line.split())))
        result.runs.setdefault(row["beta"], []).append(row)
    return result


# --- making them ---


@dataclass
class Workshop:
    """Where simulations are made and kept."""

    folder: Path
    device: str
    gpu: bool
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)
    failed: list[str] = field(default_factory=list)

    def path(self, job: Job) -> Path:
        """Of what is kept of it."""
        return self.folder / "runs" / f"{job.name}.dat"

    def there(self, job: Job) -> bool:
        """Whether it was made, by this command."""
        path = self.path(job)
        if not path.exists():
            return False
        with path.open() as file:
            return file.readline() == "# " + " ".join(job.command(self.device, self.place(job))) + "\n"

    def place(self, job: Job) -> Path:
        """Where its result is while it is reduced."""
        return self.folder / "runs" / f"{job.name}.result"

    def make(self, job: Job) -> None:
        """Makes and reduces it: on a GPU one after the other, on a CPU one a core."""
        place = self.place(job)
        command = job.command(self.device, place)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"} if job.ideal or not self.gpu else dict(os.environ)
        on_gpu = self.gpu and not job.ideal
        if on_gpu:
            self.one_at_a_time.acquire()
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        finally:
            if on_gpu:
                self.one_at_a_time.release()
        if done.returncode != 0:
            self.failed.append(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()[-300:]}")
            return
        reduce_result(job, place, self.path(job), " ".join(command))
        shutil.rmtree(place)
        Path(f"{place}.families").unlink(missing_ok=True)
        print(f"  {job.name}", flush=True)

    def make_all(self, jobs: Iterable[Job]) -> None:
        """Makes those that are not there yet, the longest last said first."""
        (self.folder / "runs").mkdir(parents=True, exist_ok=True)
        missing = [job for job in dict.fromkeys(jobs) if not self.there(job)]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            list(pool.map(self.make, missing))

    def get(self, job: Job) -> Result:
        """What is kept of a job."""
        return read_result(self.path(job))


def exact_values(size: int, betas: Sequence[float]) -> list[Row]:
    """e, C and betaF/N of the L x L ferromagnet."""
    words = ["build/exact", "-L", str(size), *(f"{b:.15g}" for b in betas)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    rows = [list(map(float, line.split())) for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(("beta", "e", "C", "betaF/N"), row)) for row in rows]


def limits(size: int, step: float, families: bool = False) -> tuple[list[Row], list[Row]]:
    """Exact limits of infinitely many sweeps and replicas (study_limits): at every temperature, and of families."""
    words = ["build/study_limits", "-L", str(size), "-d", f"{step:.12g}", *(["-F"] if families else [])]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    blocks: list[list[Row]] = []
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith("# beta"):
            names = line.split()[1:]
            blocks.append([])
        elif line and not line.startswith("#"):
            blocks[-1].append(dict(zip(names, map(float, line.split()))))
    return blocks[0], blocks[1] if families else []


def has_gpu(device: str) -> bool:
    """Whether simulations will run on a GPU."""
    if device == "cpu":
        return False
    words = [ANNEAL, "-L", "16", "-R", "100", "--dry-run", "-D", device]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"study: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    return "device memory" in done.stdout
