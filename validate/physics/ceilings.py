#!/usr/bin/env python3
"""How well microcanonical annealing finds the number of states of the 40 x 40 Ising model, beside what is published of MCPA. `make ceilings` calls it.
Settings of the environment:

PROFILE=small    R = 1024 (default), or full: eleven populations up to 2^20, minutes of a GPU
DEVICE=cpu       cpu, cuda or cuda:N
SEEDS=3          runs of each population, from 1
THETA=2          sweeps below each ceiling, from 1

MCPA's sums are those of its notebook 2DIsingEntropyAccurasy.ipynb (github.com/MarvelousLim/MCPA, commit 0bb4c9e, 2021), of one run for
each R. It has the Potts model with two states, whose energies -2 N to -N are -2 N to 0 here. It has a sweep at each whole number of the ceiling:
3201 in all, two at each level, and half of them above the energies of random states. It adds up |ln g - exact| over the 800 levels from
-2 N to 0, both less their values at 0; a level that was not found counts as right. Here such a level is counted, and so are the sweeps.
Rows are the mean over the seeds of one run each, and its standard deviation. Status 1 if a run failed, 2 if a value is
not allowed."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import begin, setting  # noqa: E402
from flat import PROGRAM, exact_states, said_by  # noqa: E402

EDGE = 40
SITES = EDGE * EDGE
PUBLISHED = {
    1024: 591.657, 2048: 276.014, 4096: 192.355, 8192: 578.240, 16384: 311.413, 32768: 86.557,
    65536: 28.975, 131072: 60.635, 262144: 26.874, 524288: 37.449, 1048576: 18.569,
}  # fmt: skip


def exact_entropy() -> dict[int, float]:
    """ln of the number of states from -2 N to 0, by E."""
    return {e: x for e, x in exact_states(EDGE).items() if e <= 0}


def sum_of_deviations(exact: dict[int, float], found: dict[int, float]) -> tuple[float, int]:
    """Over the levels that were found, and how many were not. Both are less their values at 0."""
    there = [e for e in exact if e in found]
    shift = found[0] - exact[0]
    return math.fsum(abs(found[e] - exact[e] - shift) for e in there), len(exact) - len(there)


def run(exact: dict[int, float], population: int, seed: int, sweeps: int, device: str) -> tuple[float, int, int, float]:
    """The sum, levels that are missing, sweeps of a replica, seconds."""
    words = f"--method microcanonical -L {EDGE} -c ssc -R {population} -t {sweeps} -M 1 -b 0 -f 2 -d 1 -s {seed} -D {device}"
    with tempfile.TemporaryDirectory(prefix="ceilings-") as name:
        folder = Path(name) / "result"
        command = [PROGRAM, *words.split(), "-o", str(folder), "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        _, entropy = read_table(folder / "MA_entropy.dat")
        _, ceilings = read_table(folder / "MA_ceilings.dat")
        seconds = json.loads((folder / "run.json").read_text())["seconds"]["total"]
    found = {round(e * SITES): x for e, x in zip(entropy["e"], entropy["lng"])}
    return *sum_of_deviations(exact, found), sweeps * (len(ceilings["e"]) - 1), seconds


def main() -> int:
    begin(__doc__ or "")
    os.chdir(Path(__file__).resolve().parents[2])
    profile = setting("ceilings", "PROFILE", "small", "small|full", "small, full")
    device = setting("ceilings", "DEVICE", "cpu", r"cpu|cuda|cuda:\d{1,4}", "cpu, cuda, cuda:N")
    seeds = int(setting("ceilings", "SEEDS", "3", r"[1-9]\d{0,2}", "1 to 999"))
    theta = int(setting("ceilings", "THETA", "2", r"[1-9]\d{0,5}", "1 to 999999"))
    try:
        exact = exact_entropy()
        print("# R sum deviation missing sweeps seconds published", flush=True)
        for population in list(PUBLISHED) if profile == "full" else [1024]:
            runs = [run(exact, population, seed, theta, device) for seed in range(1, seeds + 1)]
            sums, missing, sweeps, seconds = zip(*runs)
            scatter = statistics.stdev(sums) if len(sums) > 1 else math.nan
            means = (statistics.fmean(column) for column in (missing, sweeps, seconds))
            print(population, f"{statistics.fmean(sums):.4g} {scatter:.3g}", *(f"{x:.4g}" for x in means), PUBLISHED[population], flush=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"ceilings: {said_by(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
