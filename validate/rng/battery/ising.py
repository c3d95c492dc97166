"""The Ising test of every generator, with a verdict: e and C of the L = 1024 lattice at beta = 0.4
against the exact values (build/rng_ising)."""

from __future__ import annotations

import math
import subprocess
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from .jobs import Job, run_jobs
from .programs import Refused
from .streams import BUILD

PROGRAM = str(BUILD / "rng_ising")
FACTORS = {"brief": 0.1, "quick": 1, "long": 20}  # the sweeps of a profile, in those of a quick test
OF_BRIEF = ("ssc", "lcg64-random")  # the generators of the profile for `make check`
# What a result depends on.
SOURCES = ("paising/**/*.[ch]", "reference/**/*.[ch]", "validate/rng/ising*.[ch]", "validate/**/statistics.h")
# For all of the generators that must pass, 5 of two values each, a larger |z| happens by chance with
# a probability of 7e-7.
LARGEST_Z = 5.4
NUMBERS = 12  # of a line of build/rng_ising, after the name
Z_OF = (6, 11)  # e and C, among them
BAD = ("FAILED", "NOT-CAUGHT", "missing")


@dataclass(frozen=True)
class Generator:
    """A generator, what is expected of it (pass, fail or either), and the file of its result: what
    build/rng_ising prints."""

    name: str
    expected: str
    log: Path

    def numbers(self) -> list[str]:
        """Its result's numbers, or dashes."""
        try:
            return self.log.read_text().split()[1:]
        except OSError:
            return ["-"] * NUMBERS

    def verdict(self) -> str:
        """The verdict in a word."""
        numbers = self.numbers()
        if numbers[0] == "-":
            return "missing"
        fails = any(not abs(float(numbers[n])) <= LARGEST_Z for n in Z_OF)
        if self.expected == "pass":
            return "FAILED" if fails else "passed"
        if self.expected == "fail":
            return "fails,as-known" if fails else "NOT-CAUGHT"
        return "control,fails" if fails else "control,passes"


def checksum_of_sources() -> int:
    """Changes when the sources do: results belong to one version of them."""
    checksum = 0
    for pattern in SOURCES:
        files = sorted(Path().glob(pattern))
        if not files:
            raise FileNotFoundError(f"{pattern}: no such source")
        for file in files:
            checksum = zlib.crc32(file.read_bytes(), checksum)
    return checksum


def generators(logs: Path, profile: str) -> list[Generator]:
    """The generators of build/rng_ising, those that take long first."""
    if profile not in FACTORS:
        raise Refused(f"profile '{profile}': brief, quick or long")
    folder = logs / "ising" / f"{profile}.{checksum_of_sources()}"
    listed = subprocess.run([PROGRAM, "--list"], check=True, stdout=subprocess.PIPE, text=True)
    pairs = [line.split() for line in listed.stdout.splitlines()]
    return [
        Generator(name, expected, folder / f"{name}.dat")
        for name, expected in pairs
        if profile != "brief" or name in OF_BRIEF
    ]


def run_generators(
    subjects: Sequence[Generator], profile: str, at_once: int, end: float = math.inf
) -> None:
    """Measures what has no result yet; at_once and end as run_jobs."""
    one_thread = ("env", "OMP_NUM_THREADS=1", PROGRAM)
    jobs = [
        Job((*one_thread, g.name, str(FACTORS[profile])), g.log, f"Ising test of {g.name}") for g in subjects
    ]
    run_jobs(jobs, at_once, end)


def as_expected(subjects: Sequence[Generator]) -> bool:
    """Whether every generator is, and none is missing."""
    return not any(g.verdict() in BAD for g in subjects)


def report(subjects: Sequence[Generator], profile: str) -> Iterator[str]:
    """The lines of the table."""
    yield f"# Ising test ({profile}): energy and specific heat per spin, L = 1024, beta = 0.4"
    yield (
        "# generator sweeps replicas e error exact deviation/error z C error exact deviation/error z "
        "expected verdict"
    )
    for g in subjects:
        yield " ".join([g.name, *g.numbers(), g.expected, g.verdict()])
    count = Counter(g.verdict() for g in subjects)
    yield (
        f"# {count['passed']} passed, {count['FAILED']} failed, {count['fails,as-known']} fail as known, "
        f"{count['NOT-CAUGHT']} should but do not, {count['missing']} missing"
    )
