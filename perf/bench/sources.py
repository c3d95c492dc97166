"""What the READMEs show: a folder of committed results of some kind, its tables by their names, and its pictures."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Callable, Union

from bench.book import open_book
from bench.common import publish
from bench.plots import FIGURES, draw_figures
from bench.ranks_model import open_model, render_model
from bench.results import read_results
from bench.scaling_results import TABLES, render_checks, render_scaling
from bench.tables import render, render_speed, write_tables


class Benchmark:
    """Results of `make bench`."""

    titles = {"figure3": ("Fig. 3: t_SF against theta", "figure3"), "roofline": ("Roofline", "roofline")}

    def __init__(self, folder: Path) -> None:
        self.folder, self.book = folder, open_book(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        return render_speed(self.book) if name == "speed" else render(self.book, name, "md")

    def basis(self) -> str:
        """What its pictures are drawn from."""
        return render(self.book, "table3", "dat") + render(self.book, "points", "dat") + (
            self.folder / "ceiling.dat").read_text()

    def draw(self, scratch: Path) -> list[Path]:
        """Draws the pictures in an empty folder; returns their names."""
        for name in ("results.dat", "ceiling.dat"):
            shutil.copy(self.folder / name, scratch)
        write_tables(scratch)
        return draw_figures(scratch, FIGURES)


class Scaling:
    """Results of `make scaling`."""

    titles = {"scaling": ("Weak and strong scaling", "scaling")}

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, read_results(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        return render_checks(self.folder) if name == "checks" else render_scaling(self.results, name, "md")

    def basis(self) -> str:
        """What its picture is drawn from."""
        return "".join(render_scaling(self.results, name, "dat") for name in TABLES)

    def draw(self, scratch: Path) -> list[Path]:
        """Draws the picture in an empty folder; returns its name."""
        for name in TABLES:
            publish(scratch / f"{name}.dat", render_scaling(self.results, name, "dat"))
        return draw_figures(scratch, ("scaling",))


class RanksModel:
    """The model of `make ranks-model`."""

    titles = {"picture": ("A step on many ranks, by the model", "ranks_model")}

    def __init__(self, folder: Path) -> None:
        self.model = open_model(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        return render_model(self.model, name, "md")

    def basis(self) -> str:
        """What its picture is drawn from."""
        return "".join(render_model(self.model, name, "dat") for name in ("steps", "exchange"))

    def draw(self, scratch: Path) -> list[Path]:
        """Draws the picture in an empty folder; returns its name."""
        for name in ("steps", "exchange"):
            publish(scratch / f"{name}.dat", render_model(self.model, name, "dat"))
        return draw_figures(scratch, ("ranks_model",))


Source = Union[Benchmark, Scaling, RanksModel]
KINDS: dict[str, Callable[[Path], Source]] = {"scaling": Scaling, "ranks-model": RanksModel}


def has_results(folder: Path) -> bool:
    """Whether there is something to show."""
    return any((folder / name).exists() for name in ("results.dat", "exchange.dat"))


def open_source(folder: Path) -> Source:
    """The results in a folder, whose name says of which kind they are: those of a benchmark have a device's."""
    return KINDS.get(folder.name, Benchmark)(folder)
