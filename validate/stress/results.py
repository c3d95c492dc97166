"""Results: simulations that are drawn, what they give when nobody disturbs them, and what may stand in a folder."""

from __future__ import annotations

import json
import random
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from case import Case, Wrong, claim
from data_file import rows_of

STATE = "run.json"
DATA_NAME = re.compile(r"PA_results_weighted\.dat|PA_(MHR_)?results_run_\d+\.dat")
SUM = re.compile(rb"# crc32 ([0-9a-f]{8})\n")
SUM_LENGTH = 17
FEWEST_ROWS = 6

Files = dict[str, bytes]


# --- simulations ---


def draw_simulation(dice: random.Random, long: bool = False) -> list[str]:
    """The options of a small simulation: of some milliseconds, or of some 50."""
    if dice.random() < 0.5:
        words = ["-c", "ssc", "-L", str(dice.choice((4, 6, 8)))]
    else:
        mode = dice.choice(("independent", "philox", "shared", "shared-reorder", "lcg"))
        words = ["-L", "16", "-g", mode, "-p", str(dice.choice((8, 32, 64)))]
    words += ["-R", str(dice.randint(50, 200)), "-t", str(dice.randint(1, 2)), "-M", str(dice.randint(1, 3))]
    if dice.random() < 0.4:
        words += ["--in-flight", str(dice.randint(2, 3))]
    if long:
        words += ["-d", str(dice.choice((0.004, 0.002)))]
    elif dice.random() < 0.2:
        words += ["-a", str(dice.choice((0.5, 0.7))), "-f", "0.5"]
    elif dice.random() < 0.3:
        words += ["-d", "0.05", "-m"]  # steps in which histograms overlap
    else:
        words += ["-d", str(dice.choice((0.5, 0.25, 0.125, 0.06)))]
    return words + ["-s", draw_seed(dice)]


def draw_seed(dice: random.Random) -> str:
    return str(dice.getrandbits(32))


def with_seed(simulation: list[str], seed: str) -> list[str]:
    """The same simulation with another seed."""
    return simulation[:-1] + [seed]


@dataclass(frozen=True)
class Result:
    """What a run that nobody disturbs gives: the status, and its data files."""

    status: int
    files: Files


def reference(case: Case, simulation: list[str]) -> Result:
    """Makes a result where nobody disturbs it, of one run after another; status 1: of a simulation that fails late."""
    folder = case.folder / f"undisturbed-{simulation[-1]}"
    ended = case.run([*simulation, "--in-flight", "1", "-o", str(folder)])
    claim(ended.status in (0, 1), f"undisturbed: {ended.shows()}")
    return Result(ended.status, data_files(folder) if folder.is_dir() else {})


def complete_reference(case: Case, long: bool = False) -> tuple[list[str], Result]:
    """A simulation that comes to its end, with steps enough for several checkpoints, and its result."""
    while True:
        simulation = draw_simulation(case.dice, long)
        result = reference(case, simulation)
        if result.status == 0 and len(rows_of("run", result.files["PA_results_run_0.dat"])) >= FEWEST_ROWS:
            return simulation, result


# --- what stands in a folder ---


def data_files(folder: Path) -> Files:
    """Name and bytes of every data file under its final name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if DATA_NAME.fullmatch(path.name)}


def read_state(folder: Path) -> Optional[dict[str, Any]]:
    """run.json, if it is there."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        return json.loads(path.read_bytes().decode("utf-8"))
    except ValueError as error:
        raise Wrong(f"{path.name} of {folder.name} is no JSON: {error}") from None


def is_whole(data: bytes) -> bool:
    """Whether a data file ends with the checksum of what stands before."""
    last = SUM.fullmatch(data[-SUM_LENGTH:])
    return last is not None and int(last[1], 16) == zlib.crc32(data[:-SUM_LENGTH])


def parameters_of(data: bytes) -> list[bytes]:
    """The lines of a header that say which simulation it is of."""
    return re.findall(rb"^# [a-z-]+ \S+$", data.split(b"# column", 1)[0], re.MULTILINE)


def is_part_of(name: str, data: bytes, whole: Result) -> bool:
    """Whether a data file is one of a simulation that was interrupted."""
    expected = whole.files.get(name)
    if expected is None or b"\n# interrupted at beta" not in data or parameters_of(data) != parameters_of(expected):
        return False
    there, all_rows = rows_of(name, data), rows_of(name, expected)
    return name.endswith("_weighted.dat") or there == all_rows[: len(there)]


def source_of(files: Files, known: dict[str, Result]) -> str:
    """Of which known result all of these files are; `part of NAME`: of its simulation, interrupted."""
    for name, result in known.items():
        if all(result.files.get(file) == data for file, data in files.items()):
            return name
    for name, result in known.items():
        if all(is_part_of(file, data, result) for file, data in files.items()):
            return f"part of {name}"
    raise Wrong(f"files of no one simulation: {' '.join(files)}")


def standing(folder: Path, known: dict[str, Result]) -> str:
    """Which result stands in a folder: the name of a known one, `part of NAME`, or nothing. Whatever is there under a
    final name is whole and of one simulation; a folder with run.json has all files of it."""
    if not folder.is_dir():
        return ""
    files = data_files(folder)
    for name, data in files.items():
        claim(is_whole(data), f"{folder.name}/{name} is not whole")
    state = read_state(folder)
    source = source_of(files, known) if files else ""
    if state is None:
        return ""
    claim(files, f"{folder.name} has {STATE} and no data")
    part = source.startswith("part of ")
    claim(part or files.keys() == known[source].files.keys(), f"{folder.name} has {STATE}, and of {source} only a part")
    failed = not part and known[source].status != 0
    claim(state["interrupted"] is (part or failed), f"{folder.name}/{STATE} says interrupted: {state['interrupted']}")
    if part:
        missing = f"# {state['missing']}\n".encode()
        claim(all(missing in data for data in files.values()), f"{folder.name}: other parts than {STATE} says")
    return source
