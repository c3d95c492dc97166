#!/usr/bin/env python3
"""One lattice, square and cubic, by orders of sites and by clusters: autocorrelation times of many hits a tile, time of a flip, quenches, and
dynamical exponents. `make lattice` calls it. Settings of the environment:

PROFILE=small    edges up to 256, for two cores (default), full: up to 32768 for a GPU, or brief for a trial
DEVICE=cpu       cpu, cuda or cuda:N
JOBS=2           runs at a time; those whose time counts are made one by one
TABLES=          names of tables with commas between them; all without it
SECONDS=90       no run begins behind so many seconds; the next call makes those that are missing; 0: tables of those that are there

Results go to build/lattice/PROFILE: a folder for each run, lattice.md with the tables whose runs are all there, and their data and
pictures. Runs that are there already are not made again. Status 1 if a run
failed, or a quench differs from the numbers of another program; 2 if a value is not allowed."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from asked import (  # noqa: E402
    CRITICAL, CRITICAL_CUBIC, FLIP_HITS, PROFILES, Profile, QUENCHES, QUENCH_TIMES, STRIPES,
    beta_runs, betas_of, exponent_runs, flip_points, flips_runs, hits_flips, hits_flips_of, hits_of_betas, hits_points, hits_runs,
    of_clusters, of_flips, of_local, of_quench, of_striped_flips, of_tiles, quench_runs, striped_runs,
)
from data_file import is_whole, read_table  # noqa: E402
from environment import setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM = "build/paising"
QUENCH_RUNS = 8
FALSE_ALARM = 1e-4  # of all comparisons of quenches together
PUBLISHED = "M. Weigel, Monte Carlo methods for massively parallel computers, 2017"
# Time of a flip in ns against k, a + b / k through the two of Sec. 3.1 there, of a Titan Black and L = 4096: 0.081 at k = 1, 0.020 at k = 100.
PUBLISHED_NS = (0.0194, 0.0616)
TIMED = 3  # runs of which the fastest counts, on a CPU, which others may use as well
EXPONENTS = {"metropolis": "2.17(1)", "swendsen-wang": "0.14(1)"}  # a footnote there


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    profile: str
    device: str
    jobs: int
    until: float = math.inf  # by time.monotonic(): no run begins later

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

    folder: Path
    tau_e: Time
    tau_m: Time
    trusted: bool
    apart: float  # sweeps between measurements, where these are more than an update; else 0
    flip_ns: float  # of the sweeps
    measuring: float  # share of the time of sweeps and measurements


Table = tuple[list[str], list[str]]  # rows of the page, and of the data file


def number_of(text: str) -> Time:
    """-0.7397(30)"""
    value, error = text.rstrip(")").split("(")
    return Time(float(value), float(error) * 10.0 ** -len(value.split(".")[1]))


def folder_of(settings: Settings, words: str) -> Path:
    return settings.folder / "runs" / words.replace("--", "").replace(" -", "-").replace(" ", "_")


def simulate(settings: Settings, words: str, folder: Path, apart: bool = False) -> bool:
    """Runs the program on one thread of a CPU, or a GPU, unless the result is there already; false if it is not there, as time is over.
    On a GPU the times of sweeps and of measurements are known where they are made apart."""
    if is_whole(folder):
        return True
    if time.monotonic() > settings.until:
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    coding = [] if "-c " in words else ["-c", "ssc"]
    stages = ["--stages", "apart"] if apart and settings.device != "cpu" else []
    command = [PROGRAM, "-D", settings.device, "--method", "canonical", *coding, *stages, *words.split(), "--force", "-o", str(folder)]
    print(" ".join(command), flush=True)
    subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return True


def look_at(folder: Path) -> Run:
    _, table = read_table(folder / "MC_results.dat")
    report = json.loads((folder / "run.json").read_text())
    seconds = {name: value or 0.0 for name, value in report["seconds"].items()}
    sweeps, given = seconds["sweep"] + seconds["step"], report["parameters"]
    return Run(
        folder,
        Time(table["tau_e"][0], table["err_tau_e"][0]),
        Time(table["tau_|m|"][0], table["err_tau_|m|"][0]),
        table["trusted"][0] == 1,
        given["sweeps"] * (given["hits"] or 1) if given["sweeps"] > 1 else 0.0,
        1e9 * sweeps / report["spin_flips"],
        seconds["measure"] / (sweeps + seconds["measure"]),
    )


def make_runs(settings: Settings, asked: list[str]) -> dict[str, Run]:
    """Those that are there at the end."""
    folders = {words: folder_of(settings, words) for words in asked}
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        made = list(pool.map(lambda words: simulate(settings, words, folders[words]), asked))
    return {words: look_at(folders[words]) for words, there in zip(asked, made) if there}


def time_runs(settings: Settings, asked: list[str]) -> dict[str, Run]:
    """The fastest of some runs, one by one."""
    found, times = {}, TIMED if settings.device == "cpu" else 1
    for words in asked:
        folders = [Path(f"{folder_of(settings, words)}.{n}") for n in range(times)]
        if all([simulate(settings, words, folder, True) for folder in folders]):
            found[words] = min(map(look_at, folders), key=lambda run: run.flip_ns)
    return found


# --- tables ---


def mark(run: Run, time: Time) -> str:
    """Of measurements that are more than tau / 2 apart tau comes out too large: without any correlation half of their distance."""
    return f"{time}{'' if run.trusted else ' ?'}{' +' if time.value < 2 * run.apart else ''}"


def beta_table(p: Profile, runs: dict[str, Run], cubic: bool = False) -> Table:
    betas, (edge, tile, n) = betas_of(p, cubic)
    hits = hits_of_betas(p)
    names = ["checkerboard" if k == 0 else f"k = {k}" for k in hits]
    lattice = "cubic lattice, " if cubic else ""
    page = [f"tau_int(E) in sweeps, {lattice}L = {edge}, T = {tile}.", "", "| beta | " + " | ".join(names) + " |", "|---" * (1 + len(hits)) + "|"]
    data = ["# beta, and tau_int(E) in sweeps with its error: " + ", ".join(names)]
    for beta in betas:
        found = [runs[of_tiles(p, edge, tile, k, n, beta, cubic)] for k in hits]
        page.append(f"| {beta:.6g} | " + " | ".join(mark(r, r.tau_e) for r in found) + " |")
        data.append(f"{beta:.8g} " + " ".join(f"{r.tau_e.value:.6g} {r.tau_e.error:.3g}" for r in found))
    return page, data


def hits_table(p: Profile, runs: dict[str, Run], cubic: bool = False) -> Table:
    """The published times of a flip are those of the square lattice."""
    names = ["L", "T", "k", "tau_int(E)", "t_f here, ns", "tau t_f, ns", *([] if cubic else ["tau t_f, published t_f, ns"])]
    full = p.full_edges[cubic]
    measured = f"measured here{f', of a lattice with L = {full}' if full > 0 else ''}"
    page = [
        f"At the critical point of the cubic lattice: tau_int(E) in sweeps, and times the time of a flip {measured}." if cubic else
        f"At the critical point: tau_int(E) in sweeps, and times the time of a flip: that {measured}, and "
        f"on the line in 1/k through two published ones of a Titan Black, 0.081 ns at k = 1 and 0.020 at k = 100 ({PUBLISHED}).",
        "", f"| {' | '.join(names)} |", "|---" * len(names) + "|",
    ]
    data = []
    points, beta = hits_points(p, cubic)
    for edge, tile, n, lattices in points:
        data += [f"# L = {edge}, T = {tile}: k, tau_int(E), error, tau t_f" + ("" if cubic else ", tau t_f of the published t_f")]
        for k in p.hits:
            r = runs[of_tiles(p, edge, tile, k, n, beta, cubic, lattices)]
            flip_ns = runs[hits_flips_of(p, edge, tile, k, cubic)].flip_ns
            here, published = r.tau_e.value * flip_ns, r.tau_e.value * (PUBLISHED_NS[0] + PUBLISHED_NS[1] / k)
            page.append(f"| {edge} | {tile} | {k} | {mark(r, r.tau_e)} | {flip_ns:.4g} | {here:.4g} |" + ("" if cubic else f" {published:.3g} |"))
            data.append(f"{k} {r.tau_e.value:.6g} {r.tau_e.error:.3g} {here:.6g}" + ("" if cubic else f" {published:.6g}"))
        data += ["", ""]
    return page, data


def head_of_flips(first: str, columns: str) -> list[str]:
    names = ["T", "L", *(columns.format(k) for k in FLIP_HITS)]
    row = "| " + " | ".join(names) + " |"
    return [first, "", row, "|---" * (row.count("|") - 1) + "|"]


def flips_table(p: Profile, runs: dict[str, Run], cubic: bool = False) -> Table:
    lattice = "Cubic lattices: time" if cubic else "Time"
    page = head_of_flips(f"{lattice} of a flip in ns, and the share of the measurements, one after each update.", "k = {} | measuring")
    for tile, edge in flip_points(p, cubic):
        found = [runs[of_flips(edge, tile, k, p.flips, cubic)] for k in FLIP_HITS]
        page.append(f"| {tile} | {edge} | " + " | ".join(f"{r.flip_ns:.4g} | {r.measuring:.1%}" for r in found) + " |")
    return page, []


def striped_table(p: Profile, runs: dict[str, Run]) -> Table:
    page = head_of_flips(f"Time of a flip in ns in multi-spin coding, a lattice in {STRIPES} stripes.", "k = {}")
    for size, tile in p.striped:
        found = [runs[of_striped_flips(size, tile, k, p.striped_flips)] for k in FLIP_HITS]
        page.append(f"| {tile} | {size} | " + " | ".join(f"{r.flip_ns:.4g}" for r in found) + " |")
    return page, []


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


def quenches(p: Profile, runs: dict[str, Run]) -> dict[str, list[Time]]:
    return {order: quench_of(runs[of_quench(order, p.quench_replicas)].folder, p.quench_replicas) for order in QUENCHES}


def quench_table(p: Profile, runs: dict[str, Run]) -> Table:
    found = quenches(p, runs)
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


def exponent_table(p: Profile, runs: dict[str, Run]) -> Table:
    page = [
        "At the critical point, tau in sweeps; z from this edge and the one before. Published for the slowest quantity: "
        f"{EXPONENTS['metropolis']} (Metropolis), {EXPONENTS['swendsen-wang']} (Swendsen and Wang; a logarithm cannot be told from it here), in {PUBLISHED}.", "",
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


@dataclass(frozen=True)
class Kind:
    """A table: its runs, and how it is made of them. One with data has a picture."""

    make: Callable[[Profile, dict[str, Run]], Table]
    runs: Callable[[Profile], list[str]] = lambda p: []
    timed: Callable[[Profile], list[str]] = lambda p: []


def cubic(function: Callable[..., list[str] | Table]) -> Callable[..., list[str] | Table]:
    return lambda *of: function(*of, cubic=True)


TABLES = {
    "beta": Kind(beta_table, beta_runs),
    "hits": Kind(hits_table, hits_runs, hits_flips),
    "quench": Kind(quench_table, quench_runs),
    "exponents": Kind(exponent_table, exponent_runs),
    "flips": Kind(flips_table, timed=flips_runs),
    "cubic_beta": Kind(cubic(beta_table), cubic(beta_runs)),
    "cubic_hits": Kind(cubic(hits_table), cubic(hits_runs), cubic(hits_flips)),
    "cubic_flips": Kind(cubic(flips_table), timed=cubic(flips_runs)),
    "striped": Kind(striped_table, timed=striped_runs),
}


def read_settings() -> tuple[Settings, list[str]]:
    """With the names of tables."""
    names = "|".join(TABLES)
    asked = setting("lattice", "TABLES", ",".join(TABLES), f"({names})(,({names}))*", f"{', '.join(TABLES)}, with commas between them")
    return Settings(
        profile=setting("lattice", "PROFILE", "small", "|".join(PROFILES), ", ".join(PROFILES)),
        device=setting("lattice", "DEVICE", "cpu", r"cpu|cuda|cuda:\d{1,4}", "cpu, cuda, cuda:N"),
        jobs=int(setting("lattice", "JOBS", "2", r"[1-9]\d?", "a number from 1 to 99")),
        until=time.monotonic() + int(setting("lattice", "SECONDS", "999999", r"\d{1,6}", "a number")),
    ), [name for name in TABLES if name in asked.split(",")]


def all_of(p: Profile, names: list[str], which: str) -> list[str]:
    """Runs of these tables, each once."""
    return list(dict.fromkeys(words for name in names for words in getattr(TABLES[name], which)(p)))


def write_tables(settings: Settings, p: Profile, names: list[str], runs: dict[str, Run]) -> list[str]:
    """Those whose runs are all there. Returns their names."""
    made, pages = [], []
    for name in names:
        kind = TABLES[name]
        missing = [words for words in kind.runs(p) + kind.timed(p) if words not in runs]
        if missing:
            print(f"{name}: {len(missing)} runs are missing")
            continue
        page, data = kind.make(p, runs)
        pages.append("\n".join(page))
        made.append(name)
        if data:
            (settings.folder / f"{name}.dat").write_text("\n".join(data) + "\n")
    text = "\n\n".join(pages) + "\n\n?: a series shorter than 200 times tau, whose errors mean little. +: measurements more than tau / 2 apart, an upper limit.\n"
    (settings.folder / "lattice.md").write_text(text)
    print(text)
    draw(settings.folder, "lattice", [name for name in made if (settings.folder / f"{name}.dat").exists()])
    return made


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    settings, names = read_settings()
    os.chdir(Path(__file__).resolve().parents[2])
    p = PROFILES[settings.profile]
    try:
        runs = make_runs(settings, all_of(p, names, "runs")) | time_runs(settings, all_of(p, names, "timed"))
    except subprocess.CalledProcessError as failed:
        print(f"lattice: status {failed.returncode}: {failed.stderr}", file=sys.stderr)
        return 1
    settings.folder.mkdir(parents=True, exist_ok=True)
    made = write_tables(settings, p, names, runs)
    wrong = quench_wrong(quenches(p, runs)) if "quench" in made else []
    for line in wrong:
        print(f"lattice: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
