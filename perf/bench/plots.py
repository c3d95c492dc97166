"""Draws the pictures of measurements, plots/*.gp, from their tables."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.common import Failed

FIGURES = ("figure3", "roofline")


def draw_figures(folder: Path, figures: tuple[str, ...]) -> list[Path]:
    """Draws pictures of the tables in a folder, which must be there, beside them; returns their names."""
    for figure in figures:
        if subprocess.run(["gnuplot", "-e", f"folder='{folder}'", f"plots/{figure}.gp"], check=False).returncode != 0:
            raise Failed(f"plots/{figure}.gp: gnuplot failed")
    return [folder / f"{figure}.png" for figure in figures]


def draw(folder: Path) -> list[Path]:
    """The same of a benchmark."""
    return draw_figures(folder, FIGURES)
