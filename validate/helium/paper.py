#!/usr/bin/env python3
"""The numbers of Y. Lutsyshyn's paper on liquid helium beside ours: `make tables PAPER=004`.

    paper.py [FOLDER]     with helium.md of `make helium` [validate/helium/results/nvidia-h200]

published.dat has the paper's. What is not measured is -."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results/nvidia-h200"
SIZES, TIMES, SAMPLE = "A macroupdate against N", "Time times squared error", "The paper's run"
NONE = "-"


@dataclass
class Table:
    """A table of a page: the text above it, and its rows by the names of the columns."""

    text: str = ""
    rows: list[dict[str, str]] = field(default_factory=list)

    def cell(self, column: str, **where: str) -> str:
        """The cell of a column in the first row with these values."""
        for row in self.rows:
            if all(row.get(name) == value for name, value in where.items()):
                return row.get(column, NONE)
        return NONE


def read_page(path: Path) -> dict[str, Table]:
    """The tables of helium.md by their titles, and what stands above them by none."""
    tables: dict[str, Table] = {"": Table()}
    names: list[str] = []
    title = ""
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("## "):
            title, names = line[3:], []
            tables[title] = Table()
        elif line.startswith("|---"):
            continue
        elif line.startswith("| "):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if names:
                tables[title].rows.append(dict(zip(names, cells)))
            names = names or cells
        elif line and line[0] != "#":
            tables[title].text += line + "\n"
    return tables


def ratio(one: str, other: str) -> str:
    """One cell over another."""
    return NONE if NONE in (one, other) or not float(other) else f"{float(one) / float(other):.3g}"


def ours(page: dict[str, Table]) -> dict[str, Callable[[], str]]:
    """How our number of each quantity is found."""
    sample, sizes, times = (page.get(name, Table()) for name in (SAMPLE, SIZES, TIMES))
    variation = page.get("E against b", Table())

    def of_sample(name: str) -> Callable[[], str]:
        return lambda: sample.cell("ours", quantity=name)

    def move(atoms: str) -> str:
        """ms a macroupdate of all walkers."""
        return sizes.cell("ms a macroupdate", N=atoms)

    def sample_run() -> str:
        row = {"N": "1000", "walkers": "16"}
        cells = [sizes.cell(name, **row) for name in ("ms a macroupdate", "ms an analysis")]
        # Of all walkers: 20 blocks x 100 analyses x 4 macroupdates.
        return NONE if NONE in cells else f"{8.0 * float(cells[0]) + 2.0 * float(cells[1]):.3g}"

    def numbers() -> str:
        cell = sizes.cell("ms a macroupdate", N="64", walkers="128")
        # Five for each trial move: an atom, three displacements, a number to decide by.
        return NONE if cell == NONE or not float(cell) else f"{5 * 64 * 128 / (1e-3 * float(cell)):.3g}"

    def over_core(column: str) -> Callable[[], str]:
        """The most that the device was faster."""
        return lambda: max((row[column] for row in sizes.rows if row.get(column, NONE) != NONE), key=float, default=NONE)

    def least() -> str:
        found = re.search(r"The minimum is at b = ([0-9.]+) A", variation.text)
        return found.group(1) if found else NONE

    def of_one(atoms: str, walkers: str) -> str:
        cell = sizes.cell("ms a macroupdate", N=atoms, walkers=walkers)
        return NONE if cell == NONE else f"{float(cell) / int(walkers):.3g}"

    def most(table: Table) -> str:
        return max((row["N"] for row in table.rows), key=int, default=NONE)

    return {
        "E/K": of_sample("E"),
        "V/K": of_sample("V"),
        "T/K": of_sample("T"),
        "acceptance": of_sample("acceptance"),
        "seconds of the sample run": sample_run,
        "b of the least E/A": least,
        "random numbers a second": numbers,
        "ms a macroupdate of a walker": lambda: of_one("40960", "13"),
        "seconds to 1 mK, 512": lambda: times.cell("seconds to 1 mK", N="512"),
        "seconds to 1 mK, 1952": lambda: times.cell("seconds to 1 mK", N="1952"),
        "s K^2 of 1952": lambda: ratio(times.cell("s K^2", N="1952"), times.cell("s K^2", N="512")),
        "ms of 40960": lambda: ratio(of_one("40960", "13"), of_one("10240", "13")),
        "most atoms with energies": lambda: most(sizes),
        "most atoms": lambda: most(sizes),
        "moves, over one core": over_core("moves over one core"),
        "moves and energies, over one core": over_core("moves and energies over one core"),
    }


def render(folder: Path) -> str:
    """The table, and our tables behind its figures."""
    page = read_page(folder / "helium.md")
    found = ours(page)
    text = "Y. Lutsyshyn, Fast quantum Monte Carlo on a GPU, and ours. Command: `make helium PROFILE=full`. Seconds of the sample run and\n"
    text += "random numbers a second follow from the time of a macroupdate and of an analysis. Published times of a macroupdate, and ours, are\n"
    text += 'those of all walkers over their number. "-": not measured.\n\n'
    text += f"{page[''].text}\n" if page[""].text else ""
    text += "| where | quantity | published | ours |\n|---|---|---|---|\n"
    for line in (HERE / "published.dat").read_text().splitlines():
        if not line.startswith("#"):
            where, quantity, published = line.split("; ")
            key = max((name for name in found if quantity.startswith(name)), key=len, default="")
            text += f"| {where} | {quantity} | {published} | {found[key]() if key else NONE} |\n"
    for figure, title in (("Fig. 3", "Who analyses"), ("masking", "Analyses every m macroupdates"), ("Fig. 4", SIZES), ("Fig. 5", TIMES)):
        text += f"\n## {figure}: {title[0].lower() + title[1:]}\n\n"
        table = page.get(title)
        if not table or not table.rows:
            text += f"{NONE}\n"
            continue
        names = list(table.rows[0])
        text += f"{table.text}\n" if table.text else ""
        text += "".join("| " + " | ".join(cells) + " |\n" for cells in (names, ["---"] * len(names), *(row.values() for row in table.rows)))
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="?", type=Path, default=RESULTS)
    print(render(parser.parse_args().page), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
