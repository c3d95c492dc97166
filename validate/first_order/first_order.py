#!/usr/bin/env python3
"""Methods at first-order transitions: population annealing, parallel tempering, flat histograms and microcanonical annealing of q-state
Potts models on L x L, at the same time. `make first-order` calls it. Settings of the environment:

PROFILE=small    q = 5, 8, 10, 20 in some minutes on two cores (default), full: larger lattices for a GPU, or brief: q = 10 and 20 in a minute
Q=5,8            only these q, by default all of the profile; the page has what earlier calls found of the others, too
DEVICE=cpu       cpu, cuda or cuda:N
JOBS=2           runs at a time on a CPU
SECONDS=90       no run begins behind so many seconds; the next call makes those that are missing
SEED=0           is added to the seeds of all runs, which are 1, 2, ... and of the reference 101, 102, ...

Each run has the same time: of the processor on a CPU, where it has one thread, and of the clock on a GPU, from where its device is ready. Pilots
find how much of a method that is. The repetitions of a method give the standard deviation of a run and the root mean square of its deviations from
a reference. The reference is the mean of four runs that are to take four times the time: of Wang-Landau on a CPU, and multicanonical on a GPU.
Wang-Landau would leave a GPU idle, since its weights change after each block of attempts. No run is shorter than the first pilot: the page has the times.

Three quantities are compared. betaF/N at beta_t = ln(1 + sqrt q), where the infinite lattice has a known value f, and a lattice with q + 1 phases
f - ln(q + 1) / N. The latent heat that the peak of C gives, 2 sqrt(C / N) / beta. The interface tension 2 sigma = ln(P_max / P_min) / L
where the two peaks of P(E) are equally high, for methods that have P(E). Borgs and Janke's value is that of the infinite lattice, with
sigma in units of 1 / beta. Baxter's latent heat is compared with the difference of the two phases' mean energies at beta_t, divided at
the middle between them.

Results go to build/first_order/PROFILE: first_order.md, and runs_Q.json with all runs, which no later call makes again. Status 1 if a run failed,
or a mean of the reference deviates from what is exactly known for q = 20; 2 if a value is not allowed; 3 if runs are missing."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import read_table  # noqa: E402
from environment import setting  # noqa: E402

PROGRAM = "build/paising"
STEPS = 800  # of the grid of temperatures, up to beta_t
REPRESENTATIVE = 0.6  # of the time that is wanted, which the last pilot has at least
SAME = 2.0  # errors of the logarithm of a ratio of deviations, within which methods are not told apart
FALSE_ALARM_Z = 5.0  # of the two checks of the reference, with 3 degrees of freedom added to its own error


@dataclass(frozen=True)
class Profile:
    """What is simulated."""

    edges: dict[int, int]  # q: L
    seconds: float
    repetitions: int


PROFILES = {
    "brief": Profile({10: 12, 20: 12}, 0.5, 6),
    "small": Profile({5: 12, 8: 12, 10: 12, 20: 12}, 4, 6),
    "full": Profile({20: 16, 10: 24, 5: 24, 8: 32}, 0.8, 5),
}
QUANTITIES = {"betaF/N": "betaF/N at beta_t", "heat": "latent heat from the peak of C", "tension": "interface tension"}


# --- what is exactly known ---


def theta(q: int) -> float:
    return math.acosh(math.sqrt(q) / 2)


def beta_t(q: int) -> float:
    return math.log(1 + math.sqrt(q))


def phase_energies(q: int) -> tuple[float, float]:
    """e_o and e_d of the infinite lattice (R. J. Baxter, J. Phys. C 6, L445, 1973)."""
    product = math.prod(math.tanh(n * theta(q)) ** 2 for n in range(1, 4000))
    heat = 2 * (1 + 1 / math.sqrt(q)) * math.tanh(theta(q) / 2) * product
    middle = -(1 + 1 / math.sqrt(q))
    return middle - heat / 2, middle + heat / 2


def latent_heat(q: int) -> float:
    ordered, disordered = phase_energies(q)
    return disordered - ordered


def free_energy(q: int) -> float:
    """betaF/N of the infinite lattice at beta_t (the same source)."""
    x = theta(q)
    return -(math.log(q) / 2 + x + 2 * sum(math.exp(-n * x) * math.tanh(n * x) / n for n in range(1, 4000)))


def interface_tension(q: int) -> float:
    """2 sigma, the inverse correlation length of the disordered phase (C. Borgs, W. Janke, J. Phys. I France 2, 2011, 1992; E.
    Buffenoir, S. Wallon, J. Phys. A 26, 3045, 1993)."""
    total, n = 0.0, 0
    while (x := (n + 0.5) * math.pi**2 / theta(q)) < 300:
        w = 1 / (math.sqrt(2) * math.cosh(x))
        total, n = total + math.log((1 + w) / (1 - w)), n + 1
    return 4 * total


# --- runs ---


@dataclass(frozen=True)
class Method:
    """How a method is run; `dial` stands for what its time is proportional to."""

    name: str
    options: str
    least: int  # the dial of the first pilot
    results: str


def temperatures(q: int, edge: int) -> list[float]:
    """Of tempering: so close that neighbours exchange at any L, closest around beta_t, which is one."""
    fine = max(1, edge // 12)
    hot = [0.9 * beta_t(q) * k / (12 * fine) for k in range(12 * fine)]
    return hot + [beta_t(q) * (0.9 + 0.01 * k / fine) for k in range(16 * fine)]


def methods(q: int, edge: int, folder: Path, device: str) -> list[Method]:
    """Those that are compared, and last the one of the reference, if it is no other."""
    step, first, last = beta_t(q) / STEPS, 0.95 * beta_t(q), 1.05 * beta_t(q)
    lattice = f"--model potts2d --states {q} -L {edge} "
    near = f"-b {first!r} -f {last!r} -d {step!r} "
    chains = folder / f"betas_{q}"
    chains.write_text("".join(f"{beta!r}\n" for beta in temperatures(q, edge)))
    annealing = f"{lattice}-b {first!r} -f {last!r} -d {0.12 / edge!r} -m{step!r} --update heat-bath -t 5 -R DIAL"
    tempering = f"{lattice}--method tempering --betas {chains} -m{step!r} --update heat-bath --thermalisation 200 --measurements DIAL "
    flat = f"{lattice}{near}--method multicanonical --divergence 0.2 --measurements DIAL "
    microcanonical = f"{lattice}{near}--method microcanonical --cull 0.5 -t 15 -M 1 -R DIAL"
    if device == "cpu":
        landau = f"{lattice}{near}--method wang-landau -R 16 -t 20 --last-ln-f 1e-4 --thermalisation 20 --measurements DIAL"
        return [
            Method("annealing", annealing, 50, "PA_MHR_results_run_0.dat"),
            Method("tempering", tempering + "-t 2 -R 1", 1000, "MC_MHR_results.dat"),
            Method("multicanonical", flat + "-R 16 -t 20 --thermalisation 5 --iteration-length 20", 32, "FH_results.dat"),
            Method("microcanonical", microcanonical, 50, "MA_results.dat"),
            Method("wang-landau", landau, 32, "FH_results.dat"),
        ]
    windows = edge // 2  # in which iterations are few, and walkers cross from one phase to the other by exchanges
    return [
        Method("annealing", annealing, 2000, "PA_MHR_results_run_0.dat"),
        Method("tempering", tempering + "-t 20 -R 16", 200, "MC_MHR_results.dat"),
        Method("microcanonical", microcanonical, 1000, "MA_results.dat"),
        Method("multicanonical", flat + f"-R {8192 // windows} --windows {windows} -t 20 --thermalisation 2 --iteration-length 10", 32, "FH_results.dat"),
    ]


@dataclass(frozen=True)
class Outcome:
    seconds: float
    values: dict[str, float]  # of QUANTITIES, and `phases`: the difference of the phases' mean energies


class OutOfTime(Exception):
    """Runs are missing that were not begun."""


class Study:
    """Runs of a q, all of which are in a file, so that each is made once."""

    def __init__(self, q: int, edge: int, device: str, jobs: int, seed: int, runs: Path, until: float) -> None:
        self.q, self.edge, self.device, self.jobs, self.seed, self.runs, self.until = q, edge, device, jobs, seed, runs, until
        self.lock = threading.Lock()
        there = json.loads(runs.read_text()) if runs.exists() else {}
        self.made = {command: Outcome(**run) for command, run in there.items()}

    def keep(self, command: str, outcome: Outcome) -> None:
        with self.lock:
            self.made[command] = outcome
            beside = self.runs.with_suffix(".new")
            beside.write_text(json.dumps({command: asdict(run) for command, run in self.made.items()}, indent=0))
            beside.replace(self.runs)

    def run(self, method: Method, dial: int, seed: int) -> Outcome:
        words = [*method.options.replace("DIAL", str(dial)).split(), "-D", self.device, "-s", str(self.seed + seed), "-P", "15"]
        command = " ".join(words)
        if command not in self.made:
            if time.monotonic() > self.until:
                raise OutOfTime
            self.keep(command, self.simulate(method, words))
        return self.made[command]

    def simulate(self, method: Method, words: Sequence[str]) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="first-order-") as name:
            folder = Path(name) / "result"
            process = subprocess.Popen(
                [PROGRAM, *words, "-o", str(folder), "--quiet"],
                env={**os.environ, **({"OMP_NUM_THREADS": "1"} if self.device == "cpu" else {})},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise RuntimeError(f"status {process.returncode}: {' '.join(words)}")
            clock = json.loads((folder / "run.json").read_text())["seconds"]["total"]
            return Outcome(usage.ru_utime if self.device == "cpu" else clock, self.values(method, folder))

    def values(self, method: Method, folder: Path) -> dict[str, float]:
        _, table = read_table(folder / method.results)
        near = [k for k, beta in enumerate(table["beta"]) if abs(beta / beta_t(self.q) - 1) < 0.045]
        there = min(near, key=lambda k: abs(table["beta"][k] - beta_t(self.q)))
        beta, c = peak([table["beta"][k] for k in near], [table["C"][k] for k in near])
        entropy = entropy_of(self.q, self.edge, folder)
        return {
            "betaF/N": table["betaF/N"][there],
            "heat": 2 * math.sqrt(c) / self.edge / beta,
            "tension": tension(self.q, self.edge, entropy),
            "phases": difference_of_phases(self.q, self.edge, entropy),
        }

    def dials(self, method: Method, seconds: float, longer: int) -> tuple[int, int]:
        """What takes that time, and so many times that time, by a straight line through the last two pilots."""
        some, more = method.least, 4 * method.least
        short, long = (self.run(method, dial, 1).seconds for dial in (some, more))
        each = max(long - short, 0.1 * long) / (more - some)
        while long < REPRESENTATIVE * seconds:
            some, short, more = more, long, min(8 * more, round(more + (seconds - long) / each))
            long = self.run(method, more, 1).seconds
            each = max(long - short, 0.1 * long) / (more - some)
        return tuple(max(method.least, round(more + (time - long) / each)) for time in (seconds, longer * seconds))

    def repeat(self, method: Method, dial: int, seeds: Sequence[int]) -> list[Outcome]:
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda seed: self.run(method, dial, seed), seeds))


def peak(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """The maximum of a parabola through the logarithms of the highest point and its two neighbours; xs have equal distances. The highest point
    itself where it is the first or the last one: a parabola would lead away from all points."""
    k = max(range(len(ys)), key=ys.__getitem__)
    if k in (0, len(ys) - 1):
        return xs[k], ys[k]
    before, here, behind = (math.log(y) for y in ys[k - 1 : k + 2])
    curvature = before - 2 * here + behind
    shift = (before - behind) / curvature / 2 if curvature < 0 else 0.0
    return xs[k] + shift * (xs[k + 1] - xs[k]), math.exp(here - curvature * shift * shift / 2)


# --- from entropies to the two phases ---


def entropy_of(q: int, edge: int, folder: Path) -> dict[int, float]:
    """ln of the number of states of each energy, up to a constant; of a single chain from its energies at beta_t; of others empty."""
    sites = edge * edge
    if (folder / "FH_density.dat").exists():
        _, table = read_table(folder / "FH_density.dat")
        return {round(e): x for e, x in zip(table["E"], table["ln_g"])}
    if (folder / "MA_entropy.dat").exists():
        _, table = read_table(folder / "MA_entropy.dat")
        return {round(e * sites): x for e, x in zip(table["e"], table["lng"])}
    series = folder / "MC_series.dat"
    if not series.exists() or "# population 1\n" not in series.read_text():
        return {}
    _, table = read_table(series)
    counts: dict[int, int] = {}
    for beta, e in zip(table["beta"], table["e"]):
        if abs(beta - beta_t(q)) < 1e-9:
            counts[round(e * sites)] = counts.get(round(e * sites), 0) + 1
    return {e: math.log(n) + beta_t(q) * e for e, n in counts.items()}


def smooth(entropy: dict[int, float], beta: float) -> dict[int, float]:
    """ln P(E), up to a constant: means of five energies."""
    line = {e: s - beta * e for e, s in entropy.items()}
    return {e: sum(line[k] for k in range(e - 2, e + 3)) / 5 for e in line if all(k in line for k in range(e - 2, e + 3))}


def peaks(q: int, edge: int, line: dict[int, float]) -> tuple[float, float, float]:
    """ln P at the ordered peak, at the disordered one, and at the lowest point between the two."""
    ordered, disordered = phase_energies(q)
    middle = (ordered + disordered) / 2 * edge * edge
    left, right = [e for e in line if e <= middle], [e for e in line if e > middle]
    if not left or not right:
        return math.nan, math.nan, math.nan
    top, other = max(left, key=line.__getitem__), max(right, key=line.__getitem__)
    valley = min((e for e in line if top <= e <= other), key=line.__getitem__)
    return line[top], line[other], line[valley]


def tension(q: int, edge: int, entropy: dict[int, float]) -> float:
    """2 sigma where the peaks are equally high; nan where a peak or an energy between them is missing."""
    low, high = 0.9 * beta_t(q), 1.1 * beta_t(q)
    for _ in range(50):
        beta = (low + high) / 2
        a, b, valley = peaks(q, edge, smooth(entropy, beta))
        if math.isnan(a):
            return math.nan
        low, high = (low, beta) if a > b else (beta, high)
    return (max(a, b) - valley) / edge


def difference_of_phases(q: int, edge: int, entropy: dict[int, float]) -> float:
    ordered, disordered = phase_energies(q)
    middle = (ordered + disordered) / 2 * edge * edge
    line = {e: s - beta_t(q) * e for e, s in entropy.items()}
    means = []
    for side in ([e for e in line if e <= middle], [e for e in line if e > middle]):
        if not side:
            return math.nan
        top = max(line[e] for e in side)
        weight = [math.exp(line[e] - top) for e in side]
        means.append(sum(w * e for w, e in zip(weight, side)) / sum(weight) / edge / edge)
    return means[1] - means[0]


# --- the page ---


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of a single one."""
    middle = mean(values)
    return math.sqrt(sum((x - middle) ** 2 for x in values) / (len(values) - 1))


def with_error(value: float, error: float) -> str:
    return f"{value:.5f} ± {error:.5f}" if not math.isnan(value) else "none"


@dataclass(frozen=True)
class Compared:
    """A method at one q."""

    method: str
    seconds: float
    mean: dict[str, float]
    spread: dict[str, float]  # standard deviation of a run
    off: dict[str, float]  # root mean square deviation from the reference
    runs: int


def compare(method: str, outcomes: list[Outcome], reference: dict[str, float]) -> Compared:
    values = {name: [o.values[name] for o in outcomes] for name in reference}
    return Compared(
        method,
        mean([o.seconds for o in outcomes]),
        {name: mean(x) for name, x in values.items()},
        {name: deviation(x) for name, x in values.items()},
        {name: math.sqrt(mean([(v - reference[name]) ** 2 for v in x])) for name, x in values.items()},
        len(outcomes),
    )


def at_time(r: Compared, name: str, seconds: float) -> float:
    """The deviation that a run of that time would have, if it falls with the square root of the time."""
    return r.off[name] * math.sqrt(r.seconds / seconds)


def verdict(q: int, rows: list[Compared], seconds: float) -> list[str]:
    """The best method of each quantity at that time, and those that are not told apart from it; how much further off the others are."""
    lines = []
    for name, meaning in QUANTITIES.items():
        off = {r.method: at_time(r, name, seconds) for r in rows if not math.isnan(r.off[name])}
        if not off:
            continue
        best = min(off, key=off.__getitem__)
        relative = math.sqrt(1 / rows[0].runs)  # of a ratio of two root mean squares
        others = ", ".join(f"{m} {x / off[best]:.1f} ± {x / off[best] * relative:.1f}" for m, x in off.items() if m != best)
        close = [m for m, x in off.items() if m != best and math.log(x / off[best]) <= SAME * relative]
        first = f"{best} is best" if not close else f"{' and '.join([best, *close])} are best, within their errors"
        lines.append(f"- q = {q}, {meaning}: {first}; times the least deviation, {best}'s: {others}.")
    return lines


def table_of(q: int, edge: int, rows: list[Compared], reference: dict[str, tuple[float, float]], seconds: float) -> list[str]:
    """`seconds` of each of the four runs of the reference, whose mean has half their standard deviation as its error."""
    sites = edge * edge
    lines = [f"## q = {q}, L = {edge}", ""]
    lines += ["| | betaF/N at beta_t | latent heat, peak of C | latent heat, two phases | 2 sigma |", "|---|---|---|---|---|"]
    lines.append(
        f"| infinite lattice | {free_energy(q):.5f}, less ln(q + 1) / N: {free_energy(q) - math.log(q + 1) / sites:.5f} | {latent_heat(q):.5f} "
        f"| {latent_heat(q):.5f} | {interface_tension(q):.5f} |"
    )
    names = ("betaF/N", "heat", "phases", "tension")
    lines.append("| reference | " + " | ".join(with_error(*reference[name]) for name in names) + " |")
    for r in rows:
        lines.append(f"| {r.method} | " + " | ".join(with_error(r.mean[n], r.spread[n] / math.sqrt(r.runs)) for n in names) + " |")
    lines += ["", "| a run of | seconds | " + " | ".join(f"{n}: sd, off" for n in QUANTITIES) + " |", "|---|---|---|---|---|"]
    lines.append(f"| reference | {seconds:.2f} | " + " | ".join(f"{2 * reference[n][1]:.5f}" for n in QUANTITIES) + " |")
    for r in rows:
        lines.append(
            f"| {r.method} | {r.seconds:.2f} | "
            + " | ".join(f"{r.spread[n]:.5f}, {r.off[n]:.5f}" if not math.isnan(r.off[n]) else "none" for n in QUANTITIES)
            + " |"
        )
    return [*lines, ""]


def check_reference(q: int, edge: int, reference: dict[str, tuple[float, float]]) -> list[str]:
    """At q = 20 the correlation length is 2.7: betaF/N of L = 12 is that of q + 1 phases, within what two runs of the page resolve."""
    if q != 20:
        return []
    expected = free_energy(q) - math.log(q + 1) / edge**2
    value, error = reference["betaF/N"]
    return [f"q = {q}: betaF/N {value:.6f}, {expected:.6f} was expected"] if abs(value - expected) > FALSE_ALARM_Z * error + 1e-4 else []


@dataclass(frozen=True)
class Found:
    """What was measured of one q."""

    q: int
    edge: int
    reference: dict[str, tuple[float, float]]  # value and error
    reference_seconds: float  # of a run
    rows: list[Compared]


def study_of(study: Study, profile: Profile, folder: Path) -> Found:
    """Makes the runs that are missing; raises OutOfTime if some are then."""
    q, edge, seconds = study.q, study.edge, profile.seconds
    entrants = methods(q, edge, folder, study.device)
    outcomes = study.repeat(entrants[-1], study.dials(entrants[-1], seconds, 4)[1], range(101, 105))
    names = (*QUANTITIES, "phases")
    reference = {n: (mean([o.values[n] for o in outcomes]), deviation([o.values[n] for o in outcomes]) / 2) for n in names}
    rows = []
    for method in entrants:
        found = study.repeat(method, study.dials(method, seconds, 4)[0], range(1, profile.repetitions + 1))
        rows.append(compare(method.name, found, {n: value for n, (value, _) in reference.items()}))
    return Found(q, edge, reference, mean([o.seconds for o in outcomes]), rows)


def page_of(profile: Profile, device: str, there: list[Found]) -> str:
    time, reference = ("of a processor", "Wang-Landau") if device == "cpu" else ("on a GPU", "multicanonical")
    page = [
        "# Methods at first-order transitions of Potts models",
        "",
        f"{profile.repetitions} runs of about {profile.seconds:g} seconds {time} each. `sd` is the standard deviation of a run, `off` the root "
        f"mean square of its deviations from the reference, four {reference} runs that are to take four times as long; their times are in the "
        "tables. The verdict takes `off` times the square root of the time that a run had over that aim, and so is fair to statistical errors "
        "alone. Methods whose deviations differ by less than 2 "
        "errors of their ratio's logarithm are not told apart. Exact tensions are of the infinite lattice; the correlation length at beta_t is "
        "2512 for q = 5, 23.9 for 8, 10.6 for 10 and 2.7 for 20 (Buffenoir and Wallon).",
        "",
        "## Verdict",
        "",
    ]
    page += [line for f in there for line in verdict(f.q, f.rows, profile.seconds)] + [""]
    page += [line for f in there for line in table_of(f.q, f.edge, f.rows, f.reference, f.reference_seconds)]
    return "\n".join(page).rstrip() + "\n"


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    name = setting("first_order.py", "PROFILE", "small", "|".join(PROFILES), ", ".join(PROFILES))
    device = setting("first_order.py", "DEVICE", "cpu", "cpu|cuda(:[0-9]+)?", "cpu, cuda or cuda:N")
    chosen = setting("first_order.py", "Q", "5,8,10,20", "(5|8|10|20)(,(5|8|10|20))*", "some of 5, 8, 10, 20 with commas between them")
    jobs = int(setting("first_order.py", "JOBS", "2", "[1-9][0-9]?", "1 to 99")) if device == "cpu" else 1
    seed = int(setting("first_order.py", "SEED", "0", r"\d{1,9}", "a number of up to 9 digits"))
    until = time.monotonic() + int(setting("first_order.py", "SECONDS", "999999", r"[1-9]\d{0,5}", "a number from 1"))
    profile, folder = PROFILES[name], Path("build/first_order") / name
    folder.mkdir(parents=True, exist_ok=True)
    there, missing = [], []
    for q, edge in profile.edges.items():
        wanted = str(q) in chosen.split(",")
        study = Study(q, edge, device, jobs, seed, folder / f"runs_{q}.json", until if wanted else 0.0)
        try:
            there.append(study_of(study, profile, folder))
        except OutOfTime:
            missing += [f"q = {q}: runs are missing, {len(study.made)} were made; the next call goes on"] if wanted else []
    (folder / "first_order.md").write_text(page_of(profile, device, there))
    wrong = [line for f in there for line in check_reference(f.q, f.edge, f.reference)]
    print(*missing, folder / "first_order.md", sep="\n")
    for line in wrong:
        print(f"wrong: {line}", file=sys.stderr)
    return 1 if wrong else 3 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
