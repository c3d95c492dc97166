#!/usr/bin/env python3
"""Runs the tests of `make check` and `make test`: command lines, each a word, as many at a time as there are cores.

    check.py COMMAND ... [-j N]    from the top folder; BUILD: the folder of what was built [build]

-j says how many at a time. What a test prints goes to BUILD/logs/NAME.log; NAME is that of its file, with the suffix.
It ends with the sums of its cases: those of cmocka's groups, or a line `N passed, N failed[, N skipped]`; without the
third number, lines that begin with SKIP count. A test that fails without a case that failed, or ends without sums, is one.

One line a test, in the order of the command line but for ALONE, with the time that passed and that of the processors;
the log too if it failed. The last line is `N passed, N failed, N skipped`. Status 1 if a case failed.
Files for the while of a test are in TMPDIR; where nobody has said which folder that is, in memory, if there is room."""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

LOGS = Path(os.environ.get("BUILD") or "build") / "logs"
# One after the other, when all else is done. Ranks that wait for each other take the cores from others; the large tests
# take much of the memory that they find, on the host and on a GPU.
ALONE = {"test_ranks", "test_large", "test_large.sh"}

# A folder in memory: a disk would have to be waited for, each time that a result or a checkpoint is made safe.
IN_MEMORY = Path("/dev/shm")
ROOM = 1 << 30  # bytes; all tests that run at a time

OF_A_GROUP = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) *\] (\d+) test", re.MULTILINE)
OF_A_SCRIPT = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", re.MULTILINE)


@dataclass
class Sums:
    """How many cases passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass
class Done:
    """A test that has ended: what it said, and its exit status; -n: signal n."""

    name: str
    status: int
    said: str
    seconds: float
    processor_seconds: float

    def sums(self) -> Sums:
        counted = sums_of(self.said)
        if self.status != 0 or counted == Sums():
            counted.failed = max(counted.failed, 1)
        return counted

    def report(self) -> str:
        times = f"{self.seconds:.1f} s, {self.processor_seconds:.1f} s of processors"
        if self.sums().failed == 0:
            return f"ok     {self.name} ({times})"
        return f"FAILED {self.name} (status {self.status}, {times})\n{self.said.rstrip()}"


def sums_of(said: str) -> Sums:
    """What a test says of its cases; nothing at all if it says none."""
    sums = Sums()
    for word, count in OF_A_GROUP.findall(said):
        setattr(sums, word.lower(), getattr(sums, word.lower()) + int(count))
    for passed, failed, skipped in OF_A_SCRIPT.findall(said)[-1:]:
        lines = sum(line.startswith("SKIP ") for line in said.splitlines())
        sums += Sums(int(passed), int(failed), int(skipped) if skipped else lines)
    return sums


def run(command: str) -> Done:
    """Runs a test to its end."""
    words = shlex.split(command)
    name = Path(words[0]).name  # test_ranks and test_ranks.sh have logs of their own
    log = LOGS / f"{name}.log"
    start = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(process.pid, 0)  # with the times of all its children
    process.returncode = os.waitstatus_to_exitcode(status)
    return Done(name, process.returncode, log.read_text(errors="replace"), time.monotonic() - start,
                usage.ru_utime + usage.ru_stime)


def pass_on_signals() -> None:
    """Tests must not ignore what `nohup` or a shell in the background has this process ignore: in a child a signal with
    a handler has its default again."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def choose_scratch() -> None:
    """Sets TMPDIR, unless it is set: to the folder in memory, where tests may write and run programs."""
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    there = os.statvfs(IN_MEMORY)
    if there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(IN_MEMORY)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    parser.add_argument("-j", dest="at_once", nargs="?", type=int, metavar="N")
    asked = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("OMP_NUM_THREADS", "2")  # a test has a core: as many threads as cores would wait for each other
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads of one test leave the cores to others
    os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")  # and so do ranks that wait for a message
    choose_scratch()
    pass_on_signals()
    total = Sums()
    alone = [command for command in asked.commands if Path(shlex.split(command)[0]).name in ALONE]
    others = [command for command in asked.commands if command not in alone]
    pool = concurrent.futures.ThreadPoolExecutor(asked.at_once or len(os.sched_getaffinity(0)))
    try:
        for done in itertools.chain(pool.map(run, others), map(run, alone)):
            print(done.report(), flush=True)
            total += done.sums()
    finally:
        pool.shutdown(cancel_futures=True)
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
