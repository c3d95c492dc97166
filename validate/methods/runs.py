"""Runs of the program for the studies of this folder, each in a folder of its own. A run that is there and came to its end is not made
again, so that an interrupted study goes on when it is repeated."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import is_whole, read_table  # noqa: E402

BUILD = Path(os.environ.get("BUILD", "build"))
DEVICE = os.environ.get("DEVICE", "cpu")

Table = dict[str, list[float]]


@dataclass(frozen=True)
class Run:
    folder: Path
    options: str
    digits: int = 17

    def table(self, name: str) -> Table:
        return read_table(self.folder / name)[1]


def make(run: Run, threads: int = 1) -> None:
    """Makes a run that is not there, with so many threads; 0: all."""
    if is_whole(run.folder):
        return
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    words = [str(BUILD / "paising"), "-D", DEVICE, *shlex.split(run.options), "-P", str(run.digits), "--force", "-o", str(run.folder)]
    some = {**os.environ, "OMP_NUM_THREADS": str(threads)} if threads else dict(os.environ)
    done = subprocess.run(words, env=some, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(words)}: {done.stderr}")


def exact(model: str, size: str, sample: int | None, betas: list[float], disorder: int = 1) -> dict[float, list[float]]:
    """e, C, betaF/N of build/exact at each beta."""
    words = [str(BUILD / "exact"), "--model", model, "-L", size]
    words += [] if sample is None else ["--disorder", str(disorder), "--sample", str(sample)]
    done = subprocess.run([*words, *map(repr, betas)], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return {beta: [float(x) for x in row[1:4]] for beta, row in zip(betas, rows)}


def row_at(table: Table, beta: float) -> int:
    return min(range(len(table["beta"])), key=lambda i: abs(table["beta"][i] - beta))
