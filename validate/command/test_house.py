#!/usr/bin/env python3
"""The house of paising/: every #include leads to a floor below or to the same folder, none out of the house, and
no file leads back to itself.

    test_house.py

Floors, from the ground up; folders of one floor do not know each other. One line a case: ok or FAIL, with
every include that breaks the claim. The last line counts: N passed, N failed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cases import report

TOP = Path(__file__).resolve().parents[2]
FLOORS = (
    ("base",),
    ("model",),
    ("engine",),
    ("resample",),
    ("cpu", "estimate"),
    ("cuda", "ranks"),
    ("settings",),
    ("files",),
    ("device",),
    ("method",),
    ("command",),
    ("",),  # main.c
)
FLOOR = {folder: number for number, floor in enumerate(FLOORS) for folder in floor}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def includes(house: Path) -> dict[str, list[str]]:
    """For each source file, by its path in the house, the files of the project that it includes: by their paths in the
    house, or as they are named if they stand elsewhere (reference/exact.h)."""
    arrows = {}
    for file in sorted(path for path in house.rglob("*") if path.suffix in (".c", ".h", ".cu", ".cuh")):
        arrows[file.relative_to(house).as_posix()] = [
            next(((at / name).relative_to(house).as_posix() for at in (file.parent, house) if (at / name).is_file()), name)
            for name in INCLUDE.findall(file.read_text())
        ]
    return arrows


def folder_of(file: str) -> str:
    """The folder whose floor a file is on: sub-folders (cuda/msc) share that of the folder they are in."""
    return file.partition("/")[0] if "/" in file else ""


def upward(arrows: dict[str, list[str]]) -> list[str]:
    """The includes that do not lead down."""
    return [
        f"{file} -> {other}"
        for file, others in arrows.items()
        for other in others
        if folder_of(file) != folder_of(other)
        and FLOOR.get(folder_of(other), len(FLOORS)) >= FLOOR.get(folder_of(file), -1)
    ]


def outward(arrows: dict[str, list[str]]) -> list[str]:
    """The includes that lead out of the house."""
    return [f"{file} -> {other}" for file, others in arrows.items() for other in others if other not in arrows]


def circles(arrows: dict[str, list[str]]) -> list[str]:
    """Units (x.c, x.h, x.cu, x.cuh are one) that lead back to themselves."""

    def unit(file: str) -> str:
        return file.rpartition(".")[0]

    below: dict[str, set[str]] = {}
    for file, others in arrows.items():
        below.setdefault(unit(file), set()).update(unit(other) for other in others if unit(other) != unit(file))
    reached = {start: set(ends) for start, ends in below.items()}
    for middle in below:
        for ends in reached.values():
            if middle in ends:
                ends |= reached.get(middle, set())
    return sorted(start for start, ends in reached.items() if start in ends)


def main() -> int:
    arrows = includes(TOP / "paising")
    planted = {**arrows, "base/clock.h": ["method/annealing.h", "reference/exact.h"]}
    cases = {
        "every include leads down": upward(arrows),
        "no include leads out of the house": outward(arrows),
        "no unit leads back to itself": circles(arrows),
        "every folder has a floor": sorted({folder_of(file) for file in arrows} - FLOOR.keys()),
        "control: planted includes are found": [
            claim.__name__ for claim in (upward, outward, circles) if not claim(planted)
        ],
    }
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
