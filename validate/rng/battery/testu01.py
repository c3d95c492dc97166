"""Runs a battery of TestU01: each test of a stream is a job with a log of its own, and what looks
suspicious is repeated on fresh sections of the stream."""

from __future__ import annotations

import datetime
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from .jobs import Job, run_jobs
from .streams import BUILD, Battery, Stream
from .verdicts import REPETITIONS, Result, read_result, suspicious

PROGRAM = BUILD / "rng_battery"
SECONDS = Path("validate/rng/seconds.dat")


@dataclass(frozen=True)
class Unit:
    """One test on one section of a stream, and the seconds that it takes."""

    seconds: float
    test: int
    stream: Stream
    repetition: int


def stream_logs(logs: Path, battery: Battery, stream: Stream) -> Path:
    """The folder of a stream's logs. Those of a stream whose numbers have changed do not count."""
    return logs / battery.name / f"{stream.name}.{stream.fingerprint}"


def job_of(unit: Unit, logs: Path, battery: Battery) -> Job:
    """The job of a unit."""
    command = (str(PROGRAM), unit.stream.name, battery.name, str(unit.test), str(unit.repetition))
    log = stream_logs(logs, battery, unit.stream) / f"{unit.test:03d}.{unit.repetition}.log"
    return Job(command, log, f"{unit.stream.name}, {battery.name} test {unit.test}", unit.seconds)


def longest_first(units: Sequence[Unit]) -> list[Unit]:
    """The order in which units are done: so that the last to end are short."""
    return sorted(units, key=lambda u: (-u.seconds, u.test, u.stream.name))


def known_seconds(battery: Battery) -> dict[int, float]:
    """Seconds that the tests of a battery have been seen to take."""
    seconds = {}
    for line in SECONDS.read_text().splitlines():
        words = line.split()
        if words[0] == battery.name:
            seconds[int(words[1])] = float(words[2])
    return seconds


def first_units(battery: Battery, streams: Sequence[Stream], briefly: bool) -> list[Unit]:
    """Every test on every stream; briefly: on a control that must fail, the one that finds it."""
    seconds = known_seconds(battery)
    return [
        Unit(seconds.get(n, 0), n, s, 0)
        for s in streams
        for n in range(1, battery.tests + 1)
        if n == battery.finder or not (briefly and s.must_fail(battery))
    ]


def units_of_suspects(results: Sequence[Result], streams: Sequence[Stream]) -> list[Unit]:
    """The repetitions of the tests that look suspicious."""
    by_name = {s.name: s for s in streams}
    suspects = {(r.stream, r.test): r.seconds for r in results if r.repetition == 0 and suspicious(r)}
    return [
        Unit(int(seconds + 1), test, by_name[name], repetition)
        for (name, test), seconds in suspects.items()
        for repetition in REPETITIONS
    ]


def read_results(logs: Path, battery: Battery, streams: Sequence[Stream]) -> list[Result]:
    """The p-values so far, in the order of streams and tests."""
    results = []
    for stream in streams:
        for log in sorted(stream_logs(logs, battery, stream).glob("*.log")):
            with open(log, errors="replace") as lines:
                results += [read_result(line) for line in lines if line.startswith("result ")]
    return results


def processor() -> str:
    """The processor's name, if the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(": ", 1)[1]
    except OSError:
        pass
    return ""


def commit() -> str:
    """The commit of the sources."""
    describe = ["git", "describe", "--always", "--dirty"]
    try:
        said = subprocess.run(describe, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return "unknown"
    return said.stdout.strip() or "unknown"


def note_machine(logs: Path, battery: Battery, at_once: int) -> None:
    """Notes on which machine a battery is run, for the table of results."""
    (logs / battery.name).mkdir(parents=True, exist_ok=True)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    with open(logs / battery.name / "machines", "a") as machines:
        print(f"{today}, {processor()}, {at_once} jobs, {commit()}", file=machines)


def run_battery(
    battery: Battery, streams: Sequence[Stream], logs: Path, at_once: int, end: float, briefly: bool = False
) -> None:
    """Does every test, or the first units briefly, and once more twice what looks suspicious; at_once and end as
    run_jobs."""
    note_machine(logs, battery, at_once)
    for units in (
        lambda: first_units(battery, streams, briefly),
        lambda: units_of_suspects(read_results(logs, battery, streams), streams),
    ):
        run_jobs([job_of(u, logs, battery) for u in longest_first(units())], at_once, end)
