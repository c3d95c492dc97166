"""The tables of the paper beside committed results, as `make tables PAPER=002` prints them: today's points, the paper's own
parameters (FOLDER/table1, FOLDER/table2), the inflation of Table 1, the largest populations, sweeps with generators of cuRAND. Each names
its command. What is not measured is -."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

from bench.book import Book, digits, open_book
from bench.common import Failed, data_lines, publish
from bench.tables import H200, markdown, paragraph, render, rows_of

OWN = ("table1", "table2")  # folders in one of results, and profiles: the paper's own parameters
INFLATION = Path("validate/inflation/results")
MEMORY, CURAND = "memory.dat", "curand.dat"
MEMORY_COLUMNS = "coding L p R bytes largest".split()
NONE = "Not measured.\n"
CARD = 12 << 30  # bytes of a card of the paper's K80
CAPACITIES = (("ssc", "64", "-", "1500000"), ("msc", "64", "32", "12000000"))


# --- the largest populations ---


def device_bytes(program: Path, coding: str, L: str, p: str, R: int) -> int:
    """The device memory that --dry-run asks for, in units of 0.1 MB."""
    words = [str(program), "-c", coding, "-L", L, "-R", str(R), "--dry-run", "--like", "nvidia-h200"]
    said = subprocess.run(words + (["-p", p] if coding == "msc" else []), capture_output=True, check=False, text=True)
    found = re.search(r"^device memory +([0-9.]+) MB needed", said.stdout, re.MULTILINE)
    if not found:
        raise Failed(f"{' '.join(words)}: {said.stderr.strip() or 'does not say how much memory it needs'}")
    return round(10 * float(found.group(1))) * 100000


def largest(program: Path, coding: str, L: str, p: str) -> int:
    """The largest population of a card, in thousands."""
    low, high = 1, 100000  # thousands
    while high - low > 1:
        middle = (low + high) // 2
        fits = device_bytes(program, coding, L, p, 1000 * middle) <= CARD
        low, high = (middle, high) if fits else (low, middle)
    return 1000 * low


def write_memory(program: Path, folder: Path) -> str:
    """Writes memory.dat; returns its text."""
    lines = [f"# device memory that `build/paising --dry-run --like nvidia-h200` asks for at the paper's R, and the largest R in {CARD} bytes",
             "# " + " ".join(MEMORY_COLUMNS)]
    for coding, L, p, R in CAPACITIES:
        lines.append(f"{coding} {L} {p} {R} {device_bytes(program, coding, L, p, int(R))} {largest(program, coding, L, p)}")
    text = "\n".join(lines) + "\n"
    publish(folder / MEMORY, text)
    return text


def render_memory(text: str) -> str:
    """memory.dat as a table."""
    rows = [line.split() for line in data_lines(text)]
    cells = [[*row[:4], f"{int(row[4]) / 2**30:.2f}", row[5]] for row in rows]
    names = ["coding", "L", "p", "R of the paper", "GiB needed here", "largest R here"]
    return paragraph("The largest populations of a card with 12 GiB, theirs and ours.", "md") + markdown(names, cells)


# --- generators of cuRAND ---


def render_curand(text: str, book: Book) -> str:
    """What build/curand_sweep prints, as tables."""
    tables: list[tuple[list[str], list[list[str]]]] = []
    head: list[str] = []
    for line in text.splitlines():
        words = line.lstrip("# ").split()
        if words[:1] == ["generator"]:
            tables.append((words, []))
        elif tables and len(words) == len(tables[-1][0]):
            tables[-1][1].append(words)
        else:
            head.append(line.lstrip("# "))
    for names, rows in tables:
        if names[1] == "bytes/thread":
            names += ["over-philox", "K80-philox/ps", H200, "paising/ps"]
            beside_others(rows, book)
    return paragraph("; ".join(head), "md") + "\n".join(markdown(*table) for table in tables)


def beside_others(rows: list[list[str]], book: Book) -> None:
    """Adds to rows of times: over that of Philox, the paper's SSC with Philox on a K80, its program on an H200, and ours."""
    philox = {tuple(row[2:5]): float(row[5]) for row in rows if row[0] == "philox"}
    for row in rows:
        L, R, theta = key = tuple(row[2:5])
        like = {"coding": "ssc", "model": "square", "L": L, "R": R, "theta": theta, "p": "-", "mode": "-"}
        program = book.find(["gpu", "ssc", "square", *key, "-", "-", "fused"])
        row += [digits(float(row[5]) / philox[key], 3), book.theirs("k80", "t_SF", like), book.theirs("h200", "t_SF", like),
                digits(program["t_SF/ps"], 4) if program else "-"]


# --- inflation ---


INFLATION_PROFILES = {"table1": "-table1", "paper": ""}  # and the tail of their folders' names


class Inflation(NamedTuple):
    """What inflation.md says: of which runs, their number, and the cold ratio of each mode and p."""

    of: str
    runs: str
    ratio: dict[tuple[str, str], str]


def read_inflation(page: Path) -> Inflation | None:
    """None if it is not there."""
    if not page.exists():
        return None
    lines = page.read_text().splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]
    made = dict(re.findall(r"([a-z-]+) ([0-9.]+)[,.]", next(line for line in lines if line.startswith("Parameters: "))))
    of = f"L = {made['size']}, R = {made['population']}, theta = {made['sweeps']}: {made['runs']} runs"
    return Inflation(of, made["runs"], {(row[0], row[1]): row[6] for row in cells[1:]})


def measured_inflation(device: str) -> dict[str, Inflation]:
    """What there is of each profile."""
    found = ((profile, read_inflation(INFLATION / (device + tail) / "inflation.md")) for profile, tail in INFLATION_PROFILES.items())
    return {profile: page for profile, page in found if page}


def inflation_command(device: str) -> str:
    """Of all profiles, with as many runs as were made."""
    measured = measured_inflation(device)
    return "; ".join(f"make inflation PROFILE={name}" + (f" RUNS={measured[name].runs}" if name in measured else "") for name in INFLATION_PROFILES)


def render_inflation(book: Book, device: str) -> str:
    """The last column of Table 1."""
    measured = measured_inflation(device)
    rows = []
    for key, value in book.published.items():
        if key[:2] == ("k80", "inflation"):
            p, mode = key[6:8]
            ratios = [measured[name].ratio if name in measured else {} for name in INFLATION_PROFILES]
            rows.append([mode, p, value, *(ratio.get((mode, p)) or ratio.get((mode, "any"), "-") for ratio in ratios)])
    names = ["mode", "p", "paper", *(measured[name].of if name in measured else f"PROFILE={name}: not measured" for name in INFLATION_PROFILES)]
    return paragraph("sigma^2_MSC(C) / sigma^2_SSC(C) at low temperatures, 0.5 <= beta <= 1. The bits of philox do not depend on p.",
                     "md") + markdown(names, rows)


# --- the page ---


class Part(NamedTuple):
    """A part of what is printed: its title, its command, and what makes it, None where there is nothing to make it from."""

    title: str
    command: str
    make: Callable[[], str] | None


def parts(folder: Path) -> Iterator[Part]:
    """All of it."""
    book = open_book(folder)

    def table(name: str, title: str, profile: str = "paper") -> Part:
        """A table of TABLES; of the paper's own parameters with the points that are missing, below the table that has their name."""
        at = folder / profile if profile in OWN else folder
        of = book if at == folder else open_book(at) if (at / "results.dat").exists() else None
        if not of or not rows_of(of, name):
            return Part(title, f"make bench PROFILE={profile}", None)
        missing = of.results.missing if name == profile else []
        tail = "".join(f"\n{line[2:]}\n" for line in missing)
        return Part(title, f"make bench PROFILE={profile}", lambda: render(of, name, "md") + tail)

    def data(file: str, title: str, command: str, make: Callable[[str], str]) -> Part:
        """A table of a data file."""
        path = folder / file
        return Part(title, command, (lambda: make(path.read_text())) if path.exists() else None)

    yield table("table1", "Table 1 at the paper's own parameters", "table1")
    yield table("table1", "Table 1")
    yield Part("Table 1, inflation", inflation_command(folder.name), lambda: render_inflation(book, folder.name))
    yield table("table2", "Table 2 at the paper's own parameters", "table2")
    yield table("table2", "Table 2")
    yield table("table3", "Table 3")
    yield table("table4", "Table 4, a CPU at theta = 1", "table2")
    yield table("table4", "Table 4")
    yield table("table5", "Table 5")
    yield table("default", "The default run")
    yield data(MEMORY, "The largest populations", f"perf/paising-bench memory {folder}", render_memory)
    yield data(CURAND, "SSC with generators of cuRAND", "make curand", lambda text: render_curand(text, book))


def render_paper(folder: Path) -> str:
    """The tables of the paper, theirs beside ours, in Markdown."""
    return "\n".join(f"## {part.title}\n\nCommand: `{part.command}`\n\n{part.make() if part.make else NONE}" for part in parts(folder))
