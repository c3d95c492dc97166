"""What every figure of the study is made of: its simulations in each profile, its data, and the claims that it can
refute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterable, Sequence

from claims import Claim
from runs import Job, Row, Workshop

RULES = ("nearest", "systematic", "stratified", "residual", "multinomial", "poisson")
FIXED = ("systematic", "stratified", "residual", "multinomial")  # always R children
CRITICAL = 0.44


@dataclass
class Report:
    """What a figure found: blocks of data that gnuplot knows by their names, a table, and claims."""

    blocks: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    header: list[str] = field(default_factory=list)

    def add_block(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[float]]) -> None:
        """A block of data; its name stands alone in a comment, as gnuplot's `index` wants it."""
        lines = [f"# {name}", "# " + " ".join(columns)]
        lines += [" ".join(f"{x:.8g}" for x in row) for row in rows]
        self.blocks.append("\n".join(lines))

    def add_table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table in Markdown."""
        self.table += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        self.table += ["| " + " | ".join(row) + " |" for row in rows] + [""]


@dataclass(frozen=True)
class Figure:
    """A figure of the study."""

    name: str
    title: str
    jobs: Callable[[str], list[Job]]
    report: Callable[[str, Workshop], Report]
    pictures: tuple[str, ...]


def short(value: float, error: float) -> str:
    """1.102(29): the error in units of the last digit."""
    if not error > 0:
        return f"{value:.4g}"
    if error >= 1:
        return f"{value:.0f}({error:.0f})" if error >= 10 else f"{value:.1f}({error:.1f})"
    digits = 0
    while error * 10**digits < 0.995 * 10 and digits < 12:
        digits += 1
    return f"{value:.{digits}f}({error * 10**digits:.0f})"


def nearest_row(rows: Sequence[Row], beta: float) -> Row:
    """The row at the temperature nearest to this one."""
    return min(rows, key=lambda row: abs(row["beta"] - beta))
