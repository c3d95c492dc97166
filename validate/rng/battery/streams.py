"""What is tested: the batteries of TestU01, and the random streams of build/rng_streams."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable, Sequence

from .programs import LEAST_S, Refused, run_within

BUILD = Path(os.environ.get("BUILD") or "build")  # where the programs are: make BUILD=FOLDER rng
REVERSED = "-reversed"  # after a stream's name: the bits of each number in reverse order


@dataclass(frozen=True)
class Battery:
    """A battery of TestU01: its number of tests, the streams that it takes by default, those that a check tests
    whatever is known of them, and the test that finds the controls which must fail."""

    name: str
    tests: int
    default: tuple[str, ...]
    always: tuple[str, ...] = ()
    finder: int = 0


# From the smallest to the largest: what fails in one is expected to fail in those after it.
BATTERIES = (
    Battery(
        "smallcrush",
        10,
        ("all", "reversed"),
        # The generator of most runs: the numbers of the others are known by their fingerprints.
        ("mwc-strips",),
        3,
    ),
    Battery("crush", 96, ("all",)),
    Battery("bigcrush", 106, ("ssc-sites", "philox7-sites", "lcg-sites", "mwc-strips", "mwc-lane", "xorwow")),
)


def battery_named(name: str) -> Battery:
    """The battery of this name, or Refused."""
    for battery in BATTERIES:
        if battery.name == name:
            return battery
    raise Refused(f"battery '{name}': smallcrush, crush or bigcrush")


@dataclass(frozen=True)
class Stream:
    """A line of build/rng_streams. expected: "pass", or the battery from which on it must fail;
    fingerprint: a checksum of its first numbers."""

    name: str
    expected: str
    fingerprint: str
    generator: str
    order: str

    def must_fail(self, battery: Battery) -> bool:
        """Whether this is a control that the battery is known to find."""
        names = [b.name for b in BATTERIES]
        return self.expected != "pass" and names.index(self.expected) <= names.index(battery.name)

    @property
    def in_use(self) -> bool:
        """Whether it must pass, and its generator is one of the engines'."""
        return self.expected == "pass" and not self.name.startswith("philox7") and not self.of_table

    @property
    def of_table(self) -> bool:
        """Whether it is one of the published table's generators, or the user's own, which no engine uses."""
        return self.order.startswith("table: ")

    @property
    def external(self) -> bool:
        """Whether its generator is the user's own."""
        return self.name.startswith("external")

    @property
    def of_one_lane(self) -> bool:
        """Whether it is one of 32 of a kind."""
        return re.fullmatch(".*-lane-[0-9]+", self.name) is not None

    def reversed(self) -> Stream:
        """The stream of the reversed bits."""
        return replace(self, name=self.name + REVERSED)


def read_streams(lines: Iterable[str]) -> list[Stream]:
    """The streams that build/rng_streams prints, in its order."""
    streams = []
    for line in lines:
        if not line.startswith("#"):
            name, expected, fingerprint, what = line.rstrip("\n").split(" ", 3)
            generator, order = what.split("; ", 1)
            streams.append(Stream(name, expected, fingerprint, generator, order))
    return streams


def all_streams() -> list[Stream]:
    """The streams of build/rng_streams."""
    listed = run_within([str(BUILD / "rng_streams")], LEAST_S, check=True, stdout=subprocess.PIPE)
    return read_streams(listed.stdout.splitlines())


def unknown_streams(battery: Battery, streams: Sequence[Stream], passed: dict[str, str]) -> list[Stream]:
    """Those that a check tests anew: the battery's own, controls, and all whose numbers are not those that have passed;
    passed: fingerprints by name."""
    return [
        s for s in streams
        if s.name in battery.always or s.must_fail(battery) or passed.get(s.name) != s.fingerprint
    ]


def choose_streams(words: Sequence[str], streams: Sequence[Stream]) -> list[Stream]:
    """The streams that the words name, sorted by name, each once.

    all         all streams but those of one lane
    reversed    the reversed bits of those of "all" that must pass and whose generators are in use
    lanes       those of one lane, and their reversed bits
    """
    by_name = {s.name: s for s in streams}
    chosen: set[Stream] = set()
    for word in words:
        name = word[: -len(REVERSED)] if word.endswith(REVERSED) else word
        if word == "all":
            chosen.update(s for s in streams if not s.of_one_lane and not s.external)
        elif word == "reversed":
            chosen.update(s.reversed() for s in streams if s.in_use and not s.of_one_lane)
        elif word == "lanes":
            for s in streams:
                chosen.update((s, s.reversed()) if s.of_one_lane else ())
        elif name in by_name:
            chosen.add(by_name[name] if word == name else by_name[name].reversed())
        else:
            raise Refused(f"stream '{word}': not one of those that {BUILD}/rng_streams names")
    return sorted(chosen, key=lambda s: s.name)
