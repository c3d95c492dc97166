"""Data files of the program: header lines, the last of which before the rows has the names of the columns."""

from __future__ import annotations

import json
import re
from pathlib import Path


def read_table(path: Path) -> tuple[list[str], dict[str, list[float]]]:
    """The header lines of a data file, and its columns by their names."""
    lines = path.read_text().splitlines()
    header = [line for line in lines if line.startswith("#")]
    names = header[-2].split()[1:]  # the last one is the checksum
    rows = [[float(word) for word in line.split()] for line in lines if not line.startswith("#")]
    return header, dict(zip(names, map(list, zip(*rows))))


def is_whole(folder: Path) -> bool:
    """Whether a result of the program is there, of a run that came to its end: Ctrl-C leaves rows and a run.json, too."""
    report = folder / "run.json"
    return report.exists() and not json.loads(report.read_text())["interrupted"]


def rows_of(name: str, data: bytes) -> list[list[bytes]]:
    """What the rows say that no other row or run can change: not whether the last one is trusted, nor the errors of a
    multi-histogram analysis, which are the scatter of the runs."""
    lines = [line.split() for line in data.splitlines()]
    names = next((line[1:] for line in lines if line[:2] == [b"#", b"beta"] and b"=" not in line), [])
    of_runs = "MHR" in name
    lost = {n for n, word in enumerate(names) if word == b"trusted" or of_runs and re.match(b"err_|runs$", word)}
    return [[word for n, word in enumerate(line) if n not in lost] for line in lines if line[:1] != [b"#"]]
