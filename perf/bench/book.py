"""The results of a benchmark beside ceilings and published figures, and what is derived from them for the
tables (perf/method.md says how)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.results import Results, Row, number, read_ceilings, read_published, read_results

KEY = "device coding model L R theta p mode stages".split()
PUBLISHED_KEY = "coding L R theta p".split()


def quotient(a: float | None, b: float | None) -> float | None:
    """a / b, where both are known."""
    return a / b if a is not None and b else None


def percent(a: float | None, b: float | None) -> float | None:
    """100 a / b, where both are known."""
    return 100 * a / b if a is not None and b else None


def digits(x: float | str | None, significant: int) -> str:
    """x with so many significant digits, without an exponent; nothing for what is not known."""
    value = number(x) if isinstance(x, str) else x
    if value is None:
        return ""
    size = abs(value)
    decimals = significant - 1
    while size >= 10 and decimals > 0:
        size /= 10
        decimals -= 1
    while 0 < size < 1 and decimals < 12:
        size *= 10
        decimals += 1
    return f"{value:.{decimals}f}"


def bytes_a_flip(row: Row) -> float:
    """Traffic of device memory for the population's spins, in bytes a flip. A spin has 1 byte, or 1/8 in MSC. One kernel
    for a step reads and writes each spin once. Of three separate stages each reads it, and two write it."""
    once = row["stages"] == "fused" or row["device"] == "cpu" and row["coding"] == "msc"
    return (2 if once else 5) * (1 if row["coding"] == "ssc" else 1 / 8) / float(row["theta"])


def seconds_of(row: Row, *stages: str) -> float:
    """The time of some stages together; those that are not known are not counted."""
    return sum(number(row[f"{stage}/s"]) or 0 for stage in stages)


def fit_line(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    """a and b of y = a + b x through points (x, y) with relative weights; None for fewer than two."""
    if len(points) < 2:
        return None
    s = sx = sxx = sy = sxy = 0.0
    for x, y in points:
        w = 1 / y**2
        s, sx, sxx, sy, sxy = s + w, sx + w * x, sxx + w * x * x, sy + w * y, sxy + w * x * y
    b = (s * sxy - sx * sy) / (s * sxx - sx * sx)
    return (sy - b * sx) / s, b


@dataclass
class Book:
    """What tables are made from."""

    results: Results
    ceilings: dict[str, float]
    published: dict[tuple[str, ...], str]

    def chosen(self, table: str = "") -> list[Row]:
        """The rows of a table, or all: by device, coding, model, mode, p, L, R, theta, stages."""
        rows = [row for row in self.results.rows if not table or table in row["tables"].split(",")]
        return sorted(rows, key=lambda row: (
            f"{row['device']} {int(row['coding'] == 'msc')} {row['model']} {row['mode']} {row['p']:>3} {row['L']:>4} {row['R']:>7} "
            f"{row['theta']:>5} {row['stages']}"))

    def find(self, key: list[str]) -> Row | None:
        """The last row with these values of KEY."""
        found = [row for row in self.results.rows if [row[name] for name in KEY] == key]
        return found[-1] if found else None

    def time_of(self, row: Row, stages: str) -> str:
        """t_SF of this row with its stages made in some way."""
        found = self.find([row[name] for name in KEY[:-1]] + [stages])
        return found["t_SF/ps"] if found else ""

    def theirs(self, device: str, quantity: str, row: Row, **other: str) -> str:
        """A published value at the parameters of a row, with others for some. The published program's only
        mode is lcg, which is what our independent stands beside."""
        if row["model"] != "square":
            return ""
        wanted = {**row, **other}
        mode = "lcg" if wanted["mode"] == "independent" else wanted["mode"]
        if quantity == "t_SF" and mode not in ("lcg", "-"):
            return ""
        key = (device, quantity, *(wanted[name] for name in PUBLISHED_KEY), mode)
        return self.published.get(key, "")

    def random_ps(self, row: Row) -> float | None:
        """What its random numbers cost a flip, at the rate of the device's ceilings, in ps."""
        mode, cpu = row["mode"], row["device"] == "cpu"
        philox = self.ceilings.get("philox")
        if mode == "independent":  # planes words decide 32 flips
            planes = number(row["planes"])
            return None if cpu or planes is None else quotient(1000 * planes / 32, self.ceilings.get("planes"))
        if row["coding"] == "ssc" or mode == "philox":  # a Philox call, 4 flips
            return quotient(1000 / 4, philox)
        if mode == "lcg":  # a number for the p flips of a word, and a multiply-add for each
            number_ps = quotient(1000 / (4 * float(row["p"])), philox)
            step_ps = quotient(1000, self.ceilings.get("multiply_add"))
            return None if cpu or number_ps is None or step_ps is None else number_ps + step_ps
        return quotient(1000 / (4 * float(row["p"]) * float(row["threads"])), philox)

    def random_percent(self, row: Row) -> float | None:
        """The share of its time that its random numbers alone would take."""
        return percent(self.random_ps(row), number(row["t_SF/ps"]))

    def memory_ps(self, row: Row) -> float | None:
        """What its memory traffic costs a flip, at the rate of the device's ceilings, in ps."""
        return quotient(1000 * bytes_a_flip(row), self.ceilings.get("copy"))

    def memory_percent(self, row: Row) -> float | None:
        """The share of its time that its memory traffic alone would take."""
        return percent(self.memory_ps(row), number(row["t_SF/ps"]))


def open_book(folder: Path) -> Book:
    """The book of the results in a folder."""
    return Book(read_results(folder), read_ceilings(folder), read_published(Path("perf/published.dat")))
