"""A case: its dice, its folder, and the programs that it runs there."""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence, Union

Word = Union[str, bytes]

# What ends by itself takes less than a second; what does not is hanging.
MOST_SECONDS = 60


class Wrong(Exception):
    """A broken claim, in one line."""


class Skipped(Exception):
    """What this machine cannot do, in one line."""


def claim(holds: object, text: str) -> None:
    """Breaks the case off unless something holds."""
    if not holds:
        raise Wrong(text)


@dataclass(frozen=True)
class Programs:
    """The files of what is attacked, of the comparing program, and of the library of faults."""

    paising: str
    compare: str
    faults: str


@dataclass(frozen=True)
class Ended:
    """How a process ended: its status, -n for signal n, and what it printed on stdout and stderr."""

    status: int
    told: str
    said: str

    def shows(self) -> str:
        """The same in one line."""
        how = signal.Signals(-self.status).name if self.status < 0 else f"status {self.status}"
        lines = [line for line in self.said.splitlines() if not line.endswith("would help")]
        return "; ".join([how, *lines])


class Running:
    """A process that has been started."""

    def __init__(self, words: list[Word], folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, number: int) -> None:
        """Sends it a signal, if it is still there."""
        self.process.send_signal(number)

    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def wait_for(self, path: Path) -> None:
        """Waits until a file is there, or the process has ended."""
        while not self.ended() and not path.exists():
            time.sleep(0.001)

    def end(self) -> Ended:
        """Waits for its end."""
        try:
            told, said = self.process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise Wrong(f"a process did not end within {MOST_SECONDS} s") from None
        return Ended(self.process.returncode, told.decode(errors="replace"), said.decode(errors="replace"))


class Case:
    """A case of a seed: the dice decide all of it but the moments of what comes by time."""

    def __init__(self, seed: int, number: int, folder: Path, programs: Programs) -> None:
        self.dice = random.Random(f"{seed} {number}")
        self.folder = folder
        self.programs = programs
        self.log: list[str] = []
        self.said = ""  # by all processes so far
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(self.make_folder("tmp"))}
        self.work = self.make_folder("work")

    def make_folder(self, name: str) -> Path:
        """A new folder of the case, beside the one that programs run in."""
        path = self.folder / name
        path.mkdir()
        return path

    def note(self, text: str) -> None:
        """Keeps a line for whoever looks at a case that failed."""
        self.log.append(text)

    def start(
        self, options: Sequence[Word], *, folder: Path | None = None, fault: str = "", under: Sequence[str] = ()
    ) -> Running:
        """Starts the program; under: the words of a command that it runs under."""
        preload = ["env", f"FAULT={fault}", f"LD_PRELOAD={self.programs.faults}"] if fault else []
        words: list[Word] = [*under, *preload, self.programs.paising, "-D", "cpu", *options]
        self.note(" ".join(shlex.quote(os.fsdecode(word)) for word in words))
        return Running(words, folder or self.work, self.environment)

    def end(self, running: Running) -> Ended:
        """Waits for the end of what was started."""
        ended = running.end()
        self.said += ended.said
        self.note(f"  {ended.shows()}")
        return ended

    def run(
        self, options: Sequence[Word], *, folder: Path | None = None, fault: str = "", under: Sequence[str] = ()
    ) -> Ended:
        """Runs the program to its end."""
        return self.end(self.start(options, folder=folder, fault=fault, under=under))

    def counts(self, options: Sequence[Word], folder: Path) -> dict[str, int]:
        """How many calls of each kind the program makes in a folder."""
        counts = self.folder / "counts"
        preload = ["env", f"FAULT_COUNTS={counts}", f"LD_PRELOAD={self.programs.faults}"]
        self.run(options, folder=folder, under=preload)
        lines = [line.split() for line in counts.read_text().splitlines()]
        return {kind: int(number) for kind, number, _ in lines}
