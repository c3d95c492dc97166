#!/usr/bin/env python3
"""The attack: simulations that are killed, share folders, run out of disk, get spoilt files. `make stress` calls it.

    stress.py [--minutes M | --cases N | --case N] [--seed S] [--only KIND] [--build FOLDER] [--paising FILE]

A case is drawn from the seed and its number, which decides its kind too; validate/attack.md says what each kind
claims. --case repeats one, exactly unless its signals come by time. A case that fails says what was run and which
claim was broken, and keeps its folder. The last line counts: N passed, N failed. Status 1 if one failed, 2 for wrong
words."""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from case import Case, Programs, Skipped, Wrong  # noqa: E402
from damage import flips, sections  # noqa: E402
from disk import disk  # noqa: E402
from kills import kill  # noqa: E402
from paths import paths  # noqa: E402
from pipes import pipes  # noqa: E402
from writers import writers  # noqa: E402

KINDS: dict[str, Callable[[Case], None]] = {
    "kill": kill,
    "writers": writers,
    "disk": disk,
    "flips": flips,
    "sections": sections,
    "paths": paths,
    "pipes": pipes,
}
# One turn of the wheel: the kind of each case.
WHEEL = ("kill", "writers", "kill", "disk", "flips", "kill", "paths", "writers", "sections", "kill", "disk", "pipes")
TOP = Path(__file__).resolve().parents[2]
MOST_SHOWN = 40  # lines of a case that failed


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    number: int
    kind: str
    verdict: str  # passed, failed or skipped
    lines: list[str]


def kind_of(number: int) -> str:
    return WHEEL[number % len(WHEEL)]


def attack(seed: int, number: int, programs: Programs) -> Outcome:
    """Makes a case; its folder stays if it fails."""
    kind = kind_of(number)
    case = Case(seed, number, Path(tempfile.mkdtemp(prefix=f"stress-{number}-")), programs)
    try:
        KINDS[kind](case)
    except Skipped as reason:
        shutil.rmtree(case.folder)
        return Outcome(number, kind, "skipped", [str(reason)])
    except (Wrong, OSError, ValueError, KeyError) as error:
        text = str(error) if isinstance(error, Wrong) else repr(error)
        repeat = f"repeat: {sys.argv[0]} --seed {seed} --case {number}; its folder: {case.folder}"
        return Outcome(number, kind, "failed", [text, *case.log[-MOST_SHOWN:], repeat])
    shutil.rmtree(case.folder)
    return Outcome(number, kind, "passed", [])


def attacks(asked: argparse.Namespace, programs: Programs) -> Iterator[Outcome]:
    """Makes the cases that were asked for, as many at once as there are processors."""
    if asked.case is not None:
        yield attack(asked.seed, asked.case, programs)
        return
    numbers = (n for n in itertools.count() if asked.only in (None, kind_of(n)))
    if asked.cases is not None:
        numbers = itertools.islice(numbers, asked.cases)
    end = time.monotonic() + 60 * asked.minutes
    workers = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        begun: set[concurrent.futures.Future[Outcome]] = set()
        while True:
            if asked.cases is not None or time.monotonic() < end:
                some = itertools.islice(numbers, workers - len(begun))
                begun |= {pool.submit(attack, asked.seed, number, programs) for number in some}
            if not begun:
                return
            done, begun = concurrent.futures.wait(begun, return_when=concurrent.futures.FIRST_COMPLETED)
            yield from (case.result() for case in done)


def report(outcomes: Iterator[Outcome]) -> bool:
    """Prints what failed and what was skipped, then the sums. Returns whether all is well."""
    sums = {verdict: Counter[str]() for verdict in ("passed", "failed", "skipped")}
    told = set()
    for outcome in outcomes:
        sums[outcome.verdict][outcome.kind] += 1
        if outcome.verdict == "failed":
            print(f"FAIL {outcome.kind} {outcome.number}: {outcome.lines[0]}")
            print(*(f"     | {line}" for line in outcome.lines[1:]), sep="\n", flush=True)
        elif outcome.verdict == "skipped" and outcome.lines[0] not in told:
            told.add(outcome.lines[0])
            print(f"SKIP {outcome.kind}: {outcome.lines[0]}")
    for kind in KINDS:
        if any(sums[verdict][kind] for verdict in sums):
            print(f"{kind}: {sums['passed'][kind]} passed, {sums['failed'][kind]} failed")
    total = {verdict: sum(counts.values()) for verdict, counts in sums.items()}
    print(f"{total['passed']} passed, {total['failed']} failed")
    return total["failed"] == 0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    long = parser.add_mutually_exclusive_group()
    long.add_argument("--minutes", type=float, default=1, metavar="M", help="for how long [1]")
    long.add_argument("--cases", type=int, metavar="N", help="how many cases instead")
    long.add_argument("--case", type=int, metavar="N", help="this one alone")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), metavar="S", help="[a new one]")
    parser.add_argument("--only", choices=KINDS, help="cases of one kind")
    parser.add_argument("--build", default=TOP / "build", type=Path, metavar="FOLDER", help="what was built [build]")
    parser.add_argument("--paising", type=Path, metavar="FILE", help="the program, if it is not that one")
    asked = parser.parse_args(words)
    if os.access("/dev/shm", os.W_OK):  # where a disk need not be waited for
        tempfile.tempdir = "/dev/shm"
    built = asked.build.resolve()
    paising = (asked.paising or built / "paising").resolve()
    programs = Programs(str(paising), str(built / "compare"), str(built / "fault.so"))
    print(f"# seed {asked.seed}", flush=True)
    return 0 if report(attacks(asked, programs)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
