"""The regression gate compares the results of the profile `quick` with a baseline: results of the same profile on a
GPU of this model. It compares ratios within the run with limits that hold for every device.

A point has two times. The device's time is that of its own clock over the stages that it does itself. It has changed
if it differs by more than 3% plus 10 us a step. t_SF is the time of whole runs. It has changed if the two medians
differ by more than each of three bounds: 3%; four of their standard deviations; 60 us a step and 5 ms a run. The last
is the spread of hosts of one GPU. Where the device works for less than 90% of the baseline's run, the host decides t_SF. t_SF of such
a point is shown, and only the device's time is compared. A point is slower if a time that is compared is slower. It is
faster if one is faster and none is slower.

The standard deviations follow from the ranges of the five timed runs. The range of five normal numbers is 2.326
standard deviations on the average. The standard deviation of their median is 0.536 times that of one number.
"""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from bench.book import Book, digits, quotient
from bench.common import Refused, data_lines
from bench.results import Results, Row, number, parse_results
from bench.tables import align

LEAST_CHANGE = 0.03
DEVIATIONS = 4
HOST_STEP_SECONDS = 60e-6
HOST_RUN_SECONDS = 5e-3
DEVICE_STEP_SECONDS = 10e-6
LEAST_DEVICE_SHARE = 0.9  # of a run whose t_SF is held

COMPARISON_HEAD = "# id baseline/ps now/ps change-% standard-deviations tolerance-% device-% tolerance-% verdict"
RATIO_COLUMNS = "machine what value least most verdict".split()


def device_seconds(row: Row) -> float | None:
    """The time of the stages that the device does, by its clock; None if it is not known. The host
    resamples in the hybrid variant."""
    stages = ("sweep", "measure") if row["stages"] == "hybrid" else ("resample", "sweep", "measure", "step")
    known = [x for x in (number(row[f"{stage}/s"]) for stage in stages) if x is not None]
    return sum(known) if known else None


def host_decides(row: Row) -> bool:
    """Whether t_SF of a row says more of the host than of the device."""
    seconds = device_seconds(row)
    return seconds is not None and seconds < LEAST_DEVICE_SHARE * float(row["total/s"])


def deviation(row: Row) -> float:
    """The standard deviation of t_SF, in ps."""
    return 0.536 * (float(row["max/ps"]) - float(row["min/ps"])) / 2.326


def judge(change: float, tolerance: float) -> str:
    """What a change is called; a tolerance of nan allows any."""
    return "slower" if change > tolerance else "faster" if change < -tolerance else "same"


class Change(NamedTuple):
    """A point beside the baseline: what is said of it, and slower, faster, same, missing (it was not measured
    as the baseline was) or new."""

    id: str
    said: str
    verdict: str


def compare_point(baseline: Row, now: Row) -> Change:
    """How a point has changed."""
    was, steps, flips = float(baseline["t_SF/ps"]), float(now["steps"]), float(now["flips"])
    change = float(now["t_SF/ps"]) - was
    sigma = math.hypot(deviation(baseline), deviation(now))
    host = 1e12 * (HOST_STEP_SECONDS * steps + HOST_RUN_SECONDS) / flips
    tolerance = math.nan if host_decides(baseline) else max(DEVIATIONS * sigma, LEAST_CHANGE * was, host)
    device_change = device_tolerance = math.nan
    device_was, device_now = device_seconds(baseline), device_seconds(now)
    if device_was and device_now:
        device_change = device_now / device_was - 1
        device_tolerance = LEAST_CHANGE + DEVICE_STEP_SECONDS * steps / device_was
    verdicts = {judge(change, tolerance), judge(device_change, device_tolerance)}
    verdict = next(v for v in ("slower", "faster", "same") if v in verdicts)
    return Change(baseline["id"], (
        f"{baseline['id']:<48} {was:9.4g} {was + change:9.4g} {100 * change / was:7.2f} "
        f"{change / sigma if sigma > 0 else 0:7.1f} {100 * tolerance / was:6.2f} {100 * device_change:7.4g} "
        f"{100 * device_tolerance:5.3g} {verdict}"), verdict)


def compare(baseline: Results, results: Results) -> list[Change]:
    """Every point of a baseline beside the results, and those that it does not have."""
    changes, rows, known = [], results.by_id(), baseline.by_id()
    for name, row in known.items():
        now = rows.get(name)
        # The same work: a changed list of points asks for a new baseline.
        if now and all(now[column] == row[column] for column in ("dbeta", "beta_end", "runs")):
            changes.append(compare_point(row, now))
        else:
            said = f"# {name} {float(row['t_SF/ps']):.4g}: not measured as the baseline was"
            changes.append(Change(name, said, "missing"))
    return changes + [Change(name, f"# {name}: not in the baseline", "new") for name in rows if name not in known]


# --- limits within a run ---


def work_time(row: Row) -> float:
    """Seconds of a flip: by the device's clock where it has one, of one thread on a CPU."""
    seconds = device_seconds(row) if row["device"] == "gpu" else None
    return seconds / float(row["flips"]) if seconds else 1e-12 * float(row["t_SF/ps"]) * float(row["threads"])


def ratios(book: Book, limits: str) -> list[list[str]]:
    """The lines of limits.dat that are about the machine of the results, as RATIO_COLUMNS."""
    rows, lines = book.results.by_id(), []
    for line in data_lines(limits):
        if len(words := line.split()) != 7:
            raise Refused(f"no limit, which has 7 columns: {line}")
        machine, quantity, a, b, least, most, what = words
        if (machine == "gpu") != book.results.on_gpu():
            continue
        value = None
        if quantity == "random" and a in rows:
            value = book.random_percent(rows[a])
        elif quantity == "ratio" and a in rows and b in rows:
            value = quotient(work_time(rows[a]), work_time(rows[b]))
        verdict = "not-measured"
        if value is not None:
            holds = (least == "-" or value >= float(least)) and (most == "-" or value <= float(most))
            verdict = "holds" if holds else "broken"
        lines.append([machine, what, digits(value, 3), least, most, verdict])
    return lines


# --- the whole ---


def verdict_line(device: str, changes: list[Change], limits: list[list[str]], wrong: list[str]) -> tuple[bool, str]:
    """Whether the gate is passed, and the line that says so and names what is not."""
    faults = {
        "slower": [change.id for change in changes if change.verdict == "slower"],
        "not measured as the baseline was": [change.id for change in changes if change.verdict == "missing"],
        "ratio beyond its limits": [line[1] for line in limits if line[-1] == "broken"],
        "ratio not measured": [line[1] for line in limits if line[-1] == "not-measured"],
        "wrong results": wrong,
    }
    said = "; ".join(f"{fault}: {' '.join(names)}" for fault, names in faults.items() if names)
    if said:
        return False, f"gate: {device}: FAILS: {said}"
    points = f"{len(changes)} points, none slower" if changes else "no times to compare"
    return True, f"gate: {device}: passes: {points}; {len(limits)} ratios hold"


def check_results(book: Book, folder: Path, baselines: Path, limits: Path) -> tuple[bool, str]:
    """Whether results pass the gate, and what it says of them, the verdict first. Of a GPU without a
    baseline it keeps the results in their folder as one."""
    results, device = book.results, book.results.device()
    name = re.sub("[^a-z0-9]+", "-", device.lower()).strip("-") + ".dat"
    changes: list[Change] = []
    if not results.on_gpu():
        text = f"# {device}: times are held against a baseline on GPUs only\n"
    elif (baselines / name).exists():
        changes = compare(parse_results((baselines / name).read_text()), results)
        lines = [f"# {device}: against {baselines / name}", COMPARISON_HEAD, *(change.said for change in changes)]
        text = "\n".join(lines) + "\n"
    else:
        shutil.copy(folder / "results.dat", folder / name)
        text = f"# {device} has no baseline; these results are one: commit {folder / name} as perf/baselines/{name}\n"
    held = ratios(book, limits.read_text())
    wrong = [line for line in results.missing if line.startswith("#wrong")]
    text += "# Ratios within this run\n" + align(RATIO_COLUMNS, held) + "".join(f"{line}\n" for line in wrong)
    passes, line = verdict_line(device, changes, held, [line.split()[1] for line in wrong])
    return passes, f"{line}\n{text}"
