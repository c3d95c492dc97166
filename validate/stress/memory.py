#!/usr/bin/env python3
"""Every allocation of the program fails once: for each set of options the n-th call for memory, n = 1, 2, ...

    memory.py [--all] [--only SET] [--build BUILD]

--all: each call of each set. Without it, the last call of each place in the program (the frames above the call) that no
earlier set of the same kind has had, and nothing is run again. Claimed of each run:
  - it ends by itself, with status 0, 1 or 2;
  - with status 0 it leaves the data files of the run without a fault, and prints the same;
  - else one to five lines on stderr say what failed, and each data file is whole: one that was there before, or
    one whose rows are the first ones of the run without a fault;
  - rows are not lost: the failure of a later call leaves no fewer of them;
  - nothing hidden is left but what a line on stderr names;
  - what the set says is kept stays, byte for byte, and where it says so the same command then comes to the same end.
The controls: results that break these claims are found.
One line a set: ok, or FAIL with each broken claim. Status 1 if a set failed."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import rows_of  # noqa: E402
from results import is_whole  # noqa: E402

MOST_SECONDS = 60
MOST_CALLS = 5000
MOST_SHOWN = 20
COUNTING = f"malloc:{MOST_CALLS}"
# The allocator of a sanitized program is to stand behind the one that fails.
SANITIZER = ["gcc", "-print-file-name=libasan.so"]
BEHIND = ":" + subprocess.check_output(SANITIZER, text=True).strip() if os.environ.get("SANITIZED") else ""
PRELOAD = "{}/fault.so" + BEHIND
# Files that say how long something took.
TIMED = {"run.json", "ck"}
# Files whose rows a missing run changes.
OF_SAMPLES = {"PA_disorder_averages.dat", "PA_disorder_overlap.dat", "PA_samples.dat"}
AVERAGES = {"PA_results_weighted.dat", "PA_MHR_results_weighted.dat", "PA_overlap_weighted.dat"} | OF_SAMPLES
FERROMAGNET = "-D cpu -L 16 -R 64 -t 1 -d 0.125 -f 0.5 -o r"
GLASS = "-D cpu --model glass3d -L 4 -R 64 -t 1 -d 0.5 -o r"
FLAT_GLASS = "-D cpu --model glass2d -c ssc -L 4 -R 64 -t 1 -d 0.5 -o r"
CHECKPOINTS = "--checkpoint ck --checkpoint-every 2"
Files = dict[str, bytes]


@dataclass(frozen=True)
class OptionSet:
    """A command line, and what stands in its folder before."""

    kind: str  # sets of one kind take the same ways
    options: str
    prepare: Callable[[Attack], None] = lambda attack: None
    keeps: str = ""  # files that stay as they are: a pattern of paths
    again: bool = False  # the same command goes on with what is there
    timed: bool = False  # stdout may be another: it has times, or a result that cannot be read is made again
    status: int = 0  # without a fault


# --- what stands in a folder before ---


def with_files(attack: Attack) -> None:
    """Files that options name."""
    attack.work.joinpath("betas").write_text("0\n0.25\n0.5\n")
    attack.work.joinpath("sweeps").write_text("0 1\n0.25 2\n")
    attack.work.joinpath("relaxation").write_text("0 1\n0.5 2\n")


def with_couplings(attack: Attack) -> None:
    attack.ends(0, FLAT_GLASS.replace("-o r", "-o glass"))
    shutil.move(attack.work / "glass" / "PA_couplings.dat", attack.work / "couplings")
    shutil.rmtree(attack.work / "glass")


def with_older(attack: Attack) -> None:
    attack.ends(0, f"{FERROMAGNET} -s 5")


def interrupted(options: str) -> Callable[[Attack], None]:
    """A run that a signal has ended behind its first checkpoint."""

    def prepare(attack: Attack) -> None:
        attack.stops(f"{options} {CHECKPOINTS}", "fsync", "SIGTERM", "ck")

    return prepare


def killed_at_its_end(attack: Attack) -> None:
    """A result that waits for its place."""
    attack.stops(GLASS, "rename", "SIGKILL", "r/.paising.new/run.json")


def with_samples(attack: Attack) -> None:
    """One of the samples is whole, one was cut off."""
    attack.ends(0, f"{GLASS} --samples 2")
    os.truncate(attack.work / "r" / "sample_0001" / "PA_overlap_run_0.dat", 1000)
    for name in ("run.json", *OF_SAMPLES):
        (attack.work / "r" / name).unlink()


def with_all_samples(attack: Attack) -> None:
    attack.ends(0, f"{GLASS} --samples 3")
    for name in ("run.json", *OF_SAMPLES):
        (attack.work / "r" / name).unlink()


SETS = {
    "msc": OptionSet("ferromagnet", FERROMAGNET),
    "runs, analysis": OptionSet("ferromagnet", f"{FERROMAGNET} -c ssc -M 3 -m"),
    "runs in flight": OptionSet("ferromagnet", f"{FERROMAGNET} -M 3 --in-flight 2 -m"),
    "cubic": OptionSet("ferromagnet", "-D cpu --model cubic -L 4 -R 64 -t 1 -d 0.25 -f 0.5 -o r"),
    "adaptive steps": OptionSet("ferromagnet", "-D cpu -L 16 -R 200 -t 1 -a 0.7 -f 0.3 -g lcg -o r"),
    "energy step, adaptive sweeps": OptionSet(
        "ferromagnet", "-D cpu -L 16 -R 200 -t 4 --energy-step 2 -f 0.3 --adaptive-sweeps 0.5 -o r"
    ),
    "betas, sweeps": OptionSet(
        "ferromagnet",
        "-D cpu -c ssc -L 8 -R 64 --betas betas --sweeps-file sweeps --resampling systematic -o r",
        with_files,
    ),
    "relaxation": OptionSet(
        "ferromagnet",
        "-D cpu -L 16 -R 64 -t 2 -d 0.25 -f 0.5 --relaxation relaxation --resampling poisson -g shared -o r",
        with_files,
    ),
    "named folder": OptionSet("ferromagnet", "-D cpu -L 16 -R 64 -t 1 -d 0.25 -f 0.5 --resampling multinomial"),
    "--force": OptionSet("ferromagnet", f"{FERROMAGNET} --force", with_older),
    "checkpoint": OptionSet("ferromagnet", f"{FERROMAGNET} -M 2 {CHECKPOINTS}"),
    "resume": OptionSet(
        "resume", "-D cpu --resume ck", interrupted(f"{FERROMAGNET} -M 3 -m"), again=True
    ),
    "glass": OptionSet("glass", GLASS),
    "flat glass, runs, analysis": OptionSet("glass", f"{FLAT_GLASS} -M 3 -m"),
    "glasses in flight": OptionSet("glass", f"{GLASS} -M 3 --in-flight 2"),
    "couplings": OptionSet(
        "glass", "-D cpu --model glass2d -c ssc -L 4 -R 64 -t 1 -a 0.5 --couplings couplings -o r", with_couplings
    ),
    "glass, resume": OptionSet("resume", "-D cpu --resume ck", interrupted(f"{GLASS} -M 2"), again=True),
    "glass that was killed": OptionSet("glass", GLASS, killed_at_its_end, again=True, timed=True, status=2),
    "samples": OptionSet("samples", f"{GLASS} --samples 3", again=True),
    "samples, runs, analysis": OptionSet("samples", f"{FLAT_GLASS} -M 2 -m --samples 3 --in-flight 2", again=True),
    "samples go on": OptionSet("samples", f"{GLASS} --samples 3", with_samples, "r/sample_0000/*", True),
    "samples are there": OptionSet("samples", f"{GLASS} --samples 3", with_all_samples, "r/sample_*/*", True),
    "tempering": OptionSet(
        "ferromagnet",
        "-D cpu --method tempering -L 16 -R 32 -t 1 -d 0.1 -f 0.4 --thermalisation 2 --measurements 4 -o r",
    ),
    "--dry-run": OptionSet("plans", f"{GLASS} --dry-run", timed=True),
    "--dry-run --like": OptionSet("plans", "-L 64 --dry-run --like nvidia-h200", timed=True),
    "--plan": OptionSet("plans", "-D cpu -L 16 -f 0.5 --plan 0.1s", timed=True),
    "--help": OptionSet("plans", "--help"),
    "--manual": OptionSet("plans", "--manual"),
}


# --- runs ---


@dataclass(frozen=True)
class Ended:
    status: int
    told: bytes
    said: str


@dataclass
class Attack:
    """Runs with a set of options, each in the folder `work`."""

    build: Path
    folder: Path
    wrong: list[str] = field(default_factory=list)
    most_rows: int = 0  # that a failure has left so far

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def run(self, options: str, fault: str = "") -> Ended:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(self.work / "tmp")}
        if fault:
            environment |= {
                "FAULT": fault,
                "FAULT_PLACES": str(self.folder / "places") if fault == COUNTING else "",
                "LD_PRELOAD": PRELOAD.format(self.build),
                "ASAN_OPTIONS": "verify_asan_link_order=0",
            }
        done = subprocess.run(
            [self.build / "paising", *options.split()],
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        return Ended(done.returncode, done.stdout, BEGINS.sub("", done.stderr.decode(errors="replace")))

    def ends(self, status: int, options: str, fault: str = "") -> Ended:
        """The same, of what must end so."""
        ended = self.run(options, fault)
        if ended.status != status:
            sys.exit(f"paising {options}: status {ended.status}\n{ended.said}")
        return ended

    def stops(self, options: str, kind: str, signal_name: str, left: str) -> None:
        """Runs it to a call of a kind where a signal leaves that file."""
        for number in range(1, MOST_CALLS):
            shutil.rmtree(self.work)
            self.work.mkdir()
            self.work.joinpath("tmp").mkdir()
            ended = self.run(options, f"{kind}:{number}:{signal_name}")
            if ended.status == 0:
                sys.exit(f"paising {options}: no {kind} leaves {left}")
            if (self.work / left).exists():
                return

    def files(self) -> Files:
        """What stands in `work`, but for what differs between identical results."""
        return {
            path.relative_to(self.work).as_posix(): b"" if path.name in TIMED else path.read_bytes()
            for path in self.work.rglob("*")
            if path.is_file()
        }

    def claim(self, holds: object, what: str) -> None:
        if not holds:
            self.wrong.append(what)


def rows_in(files: Files) -> int:
    return sum(
        len(rows_of(path, data)) for path, data in files.items() if re.search(r"PA_results_run_\d+\.dat$", path)
    )


# The line of the device and the options, by which work begins.
BEGINS = re.compile(r"^paising: .*: -.* -s [0-9]+ -P [0-9].*\n", re.MULTILINE)
HIDDEN = re.compile(r"((?:[^/.][^/]*/)*\.[^/]+)")


def is_left(path: str, said: str) -> bool:
    """Whether a path leads through a hidden name, which no line on stderr names."""
    hidden = HIDDEN.match(path)
    return hidden is not None and hidden[1] not in said


def is_beginning(path: str, data: bytes, whole: Files) -> bool:
    """Whether a data file is the first part of one that the run without a fault writes."""
    name = Path(path).name
    if name in AVERAGES:
        return True
    rows = rows_of(name, data)
    return any(
        Path(other).name == name and rows_of(name, expected)[: len(rows)] == rows for other, expected in whole.items()
    )


def claim_rows(attack: Attack, options: OptionSet, ended: Ended, new: Files) -> None:
    """A sample that cannot begin ends those behind it: of samples only what became of those that were made is known."""
    made = re.search(r"sample (\d+), .*(averages|ground states|overlaps|analys[ie]s)", ended.said)
    if made:
        rows = rows_in({path: data for path, data in new.items() if f"sample_{int(made[1]):04}" in path})
        attack.claim(rows > 0, f"no rows of sample {made[1]} are left")
    elif options.kind != "samples":
        rows = rows_in(new)
        attack.claim(rows >= attack.most_rows, f"{rows} rows are left, and an earlier failure left {attack.most_rows}")
        attack.most_rows = max(rows, attack.most_rows)


def judge_failure(attack: Attack, options: OptionSet, ended: Ended, before: Files, whole: Files) -> None:
    files = attack.files()
    attack.claim(0 < len(ended.said.splitlines()) <= 5, f"{len(ended.said.splitlines())} lines on stderr")
    for path, data in files.items():
        attack.claim(path in before or not is_left(path, ended.said), f"left: {path}")
        if not HIDDEN.match(path) and path.endswith(".dat") and before.get(path) != data:
            attack.claim(is_whole(data), f"not whole: {path}")
            attack.claim(is_beginning(path, data, whole), f"other rows: {path}")
    claim_rows(attack, options, ended, {path: data for path, data in files.items() if before.get(path) != data})
    for path, data in before.items():
        attack.claim(not fnmatch(path, options.keeps) or files.get(path) == data, f"not kept: {path}")


def judge(attack: Attack, options: OptionSet, ended: Ended, before: Files, whole: Files, told: bytes) -> None:
    attack.claim(ended.status in (0, 1, 2), f"status {ended.status}")
    stays = {path: data for path, data in attack.files().items() if not HIDDEN.match(path) or is_left(path, ended.said)}
    same = stays == whole
    if ended.status == 0 or (ended.status == options.status and same):
        attack.claim(same, "status 0, and other files")
        attack.claim(options.timed or ended.told == told, "status 0, and another stdout")
        return
    judge_failure(attack, options, ended, before, whole)
    if options.again and ended.status in (1, 2):
        again = attack.run(options.options)
        attack.claim(again.status == options.status, f"the same command again: status {again.status}: {again.said}")
        missing = [path for path, data in whole.items() if attack.files().get(path) != data]
        attack.claim(not missing, f"the same command again: other files: {missing}")


# --- sets ---


def renew(attack: Attack, start: Path) -> None:
    shutil.rmtree(attack.work, ignore_errors=True)
    shutil.copytree(start, attack.work)


def calls_to_fail(attack: Attack, all_calls: bool, seen: set[str]) -> list[int]:
    """The numbers of the calls that are to fail. `seen`: the places that need no more of them."""
    places = attack.folder.joinpath("places").read_text().split()
    numbers = range(1, len(places) + 1)
    if all_calls:
        return list(numbers)
    last = dict(zip(places, numbers))
    new = last.keys() - seen
    seen |= new
    return sorted(last[place] for place in new)


def attack_set(attack: Attack, options: OptionSet, all_calls: bool, seen: set[str]) -> int:
    """Returns how many calls failed."""
    start = attack.folder / "start"
    attack.work.mkdir(parents=True)
    attack.work.joinpath("tmp").mkdir()
    options.prepare(attack)
    before = attack.files()
    shutil.copytree(attack.work, start)
    options = options if all_calls else replace(options, again=False)
    told = attack.ends(options.status, options.options, COUNTING).told
    whole = attack.files()
    numbers = calls_to_fail(attack, all_calls, seen)
    for number in numbers:
        renew(attack, start)
        known = len(attack.wrong)
        ended = attack.run(options.options, f"malloc:{number}")
        judge(attack, options, ended, before, whole, told)
        said = "; ".join(line for line in ended.said.splitlines() if not line.endswith("would help"))
        attack.wrong[known:] = [f"malloc:{number}: {what}: {said}" for what in attack.wrong[known:]]
    return len(numbers)


def controls(build: Path, folder: Path) -> list[str]:
    """The results that break a claim, and are not found."""
    options = SETS["glass"]
    attack = Attack(build, folder)
    attack_set(attack, options, False, set())
    renew(attack, folder / "start")
    told = attack.ends(0, options.options).told
    whole = attack.files()
    results = attack.work / "r" / "PA_results_run_0.dat"
    complete = results.read_bytes()

    def spoilt(status: int, data: bytes, hidden: str = "") -> bool:
        attack.wrong, attack.most_rows = [], rows_in(whole)
        results.write_bytes(data)
        if hidden:
            attack.work.joinpath(hidden).touch()
        judge(attack, options, Ended(status, told, "paising: memory\n"), {}, whole, told)
        return bool(attack.wrong)

    return [
        name
        for name, found in {
            "(a sound result)": not spoilt(0, complete) and not spoilt(1, complete),
            "a signal": spoilt(-11, complete),
            "status 0 without a row": spoilt(0, complete[:-100]),
            "rows that are lost": spoilt(1, b"# crc32 00000000\n"),
            "a file that is not whole": spoilt(1, complete[:-1]),
            "a hidden file": spoilt(1, complete, "r/.hidden"),
        }.items()
        if not found
    ]


def verdict(name: str, what: str, wrong: list[str]) -> int:
    print(f"{'FAIL' if wrong else 'ok  '} {name}: {what}", *wrong[:MOST_SHOWN], sep="\n     ", flush=True)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", choices=SETS, metavar="SET")
    parser.add_argument("--build", type=Path, default=Path("build"))
    asked = parser.parse_args()
    build = asked.build.resolve()
    failed = 0
    seen: dict[str, set[str]] = {}
    sets = {asked.only: SETS[asked.only]} if asked.only else SETS
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, options) in enumerate(sets.items()):
            attack = Attack(build, Path(scratch) / str(number))
            calls = attack_set(attack, options, asked.all, seen.setdefault(options.kind, set()))
            failed += verdict(name, f"{calls} calls for memory failing", attack.wrong)
        failed += verdict("controls", "what breaks a claim is found", controls(build, Path(scratch) / "controls"))
    print(f"{len(sets) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
