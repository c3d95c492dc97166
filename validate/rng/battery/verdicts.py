"""The verdict on each stream, from the p-values of its tests.

A statistic fails if its p-value is less than 1e-10 from 0 or 1; or if it is less than 1e-4 from them
and so again in one of two repetitions on fresh sections. A stream must not fail if it is expected to
pass, and must fail if it is a control that is known to fail in this battery.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Sequence

from .streams import Battery, Stream

FAILURE = 1e-10
SUSPICION = 1e-4
REPETITIONS = (1, 2)  # of a test that looks suspicious
GOOD = ("passed", "fails,as-known", "control")


@dataclass(frozen=True)
class Result:
    """One p-value; seconds are those of the whole test, which may have several."""

    stream: str
    test: int
    repetition: int
    p: float
    seconds: float
    statistic: str

    @property
    def distance(self) -> float:
        """How far the p-value is from 0 or 1."""
        return self.p if self.p < 0.5 else 1 - self.p


def read_result(line: str) -> Result:
    """From a line of build/rng_battery: result STREAM BATTERY TEST REPETITION P SECONDS NAME."""
    _, stream, _, test, repetition, p, seconds, *name = line.split()
    return Result(stream, int(test), int(repetition), float(p), float(seconds), " ".join(name))


def suspicious(result: Result) -> bool:
    """Whether repetitions must decide: not a failure yet."""
    return FAILURE <= result.distance < SUSPICION


@dataclass
class Verdict:
    """What the results say of a stream. failures: test, statistic and p-value of each."""

    stream: Stream
    tests: int  # that were done
    statistics: int
    suspects: int
    seconds: float
    failures: list[tuple[int, str, float]] = field(default_factory=list)
    undecided: bool = False  # repetitions are missing
    word: str = ""

    def line(self, battery: Battery) -> str:
        """The stream's row of the table."""
        return (
            f"{self.stream.name:<26} {self.stream.expected:<10} {self.tests}/{battery.tests} "
            f"{self.statistics} {len(self.failures)} {self.suspects} {self.seconds:.0f} {self.word} "
            f"{self.stream.fingerprint}"
        )

    def failure_lines(self) -> Iterator[str]:
        """A line for each statistic that failed."""
        for test, statistic, p in self.failures:
            yield f"#   {self.stream.name}: test {test}, {statistic}: p = {p:.3g}"


def find_failures(verdict: Verdict, results: Sequence[Result]) -> None:
    """Decides about each statistic of the results, which are those of one stream."""
    done = {(r.test, r.repetition) for r in results}
    statistics: dict[tuple[int, str], list[Result]] = {}
    for r in results:
        statistics.setdefault((r.test, r.statistic), []).append(r)
    for (test, name), values in sorted(statistics.items(), key=lambda s: s[0][0]):
        fails = [r for r in values if r.distance < FAILURE]
        suspects = [r for r in values if r.repetition == 0 and r.distance < SUSPICION]
        again = [r for r in values if r.repetition > 0 and r.distance < SUSPICION]
        if fails:
            verdict.failures.append((test, name, fails[0].p))
        elif suspects:
            verdict.suspects += 1
            if again:
                verdict.failures.append((test, name, suspects[0].p))
            elif not all((test, n) in done for n in REPETITIONS):
                verdict.undecided = True


def verdict_word(verdict: Verdict, battery: Battery) -> str:
    """The verdict in a word."""
    must_fail = verdict.stream.must_fail(battery)
    if must_fail and verdict.failures:
        return "fails,as-known"
    if verdict.tests < battery.tests or verdict.undecided:
        return "incomplete"
    if must_fail:
        return "NOT-CAUGHT"
    if verdict.stream.expected == "pass":
        return "FAILED" if verdict.failures else "passed"
    return "control"


def judge_stream(stream: Stream, battery: Battery, results: Sequence[Result]) -> Verdict:
    """The verdict on a stream from its results."""
    first = [r for r in results if r.repetition == 0]
    seconds = {r.test: r.seconds for r in first}
    verdict = Verdict(stream, len(seconds), len(first), 0, sum(seconds.values()))
    find_failures(verdict, results)
    verdict.word = verdict_word(verdict, battery)
    return verdict


def judge(battery: Battery, streams: Sequence[Stream], results: Iterable[Result]) -> list[Verdict]:
    """The verdicts on the streams, in their order."""
    of_stream: dict[str, list[Result]] = {s.name: [] for s in streams}
    for r in results:
        of_stream[r.stream].append(r)
    return [judge_stream(s, battery, of_stream[s.name]) for s in streams]


def all_good(verdicts: Iterable[Verdict]) -> bool:
    """Whether every stream is as expected."""
    return all(v.word in GOOD for v in verdicts)


def report(battery: Battery, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The lines of the table: rows, failures, sums."""
    yield f"# {battery.name}: statistics, failures and suspects of each stream"
    yield "# stream expected tests statistics failures suspects seconds verdict fingerprint"
    for v in verdicts:
        yield v.line(battery)
    for v in verdicts:
        yield from v.failure_lines()
    yield summary(v.word for v in verdicts)


def summary(words: Iterable[str]) -> str:
    """The last line: how many verdicts of each kind."""
    count = Counter(words)
    return (
        f"# {count['passed']} passed, {count['FAILED']} failed, {count['fails,as-known']} fail as known, "
        f"{count['NOT-CAUGHT']} should but do not, {count['control']} controls may do either, "
        f"{count['incomplete']} incomplete"
    )
