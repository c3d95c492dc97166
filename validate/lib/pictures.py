"""Pictures of results, by gnuplot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Iterable


def draw(folder: Path, kind: str, names: Iterable[str]) -> None:
    """Draws plots/KIND_NAME.gp from what is in the folder; without gnuplot a line says that there are none."""
    if shutil.which("gnuplot") is None:
        print("SKIP: pictures: gnuplot is not there")
        return
    for name in names:
        subprocess.run(["gnuplot", "-e", f"folder='{folder}'", f"plots/{kind}_{name}.gp"], check=True)
        print(folder / f"{name}.png")
