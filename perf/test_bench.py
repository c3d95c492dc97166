#!/usr/bin/env python3
"""Tests of the benchmark, its regression gate and the pages of its results, without a GPU: a script stands
for the program on one, runs it on the CPU and makes up its time.

    perf/test_bench.py build/paising

One line a case: ok or FAIL. Status 1 if a case failed."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True

from bench import cli, gate, paper, planes, profile, readme, tables
from bench.book import open_book
from bench.common import data_lines
from bench.points import Point, list_points, read_points
from bench.results import Results, parse_results, read_results
from bench.sources import open_source

TOP = Path(__file__).resolve().parents[1]
SCRATCH = Path(tempfile.mkdtemp())
H200 = TOP / "perf/baselines/nvidia-h200.dat"
HYBRID = "gpu-ssc-L128-R10000-t1-hybrid"

# A program on a GPU that does not exist. A run has 10^13 flips and 1 s of sweeps on the device. t_SF is 0.12 ps, plus
# 0.2% times -2, -1, 0, 1 or 2, a run after the other. `fault` is code that may change the result.
PROGRAM = """#!{python} -SE
import json, subprocess, sys, time
from pathlib import Path
words, options, stages, calls = sys.argv[1:], [], "fused", Path("{scratch}/calls")
while words:
    word = words.pop(0)
    if word in ("-D", "--stages"):
        value = words.pop(0)
        stages = value if word == "--stages" else stages
    else:
        options.append(word)
call = int(calls.read_text()) + 1
calls.write_text(str(call))
subprocess.run(["{paising}", "-D", "cpu", *options], check=True)
folder = Path(options[options.index("-o") + 1])
rows = folder / "PA_results_run_0.dat"
said = json.loads((folder / "run.json").read_text())
said.update(engine="MSC on Test GPU 9", driver="1.0", t_SF_ns=0.00012 * (1 + 0.002 * (call % 5 - 2)), spin_flips=1e13)
said["seconds"] = dict(said["seconds"], resample=None, sweep=1, measure=None, step=None)
(folder / "run.json").write_text(json.dumps(said))
{fault}
"""
SPOIL = "rows.write_text(rows.read_text().replace('1', '7'))"

POINTS = """# id device coding model L R theta p mode dbeta beta_end stages check tables
gpu-one gpu ssc square 16 40 1 - - 0.1 0.5 fused apart 2,3
gpu-two gpu msc square 16 64 2 32 independent 0.1 0.5 apart fused 4
cpu-three cpu msc glass2d 16 64 2 32 shared 0.1 0.3 - thread 1
"""


def bench(*arguments: object) -> tuple[int, str]:
    """A command's status, and what it says."""
    done = subprocess.run([sys.executable, TOP / "perf/paising-bench", *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)
    return done.returncode, done.stdout


def measuring(name: str, fault: str = "") -> list[object]:
    """The arguments that measure a program with a fault into SCRATCH/name. The ceilings are made up, too."""
    folder, program = SCRATCH / name, SCRATCH / f"program-{len(fault)}"
    program.write_text(PROGRAM.format(python=sys.executable, paising=PAISING, scratch=SCRATCH, fault=fault))
    program.chmod(0o755)
    folder.mkdir(exist_ok=True)
    (folder / "ceiling.dat").write_text("copy 1000 byte/s nan 0\nphilox 100 call/s nan 0\nplanes 1000 word/s nan 0\n")
    (SCRATCH / "points.dat").write_text(POINTS)
    (SCRATCH / "calls").write_text("0")
    return ["measure", "--program", program, "--points", SCRATCH / "points.dat", "--output", folder]


def measured(name: str) -> Path:
    """SCRATCH/name with results of the program without a fault."""
    if not (SCRATCH / "good/results.dat").exists():
        bench(*measuring("good"))
    return shutil.copytree(SCRATCH / "good", SCRATCH / name)


def contents(name: str) -> dict[str, str]:
    """The points of a benchmark, by their files."""
    return {file.name: file.read_text() for file in (SCRATCH / name / "points").glob("*.dat")}


class Measuring(unittest.TestCase):
    """The benchmark."""

    def test_median_least_and_largest_of_five_runs(self) -> None:
        rows = read_results(measured("a")).rows
        self.assertEqual({(row["t_SF/ps"], row["min/ps"], row["max/ps"]) for row in rows}, {("0.12", "0.11952", "0.12048")})
        self.assertEqual([len(data_lines(text)) for text in contents("a").values()], [5, 5, 5])
        self.assertEqual([row["planes"] != "" for row in rows], [False, True, False])

    def test_a_complete_benchmark_is_left_alone_and_an_incomplete_one_goes_on(self) -> None:
        tables.write_tables(measured("b"))
        before = contents("b")
        status, said = bench(*measuring("b"))
        self.assertEqual((status, contents("b")), (0, before))
        self.assertIn("is complete", said)
        (SCRATCH / "b/points/gpu-two.dat").unlink()
        (SCRATCH / "b/results.dat").unlink()
        self.assertEqual(bench(*measuring("b", "folder"))[0], 0)
        after = contents("b")
        self.assertNotEqual(after.pop("gpu-two.dat"), before.pop("gpu-two.dat"))
        self.assertEqual(after, before)
        self.assertEqual(len(read_results(SCRATCH / "b").rows), 3)

    def test_ended_by_sigterm_it_leaves_whole_files_only(self) -> None:
        endless = "if 'msc' in options: time.sleep(3600)"  # the second point
        arguments = [sys.executable, TOP / "perf/paising-bench", *map(str, measuring("c", endless))]
        with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (SCRATCH / "c/points/gpu-one.dat").exists():
                time.sleep(0.02)
            process.send_signal(signal.SIGTERM)
        self.assertEqual(process.returncode, 143)
        self.assertEqual({name: len(data_lines(text)) for name, text in contents("c").items()}, {"gpu-one.dat": 5})
        self.assertFalse(list((SCRATCH / "c").rglob(".new")) + list((SCRATCH / "c").glob("results.dat")))

    def test_processes_share_the_points(self) -> None:
        endless = "if 'msc' in options: time.sleep(3600)"  # gpu-two
        arguments = measuring("k", endless)
        gpu_points = SCRATCH / "gpu-points.dat"
        gpu_points.write_text("".join(POINTS.splitlines(True)[:3]))
        arguments[arguments.index("--points") + 1] = gpu_points
        with subprocess.Popen([sys.executable, TOP / "perf/paising-bench", *map(str, arguments)], stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (SCRATCH / "k/points/gpu-one.dat").exists():
                time.sleep(0.02)
            try:
                arguments = measuring("k")
                arguments[arguments.index("--points") + 1] = gpu_points
                status, said = bench(*arguments)
            finally:
                process.terminate()
        self.assertEqual((status, said.count("\n")), (0, 1), said)
        self.assertIn("1 points", said)
        self.assertFalse((SCRATCH / "k/results.dat").exists())
        self.assertEqual(bench(*arguments)[0], 0)
        self.assertEqual(len(read_results(SCRATCH / "k").rows), 2)

    def test_a_run_with_other_bytes_is_wrong_and_no_result(self) -> None:
        status, said = bench(*measuring("d", f"if call == 4: {SPOIL}"))
        self.assertEqual(status, 1)
        self.assertIn("#wrong", said)
        results = read_results(SCRATCH / "d")
        self.assertEqual([row["id"] for row in results.rows], ["gpu-two", "cpu-three"])
        self.assertRegex(results.missing[0], "^#wrong gpu-one .*run 2 has other")

    def test_a_long_run_is_timed_once(self) -> None:
        arguments = measuring("l", "said['seconds']['total'] = 9.0; (folder / 'run.json').write_text(json.dumps(said))")
        one = SCRATCH / "one-point.dat"
        one.write_text("".join(POINTS.splitlines(True)[:2]))
        arguments[arguments.index("--points") + 1] = one
        self.assertEqual(bench(*arguments)[0], 0)
        self.assertEqual([row["runs"] for row in read_results(SCRATCH / "l").rows], ["1"])

    def test_stages_with_other_bytes_are_wrong_and_measured_again(self) -> None:
        self.assertEqual(bench(*measuring("e", f"if stages != 'fused': {SPOIL}"))[0], 1)
        self.assertRegex(read_results(SCRATCH / "e").missing[-1], "^#wrong gpu-two .*fused")
        self.assertEqual(bench(*measuring("e"))[0], 0)
        self.assertEqual(read_results(SCRATCH / "e").missing, [])
        file = SCRATCH / "e/machine.dat"
        file.write_text(file.read_text().replace("Test GPU", "another"))
        status, said = bench(*measuring("e"))
        self.assertEqual((status, "--force" in said), (2, True))

    def test_what_is_not_allowed_is_refused_in_one_line(self) -> None:
        for arguments in ("", "nonsense", "measure --profile nonsense", "measure --devise cpu", "gate --device",
                          "measure --device gpu", "measure --program /nonexistent", "tables /nonexistent", "gate more",
                          "profile --device cpu"):
            status, said = bench(*arguments.split())
            self.assertEqual((status, said.count("\n")), (2, 1), said)
        for option, value, program in (("--minutes", "nan", "/nonexistent"), ("--minutes", "-1", "/nonexistent"),
                                       ("--device", "cpu", "/bin/false")):
            status, said = bench("scaling", option, value, "--program", program, "--output", str(SCRATCH / "none"))
            self.assertEqual(status, 2)
            self.assertRegex(said, f"^paising-bench: {option} {value}: .+\n$")
        self.assertEqual(bench("--help")[0], 0)

    def test_what_cannot_be_exchanged_is_refused_in_one_line(self) -> None:
        program = PAISING.parent / "exchange_volume"
        for arguments in ("17 1000 1 0.5 2", "16 x 1 0.5 2", "16 1000 0 0.5 2", "16 1000 1 0.001 2", "16 1000 1 0.5 0",
                          "16 1000 1 0.5 3x", "16 1000 1 0.5"):
            done = subprocess.run([program, *arguments.split()], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), arguments)

    def test_the_lists_are_those_of_the_committed_results(self) -> None:
        committed = TOP / "perf/results/nvidia-h200"
        for profile_name, folder in (("quick", None), ("paper", committed), *((name, committed / name) for name in paper.OWN)):
            if folder and not (folder / "results.dat").exists():
                continue
            results = read_results(folder) if folder else parse_results(H200.read_text())
            missing = {line.split()[1].rstrip(":") for line in results.missing}
            points = read_points(list_points(profile_name, "gpu"))
            names = [name for name in Point._fields if name != "check"]
            self.assertEqual([[getattr(point, name) for name in names] for point in points if point.id not in missing],
                             [[row[name] for name in names] for row in results.rows])

    def test_bit_planes_are_those_of_the_program(self) -> None:
        library = SCRATCH / "bernoulli.so"
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-Ipaising",
                        "paising/engine/bernoulli.c", "-o", library, "-lm"], check=True, cwd=TOP)
        fill, table, draw = ctypes.CDLL(str(library)).bernoulli_fill, (ctypes.c_uint32 * 4096)(), random.Random(1)
        for n in range(2000):
            small, large = sorted(draw.getrandbits(draw.randint(1, 32)) / 2**32 for _ in range(2))
            fill(table, None, (ctypes.c_double * 2)(small, large), ctypes.c_size_t(2), ctypes.c_uint64(1024))
            self.assertEqual(table[0], planes.planes_of((small, large)), (n, small, large))


class Gate(unittest.TestCase):
    """The regression gate, on results that are a baseline's with some columns changed."""

    def changed(self, factors: dict[str, float], only: str = "", baseline: Path = H200) -> tuple[bool, str]:
        """What the gate says of a baseline whose columns are multiplied by factors in some rows."""
        results = parse_results(baseline.read_text())
        for row in results.rows:
            if only in row["id"]:
                row.update({name: f"{float(row[name]) * by:.6g}" for name, by in factors.items() if row[name]})
        return self.compared(results, baseline)

    def compared(self, results: Results, baseline: Path = H200) -> tuple[bool, str]:
        """The gate's verdict on results, and its line."""
        changes = gate.compare(parse_results(baseline.read_text()), results)
        return gate.verdict_line("GPU", changes, [], [])

    def slower(self, said: tuple[bool, str]) -> int:
        """How many points a verdict names as slower; 0 if it passes."""
        return 0 if said[0] else len(said[1].partition(" slower: ")[2].split(";")[0].split())

    TIMES = ("t_SF/ps", "min/ps", "max/ps", "total/s")
    DEVICE = ("resample/s", "sweep/s", "measure/s", "step/s")

    def test_the_same_results_pass(self) -> None:
        self.assertEqual(self.changed({}), (True, "gate: GPU: passes: 28 points, none slower; 0 ratios hold"))

    def test_a_slower_program_fails_with_every_point_named(self) -> None:
        everything = dict.fromkeys(self.TIMES + self.DEVICE, 1.4)  # 10 us a step are a third of the shortest one
        passes, line = self.changed(everything)
        self.assertFalse(passes)
        for row in parse_results(H200.read_text()).rows:
            self.assertIn(row["id"], line)
        self.assertEqual(self.slower(self.changed(dict.fromkeys(everything, 0.8))), 0)

    def test_slower_kernels_that_the_hosts_time_hides_fail(self) -> None:
        self.assertEqual(self.slower(self.changed(dict.fromkeys(self.DEVICE, 1.08), "L16-")), 1)
        self.assertEqual(self.slower(self.changed(dict.fromkeys(self.DEVICE, 1.10), HYBRID)), 1)

    def test_a_host_that_resamples_more_slowly_is_no_slower_program(self) -> None:
        host = {**dict.fromkeys(self.TIMES, 1.325), "resample/s": 1.5}
        self.assertEqual(self.changed(host, HYBRID)[0], True)

    def test_a_host_that_decides_a_short_run_is_no_slower_program(self) -> None:
        for name in ("ssc-L128-R2000-t1-fused", "ssc-L128-R10000-t1-apart"):
            self.assertEqual(self.changed(dict.fromkeys(self.TIMES, 1.7), name)[0], True)
        self.assertEqual(self.slower(self.changed(dict.fromkeys(self.TIMES, 1.05), "ssc-L128-R2000-t100-fused")), 1)

    def test_noise_and_some_milliseconds_are_within_the_tolerance(self) -> None:
        noisy = {"t_SF/ps": 1.1, "min/ps": 0.9, "max/ps": 1.3}
        self.assertEqual(self.changed(noisy, "philox")[0], True)
        self.assertEqual(self.changed(dict.fromkeys(self.TIMES, 1.15), "L16-")[0], True)

    def test_other_work_and_missing_points_fail(self) -> None:
        results = parse_results(H200.read_text())
        results.rows[0]["beta_end"] = "0.5"
        gone = results.rows.pop()["id"]
        passes, line = self.compared(results)
        self.assertFalse(passes)
        self.assertIn(f"not measured as the baseline was: gpu-ssc-L128-R2000-t1-fused {gone}", line)

    def test_the_command_its_verdict_comes_first(self) -> None:
        folder, baselines, limits = measured("f"), SCRATCH / "baselines", SCRATCH / "limits.dat"
        limits.write_text("gpu ratio gpu-one gpu-two 0.5 2 one/two\n")
        baselines.mkdir()
        held = ["gate", "--results", folder, "--baselines", baselines, "--limits", limits]
        status, said = bench(*held)
        self.assertEqual((status, "has no baseline" in said), (0, True))
        shutil.copy(folder / "test-gpu-9.dat", baselines)
        self.assertEqual(bench(*held)[0], 0)
        limits.write_text("gpu ratio gpu-one gpu-two 2 - one/two\n")
        file = folder / "results.dat"
        file.write_text(file.read_text().replace(" 0.12 ", " 0.15 ", 1).replace("\ngpu-two", "\n#wrong gpu-two"))
        status, said = bench(*held)
        self.assertEqual(status, 1)
        for fault in ("FAILS: slower: gpu-one;", "baseline was: gpu-two;", "ratio not measured: one/two",
                      "wrong results: gpu-two"):
            self.assertIn(fault, said.splitlines()[0])


class Tables(unittest.TestCase):
    """Tables of results in Markdown files, and of counters."""

    def test_drifted_tables_and_results_are_told(self) -> None:
        folder, file = measured("g"), SCRATCH / "README.md"
        source = open_source(folder)
        table = source.table("table3")
        file.write_text(f"<!-- {folder}: table3 -->\n{table}<!-- end -->\nmore\n")
        (folder / "pictures.cksum").write_text(readme.drawn_from(source))

        def check() -> tuple[int, str]:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                status = cli.main(["readme", "--check", str(file)])
            return status, out.getvalue().splitlines()[-1]

        self.assertEqual(check(), (0, "2 passed, 0 failed, 0 skipped"))
        file.write_text(file.read_text().replace("| ssc | 16 |", "| ssc | 32 |"))
        self.assertEqual(check(), (1, "1 passed, 1 failed, 0 skipped"))
        results = folder / "results.dat"
        results.write_text(results.read_text().replace(" 0.12 ", " 0.121 "))
        self.assertEqual(check(), (1, "0 passed, 2 failed, 0 skipped"))

    def test_the_page_of_a_folder_is_written_and_held(self) -> None:
        folder = measured("p")
        page, data = folder / "tables.md", folder / "results.dat"
        (folder / "pictures.cksum").write_text(readme.drawn_from(open_source(folder)))

        def check() -> str:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                cli.main(["readme", "--check", str(page)])
            return out.getvalue().splitlines()[-1]

        self.assertEqual(check(), "1 passed, 1 failed, 0 skipped")  # it is not there
        page.write_text(readme.renew(page, {}))
        self.assertEqual(check(), "2 passed, 0 failed, 0 skipped")
        for heading in ("# Test GPU 9: `make bench`", "## Table 3: ", "## Floors", "## Counters"):
            self.assertIn(heading, page.read_text())
        data.write_text(data.read_text().replace(" 0.12 ", " 0.121 "))
        self.assertEqual(check(), "0 passed, 2 failed, 0 skipped")

    def test_every_folder_of_results_has_a_page_and_every_marked_file_is_found(self) -> None:
        folders = {data.parent for data in Path("perf/results").rglob("results.dat")}
        self.assertLess({folder / "tables.md" for folder in folders}, set(readme.pages()))
        self.assertLess(set(readme.pages()), set(readme.every_file()))
        self.assertEqual([page for page in readme.pages() if not page.exists()], [])

    def test_the_paper_is_printed_with_both_editions_and_what_is_not_measured(self) -> None:
        folder = measured("q")
        said = paper.render_paper(folder)
        parts = dict(part.split("\n", 1) for part in said.split("## ")[1:])
        self.assertIn(paper.NONE, parts["Table 1 at the paper's own parameters"])
        self.assertIn("| lcg | 32 | 1 | - | - |", parts["Table 1, inflation"])
        curand = "# device: X\n# generator e\n# philox 1\n# generator bytes/thread L R theta t_SF/ps min/ps max/ps\n"
        (folder / paper.CURAND).write_text(
            curand + "philox 64 64 50000 500 2 1 3\nxorwow 48 64 50000 500 3 1 4\n")
        (folder / paper.MEMORY).write_text("ssc 64 - 1500000 12884901888 1600000\n")
        said = paper.render_paper(folder)
        self.assertIn("| xorwow | 48 | 64 | 50000 | 500 | 3 | 1 | 4 | 1.50 | 92 |  | - |", said)
        self.assertIn("| ssc | 64 | - | 1500000 | 12.00 | 1600000 |", said)
        (folder / "table2").mkdir()
        lines = (TOP / "perf/results/nvidia-h200/table2/results.dat").read_text().splitlines(keepends=True)
        (folder / "table2/results.dat").write_text("".join(line for line in lines if not line.startswith("cpu-")) + "# cpu-x: not measured\n")
        said = paper.render_paper(folder)
        self.assertIn("\ncpu-x: not measured\n", said.split("## Table 2 at")[1].split("## ")[0])
        self.assertTrue(said.split("## Table 4, a CPU")[1].split("## ")[0].strip().endswith(paper.NONE.strip()))
        committed = paper.render_paper(TOP / "perf/results/nvidia-h200")
        for row in ("| 13.7 | 13.33 | 13.61 |", "| 246 | 251 |", "| 2410 |", "| 36 | 625 |", "| 10.4 | 17 | 18 |", "| shared | 64 | 64 |"):
            self.assertIn(row, committed)

    def test_inflation_says_of_which_runs(self) -> None:
        """The columns and the command are those of the runs that were made."""
        page = (TOP / "validate/inflation/results/nvidia-h200/inflation.md").read_text()
        with tempfile.TemporaryDirectory() as name, mock.patch.object(paper, "INFLATION", Path(name)):
            self.assertEqual(paper.inflation_command("x"), "make inflation PROFILE=table1; make inflation PROFILE=paper")
            (Path(name) / "x-table1").mkdir()
            made = page.replace("size 64, population 10000, sweeps 100,", "size 128, population 80000, sweeps 500,").replace("runs 200.", "runs 5.")
            (Path(name) / "x-table1/inflation.md").write_text(made)
            self.assertEqual(paper.inflation_command("x"), "make inflation PROFILE=table1 RUNS=5; make inflation PROFILE=paper")
            said = paper.render_inflation(open_book(measured("r")), "x")
        self.assertIn("| mode | p | paper | L = 128, R = 80000, theta = 500: 5 runs | PROFILE=paper: not measured |", said)
        for row in ("| philox | 64 | 1 | 1.0141(84) | - |", "| shared | 8 | 8 | 8.050(73) | - |"):
            self.assertIn(row, said)

    def test_a_gpu_is_compared_with_one_core(self) -> None:
        book = open_book(TOP / "perf/results/nvidia-h200")
        row = next(row for row in book.chosen("2") if row["device"] == "gpu" and row["L"] == "64")
        alone = float(tables.over_cpu(book, row))
        for other in book.results.rows:
            other["threads"] = "16" if other["device"] == "cpu" else other["threads"]
        self.assertAlmostEqual(float(tables.over_cpu(book, row)) / alone, 16, 2)
        core = next(row for row in book.chosen("2") if row["device"] == "cpu" and row["coding"] == "ssc" and row["L"] == "64")
        shown = dict(zip(("threads", "t_SF/ps", "paper/ps", "faster"), tables.cells_of(book, core, "threads t_SF/ps paper/ps faster", {})))
        self.assertAlmostEqual(float(shown["faster"]), float(shown["paper/ps"]) / float(shown["t_SF/ps"]) / 16, 2)

    def test_the_largest_populations_are_those_that_the_program_says(self) -> None:
        text = (TOP / "perf/results/nvidia-h200" / paper.MEMORY).read_text()
        for coding, L, p, R, needed, largest in (line.split() for line in data_lines(text)):
            self.assertEqual(paper.device_bytes(PAISING, coding, L, p, int(R)), int(needed))
            self.assertLessEqual(paper.device_bytes(PAISING, coding, L, p, int(largest)), paper.CARD)
            self.assertGreater(paper.device_bytes(PAISING, coding, L, p, int(largest) + 1000), paper.CARD)

    def test_files_that_are_not_what_they_should_be_are_refused(self) -> None:
        folder, file, none, long = measured("h"), SCRATCH / "endless.md", SCRATCH / "none", SCRATCH / "long.dat"
        long.write_text(POINTS.replace("\n", " more\n"))
        text = f"<!-- {folder}: table3 -->\nmore\n"
        file.write_text(text)
        for words, fault in ((["readme", file], "without <!-- end -->"),
                             (["readme", none], f"{none}: is not there"),
                             (["gate", "--results", folder, "--limits", none], f"{none}: is not there"),
                             (["gate", "--results", folder, "--limits", long], "no limit, which has 7"),
                             (["measure", "--points", file, "--output", SCRATCH / "i"], "no point"),
                             (["measure", "--points", long, "--output", SCRATCH / "j"], "no point, which has 14")):
            with contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(cli.main([str(word) for word in words]), 2)
            self.assertIn(fault, err.getvalue())
        self.assertEqual(file.read_text(), text)

    def test_counters_of_a_kernel(self) -> None:
        page = ('==PROF==\n"ID","Kernel Name","thread:Push/Pop_Range:Msg",'
                '"gpu__time_duration.sum","smsp__inst_executed.sum"\n"","","","ns","inst"\n'
                '"0","fused_step","<d>:temperature_88:none ""x"" <d>:step:none","1,024","6400"\n')
        cells = profile.counter_rows("run", "-L 16 -R 4 -t 2", 4, page).split()
        self.assertEqual(cells[:8], ["run", "step", "fused_step", "1.024", "2048", "500", "nan", "nan"])
        self.assertEqual(cells[9], "100")

    def test_sections_of_a_run(self) -> None:
        report = ("Processing\n\nRange,Style,Total Proj Time (ns),Range Instances\n:temperature_1,x,1000,1\n"
                  ":temperature_2,x,2000,1\ncub:other,x,5,1\nd:step,x,500,2\n")
        self.assertEqual([line.split() for line in profile.section_rows("run", report).splitlines()],
                         [["run", "temperature", "2", "0.0030", "1.500"], ["run", "step", "2", "0.0005", "0.250"]])


class Lines(unittest.TextTestResult):
    """A line a case."""

    def addSuccess(self, test: unittest.TestCase) -> None:
        print("ok  ", test.id().split(".", 1)[1], flush=True)

    def addFailure(self, test: unittest.TestCase, err: object) -> None:
        super().addFailure(test, err)
        print("FAIL " + test.id().split(".", 1)[1], *self.failures[-1][1].splitlines(), sep="\n     | ", flush=True)

    def addError(self, test: unittest.TestCase, err: object) -> None:
        self.addFailure(test, err)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test_bench.py build/paising")
    PAISING = Path(sys.argv[1]).resolve()
    os.chdir(TOP)
    try:
        suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
        result = unittest.TextTestRunner(stream=io.StringIO(), resultclass=Lines).run(suite)
    finally:
        shutil.rmtree(SCRATCH)
    print(f"{result.testsRun - len(result.failures)} passed, {len(result.failures)} failed")
    sys.exit(1 if result.failures else 0)
