#!/usr/bin/env python3
"""Where the XY model in two dimensions and the Heisenberg model in three become ordered, beside the literature. `make vectors-critical`
calls it. Settings of the environment:

PROFILE=small   L up to 32 and 12 on two cores (default), or full: L up to 128 and 32, for a GPU
DEVICE=auto     auto, cpu, cuda or cuda:N

XY: the stiffness Y jumps from 2 T / pi to 0 at T_KT. On a lattice it approaches that like pi Y / (2 T) = 1 + 1 / (2 (ln L + C)), with a C
that no size has of its own (H. Weber, P. Minnhagen, Phys. Rev. B 37, 5986, 1988). So the C that two sizes have are equal at T_KT alone.
Heisenberg: the Binder parameters U4 of two sizes cross at beta_c, up to corrections that vanish with L.

Curves are parabolas in T or beta, fitted to the means and their errors. The error of a crossing is the deviation of those of 400 sets of means
that are drawn around what was measured. Results go to build/vectors_critical/PROFILE. Status 1 if something failed, 2 if a value is not
allowed."""

from __future__ import annotations

import argparse
import math
import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import setting  # noqa: E402

PROGRAM = os.environ.get("BUILD", "build") + "/paising"
DRAWS = 400
LEAST_EXCESS = 0.005
# M. Hasenbusch, J. Phys. A 38, 5869 (2005): T = 0.89294(8). K. Chen, A. M. Ferrenberg, D. P. Landau, Phys. Rev. B 48, 3249 (1993).
LITERATURE = {"xy2d": 0.89294, "heisenberg3d": 0.693035}
COMMON = "--method canonical --update heat-bath --over-relaxation 4"


@dataclass(frozen=True)
class Size:
    """What is simulated of one size: measurements, so many sweeps apart, of a population at each temperature."""

    edge: int
    population: int
    sweeps: int
    measurements: int


@dataclass(frozen=True)
class Study:
    """A model; its inverse temperatures and sizes in each profile; the column of its curve. Parabolas fit larger sizes in a smaller range."""

    model: str
    betas: dict[str, str]
    column: str
    options: str
    sizes: dict[str, tuple[Size, ...]]


STUDIES = (
    Study(
        "xy2d",
        {"small": "-b 1.08 -f 1.2 -d 0.03", "full": "-b 1.1 -f 1.16 -d 0.015"},
        "stiffness",
        "--vector-observables",
        {
            "small": (Size(8, 40, 1, 2000), Size(16, 40, 1, 1000), Size(32, 20, 2, 1000)),
            "full": (Size(16, 1024, 2, 400), Size(32, 1024, 4, 400), Size(64, 512, 8, 400), Size(128, 128, 16, 500)),
        },
    ),
    Study(
        "heisenberg3d",
        {"small": "-b 0.68 -f 0.704 -d 0.006", "full": "-b 0.689 -f 0.697 -d 0.002"},
        "U4",
        "",
        {
            "small": (Size(4, 400, 1, 1000), Size(6, 200, 1, 750), Size(8, 100, 1, 750), Size(12, 40, 2, 500)),
            "full": (Size(8, 4096, 2, 1000), Size(12, 2048, 3, 1000), Size(16, 1024, 4, 1000), Size(24, 512, 6, 1500), Size(32, 256, 8, 1500)),
        },
    ),
)


@dataclass(frozen=True)
class Curve:
    """A quantity of one size at some temperatures, with its errors."""

    edge: int
    x: list[float]
    y: list[float]
    error: list[float]


Parabola = Callable[[float], float]


# --- curves ---


def fitted(curve: Curve, y: Sequence[float]) -> Parabola:
    """The parabola of least squares through y at the x of a curve, weighed by its errors."""
    middle = sum(curve.x) / len(curve.x)
    sums = [[0.0] * 4 for _ in range(3)]
    for x, value, error in zip(curve.x, y, curve.error):
        powers = [(x - middle) ** k for k in range(3)]
        for row in range(3):
            for column in range(3):
                sums[row][column] += powers[row] * powers[column] / error**2
            sums[row][3] += powers[row] * value / error**2
    for row in range(3):
        sums[row] = [entry / sums[row][row] for entry in sums[row]]
        for other in range(3):
            if other != row:
                sums[other] = [a - sums[other][row] * b for a, b in zip(sums[other], sums[row])]
    c = [sums[row][3] for row in range(3)]
    return lambda x: c[0] + c[1] * (x - middle) + c[2] * (x - middle) ** 2


def root(f: Parabola, low: float, high: float) -> Optional[float]:
    """Where f changes its sign between two numbers, by bisection; None: it has the same sign at both."""
    if (f(low) > 0) == (f(high) > 0):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(low) > 0) == (f(middle) > 0) else (low, middle)
    return (low + high) / 2


def excess(stiffness: float, beta: float) -> float:
    """pi Y / (2 T) - 1, which is above 0 at T_KT."""
    return math.pi * stiffness * beta / 2 - 1


def agreement(model: str, small: Curve, large: Curve, y: tuple[Sequence[float], Sequence[float]]) -> Optional[float]:
    """The beta where two sizes with these values agree; None: there is none."""
    one, two = fitted(small, y[0]), fitted(large, y[1])
    low, high = small.x[0], small.x[-1]
    if model != "xy2d":
        return root(lambda beta: one(beta) - two(beta), low, high)
    if excess(two(low), low) < LEAST_EXCESS:  # C of the larger size is infinite where its stiffness is that of the jump
        above = root(lambda beta: excess(two(beta), beta) - LEAST_EXCESS, low, high)
        if above is None:
            return None
        low = above + 1e-9
    ratio = math.log(large.edge / small.edge)
    return root(lambda beta: 0.5 / excess(one(beta), beta) - 0.5 / excess(two(beta), beta) + ratio, low, high)


def crossing(model: str, small: Curve, large: Curve) -> tuple[float, float]:
    """The beta where two sizes agree, and its error; nan if they do not."""
    mean = agreement(model, small, large, (small.y, large.y))
    dice = random.Random(small.edge)
    found = []
    for _ in range(DRAWS):
        y = [[dice.gauss(a, e) for a, e in zip(curve.y, curve.error)] for curve in (small, large)]
        at = agreement(model, small, large, (y[0], y[1]))
        if at is not None:
            found.append(at)
    if mean is None or len(found) < 0.9 * DRAWS:
        return math.nan, math.nan
    return mean, math.sqrt(sum((at - mean) ** 2 for at in found) / len(found))


# --- simulations ---


def simulate(study: Study, size: Size, profile: str, device: str, folder: Path) -> Curve:
    """Runs a size. Returns its curve."""
    result = folder / f"{study.model}_L{size.edge}"
    words = f"--model {study.model} -L {size.edge} -R {size.population} -t {size.sweeps} {study.betas[profile]} {COMMON} {study.options}"
    thermalisation = 100 + size.edge**2 // size.sweeps  # vortices that meet leave domains that grow like the root of time
    times = f"--thermalisation {thermalisation} --measurements {size.measurements} -s {size.edge}"
    command = [PROGRAM, "-D", device, *words.split(), *times.split(), "-o", str(result), "--force"]
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, table = read_table(result / ("MC_vectors.dat" if study.options else "MC_results.dat"))
    return Curve(size.edge, table["beta"], table[study.column], table[f"err_{study.column}"])


def rows(study: Study, curves: Sequence[Curve]) -> list[str]:
    """The crossings of neighbouring sizes."""
    exact = LITERATURE[study.model]
    lines = []
    for small, large in zip(curves, curves[1:]):
        beta, error = crossing(study.model, small, large)
        at, off = (1 / beta, error / beta**2) if study.model == "xy2d" else (beta, error)
        name = "T_KT" if study.model == "xy2d" else "beta_c"
        lines.append(f"| {study.model} | {small.edge}, {large.edge} | {name} | {at:.5f} | {off:.5f} | {exact} | {(at - exact) / off:+.1f} |")
    return lines


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    profile = setting("critical.py", "PROFILE", "small", "small|full", "small and full")
    device = setting("critical.py", "DEVICE", "auto", r"auto|cpu|cuda|cuda:\d{1,4}", "auto, cpu, cuda, cuda:N")
    folder = Path("build/vectors_critical") / profile
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["| model | L | | crossing | error | literature | in errors |", "|---|---|---|---|---|---|---|"]
    for study in STUDIES:
        lines += rows(study, [simulate(study, size, profile, device, folder) for size in study.sizes[profile]])
    (folder / "critical.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"critical.py: {error}", file=sys.stderr)
        sys.exit(1)
