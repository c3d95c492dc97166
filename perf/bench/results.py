"""results.dat, a point a row: medians of the timed runs; and what stands beside it, the device's ceilings
and published figures."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from pathlib import Path

from bench.common import Refused, data_lines
from bench.planes import mean_planes
from bench.points import Point

# A row of the results by the names of its columns, as text; "": not known.
Row = dict[str, str]

RUN_COLUMNS = ("run t_SF/ps resample/s sweep/s measure/s step/s round_trip/s total/s flips steps threads "
               "energy/J").split()
POINT_COLUMNS = "id device coding model L R theta p mode dbeta beta_end stages tables".split()
COLUMNS = POINT_COLUMNS + ("steps threads planes runs t_SF/ps min/ps max/ps resample/s sweep/s measure/s step/s "
                           "round_trip/s total/s flips energy/J").split()
MEDIANS = "resample/s sweep/s measure/s step/s round_trip/s total/s flips".split()


def number(text: str) -> float | None:
    """A cell's value; None: not known."""
    return float(text) if text not in ("", "nan") else None


# --- from the runs of a point to its row ---


def median(cells: list[str]) -> str:
    """The median of a column; nan if a run has none."""
    return "nan" if "nan" in cells else f"{statistics.median(map(float, cells)):.6g}"


def remark_of(text: str) -> str:
    """What the file of a point says of results that are wrong or not there, or nothing."""
    remarks = [line for line in text.splitlines() if line.startswith("#wrong") or "not measured" in line]
    return remarks[-1] if remarks else ""


def summarise_point(point: Point, text: str) -> str:
    """The row of a point, from its file: energy is that of the last timed run, the only one asked for it."""
    runs = [dict(zip(RUN_COLUMNS, line.split())) for line in data_lines(text)]
    remark = remark_of(text)
    if not runs:
        return remark or f"# {point.id}: not measured"
    first = runs[0]
    planes = "nan"
    if point.mode == "independent" and point.model == "square":
        planes = f"{mean_planes(float(point.dbeta), int(first['steps'])):.6g}"
    times = [run["t_SF/ps"] for run in runs]
    cells = [getattr(point, name) for name in POINT_COLUMNS]
    cells += [first["steps"], first["threads"], planes, str(len(runs)), median(times)]
    cells += [f"{bound(map(float, times)):.6g}" for bound in (min, max)]
    cells += [median([run[name] for run in runs]) for name in MEDIANS]
    cells += [runs[-1]["energy/J"]]
    row = " ".join(cells)
    return f"#wrong {row} {remark}" if remark.startswith("#wrong") else row


def summarise(machine: str, points: list[Point], folder: Path) -> str:
    """results.dat of the points in folder/points."""
    lines = ["# times: medians over the timed runs; t_SF is that of eq. (11)",
             "# tables: the paper's tables in which the point stands; D: the published program's default run",
             "# " + " ".join(COLUMNS)]
    for point in points:
        file = folder / "points" / f"{point.id}.dat"
        lines.append(summarise_point(point, file.read_text() if file.exists() else ""))
    return machine + "\n".join(lines) + "\n"


# --- reading ---


@dataclass
class Results:
    """A results.dat."""

    machine: list[str]  # what its head says: device ..., driver ..., ...
    rows: list[Row]
    missing: list[str]  # the lines of points without a result, or with a wrong one

    def device(self) -> str:
        """The name of the device that was measured."""
        return next((line[7:] for line in self.machine if line.startswith("device ")), "")

    def on_gpu(self) -> bool:
        """Whether that is a GPU."""
        return any(line.startswith("driver ") for line in self.machine)

    def by_id(self) -> dict[str, Row]:
        """The rows by the names of their points."""
        return {row["id"]: row for row in self.rows}


def parse_results(text: str) -> Results:
    """What a results.dat says."""
    names: list[str] = []
    results = Results([], [], [])
    for line in text.splitlines():
        if re.match("# (device|driver|clocks|cpu|commit|date) ", line):
            results.machine.append(line[2:])
        if remark_of(line):
            results.missing.append(line)
        if line.startswith("# id "):
            names = line[2:].split()
        if not line.startswith("#"):
            results.rows.append({name: "" if cell == "nan" else cell for name, cell in zip(names, line.split())})
    return results


def read_results(folder: Path) -> Results:
    """The results in a folder; who asks for them gets a refusal if there are none."""
    try:
        return parse_results((folder / "results.dat").read_text())
    except OSError:
        raise Refused(f"{folder}: there is no results.dat; make bench makes one") from None


def read_ceilings(folder: Path) -> dict[str, float]:
    """The device's ceilings by name, where they were measured: 1e9 a second, which is one a nanosecond."""
    file = folder / "ceiling.dat"
    lines = data_lines(file.read_text()) if file.exists() else []
    return {cells[0]: float(cells[1]) for cells in map(str.split, lines) if float(cells[1]) > 0}


def read_published(file: Path) -> dict[tuple[str, ...], str]:
    """Published values by device, quantity, coding, L, R, theta, p, mode."""
    return {tuple(cells[:8]): cells[8] for cells in map(str.split, data_lines(file.read_text()))}
