#!/usr/bin/env python3
"""One lattice, square and cubic, by orders of sites and by clusters: autocorrelation times of many hits a tile, time of a flip, quenches, and
dynamical exponents. `make lattice` calls it. Settings of the environment:

PROFILE=small    edges up to 128, in about ten minutes on two cores (default), full: up to 1024 for a GPU, or brief for a trial
DEVICE=cpu       cpu, cuda or cuda:N
JOBS=2           runs at a time on a CPU

Results go to build/lattice/PROFILE: a folder for each run, lattice.md with the tables, and data and pictures. Runs that are there
already are not made again, but those whose time counts. Status 1 if a run
failed, or a quench differs from the numbers of another program; 2 if a value is not allowed."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM = "build/paising"
CRITICAL = math.log(1 + math.sqrt(2)) / 2
CRITICAL_CUBIC = 0.221654626  # A. M. Ferrenberg, J. Xu, D. P. Landau, Phys. Rev. E 97, 043301 (2018)
# e(t) after a quench from random spins to beta = 0.8, L = 128, tiles of 16: eight runs of another program, with errors.
QUENCH_TIMES = (1, 2, 4, 8, 16, 32, 64)
QUENCHES = {
    "random": "-0.7397(30) -1.0352(25) -1.3146(36) -1.5221(20) -1.6602(25) -1.7528(31) -1.8155(27)",
    "double-tiling": "-0.7414(12) -1.0316(34) -1.3104(48) -1.5252(20) -1.6593(33) -1.7528(33) -1.8154(56)",
    "dead-border": "-0.6626(33) -0.9730(95) -1.2904(63) -1.5065(18) -1.6488(41) -1.7353(30) -1.8026(40)",
    "sequential": "-0.7411(34) -1.2077(76) -1.5465(67) -1.7205(41) -1.8205(43) -1.8833(30) -1.9287(35)",
    "metropolis": "-1.0233(16) -1.3471(34) -1.5876(31) -1.7475(35) -1.8397(44) -1.9026(29) -1.9366(48)",
}
QUENCH_RUNS = 8
FALSE_ALARM = 1e-4  # of all comparisons of quenches together
# Time of a flip in ns against k, a + b / k through two published times of a Titan Black: 0.081 at k = 1, 0.020 at k = 100.
PUBLISHED_NS = (0.0194, 0.0616)
STRIPES = 32  # that a lattice in multi-spin coding is cut into
TIMED = 3  # runs of which the fastest counts
EXPONENTS = {"metropolis": 2.17, "swendsen-wang": 0.14}  # published


@dataclass(frozen=True)
class Profile:
    """What is simulated."""

    betas: tuple[float, ...]
    of_beta: tuple[int, int, int]  # L, T, updates of one hit
    of_hits: tuple[tuple[int, int, int], ...]
    hits: tuple[int, ...]
    flip_edges: tuple[int, ...]
    quench_replicas: int
    of_cubic_hits: tuple[tuple[int, int, int], ...]
    cubic_edges: tuple[int, ...]
    striped: tuple[tuple[str, int], ...]  # -L, T: square, or cubic with three edges
    striped_flips: float  # of a run, about
    local: dict[int, tuple[int, int]] = field(default_factory=dict)  # L: sweeps between measurements, measurements
    clusters: dict[int, int] = field(default_factory=dict)  # L: measurements


SMALL_BETAS = (0.36, 0.4, 0.43, CRITICAL, 0.46, 0.5)
PROFILES = {
    "brief": Profile((0.4,), (16, 8, 2000), ((16, 8, 2000),), (1, 10), (64,), 8, ((8, 4, 1000),), (16,), (), 0, {8: (5, 4000), 16: (20, 4000)}, {8: 2000, 16: 2000}),
    "small": Profile(
        SMALL_BETAS, (32, 8, 40000), ((32, 8, 20000), (64, 16, 40000)), (1, 2, 5, 10, 20, 50, 100), (64, 128, 256), 64,
        ((16, 8, 20000),), (16, 32, 64), (("512x512", 8), ("1024x1024", 8), ("1024x1024", 16), ("64x64x512", 8)), 1e8,
        {16: (10, 20000), 32: (50, 20000), 64: (200, 16000)}, {16: 20000, 32: 20000, 64: 20000, 128: 10000},
    ),
    "full": Profile(
        tuple(0.35 + 0.01 * n for n in range(16)), (1024, 16, 40000), ((1024, 16, 40000),), (1, 2, 5, 10, 20, 50, 100),
        (128, 256, 512, 1024, 2048), 256,
        ((64, 8, 20000),), (32, 64, 128, 256),
        tuple((f"{edge}x{edge}", t) for t in (8, 16, 32) for edge in (1024, 2048, 4096, 8192, 16384) if edge % (64 * t) == 0)
        + tuple((f"{edge}x{edge}x{edge}", t) for t in (8, 16) for edge in (512, 1024) if edge % (64 * t) == 0), 5e11,
        {16: (10, 40000), 32: (50, 40000), 64: (200, 40000), 128: (1000, 40000), 256: (4000, 20000)},
        {16: 40000, 32: 40000, 64: 40000, 128: 40000, 256: 40000},
    ),
}


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    profile: str
    device: str
    jobs: int

    @property
    def folder(self) -> Path:
        return Path("build/lattice") / self.profile


@dataclass(frozen=True)
class Time:
    """An integrated autocorrelation time in sweeps, or another number, with its error."""

    value: float
    error: float

    def __str__(self) -> str:
        if not self.error > 0:
            return f"{self.value:.4g}"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{self.value:.{digits}f}({self.error * 10**digits:.0f})"


@dataclass(frozen=True)
class Run:
    """What a run has found at one temperature."""

    tau_e: Time
    tau_m: Time
    trusted: bool
    flip_ns: float  # of the sweeps
    measuring: float  # share of the time of sweeps and measurements


def number_of(text: str) -> Time:
    """-0.7397(30)"""
    value, error = text.rstrip(")").split("(")
    return Time(float(value), float(error) * 10.0 ** -len(value.split(".")[1]))


def folder_of(settings: Settings, words: str) -> Path:
    return settings.folder / "runs" / words.replace("--", "").replace(" -", "-").replace(" ", "_")


def simulate(settings: Settings, words: str, anew: bool = False) -> Path:
    """Runs the program on one thread of a CPU, or a GPU, unless the result is there already."""
    folder = folder_of(settings, words)
    if not anew and (folder / "MC_results.dat").exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    coding = [] if "-c " in words else ["-c", "ssc"]
    command = [PROGRAM, "-D", settings.device, "--method", "canonical", *coding, *words.split(), "--force", "-o", str(folder)]
    print(" ".join(command), flush=True)
    subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return folder


def look_at(folder: Path) -> Run:
    _, table = read_table(folder / "MC_results.dat")
    report = json.loads((folder / "run.json").read_text())
    seconds = {name: value or 0.0 for name, value in report["seconds"].items()}
    sweeps = seconds["sweep"] + seconds["step"]
    return Run(
        Time(table["tau_e"][0], table["err_tau_e"][0]),
        Time(table["tau_|m|"][0], table["err_tau_|m|"][0]),
        table["trusted"][0] == 1,
        1e9 * sweeps / report["spin_flips"],
        seconds["measure"] / (sweeps + seconds["measure"]),
    )


def time_flips(settings: Settings, words: str) -> Run:
    """The fastest of some runs: others may be at work on the machine."""
    return min((look_at(simulate(settings, words, anew=True)) for _ in range(TIMED)), key=lambda run: run.flip_ns)


# --- what is asked ---


def at(beta: float) -> str:
    return f"-b {beta:.12g} -f {beta:.12g}"


def of_model(cubic: bool) -> str:
    return "--model cubic " if cubic else ""


def of_tiles(edge: int, tile: int, hits: int, updates: int, beta: float, cubic: bool = False) -> str:
    """Fewer updates with many hits, since these take as much longer; none has fewer than a tenth."""
    count = max(updates // max(1, hits // 10), updates // 10)
    order = f"--update tiles --tile {tile} --hits {hits}" if hits > 0 else ""
    return f"{of_model(cubic)}-L {edge} -R 1 -t 1 {at(beta)} --thermalisation {count // 20} --measurements {count} {order}".strip()


def of_quench(order: str, replicas: int) -> str:
    tile = " --tile 16" if order in ("double-tiling", "dead-border") else ""
    return f"-L 128 -R {replicas} -t 1 {at(0.8)} --thermalisation 0 --measurements {QUENCH_TIMES[-1]} --update {order}{tile}"


def of_flips(edge: int, tile: int, hits: int, cubic: bool = False) -> str:
    """A measurement after each update."""
    count = max(4, (1 << 23) // (edge ** (3 if cubic else 2) * hits))
    beta = CRITICAL_CUBIC if cubic else CRITICAL
    return f"{of_model(cubic)}-L {edge} -R 1 -t 1 {at(beta)} --thermalisation 2 --measurements {count} --update tiles --tile {tile} --hits {hits}"


def of_striped_flips(size: str, tile: int, hits: int, flips: float) -> str:
    """Ten updates between measurements, of which there are four at least."""
    edges = [int(edge) for edge in size.split("x")]
    count = max(4, int(flips / (10 * hits * math.prod(edges))))
    cubic = len(edges) == 3
    return (
        f"{of_model(cubic)}-c msc --stripes {STRIPES} -L {size} -R 1 -t 10 {at(CRITICAL_CUBIC if cubic else CRITICAL)} --thermalisation 1 "
        f"--measurements {count} --update tiles --tile {tile} --hits {hits}"
    )


def of_local(edge: int, sweeps: int, count: int) -> str:
    return f"-L {edge} -R 1 -t {sweeps} {at(CRITICAL)} --thermalisation {count // 20} --measurements {count}"


def of_clusters(edge: int, count: int) -> str:
    return f"-L {edge} -R 1 -t 1 {at(CRITICAL)} --thermalisation {count // 20} --measurements {count} --update swendsen-wang"


def everything(p: Profile) -> list[str]:
    """All runs, the longest kinds first."""
    asked = [of_local(edge, *how) for edge, how in reversed(p.local.items())]
    asked += [of_clusters(edge, count) for edge, count in reversed(p.clusters.items())]
    asked += [of_tiles(edge, tile, k, n, CRITICAL) for edge, tile, n in p.of_hits for k in reversed(p.hits)]
    asked += [of_tiles(edge, tile, k, n, CRITICAL_CUBIC, True) for edge, tile, n in p.of_cubic_hits for k in reversed(p.hits)]
    edge, tile, n = p.of_beta
    asked += [of_tiles(edge, tile, k, n, beta) for k in (100, 10, 1, 0) if k < 100 or 100 in p.hits for beta in p.betas]
    asked += [of_quench(order, p.quench_replicas) for order in QUENCHES]
    return asked


def flip_points(p: Profile, cubic: bool = False) -> list[tuple[int, int, int]]:
    tiles, edges = ((4, 8), p.cubic_edges) if cubic else ((4, 8, 16, 32), p.flip_edges)
    return [(edge, tile, k) for tile in tiles for edge in edges for k in (1, 10) if edge % (2 * tile) == 0]


# --- tables ---


def mark(run: Run, time: Time) -> str:
    return str(time) if run.trusted else f"{time} ?"


def beta_table(p: Profile, runs: dict[str, Run]) -> tuple[list[str], list[str]]:
    """Rows of the page, and of the data file."""
    edge, tile, n = p.of_beta
    hits = [k for k in (0, 1, 10, 100) if k < 100 or 100 in p.hits]
    names = ["checkerboard" if k == 0 else f"k = {k}" for k in hits]
    page = [f"tau_int(E) in sweeps, L = {edge}, T = {tile}.", "", "| beta | " + " | ".join(names) + " |", "|---" * (1 + len(hits)) + "|"]
    data = ["# beta, and tau_int(E) in sweeps with its error: " + ", ".join(names)]
    for beta in p.betas:
        found = [runs[of_tiles(edge, tile, k, n, beta)] for k in hits]
        page.append(f"| {beta:.6g} | " + " | ".join(mark(r, r.tau_e) for r in found) + " |")
        data.append(f"{beta:.8g} " + " ".join(f"{r.tau_e.value:.6g} {r.tau_e.error:.3g}" for r in found))
    return page, data


def hits_table(p: Profile, runs: dict[str, Run], cubic: bool = False) -> tuple[list[str], list[str]]:
    """The published times of a flip are those of the square lattice."""
    names = ["L", "T", "k", "tau_int(E)", "t_f here, ns", "tau t_f, ns", *([] if cubic else ["tau t_f, published t_f, ns"])]
    page = [
        "At the critical point of the cubic lattice: tau_int(E) in sweeps, and times the time of a flip measured here." if cubic else
        "At the critical point: tau_int(E) in sweeps, and times the time of a flip: that measured here, and on the line in 1/k through two published ones.",
        "", f"| {' | '.join(names)} |", "|---" * len(names) + "|",
    ]
    data = []
    for edge, tile, n in p.of_cubic_hits if cubic else p.of_hits:
        data += [f"# L = {edge}, T = {tile}: k, tau_int(E), error, tau t_f" + ("" if cubic else ", tau t_f of the published t_f")]
        for k in p.hits:
            r = runs[of_tiles(edge, tile, k, n, CRITICAL_CUBIC if cubic else CRITICAL, cubic)]
            flip_ns = runs[of_flips(edge, tile, k, cubic)].flip_ns
            here, published = r.tau_e.value * flip_ns, r.tau_e.value * (PUBLISHED_NS[0] + PUBLISHED_NS[1] / k)
            page.append(f"| {edge} | {tile} | {k} | {mark(r, r.tau_e)} | {flip_ns:.4g} | {here:.4g} |" + ("" if cubic else f" {published:.3g} |"))
            data.append(f"{k} {r.tau_e.value:.6g} {r.tau_e.error:.3g} {here:.6g}" + ("" if cubic else f" {published:.6g}"))
        data += ["", ""]
    return page, data


def flips_table(p: Profile, runs: dict[str, Run], cubic: bool = False) -> list[str]:
    lattice = "Cubic lattices: time" if cubic else "Time"
    page = [f"{lattice} of a flip in ns, and the share of the measurements, one after each update.", "", "| T | L | k = 1 | measuring | k = 10 | measuring |", "|---|---|---|---|---|---|"]
    for edge, tile, k in flip_points(p, cubic):
        if k == 1:
            one, ten = (runs[of_flips(edge, tile, hits, cubic)] for hits in (1, 10))
            page.append(f"| {tile} | {edge} | {one.flip_ns:.4g} | {one.measuring:.1%} | {ten.flip_ns:.4g} | {ten.measuring:.1%} |")
    return page


def striped_table(p: Profile, runs: dict[str, Run]) -> list[str]:
    page = [f"Time of a flip in ns in multi-spin coding, a lattice in {STRIPES} stripes.", "", "| T | L | k = 1 | k = 10 |", "|---|---|---|---|"]
    for size, tile in p.striped:
        one, ten = (runs[of_striped_flips(size, tile, hits, p.striped_flips)] for hits in (1, 10))
        page.append(f"| {tile} | {size} | {one.flip_ns:.4g} | {ten.flip_ns:.4g} |")
    return page


def quench_of(folder: Path, replicas: int) -> list[Time]:
    """e at the times of the table; replicas are independent."""
    _, table = read_table(folder / "MC_series.dat")
    found = []
    for t in QUENCH_TIMES:
        e, e2 = table["e"][t - 1], table["e2"][t - 1]
        found.append(Time(e, math.sqrt(max(0.0, e2 - e * e) / (replicas - 1))))
    return found


def z_of_student(t: float, n: float) -> float:
    """The z-score as improbable as Student's t of n degrees of freedom (D. L. Wallace, 1959)."""
    return math.copysign(math.sqrt(n * math.log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3), t)


def quench_wrong(found: dict[str, list[Time]]) -> list[str]:
    """Where a quench differs from that of the other program, whose errors are of eight runs."""
    pairs = [(order, t, a, number_of(b)) for order, e in found.items() for t, a, b in zip(QUENCH_TIMES, e, QUENCHES[order].split())]
    wrong = []
    for order, t, a, b in pairs:
        z = z_of_student((a.value - b.value) / math.hypot(a.error, b.error), QUENCH_RUNS - 1)
        if not len(pairs) * math.erfc(abs(z) / math.sqrt(2)) > FALSE_ALARM:
            wrong.append(f"quench, {order}, t = {t}: {a}, and {b} of another program, z = {z:.1f}")
    return wrong


def quench_table(found: dict[str, list[Time]]) -> tuple[list[str], list[str]]:
    page = [
        "e(t) after a quench from random spins to beta = 0.8, L = 128, T = 16, t in sweeps; below each row another program.", "",
        "| order | " + " | ".join(map(str, QUENCH_TIMES)) + " |", "|---" * (1 + len(QUENCH_TIMES)) + "|",
    ]
    data = ["# t, and e with its error: " + ", ".join(found)]
    for order, e in found.items():
        page.append(f"| {order} | " + " | ".join(map(str, e)) + " |")
        page.append("| | " + " | ".join(QUENCHES[order].split()) + " |")
    for n, t in enumerate(QUENCH_TIMES):
        data.append(f"{t} " + " ".join(f"{e[n].value:.6g} {e[n].error:.3g}" for e in found.values()))
    return page, data


def exponent(small: Time, large: Time, factor: float) -> Time:
    """z of tau = L^z from two edges."""
    error = math.hypot(small.error / small.value, large.error / large.value)
    return Time(math.log(large.value / small.value) / math.log(factor), error / math.log(factor))


def exponent_table(p: Profile, runs: dict[str, Run]) -> tuple[list[str], list[str]]:
    page = [
        "At the critical point, tau in sweeps; z from this edge and the one before. Published: "
        f"{EXPONENTS['metropolis']} (Metropolis), {EXPONENTS['swendsen-wang']} (Swendsen and Wang; a logarithm cannot be told from it here).", "",
        "| update | L | tau_int(E) | z | tau_int(m) | z |", "|---|---|---|---|---|---|",
    ]
    data = []
    asked = {
        "metropolis": {edge: runs[of_local(edge, *how)] for edge, how in p.local.items()},
        "swendsen-wang": {edge: runs[of_clusters(edge, count)] for edge, count in p.clusters.items()},
    }
    for update, found in asked.items():
        edges = list(found)
        data.append(f"# {update}: L, tau_int(E), error, tau_int(|M|), error")
        for edge, before in zip(edges, [0, *edges]):
            r = found[edge]
            z = ["", ""] if before == 0 else [
                str(exponent(a, b, edge / before)) for a, b in ((found[before].tau_e, r.tau_e), (found[before].tau_m, r.tau_m))
            ]
            page.append(f"| {update} | {edge} | {mark(r, r.tau_e)} | {z[0]} | {mark(r, r.tau_m)} | {z[1]} |")
            data.append(f"{edge} {r.tau_e.value:.6g} {r.tau_e.error:.3g} {r.tau_m.value:.6g} {r.tau_m.error:.3g}")
        data += ["", ""]
    return page, data


# --- the program ---


def read_settings() -> Settings:
    return Settings(
        profile=setting("lattice", "PROFILE", "small", "|".join(PROFILES), ", ".join(PROFILES)),
        device=setting("lattice", "DEVICE", "cpu", r"cpu|cuda|cuda:\d{1,4}", "cpu, cuda, cuda:N"),
        jobs=int(setting("lattice", "JOBS", "2", r"[1-9]\d?", "a number from 1 to 99")),
    )


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    settings = read_settings()
    os.chdir(Path(__file__).resolve().parents[2])
    p = PROFILES[settings.profile]
    try:
        with concurrent.futures.ThreadPoolExecutor(settings.jobs if settings.device == "cpu" else 1) as pool:
            asked = everything(p)
            folders = dict(zip(asked, pool.map(lambda words: simulate(settings, words), asked)))
        timed = [of_flips(edge, tile, k) for edge, tile, _ in p.of_hits for k in p.hits]
        timed += [of_flips(*point) for point in flip_points(p)]
        timed += [of_flips(edge, tile, k, True) for edge, tile, _ in p.of_cubic_hits for k in p.hits]
        timed += [of_flips(*point, True) for point in flip_points(p, True)]
        timed += [of_striped_flips(*point, k, p.striped_flips) for point in p.striped for k in (1, 10)]
        flips = {words: time_flips(settings, words) for words in dict.fromkeys(timed)}  # one by one
    except subprocess.CalledProcessError as failed:
        print(f"lattice: status {failed.returncode}: {failed.stderr}", file=sys.stderr)
        return 1
    runs = {words: look_at(folder) for words, folder in folders.items()} | flips
    quenches = {order: quench_of(folders[of_quench(order, p.quench_replicas)], p.quench_replicas) for order in QUENCHES}
    tables = {
        "beta": beta_table(p, runs),
        "hits": hits_table(p, runs),
        "quench": quench_table(quenches),
        "exponents": exponent_table(p, runs),
        "cubic_hits": hits_table(p, runs, True),
    }
    for name, (_, data) in tables.items():
        (settings.folder / f"{name}.dat").write_text("\n".join(data) + "\n")
    pages = [page for page, _ in tables.values()] + [flips_table(p, runs), flips_table(p, runs, True), striped_table(p, runs)]
    text = "\n\n".join("\n".join(page) for page in pages) + "\n\n?: a series shorter than 200 times tau, whose errors mean little.\n"
    (settings.folder / "lattice.md").write_text(text)
    print(text)
    draw(settings.folder, "lattice", tables)
    wrong = quench_wrong(quenches)
    for line in wrong:
        print(f"lattice: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
