"""Draws the pictures of a benchmark, plots/*.gp, from its tables."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.common import Failed

FIGURES = ("figure3", "roofline")


def draw(folder: Path) -> list[Path]:
    """Draws the pictures of the tables in a folder, which must be there, beside them; returns their names."""
    for figure in FIGURES:
        if subprocess.run(["gnuplot", "-e", f"folder='{folder}'", f"plots/{figure}.gp"], check=False).returncode != 0:
            raise Failed(f"plots/{figure}.gp: gnuplot failed")
    return [folder / f"{figure}.png" for figure in FIGURES]
