#!/usr/bin/env python3
"""The same bits everywhere, at scale; `make identity` calls it. Settings of the environment:

CASES=200   engines against each other, case by case of a random grid (build/identity)
SETS=24     then the whole program: the data files of random sets of options, byte for byte;
            24 sets have every p in every mode, and both codings; and a quarter as many sets of graphs
SEED=...    of the grid and the sets, a decimal number of up to 18 digits; default: a new one, printed
DEVICE=...  cuda or cuda:N, held against the CPU; cpu: one thread against all; default: cuda, or
            without a GPU, after a line that says so, cpu

Status 1 if anything differs, or a planted fault is missed; 2 if a value is not allowed."""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from environment import begin, setting  # noqa: E402
from graphs import draw_graph_set  # noqa: E402

PROGRAM = "build/paising"
HARNESS = "build/identity"
# What the controls spoil: two runs and the reweighted file, in an instant.
CONTROL_OPTIONS = "-L 16 -R 50 -t 1 -d 0.125 -f 0.5 -M 2 -m".split()


@dataclass(frozen=True)
class Settings:
    """What the environment says. device: "" is the default."""

    cases: str  # build/identity checks it
    sets: int
    seed: str
    device: str

    def words(self) -> str:
        """How to repeat it."""
        words = f"SEED={self.seed} CASES={self.cases} SETS={self.sets}"
        return words + (f" DEVICE={self.device}" if self.device else "")


def read_settings() -> Settings:
    """All of them."""
    return Settings(
        cases=os.environ.get("CASES") or "200",
        sets=int(setting("identity", "SETS", "24", r"\d{1,6}", "0 to 999999")),
        seed=setting("identity", "SEED", str(secrets.randbits(32)), r"\d{1,18}", "a decimal number of up to 18 digits"),
        device=setting("identity", "DEVICE", "", r"|cpu|cuda|cuda:\d{1,4}", "cpu, cuda, cuda:N"),
    )


def all_threads() -> int:
    """As many as there are cores, but at least two, so that they can be held against one."""
    return max(2, len(os.sched_getaffinity(0)))


# --- two sides ---


@dataclass(frozen=True)
class Side:
    """One side of the comparison: the program on a device, and its threads if not all (0)."""

    device: str
    threads: int = 0

    def text(self) -> str:
        """As a person would type it."""
        threads = f"OMP_NUM_THREADS={self.threads} " if self.threads else ""
        return f"{threads}{PROGRAM} -D {self.device}"

    def run(self, options: Sequence[str], folder: Path) -> Outcome:
        """Runs the program into a folder, which is made anew."""
        shutil.rmtree(folder, ignore_errors=True)
        threads = {"OMP_NUM_THREADS": str(self.threads)} if self.threads else {}
        done = subprocess.run(
            [PROGRAM, "-D", self.device, *options, "-o", str(folder), "--force"],
            env={**os.environ, **threads},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        return Outcome(done.returncode, done.stderr.decode(errors="replace"), data_files(folder))


@dataclass(frozen=True)
class Outcome:
    """What a run leaves: status, messages, and the data files by name."""

    status: int
    messages: str
    files: dict[str, bytes]


def data_files(folder: Path) -> dict[str, bytes]:
    """The data files of a folder; a run that fails leaves none."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "run.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def difference_of_files(one: dict[str, bytes], other: dict[str, bytes]) -> Optional[str]:
    """The first difference between two folders' files."""
    if one.keys() != other.keys():
        return f"other files: {' '.join(one)} against {' '.join(other)}"
    for name in one:
        if one[name] != other[name]:
            same = len(os.path.commonprefix([one[name], other[name]]))
            line = one[name].count(b"\n", 0, same) + 1
            return f"{name}: other bytes from byte {same + 1} on, in line {line}"
    return None


BEGINNING = re.compile(r"^paising: .*: -.* -s \d+ -P \d")  # the line of the device and the options
PATIENCE = re.compile(r"^paising: warning: after \d+ steps no walker of window ")  # said after seconds, which no two devices share


def sorted_lines(messages: str) -> list[str]:
    """Samples side by side say what they have to say in any order; each side names its device, and one may be slow."""
    return sorted(line for line in messages.splitlines() if not (BEGINNING.match(line) or PATIENCE.match(line)))


def difference(one: Outcome, other: Outcome) -> Optional[str]:
    """The first difference between what two runs left."""
    if one.status != other.status:
        return f"status: {one.status} against {other.status}"
    if sorted_lines(one.messages) != sorted_lines(other.messages):
        return f"messages: {one.messages.strip()} against {other.messages.strip()}"
    return difference_of_files(one.files, other.files)


def choose_sides(device: str, scratch: Path) -> tuple[Side, Side, str]:
    """The two sides; and if they are the CPU's because no GPU can be used, why not."""
    skipped = ""
    if not device:
        tried = Side("cuda").run("-L 16 -R 1 -t 1 -f 0".split(), scratch / "there")
        if tried.status != 0:
            device, skipped = "cpu", tried.messages.strip() or f"status {tried.status}"
    if device == "cpu":
        return Side("cpu", 1), Side("cpu", all_threads()), skipped
    return Side("cpu"), Side(device or "cuda"), skipped


# --- the comparison ---


def compare_engines(settings: Settings) -> int:
    """Takes engines through the grid of cases. Returns the status of build/identity."""
    command = [HARNESS, "--cases", settings.cases, "--seed", settings.seed]
    if settings.device == "cpu":
        command += ["--devices", f"cpu:1,cpu:{all_threads()}"]
    elif settings.device:
        command += ["--devices", f"cpu,{settings.device}"]
    return subprocess.run(command, check=False).returncode


def draw_sets(settings: Settings, scratch: Path) -> list[str]:
    """The sets of options; files of graphs are in scratch."""
    command = [HARNESS, "--options", str(settings.sets), "--seed", settings.seed]
    drawn = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    dice = random.Random(int(settings.seed))
    graphs = [draw_graph_set(dice, scratch / f"graph{n}") for n in range((settings.sets + 3) // 4)]
    return drawn.stdout.splitlines() + graphs


def spoil(file: Path) -> None:
    """Changes a digit of the last line: the last one that is not 9 becomes 9."""
    text = file.read_bytes()
    last = text.rstrip(b"\n").rfind(b"\n") + 1
    file.write_bytes(text[:last] + re.sub(rb"(.*)[0-8]", rb"\g<1>9", text[last:], count=1))


def finds_planted_faults(side: Side, scratch: Path) -> bool:
    """Negative controls: one digit of one file changed, and a file missing, for each file. A copy with
    nothing changed must be the same."""
    folder, spoilt = scratch / "one", scratch / "spoilt"
    files = side.run(CONTROL_OPTIONS, folder).files
    found = bool(files)
    for name in files:
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(folder, spoilt)
        found &= difference_of_files(files, data_files(spoilt)) is None
        spoil(spoilt / name)
        found &= difference_of_files(files, data_files(spoilt)) is not None
        (spoilt / name).unlink()
        found &= difference_of_files(files, data_files(spoilt)) is not None
    return found


def compare_programs(settings: Settings, scratch: Path) -> bool:
    """Runs the whole program on both sides. Returns whether all is the same, and no control missed."""
    one, other, skipped = choose_sides(settings.device, scratch)
    versus = f"{one.text()} against {other.text()}"
    print(f"\n# the whole program, seed {settings.seed}: {versus}")
    if skipped:
        print(f"# SKIP: CUDA against CPU: {skipped}")
    found = finds_planted_faults(one, scratch)
    print(f"# controls: a changed digit and a missing file are {'found' if found else 'MISSED'}")
    same = files = different = 0
    print("# set result status files options", flush=True)
    for n, options in enumerate(draw_sets(settings, scratch)):
        left = one.run(options.split(), scratch / "one")
        what = difference(left, other.run(options.split(), scratch / "other"))
        result = "DIFFERENT" if what else "same"
        print(f"{n:5} {result:<9} {left.status} {len(left.files):2}   {options}", flush=True)
        if what:
            different += 1
            print(f"# {what}")
        else:
            same += 1
            files += len(left.files)
    print(f"# repeat: make identity {settings.words()}")
    skip = "SKIP: CUDA against CPU; " if skipped else ""
    print(f"# {skip}{versus}: {same} sets of options the same ({files} files), {different} different")
    return found and different == 0


def main() -> int:
    """Compares the engines, then the program. Returns the exit status."""
    begin(__doc__ or "")
    os.chdir(Path(__file__).resolve().parents[2])
    settings = read_settings()
    engines = compare_engines(settings)
    if engines == 2:
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        programs = compare_programs(settings, Path(scratch))
    return 0 if engines == 0 and programs else 1


if __name__ == "__main__":
    sys.exit(main())
