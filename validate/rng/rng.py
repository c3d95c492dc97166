#!/usr/bin/env python3
"""The quality of the random numbers: TestU01 and the Ising test, run on all cores and judged.

rng.py test [--judge] [BATTERY] [STREAM...]   smallcrush (default), crush or bigcrush
rng.py ising [--judge] [quick|long|brief]     long: twenty times the sweeps; brief: two generators, for make check
rng.py external [BATTERY]                     the user's own generator (make rng GENERATOR=my.c): the battery, lags of
                                              bits, the Ising test (SECONDS=60 for each order), population annealing
rng.py generator BUILD                        looks at GENERATOR=my.c before anything is built with it
rng.py tiles [ROW...]                         the Ising test at the papers' precision on a GPU, SECONDS=240 (DEVICE=cpu: in
                                              sequence on the CPU), of rows GENERATOR:HITS of build/rng_tiles or of all
                                              that are less precise; again: more. Bins are appended to LOGS/tiles.log.
                                              HITS 0: in sequence, on a GPU from a minute on
rng.py tiles-table FILE...                    results/, from such logs, and from tables of earlier runs of other seeds: a row a run
rng.py paper 001|003                          the published tables beside ours, from results/
rng.py table [quick|long]                     results/: data and page, from the logs
rng.py check                                  a case a stream, counted in the last line: those of the engines'
                                              generators, and the controls that SmallCrush must find. Anew are
                                              tested each generator in one order, and whatever does not
                                              draw the numbers with which it passed in results/smallcrush.dat

Streams are those of build/rng_streams, with "-reversed" appended for the bits of each number in reverse order. STREAM
may name several:

    all         all streams but those of one lane
    reversed    the reversed ones of the generators in use
    lanes       those of one lane, and their reversed ones

SmallCrush takes the first two by default, Crush all,
BigCrush one order of each generator. --judge runs nothing.

What has a log is not done again, so that a run can be ended at any time and repeated.
  JOBS=N     jobs at the same time (default: the number of cores)
  MINUTES=M  ends after M minutes: what is not done then is left to the next call
  BUILD=DIR  where the programs are (default: build)
  LOGS=DIR   where the logs are (default: BUILD/rng)

Status 0: all is as expected, or SKIP was said, as TestU01 is not there; 1: something is not, or work
is left; 2: a wrong argument; 128 + n: ended by signal n."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Sequence

sys.dont_write_bytecode = True  # the folder of the sources stays as it is

from battery import ising, own, papers, table, testu01, tiles, verdicts  # noqa: E402
from battery.programs import LEAST_S, Refused, how_it_ended, run_within  # noqa: E402
from battery.streams import (  # noqa: E402
    BUILD, Battery, Stream, all_streams, battery_named, choose_streams, unknown_streams)

CHECK_LOGS = BUILD / "logs/rng"


def whole_number(name: str, default: int) -> int:
    """A setting of the environment, from 1 on."""
    text = os.environ.get(name) or str(default)
    if not re.fullmatch("[1-9][0-9]*", text):
        raise Refused(f"{name}={text}: a whole number from 1 on")
    return int(text)


def at_once() -> int:
    """JOBS."""
    return whole_number("JOBS", len(os.sched_getaffinity(0)))


def end() -> float:
    """When to end, by time.monotonic(): MINUTES from now."""
    minutes = whole_number("MINUTES", 1)
    return time.monotonic() + 60 * minutes if os.environ.get("MINUTES") else math.inf


def logs() -> Path:
    """LOGS."""
    return Path(os.environ.get("LOGS") or BUILD / "rng")


def take_judge(words: list[str]) -> bool:
    """Whether the first word is --judge, which is taken away."""
    return words[:1] == ["--judge"] and bool(words.pop(0))


def at_most_one(words: Sequence[str], default: str) -> str:
    """The only word, or the default."""
    if len(words) > 1:
        raise Refused(f"'{words[1]}': one word too many")
    return words[0] if words else default


def skips(battery: Battery, streams: Sequence[Stream]) -> bool:
    """Whether TestU01 is not there; then it says so."""
    if testu01.PROGRAM.exists():
        return False
    print(
        f"SKIP: {battery.name} of {len(streams)} streams: TestU01 is not there; "
        "ci/setup.sh testu01 says how to get it"
    )
    return True


def judge_battery(battery: Battery, streams: Sequence[Stream], folder: Path) -> list[verdicts.Verdict]:
    """Prints and returns the verdicts that the logs allow."""
    judged = verdicts.judge(battery, streams, testu01.read_results(folder, battery, streams))
    print("\n".join(verdicts.report(battery, judged)))
    return judged


def command_test(words: list[str]) -> int:
    """rng.py test"""
    only_judge = take_judge(words)
    battery = battery_named(words[0] if words else "smallcrush")
    jobs, until = at_once(), end()
    streams = choose_streams(words[1:] or battery.default, all_streams())
    if not only_judge:
        if skips(battery, streams):
            return 0
        testu01.run_battery(battery, streams, logs(), jobs, until)
    return 0 if verdicts.all_good(judge_battery(battery, streams, logs())) else 1


def command_ising(words: list[str]) -> int:
    """rng.py ising"""
    only_judge = take_judge(words)
    profile = at_most_one(words, "quick")
    jobs, until = at_once(), end()
    generators = ising.generators(logs(), profile)
    if not only_judge:
        ising.run_generators(generators, profile, jobs, until)
    print("\n".join(ising.report(generators, profile)))
    return 0 if ising.as_expected(generators) else 1


def command_generator(words: list[str]) -> int:
    """rng.py generator"""
    own.prepare(os.environ.get("GENERATOR") or "", Path(at_most_one(words, "build")))
    return 0


def passes(*command: str) -> bool:
    """Whether a program of the build folder succeeds with the user's own generator. How it ended is said if it has no verdict."""
    done = run_within([str(BUILD / command[0]), *command[1:]], LEAST_S)
    if done.returncode not in (0, 1):
        print(f"rng: {' '.join(command)} {how_it_ended(done.returncode)}", file=sys.stderr)
    return done.returncode == 0


def command_external(words: list[str]) -> int:
    """rng.py external"""
    battery = battery_named(at_most_one(words, "smallcrush"))
    seconds = whole_number("SECONDS", 60)
    names = ("external", "external-threads")
    streams = choose_streams([*names, *(f"{name}-reversed" for name in names)], all_streams())
    words_of = {True: "passed", False: "FAILED"}
    verdict = {}
    if not skips(battery, streams):
        testu01.run_battery(battery, streams, logs(), at_once(), end())
        verdict[battery.name] = words_of[verdicts.all_good(judge_battery(battery, streams, logs()))]
    verdict["lags"] = words_of[all([passes("rng_lags", name) for name in names])]
    verdict["Ising test"] = tiles.judge_external(seconds, logs() / "external.log", ising.LARGEST_Z)
    verdict["population annealing"] = words_of[passes("rng_annealing", "-g", "external")]
    for name, word in verdict.items():
        print(f"{name}: {word}")
    return 0 if set(verdict.values()) == {"passed"} else 1


def command_tiles(words: list[str]) -> int:
    """rng.py tiles"""
    seconds = whole_number("SECONDS", 240)
    device, log = os.environ.get("DEVICE") or "gpu", logs() / "tiles.log"
    data = logs() / tiles.TABLE
    good = tiles.run(seconds, words, device, at_once(), log, table.RESULTS)
    lines = tiles.read_log(table.RESULTS / tiles.TABLE) + tiles.read_log(log)
    table.write_lines(data, tiles.report(lines, testu01.commit()))
    print(*tiles.summary(lines), *papers.table_1(data), sep="\n")
    for name, hits, _ in tiles.unfinished(device, lines):
        print(f"# {name}:{hits}: the error of e is larger than {tiles.TARGET}; again: smaller")
    return 0 if good else 1


def command_tiles_table(words: list[str]) -> int:
    """rng.py tiles-table"""
    if not words:
        raise Refused("tiles-table: FILE...")
    lines = [line for word in words for line in Path(word).read_text().splitlines()]
    table.write_lines(table.RESULTS / tiles.TABLE, tiles.report(lines, testu01.commit()))
    papers.write_page()
    return 0


def command_paper(words: list[str]) -> int:
    """rng.py paper"""
    if words not in (["001"], ["003"]):
        raise Refused("paper: 001 or 003")
    papers.print_paper(words[0])
    return 0


def command_table(words: list[str]) -> int:
    """rng.py table"""
    profile = at_most_one(words, "quick")
    streams = all_streams()
    table.write_data(logs(), profile, streams)
    page = table.RESULTS / table.PAGE
    table.write_lines(page, table.page(streams))
    print(f"{page}:\n{page.read_text()}", end="")
    return 0


def command_check(words: list[str]) -> int:
    """rng.py check"""
    at_most_one(["", *words], "")
    battery = battery_named("smallcrush")
    streams = [s for s in choose_streams(["all"], all_streams()) if s.in_use or s.must_fail(battery)]
    if skips(battery, streams):
        print(f"0 passed, 0 failed, {len(streams)} skipped")
        return 0
    shutil.rmtree(CHECK_LOGS, ignore_errors=True)
    known = table.read_battery(table.RESULTS / f"{battery.name}.dat").passed
    anew = unknown_streams(battery, streams, known)
    testu01.run_battery(battery, anew, CHECK_LOGS, at_once(), math.inf, briefly=True)
    judged = judge_battery(battery, anew, CHECK_LOGS)
    for s in streams:
        if s not in anew:
            print(f"# {s.name}: the numbers that passed ({s.fingerprint})")
    failed = sum(v.word not in verdicts.GOOD for v in judged)
    print(f"{len(streams) - failed} passed, {failed} failed, 0 skipped")
    return 0 if verdicts.all_good(judged) else 1


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "test": command_test,
    "ising": command_ising,
    "external": command_external,
    "generator": command_generator,
    "paper": command_paper,
    "tiles": command_tiles,
    "tiles-table": command_tiles_table,
    "table": command_table,
    "check": command_check,
}


def main(words: list[str]) -> int:
    """Does what the command line says. Returns the exit status."""
    os.chdir(Path(__file__).resolve().parents[2])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who reads the output may stop
    if words and words[0] in ("-h", "--help"):
        print(f"usage: rng.py COMMAND ...\n\n{__doc__}")
        return 0
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        print(f"rng.py: {' '.join(words)!r}: allowed: {', '.join(COMMANDS)} or --help", file=sys.stderr)
        return 2
    try:
        return command(words[1:])
    except (Refused, FileNotFoundError) as refused:
        print(f"rng: {refused}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as failed:
        whose = f"GENERATOR={os.environ['GENERATOR']}: " if words[0] == "external" and os.environ.get("GENERATOR") else ""
        print(f"rng: {whose}{' '.join(failed.cmd)}: {how_it_ended(failed.returncode)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
