#!/usr/bin/env python3
"""The tricritical point of the Blume-Capel model on the square lattice: how <m^2> falls with L there. `make first-order` calls it.

    tricritical.py [PROGRAM]   [build/paising]

At a critical point <m^2> falls as L^-eta: eta = 3/20 at the tricritical point, 1/4 on the line of Ising transitions (B. Nienhuis, J. Phys. A 15,
199, 1982). The places are the literature's: D = 1.9660(1), T = 0.6080(1) (W. Kwak, J. Jeong, J. Lee, D.-H. Kim, Phys. Rev. E 92, 022134,
2015), and T = 1.6937 at D = 0. From L = 6 and 12, eta at the first place is nearer to 3/20 than to 1/4 by three of its errors, and at the second, as a
control, nearer to 1/4. Status 1 if not."""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402

TRICRITICAL, ISING = 3 / 20, 1 / 4
PLACES = {"983/500": (0.608, TRICRITICAL), "0": (1.6937, ISING)}  # D: T, eta
EDGES = (6, 12)
CLEARLY = 3  # errors


def m2(program: str, field: str, temperature: float, edge: int) -> tuple[float, float]:
    """<m^2> and its error."""
    beta = repr(1 / temperature)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "result"
        words = f"--model blume-capel2d --crystal-field {field} -L {edge} --method canonical --update heat-bath -R 16 -t 4 -b {beta} -f {beta}"
        subprocess.run(
            [program, *words.split(), "--thermalisation", "500", "--measurements", "40000", "-s", "3", "-o", str(folder), "--quiet"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        _, table = read_table(folder / "MC_results.dat")
    return table["m2"][0], table["err_m2"][0]


def exponent(small: tuple[float, float], large: tuple[float, float]) -> tuple[float, float]:
    """eta from two lattices of which one is twice as large, and its error."""
    error = math.hypot(small[1] / small[0], large[1] / large[0])
    return math.log(small[0] / large[0]) / math.log(2), error / math.log(2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/paising")
    program = parser.parse_args().program
    wrong = 0
    print("# D T eta err_eta expected")
    for field, (temperature, expected) in PLACES.items():
        eta, error = exponent(*(m2(program, field, temperature, edge) for edge in EDGES))
        other = ISING if expected == TRICRITICAL else TRICRITICAL
        clear = abs(eta - other) - abs(eta - expected) > CLEARLY * error
        wrong += not clear
        print(field, temperature, f"{eta:.4f} {error:.4f} {expected}", "" if clear else "# wrong", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
