"""The scheduler: programs run side by side, the output of each in a log that gets its name when it is
complete. What has a log is not done again, so that a run can be ended at any time and repeated."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from .programs import LEAST_S, Refused, how_it_ended

POLL_S = 0.02
# A job is begun only if this many times the seconds that it is known to take are left.
MARGIN = 1.5
# A job that takes so many times the seconds it is known to take, and LEAST_S at least, does not end: all stop.
PATIENCE = 60


@dataclass(frozen=True)
class Job:
    """A command, the file for what it prints, what it is called, and the seconds that it is known to
    take (0: not known)."""

    command: tuple[str, ...]
    log: Path
    name: str
    seconds: float = 0

    @property
    def part(self) -> Path:
        """Where its output goes until it is complete."""
        return Path(f"{self.log}.part")

    @property
    def limit(self) -> float:
        """The seconds after which it does not end."""
        return max(PATIENCE * self.seconds, LEAST_S) if self.seconds else math.inf


class Running:
    """A job at work."""

    def __init__(self, job: Job) -> None:
        self.job, self.begun = job, time.monotonic()
        job.log.parent.mkdir(parents=True, exist_ok=True)
        with open(job.part, "wb") as output:
            self.process = subprocess.Popen(job.command, stdout=output, stderr=subprocess.STDOUT)

    def ended(self) -> bool:
        """Whether it has ended; then it has its log, or what failed has been said."""
        status = self.process.poll()
        if status == 0:
            self.job.part.rename(self.job.log)
        elif status is not None:
            print(f"rng: {self.job.name} {how_it_ended(status)}; see {self.job.part}", file=sys.stderr)
        elif time.monotonic() - self.begun > self.job.limit:
            known = f"{self.job.seconds:.2g} s are known"
            raise Refused(f"{self.job.name}: not over after {self.job.limit:g} s, where {known}; all is stopped")
        return status is not None

    def stop(self) -> None:
        """Ends it before its time: nothing is left of it."""
        self.process.terminate()
        self.process.wait()
        self.job.part.unlink()


def do_all(jobs: Sequence[Job], at_once: int, end: float, caught: Sequence[int]) -> None:
    """Does the jobs in their order, until a signal is caught or the end has come."""
    waiting = list(jobs)
    running: list[Running] = []
    try:  # whoever leaves the loop stops those that still run
        while (waiting or running) and not caught and time.monotonic() < end:
            for r in list(running):
                if r.ended():
                    running.remove(r)
            if waiting and len(running) < at_once:
                job = waiting.pop(0)
                if time.monotonic() + MARGIN * job.seconds < end:
                    running.append(Running(job))
            else:
                time.sleep(POLL_S)
    finally:
        for r in running:
            r.stop()


def run_jobs(jobs: Sequence[Job], at_once: int, end: float = math.inf) -> None:
    """Does the jobs that have no log yet, in their order, at_once of them side by side. end is a time of time.monotonic() at
    which all must be over. A job that would not be done by then is not begun, and one that is not done then is
    stopped. Refused: a job takes far longer than is known of it. SIGINT and SIGTERM stop all and end the program with
    128 + their number."""
    caught: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda n, _: caught.append(n)) for number in signals]
    try:
        do_all([job for job in jobs if not job.log.exists()], at_once, end, caught)
    finally:
        for number, handler in zip(signals, before):
            signal.signal(number, handler)
    if caught:
        sys.exit(128 + caught[0])
