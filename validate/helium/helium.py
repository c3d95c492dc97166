#!/usr/bin/env python3
"""Liquid helium-4 by variational Monte Carlo: the run of the paper beside its numbers, times, oracles. `make helium` calls it.
Settings of the environment:

PROFILE=small   minutes on two cores (default), or full: the paper's sizes, for a GPU
PARTS=all       or some, as sample,sizes: the others' tables stay, from runs before
DEVICE=auto     auto, or as --device of paising-helium: cpu, cuda, cuda:N, cuda:0,1

Results go to build/helium/PROFILE: helium.md, the tables; helium.dat, blocks of data for the pictures macroupdates.png,
analysts.png, amdahl.png, sizes.png and errors.png; and a file PART.json of each part. Status 1 if an oracle fails or a planted fault is not
seen, 2 if a value is not allowed."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from environment import setting  # noqa: E402
from faults import FAULTS, seen_by  # noqa: E402
from loop import simulate  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM = "build/paising-helium"
PICTURES = ("macroupdates", "analysts", "amdahl", "sizes", "errors")  # each of data of its name
LIMIT = 5  # errors
# Five printed blocks of 004, N = 1000: the mean, its last digits' error, and the error.
PUBLISHED = {"E": (-5.798, 6, 0.006), "V": (-20.935, 10, 0.01), "T": (15.137, 11, 0.011), "acceptance": (0.3723, 1, 0.0001)}


@dataclass(frozen=True)
class Profile:
    """What is simulated."""

    sample: str  # the paper's run
    spacing: str  # of the runs against m, on a device
    macroupdates: int  # in each of these
    sizes: Sequence[tuple[int, int, int]]  # atoms, walkers, macroupdates
    errors: Sequence[tuple[int, int, int]]  # atoms, walkers, analyses
    independent: Sequence[tuple[int, int, int, int]]  # atoms, walkers, blocks, analyses of a block of loop.py


PROFILES = {
    "small": Profile(
        "--atoms 1000 --walkers 16 --analyses 10 --warm-up 100",
        "--atoms 256 --walkers 8 --warm-up 100",
        1600,
        ((64, 16, 400), (128, 16, 100), (256, 16, 40), (512, 8, 16), (1000, 4, 8), (4000, 2, 1)),
        ((64, 16, 2000), (128, 16, 600), (256, 16, 200), (512, 16, 60)),
        ((3, 2, 10, 200), (64, 2, 5, 40)),
    ),
    "full": Profile(
        "--atoms 1000 --walkers 264 --blocks 50 --analyses 100 --warm-up 300",
        "--atoms 1000 --walkers 8 --warm-up 500",
        9240,
        ((64, 128, 20000), (512, 264, 300), (1000, 16, 1000), (1000, 264, 100), (1952, 264, 40), (10240, 13, 40), (40960, 13, 4)),
        ((64, 264, 8000), (128, 264, 8000), (256, 264, 8000), (512, 264, 8000), (1000, 264, 3000), (1952, 264, 1000)),
        ((3, 16, 10, 200), (64, 16, 4, 40), (256, 16, 2, 12)),
    ),
}


@dataclass
class Result:
    """What a run has found: means and errors by autocorrelations, tau_int in analyses, and its time."""

    seconds: float
    mean: dict[str, float] = field(default_factory=dict)
    error: dict[str, float] = field(default_factory=dict)
    tau: dict[str, float] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """1.102(29)"""
        digits = max(0, 1 - math.floor(math.log10(self.error[name])))
        return f"{self.mean[name]:.{digits}f}({self.error[name] * 10**digits:.0f})"


class Workshop:
    """Makes runs, and collects tables, data and failures."""

    def __init__(self, folder: Path, device: str) -> None:
        self.folder, self.device = folder, device
        self.about = ""
        self.page: list[str] = []
        self.data: list[str] = []
        self.failures: list[str] = []

    def run(self, words: str, device: str = "") -> Result:
        """A run, whose files are removed, on the workshop's device if none is named."""
        made = self.folder / "run"
        subprocess.run([PROGRAM, *words.split(), "--device", device or self.device, "--force", "--output", made], check=True)
        made_by = json.loads((made / "run.json").read_text())
        result = Result(made_by["seconds"])
        self.about = f"Device: {self.device}{name_of_gpus(self.device)}. Commit {made_by['commit']}, {made_by['date'][:10]}."
        for line in (made / "summary.dat").read_text().splitlines():
            if line[0] != "#":
                name, mean, of_blocks, error, tau, _ = line.split()
                # A short series may have no autocorrelation time.
                result.mean[name], result.error[name] = float(mean), float(of_blocks if error == "nan" else error)
                result.tau[name] = float(tau)
        shutil.rmtree(made)
        return result

    def table(self, title: str, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]], says: str = "") -> None:
        """A table, on the page and, if it has a name, as data."""
        cells = [[f"{x:.4g}" if isinstance(x, float) else str(x) for x in row] for row in rows]
        self.page += [f"## {title}", "", *([says, ""] if says else [])]
        self.page += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        self.page += ["| " + " | ".join(row) + " |" for row in cells] + [""]
        if name:
            self.data += [f"# {name}", *(" ".join(row) for row in cells), "", ""]
        print("\n".join(self.page[-len(cells) - 5 :]), flush=True)

    def make(self, name: str, work: Callable[[], object]) -> None:
        """A part: what it says goes to NAME.json."""
        self.page, self.data, self.failures = [], [], []
        work()
        found = {"about": self.about, "page": self.page, "data": self.data, "failures": self.failures}
        (self.folder / f"{name}.json").write_text(json.dumps(found, indent=1))

    def collect(self, profile: str) -> list[str]:
        """The page and the data of all parts that were made. Returns the failures."""
        files = [self.folder / f"{name}.json" for name in PARTS]
        parts = [json.loads(file.read_text()) for file in files if file.exists()]
        failures = [text for part in parts for text in part["failures"]]
        about = list(dict.fromkeys(part["about"] for part in parts))
        page = ["# Liquid helium-4", "", f"Made by `make helium PROFILE={profile}`.", *about, ""]
        page += [line for part in parts for line in part["page"]]
        missing = [file.stem for file in files if not file.exists()]
        page += ["## Verdict", "", *(failures or ["All claims of the parts above hold."])]
        page += [f"Parts that were not made: {', '.join(missing)}." if missing else "All parts were made.", ""]
        (self.folder / "helium.md").write_text("\n".join(page))
        (self.folder / "helium.dat").write_text("\n".join(line for part in parts for line in part["data"]))
        return failures

    def claim(self, good: bool, text: str) -> None:
        """Notes what is not as it must be."""
        if not good:
            self.failures.append(text)


def sample(w: Workshop, p: Profile) -> None:
    """The run of the paper. Its text has b = 3.07 A; its numbers fit b = 1.2 sigma and a step of 0.32 sigma, where sigma = 2.556 A is
    that of the Lennard-Jones potential of helium. Sizes are at b = 3.07 A and a step of 0.82 A."""
    words = f"{p.sample} --jastrow-b 3.0672 --step 0.81792"
    r = w.run(words)
    rows = [(name, r.text(name), f"{value}({digits})") for name, (value, digits, _) in PUBLISHED.items()]
    rows += [("T1", r.text("T1"), ""), ("T2", r.text("T2"), "")]
    w.table("The paper's run", "", ("quantity", "ours", "published"), rows,
            f"`{words}`, {r.seconds:.1f} s: b = 1.2 sigma and a step of 0.32 sigma, sigma = 2.556 A.")  # fmt: skip
    for name, (value, _, error) in PUBLISHED.items():
        distance = abs(r.mean[name] - value)
        w.claim(distance < LIMIT * math.hypot(error, r.error[name]), f"{name} = {r.text(name)}, published {value}")


def oracles(w: Workshop, p: Profile) -> None:
    """Sizes: T = T1 = T2, and E with its tail independent of N; time times squared error."""
    rows, times = [], []
    for atoms, walkers, analyses in p.errors:
        r = w.run(f"--atoms {atoms} --walkers {walkers} --warm-up 200 --blocks 10 --macroupdates 2 --analyses {analyses // 10}")
        whole = r.mean["E"] + r.mean["tail"]
        rows.append((atoms, *(r.text(name) for name in ("acceptance", "E", "V", "T", "T1", "T2")), f"{whole:.4f}"))
        times.append((atoms, walkers, r.seconds, r.error["E"], r.seconds * r.error["E"] ** 2, r.seconds * (1e3 * r.error["E"]) ** 2))
        for one, other in (("T", "T1"), ("T1", "T2"), ("T", "T2")):
            allowed = LIMIT * (r.error[one] + r.error[other])
            w.claim(abs(r.mean[one] - r.mean[other]) < allowed, f"N = {atoms}: {one} = {r.text(one)}, {other} = {r.text(other)}")
        w.claim(abs(whole + 5.89) < LIMIT * r.error["E"] + 0.02, f"N = {atoms}: E + tail = {whole:.4f}, not -5.89")
    columns = ("N", "acceptance", "E/K", "V/K", "T/K", "T1/K", "T2/K", "E + tail")
    w.table("Sizes", "", columns, rows, "T = T1 = T2, and E with the tail beyond L/2 does not depend on N.")
    w.table("Time times squared error", "errors", ("N", "walkers", "seconds", "error of E/K", "s K^2", "seconds to 1 mK"), times,
            "An analysis every 2 macroupdates. Published (K20): just over 2 minutes to 1 mK at N = 512, less than 20 minutes at 1952.")  # fmt: skip


def seconds_of(run: Callable[[str], Result], atoms: int, walkers: int, m: int) -> tuple[float, float]:
    """Seconds of a macroupdate of all walkers: the slope of the time between m and 3 m; of an analysis: between 1 and up to 30
    in 3 m."""
    common = f"--atoms {atoms} --walkers {walkers} --warm-up 0 --blocks 1"
    one, three = (run(f"{common} --analyses 1 --macroupdates {k * m}").seconds for k in (1, 3))
    analyses = min(3 * m, 30)
    each = 3 * m // analyses
    many = run(f"{common} --analyses {analyses} --macroupdates {each}").seconds
    move = (three - one) / (2 * m)
    return move, max((many - three + (3 * m - analyses * each) * move) / (analyses - 1), 0)


# The largest size of which one core is asked, and pairs of a run there: some tenths of a second.
CORE_ATOMS, CORE_PAIRS = 2000, 1e8


def over_one_core(w: Workshop, atoms: int, walkers: int, move: float, analysis: float) -> tuple[object, object]:
    """How much faster a walker moves than on one core of the CPU, and so with an analysis every two macroupdates."""
    if w.device == "cpu" or atoms > CORE_ATOMS:
        return "-", "-"
    m = max(int(CORE_PAIRS / (2 * atoms * atoms)), 1)
    core = seconds_of(lambda words: w.run(f"{words} --threads 1", "cpu"), atoms, 1, m)
    return core[0] * walkers / move, (2 * core[0] + core[1]) * walkers / (2 * move + analysis)


def sizes(w: Workshop, p: Profile) -> None:
    """A macroupdate and an analysis of all walkers, and what one core takes for a walker."""
    rows = []
    for atoms, walkers, m in p.sizes:
        move, analysis = seconds_of(w.run, atoms, walkers, m)
        over = over_one_core(w, atoms, walkers, move, analysis)
        rows.append((atoms, walkers, 1e3 * move, 1e3 * analysis, 2 * atoms * atoms * walkers / move, *over))
    w.table(
        "A macroupdate against N", "sizes",
        ("N", "walkers", "ms a macroupdate", "ms an analysis", "pairs a second", "moves over one core", "moves and energies over one core"), rows,
        "Of all walkers. Published (K20): 418 ms a macroupdate at N = 40960, as we read it of all 13 walkers over 13. Over one core: how often\n"
        "faster than one core of this host's CPU; with energies: an analysis every two macroupdates, g(r) and S(k) included.",
    )  # fmt: skip


def spacing(w: Workshop, p: Profile) -> None:
    """Time and squared error against m at a fixed number of macroupdates M. With kappa = t_analysis / t_macroupdate and
    tau = tau_int(m = 1) - 1/2, time ~ M (1 + kappa / m), and error^2 time ~ (1 + 2 tau / m) (kappa + m) / m for large tau."""
    results = {}
    for m in (1, 2, 4, 8, 16, 40):
        analyses = p.macroupdates // m // 4
        results[m] = w.run(f"{p.spacing} --blocks 4 --analyses {analyses} --macroupdates {m}")
    first, last = results[1], results[40]
    move = (40 * last.seconds - first.seconds) / 39
    kappa, tau = first.seconds / move - 1, first.tau["E"] - 0.5
    rows = []
    for m, r in results.items():
        time = move * (1 + kappa / m)
        measured = (r.error["E"] / first.error["E"]) ** 2 * r.seconds / first.seconds
        theory = (1 + 2 * tau / m) * (kappa + m) / ((1 + 2 * tau) * (kappa + 1))
        masked = (1 + 2 * tau / m) * max(kappa, m) / ((1 + 2 * tau) * max(kappa, 1))
        rows.append((m, r.seconds, time, r.tau["E"], measured, theory, masked))
    columns = ("m", "seconds", "from kappa", "tau_int of E", "error^2 time", "theory", "theory, masked")
    best = math.sqrt(2 * max(tau, 0) * max(kappa, 0))
    w.table(
        "Analyses every m macroupdates", "macroupdates", columns, rows,
        f"kappa = {kappa:.3g}, tau = {tau:.3g}: the best m is {best:.3g}. Last columns relative to m = 1.",
    )  # fmt: skip


def analysts(w: Workshop, p: Profile) -> None:
    """The time against m, by who analyses: Fig. 3 of the paper. Without masking it is M t_move + M / m t_analysis; the analyses of
    the host are then from the times at m = 1 and at m = 100. Masked, it is the larger of the two."""
    if w.device == "cpu":
        return
    total, spacings, rows = 400, (1, 2, 4, 8, 16, 40, 100), []
    who = ("device", "masked", "masked-shape", "host")
    times = {
        m: [w.run(f"{p.spacing} --warm-up 0 --blocks 1 --analyses {total // m} --macroupdates {m} --analyse {name}").seconds for name in who]
        for m in spacings
    }
    analysis = (times[1][-1] - times[100][-1]) / (total - total // 100)
    move = (times[100][-1] - total // 100 * analysis) / (total // 100 * 100)
    for m, found in times.items():
        analyses = total // m
        rows.append((m, *found, max(analyses * m * move, analyses * analysis)))
        # Masked: the larger of both, and a start; so at most twice as fast as one after the other.
        w.claim(found[1] < 1.3 * rows[-1][-1] and found[1] < 1.05 * found[-1], f"masked, m = {m}: {found[1]:.3g} s")
    w.table(
        "Who analyses", "analysts", ("m", "device: s", "masked: s", "masked-shape: s", "host: s", "masked, theory: s"), rows,
        f"`{p.spacing}`, {total} macroupdates of {1e3 * move:.3g} ms; an analysis by the host takes {1e3 * analysis:.3g} ms, "
        f"kappa = {analysis / move:.3g}. device: all on the GPU. masked: the host has all analyses while the kernel stays; masked-shape: "
        "the kernel has the energies, and the host g(r) and S(k). host: one after the other.",
    )  # fmt: skip


def amdahl(w: Workshop, _: Profile) -> None:
    """Fig. 1 of the paper: the acceleration A on P processors. The host has the share c of the work, the GPU the serial share s and the
    parallel share p. A is 1 / (c + s + p/P) if they wait for each other, and 1 / max(c, s + p/P) if the host's work is masked.
    It needs no run."""
    c = s = 0.01
    p = 1 - c - s
    rows = [(P, 1 / (c + s + p / P), 1 / max(c, s + p / P)) for P in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000)]
    w.table(
        "The law of Amdahl", "amdahl", ("P", "synchronous", "masked"), rows,
        f"A share of {c} on the host, another of {s} is serial on the GPU, and the rest is P times as fast. Masked, at most twice as fast.",
    )  # fmt: skip
    w.claim(all(masked <= 2 * synchronous for _, synchronous, masked in rows), "masking gains more than a factor of 2")


def independent(w: Workshop, p: Profile) -> None:
    """Ours against loop.py, which shares nothing with it, by a process for each of its walkers. Its errors have 8 degrees of freedom at
    least: a deviation beyond 8 of them has a probability below 1e-4."""
    rows = []
    for atoms, walkers, blocks, analyses in p.independent:
        edge = 8.2 if atoms == 3 else (atoms / 0.02186) ** (1 / 3)
        ours = w.run(f"--atoms {atoms} --edge {edge!r} --warm-up 200 --blocks 10 --analyses {5 * analyses} --macroupdates 1")
        with concurrent.futures.ProcessPoolExecutor() as pool:
            made = [pool.submit(simulate, atoms, edge, blocks, analyses, seed) for seed in range(walkers)]
            means = [done.result() for done in made]
        for name in ("E", "V", "T", "T1", "T2", "acceptance"):
            mean = sum(found[name][0] for found in means) / walkers
            error = math.sqrt(sum(found[name][1] ** 2 for found in means)) / walkers
            z = (ours.mean[name] - mean) / math.hypot(error, ours.error[name])
            rows.append((atoms, name, ours.text(name), f"{mean:.4g} +- {error:.2g}", f"{z:.1f}"))
            w.claim(abs(z) < 8, f"N = {atoms}: {name} = {ours.text(name)}, loop.py has {mean:.4g} +- {error:.2g}")
    w.table("An independent program", "", ("N", "quantity", "ours", "loop.py", "deviation in errors"), rows)


def variation(w: Workshop, p: Profile) -> None:
    """E against b, and the minimum of the parabola through all."""
    atoms, walkers, analyses = p.errors[0]
    rows, points = [], []
    for b in (2.95, 3.01, 3.07, 3.13, 3.19):
        r = w.run(f"--atoms {atoms} --walkers {walkers} --jastrow-b {b} --warm-up 200 --blocks 4 --analyses {analyses // 4}")
        rows.append((b, r.text("E"), r.text("V"), r.text("T")))
        points.append((b - 3.07, r.mean["E"]))
    # Five equidistant points: orthogonal polynomials.
    values = [e for _, e in points]
    slope = sum(k * e for k, e in zip((-2, -1, 0, 1, 2), values)) / 10
    curvature = sum(k * e for k, e in zip((2, -1, -2, -1, 2), values)) / 14
    best = 3.07 - 0.06 * slope / (2 * curvature) if curvature > 0 else math.nan
    w.table("E against b", "", ("b/A", "E/K", "V/K", "T/K"), rows, f"N = {atoms}. The minimum is at b = {best:.3f} A; published 3.07 A.")
    w.claim(2.95 < best < 3.19, f"the minimum of E is at b = {best:.3f}")


def planted(w: Workshop, _: Profile) -> None:
    """Faults in plain_helium.c."""
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda fault: seen_by(fault, w.folder), FAULTS))
    for fault, seen in zip(FAULTS, found):
        rows.append((fault.name, ", ".join(seen) or "nothing"))
        w.claim((fault.name == "none") == (not seen), f"planted fault: {fault.name}: seen by {seen}")
    w.table("Planted faults", "", ("fault", "seen by (errors)"), rows)


PARTS = {
    "sample": sample, "oracles": oracles, "variation": variation, "independent": independent,
    "spacing": spacing, "analysts": analysts, "amdahl": amdahl, "sizes": sizes, "planted": planted,
}  # fmt: skip


def choose_device(asked: str) -> str:
    """cuda where there is a GPU and the program can use it."""
    if asked != "auto":
        return asked
    found = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
    return "cuda" if found and b"built without CUDA" not in Path(PROGRAM).read_bytes() else "cpu"


def name_of_gpus(device: str) -> str:
    """The names of the GPUs, each once, in brackets."""
    if device == "cpu":
        return ""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return " (" + "; ".join(dict.fromkeys(done.stdout.splitlines())) + ")"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    name = setting("helium.py", "PROFILE", "small", "small|full", "small or full")
    device = setting("helium.py", "DEVICE", "auto", r"auto|cpu|cuda(:\d+(,\d+)*)?", "auto, cpu, cuda, cuda:N or cuda:0,1")
    some = "|".join(PARTS)
    asked = setting("helium.py", "PARTS", "all", rf"all|({some})(,({some}))*", "all, or some of " + ", ".join(PARTS))
    profile, folder = PROFILES[name], Path("build/helium") / name
    folder.mkdir(parents=True, exist_ok=True)
    w = Workshop(folder, choose_device(device))
    w.run("--atoms 64 --walkers 1 --blocks 1 --analyses 1")  # wakes the device
    for part in PARTS if asked == "all" else asked.split(","):
        w.make(part, lambda make=PARTS[part]: make(w, profile))
    failures = w.collect(name)
    data = (folder / "helium.dat").read_text()
    draw(folder, "helium", [picture for picture in PICTURES if f"# {picture}\n" in data])
    print("\n".join(failures) or folder / "helium.md")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
