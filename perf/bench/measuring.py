"""Measures t_SF (eq. 11) of the program at every point of a list. A point has a run to warm up, then five timed runs
(one, if they are long). Two checks follow: all runs wrote the same bytes, and the first temperatures are those of a run
made in another way. The result of a point is one file, so that an interrupted benchmark goes on where it stopped. A
complete benchmark is left alone. Several processes, one for each GPU of a machine, share the points of a folder. A
point of the CPU is measured while no other point is.

The folder of a benchmark: machine.dat, list.dat (the points), ceiling.dat (perf/ceiling.cu), points/ID.dat
(the timed runs) and, at the end, results.dat.
"""

from __future__ import annotations

import contextlib
import fcntl
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Iterator

from bench.common import Failed, Refused, data_lines, last_line, output_of, publish, run
from bench.points import Point, list_points, read_points
from bench.results import RUN_COLUMNS, number, remark_of, summarise

TIMED_RUNS = 5
LONG_RUN = 5  # seconds; longer ones are timed once
CHECK_STEPS = 4  # temperatures compared with a run made in another way
STAGES = ("resample", "sweep", "measure", "step", "round_trip")
LEAST_METERED_SECONDS = 0.4  # the meter counts the start of the process, too
METER = Path("build/energy")
CEILING = Path("build/ceiling")


# --- what runs say ---


def read_run(folder: Path) -> dict[str, Any]:
    """run.json of a result, its numbers as text."""
    return json.loads((folder / "run.json").read_text(), parse_float=str, parse_int=str)


def timings(n: int, said: dict[str, Any], joules: str) -> str:
    """What timed run n took, as a row of RUN_COLUMNS."""
    seconds = said["seconds"]
    cells = [str(n), f"{1000 * float(said['t_SF_ns']):.6g}"]
    cells += [seconds.get(stage) or "nan" for stage in STAGES]
    cells += [seconds["total"], said["spin_flips"], str(int(said["temperatures"]) - 1), said["threads"], joules]
    return " ".join(cells)


def same_results(one: Path, other: Path) -> bool:
    """Whether every data file of a result is the same in another one."""
    names = [file.name for file in one.glob("*.dat")]
    return filecmp.cmpfiles(one, other, names, shallow=False)[0] == names


def first_rows(folder: Path) -> list[str]:
    """The rows of CHECK_STEPS temperatures above beta = 0."""
    return data_lines((folder / "PA_results_run_0.dat").read_text())[:CHECK_STEPS + 1]


# --- the machine ---


@dataclass
class Machine:
    """Where the program runs."""

    gpu: bool
    number: str  # of the GPU
    head: str  # what results depend on, as lines of a file

    def device(self, cpu: bool) -> str:
        """The program's option -D."""
        return "cpu" if cpu else f"cuda:{self.number}"


def find_machine(program: Path, device: str, scratch: Path) -> Machine:
    """The machine that the program finds at --device."""
    probe, log = scratch / "probe", scratch / "log"
    if run([str(program), *f"-D {device} -L 16 -R 1 -t 1 -f 0 -o".split(), str(probe)], log) != 0:
        raise Refused(f"--device {device}: {last_line(log.read_text()) or f'{program} does not say why it failed'}")
    said = read_run(probe)
    found = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    processor = found.group(1) if found else "unknown CPU"
    gpu = said["driver"] is not None
    chosen = device[5:] if device.startswith("cuda:") else "0"
    lines = [f"device {said['engine'].partition(' on ')[2] if gpu else processor}"]
    if gpu:
        lines.append(f"driver {said['driver']}")
        if shutil.which("nvidia-smi"):
            query = ("nvidia-smi --format=csv,noheader "
                     "--query-gpu=clocks.max.sm,clocks.max.mem,power.limit,memory.total -i").split()
            core, memory, power, total = output_of([*query, chosen]).strip().split(", ")
            lines.append(f"clocks at most {core}, memory {memory}; power at most {power}")
            lines.append(f"memory {int(total.split()[0]) << 20}")
    lines.append(f"cpu {processor}, {output_of(['nproc']).strip()} threads")
    lines.append(f"commit {said['commit']}")
    return Machine(gpu, chosen, "".join(f"# {line}\n" for line in lines))


# --- one point ---


@dataclass
class Bench:
    """A benchmark under way."""

    program: Path
    machine: Machine
    folder: Path
    scratch: Path

    def run_point(self, point: Point, name: str, *more: str, meter: tuple[str, ...] = (), **environment: str) -> int:
        """Runs the program with a point's options and more; the result goes to scratch/name."""
        command = [str(self.program), "-c", point.coding, "-L", point.L, "-R", point.R, "-t", point.theta,
                   "-d", point.dbeta, "-f", point.beta_end, "-D", self.machine.device(point.device == "cpu")]
        if point.model != "square":
            command += ["--model", point.model]
        if point.model.startswith("glass"):
            command += ["--disorder", "1"]
        if point.coding != "ssc":
            command += ["-p", point.p, "-g", point.mode]
        if point.device != "cpu" and point.stages != "fused":
            command += ["--stages", point.stages]
        command = [*meter, *command, *more, "-o", str(self.scratch / name), "--force"]
        return run(command, self.scratch / "log", **environment)

    def said(self) -> str:
        """The last words of the last run."""
        return last_line((self.scratch / "log").read_text())

    def timed_run(self, point: Point, n: int, metered: bool) -> list[str]:
        """The lines of timed run n: its row, and what is wrong."""
        joules, meter = self.scratch / "joules", ()
        if metered:
            meter = (str(METER), "-D", self.machine.device(cpu=False), "-o", str(joules), "--")
        if self.run_point(point, "timed", meter=meter) != 0:
            raise Failed(f"{point.id}: {self.said()}")
        used = data_lines(joules.read_text())[0].split()[0] if metered else "nan"
        lines = [timings(n, read_run(self.scratch / "timed"), used)]
        if not same_results(self.scratch / "warm", self.scratch / "timed"):
            lines.append(f"#wrong: run {n} has other results than the warm-up")
        return lines

    def check_otherwise(self, point: Point) -> list[str]:
        """Makes the first temperatures in another way and compares them; says what is wrong, if anything."""
        ways = {"cpu": ["-D", "cpu"], "fused": ["--stages", "fused"], "apart": ["--stages", "apart"], "thread": []}
        if point.check == "-":
            return []
        if point.check not in ways:
            raise Failed(f"{point.id}: check '{point.check}' is unknown")
        # The last -D and --stages count; the CPU knows no stages.
        if point.check == "cpu" and point.stages != "fused":
            raise Failed(f"{point.id}: check cpu is for fused stages")
        threads = {"OMP_NUM_THREADS": "1"} if point.check == "thread" else {}
        # A row is trusted for what the next one shows: the last that is compared needs one behind it.
        end = min((CHECK_STEPS + 1) * float(point.dbeta), float(point.beta_end))
        if self.run_point(point, "other", *ways[point.check], "-f", f"{end:.6g}", **threads) != 0:
            raise Failed(f"{point.id}, check {point.check}: {self.said()}")
        if first_rows(self.scratch / "other") == first_rows(self.scratch / "warm"):
            return []
        return [f"#wrong: other results than with {point.check}"]

    def measure(self, point: Point) -> None:
        """Measures a point and publishes it."""
        file = self.file_of(point)
        status = self.run_point(point, "warm")
        if status == 2:  # what this machine cannot do, such as hold the population
            publish(file, f"# {point.id}: not measured: {self.said()}\n")
            return
        if status != 0:
            raise Failed(f"{point.id}: {self.said()}")
        total = number(read_run(self.scratch / "warm")["seconds"]["total"])
        metered = point.device == "gpu" and os.access(METER, os.X_OK) and total >= LEAST_METERED_SECONDS
        lines = ["# " + " ".join(point), "# " + " ".join(RUN_COLUMNS)]
        runs = TIMED_RUNS if total < LONG_RUN else 1
        for n in range(1, runs + 1):
            lines += self.timed_run(point, n, metered and n == runs)
        lines += self.check_otherwise(point)
        publish(file, "\n".join(lines) + "\n")

    def file_of(self, point: Point) -> Path:
        """The file of a point."""
        return self.folder / "points" / f"{point.id}.dat"

    def is_done(self, point: Point) -> bool:
        """Whether a point has been measured, and was right."""
        file = self.file_of(point)
        return file.exists() and not remark_of(file.read_text()).startswith("#wrong")

    def open_folder(self, points: str) -> None:
        """Begins a folder, or sees that the one that was begun is of this machine, program and list."""
        begun = self.folder / "machine.dat"
        (self.folder / "points").mkdir(exist_ok=True)
        if begun.exists():
            head = "".join(line for line in begun.read_text().splitlines(True) if not line.startswith("# date"))
            if head != self.machine.head:
                raise Refused(f"--output {self.folder}: begun on another device or with another program; "
                              "--force begins anew")
            if (self.folder / "list.dat").read_text() != points:
                raise Refused(f"--output {self.folder}: begun for other points; --force begins anew")
            return
        publish(self.folder / "list.dat", points)
        if os.access(CEILING, os.X_OK) and not (self.folder / "ceiling.dat").exists():
            said = subprocess.run([str(CEILING), "-D", self.machine.device(not self.machine.gpu)], capture_output=True,
                                  check=False, text=True)
            if said.returncode != 0:
                raise Failed(f"{CEILING}: {last_line(said.stderr)}")
            publish(self.folder / "ceiling.dat", said.stdout)
        publish(begun, f"{self.machine.head}# date {datetime.now(timezone.utc):%F}\n")

    def report(self, point: Point, place: str, start: float) -> None:
        """Says on stderr how a point ended."""
        text = self.file_of(point).read_text()
        times = [float(line.split()[1]) for line in data_lines(text)]
        mean = f"{sum(times) / len(times):.6g} ps" if times else ""
        remark = remark_of(text)
        print(f"{time.monotonic() - start:4.0f} s {place:>8}  {point.id:<48} {mean}{'  ' + remark if remark else ''}",
              file=sys.stderr)

    @contextlib.contextmanager
    def claimed(self, n: int, point: Point) -> Iterator[bool]:
        """Whether this process has claimed point n, by a lock on byte n of the list. A lock on machine.dat then gives a
        point of the CPU the machine to itself. Points of GPUs share that lock."""
        with open(self.folder / "list.dat", "r+b") as points, open(self.folder / "machine.dat", "rb") as machine:
            try:
                fcntl.lockf(points, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, n)
            except OSError:
                yield False
                return
            fcntl.flock(machine, fcntl.LOCK_EX if point.device == "cpu" else fcntl.LOCK_SH)
            yield True

    def measure_all(self) -> bool:
        """Measures the points that are not done, then writes the results; not while another process has points
        under way. Returns whether there are results."""
        start = time.monotonic()
        points = read_points((self.folder / "list.dat").read_text())
        if all(map(self.is_done, points)):
            print(f"bench: {self.folder} is complete; --force measures it again", file=sys.stderr)
        for n, point in enumerate(points, 1):
            with self.claimed(n, point) as mine:
                if mine and not self.is_done(point):
                    self.measure(point)
                    self.report(point, f"{n}/{len(points)}", start)
        left = [point for point in points if not self.file_of(point).exists()]
        if left:
            print(f"bench: {len(left)} points of {self.folder} are left to other processes", file=sys.stderr)
            return False
        machine = (self.folder / "machine.dat").read_text()
        publish(self.folder / "results.dat", summarise(machine, points, self.folder))
        return True


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Makes the folder and lets one process at a time begin there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError:
        raise Refused(f"--output {folder}: cannot be made") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def measure_profile(profile: str, device: str, folder: Path, program: Path = Path("build/paising"),
                    points: Path | None = None, force: bool = False) -> bool:
    """Measures a profile (points.py), or the points of a list, into a folder; `force` begins anew. Returns whether
    there are results: not if other processes have points under way."""
    if points and not os.access(points, os.R_OK):
        raise Refused(f"--points {points}: cannot be read")
    if not os.access(program, os.X_OK):
        raise Refused(f"--program {program}: is not there; make builds it")
    with tempfile.TemporaryDirectory() as scratch:
        machine = find_machine(program, device, Path(scratch))
        if force:
            shutil.rmtree(folder / "points", ignore_errors=True)
            for name in ("machine", "list", "ceiling", "results"):
                (folder / f"{name}.dat").unlink(missing_ok=True)
        bench = Bench(program.resolve(), machine, folder, Path(scratch))
        with only_one(folder):
            bench.open_folder(points.read_text() if points else list_points(profile, "gpu" if machine.gpu else "cpu"))
        return bench.measure_all()
