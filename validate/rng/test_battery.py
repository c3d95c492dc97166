#!/usr/bin/env python3
"""Claims about what runs and judges the batteries:
- verdicts and repetitions follow from the p-values;
- controls that are not caught and tests that are missing are no success;
- jobs run side by side, once, end in time and when they are told to, and leave only complete logs;
- the committed page of results is what the committed data give;
- of programs, every test is run, seeds are used once, and one that fails or does not end is no success;
- what is not allowed is refused with status 2."""

from __future__ import annotations

import contextlib
import io
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Sequence
from unittest import mock

sys.dont_write_bytecode = True

import rng  # noqa: E402
from battery import ising, jobs, own, papers, programs, streams, table, testu01, tiles, verdicts  # noqa: E402

HERE = Path(__file__).resolve().parent
SMALL = streams.Battery("smallcrush", 1, ())  # of one test
LINES = (
    "# comment",
    "good pass 00000001 Philox; sites; of a replica",
    "bad smallcrush 00000002 LCG32; control",
    "worse crush 00000003 LCG64; control",
    "philox7-x pass 00000004 Philox7; sites",
    "good-lane-7 pass 00000005 Philox; bits of lane 7",
)
STREAMS = streams.read_streams(LINES)
EXTERNAL = streams.read_streams(["external pass 00000006 mine; one", "external-threads pass 00000007 mine; many"])


def results(stream: str, *p: float) -> list[verdicts.Result]:
    """The results of test 1 with these p-values: first section, and repetitions."""
    lines = [f"result {stream} smallcrush 1 {n} {x:.17g} 0.50 Gap r = 0" for n, x in enumerate(p)]
    return [verdicts.read_result(line) for line in lines]


def verdict_of(stream: str, *p: float) -> verdicts.Verdict:
    """The verdict on a stream with these results."""
    chosen = [s for s in STREAMS if s.name == stream]
    return verdicts.judge(SMALL, chosen, results(stream, *p))[0]


class Verdicts(unittest.TestCase):
    """From p-values to a word."""

    def test_words(self) -> None:
        for word, stream, p in (
            ("passed", "good", (0.3,)),
            ("passed", "good", (1 - 2e-4,)),
            ("FAILED", "good", (1e-11,)),
            ("FAILED", "good", (1.0,)),
            ("incomplete", "good", ()),
            ("incomplete", "good", (5e-5,)),
            ("incomplete", "good", (5e-5, 0.3)),
            ("passed", "good", (5e-5, 0.3, 0.6)),
            ("FAILED", "good", (5e-5, 0.3, 1 - 9e-5)),
            ("FAILED", "good", (5e-5, 9e-5)),
            ("fails,as-known", "bad", (0.0,)),
            ("NOT-CAUGHT", "bad", (0.3,)),
            ("incomplete", "bad", ()),
            ("control", "worse", (0.3,)),
            ("control", "worse", (0.0,)),
        ):
            with self.subTest(word=word, stream=stream, p=p):
                verdict = verdict_of(stream, *p)
                self.assertEqual(verdict.word, word)
                good = word in ("passed", "fails,as-known", "control")
                self.assertEqual(verdicts.all_good([verdict]), good)

    def test_report(self) -> None:
        judged = [verdict_of("good", 5e-5, 0.5, 0.5), verdict_of("bad", 2e-12)]
        self.assertEqual(
            list(verdicts.report(SMALL, judged))[2:],
            [
                f"{'good':<26} pass       1/1 1 0 1 0 passed 00000001",
                f"{'bad':<26} smallcrush 1/1 1 1 0 0 fails,as-known 00000002",
                "#   bad: test 1, Gap r = 0: p = 2e-12",
                "# 1 passed, 0 failed, 1 fail as known, 0 should but do not, 0 controls may do either, "
                "0 incomplete",
            ],
        )

    def test_results_of_two_machines(self) -> None:
        """Other streams stay; of a stream in both the row of more tests does, with its failures."""
        three = streams.Battery("smallcrush", 3, ())
        old = [*verdicts.report(three, [verdict_of("good", 0.5), verdict_of("bad", 2e-12)]), "#   old machine"]
        new = [*verdicts.report(three, [replace(verdict_of("bad", 3e-13), tests=2)]), "#   new machine"]
        both = list(table.merged(three, old, new))
        self.assertEqual(both[1:3], ["#   new machine", "#   old machine"])
        self.assertEqual([line.split()[:3] for line in both[5:7]], [["bad", "smallcrush", "2/3"], ["good", "pass", "1/3"]])
        self.assertEqual(both[7:8], ["#   bad: test 1, Gap r = 0: p = 3e-13"])
        self.assertIn("1 fail as known", both[8])
        self.assertEqual(list(table.merged(three, new, old)), both)
        again = list(verdicts.report(three, [replace(verdict_of("bad", 1e-13), tests=2)]))
        self.assertIn("#   bad: test 1, Gap r = 0: p = 1e-13", list(table.merged(three, new, again)), "of as many tests: the new row")

    def test_cells(self) -> None:
        """Failures, suspicious ones, tests that are missing; after a semicolon those of the reversed bits."""
        data = table.BatteryData(cells={"x": ("10/10", 1, 0), "x-reversed": ("9/10", 0, 2)})
        self.assertEqual(data.both("x"), "1; none (2), 9/10 tests")
        self.assertEqual((data.both("x-reversed"), data.both("y")), ("none (2), 9/10 tests", "-"))

    def test_suspects_are_repeated_and_failures_are_not(self) -> None:
        for p, repetitions in ((0.5, []), (1 - 5e-5, [1, 2]), (1e-11, [])):
            with self.subTest(p=p):
                units = testu01.units_of_suspects(results("good", p), STREAMS)
                self.assertEqual([u.repetition for u in units], repetitions)


class Tiles(unittest.TestCase):
    """From the bins of the Ising test on tiles to deviations."""

    def test_two_bins(self) -> None:
        """Means D of 90 and 110 in bins of 10 steps: D is 100 with the error 10; <D^2> - <D>^2 is 200 in each bin alone."""
        bins = [tiles.Bin(10, 900, 10 * (90**2 + 200), 1), tiles.Bin(10, 1100, 10 * (110**2 + 200), 2)]
        row = tiles.evaluate(bins)
        unit = tiles.BETA**2 / tiles.SITES
        self.assertAlmostEqual(row.e, (tiles.ORIGIN + 100) / tiles.SITES, delta=1e-15)
        self.assertAlmostEqual(row.e_error, 10 / tiles.SITES, delta=1e-15)
        self.assertAlmostEqual(row.c, 300 * unit, delta=1e-12)
        self.assertAlmostEqual(row.c_error, 0, delta=1e-12)

    def test_error_of_the_specific_heat(self) -> None:
        """Bins with the mean 0 of D and the mean 100, 200 and 300 of D^2: the jackknife's error is that of a mean, 100 / sqrt(3)."""
        row = tiles.evaluate([tiles.Bin(10, 0, 10 * square, square) for square in (100, 200, 300)])
        unit = tiles.BETA**2 / tiles.SITES
        self.assertAlmostEqual(row.c / unit, 200, delta=1e-6)
        self.assertAlmostEqual(row.c_error / unit, 100 / math.sqrt(3), delta=1e-6)

    def test_bins_of_other_lengths(self) -> None:
        """D is 90 in a bin of 10 steps and 110 in one of 30: 105, by the weights 1/2 and 3/2 with the error 7.5."""
        row = tiles.evaluate([tiles.Bin(10, 900, 0, 1), tiles.Bin(30, 3300, 0, 2)])
        self.assertAlmostEqual(row.e, (tiles.ORIGIN + 105) / tiles.SITES, delta=1e-15)
        self.assertAlmostEqual(row.e_error, 7.5 / tiles.SITES, delta=1e-15)

    def test_lines(self) -> None:
        """A line that is there twice counts once, half a line not at all."""
        lines = ["mwc1 1 gpu 5 10 1 2", "mwc1 1 gpu 5 10 1 2", "mwc1 1 gpu 6 10 1 3", "mwc1 1 gpu 6 10", "# mwc1 1 gpu 7 10 1 2"]
        self.assertEqual(tiles.read_bins(lines), {("mwc1", 1, "gpu"): [tiles.Bin(10, 1, 2, 5), tiles.Bin(10, 1, 3, 6)]})

    def test_periodic_generator(self) -> None:
        """Where the sequence is soon over, bins of a seed share their numbers: they are one. Those of other generators are not."""
        lines = [f"{name} 1 gpu {seed} {steps} 4 9" for name in ("lcg32-skipped", "mwc1") for seed in (1, 2) for steps in (10, 20)]
        bins = tiles.read_bins(lines)
        self.assertEqual(bins["lcg32-skipped", 1, "gpu"], [tiles.Bin(30, 8, 18, 1), tiles.Bin(30, 8, 18, 2)])
        self.assertEqual(len(bins["mwc1", 1, "gpu"]), 4)

    def test_earlier_tables(self) -> None:
        """A row of a table counts with its steps beside the bins of the same generator, and stays as it is."""
        bins = ["mwc1 1 gpu 5 10 900 9000", "mwc1 1 gpu 6 10 1100 9000"]
        earlier = "mwc1 1 gpu - 60 3 - - -1.10500000 0.00000300 0.85000 0.00100 -"
        both = list(tiles.report([earlier, *bins], "abc"))[3:]
        alone = tiles.evaluate(tiles.read_bins(bins)["mwc1", 1, "gpu"])
        self.assertEqual(both[0], earlier)
        self.assertTrue(both[1].startswith("mwc1 1 gpu 5-6 20 2 2000 18000 ") and both[1].endswith(" abc"), both[1])
        self.assertEqual(list(tiles.report(both, "def"))[3:], both)
        self.assertEqual((tiles.last_seed([*bins, earlier]), tiles.last_seed(both)), (6, 6))
        row = tiles.combine(tiles.read_rows([*bins, earlier])["mwc1", 1, "gpu"])
        self.assertEqual((row.steps, row.bins), (80, 5))
        self.assertAlmostEqual(row.e, (60 * -1.105 + 20 * alone.e) / 80, delta=1e-12)
        self.assertAlmostEqual(row.e_error, math.hypot(60 * 3e-6, 20 * alone.e_error) / 80, delta=1e-12)

    def test_seeds_count_once(self) -> None:
        """A log that is in the table already is refused, and so is a table of the same seeds."""
        bins = ["mwc1 1 gpu 5 10 900 9000", "mwc1 1 gpu 8 10 1100 9000"]
        row = list(tiles.report(bins))[3]
        for second in (bins, [row.replace(" 5-8 ", " 8-9 ")]):
            with self.assertRaisesRegex(programs.Refused, "^mwc1:1: two runs with seed [58]$"):
                tiles.read_rows([row, *second])
        self.assertEqual(len(tiles.read_rows([row, row.replace(" 5-8 ", " 9-9 ")])["mwc1", 1, "gpu"]), 2)

    def test_student(self) -> None:
        """t = 2.262 of 9 degrees of freedom is exceeded with the probability of 1.96 (tables)."""
        self.assertAlmostEqual(tiles.z_of_student(2.262, 9), 1.960, delta=2e-3)

    def test_the_committed_page_of_the_papers(self) -> None:
        self.assertEqual("\n".join(papers.page()) + "\n", papers.PAGE.read_text())


    def test_what_is_left_to_do(self) -> None:
        """A row is done when its error is that of the published table: bins that do not scatter have none."""
        quiet = [f"lcg32-skipped 0 cpu {seed} 100 1 2" for seed in range(tiles.FEWEST_BINS)]
        names = [row[0] for row in tiles.unfinished("cpu", quiet)]
        self.assertEqual(names, ["lcg64-skipped", "fibonacci-521"])
        self.assertEqual(len(tiles.unfinished("cpu", quiet[1:])), 3)
        self.assertEqual(len(tiles.unfinished("gpu", quiet)), len(tiles.ROWS["gpu"]))

    def test_time_of_rows(self) -> None:
        """On a GPU one after another, while there are seconds, a second of each process before its first step; on the CPU side by
        side, with more processes than cores one after another."""
        rows = (("a", 1, 3), ("b", 0, 1))
        self.assertEqual(tiles.plan_gpu(rows, 80), [("a", 1, 3, 0), ("b", 0, 1, 1)])
        self.assertEqual(tiles.plan_gpu((("a", 1, 30), ("b", 1, 9), ("c", 1, 9)), 36), [("a", 1, 30, 0), ("b", 1, 4, 1)])
        self.assertEqual(tiles.plan_gpu((("lcg32-skipped", 0, 9),), 80), [("lcg32-skipped", 0, 9, 0)])
        self.assertEqual(tiles.plan_gpu(rows, 1), [("a", 1, 0, 0)])  # a second, as run() has it
        self.assertEqual(tiles.plan_gpu((("lcg32-skipped", 1, 4),), 80), [("lcg32-skipped", 1, 1.5, 0), ("lcg32-skipped", 1, 1.5, 1)])
        self.assertEqual(tiles.plan_cpu(rows, 80, 4), [("a", 1, 80, 0), ("a", 1, 80, 1), ("a", 1, 80, 2), ("b", 0, 80, 3)])
        self.assertEqual(tiles.plan_cpu(rows, 80, 1), [("a", 1, 40, 0), ("b", 0, 40, 1)])

    def test_seconds_left(self) -> None:
        """A quarter of the steps is there: three quarters are left, at 100e9 flips a second; one that has all gets a tenth."""
        wanted = tiles.steps_wanted(1)
        lines = [f"{name} 1 gpu - {part * wanted:.0f} 9 - - -1.1 0.000002 0.86 0.001 -" for name, part in (("lcg64", 0.25), ("mwc1", 2))]
        speed = ["# a comment", "lcg64 64 1 2 100 1000", "mwc1 96 1 2 100 1000", "lcg32-skipped 32 1 2 100 1000"]
        all_of_it = tiles.SPARE * wanted * tiles.SITES / 100e9
        left = tiles.seconds_left((("lcg32-skipped", 1, 1), ("lcg64", 1, 1), ("mwc1", 1, 1)), lines, speed)
        self.assertEqual([name for name, _, _ in left], ["mwc1", "lcg64", "lcg32-skipped"])
        for (_, _, seconds), part in zip(left, (0.1, 0.75, 1)):
            self.assertAlmostEqual(seconds, part * all_of_it, delta=1e-6 * all_of_it)
        self.assertAlmostEqual(tiles.step_seconds(100, (100, 1000)), 1e-9 * tiles.SITES * 100 / 1000, delta=1e-12)


class OwnGenerator(unittest.TestCase):
    """GENERATOR=my.c."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.example = Path("validate/rng/example_generator.c").read_text()

    def prepare(self, name: str, text: str) -> str:
        """What is said of a file with this text; nothing if it is a generator."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        try:
            own.prepare(str(path), self.folder / "build")
        except programs.Refused as refused:
            self.assertNotIn("\n", str(refused))
            return str(refused).removeprefix(f"GENERATOR={path}: ")
        return ""

    def test_the_example(self) -> None:
        """Under a name with blanks, twice: the file that make sees stays as it is."""
        self.assertEqual(self.prepare("a folder/my own.c", self.example), "")
        wrapper = self.folder / "build" / own.WRAPPER
        before = wrapper.stat().st_mtime_ns
        self.assertEqual(self.prepare("a folder/my own.c", self.example), "")
        self.assertEqual(wrapper.stat().st_mtime_ns, before)

    def test_what_is_no_generator(self) -> None:
        for name, text, says in (
            ("my.txt", self.example, "the name of a C file ends in .c"),
            ("my.c", self.example.replace("external_next", "next"), "external_next missing (validate/rng/external.h)"),
            ("my.c", self.example + "int main(void) { return 0; }", "has a main, which the programs have already"),
            ("my.c", "int f(void);" + self.example.replace(">> 32", ">> f()"), "undefined reference to `f'"),
            ("my.c", self.example.replace("sizeof(uint64_t)", "1 << 21"), "external_state_bytes: allowed are at most 1048576"),
            ("my.c", self.example.replace("return (uint32_t)", "*(volatile int *)0 = 1; return (uint32_t)"),
             "drawing its first 1000 numbers was ended by signal 11 (Segmentation fault)"),
            ("my.c", self.example.replace("mix(*(uint64_t *)state +=", "mix(((uint64_t *)state)[1] +="), "writes behind the external_state_bytes of a state"),
            ("my.c", self.example.replace("*(uint64_t *)state +=", "all +=").replace("static", "static uint64_t all; static"),
             own.COMPLAINTS[100]),
            ("my.c", self.example.replace("+ thread", ""), own.COMPLAINTS[101]),
            ("my.c", self.example.replace("mix(seed)", "mix(1)"), own.COMPLAINTS[101]),
            ("my.c", self.example.replace("mix(seed) + thread", "seed + thread"), own.COMPLAINTS[101]),
            ('m"y.c', self.example, "no quotation marks, backslashes or ends of line in a name"),
        ):
            with self.subTest(says=says):
                self.assertEqual(self.prepare(name, text), says)
        loop = self.example.replace("return (uint32_t)", "for (;;) (void)mix; return (uint32_t)")
        with mock.patch.object(own, "SECONDS", 0.3):
            self.assertEqual(self.prepare("my.c", loop), "its first 1000 numbers took more than 0.3 s")
        for text in ("int main( {", "hello", "\0\1\n\2", self.example.replace("uint32_t external_next", "int external_next")):
            with self.subTest(text=text):
                self.assertRegex(self.prepare("my.c", text), "^(line [1-9]|.*generator.c:3).*error:")

    def test_verdict_of_the_ising_test(self) -> None:
        """A deviation of 10 errors in 20 bins fails, in one order too; without it, both orders have to be there."""
        exact = tiles.Row(100, 20, tiles.EXACT_E, 1e-6, tiles.EXACT_C, 1e-3)
        wrong = tiles.Row(100, 20, tiles.EXACT_E, 1e-6, tiles.EXACT_C + 1e-2, 1e-3)
        for rows, word in (([exact, exact], "passed"), ([exact], "undecided"), ([], "undecided"), ([wrong], "FAILED"), ([exact, wrong], "FAILED")):
            self.assertEqual(tiles.judge_rows(rows, 5, 5.4), word)

    def test_each_part_decides(self) -> None:
        """All of make rng GENERATOR= after the batteries: one part that fails fails the whole, and has its word."""
        program = {"rng_lags external": "lags", "rng_lags external-threads": "lags", "rng_annealing -g external": "population annealing"}
        for wrong in (None, *program, "Ising test"):
            said = io.StringIO()
            with mock.patch.object(testu01, "PROGRAM", Path("none")), mock.patch.object(
                tiles, "judge_external", lambda *_: "FAILED" if wrong == "Ising test" else "passed"
            ), mock.patch.object(
                rng.subprocess, "run",
                lambda command, **_: subprocess.CompletedProcess(command, " ".join(command).endswith(f"/{wrong}")),
            ), mock.patch.object(rng, "all_streams", lambda: EXTERNAL), contextlib.redirect_stdout(said):
                status = rng.command_external([])
            words = dict(line.split(": ") for line in said.getvalue().splitlines()[1:])
            self.assertEqual(words, {
                name: "FAILED" if name == program.get(wrong or "", wrong) else "passed" for name in ("lags", "Ising test", "population annealing")
            })
            self.assertEqual(status, 1 if wrong else 0)

    def test_crash(self) -> None:
        """The signal has a name."""
        self.assertEqual(programs.how_it_ended(-11), "was ended by signal 11 (Segmentation fault)")
        self.assertEqual(programs.how_it_ended(3), "has status 3")


class Streams(unittest.TestCase):
    """Which streams words mean."""

    def names(self, *words: str) -> list[str]:
        return [s.name for s in streams.choose_streams(words, STREAMS)]

    def test_words(self) -> None:
        self.assertEqual(self.names("all"), ["bad", "good", "philox7-x", "worse"])
        self.assertEqual(self.names("reversed", "good-reversed"), ["good-reversed"])
        self.assertEqual(self.names("lanes"), ["good-lane-7", "good-lane-7-reversed"])
        self.assertEqual(self.names("worse", "bad-reversed"), ["bad-reversed", "worse"])
        self.assertEqual(STREAMS[0].order, "sites; of a replica")

    def test_a_check_repeats_what_has_not_passed(self) -> None:
        """A stream that is always tested, controls, other numbers than those that passed, no result; not the same."""
        battery = streams.Battery("smallcrush", 3, (), ("philox7-x",), 2)
        passed = {"good": "00000001", "philox7-x": "00000004", "good-lane-7": "00000006"}
        anew = streams.unknown_streams(battery, STREAMS, passed)
        self.assertEqual([s.name for s in anew], ["bad", "worse", "philox7-x", "good-lane-7"])
        units = testu01.first_units(battery, anew[:2], briefly=True)
        self.assertEqual([(u.stream.name, u.test) for u in units], [("bad", 2)] + [("worse", n) for n in (1, 2, 3)])
        self.assertEqual(len(testu01.first_units(battery, anew[:2], briefly=False)), 6)

    def test_what_passed_is_read_with_its_fingerprint(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
            judged = [verdict_of("good", 0.5), verdict_of("good-lane-7", 1e-12), verdict_of("bad", 2e-12)]
            file.write("\n".join(verdicts.report(SMALL, judged)))
            file.flush()
            self.assertEqual(table.read_battery(Path(file.name)).passed, {"good": "00000001"})

    def test_unknown(self) -> None:
        for word in ("goo", "-reversed", "good-reversed-reversed"):
            with self.subTest(word=word), self.assertRaises(programs.Refused):
                self.names(word)

    def test_the_longest_come_first(self) -> None:
        units = [testu01.Unit(s, t, STREAMS[0], 0) for s, t in ((1, 1), (20, 3), (20, 2), (3, 4))]
        self.assertEqual([u.test for u in testu01.longest_first(units)], [2, 3, 4, 1])


class Jobs(unittest.TestCase):
    """The scheduler, with small shells."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def job(self, name: str, script: str, seconds: float = 0) -> jobs.Job:
        """A job that runs a script in the folder."""
        return jobs.Job(("sh", "-c", f"cd {self.folder}; {script}"), self.folder / name, name, seconds)

    def logs(self) -> list[str]:
        """What is in the folder."""
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_log_is_complete_and_made_once(self) -> None:
        jobs.run_jobs([self.job("log", "echo one; echo two >&2")], 2)
        jobs.run_jobs([self.job("log", "echo again")], 2)
        self.assertEqual((self.folder / "log").read_text(), "one\ntwo\n")
        self.assertEqual(self.logs(), ["log"])

    def test_a_failure_has_no_log(self) -> None:
        said, sys.stderr = sys.stderr, open(os.devnull, "w")
        try:
            jobs.run_jobs([self.job("bad", "echo why; exit 3"), self.job("good", "exit 0")], 1)
        finally:
            sys.stderr.close()
            sys.stderr = said
        self.assertEqual(self.logs(), ["bad.part", "good"])

    def test_not_more_at_once_than_allowed(self) -> None:
        alone = "mkdir alone && sleep 0.05 && rmdir alone"
        jobs.run_jobs([self.job(f"{n}", alone) for n in range(4)], 1)
        self.assertEqual(self.logs(), ["0", "1", "2", "3"])

    def test_side_by_side(self) -> None:
        """Each of two waits for the other."""
        meet = "touch {}; while [ ! -e {} ]; do sleep 0.01; done"
        pair = [self.job("1", meet.format("a", "b")), self.job("2", meet.format("b", "a"))]
        jobs.run_jobs(pair, 2, time.monotonic() + 60)
        self.assertEqual(self.logs(), ["1", "2", "a", "b"])

    def test_the_end(self) -> None:
        """What would not be done is not begun, what is not is stopped; neither leaves anything."""
        work = [self.job("long", "touch long.begun", 1000), self.job("short", "exec sleep 1000")]
        jobs.run_jobs(work, 2, time.monotonic() + 1)
        self.assertEqual(self.logs(), [])

    def test_a_job_that_does_not_end(self) -> None:
        """It stops all, after a time that is long beside what is known of it; where nothing is known, it goes on."""
        endless, unknown = self.job("endless", "exec sleep 1000", 0.001), self.job("unknown", "sleep 0.3")
        self.assertEqual((endless.limit, self.job("long", "", 20).limit, unknown.limit), (600, 1200, math.inf))
        with mock.patch.object(jobs, "LEAST_S", 0.1):
            jobs.run_jobs([unknown], 1)
            with self.assertRaisesRegex(programs.Refused, "endless: not over after 0.1 s, where 0.001 s are known; all is stopped"):
                jobs.run_jobs([endless, self.job("beside", "exec sleep 1000")], 2)
        self.assertEqual(self.logs(), ["unknown"])

    def interrupted(self, number: int) -> None:
        """Runs the scheduler in a process of its own, with a job that is at work, and ends it."""
        script = "echo $$ >pid.new; mv pid.new pid; exec sleep 1000"
        program = (
            "import sys; sys.dont_write_bytecode = True; from pathlib import Path\n"
            "from battery.jobs import Job, run_jobs\n"
            f"run_jobs([Job({self.job('log', script).command!r}, Path({str(self.folder / 'log')!r}), 'x')], 1)"
        )
        scheduler = subprocess.Popen([sys.executable, "-c", program], cwd=HERE)
        while not (self.folder / "pid").exists() and scheduler.poll() is None:
            time.sleep(0.01)
        scheduler.send_signal(number)
        self.assertEqual(scheduler.wait(), 128 + number)
        self.assertEqual(self.logs(), ["pid"])
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)

    def test_interrupts(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                self.interrupted(number)
                (self.folder / "pid").unlink()


class Programs(unittest.TestCase):
    """What is made of programs: of small shells that stand for them."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, text: str, name: str = "program") -> Path:
        """A program."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def test_a_battery(self) -> None:
        """A log a test; what looks suspicious is repeated twice; what was done is not done again, but for other numbers."""
        program = self.script('[ $3.$4 = 2.0 ] && p=5e-5 || p=0.5$4; echo "result $1 $2 $3 $4 $p 0.5 Gap"; echo >>$0.runs')
        battery, good = streams.Battery("smallcrush", 3, ()), STREAMS[0]
        for _ in range(2):
            with mock.patch.object(testu01, "PROGRAM", program):
                testu01.run_battery(battery, [good], self.folder, 2, math.inf)
        done = testu01.read_results(self.folder, battery, [good])
        self.assertEqual(
            [(r.test, r.repetition, r.p) for r in done], [(1, 0, 0.5), (2, 0, 5e-5), (2, 1, 0.51), (2, 2, 0.52), (3, 0, 0.5)]
        )
        self.assertEqual(len(Path(f"{program}.runs").read_text()), 5)
        self.assertEqual(testu01.read_results(self.folder, battery, [replace(good, fingerprint="00000009")]), [])

    def test_a_failure_is_a_status(self) -> None:
        """Of test, check and external, in any order, forwards or reversed."""
        def results_of(_: Path, battery: streams.Battery, chosen: Sequence[streams.Stream]) -> list[verdicts.Result]:
            return [
                verdicts.Result(s.name, n, 0, 1e-12 if s.name in ("bad", wrong) else 0.5, 1, "Gap")
                for s in chosen for n in range(1, battery.tests + 1)
            ]  # fmt: skip

        orders = [s.name for e in EXTERNAL for s in (e, e.reversed())]
        for command, words, names in (
            (rng.command_test, ["smallcrush", "good", "bad"], ["good"]), (rng.command_check, [], ["good"]),
            (rng.command_external, [], orders),
        ):  # fmt: skip
            for wrong in ("", *names):
                with self.subTest(command=command, wrong=wrong), contextlib.ExitStack() as stack:
                    for where, name, stands in (
                        (testu01, "PROGRAM", HERE), (testu01, "run_battery", lambda *_, **__: None), (testu01, "read_results", results_of),
                        (rng, "CHECK_LOGS", self.folder / "logs"), (tiles, "judge_external", lambda *_: "passed"),
                        (rng, "passes", lambda *_: True), (rng, "all_streams", lambda: [*STREAMS, *EXTERNAL]),
                    ):  # fmt: skip
                        stack.enter_context(mock.patch.object(where, name, stands))
                    stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
                    self.assertEqual(command(words), 1 if wrong else 0)

    def test_a_run_on_tiles_goes_on(self) -> None:
        """Seeds follow those of the table and of the log, as many lattices apart; bins are added; a process that fails is no success."""
        log, words = self.folder / "logs" / "tiles.log", ["mwc1:1", "lcg64:1"]
        (self.folder / tiles.TABLE).write_text("xorwow 1 gpu 100050-100060 60 3 - - -1.1 0.000003 0.85 0.001 -\n")
        program = self.script('echo "$2 $3 $6 $5 $4 1 2"')
        for name in ("", "", "lcg64-skipped:0"):
            with mock.patch.object(tiles, "PROGRAM", str(program)), contextlib.redirect_stderr(io.StringIO()):
                self.assertTrue(tiles.run(80, [name, "lcg64:1"] if name else words, "gpu", 2, log, self.folder))
        seeds = [int(line.split()[3]) for line in log.read_text().splitlines()]
        first, many = 100061, tiles.SEEDS_IN_SEQUENCE
        self.assertEqual(seeds, [first, first + 16, first + 17, first + 33, first + 34, first + 34 + many])
        with mock.patch.object(tiles, "PROGRAM", "false"), contextlib.redirect_stderr(io.StringIO()):
            self.assertFalse(tiles.run(80, words, "cpu", 2, log, self.folder))

    def test_ising_test_of_both_orders(self) -> None:
        """Eight bins on tiles and eight in sequence, all near the exact values; one order has too few, or is wrong."""
        for few, wrong, word in (("-", "-", "passed"), (0, "-", "undecided"), (1, "-", "undecided"), ("-", 0, "FAILED"), ("-", 1, "FAILED")):
            program = self.script(
                f"last=8; off=0; [ $3 = {few} ] && last=7; [ $3 = {wrong} ] && off=3000\nfor n in $(seq $last); do\n"
                '  echo "$2 $3 $6 $n $4 $((n % 2 * 600 - 300 + off)) $((282363450 + n % 2 * 2000000 - 1000000))"\ndone'
            )
            with self.subTest(few=few, wrong=wrong), mock.patch.object(tiles, "PROGRAM", str(program)):
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(tiles.judge_external(5, self.folder / "external.log", ising.LARGEST_Z), word)

    def test_sweeps_of_a_profile(self) -> None:
        with mock.patch.object(ising, "PROGRAM", str(self.script('echo "$@"'))):
            ising.run_generators([ising.Generator("x", "pass", self.folder / "x")], "long", 1)
        self.assertEqual((self.folder / "x").read_text(), "x 20\n")

    def test_programs_that_do_not_end(self) -> None:
        """The user's own generator may stop in any of them."""
        for name in ("rng_streams", "rng_lags"):
            self.script("exec sleep 1000", name)
        for where, call in (
            (streams, streams.all_streams), (rng, lambda: rng.passes("rng_lags", "external")),
            (tiles, lambda: tiles.judge_external(0, self.folder / "log", 5.4)),
        ):  # fmt: skip
            with self.subTest(where=where), mock.patch.object(where, "LEAST_S", 0.2), mock.patch.object(
                where, "BUILD", self.folder
            ), mock.patch.object(tiles, "PROGRAM", str(self.script("exec sleep 1000"))):
                with self.assertRaisesRegex(programs.Refused, "not over after 0.2 s$"):
                    call()

    def test_programs_that_fail(self) -> None:
        """Status 1 is a verdict; another end is said."""
        for script, says in (("exit 0", ""), ("exit 1", ""), ("kill -9 $$", "rng: rng_lags external was ended by signal 9 (Killed)\n")):
            self.script(script, "rng_lags")
            said = io.StringIO()
            with self.subTest(script=script), mock.patch.object(rng, "BUILD", self.folder), contextlib.redirect_stderr(said):
                self.assertEqual(rng.passes("rng_lags", "external"), script == "exit 0")
                self.assertEqual(said.getvalue(), says)


class Ising(unittest.TestCase):
    """The verdict on a generator."""

    def word(self, expected: str, z_e: float, z_c: float) -> str:
        """The verdict on a result with these deviations."""
        with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
            file.write(f"x 600 32 -1.1 0.1 -1.1 0 {z_e} 0.8 0.1 0.8 0 {z_c}\n")
            file.flush()
            return ising.Generator("x", expected, Path(file.name)).verdict()

    def test_words(self) -> None:
        for expected, z, word in (
            ("pass", (5.3, -5.3), "passed"),
            ("pass", (5.5, 0), "FAILED"),
            ("pass", (0, -5.5), "FAILED"),
            ("pass", (float("nan"), 0), "FAILED"),
            ("fail", (5.3, 0), "NOT-CAUGHT"),
            ("fail", (-10, 0), "fails,as-known"),
            ("either", (0, 0), "control,passes"),
            ("either", (9, 0), "control,fails"),
        ):
            with self.subTest(expected=expected, z=z):
                self.assertEqual(self.word(expected, *z), word)

    def test_nothing_measured(self) -> None:
        missing = ising.Generator("x", "pass", HERE / "no such file")
        self.assertEqual(missing.verdict(), "missing")
        self.assertFalse(ising.as_expected([missing]))


class Commands(unittest.TestCase):
    """rng.py as it is called, and the committed results."""

    def test_the_page_is_that_of_the_data(self) -> None:
        page = "\n".join(table.page(streams.all_streams()))
        self.assertEqual((table.RESULTS / table.PAGE).read_text(), f"{page}\n")

    def test_what_was_tested(self) -> None:
        """As findings.md says: engines' streams in SmallCrush, forwards and reversed, and those of Philox and of strips in Crush."""
        small, crush = (table.read_battery(table.RESULTS / f"{name}.dat").passed for name in ("smallcrush", "crush"))
        all_streams = streams.all_streams()
        must_pass = [s.name for s in all_streams if s.expected == "pass" and not s.external]
        philox = [s.name for s in all_streams if s.expected == "pass" and s.generator.startswith("Philox")]
        strips = [f"mwc-{order}{end}" for order in ("strips", "strip", "lane", "lanes", "points") for end in ("", streams.REVERSED)]
        in_use = [s.reversed().name for s in all_streams if s.in_use]
        self.assertEqual([name for name in must_pass + in_use if name not in small], [])
        self.assertEqual([name for name in philox + strips if name not in crush], [])

    def test_results_are_those_of_the_numbers(self) -> None:
        """Controls and the table's generators draw what they drew in SmallCrush; `rng.py check` sees to streams in use."""
        rows = table.BatteryFile.of((table.RESULTS / "smallcrush.dat").read_text().splitlines()).rows
        others = [s for s in streams.all_streams() if not s.in_use and not s.external]
        self.assertEqual({s.name: s.fingerprint for s in others}, {s.name: rows[s.name].split()[-1] for s in others})

    def test_cpu_and_gpu_have_the_same_bits(self) -> None:
        gpu = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], stdout=-1, stderr=-1, check=False).returncode == 0
        if not gpu or not Path(tiles.PROGRAM).exists():
            self.skipTest("no GPU here")
        same = subprocess.run([tiles.PROGRAM, "same"], stdout=-1, stderr=-1, text=True, check=False)
        self.assertEqual((same.returncode, same.stderr), (0, ""))

    def test_annealing_and_lags(self) -> None:
        """Good numbers pass; one sequence of LCG32 that is dealt out to threads, and its lowest bit, are found."""
        commands = {("rng_annealing", "-g", "lcg64"): 0, ("rng_annealing", "-g", "lcg32-skipped"): 1,
                    ("rng_lags", "ssc-sites"): 0, ("rng_lags", "lcg32"): 1}  # fmt: skip
        running = {words: subprocess.Popen([streams.BUILD / words[0], *words[1:]], stdout=-1, text=True) for words in commands}
        said = {words: process.communicate()[0] for words, process in running.items()}
        self.assertEqual({words: process.returncode for words, process in running.items()}, commands)
        self.assertIn("lcg64 passed", said["rng_annealing", "-g", "lcg64"])
        self.assertRegex(said["rng_lags", "lcg32"], "limit 6.85: bit 0, lag 1\n$")

    def test_bins_on_tiles(self) -> None:
        """Lattices in sequence have seeds and spins of their own. One sequence of LCG32, dealt out, has an energy 0.0115 too high
        (results/papers.md), where a mean of 50 steps is known to 0.0005."""
        words = (("lcg64", "0", "1", "7"), ("lcg32-skipped", "1", "50", "7"))
        running = [subprocess.Popen([tiles.PROGRAM, "ising", *w, "cpu", "1"], stdout=-1, text=True) for w in words]
        many, one = (tiles.read_bins(process.communicate()[0].splitlines()) for process in running)
        first = many["lcg64", 0, "cpu"][:4]
        self.assertEqual([b.seed for b in first], [7, 8, 9, 10])
        self.assertEqual(len({b.sum for b in first}), 4)
        mean = tiles.a_bin_a_seed(one["lcg32-skipped", 1, "cpu"])[0]
        self.assertAlmostEqual(mean.sum / mean.steps / tiles.SITES, 0.0115, delta=0.003)

    def test_errors_of_the_ising_test(self) -> None:
        """They fall with the root of the sweeps, as in results/ising.dat: of e 0.0081 and of C 4.2 at one sweep, within a factor of 2. The
        deviations are those of the values in these errors."""
        said = subprocess.run([ising.PROGRAM, "lcg64-random", "0.1"], stdout=-1, text=True, check=True).stdout
        sweeps, _, *numbers = map(float, said.split()[1:])
        for (value, error, exact, deviation, z), at_one in zip((numbers[:5], numbers[5:]), (0.0081, 4.2)):
            self.assertAlmostEqual(math.log2(error / at_one * math.sqrt(sweeps)), 0, delta=1)
            self.assertAlmostEqual(deviation, (value - exact) / error, delta=0.006)
            self.assertAlmostEqual(z, tiles.z_of_student(deviation, 19), delta=0.02)

    def refused(self, words: Sequence[str], says: str, **settings: str) -> None:
        """Claims that a command is refused in one line."""
        with self.subTest(words=words, settings=settings), tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "LOGS": folder, **settings}
            command = subprocess.run(
                [sys.executable, HERE / "rng.py", *words], env=environment, stdout=-1, stderr=-1, text=True, check=False
            )
            self.assertEqual((command.returncode, command.stdout), (2, ""))
            self.assertEqual(command.stderr.rstrip("\n"), f"rng: {says}")

    def test_refusals(self) -> None:
        self.refused(["test", "mediumcrush"], "battery 'mediumcrush': smallcrush, crush or bigcrush")
        self.refused(["test", "crush", "x"], "stream 'x': not one of those that build/rng_streams names")
        with tempfile.TemporaryDirectory() as build:  # programs of another folder, as with make BUILD=
            listing = Path(build) / "rng_streams"
            listing.write_text("#!/bin/sh\necho 'mine pass 0 a generator; an order'\n")
            listing.chmod(0o755)
            self.refused(["test", "crush", "x"], f"stream 'x': not one of those that {build}/rng_streams names", BUILD=build)
        self.refused(["test"], "JOBS=0: a whole number from 1 on", JOBS="0")
        self.refused(["test"], "MINUTES=a: a whole number from 1 on", MINUTES="a")
        self.refused(["ising", "short"], "profile 'short': brief, quick or long")
        self.refused(["ising", "long", "x"], "'x': one word too many")
        self.refused(["tiles", "mwc1"], "'mwc1': GENERATOR:HITS")
        self.refused(["tiles"], "DEVICE=tpu: gpu or cpu", DEVICE="tpu")
        self.refused(["tiles-table"], "tiles-table: FILE...")
        self.refused(["tiles-table", "none.log"], "[Errno 2] No such file or directory: 'none.log'")
        self.refused(["test"], "[Errno 2] No such file or directory: 'none/rng_streams'", BUILD="none")
        self.refused(["generator"], "GENERATOR=none.c: no file that can be read", GENERATOR="none.c")
        self.refused(["table", "short"], "profile 'short': brief, quick or long")


if __name__ == "__main__":
    os.chdir(HERE.parents[1])
    done = unittest.main(exit=False, verbosity=2).result
    wrong = {getattr(test, "test_case", test) for test, _ in done.failures + done.errors}
    skipped = len(done.skipped)
    print(f"{done.testsRun - len(wrong) - skipped} passed, {len(wrong)} failed, {skipped} skipped")
    sys.exit(0 if done.wasSuccessful() else 1)
