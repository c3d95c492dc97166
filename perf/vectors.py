#!/usr/bin/env python3
"""Times of the Heisenberg model beside those of M. Weigel: "Monte Carlo methods for massively parallel computers" (paper 001, Table 1),
and "Simulating spin models on GPU" (paper 003, Table 2). `make vectors` and `make tables` call it.

vectors.py measure [DEVICE]     times of this machine, by build/paising: cuda (default) with a core of the CPU, or cpu; to build/vectors/
vectors.py paper 001|003        the published table beside those of perf/results/nvidia-h200/vectors.dat
vectors.py table [FILE]         all times of a file, with their floors [build/vectors/vectors.dat]

A floor is what the device needs at least for the traffic with its memory, or for a Philox call a flip: rates by build/ceiling. Times of
a core are those of the processor, whatever else the machine does."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("build/vectors")
COMMITTED = Path("perf/results/nvidia-h200/vectors.dat")
COLUMNS = "device real point ps memory_ps philox_ps"
BYTES = {"float": 4, "fast": 4, "double": 8}
HITS = 100
# Published rows as they are printed: times in ns at k = 100, L = 4096, by components, and speed-ups. Where the paper has one
# time of a CPU, it is of both.
PUBLISHED = {
    "001": (("Xeon E5-2620 v3, a core", "98.6", "-", "186.5", "1"), ("Tesla C1060", "0.74", "0.30", "4.66", "133, 329, 40"),
            ("Tesla K20m", "0.177", "0.149", "0.408", "557, 662, 457"), ("GTX Titan Black", "0.152", "0.105", "0.323", "649, 939, 578")),
    "003": (("Q9650, a core", "183.16", "-", "183.16", "1"), ("Tesla C1060", "0.74", "0.30", "4.66", "247, 608, 39"),
            ("GTX 480", "0.50", "0.18", "1.94", "366, 1029, 94")),
}
REALS = ("float", "fast", "double")


class Point(NamedTuple):
    """What is timed: options, and numbers of a spin's components that a flip reads or writes in the memory of the device."""

    options: str
    traffic: float


def gpu_points() -> dict[str, Point]:
    """By name. One flip reads and writes a spin at least; hits of a tile share that, and the border, sweeps of a small lattice as well."""
    lattice = "--method canonical -R 1 -b 1 -f 1 --thermalisation 1 --measurements 4 --model heisenberg2d -L 4096"
    tile = 16
    return {
        "k=1": Point(f"{lattice} -t 500", 2),
        f"k={HITS}": Point(f"{lattice} -t 5 --update tiles --tile {tile} --hits {HITS}", (2 + 4 / tile) / HITS),
        "heat-bath,k=1": Point(f"{lattice} -t 500 --update heat-bath", 2),
        "L=32,R=16384": Point("--model heisenberg2d -L 32 -R 16384 -t 50 -f 1 -d 0.2", 2 / 50),
    }


def cpu_points() -> dict[str, Point]:
    """The same of a core, where memory is no limit."""
    lattice = "--method canonical -R 1 -b 1 -f 1 --thermalisation 1 --measurements 1 --model heisenberg2d"
    return {"k=1": Point(f"{lattice} -L 1024 -t 10", 0),
            f"k={HITS}": Point(f"{lattice} -L 256 -t 2 --update tiles --hits {HITS}", 0)}


def core() -> str:
    """The name of a core of the CPU."""
    models = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"core of {models[0] if models else 'the CPU'}"


def ceilings(device: str) -> tuple[str, dict[str, float]]:
    """Name and rates of the device, in 1e9 a second, by build/ceiling."""
    text = subprocess.run(["build/ceiling", "-D", device], stdout=subprocess.PIPE, check=True, text=True).stdout
    said = next(line for line in text.splitlines() if line.startswith("# device: "))
    name = core() if device == "cpu" else said.removeprefix("# device: ").split(",")[0]
    rates = {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if line and not line.startswith("#")}
    return "_".join(name.split()), rates


def time_of(device: str, real: str, point: Point) -> float:
    """The ps of a flip, sweeps alone."""
    out = FOLDER / "run"
    stages = [] if device == "cpu" else ["--stages", "apart"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"} if device == "cpu" else dict(os.environ)
    command = ["build/paising", *point.options.split(), "--real", real, "-D", device, *stages, "--force", "-o", str(out)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"vectors.py: {' '.join(command)}: {done.stderr.splitlines()[-1:]}")
    run = json.loads((out / "run.json").read_text())
    processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    share = run["seconds"]["sweep"] / run["seconds"]["total"]
    return 1e12 * (processor * share if device == "cpu" else run["seconds"]["sweep"]) / run["spin_flips"]


def measure(devices: tuple[str, ...]) -> int:
    """Times all points of some devices, and shows them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ["# Times of the Heisenberg model: ps a flip of the sweeps; floors by the rates of build/ceiling", f"# {COLUMNS}"]
    for device in devices:
        name, rates = ceilings(device)
        points = cpu_points() if device == "cpu" else gpu_points()
        for where, point in points.items():
            for real in REALS:
                if device == "cpu" and real == "fast":
                    continue
                ps = time_of(device, real, point)
                memory = 1e3 * point.traffic * 3 * BYTES[real] / rates["copy"]
                lines.append(f"{name} {real} {where} {ps:.4g} {memory:.4g} {1e3 / rates['philox']:.4g}")
    (FOLDER / "vectors.dat").write_text("\n".join(lines) + "\n")
    return table(FOLDER / "vectors.dat")


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a file of times."""
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def table(path: Path) -> int:
    """Prints all times beside their floors."""
    print("| device | components | point | ps a flip | floor, memory | floor, Philox | % of the larger floor |\n|---|---|---|---|---|---|---|")
    for device, real, point, ps, memory, philox in rows_of(path):
        share = 100 * max(float(memory), float(philox)) / float(ps)
        print(f"| {device} | {real} | {point} | {ps} | {memory} | {philox} | {share:.0f} |")
    return 0


def paper(number: str) -> int:
    """Prints a published table, and below it the same of ours."""
    titles = {"001": "Table 1", "003": "Table 2"}
    print(f"Paper {number}, {titles[number]}: ns a flip of the 2D Heisenberg model, k = {HITS}, L = 4096 (a core of ours: L = 256); speed-up over the core\n")
    print("| device | float | fast | double | speed-up |\n|---|---|---|---|---|")
    ours: dict[str, dict[str, float]] = {}
    for device, real, point, ps, *_ in rows_of(COMMITTED):
        if point == f"k={HITS}":
            ours.setdefault(device, {})[real] = float(ps) / 1e3
    for row in PUBLISHED[number]:
        print(f"| {' | '.join(row)} |")
    core: dict[str, float] = {}
    for name, times in ours.items():
        core = times if "fast" not in times else core
        gains = [f"{core.get(real, core['float']) / times[real]:.0f}" for real in REALS if real in times] if times is not core else ["1"]
        print("| " + " | ".join([f"ours: {name.replace('_', ' ')}", *(f"{times[real]:.4g}" if real in times else "-" for real in REALS),
                                 ", ".join(gains)]) + " |")
    return 0


def main(words: list[str]) -> int:
    """Does what the command line says. Returns the exit status."""
    os.chdir(Path(__file__).resolve().parents[1])
    match words:
        case ["measure"] | ["measure", "cuda"]:
            return measure(("cpu", "cuda"))
        case ["measure", "cpu"]:
            return measure(("cpu",))
        case ["paper", ("001" | "003") as number]:
            return paper(number)
        case ["table"]:
            return table(FOLDER / "vectors.dat")
        case ["table", name]:
            return table(Path(name))
    if words in (["-h"], ["--help"]):
        print(f"usage: vectors.py COMMAND ...\n\n{__doc__}")
        return 0
    print(f"vectors.py: {' '.join(words)!r}: allowed: measure, paper, table or --help", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
