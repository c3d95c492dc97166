"""The points of a benchmark: what is measured, in which order, over which range of beta.

tables    which of the paper's tables has the point; D: the default run of the published program; S: the table of all
          sizes; M: the table of the other models
check     which run must have the same first temperatures: one on the `cpu`, one with the stages `fused` or `apart`, or
          one on one `thread`; -: none

beta begins at 0, in steps of 0.005, which keep the population healthy at L = 128. It ends at 1, or earlier where some
tenths of a second are over. In mode `independent` a sweep costs 11 bit planes a spin at small beta. It costs 5.4 on
the average from 0 to 1, and 6.6 from 0 to 0.5. So this mode needs a long range.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from bench.common import Refused, data_lines

DBETA = 0.005
MOST_STEPS = 200
THETAS = (1, 5, 10, 50, 100, 200, 500)
POPULATIONS = (2000, 10000, 50000, 100000)
SIZES = (16, 32, 64, 128, 256)
EVERY_SIZE = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 384, 512, 768, 1024)
# Of the other models: edges in multi-spin and in single-spin coding, and dbeta, which is less where many spins order.
OTHER_MODELS = (("cubic", (8, 10, 12, 16), (8, 16), 0.005), ("cubic", (32,), (), 0.002),
                ("glass2d", (16, 32, 64), (32,), 0.005), ("glass3d", (4, 6, 8, 10, 12, 14, 16), (8, 10), 0.005))
# Cubic glasses as they are annealed: L, R, theta of runs in which overlaps and ground states are part of the time.
GLASS_RUNS = ((8, 1000000, 10), (10, 100000, 10), (10, 1000000, 1))
FULL_CARD = 820e6  # spins that keep a GPU busy at every size
WORDS = (8, 16, 32, 64)
MODES = ("independent", "lcg", "shared", "philox")

# ps a spin-flip attempt, to choose the number of steps from; on the CPU with two cores.
PS_A_FLIP = {
    "gpu": {"ssc": 0.8, "independent": 0.09, "philox": 0.76, "shared": 0.1, "lcg": 0.25},
    "cpu": {"ssc": 7000, "independent": 70, "philox": 2700, "shared": 350, "lcg": 3500},
}


class Point(NamedTuple):
    """A row of the list, as text."""

    id: str
    device: str
    coding: str
    model: str
    L: str
    R: str
    theta: str
    p: str
    mode: str
    dbeta: str
    beta_end: str
    stages: str
    check: str
    tables: str


def read_points(text: str) -> list[Point]:
    """The points of a list; refuses a line that has not a word for each column."""
    width = len(Point._fields)
    rows = [line.split() for line in data_lines(text)]
    for row in rows:
        if len(row) != width:
            raise Refused(f"no point, which has {width} columns: {' '.join(row)}")
    return [Point(*row) for row in rows]


def sites_of(model: str, L: int) -> int:
    """N of a lattice with equal edges."""
    return L ** (3 if model in ("cubic", "glass3d") else 2)


def _point(tables: str, device: str, coding: str, L: int, R: int, theta: int, seconds: float, least: int, *, p: object = "-",
           mode: str = "-", stages: str = "-", check: str = "-", model: str = "square", dbeta: float = DBETA) -> Point:
    """A point whose runs take some `seconds`, but make at least `least` steps."""
    gpu = device == "gpu"
    beside_sweeps = (500 if stages == "hybrid" else 0.4) if gpu else 200  # ps a spin
    ps = PS_A_FLIP[device][mode if coding == "msc" else "ssc"]
    cost = sites_of(model, L) * R * (theta * ps + beside_sweeps) * 1e-12 + (5e-5 if gpu else 0)
    steps = min(max(int(seconds / cost), least), MOST_STEPS)
    name = f"{device}-{coding}" + (f"-{model}" if model != "square" else "") + f"-L{L}-R{R}-t{theta}"
    name += (f"-p{p}-{mode}" if coding == "msc" else "") + (f"-{stages}" if gpu else "")
    return Point(name, device, coding, model, str(L), str(R), str(theta), str(p), mode, f"{dbeta:.6g}",
                 f"{dbeta * steps:.6g}", stages, check, tables)


def _ssc(tables: str, L: int, R: int, theta: int, stages: str, check: str, seconds: float = 0.5, least: int = 8,
         **other: object) -> Point:
    return _point(tables, "gpu", "ssc", L, R, theta, seconds, least, stages=stages, check=check, **other)


def _msc(tables: str, L: int, R: int, theta: int, stages: str, check: str, seconds: float = 0.5, least: int = 100,
         **other: object) -> Point:
    other = {"p": 32, "mode": "independent", **other}
    return _point(tables, "gpu", "msc", L, R, theta, seconds, least, stages=stages, check=check, **other)


def _cpu_ssc(tables: str, L: int, R: int, theta: int, seconds: float = 0.5, least: int = 4) -> Point:
    return _point(tables, "cpu", "ssc", L, R, theta, seconds, least)


def _cpu_msc(tables: str, L: int, R: int, theta: int, seconds: float = 0.7, least: int = 20, p: int = 32,
             mode: str = "independent") -> Point:
    return _point(tables, "cpu", "msc", L, R, theta, seconds, least, p=p, mode=mode, check="thread")


def _paper_gpu() -> Iterator[Point]:
    grid = [(theta, R) for theta in THETAS for R in POPULATIONS]
    for theta, R in grid:
        check = "cpu" if theta == 1 and R == 2000 else "-"
        yield _ssc("3", 128, R, theta, "fused", check)
        yield _msc("3", 128, R, theta, "fused", check, 1.2)
    for L in SIZES:
        yield _ssc("2", L, 2500 if L == 256 else 10000, 500, "fused", "apart")
        yield _msc("2", L, 12500 if L == 256 else 50000, 500, "fused", "apart", 1)
    for theta, R in grid:
        yield _ssc("4", 128, R, theta, "apart", "fused", 0.25, 4)
        yield _msc("4", 128, R, theta, "apart", "fused", 0.25, 4)
    for theta in THETAS:
        if theta != 200:
            yield _ssc("5", 128, 50000, theta, "fused", "-")
            yield _ssc("5", 128, 50000, theta, "apart", "fused", 0.25, 4)
            yield _ssc("5", 128, 50000, theta, "hybrid", "fused", 1, 4)
    yield _ssc("1", 128, 80000, 100, "fused", "apart")
    for mode in MODES:
        for p in WORDS:
            seconds, least = (1, 100) if mode == "independent" else (0.3, 8)
            yield _msc("1", 128, 80000, 100, "fused", "apart" if p == 32 else "-", seconds, least, p=p, mode=mode)
    yield _ssc("D", 64, 20000, 100, "fused", "-", 5, 200)
    yield _msc("D", 64, 20000, 100, "fused", "-", 5)
    for L in EVERY_SIZE:
        words = round(FULL_CARD / (32 * L * L))
        yield _msc("S", L, 32 * words, 100, "fused", "-", 0.6)
    yield from _other_models()
    yield from _cpu_columns()


def _other_models() -> Iterator[Point]:
    """The other models, the card full."""
    for model, in_msc, in_ssc, dbeta in OTHER_MODELS:
        for L in in_msc:
            words = round(FULL_CARD / (32 * sites_of(model, L)))
            yield _msc("M", L, 32 * words, 100, "fused", "apart", 0.6, model=model, dbeta=dbeta)
        for L in in_ssc:
            replicas = round(0.2 * FULL_CARD / sites_of(model, L))
            yield _ssc("M", L, replicas, 10, "fused", "apart", 0.4, model=model, dbeta=dbeta)


def _glass_runs() -> Iterator[Point]:
    for L, R, theta in GLASS_RUNS:
        yield _msc("M", L, R, theta, "fused", "-", least=150, model="glass3d", dbeta=0.01)


def _cpu_columns() -> Iterator[Point]:
    """The CPU's column of Table 2 and its line in Fig. 3. t_SF does not depend on R there, but the threads
    of MSC want a machine word each."""
    for L in SIZES:
        yield _cpu_ssc("2", L, 4 if L == 256 else 8 * 128 * 128 // (L * L), 100, 0.6, 2)
        yield _cpu_msc("2", L, 512 if L == 256 else 1024 * 128 * 128 // (L * L), 100, 1, 40)
    for theta in THETAS:
        yield _cpu_ssc("3,4", 128, 8, theta, 0.6, 2)
        yield _cpu_msc("3", 128, 1024, theta, 1, 40 if theta < 100 else 20)


def _cpu_modes() -> Iterator[Point]:
    yield _cpu_ssc("1", 64, 128, 10, least=8)
    for mode in MODES:
        for p in (8, 32):
            yield _cpu_msc("1", 64, 2048 if mode == "independent" else 128, 10, 0.5, 8, p, mode)


def _paper_cpu() -> Iterator[Point]:
    yield from _cpu_columns()
    yield from _cpu_modes()


def _published(tables: str, device: str, coding: str, L: int, R: int, p: object, mode: str, steps: int, theta: int = 500) -> Point:
    """A point with the paper's own parameters, as many steps as it is given."""
    name = f"{device}-{coding}-L{L}-R{R}-t{theta}" + (f"-p{p}-{mode}" if coding == "msc" else "") + "-d0.02"
    return Point(name, device, coding, "square", str(L), str(R), str(theta), str(p), mode, "0.02", f"{0.02 * steps:.6g}",
                 "fused" if device == "gpu" else "-", "-", tables)


def _table1_gpu() -> Iterator[Point]:
    """Table 1 at its theta, R and dbeta. t_SF depends on the range of beta in mode independent alone, which has all of it."""
    yield _published("1", "gpu", "ssc", 128, 80000, "-", "-", 2)
    yield _published("1", "gpu", "msc", 128, 80000, 32, "independent", 50)
    for mode, steps in (("lcg", 4), ("shared", 12), ("philox", 2)):
        for p in WORDS:
            yield _published("1", "gpu", "msc", 128, 80000, p, mode, steps)


def _table2_gpu() -> Iterator[Point]:
    """Table 2 at its theta and R, where the list above has other R."""
    for L, steps in ((16, 50), (32, 20), (64, 5), (128, 2), (256, 1)):
        yield _published("2", "gpu", "ssc", L, 50000, "-", "-", steps)
    yield _published("2", "gpu", "msc", 256, 50000, 32, "independent", 25)
    yield from _table2_cpu()


def _table2_cpu() -> Iterator[Point]:
    """The CPU's column of Table 2, of all threads; L = 256 takes seven minutes on 14 of them, the others three together. And the
    share of flips at theta = 1."""
    yield _published("4", "cpu", "ssc", 128, 2000, "-", "-", 50, theta=1)
    for L in SIZES:
        yield _published("2", "cpu", "ssc", L, 50000, "-", "-", 1)


def _quick_gpu() -> Iterator[Point]:
    for theta in (1, 10, 100):
        check = "cpu" if theta == 1 else "-"
        yield _ssc("3", 128, 2000, theta, "fused", check)
        yield _ssc("3", 128, 10000, theta, "fused", "-")
        yield _msc("3", 128, 2000, theta, "fused", check)
        yield _msc("3", 128, 50000, theta, "fused", "-")
    for L, R in ((16, 50000), (64, 20000), (256, 2500)):
        yield _msc("2", L, R, 100, "fused", "apart")
    yield _ssc("2", 64, 10000, 100, "fused", "apart")
    for theta in (1, 100):
        yield _ssc("4", 128, 10000, theta, "apart", "fused", 0.25, 4)
        yield _msc("4", 128, 50000, theta, "apart", "fused", 0.25, 4)
    yield _ssc("5", 128, 10000, 1, "fused", "-")
    yield _ssc("5", 128, 10000, 1, "apart", "fused", 0.25, 4)
    yield _ssc("5", 128, 10000, 1, "hybrid", "fused", least=4)
    yield _ssc("1", 128, 10000, 100, "fused", "-")
    for mode in MODES:
        yield _msc("1", 128, 10000, 100, "fused", "apart", 0.3, 8, mode=mode)
    yield from _glass_runs()


def _quick_cpu() -> Iterator[Point]:
    for L in SIZES[:4]:
        yield _cpu_ssc("2", L, 16 * 64 * 64 // (L * L), 100)
        yield _cpu_msc("2", L, 512 * 64 * 64 // (L * L), 100)
    for theta in (1, 10, 100):
        for ssc, msc in ((16, 128), (64, 512)):
            yield _cpu_ssc("3,4", 64, ssc, theta)
            yield _cpu_msc("3,4", 64, msc, theta)
    yield from _cpu_modes()


PROFILES = {"quick": {"gpu": _quick_gpu, "cpu": _quick_cpu}, "paper": {"gpu": _paper_gpu, "cpu": _paper_cpu},
            "table1": {"gpu": _table1_gpu, "cpu": _cpu_modes}, "table2": {"gpu": _table2_gpu, "cpu": _table2_cpu}}


def list_points(profile: str, machine: str) -> str:
    """The list of a profile (quick, paper, table1, table2) on a machine (gpu, cpu), as a file. A point that several tables
    show is measured once."""
    points: dict[str, Point] = {}
    for point in PROFILES[profile][machine]():
        old = points.get(point.id)
        points[point.id] = old._replace(tables=f"{old.tables},{point.tables}") if old else point
    return "".join(" ".join(row) + "\n" for row in (("#",) + Point._fields, *points.values()))
