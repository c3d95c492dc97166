#!/usr/bin/env python3
"""How fast flat histograms find the number of states: against the number of walkers, the method, the block of Wang-Landau and the
thermalisation (Gross, Zierenberg, Weigel, Janke, Comput. Phys. Commun. 224, 387, 2018, Fig. 10).

    flat.py [--paising FILE] [--exact FILE] [--size L] [--walkers P,P,...] [--seeds N] [--attempts M] [--device WORD]

Prints four tables, ready for gnuplot: medians over the seeds, and the interval of the middle two thirds. An iteration has M attempts of all walkers
together. `sweeps` are those of each walker until the weights are ready, which is the time of a device with a processor for each
walker; `gain` is that of the first number of walkers over that. The deviation is the mean of |ln g - exact| over the energies, both less
their means."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402


@dataclass(frozen=True)
class Outcome:
    """Of one simulation."""

    iterations: float
    sweeps: float  # of each walker while weights were looked for
    attempts: float  # of all walkers until then
    seconds: float
    of_weights: float  # deviation of ln g from the weights alone
    of_counts: float


class Study:
    def __init__(self, given: argparse.Namespace, scratch: Path) -> None:
        self.given, self.scratch, self.sites = given, scratch, given.size**2
        done = subprocess.run([given.exact, "-L", str(given.size), "--states"], check=True, stdout=subprocess.PIPE, text=True)
        rows = [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]
        self.exact = {int(e): math.log(int(n)) for e, n in rows if int(n) > 0}

    def deviation(self, energies: list[float], found: list[float]) -> float:
        pairs = [(x, self.exact[int(e)]) for e, x in zip(energies, found)]
        shift = sum(x - y for x, y in pairs) / len(pairs)
        return sum(abs(x - y - shift) for x, y in pairs) / len(pairs) if len(pairs) == len(self.exact) else math.inf

    def run(self, options: str, walkers: int, seed: int) -> Outcome:
        folder = Path(tempfile.mkdtemp(dir=self.scratch)) / "result"
        command = [self.given.paising, "-D", self.given.device, "-L", str(self.given.size), "-R", str(walkers), *options.split()]
        command += ["-s", str(seed), "-d", "0.5", "-o", str(folder), "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        header, density = read_table(folder / "FH_density.dat")
        _, diary = read_table(folder / "FH_iterations.dat")
        theta = next(int(line.split()[2]) for line in header if line.startswith("# sweeps "))
        sweeps = diary["steps"][-1] * theta
        return Outcome(
            diary["iteration"][-1] if diary["ready"][-1] == 1 else math.inf,
            sweeps,
            sweeps * walkers * self.sites,
            json.loads((folder / "run.json").read_text())["seconds"]["total"],
            self.deviation(density["E"], density["ln_g_weights"]),
            self.deviation(density["E"], density["ln_g"]),
        )

    def runs(self, options: str, walkers: int) -> list[Outcome]:
        return [self.run(options, walkers, seed) for seed in range(1, self.given.seeds + 1)]

    def length(self, walkers: int) -> int:
        """Sweeps of an iteration."""
        return max(1, round(self.given.attempts / (walkers * self.sites)))


def spread(values: list[float]) -> str:
    """Median, and the interval of the middle two thirds."""
    s = sorted(values)
    n = len(s)
    return f"{s[n // 2]:.4g} {s[n // 6]:.4g} {s[n - 1 - n // 6]:.4g}"


def print_walkers(study: Study) -> None:
    print("# multicanonical weights against walkers\n# walkers iterations low high sweeps low high gain deviation_weights low high", flush=True)
    first = 0.0
    for p in study.given.walkers:
        found = study.runs(f"--method multicanonical -t 1 --thermalisation 20 --iteration-length {study.length(p)} --measurements {study.length(p)}", p)
        sweeps = sorted(o.sweeps for o in found)[len(found) // 2]
        first = first or sweeps
        print(p, spread([o.iterations for o in found]), spread([o.sweeps for o in found]), f"{first / sweeps:.3g}", end=" ")
        print(spread([o.of_weights for o in found]), flush=True)


def print_methods(study: Study) -> None:
    print("# time to an error: attempts of the search, deviation of the weights; seconds and deviation with production behind it")
    print("# method attempts low high deviation_weights low high seconds low high deviation low high", flush=True)
    p = 16
    production = f"--thermalisation 20 --measurements {4 * study.length(p)}"
    for name, options in (
        ("multicanonical", f"--method multicanonical --iteration-length {study.length(p)}"),
        ("wang-landau-1/t", "--method wang-landau --last-ln-f 1e-6"),
        ("wang-landau-halved", "--method wang-landau --refinement halved --last-ln-f 1e-8"),
    ):
        found = study.runs(f"{options} -t 1 {production}", p)
        columns = ([o.attempts for o in found], [o.of_weights for o in found], [o.seconds for o in found], [o.of_counts for o in found])
        print(name, *map(spread, columns), flush=True)


def print_blocks(study: Study) -> None:
    print("# the block of Wang-Landau and the residual error of its weights, 16 walkers, ln f to 3e-6")
    print("# block_attempts deviation_halved low high attempts low high deviation_1/t low high attempts low high", flush=True)
    for block in (4, 20, 100, 1000):
        line = [str(block)]
        for rule in ("halved", "1/t"):
            found = study.runs(
                f"--method wang-landau -t 20 --block-attempts {block} --refinement {rule} --last-ln-f 3e-6 --thermalisation 0 --measurements 32", 16
            )
            line += [spread([o.of_weights for o in found]), spread([o.attempts for o in found])]
        print(*line, flush=True)


def print_thermalisation(study: Study) -> None:
    print("# thermalisation behind each change of the weights, 1024 walkers, two sweeps of each in an iteration")
    print("# sweeps iterations low high", flush=True)
    for sweeps in (0, 5, 20, 100):
        found = study.runs(
            f"--method multicanonical -t 1 --thermalisation {sweeps} --iteration-length 2 --measurements 100 --iterations 100", 1024
        )
        print(sweeps, spread([o.iterations for o in found]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paising", default="build/paising")
    parser.add_argument("--exact", default="build/exact")
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--walkers", type=lambda text: [int(word) for word in text.split(",")], default=[1, 4, 16, 64, 256])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--attempts", type=float, default=1e6)
    parser.add_argument("--device", default="cpu")
    with tempfile.TemporaryDirectory() as folder:
        study = Study(parser.parse_args(), Path(folder))
        for part in (print_walkers, print_methods, print_blocks, print_thermalisation):
            part(study)
    return 0


if __name__ == "__main__":
    sys.exit(main())
