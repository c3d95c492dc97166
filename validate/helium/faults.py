"""Faults planted in the text of reference/plain_helium.c, which has the bits of paising-helium: each must be seen by a quadrature
of two atoms, by T1 = T2 of 64 atoms, or by their acceptance."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass
from pathlib import Path

from two import two_atoms

SOURCE = Path("reference/plain_helium.c")
ACCEPTANCE = 0.3705  # of 64 atoms, by another program
LIMIT = 6


@dataclass(frozen=True)
class Fault:
    """A fault: its name, and what is put in place of what."""

    name: str
    changes: tuple[tuple[str, str], ...]


FAULTS = (
    Fault("none", ()),
    Fault("factor 2 of psi^2 left out", (("-ln_xi * 0x1p23", "-ln_xi * 0x1p24"),)),
    Fault(
        "u without L - r",
        (
            ("scale * (q * q * q * (5 + q * (q - 5)) - 64)", "scale * (1 / (r2 * r2 * sqrtf(r2)) - 32 + 0 * q)"),
            ("((a6 - c6) * a)", "(a6 * a)"),
            ("(10 * (a6 * a) + 15 * (c6 * c) + 5 * (c6 * a))", "(10 * (a6 * a) + 0 * (c6 * c))"),
        ),
    ),
    Fault(
        "minimum image in moves only",
        (("(float)(int32_t)(w->x[k][j] - w->x[k][i])", "(float)((int64_t)w->x[k][j] - w->x[k][i])"),),
    ),
    Fault("lambda = hbar^2 / m", (("24.25436707 /", "2 * 24.25436707 /"),)),
    Fault("an atom with itself", (("if (j != atom)", "if (j <= w->atoms)"),)),
    Fault("displacement 0.82 / sqrt 3", (("width_of_step = 0.82", "width_of_step = 0.82 / 1.7320508"),)),
)


def blocks_of(program: Path, words: str) -> list[list[float]]:
    """The rows E V T T1 T2 acceptance that a program prints."""
    done = subprocess.run([program, *words.split()], capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines() if line[0] != "#"]


def deviation(values: list[float], expected: float) -> float:
    """The mean of blocks against a value, in errors by their scatter."""
    mean = sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (len(values) - 1) / len(values)
    if not math.isfinite(mean):
        return math.inf
    return abs(mean - expected) / math.sqrt(variance) if variance > 0 else math.inf if mean != expected else 0


def seen_by(fault: Fault, folder: Path) -> list[str]:
    """The oracles that see a fault."""
    text = SOURCE.read_text()
    for before, after in fault.changes:
        if before not in text:
            raise ValueError(f"{SOURCE}: '{before}' is not there")
        text = text.replace(before, after)
    name = "".join(c for c in fault.name if c.isalnum())
    source, program = folder / f"{name}.c", folder / name
    source.write_text(text)
    subprocess.run(["cc", "-std=gnu11", "-O2", "-ffp-contract=off", "-Ireference", "-o", program, source, "-lm"], check=True)
    exact = two_atoms(8)
    two = blocks_of(program, "2 8 24 20 150 4 50 1")
    many = blocks_of(program, "64 14.305727189731706 4 20 20 4 200 1")
    found = {
        "V of two atoms": deviation([row[1] for row in two], exact["V"]),
        "T of two atoms": deviation([row[2] for row in two], exact["T1"]),
        "T1 = T2 of two atoms": deviation([row[3] - row[4] for row in two], 0),
        "T1 = T2 of 64 atoms": deviation([row[3] - row[4] for row in many], 0),
        "acceptance of 64 atoms": deviation([row[5] for row in many], ACCEPTANCE),
    }
    return [f"{name} ({z:.3g})" for name, z in found.items() if z > LIMIT]
