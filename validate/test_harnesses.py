#!/usr/bin/env python3
"""The commands behind `make glass`, `ground-states`, `inflation`, `study`, `identity` and `rng`, with small parameters: each
ends with status 0 and leaves its tables and pictures, so that none breaks unseen.

    test_harnesses.py BUILD [NAME...]    from the top folder; BUILD: the folder of what was built

They run in a copy of validate/ and plots/ with links to the programs, so that results of theirs in BUILD stay as they
are. Without gnuplot there are no pictures, and a SKIP line. One line a case: ok or FAIL. The last line counts:
N passed, N failed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "validate/command"))

from cases import report  # noqa: E402

LINES_SHOWN = 12
SETTINGS = ("BATTERY", "CASES", "CURVES", "DEVICE", "FIGURES", "INSTANCES", "LOGS", "MINUTES", "PARTS", "PROFILE", "RUNS", "SAMPLES", "SEED", "SEEDS", "SETS")


@dataclass(frozen=True)
class Harness:
    """A command, its settings of the environment, and where it leaves tables by these names; and pictures."""

    command: str
    settings: str = ""
    folder: str = ""
    tables: str = ""
    pictures: str = ""  # plots/THIS_*.gp
    interrupted: str = ""  # a part of it that ended too early, with status 3: it must go on with that

    def run(self, place: Path) -> list[str]:
        """What is wrong, if anything."""
        if self.interrupted:
            (place / self.folder / "ssc").mkdir(parents=True)
            done = subprocess.run(self.interrupted.split(), cwd=place, capture_output=True, text=True, check=False)
            if done.returncode != 3:
                return [f"status {done.returncode}, not 3: {self.interrupted}", done.stderr]
        environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        environment.update(word.split("=") for word in self.settings.split())
        done = subprocess.run(
            self.command.split(), cwd=place, env=environment, capture_output=True, text=True, check=False
        )
        wrong = [f"{path} is missing or empty" for path in self.expected() if not has_text(place / self.folder, path)]
        if done.returncode != 0:
            wrong.append(f"status {done.returncode}")
        if wrong:
            wrong += [f"{self.settings} {self.command}", *(done.stdout + done.stderr).splitlines()[-LINES_SHOWN:]]
        return wrong

    def expected(self) -> list[str]:
        """The files that it should leave, below its folder."""
        return self.tables.split() + (self.drawn() if shutil.which("gnuplot") else [])

    def drawn(self) -> list[str]:
        """Its pictures: what the scripts of gnuplot say."""
        paths = sorted((TOP / "plots").glob(f"{self.pictures}_*.gp")) if self.pictures else []
        texts = [path.read_text() for path in paths]
        names = [line.split('"/')[1].rstrip('"') for text in texts for line in text.splitlines() if "set output" in line]
        return [f"**/{name}" for name in names]


def has_text(folder: Path, path: str) -> bool:
    """Whether the folder has a file, or one that the pattern meets, that is not empty."""
    return any(file.is_file() and file.stat().st_size > 0 for file in folder.glob(path))


STUDIED = "errors families glass schedules steps sweeps weighted".split()
HARNESSES = {
    "glass": Harness(
        "validate/glass/glass.py", "DEVICE=cpu SAMPLES=2", "build/glass/small", "glass.dat glass.md", "glass"
    ),
    "ground-states": Harness(
        "validate/ground/ground.py", "PROFILE=brief DEVICE=cpu", "build/ground/brief", "ground.dat ground.md", "ground"
    ),
    "inflation": Harness(
        "validate/inflation/inflation.sh",
        "PROFILE=brief DEVICE=cpu",
        "build/inflation/brief",
        "inflation.dat inflation.md",
        "inflation",
        "build/paising -L 16 -R 128 -t 4 -b 0 -f 1 -d 0.05 -M 200 -s 20170001 -c ssc -D cpu --time-limit 0.1s "
        "-o build/inflation/brief/ssc --checkpoint build/inflation/brief/ssc/checkpoint",
    ),
    "study": Harness(
        "validate/study/study.py",
        "PROFILE=brief DEVICE=cpu",
        "build/study/brief",
        " ".join(f"{name}/{name}.{kind}" for name in STUDIED for kind in ("dat", "md")),
        "study",
    ),
    "flat": Harness("validate/physics/flat.py", "PROFILE=brief DEVICE=cpu", "build/flat/brief", "flat.dat flat.md", "flat"),
    "identity": Harness("validate/identity/identity.py", "CASES=8 SETS=3 SEED=1 DEVICE=cpu"),
    "rng": Harness("validate/rng/rng.py ising brief", "", "build/rng/ising", "**/ssc.dat **/lcg64-random.dat"),
}


def prepare(place: Path, build: Path) -> None:
    """A copy of what the harnesses consist of, beside links to what was built."""
    for folder in ("validate", "plots", "ci"):
        shutil.copytree(TOP / folder, place / folder, ignore=shutil.ignore_patterns("results", "corpus", "images"))
    for folder in ("paising", "reference"):  # whose checksum the results of the Ising test have
        (place / folder).symlink_to(TOP / folder)
    (place / "build").mkdir()
    for program in build.iterdir():
        if program.is_file():
            (place / "build" / program.name).symlink_to(program)


def main(words: list[str]) -> int:
    """Runs all, or those that are named."""
    if not words or any(name not in HARNESSES for name in words[1:]):
        print(f"test_harnesses.py BUILD [NAME...]; there are {', '.join(HARNESSES)}", file=sys.stderr)
        return 2
    if shutil.which("gnuplot") is None:
        print("SKIP pictures of the harnesses: gnuplot is not there")
    with tempfile.TemporaryDirectory() as scratch:
        prepare(Path(scratch), Path(words[0]).resolve())
        return report({f"make {name}": HARNESSES[name].run(Path(scratch)) for name in words[1:] or HARNESSES})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
