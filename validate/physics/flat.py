#!/usr/bin/env python3
"""Flat histograms against exact numbers of states, and how fast they get there. `make flat` calls it. Settings of the environment:

PROFILE=small    L = 8 to 16, some minutes on two cores (default); full: L = 8 to 32, minutes of a GPU; or brief: some seconds
DEVICE=cpu       cpu, cuda or cuda:N
SEEDS=6          seeds of each simulation, from 1

1. ln g of each L against the exact one: the mean and the largest of |ln g - exact| over the energies, both less their means, and the root mean
   square of (ln g - exact) / error, both as they are.
2. Speed against the number of walkers (Gross, Zierenberg, Weigel, Janke, Comput. Phys. Commun. 224, 387, 2018, Fig. 10): until multicanonical weights are
   ready. The speed-up is over one core of the CPU with as many walkers as the first row has. Its time is that of an attempt, measured
   in the first iterations, times the attempts of that row: the same bits. An iteration has the same attempts of all walkers together.
3. Time to an error of ln g: the weights' search, and production of growing length behind it. Wang-Landau with ln f that is only halved is not in `full`.
4. Not in `full` either: the block of Wang-Landau, and the thermalisation behind each change of the weights.

Numbers are medians over the seeds, with the interval of the middle two thirds. Seconds are those of run.json, from where the device is ready; of
searches alone the part that their sweeps are of all.
Results go to build/flat/PROFILE: flat.md, flat.dat for the pictures walkers.png and errors.png, and runs.json, which no later call makes again. Status 1 if
a run failed, 2 if a value is not allowed."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import begin, setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM, EXACT = "build/paising", "build/exact"


@dataclass(frozen=True)
class Profile:
    """What is simulated: ln g of `sizes`, by so many walkers that make `measurements` steps of ten sweeps; searches of weights of L = `edge` with `attempts` in an
    iteration; production of so many times the first length."""

    sizes: Sequence[int]
    measuring: int
    measurements: int
    edge: int
    walkers: Sequence[int]
    attempts: float
    searching: int  # walkers of the time to an error
    lengths: Sequence[int]
    last_ln_f: float
    quick: bool  # or a large lattice: without what the last sentence of 3. and 4. say


PROFILES = {
    "brief": Profile((4, 6), 4, 100, 4, (1, 4), 2e4, 4, (1, 4), 1e-4, True),
    "small": Profile((8, 10, 12, 16), 16, 2000, 8, (1, 4, 16, 64, 256), 1e6, 16, (1, 4, 16), 1e-6, True),
    "full": Profile((8, 10, 12, 16, 24, 32), 4096, 8000, 32, [2**k for k in range(9, 18)], 3e7, 4096, (1, 8, 64, 512), 1e-7, False),
}


@dataclass(frozen=True)
class Outcome:
    """Of one simulation."""

    iterations: float
    sweeps: float  # of each walker while weights were looked for
    attempts: float  # of all walkers until then
    seconds: float
    searching: float  # the part of the sweeps that looked for weights
    weights: tuple[float, float]  # deviation of ln g from the weights alone: mean and largest
    counts: tuple[float, float]
    z: float  # root mean square of (ln g - exact) / error
    trips: float  # of each walker


def exact_states(edge: int) -> dict[int, float]:
    done = subprocess.run([EXACT, "-L", str(edge), "--states"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return {int(e): math.log(int(n)) for e, n in rows if int(n) > 0}


def said_by(failure: Exception) -> str:
    """Of a program that failed, or is not there."""
    if isinstance(failure, subprocess.CalledProcessError):
        return f"status {failure.returncode}: {' '.join(failure.cmd)}: {failure.stderr.strip()}"
    return str(failure)


def deviation(exact: dict[int, float], found: dict[int, float]) -> tuple[float, float]:
    """The mean and the largest of |found - exact|, both less their means; infinite if an energy is missing."""
    if found.keys() != exact.keys():
        return math.inf, math.inf
    shift = math.fsum(found[e] - exact[e] for e in exact) / len(exact)
    off = [abs(found[e] - exact[e] - shift) for e in exact]
    return math.fsum(off) / len(off), max(off)


def off_errors(exact: dict[int, float], found: dict[int, float], errors: dict[int, float]) -> float:
    """The root mean square of (found - exact) / error; of levels with an error."""
    squares = [((found[e] - exact[e]) / errors[e]) ** 2 for e in exact if errors.get(e, 0.0) > 0]
    return math.sqrt(math.fsum(squares) / len(squares)) if squares else math.nan


class Study:
    """Runs, all of which are in a file, so that each is made once."""

    def __init__(self, profile: Profile, device: str, seeds: int, folder: Path) -> None:
        self.profile, self.device, self.seeds, self.kept = profile, device, seeds, folder / "runs.json"
        self.made = json.loads(self.kept.read_text()) if self.kept.exists() else {}
        self.exact: dict[int, dict[int, float]] = {}

    def simulate(self, command: Sequence[str], edge: int) -> Outcome:
        if edge not in self.exact:
            self.exact[edge] = exact_states(edge)
        exact = self.exact[edge]
        with tempfile.TemporaryDirectory(prefix="flat-") as name:
            folder = Path(name) / "result"
            one_core = {**os.environ, **({"OMP_NUM_THREADS": "1"} if "cpu" in command else {})}
            subprocess.run([*command, "-o", str(folder), "--quiet"], env=one_core, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            header, density = read_table(folder / "FH_density.dat")
            _, diary = read_table(folder / "FH_iterations.dat")
            seconds = json.loads((folder / "run.json").read_text())["seconds"]["total"]
        named = ("sweeps", "population", "thermalisation", "measurements")
        said = {words[1]: float(words[2]) for words in map(str.split, header) if len(words) == 3 and words[1] in named}
        trips = next(float(line.split()[1]) for line in header if " round trips " in line)
        sweeps = diary["steps"][-1] * said["sweeps"]
        found, alone, errors = ({round(e): x for e, x in zip(density["E"], density[name])} for name in ("ln_g", "ln_g_weights", "err_ln_g"))
        return Outcome(
            diary["iteration"][-1] if diary["ready"][-1] == 1 else math.inf,
            sweeps,
            sweeps * said["population"] * edge * edge,
            seconds,
            diary["steps"][-1] / (diary["steps"][-1] + said["thermalisation"] + said["measurements"]),
            deviation(exact, alone),
            deviation(exact, found),
            off_errors(exact, found, errors),
            trips / said["population"],
        )

    def run(self, options: str, edge: int, seed: int, device: str) -> Outcome:
        command = [PROGRAM, "-D", device, "-L", str(edge), *options.split(), "-s", str(seed), "-d", "0.5"]
        line = " ".join(command)
        if line not in self.made:
            self.made[line] = asdict(self.simulate(command, edge))
            beside = self.kept.with_suffix(".new")
            beside.write_text(json.dumps(self.made, indent=0))
            beside.replace(self.kept)
        return Outcome(**self.made[line])

    def runs(self, options: str, edge: int) -> list[Outcome]:
        print(f"L = {edge}: {options}", file=sys.stderr, flush=True)
        return [self.run(options, edge, seed, self.device) for seed in range(1, self.seeds + 1)]

    def length(self, walkers: int) -> int:
        """Sweeps of an iteration."""
        return max(1, round(self.profile.attempts / (walkers * self.profile.edge**2)))

    def seconds_of_one_core(self, options: str) -> float:
        """An attempt's, over the first iterations."""
        few = self.run(f"{options} --iterations 3", self.profile.edge, 1, "cpu")
        return few.seconds * few.searching / few.attempts


Spread = tuple[float, float, float]


def spread(values: Sequence[float]) -> Spread:
    """Median, and the interval of the middle two thirds."""
    s = sorted(values)
    n = len(s)
    return statistics.median(s), s[n // 6], s[n - 1 - n // 6]


def cell(values: Spread) -> str:
    return f"{values[0]:.3g} [{values[1]:.3g}, {values[2]:.3g}]"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    return ["", "| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def of(outcomes: Sequence[Outcome], what: Callable[[Outcome], float]) -> Spread:
    return spread([what(o) for o in outcomes])


# --- the tables: text, and an index of flat.dat ---


def exactness(study: Study) -> list[str]:
    p = study.profile
    options = f"--method multicanonical -R {p.measuring} -t 10 --thermalisation 10 --measurements {p.measurements}"
    rows = []
    for edge in p.sizes:
        found = study.runs(options, edge)
        cells = [of(found, lambda o, n=n: o.counts[n]) for n in (0, 1)] + [of(found, lambda o: o.z), of(found, lambda o: o.trips)]
        rows.append([edge, len(study.exact.get(edge) or exact_states(edge)), *map(cell, cells), cell(of(found, lambda o: o.seconds))])
    head = ["L", "levels", "mean deviation of ln g", "largest", "over its error", "round trips of a walker", "s"]
    return [f"## ln g against exact numbers of states\n\n`{options}`", *table(head, rows)]


def walkers(study: Study, data: list[str]) -> list[str]:
    rows, first, core = [], 0.0, 0.0
    data.append("# walkers: p, speed-up over one core, low, high, iterations, low, high")
    for p in study.profile.walkers:
        options = f"--method multicanonical -R {p} -t 1 --thermalisation 20 --iteration-length {study.length(p)} --measurements {study.length(p)}"
        found = study.runs(options, study.profile.edge)
        sweeps, seconds, iterations = of(found, lambda o: o.sweeps), of(found, lambda o: o.seconds * o.searching), of(found, lambda o: o.iterations)
        if first == 0:
            first, core = sweeps[0], study.seconds_of_one_core(options) * of(found, lambda o: o.attempts)[0]
        up = (core / seconds[0], core / seconds[2], core / seconds[1])
        off = [cell(of(found, lambda o, n=n: o.weights[n])) for n in (0, 1)]
        rows.append([p, cell(iterations), cell(sweeps), f"{first / sweeps[0]:.3g}", cell(seconds), cell(up), *off])
        data.append(" ".join(f"{x:.5g}" for x in (p, *up, *iterations)))
    head = ["walkers", "iterations", "sweeps of each", "fewer by", "s", "speed-up over a core", "mean deviation of the weights", "largest"]
    text = f"{study.profile.attempts:g} attempts in an iteration behind 20 sweeps of each walker. One core takes {core:.4g} s for the first row."
    return [f"## Multicanonical weights against walkers, L = {study.profile.edge}\n\n{text}", *table(head, rows)]


def errors(study: Study, data: list[str]) -> list[str]:
    p, length = study.profile.searching, study.length(study.profile.searching)
    rows = []
    methods = {
        "multicanonical": f"--method multicanonical --iteration-length {length}",
        "Wang-Landau, 1/t": f"--method wang-landau --last-ln-f {study.profile.last_ln_f:g}",
    }
    if study.profile.quick:
        methods["Wang-Landau, halved"] = f"--method wang-landau --refinement halved --last-ln-f {study.profile.last_ln_f / 100:g}"
    for name, options in methods.items():
        data.append(f"\n\n# {name}: seconds, mean deviation of ln g, low, high")
        for n in study.profile.lengths:
            found = study.runs(f"{options} -R {p} -t 1 --thermalisation 20 --measurements {4 * n * length}", study.profile.edge)
            seconds, off = of(found, lambda o: o.seconds), of(found, lambda o: o.counts[0])
            cells = [of(found, lambda o: o.attempts), of(found, lambda o: o.weights[0]), seconds, off, of(found, lambda o: o.counts[1])]
            rows.append([name, 4 * n * length, *map(cell, cells)])
            data.append(" ".join(f"{x:.5g}" for x in (seconds[0], *off)))
    head = ["weights by", "sweeps of production", "attempts of the search", "mean deviation of the weights", "s", "mean deviation of ln g", "largest"]
    return [f"## Time to an error, L = {study.profile.edge}, {p} walkers\n\nSearch and production together.", *table(head, rows)]


def blocks(study: Study) -> list[str]:
    p = study.profile.searching
    rows = []
    for block in (4, 20, 100, 1000):
        line: list[object] = [block]
        for rule in ("halved", "1/t"):
            options = f"-t 20 --block-attempts {block} --refinement {rule} --last-ln-f {3 * study.profile.last_ln_f:g}"
            found = study.runs(f"--method wang-landau -R {p} {options} --thermalisation 0 --measurements 32", study.profile.edge)
            line += [cell(of(found, lambda o: o.weights[0])), cell(of(found, lambda o: o.attempts))]
        rows.append(line)
    head = ["attempts of a block", "mean deviation, halved", "attempts of the search", "mean deviation, 1/t", "attempts of the search"]
    text = f"ln f to {3 * study.profile.last_ln_f:g}."
    return [f"## The block of Wang-Landau, L = {study.profile.edge}, {p} walkers\n\n{text}", *table(head, rows)]


def thermalisation(study: Study) -> list[str]:
    rows = []
    for sweeps in (0, 5, 20, 100):
        options = f"--method multicanonical -R 1024 -t 1 --thermalisation {sweeps} --iteration-length 2 --measurements 100 --iterations 100"
        rows.append([sweeps, cell(of(study.runs(options, study.profile.edge), lambda o: o.iterations))])
    text = "1024 walkers, two sweeps of each in an iteration."
    return [f"## Thermalisation behind each change of the weights, L = {study.profile.edge}\n\n{text}", *table(["sweeps", "iterations"], rows)]


def main() -> int:
    begin(__doc__ or "")
    os.chdir(Path(__file__).resolve().parents[2])
    name = setting("flat", "PROFILE", "small", "|".join(PROFILES), ", ".join(PROFILES))
    device = setting("flat", "DEVICE", "cpu", r"cpu|cuda|cuda:\d{1,4}", "cpu, cuda, cuda:N")
    seeds = int(setting("flat", "SEEDS", "2" if name == "brief" else "6", r"[1-9]\d{0,2}", "1 to 999"))
    folder = Path("build/flat") / name
    folder.mkdir(parents=True, exist_ok=True)
    study, data = Study(PROFILES[name], device, seeds, folder), [f"# size {PROFILES[name].edge}"]
    try:
        text = exactness(study) + walkers(study, data) + errors(study, data)
        if study.profile.quick:
            text += blocks(study) + thermalisation(study)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"flat: {said_by(failure)}", file=sys.stderr)
        return 1
    (folder / "flat.dat").write_text("\n".join(data) + "\n")
    (folder / "flat.md").write_text("\n".join(text))
    print("\n".join(text))
    draw(folder, "flat", ("walkers", "errors"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
