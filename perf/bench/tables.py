"""The tables of a benchmark, ours beside the paper's. A new table is an entry of TABLES; a column that is not
one of the results is an entry of CELLS."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

from bench.book import Book, bytes_a_flip, digits, fit_line, open_book, percent, quotient, seconds_of
from bench.common import publish
from bench.results import Row, number

Cell = Callable[[Book, Row], str]

TIME = "t_SF/ps min/ps max/ps spread-%"
H200 = "PAising/H200/ps"
RANGE = "beta from 0 to beta_end in steps of dbeta."
JOULES = "pJ/flip: of the whole process, its idle start included: up to half too high in runs below a second."


class Table(NamedTuple):
    """The rows of a table and its columns: `faster` is the column before it over t_SF."""

    shown: str  # what the column `tables` of the results calls it; "" has every row
    columns: str
    head: str = ""
    special: dict[str, Cell] = {}  # columns that are something else than in other tables
    stages: str = ""  # the only ones that it shows
    without: str = ""  # stands for a table without rows
    only: Callable[[Row], bool] = lambda _: True  # which of its rows it shows


# --- cells ---


def t_sf(row: Row) -> float:
    """t_SF in ps."""
    return float(row["t_SF/ps"])


def picojoules(row: Row) -> float | None:
    """Energy of a flip."""
    joules = number(row["energy/J"])
    return quotient(1e12 * joules, number(row["flips"])) if joules is not None else None


def steps_ps(row: Row) -> float:
    """The time of the steps alone, a flip."""
    return seconds_of(row, "resample", "sweep", "measure", "round_trip") * (1e12 / float(row["flips"]))


def share(stage: str, significant: int) -> Cell:
    """The share of a stage in the time of all steps."""
    return lambda book, row: digits(percent(number(row[f"{stage}/s"]), seconds_of(
        row, "resample", "sweep", "measure", "round_trip")), significant)


def relative(book: Book, row: Row) -> str:
    """t_SF over that of the largest theta at the same R."""
    line = [r for r in book.chosen("3") if all(r[name] == row[name] for name in "device coding R".split())]
    return digits(t_sf(row) / t_sf(max(line, key=lambda r: float(r["theta"]))), 4)


def over_best(book: Book, row: Row) -> str:
    """t_SF over the least of all sizes."""
    return digits(t_sf(row) / min(t_sf(r) for r in book.chosen("S")), 3)


def implied(book: Book, row: Row) -> str:
    """The sweep's share in the fused step, in %: a straight line t_SF = a + b / theta through all theta at
    the same R, whose a is the sweep's."""
    fused = [r for r in book.results.rows if r["stages"] == "fused" and all(
        r[name] == row[name] for name in "device coding model L R p mode".split())]
    line = fit_line([(1 / float(r["theta"]), t_sf(r)) for r in fused])
    return digits(100 * line[0] / (line[0] + line[1] / float(row["theta"])) if line else None, 4)


def is_ssc(row: Row) -> bool:
    """Whether a row of Table 1 is the one that the others are compared with."""
    return row["coding"] == "ssc"


def random_numbers(_: Book, row: Row) -> str:
    """n_RNG of the paper: random numbers for the p replicas of a word."""
    return "-" if is_ssc(row) else row["p"] if row["mode"] in ("independent", "philox") else "1"


def speedup(book: Book, row: Row) -> str:
    """t_SF of SSC over ours, at the same L, R and theta."""
    ssc = next((r for r in book.chosen("1") if is_ssc(r)), None)
    return digits(t_sf(ssc) / t_sf(row), 3) if ssc else ""


def has_floors(row: Row) -> bool:
    """Whether a row is one of the table of floors: both codings of one size."""
    return row["model"] == "square" and row["L"] == "128" and row["R"] == "50000" and row["mode"] in ("-", "independent")


def published_speedup(edition: str) -> Cell:
    """That of an edition of the paper."""
    return lambda book, row: "1" if is_ssc(row) else book.published.get(
        (edition, "speedup", "msc", "128", "80000", "500", row["p"], row["mode"]), "")


def per_core(row: Row) -> float:
    """t_SF of a CPU times its threads."""
    return t_sf(row) * float(row["threads"])


def published_peak(book: Book, row: Row) -> str:
    """t_SF of Table 2. theta is 500 in the paper; the published CPU has no R."""
    return book.theirs("xeon" if row["device"] == "cpu" else "k80", "t_SF", row, R="50000", theta="500",
                       mode="-" if row["coding"] == "ssc" else "lcg")


def over_cpu(book: Book, row: Row) -> str:
    """t_SF of SSC on one core of a CPU at the same L over that of a GPU."""
    cores = [r for r in book.chosen("2") if (r["device"], r["coding"], r["L"]) == ("cpu", "ssc", row["L"])]
    return digits(quotient(per_core(cores[0]), t_sf(row)), 4) if cores and row["device"] == "gpu" else ""


def printed(device: str, quantity: str) -> Cell:
    """What the paper prints of a GPU at R = 50000, theta = 500."""
    return lambda book, row: book.theirs(device, quantity, row, R="50000") if row["device"] == "gpu" else ""


def published_share(book: Book, row: Row) -> str:
    """The share of flips in the paper, of its K80 or its Xeon, whose R is not said."""
    return book.theirs("k80", "share", row) if row["device"] == "gpu" else book.theirs("xeon", "share", row, R="50000")


def seconds(_: Book, row: Row) -> str:
    """Of all flips of the run."""
    return digits(1e-12 * t_sf(row) * float(row["flips"]), 3)


CELLS: dict[str, Cell] = {
    "t_SF/ps": lambda _, row: digits(row["t_SF/ps"], 4),
    "min/ps": lambda _, row: digits(row["min/ps"], 4),
    "max/ps": lambda _, row: digits(row["max/ps"], 4),
    "spread-%": lambda _, row: digits(percent(float(row["max/ps"]) - float(row["min/ps"]), t_sf(row)), 2),
    "flips/ns": lambda _, row: digits(1000 / t_sf(row), 4),
    "random-%": lambda book, row: digits(book.random_percent(row), 3),
    "memory-%": lambda book, row: digits(book.memory_percent(row), 3),
    "pJ/flip": lambda _, row: digits(picojoules(row), 3),
    "flip/byte": lambda _, row: digits(1 / bytes_a_flip(row), 4),
    "random/ps": lambda book, row: digits(book.random_ps(row), 4),
    "memory/ps": lambda book, row: digits(book.memory_ps(row), 4),
    "K80/ps": lambda book, row: book.theirs("k80", "t_SF", row),
    H200: lambda book, row: book.theirs("h200", "t_SF", row),
    "over-CPU": over_cpu,
    "paper-over-CPU": printed("k80", "over-cpu"),
    "seconds": seconds,
    "core/ps": lambda _, row: digits(per_core(row), 4) if row["device"] == "cpu" else "",
    "K80/s": lambda book, row: book.theirs("k80", "seconds", row),
    "preprint/s": lambda book, row: book.theirs("k80-preprint", "seconds", row),
    "relative": relative,
    "over-best": over_best,
    "n_RNG": random_numbers,
    "speed-up": speedup,
    "paper/ps": published_peak,
    "resample-%": share("resample", 3),
    "sweep-%": share("sweep", 4),
    "measure-%": share("measure", 3),
    "round_trip-%": share("round_trip", 3),
    "paper-%": published_share,
    "implied-%": implied,
    "apart/ps": lambda book, row: digits(book.time_of(row, "apart"), 4),
    "fused/ps": lambda book, row: digits(book.time_of(row, "fused"), 4),
    "hybrid/ps": lambda book, row: digits(book.time_of(row, "hybrid"), 4),
    "steps/ps": lambda _, row: digits(steps_ps(row), 4),
    "hybrid/fused": lambda book, row: digits(quotient(steps_ps(row), number(book.time_of(row, "fused"))), 3),
    "K80-hybrid/ps": lambda book, row: book.theirs("k80", "hybrid", row),
}

TABLES = {
    "points": Table(
        "", f"device coding stages model L R theta p mode dbeta beta_end threads runs {TIME} flips/ns random-% memory-% pJ/flip "
        f"flip/byte random/ps K80/ps faster {H200} faster",
        f"t_SF of eq. (11): median, least and largest of the timed runs; spread: (max - min) / median. {RANGE} random-% "
        "and memory-%: of the time, what the random numbers and the population's memory traffic alone would take at the "
        f"measured rates of this device. {JOULES} K80: published; "
        "PAising/H200: the published program on an H200; faster: their t_SF over ours."),
    "table1": Table(
        "1", f"device mode p n_RNG L R theta dbeta beta_end {TIME} pJ/flip speed-up paper preprint {H200} faster",
        "Speed-up: t_SF of SSC over that of MSC, at the same L, R and theta; theirs at theta = 500, R = 80000, dbeta = "
        f"0.02 on a K80, where their MSC has no mode independent; preprint: of the paper's first edition. {JOULES} {RANGE}",
        {"mode": lambda _, row: "SSC" if is_ssc(row) else row["mode"], "paper": published_speedup("k80"),
         "preprint": published_speedup("k80-preprint")}),
    "table2": Table(
        "2", f"coding device threads L R theta dbeta beta_end {TIME} core/ps flips/ns pJ/flip paper/ps faster {H200} faster over-CPU "
        "paper-over-CPU preprint-over-CPU GTX1080/ps GTX1080-over-CPU",
        f"{RANGE} core/ps: t_SF times threads. Paper: R = 50000, theta = 500; one core of a Xeon E5-2683 v4, and a K80. faster: their "
        "t_SF over ours, on a CPU that of one core. over-CPU: "
        "t_SF of SSC on one core at the same L over ours, and theirs; preprint: of the paper's first edition; GTX1080: of the "
        f"paper's last section. {JOULES}",
        {"GTX1080/ps": printed("gtx1080", "t_SF"), "GTX1080-over-CPU": printed("gtx1080", "over-cpu"),
         "preprint-over-CPU": printed("k80-preprint", "over-cpu")}),
    "table3": Table(
        "3", f"device coding L R theta dbeta beta_end {TIME} relative K80/ps faster {H200} faster pJ/flip",
        f"{RANGE} relative: over t_SF of the largest theta. K80: published; PAising/H200: the published program on an "
        f"H200; faster: their t_SF over ours. {JOULES}"),
    "table4": Table(
        "4", "device coding L R theta dbeta beta_end resample-% sweep-% measure-% round_trip-% paper-% implied-% apart/ps "
        "fused/ps",
        "Shares of the time of all steps, the stages one after the other (on a GPU: --stages apart, device events). "
        "implied: the sweep's share in the fused step, a / (a + b / theta) from t_SF = a + b / theta. paper: the "
        f"sweep's share on a K80, and of their CPU at theta = 1. {RANGE}",
        {"apart/ps": lambda _, row: digits(row["t_SF/ps"], 4)}),  # on a CPU the stages have no name
    "table5": Table(
        "5", "L R theta dbeta beta_end fused/ps apart/ps hybrid/ps min/ps max/ps spread-% steps/ps hybrid/fused paper "
        "K80/ps K80-hybrid/ps faster",
        "t_SF of SSC; hybrid: the population is copied to the CPU at every temperature and resampled there by one core. "
        "Its few steps are charged with the allocation of pinned memory; steps/ps is the time of the steps alone, by "
        "device events, and over fused it is hybrid/fused. The paper's column: theirs of hybrid over all on the GPU, on "
        f"a K80. {RANGE}",
        {"paper": lambda book, row: digits(quotient(number(book.theirs("k80", "hybrid", row)),
                                                    number(book.theirs("k80", "t_SF", row))), 3)},
        "hybrid", "No GPU: the hybrid variant is one of a GPU."),
    "default": Table(
        "D", "coding L R theta dbeta beta_end mode t_SF/ps seconds pJ/flip K80/ps K80/s preprint/s",
        f"The default run of the paper, of either coding, in seconds: t_SF times the flips. {RANGE} K80: published; preprint: in "
        "the paper's first edition.",
        without="No GPU: the default run is measured on one."),
    "sizes": Table(
        "S", f"L R theta dbeta beta_end {TIME} flips/ns over-best random-% memory-%",
        f"t_SF of MSC, mode independent, at every size, with the same number of spins. {RANGE} over-best: t_SF over that "
        "of the fastest size.", without="No GPU: the CPU's sizes stand in Table 2."),
    "models": Table(
        "M", f"coding model L R theta dbeta beta_end {TIME} flips/ns pJ/flip",
        f"t_SF of cubic lattices and +-J glasses (one sample), mode independent in MSC. {RANGE}",
        without="No GPU: these points are measured on one."),
    "floors": Table(
        "", "coding L R theta dbeta beta_end random/ps memory/ps t_SF/ps random-% memory-%",
        "t_SF of the fused step beside its floors: what the random numbers, and the memory traffic of the population, would "
        f"take alone at the measured rates of this device; both in % of t_SF. {RANGE}",
        stages="fused", without="No GPU: these floors are those of a GPU.", only=has_floors),
}


# --- output ---


def cells_of(book: Book, row: Row, columns: str, special: dict[str, Cell]) -> list[str]:
    """The cells of a row."""
    cells: list[str] = []
    for name in columns.split():
        if name == "faster":
            cells.append(digits(quotient(number(cells[-1]), per_core(row) if row["device"] == "cpu" else t_sf(row)), 3))
        else:
            make = special.get(name) or CELLS.get(name)
            cells.append(make(book, row) if make else row[name])
    return cells


def align(names: list[str], lines: list[list[str]]) -> str:
    """A table for gnuplot: columns aligned, nan for what is not known."""
    rows = [["# " + names[0], *names[1:]]] + [[cell or "nan" for cell in line] for line in lines]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    return "".join(" ".join(cell.rjust(width) for cell, width in zip(row, widths)) + "\n" for row in rows)


def markdown(names: list[str], lines: list[list[str]]) -> str:
    """A table for a Markdown file."""
    head, *rows = ["".join(f"| {cell} " for cell in line) + "|\n" for line in [names, *lines]]
    return head + "|---" * len(names) + "|\n" + "".join(rows)


def paragraph(text: str, form: str) -> str:
    """A paragraph beside a table."""
    return f"{text}\n\n" if form == "md" else f"# {text}\n"


def rows_of(book: Book, name: str) -> list[Row]:
    """The results that a table of TABLES shows."""
    table = TABLES[name]
    return [row for row in book.chosen(table.shown) if table.stages in ("", row["stages"]) and table.only(row)]


def render(book: Book, name: str, form: str) -> str:
    """A table of TABLES in a form, dat or md."""
    table = TABLES[name]
    rows = rows_of(book, name)
    head = paragraph("; ".join(book.results.machine), form) + paragraph(table.head, form)
    if table.without and not rows:
        return head + paragraph(table.without, form)
    lines = [cells_of(book, row, table.columns, table.special) for row in rows]
    tail = [paragraph(line[1:], form) for line in book.results.missing] if name == "points" else []
    return head + (markdown if form == "md" else align)(table.columns.split(), lines) + "".join(tail)


def render_speed(book: Book) -> str:
    """The table of the README, in Markdown: t_SF by theta of MSC and SSC at L = 128, R = 50000, beside the
    published ones."""
    columns, lines = f"t_SF/ps {H200} K80/ps beta_end pJ/flip", []
    for theta in ("500", "100", "10", "1"):
        lines.append([theta])
        for coding, p, mode in (("msc", "32", "independent"), ("ssc", "-", "-")):
            row = book.find(["gpu", coding, "square", "128", "50000", theta, p, mode, "fused"])
            lines[-1] += cells_of(book, row, columns, {}) if row else [""] * 5
    names = ["theta"] + columns.replace("t_SF", "MSC").split() + columns.replace("t_SF", "SSC").split()
    return paragraph("; ".join(book.results.machine), "md") + markdown(names, lines)


def write_tables(folder: Path) -> list[Path]:
    """Writes the tables of a folder's results there, each as NAME.md and NAME.dat; returns their names."""
    book = open_book(folder)
    files = {folder / f"{name}.{form}": render(book, name, form) for name in TABLES for form in ("md", "dat")}
    for file, text in files.items():
        publish(file, text)
    return sorted(files)
