#!/usr/bin/env python3
"""The table of `make tables PAPER=004` from a page as helium.py writes it, and without one. One line a case."""

from __future__ import annotations

import contextlib
import io
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "command", HERE.parent / "lib"):
    sys.path.insert(0, str(folder))

from cases import report  # noqa: E402
from helium import PUBLISHED, Workshop  # noqa: E402
from paper import read_page, render  # noqa: E402


def write_page(folder: Path) -> None:
    """A page with made-up numbers, by the functions that write the true one."""
    w = Workshop(folder, "cpu")
    w.page = ["# Liquid helium-4", "", "Device: cpu.", ""]
    w.table("The paper's run", "", ("quantity", "ours", "published"), [(name, f"1.2{n}(3)", "") for n, name in enumerate(PUBLISHED)])
    w.table("A macroupdate against N", "sizes", ("N", "walkers", "ms a macroupdate", "ms an analysis", "pairs a second",
                                              "moves over one core", "moves and energies over one core"),
            [(64, 128, 0.5, 0.1, 1e9, 9.0, 4.0), (1000, 16, 2.0, 3.0, 1e9, 30.0, 5.0), (10240, 13, 13.0, 1.0, 1e9, 12.0, 6.0),
             (40960, 13, 260.0, 9.0, 1e9, "-", "-")])
    w.table("Time times squared error", "errors", ("N", "walkers", "seconds", "error of E/K", "s K^2", "seconds to 1 mK"),
            [(512, 132, 9.0, 0.001, 2e-6, 2.0), (1952, 66, 9.0, 0.001, 8e-6, 8.0)])
    w.table("E against b", "", ("b/A", "E/K"), [(2.95, -5.0)], "N = 64. The minimum is at b = 3.081 A; published 3.07 A.")
    (folder / "helium.md").write_text("\n".join(w.page))


EXPECTED = {
    "E/K": "1.20(3)",
    "acceptance": "1.23(3)",
    "seconds of the sample run": "22",
    "random numbers a second": "8.19e+07",
    "b of the least E/A": "3.081",
    "ms a macroupdate of a walker": "20",
    "seconds to 1 mK, 512": "2",
    "seconds to 1 mK, 1952": "8",
    "s K^2 of 1952": "4",
    "ms of 40960": "20",
    "most atoms ": "40960",
    "moves, over one core": "30",
    "moves and energies, over one core": "6",
}


# The five blocks of e.dat and acceptance.dat that are printed.
BLOCKS = {
    "E": (-5.8007, -5.8122, -5.7851, -5.8102, -5.7813),
    "V": (-20.9134, -20.9253, -20.9589, -20.9566, -20.9187),
    "T": (15.1127, 15.1131, 15.1738, 15.1464, 15.1373),
    "acceptance": (0.3725, 0.3727, 0.3722, 0.3720, 0.3723),
}


def wrong_means() -> list[str]:
    """Means of the printed blocks that helium.py or published.dat has otherwise."""
    wrong, lines = [], (HERE / "published.dat").read_text()
    for name, block in BLOCKS.items():
        value, last, error = PUBLISHED[name]
        digits = 4 if name == "acceptance" else 3
        mean, spread = statistics.mean(block), statistics.stdev(block) / len(block) ** 0.5
        printed = f"{mean:.{digits}f}({10**digits * spread:.0f})"
        if f"{value:.{digits}f}({last})" != printed or round(spread, digits) != error or f"; {printed}\n" not in lines:
            wrong.append(f"{name}: {value}({last}), not {printed}")
    return wrong


def ours(text: str, quantity: str) -> str:
    """Our cell of a row."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return next(row[3] for row in rows if (row[1] + " ").startswith(quantity))


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = render(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            write_page(folder)
        full = render(folder)
        titles = list(read_page(folder / "helium.md"))
    return report({
        "published means are those of the printed blocks": wrong_means(),
        "every number is that of the page": [f"{name}: {ours(full, name)}, not {value}" for name, value in EXPECTED.items() if ours(full, name) != value],
        "without a page all is -": [name for name in EXPECTED if ours(empty, name) != "-"],
        "tables of the page are shown": [] if "| 40960 | 13 | 260 |" in full and "Device: cpu." in full and len(titles) == 5 else titles,
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
