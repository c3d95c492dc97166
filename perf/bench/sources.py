"""What pages show: a folder of committed results of some kind, its tables by their names, and its pictures.

A folder has a page of its own, tables.md, with all of them. A kind of results says what stands there: its title, and
sections, each a heading and the names of tables and pictures."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Callable, Union

from bench.book import open_book
from bench.common import publish
from bench.paper import CURAND, MEMORY, NONE, OWN, render_curand, render_memory
from bench.plots import FIGURES, draw_figures
from bench.profile import render_counters
from bench.ranks_model import open_model, render_model
from bench.results import read_results
from bench.scaling_results import TABLES, render_checks, render_scaling
from bench.tables import paragraph, render, render_speed, write_tables


PAGE = "tables.md"
WRITTEN = "Written by `make readme` from the data beside it. What is measured, and how:"
METHOD = "perf/method.md"
Section = tuple[str, list[str]]


class Benchmark:
    """Results of `make bench`, and hardware counters where they are there."""

    sections: list[Section] = [
        ("Table 1: speed-up of MSC by word size and mode", ["table1"]),
        ("Table 2: peak t_SF by L", ["table2"]),
        ("Table 3: t_SF by theta and R", ["table3", "figure3"]),
        ("Table 4: shares of the stages", ["table4"]),
        ("Table 5: the population resampled on the CPU", ["table5"]),
        ("The default run in seconds", ["default"]),
        ("Every size", ["sizes"]),
        ("The other models", ["models"]),
        ("Floors", ["floors", "roofline"]),
        ("Counters", ["counters"]),
        ("The largest populations", ["memory"]),
        ("SSC with generators of cuRAND", ["curand"]),
    ]

    titles = {"figure3": ("Fig. 3: t_SF against theta", "figure3"), "roofline": ("Roofline", "roofline")}

    def __init__(self, folder: Path) -> None:
        self.folder, self.book = folder, open_book(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        of_files: dict[str, tuple[str, Callable[[str], str]]] = {
            "counters": ("counters.dat", render_counters),
            "memory": (MEMORY, render_memory),
            "curand": (CURAND, lambda text: render_curand(text, self.book)),
        }
        if name in of_files:
            file, make = of_files[name]
            path = self.folder / file
            return make(path.read_text()) if path.exists() else NONE
        return render_speed(self.book) if name == "speed" else render(self.book, name, "md")

    def title(self) -> str:
        """What its page is called."""
        return f"{self.book.results.device()}: `make bench`"

    def machine(self) -> str:
        """What was measured, the first paragraph of its tables."""
        return paragraph("; ".join(self.book.results.machine), "md")

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


class Published(Benchmark):
    """Results at the paper's own parameters, those of `make bench PROFILE=table1|table2`. They have no pictures."""

    titles = {}
    sections = [("Speed-up of MSC by word size and mode", ["table1"]), ("Peak t_SF by L", ["table2"]), ("Shares of the stages", ["table4"])]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.sections = [section for section in self.sections if self.book.chosen(section[1][0][-1])]

    def title(self) -> str:
        """What its page is called."""
        return f"{self.book.results.device()}: `make bench PROFILE={self.folder.name}`"

    def machine(self) -> str:
        """What was measured, and which points were not."""
        return super().machine() + "".join(paragraph(line[2:], "md") for line in self.book.results.missing)

    def basis(self) -> str:
        """Nothing is drawn."""
        return ""

    def draw(self, scratch: Path) -> list[Path]:
        """Nothing is drawn."""
        return []


class Scaling:
    """Results of `make scaling`."""

    titles = {"scaling": ("Weak and strong scaling", "scaling")}
    sections: list[Section] = [("The same files", ["checks"]), ("Weak scaling", ["weak"]), ("Strong scaling", ["strong", "scaling"])]

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, read_results(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        return render_checks(self.folder) if name == "checks" else render_scaling(self.results, name, "md")

    def title(self) -> str:
        """What its page is called."""
        return f"{self.results.device()}: `make scaling`"

    def machine(self) -> str:
        """What was measured, the first paragraph of its tables."""
        return paragraph("; ".join(self.results.machine), "md")

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
    sections: list[Section] = [
        ("Constants", ["constants"]),
        ("A step on many ranks", ["steps", "picture"]),
        ("Where each part counts", ["breaks"]),
        ("Ways to add up a report", ["reductions"]),
        ("What ranks exchange", ["exchange"]),
    ]

    def __init__(self, folder: Path) -> None:
        self.model = open_model(folder)

    def table(self, name: str) -> str:
        """A table in Markdown."""
        return render_model(self.model, name, "md")

    def title(self) -> str:
        """What its page is called."""
        return "Many ranks: `make ranks-model`"

    def machine(self) -> str:
        """Nothing: no one machine was measured."""
        return ""

    def basis(self) -> str:
        """What its picture is drawn from."""
        return "".join(render_model(self.model, name, "dat") for name in ("steps", "exchange"))

    def draw(self, scratch: Path) -> list[Path]:
        """Draws the picture in an empty folder; returns its name."""
        for name in ("steps", "exchange"):
            publish(scratch / f"{name}.dat", render_model(self.model, name, "dat"))
        return draw_figures(scratch, ("ranks_model",))


Source = Union[Benchmark, Scaling, RanksModel]
KINDS: dict[str, Callable[[Path], Source]] = {**dict.fromkeys(OWN, Published), "scaling": Scaling, "ranks-model": RanksModel}


def has_results(folder: Path) -> bool:
    """Whether there is something to show."""
    return any((folder / name).exists() for name in ("results.dat", "exchange.dat"))


def open_source(folder: Path) -> Source:
    """The results in a folder, whose name says of which kind they are: those of a benchmark have a device's."""
    return KINDS.get(folder.name, Benchmark)(folder)


def show(source: Source, folder: Path, name: str, file: Path) -> str:
    """A table of a source, or a link to a picture of its folder, as they stand in a Markdown file."""
    if name not in source.titles:
        return source.table(name)
    title, picture = source.titles[name]
    return f"![{title}]({os.path.relpath(folder / f'{picture}.png', file.parent)})\n"


def page_of(source: Source, folder: Path) -> str:
    """The page of a folder, with all that there is to show."""
    file, machine = folder / PAGE, source.machine()
    text = f"# {source.title()}\n\n{WRITTEN} [method.md]({os.path.relpath(METHOD, folder)}).\n\n{machine}"
    for heading, names in source.sections:
        shown = [show(source, folder, name, file).removeprefix(machine).rstrip("\n") for name in names]
        text += "\n\n".join([f"## {heading}", *shown]) + "\n\n"
    return text[:-1]
