#!/usr/bin/env python3
"""Lowest energies of the glass in three dimensions, J = +1 or -1. The page has e0(L) beside the literature, numbers of
states beside exact ones, and public instances beside the energies published with them. It says which runs are in doubt
and which are wrong. `make ground-states` calls this program. Settings of the environment:

PROFILE=small    L = 4 to 8 on a CPU (default), full: L = 4 to 14 for a GPU, or brief: L = 4 for a trial
DEVICE=auto      auto, cpu, cuda or cuda:N
SAMPLES=K        of each size at most, for a trial
INSTANCES=DIR    a folder of instances with a file energies.txt: a line `NAME ENERGY [OPTION ...]` for each, with the options
                 of the program that its lattice needs; none without it
MINUTES=M        the most time for each instance, 1 without it
PARTS=all        some of them: energies,states,judged,peers,instances

Results go to build/ground/PROFILE: a folder of samples for each size, ground.dat for the picture e0.png, and ground.md, the
tables. Status 1 if something failed, a number of states is not the exact one, runs are wrong without a warning, or an energy is above the published one; 2 if a
value is not allowed."""

from __future__ import annotations

import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from environment import begin, setting  # noqa: E402
from pictures import draw  # noqa: E402

PROGRAM, EXACT = "build/paising", "build/exact"
# e0(L) of Pal, Physica A 223, 283 (1996), and its limit of Hartmann, Europhys. Lett. 40, 429 (1997): a recollection, not
# looked up. Those samples have their bonds at random, or as many of either sign.
LITERATURE = {
    4: (-1.73749, 0.00008),
    6: (-1.77130, 0.00012),
    8: (-1.77991, 0.00022),
    10: (-1.78339, 0.00027),
    12: (-1.78407, 0.00121),
    14: (-1.78653, 0.00310),
}
LIMIT = "-1.7876(3)"
SIGMAS = 5  # of a mean of z-scores: 6e-7


@dataclass(frozen=True)
class Size:
    """What is simulated of one size."""

    edge: int
    samples: int
    population: int
    sweeps: int


PROFILES = {
    "brief": (Size(4, 40, 400, 4),),
    "small": (Size(4, 1000, 500, 10), Size(6, 300, 2000, 10), Size(8, 60, 8000, 10)),
    "full": (
        Size(4, 10000, 2000, 10),
        Size(6, 4000, 10000, 10),
        Size(8, 2000, 50000, 20),
        Size(10, 500, 200000, 20),
        Size(12, 200, 500000, 30),
        Size(14, 50, 1000000, 50),
    ),
}
# Samples whose runs are judged, by --model, L and how many; and what is run of each: R, theta, and the last beta.
JUDGED = {
    "brief": (("glass3d", 4, 2),),
    "small": (("glass3d", 6, 4), ("glass3d", 8, 2)),
    "full": (("glass3d", 4, 4), ("glass3d", 6, 8), ("glass3d", 8, 6), ("glass2d", 16, 4), ("glass3d", 10, 6), ("glass3d", 12, 2)),
}
KINDS = {"brief": ((500, 3),), "small": ((500, 10), (2000, 10)), "full": ((500, 3), (500, 10), (2000, 10), (6000, 10))}
BETAS = (0.8, 1, 1.5, 2, 3)
LONG = {"brief": "-R 2000 -t 10 -f 3", "small": "-R 10000 -t 30 -f 3", "full": "-R 20000 -t 50 -f 3"}
STATES = {"brief": 0, "small": 3, "full": 20}  # samples of L = 4 whose states are counted
STATE_RUNS = 16


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    profile: str
    device: str
    most: int
    instances: Optional[Path]
    minutes: float
    parts: list[str]

    @property
    def folder(self) -> Path:
        return Path("build/ground") / self.profile


def read_settings() -> Settings:
    """All of them; one that is not allowed ends the program."""
    instances = os.environ.get("INSTANCES")
    names = "|".join(PARTS)
    wanted = setting("ground", "PARTS", "all", rf"all|(?:{names})(?:,(?:{names}))*", f"all, or some of {', '.join(PARTS)}")
    return Settings(
        profile=setting("ground", "PROFILE", "small", "|".join(PROFILES), ", ".join(PROFILES)),
        device=setting("ground", "DEVICE", "auto", r"auto|cpu|cuda|cuda:\d{1,4}", "auto, cpu, cuda, cuda:N"),
        most=int(setting("ground", "SAMPLES", "1000000", r"[1-9]\d{0,5}|1000000", "a number from 1")),
        instances=Path(instances) if instances else None,
        minutes=float(setting("ground", "MINUTES", "1", r"\d+(\.\d+)?", "a number")),
        parts=list(PARTS) if wanted == "all" else wanted.split(","),
    )


def run(settings: Settings, words: str, folder: Path, more: Sequence[str] = ()) -> str:
    """Runs the program. Returns what it says on stdout."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [PROGRAM, "-D", settings.device, *words.split(), *more, "-o", str(folder)]
    print(" ".join(command), flush=True)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# --- e0(L) ---


@dataclass(frozen=True)
class Energy:
    """The lowest energy per spin of samples of one size."""

    edge: int
    samples: int
    doubtful: int
    mean: float
    error: float
    seconds: float


def lowest_energy(text: str) -> float:
    """What PA_ground_state_run_K.dat says of a run."""
    return float(re.search(r"^# lowest energy of the run: (\S+)$", text, re.MULTILINE)[1])


def measure(size: Size, settings: Settings) -> Energy:
    """Makes the samples of a size that are not there yet."""
    folder = settings.folder / f"L{size.edge}"
    samples = min(size.samples, settings.most)
    begin = time.monotonic()
    run(
        settings,
        f"--model glass3d -L {size.edge} -R {size.population} -t {size.sweeps} -d 0.05 -f 3 --disorder {size.edge} "
        f"-s {size.edge} --samples {samples}",
        folder,
    )
    seconds = time.monotonic() - begin
    files = sorted(folder.glob("sample_*/PA_ground_state_run_0.dat"))[:samples]
    texts = [file.read_text() for file in files]
    energies = [lowest_energy(text) / size.edge**3 for text in texts]
    error = statistics.stdev(energies) / math.sqrt(len(energies)) if len(energies) > 1 else math.nan
    doubtful = sum("\n# warning: " in text for text in texts)
    return Energy(size.edge, len(energies), doubtful, statistics.mean(energies), error, seconds)


def energy_table(measured: Sequence[Energy]) -> list[str]:
    """Beside the literature."""
    lines = ["| L | samples | in doubt | e0 | literature | seconds |", "|---|---|---|---|---|---|"]
    for m in measured:
        known = LITERATURE.get(m.edge)
        beside = f"{known[0]} +- {known[1]:.5f}" if known else ""
        lines.append(
            f"| {m.edge} | {m.samples} | {m.doubtful} | {m.mean:.5f} +- {m.error:.5f} | {beside} | {m.seconds:.0f} |"
        )
    return [*lines, f"| infinite | | | | {LIMIT} | |"]


# --- runs in doubt ---


@dataclass(frozen=True)
class Judged:
    """A run: the start of its warning, or "none"; and whether a lower energy is known."""

    warning: str
    wrong: bool


def judge(texts: Sequence[str]) -> list[Judged]:
    """The runs of a sample, by their PA_ground_state_run_K.dat. The lowest energy is that of all of them."""
    lowest = min(map(lowest_energy, texts))
    found = []
    for text in texts:
        last = float(re.search(r"^# lowest energy at the last temperature: (\S+)$", text, re.MULTILINE)[1])
        warning = re.search(r"^# warning: (too few families|too warm|a lower energy)", text, re.MULTILINE)
        found.append(Judged(warning[1] if warning else "none", last > lowest))
    return found


def judge_sample(model: str, edge: int, disorder: int, settings: Settings) -> list[Judged]:
    """Three runs of each kind, and a long one, which is not among the runs that are returned."""
    folder = settings.folder / "judged"
    sample = f"--model {model} -L {edge} --disorder {disorder} -d 0.05 --force"
    texts = []
    kinds = [f"-R {r} -t {t} -f {f} -M 3 -s {r + t}" for r, t in KINDS[settings.profile] for f in BETAS]
    for words in [f"{LONG[settings.profile]} -s 99", *kinds]:
        run(settings, f"{sample} {words}", folder)
        texts += [file.read_text() for file in sorted(folder.glob("PA_ground_state_run_*.dat"))]
    return judge(texts)[1:]


def judged_table(runs: Sequence[Judged]) -> list[str]:
    lines = ["| warning | runs | of these wrong |", "|---|---|---|"]
    for warning in ("none", "too few families", "too warm", "a lower energy"):
        of = [r for r in runs if r.warning == warning]
        lines.append(f"| {warning} | {len(of)} | {sum(r.wrong for r in of)} |")
    return lines


def judged_wrong(runs: Sequence[Judged]) -> list[str]:
    """More than one silent wrong run in a hundred."""
    silent = [r for r in runs if r.warning == "none"]
    wrong = sum(r.wrong for r in silent)
    return [f"{wrong} of {len(silent)} runs without a warning are wrong"] if 100 * wrong > len(silent) else []


# --- numbers of states ---


def exact_states(sample: int) -> tuple[int, int]:
    """The lowest energy of a sample of 4 x 4 x 4, and its number of states."""
    words = f"--model glass3d -L 4 --disorder 4 --sample {sample} --states"
    said = subprocess.run([EXACT, *words.split()], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines() if not line.startswith("#")]
    return int(rows[0][0]), int(rows[0][1])


@dataclass(frozen=True)
class States:
    """The z-scores of ln g of a sample."""

    sample: int
    exact: int
    mean: float
    scores: list[float]
    lowest: bool


def count_states(sample: int, settings: Settings) -> States:
    """From the free energies of independent runs."""
    folder = settings.folder / f"states_{sample}"
    run(
        settings,
        f"--model glass3d -L 4 --disorder 4 --sample {sample} -s {sample} -R 3000 -t 5 -d 0.05 -f 1.5 -M {STATE_RUNS} --force",
        folder,
    )
    energy, number = exact_states(sample)
    texts = [file.read_text() for file in sorted(folder.glob("PA_ground_state_run_*.dat"))]
    found = [re.search(r"flips among them: (\S+) \+- (\S+)$", text, re.MULTILINE) for text in texts]
    values = [(float(f[1]), float(f[2])) for f in found]
    return States(
        sample,
        number,
        math.exp(statistics.mean(value for value, _ in values)),
        [(value - math.log(number)) / error for value, error in values],
        all(lowest_energy(text) == energy for text in texts),
    )


def states_table(counted: Sequence[States]) -> list[str]:
    lines = ["| sample of 4 x 4 x 4 | states, exact | by free energy | mean of z | rms of z |", "|---|---|---|---|---|"]
    for c in counted:
        rms = math.sqrt(statistics.mean(z * z for z in c.scores))
        lines.append(f"| {c.sample} | {c.exact} | {c.mean:.2f} | {statistics.mean(c.scores):.2f} | {rms:.2f} |")
    return lines


def states_wrong(counted: Sequence[States]) -> list[str]:
    """What is wrong with the numbers of states."""
    wrong = [f"sample {c.sample}: a run missed the lowest energy" for c in counted if not c.lowest]
    scores = [z for c in counted for z in c.scores]
    if scores and abs(statistics.mean(scores)) * math.sqrt(len(scores)) > SIGMAS:
        wrong.append(f"numbers of states: the mean of {len(scores)} z-scores is {statistics.mean(scores):.2f}")
    return wrong


# --- instances ---


@dataclass(frozen=True)
class Instance:
    """A file, the energy that is published with it, and the options that it needs."""

    name: str
    energy: float
    options: tuple[str, ...]


def read_instances(folder: Path) -> list[Instance]:
    lines = [line.split() for line in (folder / "energies.txt").read_text().splitlines()]
    return [Instance(w[0], float(w[1]), tuple(w[2:])) for w in lines if len(w) > 1 and not w[0].startswith("#")]


@dataclass(frozen=True)
class Solved:
    """What a search found: `ground_states` of its run.json, and with which runs; reason: why there was none."""

    instance: Instance
    found: dict[str, Optional[float]]
    reason: str = ""
    seconds: float = 0
    flips: float = 0
    runs: str = ""


def read_search(instance: Instance, folder: Path) -> Solved:
    """The result of a search."""
    said = json.loads((folder / "run.json").read_text())
    lines = (folder / "PA_ground_states.dat").read_text().splitlines()
    last = [line for line in lines if line and not line.startswith("#")][-1].split()
    return Solved(
        instance,
        said["ground_states"],
        seconds=said["seconds"]["total"],
        flips=said["spin_flips"],
        runs=f"-R {last[1]} -t {last[2]} -f {last[3]}",
    )


def solve(instance: Instance, settings: Settings) -> Solved:
    assert settings.instances is not None
    file = settings.instances / instance.name
    words = f"--ground-states --time-limit {60 * settings.minutes:g}s --force"
    model = instance.options or ("--graph", str(file))
    bonds = ("--couplings", str(file)) if instance.options else ()
    try:
        folder = settings.folder / f"instance_{instance.name}"
        run(settings, words, folder, (*model, *bonds))
        return read_search(instance, folder)
    except subprocess.CalledProcessError as failed:
        return Solved(instance, {}, failed.stderr.strip().splitlines()[-1])


def seconds_text(x: Optional[float]) -> str:
    return "not known" if x is None else f"{x:.3g}"


def instance_table(solved: Sequence[Solved]) -> list[str]:
    """A row for each. Time to solution: of runs one after the other, in a round of so many side by side."""
    lines = [
        "| instance | published | lowest seen | runs that have it | probability to miss | time to solution (99%), s | error "
        "| seconds of the search | flips | its runs |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for s in solved:
        f = s.found
        cells = (
            [f"{f['lowest_energy']:.0f}", f"{f['hits']} of {f['runs']}"]
            + [f"{seconds_text(f['missed_least'])} to {seconds_text(f['missed_most'])}"]
            + [seconds_text(f["solution_seconds"]), seconds_text(f["solution_error"])]
            + [f"{s.seconds:.1f}", f"{s.flips:.3g}", f"`{s.runs}`"]
            if f
            else [f"SKIP: {s.reason}", *[""] * 7]
        )
        lines.append(f"| {s.instance.name} | {s.instance.energy:.0f} | " + " | ".join(cells) + " |")
    return lines


def instances_wrong(solved: Sequence[Solved]) -> list[str]:
    return [
        f"{s.instance.name}: {s.found['lowest_energy']:.0f} is above {s.instance.energy:.0f}"
        for s in solved
        if s.found and s.found["lowest_energy"] > s.instance.energy
    ]


# --- peers ---


def peer_bonds(folder: Path) -> dict[tuple[int, int], int]:
    """The bonds of PA_couplings.dat of a cubic lattice, by the numbers of their sites."""
    lines = [line for line in (folder / "PA_couplings.dat").read_text().splitlines()]
    edge = int(next(line.split()[2] for line in lines if line.startswith("# size ")))
    bonds = {}
    for line in lines:
        if line.startswith("#"):
            continue
        x, y, z, direction, j = map(int, line.split())
        to = [x, y, z]
        to[direction] = (to[direction] + 1) % edge
        bonds[(z * edge + y) * edge + x, (to[2] * edge + to[1]) * edge + to[0]] = j
    return bonds


def time_of_dwave(bonds: dict[tuple[int, int], int], lowest: float) -> Optional[tuple[float, int, int]]:
    """Simulated annealing of dwave-samplers: time to solution (99%), hits and reads; None where it is not installed."""
    try:
        from dwave.samplers import SimulatedAnnealingSampler  # type: ignore[import-not-found]
    except ImportError:
        return None
    reads = 200
    begin = time.monotonic()
    answer = SimulatedAnnealingSampler().sample_ising(
        {}, {sites: -j for sites, j in bonds.items()}, num_reads=reads, num_sweeps=1000, seed=1
    )
    each = (time.monotonic() - begin) / reads
    hits = sum(energy <= lowest + 0.5 for energy in answer.record.energy)
    missed = 1 - hits / reads
    if hits == 0:
        return math.inf, 0, reads
    return (each if missed <= 0.01 else each * math.log(0.01) / math.log(missed)), hits, reads


def peer_table(settings: Settings) -> list[str]:
    """The same sample with this program and with others that are installed."""
    edge = 4 if settings.profile == "brief" else 6 if settings.profile == "small" else 8
    folder = settings.folder / "peers"
    words = f"--model glass3d -L {edge} --disorder 9 -R 256 -t 50 -d 0.05 -f 1.5 -M 4 --ground-states"
    run(settings, f"{words} --miss-width {0.4 if settings.profile == 'brief' else 0.2} --time-limit 20s --force", folder)
    own = json.loads((folder / "run.json").read_text())["ground_states"]
    lines = [f"| program, sample of L = {edge} | hits | time to solution (99%), s |", "|---|---|---|"]
    lines.append(f"| paising | {own['hits']} of {own['runs']} | {seconds_text(own['solution_seconds'])} |")
    peer = time_of_dwave(peer_bonds(folder), own["lowest_energy"])
    if peer is None:
        lines.append("| dwave-samplers | SKIP: not installed | |")
    else:
        lines.append(f"| dwave-samplers, 1000 sweeps, one core | {peer[1]} of {peer[2]} | {peer[0]:.3g} |")
    return lines


# --- parts ---

Part = tuple[list[str], list[str]]  # the lines of its table, and what is wrong


def energies(settings: Settings) -> Part:
    measured = [measure(size, settings) for size in PROFILES[settings.profile]]
    rows = [f"{1 / m.edge**3:.8g} {m.mean:.8g} {m.error:.3g}" for m in measured]
    known = [f"{1 / edge**3:.8g} {e} {error}" for edge, (e, error) in LITERATURE.items()]
    (settings.folder / "ground.dat").write_text(
        "\n".join(["# 1/L^3 e0 error", "# measured", *rows, "", "", "# literature", *known]) + "\n"
    )
    return energy_table(measured), []


def states(settings: Settings) -> Part:
    counted = [count_states(sample, settings) for sample in range(STATES[settings.profile])]
    return states_table(counted), states_wrong(counted)


def judgements(settings: Settings) -> Part:
    judged = [
        r
        for model, edge, samples in JUDGED[settings.profile]
        for disorder in range(1, samples + 1)
        for r in judge_sample(model, edge, disorder, settings)
    ]
    return judged_table(judged), judged_wrong(judged)


def peers(settings: Settings) -> Part:
    return peer_table(settings), []


def instances(settings: Settings) -> Part:
    if settings.instances is None:
        return [], []
    solved = [solve(instance, settings) for instance in read_instances(settings.instances)]
    return instance_table(solved), instances_wrong(solved)


PARTS = {"energies": energies, "states": states, "judged": judgements, "peers": peers, "instances": instances}


def write_part(settings: Settings, name: str, table: Sequence[str]) -> None:
    """Its table, and ground.md: those of all parts that are there, also of an earlier command."""
    tables = settings.folder / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    (tables / name).write_text("\n".join(table))
    texts = [(tables / part).read_text() for part in PARTS if (tables / part).exists()]
    (settings.folder / "ground.md").write_text("\n\n".join(text for text in texts if text) + "\n")


def main() -> int:
    begin(__doc__ or "")
    settings = read_settings()
    if settings.instances is not None:
        settings = Settings(**{**vars(settings), "instances": settings.instances.resolve()})
    os.chdir(Path(__file__).resolve().parents[2])
    wrong: list[str] = []
    try:
        for name in settings.parts:
            table, found = PARTS[name](settings)
            wrong += found
            write_part(settings, name, table)
    except subprocess.CalledProcessError as failed:
        print(f"ground: status {failed.returncode}: {failed.stderr}", file=sys.stderr)
        return 1
    print((settings.folder / "ground.md").read_text())
    if (settings.folder / "tables/energies").exists():
        draw(settings.folder, "ground", ("e0",))
    for line in wrong:
        print(f"ground: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
