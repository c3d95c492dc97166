"""The published tables of random numbers beside ours: M. Weigel, Monte Carlo methods for massively parallel computers,
Table 2, and J. Comput. Phys. 231, 3064 (2012), Table 1. Every cell of ours comes from results/."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from . import table, tiles
from .streams import BATTERIES

PAGE = table.RESULTS / "papers.md"
# Of a row of Table 2: the generator of build/rng_tiles, the streams of one sequence and in the order of threads.
GENERATORS = {
    "LCG32": ("lcg32-skipped", "lcg32", "-"),
    "LCG32, random seeds": ("lcg32", "-", "lcg32-random"),
    "LCG64": ("lcg64-skipped", "lcg64", "-"),
    "LCG64, random seeds": ("lcg64", "-", "lcg64-random"),
    "MWC": ("mwc1", "mwc1", "mwc1-threads"),
    "Fibonacci, r = 521": ("fibonacci-521", "fibonacci-521", "fibonacci-521-threads"),
    "Fibonacci, r = 1279": ("fibonacci-1279", "fibonacci-1279", "fibonacci-1279-threads"),
    "XORWOW": ("xorwow", "xorwow", "xorwow-threads"),
    "MTGP32": ("mtgp32", "mtgp32", "mtgp32-threads"),
    "XORShift/Weyl": ("xorshift-weyl", "xorshift-weyl-thread", "xorshift-weyl-threads"),
    "Philox4x32-7": ("philox-7", "philox7-sites", "philox7-replicas"),
    "Philox4x32-10": ("philox-10", "ssc-sites", "ssc-replicas"),
    "MRG32k3a": ("mrg32k3a", "mrg32k3a", "mrg32k3a-threads"),
    "MWC of lag 2 (mode independent)": ("-", "mwc-strip", "mwc-strips"),
}

Ising = dict[str, tuple[str, str, str, str, str]]  # e, error, deviation, C with error, its deviation; by generator:hits


def rows_of(path: Path, mark: str | None = None) -> list[list[str]]:
    """The lines of a data file, split; none if it is not there."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split(mark) for line in lines if line and not line.startswith("#")]


def read_tiles(path: Path) -> Ising:
    """results/tiles.dat; of a row that was measured on both devices, the GPU's."""
    known: Ising = {}
    for (name, hits, _), runs in sorted(tiles.read_rows(tiles.read_log(path)).items(), key=lambda item: item[0][2]):
        row = tiles.combine(runs)
        off_e, off_c = (f"{deviation:.2f}" for deviation in row.deviations())
        known[f"{name}:{hits}"] = (f"{row.e:.8f}", f"{row.e_error:.8f}", off_e, f"{row.c:.5f} +- {row.c_error:.5f}", off_c)
    return known


def ising_cells(ising: Ising, name: str) -> str:
    """Deviations of e and C in errors, of one sweep of a tile a step, and of a hundred."""
    found = [f"{ising[key][2]} / {ising[key][4]}" for key in (f"{name}:1", f"{name}:100") if key in ising]
    return "; ".join(found) or "-"


def table_2(results: Path = table.RESULTS) -> Iterator[str]:
    """Table 2 of the review."""
    batteries = [table.read_battery(results / f"{battery.name}.dat") for battery in BATTERIES]
    ising = read_tiles(results / "tiles.dat")
    speed = {row[0]: row[1:] for row in rows_of(results / "speed.dat")}
    published = {row[0]: row[1:] for row in rows_of(table.PUBLISHED, ";")}
    yield "| generator | bits | ours | 1e9/s | ours | SmallCrush | ours | Crush | ours | BigCrush | ours | hours | Ising test | ours |"
    yield "|---" * 14 + "|"
    for name, (kernel, one, threads) in GENERATORS.items():
        theirs = published.get(name, ["-"] * 6)
        ours = [f"{data.cell(one)} / {data.cell(threads)}" for data in batteries]
        bits, numbers, *_ = speed.get(kernel, ["-", "-"])
        seconds = sum(data.seconds.get(stream, 0) for data in batteries for stream in (one, threads))
        pairs = [(theirs[4], bits), (theirs[5], numbers), *zip(theirs[:3], ours), (f"{seconds / 3600:.2g}",)]
        pairs.append((theirs[3], ising_cells(ising, kernel)))
        yield f"| {name} | " + " | ".join(cell for pair in pairs for cell in pair) + " |"


def table_1(measured: Path = table.RESULTS / "tiles.dat") -> Iterator[str]:
    """Table 1 of the paper on spin models; the sign of e is the paper's."""
    ising = read_tiles(measured)
    yield "| order | generator | -e | deviation | ours | deviation | C | deviation | ours | deviation |"
    yield "|---" * 10 + "|"
    for order, name, e, off_e, c, off_c, ours in rows_of(table.RESULTS.parent / "published_ising.dat", ";"):
        known = {int(key.split(":")[1]) for key in ising if key.split(":")[0] == ours} - {0}
        keys = [ours] if ":" in ours else [f"{ours}:{hits}" for hits in sorted({1, 100} | known)]
        for key in keys:
            hits = key.split(":")[1]
            label = order if hits == "0" else f"{order}, k = {hits}"
            cells = [label, name, e, off_e]
            row = ising.get(key)
            cells += [f"{-float(row[0]):.7f} +- {float(row[1]):.7f}", f"{-float(row[2]):.2f}"] if row else ["-", "-"]
            cells += [c, off_c, *(row[3:] if row else ("-", "-"))]
            yield f"| {' | '.join(cells)} |"


HEADS = {
    "001": """M. Weigel, Monte Carlo methods for massively parallel computers, Table 2, and ours after each column. Bits: of state a thread,
of blocks of 128 threads. Numbers a second: theirs on a GTX 480, ours as results/speed.dat says. Failures in TestU01: of one
sequence / in the order of threads, suspicious ones in brackets, of which those that were so again are failures, too; hours: of all these tests on one core. Ising test: deviations of e / C in errors with one sweep of a tile a
step; with a hundred. "-": not measured.""",
    "003": """M. Weigel, J. Comput. Phys. 231, 3064 (2012), Table 1, and ours. LCG32 and LCG64: one sequence, on tiles dealt out to all threads.
Deviations in errors, of -e: positive where the energy is too low; k: sweeps of a tile a step. "-": not measured. The paper says no
k; its errors are those of some 1e7 steps with k = 1.""",
}


def page() -> Iterator[str]:
    """The lines of results/papers.md."""
    yield "# Random numbers: the published tables beside ours"
    yield ""
    yield "Made by `make tables PAPER=001` and `make tables PAPER=003` from the data beside it, which these commands make:"
    yield "TestU01 `make rng STREAMS=...` and `make rng-table`, the Ising test `validate/rng/rng.py tiles`, speed `build/rng_tiles speed`."
    for paper, make in (("001", table_2), ("003", table_1)):
        yield ""
        yield HEADS[paper]
        yield ""
        yield from make()


def write_page() -> None:
    """results/papers.md."""
    table.write_lines(PAGE, page())


def print_paper(paper: str) -> None:
    """Prints one of the tables, and writes the page of both."""
    print(HEADS[paper], *(table_2 if paper == "001" else table_1)(), sep="\n")
    write_page()
