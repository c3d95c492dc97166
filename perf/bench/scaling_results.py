"""The results of scaling, a point a row, and what is derived from them: efficiency and speed-up.

Where a device's steps are timed as a whole, the time of a run is that of its steps: seconds.step of run.json. A step
begins with its start and ends when its report is there, exchange and reduction included. Elsewhere it is the time of
the whole run.
Medians over the runs of a point. With t_P the time of a flip on P ranks,

    weak efficiency    t_1 / (P t_P), the flips of all ranks counted: the time of a flip and GPU on one over that on P
    strong speed-up    t_1 / t_P, and its efficiency, speed-up / P
"""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.book import digits, percent, quotient
from bench.common import data_lines
from bench.results import Results, Row, number, remark_of
from bench.scaling_points import ScalingPoint
from bench.tables import align, markdown, paragraph

RUN_COLUMNS = "run step/s total/s exchange/s wait/s reduce/s flips steps digest".split()
POINT_COLUMNS = "id model L R theta ranks threads beta_end runs sets".split()
MEDIANS = "step/s total/s exchange/s wait/s reduce/s flips".split()
COLUMNS = POINT_COLUMNS + MEDIANS + ["spread-%", "steps", "digest"]

# What is to be reached on GPUs: weak efficiency in % by ranks and theta, and the speed-up of strong scaling.
WEAK_TARGETS = {(2, 10): 97, (2, 1): 90, (8, 10): 95, (8, 1): 85}
STRONG_TARGETS = {(2, 10, 10**6): 1.9}

SHARES = "exchange-% wait-% reduce-%"
TABLES = {
    "weak": f"model L theta ranks threads R runs flip/ps spread-% {SHARES} efficiency-% whole-% target-% reached",
    "strong": f"model L R theta ranks threads runs flip/ps spread-% {SHARES} speed-up efficiency-% whole target reached",
}
HEADS = {
    "weak": "The same population a rank. flip/ps: time of the steps for a flip on each rank, 1e-12 s. efficiency-%: that on "
            "one rank over it; whole-%: the same of whole runs, with allocation, files and the host between steps.",
    "strong": "The same population in all. flip/ps: time of the steps for a flip. speed-up: that of one rank over it; "
              "efficiency-%: speed-up / ranks; whole: the speed-up of whole runs.",
}
SHARED_HEAD = ("exchange, wait, reduce: shares of the time of the steps that rank 0 spends on counting and moving children, on "
               "waiting for the slowest rank, and on adding up reports. Medians of the runs; spread: (max - min) / median.")
CHECKS_HEAD = "Option sets on several ranks, and a checkpoint that fewer ranks take up, beside one process."


# --- from runs to rows ---


def summarise_point(point: ScalingPoint, text: str) -> str:
    """The row of a point, from its file."""
    runs = [dict(zip(RUN_COLUMNS, line.split())) for line in data_lines(text)]
    if not runs:
        return remark_of(text) or f"# {point.id}: not measured"
    cells = [str(getattr(point, name)) for name in POINT_COLUMNS]
    for name in MEDIANS:
        cells.append("nan" if runs[0][name] == "nan" else f"{statistics.median(float(run[name]) for run in runs):.6g}")
    clock = "total/s" if runs[0]["step/s"] == "nan" else "step/s"
    times = [float(run[clock]) for run in runs]
    spread = percent(max(times) - min(times), statistics.median(times))
    cells += [digits(spread, 2), runs[0]["steps"], runs[0]["digest"]]
    row = " ".join(cells)
    return row if len({run["digest"] for run in runs}) == 1 else f"#wrong {row}: its runs have different bytes"


def summarise_scaling(machine: str, points: list[ScalingPoint], folder: Path) -> str:
    """results.dat of the points in folder/points. Points of one population must have the same bytes on any number of
    ranks."""
    lines, known = ["# " + " ".join(COLUMNS)], {}
    for point in points:
        file = folder / "points" / f"{point.id}.dat"
        row = summarise_point(point, file.read_text() if file.exists() else "")
        if not row.startswith("#"):
            population = (point.model, point.L, point.R, point.theta, point.beta_end)
            mine = row.split()[-1]
            if known.setdefault(population, mine) != mine:
                row = f"#wrong {row}: other bytes than on one rank"
        lines.append(row)
    return machine + "\n".join(lines) + "\n"


# --- efficiency ---


def seconds_of(row: Row, clock: str) -> float:
    """The time of a run by a clock of it, or of the whole run where it has none."""
    return number(row[clock]) or float(row["total/s"])


def flip_ps(row: Row, clock: str = "step/s") -> float:
    """The time of a flip of all ranks."""
    return 1e12 * seconds_of(row, clock) / float(row["flips"])


def width_of(row: Row) -> int:
    """Ranks, or threads in their place."""
    return max(int(row["ranks"]), int(row["threads"]))


def alone(results: Results, row: Row, name: str) -> Row | None:
    """The point on one rank that a point is compared with."""
    shared = ["model", "L", "theta", "beta_end"] + (["R"] if name == "strong" else [])
    for other in results.rows:
        same = all(other[column] == row[column] for column in shared) and width_of(other) == 1
        if same and name in other["sets"].split(",") and (
                name == "strong" or int(other["R"]) * width_of(row) == int(row["R"])):
            return other
    return None


def speed_up(results: Results, row: Row, name: str, clock: str = "step/s") -> float | None:
    """The time of a flip on one rank over that of a point."""
    one = alone(results, row, name)
    return quotient(flip_ps(one, clock), flip_ps(row, clock)) if one else None


def target_of(results: Results, row: Row, name: str) -> float | None:
    """What a point is to reach, on GPUs."""
    if not results.on_gpu() or row["model"] != "square":
        return None
    key = (int(row["ranks"]), int(row["theta"]))
    return WEAK_TARGETS.get(key) if name == "weak" else STRONG_TARGETS.get((*key, int(row["R"])))


def derived(results: Results, row: Row, name: str) -> dict[str, str]:
    """The cells of a row of a table, by column."""
    speed, whole = speed_up(results, row, name), speed_up(results, row, name, "total/s")
    width, target = width_of(row), target_of(results, row, name)
    efficiency = percent(speed, width)
    reached = efficiency if name == "weak" else speed
    cells = {column: row.get(column, "") for column in TABLES[name].split()}
    cells["threads"] = row["threads"] if row["threads"] != "0" else "-"
    cells["flip/ps"] = digits(flip_ps(row) * (width if name == "weak" else 1), 4)
    for share in SHARES.split():
        cells[share] = digits(100 * float(row[share[:-1].replace("-", "") + "/s"]) / seconds_of(row, "step/s"), 2)
    cells["speed-up"] = digits(speed, 4)
    cells["efficiency-%"] = digits(efficiency, 4)
    cells["whole-%"] = digits(percent(whole, width), 4)
    cells["whole"] = digits(whole, 4)
    cells["target-%"] = cells["target"] = f"{target:g}" if target else ""
    cells["reached"] = "" if target is None or reached is None else "yes" if reached >= target else "no"
    return cells


# --- tables ---


def rows_of(results: Results, name: str) -> list[Row]:
    """The points of a table."""
    rows = [row for row in results.rows if name in row["sets"].split(",")]
    return sorted(rows, key=lambda row: (row["model"] != "square", int(row["L"]), int(row["R"]) if name == "strong" else 0,
                                         int(row["theta"]), row["beta_end"], width_of(row), int(row["threads"])))


def render_scaling(results: Results, name: str, form: str) -> str:
    """The table `weak` or `strong` in a form, dat or md."""
    columns = TABLES[name].split()
    lines = [[cells[column] for column in columns] for cells in (derived(results, row, name) for row in rows_of(results, name))]
    head = paragraph("; ".join(results.machine), form) + paragraph(f"{HEADS[name]} {SHARED_HEAD}", form)
    wrong = [line[1:] for line in results.missing if "wrong" in line]
    others = [f"{len(results.missing) - len(wrong)} points are not measured, of both tables."]
    tail = "".join(paragraph(line, form) for line in wrong + (others if len(results.missing) > len(wrong) else []))
    return head + (markdown if form == "md" else align)(columns, lines) + ("\n" if form == "md" and tail else "") + tail


def render_checks(folder: Path) -> str:
    """What was held against one process, in Markdown."""
    lines = [line.partition(": ") for line in (folder / "checks.dat").read_text().splitlines()]
    same = [name for name, _, verdict in lines if verdict == "same"]
    others = [[name.replace("|", "\\|"), verdict] for name, _, verdict in lines if verdict != "same"]
    counted = f"{len(same)} of {len(same) + sum('wrong' in verdict for _, verdict in others)} are the same bytes."
    return paragraph(f"{CHECKS_HEAD} {counted}", "md") + markdown(["what else", "found"], others)
