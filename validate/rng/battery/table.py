"""The table of results: data files from the logs, and the Markdown page from the data files, beside
the published table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Iterator, Sequence

from . import ising, testu01, verdicts
from .streams import BATTERIES, REVERSED, Battery, Stream, choose_streams

RESULTS = Path("validate/rng/results")
PAGE = "streams.md"
PUBLISHED = Path("validate/rng/published.dat")

INTRODUCTION = """\
# Random numbers: results

Made by `make rng-table` from the data beside it. Failures in TestU01 1.2.3, in
brackets suspicious statistics, of which those that were so again are failures, too; after a semicolon those of the reversed bits; the
Ising test's deviations of e / C in errors; and the published failures (SmallCrush / Crush /
BigCrush, Ising test; M. Weigel, Monte Carlo methods for massively parallel computers, Table 2).
"-": not tested.

<!-- make rng-table: results -->"""
COLUMNS = """
| stream | generator | order | SmallCrush | Crush | BigCrush | Ising test | published |
|---|---|---|---|---|---|---|---|"""


# --- the data, from the logs ---


def battery_lines(logs: Path, battery: Battery, streams: Sequence[Stream]) -> Iterator[str]:
    """A battery's data: on which machines, and the verdicts."""
    yield "# TestU01 1.2.3; run on:"
    machines = logs / battery.name / "machines"
    names = sorted(set(machines.read_text().splitlines())) if machines.exists() else ["unknown"]
    yield from (f"#   {name}" for name in names)
    chosen = choose_streams(("all", "reversed", "lanes"), streams)
    judged = verdicts.judge(battery, chosen, testu01.read_results(logs, battery, chosen))
    # Streams of which nothing was tested are not results.
    untested = {v.line(battery) for v in judged if v.tests == 0}
    yield from (line for line in verdicts.report(battery, judged) if line not in untested)


@dataclass
class BatteryFile:
    """The lines of a battery's data file: machines, rows by stream, failures by stream."""

    machines: set[str] = field(default_factory=set)
    rows: dict[str, str] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Sequence[str]) -> BatteryFile:
        """From its lines."""
        file = cls()
        for line in lines:
            failure = re.match(r"#   (\S+): test [0-9]+,", line)
            if failure:
                file.failures.setdefault(failure[1], []).append(line)
            elif line.startswith("#   "):
                file.machines.add(line)
            elif not line.startswith("#"):
                file.rows[line.split()[0]] = line
        return file

    def tests(self, stream: str) -> int:
        """How many were done of a stream."""
        return int(self.rows[stream].split()[2].split("/")[0]) if stream in self.rows else -1


def merged(battery: Battery, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """A battery's data of two files. Of a stream in both the row of more tests stays; of as many, the new one."""
    files = [BatteryFile.of(new), BatteryFile.of(old)]
    best = {name: max(files, key=lambda file: file.tests(name)) for file in files for name in file.rows}
    yield "# TestU01 1.2.3; run on:"
    yield from sorted(files[0].machines | files[1].machines)
    yield f"# {battery.name}: statistics, failures and suspects of each stream"
    yield "# stream expected tests statistics failures suspects seconds verdict fingerprint"
    yield from (best[name].rows[name] for name in sorted(best))
    yield from (line for name in sorted(best) for line in best[name].failures.get(name, []))
    yield verdicts.summary(best[name].rows[name].split()[7] for name in best)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes a text file."""
    path.write_text("".join(f"{line}\n" for line in lines))


def write_data(logs: Path, profile: str, streams: Sequence[Stream], results: Path = RESULTS) -> None:
    """Writes the data of what the logs have; the rest stays as it is, other streams of a battery too."""
    subjects = ising.generators(logs, profile)
    for battery in BATTERIES:
        if (logs / battery.name).is_dir():
            data = results / f"{battery.name}.dat"
            old = data.read_text().splitlines() if data.exists() else []
            write_lines(data, merged(battery, old, list(battery_lines(logs, battery, streams))))
    if any(g.log.exists() for g in subjects):
        write_lines(results / "ising.dat", ising.report(subjects, profile))


# --- the page, from the data ---


@dataclass
class BatteryData:
    """What a battery's data file says: machines; of each stream the tests done ("10/10"), failures,
    suspects; the seconds that they took on one core; and the fingerprints of those that passed."""

    machines: list[str] = field(default_factory=list)
    cells: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)

    def cell(self, stream: str) -> str:
        """Failures, suspects in brackets; the tests done unless all."""
        if stream not in self.cells:
            return "-"
        tests, failures, suspects = self.cells[stream]
        done, of = tests.split("/")
        text = str(failures or "none")
        if suspects:
            text += f" ({suspects})"
        return text if done == of else f"{text}, {tests} tests"

    def both(self, stream: str) -> str:
        """The same of a stream, and of its reversed bits if they were tested."""
        if stream + REVERSED not in self.cells:
            return self.cell(stream)
        return f"{self.cell(stream)}; {self.cell(stream + REVERSED)}"


def read_battery(path: Path) -> BatteryData:
    """A battery's data file; without one, nothing."""
    data = BatteryData()
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("#   "):
            if not re.search(" test [0-9]+,", line):
                data.machines.append(line[4:])
        elif not line.startswith("#"):
            words = line.split()
            data.cells[words[0]] = (words[2], int(words[4]), int(words[5]))
            data.seconds[words[0]] = int(words[6])
            if words[7] == "passed":
                data.passed[words[0]] = words[-1]
    return data


def read_ising(path: Path) -> dict[str, str]:
    """Deviations of e / C in errors, by generator."""
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return {row[0]: f"{row[6]} / {row[11]}" for row in rows if not row[0].startswith("#")}


def read_published(path: Path = PUBLISHED) -> dict[str, str]:
    """The published failures, by generator."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = [line.split(";") for line in lines]
    return {name: f"{small} / {crush} / {big}, {test}" for name, small, crush, big, test, *_ in rows}


def ising_name(stream: str, known: dict[str, str]) -> str:
    """The Ising test's name for the generator of a stream."""
    if stream in ("lcg32", "lcg64"):
        return f"{stream}-skipped"
    if stream in known:
        return stream
    mode = stream.split("-")[0]
    return "independent" if mode == "mwc" else mode


def page(streams: Sequence[Stream], results: Path = RESULTS) -> Iterator[str]:
    """The lines of the page: a row for each stream, forward and reversed together."""
    batteries = {b.name: read_battery(results / f"{b.name}.dat") for b in BATTERIES}
    deviations = read_ising(results / "ising.dat")
    published = read_published()
    yield INTRODUCTION
    for name, data in batteries.items():
        if data.machines:
            yield f"- {name}: {'; '.join(data.machines)}"
    yield COLUMNS
    for s in streams:
        if s.of_table:  # papers.py has them
            continue
        cells = [
            f"`{s.name}`",
            s.generator,
            s.order,
            *(data.both(s.name) for data in batteries.values()),
            deviations.get(ising_name(s.name, deviations), "-"),
            published.get(s.generator, "-"),
        ]
        yield f"| {' | '.join(cells)} |"
    yield "<!-- end -->"
