"""Data files of the program: header lines, the last of which before the rows has the names of the columns."""

from __future__ import annotations

from pathlib import Path


def read_table(path: Path) -> tuple[list[str], dict[str, list[float]]]:
    """The header lines of a data file, and its columns by their names."""
    lines = path.read_text().splitlines()
    header = [line for line in lines if line.startswith("#")]
    names = header[-2].split()[1:]  # the last one is the checksum
    rows = [[float(word) for word in line.split()] for line in lines if not line.startswith("#")]
    return header, dict(zip(names, map(list, zip(*rows))))
