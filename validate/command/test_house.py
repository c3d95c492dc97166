#!/usr/bin/env python3
"""The floors of paising/: every #include and every call leads to a floor below or to the same folder, none out of
paising/. No file includes itself through others; files that call each other in a circle are listed below.

    test_house.py [BUILD]

FLOORS lists them from the lowest up; folders of one floor do not use each other. Calls are the symbols that an
object of BUILD/obj [build/obj] leaves undefined, as nm prints them. A call through a pointer has no symbol. Source
files without an object are skipped, such as those of CUDA without nvcc.

The output lists the circles of calls, then each case: ok, or FAIL with every include or call that breaks the claim.
The last line counts: N passed, N failed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterable

from cases import report

TOP = Path(__file__).resolve().parents[2]
FLOORS = (
    ("base",),
    ("model", "update"),
    ("engine",),
    ("resample",),
    ("cpu", "estimate"),
    ("cuda", "ranks"),
    ("settings",),
    ("files",),
    ("helium",),
    ("device",),
    ("method",),
    ("command",),
    ("library",),
    ("examples",),
    ("",),  # main.c
)
FLOOR = {folder: number for number, floor in enumerate(FLOORS) for folder in floor}
# Circles of calls that there are. None may be added, and none may grow; one that shrinks must be shortened here.
TOLERATED = (
    (  # the table of models
        "model/baxter_wu",
        "model/blume_capel",
        "model/cubic",
        "model/glass",
        "model/model",
        "model/potts",
        "model/square",
        "model/vectors",
    ),
)
# It defines functions of other files once more, for programs without MPI: calls of them count as calls of the others.
STAND_INS = {"ranks/alone.o"}
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
    """The folder whose floor a file is on: sub-folders (cuda/msc) share that of the folder they are in.
    paising.h, installed from the top, is the interface of library/."""
    return "library" if file == "paising.h" else file.partition("/")[0] if "/" in file else ""


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


def unit(file: str) -> str:
    """The name without its last suffix: x.c, x.h, x.cu, x.cuh and x.o are one unit."""
    return file.rpartition(".")[0]


def circles(arrows: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """The units that lead back to themselves through others, those of a circle together."""
    below: dict[str, set[str]] = {}
    for file, others in arrows.items():
        below.setdefault(unit(file), set()).update(unit(other) for other in others if unit(other) != unit(file))
    reached = {start: set(ends) for start, ends in below.items()}
    for middle in below:
        for ends in reached.values():
            if middle in ends:
                ends |= reached.get(middle, set())
    return sorted(
        {
            tuple(sorted(end for end in ends if start in reached.get(end, ())))
            for start, ends in reached.items()
            if start in ends
        }
    )


def symbols(file: Path) -> tuple[set[str], set[str]]:
    """The global symbols that an object defines, weak ones aside, and those that it leaves undefined."""
    defined, undefined = set(), set()
    listed = subprocess.run(["nm", "-g", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listed.splitlines():
        kind, name = line.split()[-2:]
        if kind == "U":
            undefined.add(name)
        elif kind in "TDBRCGS":
            defined.add(name)
    return defined, undefined


def objects(sources: Iterable[str], built: Path) -> dict[str, list[Path]]:
    """For each source file, as folder/name.o, its objects; kernels that are compiled more than once have several."""
    return {
        f"{unit(file)}.o": sorted((built / Path(file).parent).glob(f"{Path(file).stem}.*o"))
        for file in sources
        if file.endswith((".c", ".cu"))
    }


def calls(made: dict[str, list[Path]], elsewhere: dict[str, list[Path]]) -> dict[str, list[str]]:
    """For each object of the first dictionary the objects, of both, that define what it leaves undefined."""
    listed = {name: [symbols(file) for file in files] for name, files in {**elsewhere, **made}.items()}
    definer = {
        symbol: name
        for name in sorted(listed, key=lambda name: name not in STAND_INS)
        for defined, _ in listed[name]
        for symbol in defined
    }
    return {
        name: sorted(
            {definer[symbol] for _, undefined in listed[name] for symbol in undefined if symbol in definer} - {name}
        )
        for name in made
    }


def intolerable(found: Iterable[tuple[str, ...]]) -> list[str]:
    """The circles that are not tolerated."""
    return [" ".join(circle) for circle in found if not any(set(circle) <= set(known) for known in TOLERATED)]


def outdated(found: list[tuple[str, ...]], missing: set[str]) -> list[str]:
    """The circles that are tolerated but not there; those with an object that is missing cannot be judged."""
    return [" ".join(known) for known in TOLERATED if known not in found and not missing & set(known)]


def cases_of_calls(sources: Iterable[str], build: Path) -> dict[str, list[str]]:
    """The claims about calls, and their controls; prints the circles, and how many files have no object."""
    made = objects(sources, build / "obj/paising")
    missing = {unit(name) for name, files in made.items() if not files}
    if missing:
        print(f"SKIP calls of {len(missing)} of {len(made)} files in paising/: not compiled in {build}")
    reference = objects((f"reference/{path.name}" for path in (TOP / "reference").glob("*.c")), build / "obj")
    arrows = calls(made, reference)
    found = circles(arrows)
    for circle in found:
        print("circle of calls: " + " ".join(circle))
    up, out = "base/planted.o -> method/annealing.o", "model/planted.o -> reference/exact.o"
    planted = {
        **arrows,
        "base/planted.o": ["base/back.o", "method/annealing.o"],
        "base/back.o": ["base/planted.o"],
        "model/planted.o": ["reference/exact.o"],
    }
    return {
        "every call leads down": upward(arrows),
        "no calls lead in a circle but those that are tolerated": intolerable(found),
        "every circle that is tolerated is there": outdated(found, missing),
        "control: planted calls are found": [arrow for arrow in (up, out) if arrow not in upward(planted)]
        + [circle for circle in ("base/back base/planted",) if circle not in intolerable(circles(planted))]
        + [" ".join(known) for known in TOLERATED if " ".join(known) not in outdated([], set())],
    }


def main() -> int:
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "build"
    arrows = includes(TOP / "paising")
    planted = {**arrows, "base/clock.h": ["method/annealing.h", "reference/exact.h"]}
    cases = {
        "every include leads down": upward(arrows),
        "no include leads out of paising/": outward(arrows),
        "no unit includes itself": [" ".join(circle) for circle in circles(arrows)],
        "every folder has a floor": sorted({folder_of(file) for file in arrows} - FLOOR.keys()),
        "control: planted includes are found": [
            claim.__name__ for claim in (upward, outward, circles) if not claim(planted)
        ],
        **cases_of_calls(arrows, build),
    }
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
