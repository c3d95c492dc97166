#!/usr/bin/env python3
"""How well microcanonical annealing finds the number of states of the 40 x 40 Ising model, beside what is published of MCPA.

    ceilings.py [--paising FILE] [--exact FILE] [--populations R,R,...] [--theta THETA] [--seeds N] [--device WORD]

MCPA's sums are those of its notebook 2DIsingEntropyAccurasy.ipynb (github.com/MarvelousLim/MCPA, commit 0bb4c9e, 2021), of one run for
each R. It has the Potts model with two states, whose energies -2 N to -N are -2 N to 0 here. It has a sweep at each whole number of the ceiling:
3201 in all, two at each level, and half of them above the energies of random states. It adds up |ln g - exact| over the 800 levels from
-2 N to 0, both less their values at 0; a level that was not found counts as right. Here such a level is counted, and so are the sweeps.
Rows are the mean over the seeds of one run each, and its standard deviation."""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402

EDGE = 40
SITES = EDGE * EDGE
PUBLISHED = {
    1024: 591.657, 2048: 276.014, 4096: 192.355, 8192: 578.240, 16384: 311.413, 32768: 86.557,
    65536: 28.975, 131072: 60.635, 262144: 26.874, 524288: 37.449, 1048576: 18.569,
}  # fmt: skip


def exact_entropy(program: str) -> dict[int, float]:
    """ln of the number of states from -2 N to 0, by E."""
    done = subprocess.run([program, "-L", str(EDGE), "--states"], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return {int(e): math.log(int(n)) for e, n in rows if int(n) > 0 and int(e) <= 0}


def sum_of_deviations(exact: dict[int, float], found: dict[int, float]) -> tuple[float, int]:
    """Over the levels that were found, and how many were not. Both are less their values at 0."""
    there = [e for e in exact if e in found]
    shift = found[0] - exact[0]
    return math.fsum(abs(found[e] - exact[e] - shift) for e in there), len(exact) - len(there)


def run(given: argparse.Namespace, population: int, seed: int, folder: Path) -> tuple[float, int, int, float]:
    """The sum, levels that are missing, sweeps of a replica, seconds."""
    words = f"--method microcanonical -L {EDGE} -c ssc -R {population} -t {given.theta} -M 1 -b 0 -f 2 -d 1 -s {seed} -D {given.device}"
    command = [given.paising, *words.split(), "-o", str(folder), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, entropy = read_table(folder / "MA_entropy.dat")
    _, ceilings = read_table(folder / "MA_ceilings.dat")
    seconds = json.loads((folder / "run.json").read_text())["seconds"]["total"]
    found = {round(e * SITES): x for e, x in zip(entropy["e"], entropy["lng"])}
    return *sum_of_deviations(given.states, found), given.theta * (len(ceilings["e"]) - 1), seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paising", default="build/paising")
    parser.add_argument("--exact", default="build/exact")
    parser.add_argument("--populations", type=lambda text: [int(word) for word in text.split(",")], default=[1024])
    parser.add_argument("--theta", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    given.states = exact_entropy(given.exact)
    print("# R sum deviation missing sweeps seconds published", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for population in given.populations:
            runs = [run(given, population, seed, Path(scratch) / f"{population}_{seed}") for seed in range(1, given.seeds + 1)]
            sums, missing, sweeps, seconds = zip(*runs)
            scatter = statistics.stdev(sums) if len(sums) > 1 else math.nan
            means = (statistics.fmean(column) for column in (missing, sweeps, seconds))
            print(population, f"{statistics.fmean(sums):.4g} {scatter:.3g}", *(f"{x:.4g}" for x in means), PUBLISHED.get(population, "-"), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
