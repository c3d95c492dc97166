"""Measures how a population scales that is divided among ranks (mpirun), and holds its files against those of one
process: perf/method.md says what the results mean.

The folder: machine.dat, points/ID.dat (the timed runs), checks/ID.dat (a line a check), and results.dat and checks.dat
made of these. What is there already is left alone, so that a call that ran out of time, or was ended, is gone on with
by the next one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Callable

from bench.common import Failed, Refused, data_lines, last_line, publish, run
from bench.measuring import Machine, find_machine, read_run, same_results
from bench.scaling_points import IDENTITY, ScalingPoint, list_scaling
from bench.scaling_results import RUN_COLUMNS, summarise_scaling

PATIENCE_SECONDS = 150  # for one command; ranks that wait for one another would do so for ever
CHECK_SECONDS = 30  # what a check takes at most, about
COMPARE = Path("build/compare")

# What mpirun needs, by Open MPI's names: to run as root in a container, ...
AS_ROOT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
# ... and on CPUs, with more ranks than processors if need be, and with processors that the program divides itself. Ranks
# on GPUs are begun as users begin them.
ON_CPUS = {
    **AS_ROOT,
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


def count_gpus() -> int:
    """The GPUs of this machine."""
    if not shutil.which("nvidia-smi"):
        return 0
    said = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, check=False, text=True).stdout
    return len(re.findall("^GPU ", said, re.MULTILINE))


def choose_ranks(asked: str | None, gpu: bool) -> list[int]:
    """The numbers of ranks, rising: as asked for, or 1, 2, 4, ... to as many as there are GPUs or processors. 1 is
    always among them."""
    if asked:
        return sorted({1, *map(int, asked.split(","))})
    most = count_gpus() if gpu else len(os.sched_getaffinity(0))
    return [2**n for n in range(most.bit_length())]


def digest(folder: Path) -> str:
    """The checksum of the data files of a result."""
    whole = hashlib.sha256()
    for file in sorted(folder.rglob("*.dat")):
        whole.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    return whole.hexdigest()[:16]


@dataclass
class Scaling:
    """A measurement under way."""

    program: Path
    machine: Machine
    ranks: list[int]
    folder: Path
    scratch: Path
    end: float  # when no more is begun, by time.monotonic

    def __post_init__(self) -> None:
        self.most = self.ranks[-1]

    # --- commands ---

    def command(self, ranks: int, options: list[str]) -> list[str]:
        """The program on so many ranks, without mpirun on one, ended where it hangs."""
        device = "cuda" if self.machine.gpu else "cpu"
        launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
        patience = ["timeout", "-k", "10", str(PATIENCE_SECONDS)]
        return [*patience, *launcher, str(self.program), "-D", device, *options]

    def environment(self, threads: int = 0) -> dict[str, str]:
        """What it finds: without a GPU, one thread a rank."""
        return AS_ROOT if self.machine.gpu else {**ON_CPUS, "OMP_NUM_THREADS": str(threads or 1)}

    def make(self, name: str, ranks: int, options: str, threads: int = 0) -> tuple[int, Path, Path]:
        """Runs the program; returns its status, the folder of its result and what it said."""
        result, log = self.scratch / name, self.scratch / f"{name}.log"
        shutil.rmtree(result, ignore_errors=True)
        words = [*options.split(), "-o", str(result)]
        return run(self.command(ranks, words), log, **self.environment(threads)), result, log

    # --- times ---

    def measure(self, point: ScalingPoint, place: str) -> None:
        """Measures a point and publishes it."""
        shape = f"--model {point.model} -L {point.L} -R {point.R} -t {point.theta} -d 0.005 -f {point.beta_end}"
        lines = [f"# {point.id}", "# " + " ".join(RUN_COLUMNS)]
        for n in range(1, point.runs + 1):
            status, result, log = self.make("timed", point.ranks, shape, point.threads)
            if status == 2:  # what this machine cannot do, such as hold the population
                lines = [f"# {point.id}: not measured: {refusal(log)}"]
                break
            if status != 0:
                lines = [f"#wrong {point.id}: status {status}: {refusal(log)}"]
                break
            lines.append(self.timings(n, result))
        publish(self.folder / "points" / f"{point.id}.dat", "\n".join(lines) + "\n")
        report(f"{place} {point.id if data_lines(lines[-1]) else lines[-1]}")

    @staticmethod
    def timings(n: int, result: Path) -> str:
        """What a timed run took, as a row of RUN_COLUMNS."""
        said = read_run(result)
        ranks = said.get("ranks") or {}
        cells = [str(n), said["seconds"]["step"] or "nan", said["seconds"]["total"]]
        cells += [ranks.get(name, "0") for name in ("exchange", "wait", "reduce")]
        return " ".join(cells + [said["spin_flips"], str(int(said["temperatures"]) - 1), digest(result)])

    # --- identity ---

    def check_identity(self, number: int) -> str:
        """One of the option sets, made by one process and by all ranks."""
        options = IDENTITY[number]
        digests = []
        for ranks in (1, self.most):
            status, result, log = self.make(f"identity{number}-{ranks}", ranks, options)
            if status != 0:
                return f"#wrong status {status} of {ranks} ranks: {refusal(log)}"
            digests.append(digest(result))
        return "same" if digests[0] == digests[1] else "#wrong other bytes than one process"

    def check_control(self) -> str:
        """Whether the comparison sees another seed."""
        results = [self.make(f"control{seed}", 1, f"{IDENTITY[0]} -s {seed}")[1] for seed in (1, 2)]
        return "#wrong does not see another seed" if same_results(*results) else "sees another seed"

    def check_checkpoint(self) -> str:
        """A checkpoint of all ranks, interrupted, resumed on two and on one."""
        edge, R, sweeps = (64, 20000, 2500) if self.machine.gpu else (32, 1024, 100)
        options = f"-L {edge} -R {R} -t {sweeps * self.most} -d 0.02"  # so that there is time for a signal
        status, whole, log = self.make("whole", 1, options)
        if status != 0:
            return f"#wrong one process: {refusal(log)}"
        saved = self.scratch / "saved.ck"
        words = [*f"{options} --checkpoint {saved} --checkpoint-every 5 -o".split(), str(self.scratch / "part")]
        with open(self.scratch / "part.log", "wb") as out, subprocess.Popen(
                self.command(self.most, words), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env={**os.environ, **self.environment()}) as process:
            while process.poll() is None and not saved.exists():
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
        if process.returncode == 0 or not saved.exists():
            return "#wrong it came to its end before it was interrupted"
        for ranks in (2, 1):
            copy = shutil.copy(saved, self.scratch / f"resumed{ranks}.ck")
            status, result, log = self.make(f"resumed{ranks}", ranks, f"--resume {copy}")
            if status != 0:
                return f"#wrong resumed on {ranks}: {refusal(log)}"
            if not same_results(whole, result):
                return f"#wrong resumed on {ranks}: other bytes than without an interruption"
        return "same"

    # --- a population for all GPUs together ---

    def memory(self, R: int, ranks: int) -> tuple[bool, float, float]:
        """Whether a population of the lattice below fits, and the megabytes of a GPU that it needs and that there are."""
        log = self.scratch / "dry.log"
        status = run(self.command(ranks, f"-L 128 -t 1 -f 0.025 -R {R} --dry-run".split()), log, **self.environment())
        found = re.search(r"^device memory +([\d.]+) MB needed, ([\d.]+) MB", log.read_text(), re.MULTILINE)
        if not found:
            raise Failed(f"--dry-run of {ranks} ranks: {refusal(log)}")
        return status == 0, float(found.group(1)), float(found.group(2))

    def check_large(self) -> str:
        """A population that fits on all GPUs together and on no single one."""
        _, needed, available = self.memory(10**6, 1)
        R = int(0.75 * self.most * available / needed) * 10**6
        if self.memory(R, 1)[0] or not self.memory(R, self.most)[0]:
            return f"#wrong R = {R} fits on one GPU, or not on {self.most}"
        status, result, log = self.make("large", self.most, f"-L 128 -t 1 -f 0.025 -R {R}")
        if status != 0:
            return f"#wrong R = {R}: {refusal(log)}"
        said = read_run(result)
        judged = run([str(COMPARE), str(result)], log) if COMPARE.exists() else 3
        if judged == 1:
            return f"#wrong R = {R}: disagrees with the exact solution"
        agrees = "agrees with the exact solution" if judged == 0 else "not held against the exact solution"
        step = float(said["seconds"]["step"]) / (int(said["temperatures"]) - 1)
        return f"R = {R}, L = 128, theta = 1: {step:.4g} s a step, {agrees}"

    # --- all of it ---

    def checks(self) -> dict[str, Callable[[], str]]:
        """What is checked, by name; the largest population last."""
        found: dict[str, Callable[[], str]] = {
            f"identity-P{self.most}-{n + 1:02}": (lambda n=n: self.check_identity(n)) for n in range(len(IDENTITY))}
        found["identity-control"] = self.check_control
        found[f"checkpoint-P{self.most}"] = self.check_checkpoint
        if self.machine.gpu:
            found[f"large-P{self.most}"] = self.check_large
        return found

    def publish_check(self, name: str, verdict: str) -> None:
        number = re.fullmatch(r"identity-P\d+-(\d+)", name)
        options = f" ({IDENTITY[int(number.group(1)) - 1]})" if number else ""
        publish(self.folder / "checks" / f"{name}.dat", f"{name}{options}: {verdict}\n")
        report(f"{name}: {verdict}")

    def open_folder(self) -> None:
        """Makes the folder, or finds the one that was begun, of the same machine and program."""
        begun = self.folder / "machine.dat"
        for name in ("points", "checks"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        if not begun.exists():
            publish(begun, f"{self.machine.head}# date {datetime.now(timezone.utc):%F}\n")
        head = "".join(line for line in begun.read_text().splitlines(True) if not line.startswith("# date"))
        if head != self.machine.head:
            raise Refused(f"--output {self.folder}: begun on another device or with another program; --force begins anew")

    def is_done(self, path: Path) -> bool:
        return path.exists() and "#wrong" not in path.read_text()

    def check_all(self) -> bool:
        """Makes the checks that are not done, small ones side by side: nothing is timed meanwhile. Returns whether there
        was time for all."""
        left = {name: do for name, do in self.checks().items() if not self.is_done(self.folder / "checks" / f"{name}.dat")}
        small = [name for name in left if name.startswith("identity")]
        if left and time.monotonic() + CHECK_SECONDS > self.end:
            return False
        with ThreadPoolExecutor(max_workers=3 if self.machine.gpu else 1) as pool:
            for name, verdict in zip(small, pool.map(lambda name: left[name](), small)):
                self.publish_check(name, verdict)
        for name in left:
            if name not in small:
                if time.monotonic() + CHECK_SECONDS > self.end:
                    return False
                self.publish_check(name, left[name]())
        return True

    def measure_all(self, points: list[ScalingPoint]) -> bool:
        """Measures the points that are not done. Returns whether there was time for all."""
        for n, point in enumerate(points, 1):
            path = self.folder / "points" / f"{point.id}.dat"
            if self.is_done(path):
                continue
            if time.monotonic() + point.runs * point.seconds > self.end:
                return False
            self.measure(point, f"{n}/{len(points)}")
        return True


def refusal(log: Path) -> str:
    """What the program said was wrong, and not what mpirun says about that."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("paising: ")]
    return last_line("\n".join(lines)) or last_line(log.read_text(errors="replace"))


def report(text: str) -> None:
    """Says on stderr how far it is."""
    print(f"{time.strftime('%X')} {text}", file=sys.stderr)


def measure_scaling(device: str, asked: str | None, profile: str, folder: Path, program: Path, minutes: float,
                    force: bool) -> bool:
    """Measures and checks as much as there is time for. Returns whether that was all; what is wrong stands in the
    results."""
    end = time.monotonic() + 60 * minutes
    if not os.access(program, os.X_OK):
        raise Refused(f"--program {program}: is not there; make builds it")
    with tempfile.TemporaryDirectory() as scratch:
        machine = find_machine(program, device, Path(scratch))
        ranks = choose_ranks(asked, machine.gpu)
        if ranks[-1] > 1 and not shutil.which("mpirun"):
            raise Refused("mpirun is missing; please type: ci/setup.sh mpi")
        if force:
            shutil.rmtree(folder, ignore_errors=True)
        points = list_scaling(profile if profile != "auto" else "gpu" if machine.gpu else "cpu", ranks, not machine.gpu)
        s = Scaling(program.resolve(), machine, ranks, folder, Path(scratch), end)
        s.open_folder()
        complete = False
        try:
            complete = (s.check_all() if ranks[-1] > 1 else True) and s.measure_all(points)
        finally:
            head = (folder / "machine.dat").read_text()
            publish(folder / "results.dat", summarise_scaling(head, points, folder))
            checks = sorted((folder / "checks").glob("*.dat"))
            publish(folder / "checks.dat", "".join(check.read_text() for check in checks))
        return complete
