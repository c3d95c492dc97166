"""Runs of make compare-methods. A run leaves one small file of what the tables need, so that an interrupted comparison goes on when it is
repeated, on another machine too."""

from __future__ import annotations

import concurrent.futures
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources

from runs import BUILD, DEVICE, exact, read_table, row_at  # noqa: E402

ON_GPU = 3  # programs at once: one computes while others begin and write
VALUES = ("e", "C", "betaF/N", "q2", "q4")
Values = dict[str, float]


@dataclass(frozen=True)
class Job:
    name: str
    options: str
    beta: float  # of the values
    samples: int  # 0: no disorder
    repetitions: int  # runs of annealing, each for itself; 0: their average, or tempering
    timed: bool = False  # alone on the device, with joules


def rows_of(folder: Path, names: list[str], beta: float) -> Values:
    """The values at this temperature; E_min of all temperatures, and the longest tau."""
    found: Values = {}
    for name in names:
        if not (folder / name).exists():
            continue
        table = read_table(folder / name)[1]
        at = row_at(table, beta)
        for column in (*VALUES, "S/N", "rho_t", "trusted"):
            for key in (column, f"err_{column}"):
                if key in table and key not in found:
                    found[key] = table[key][at]
        if "E_min" in table:
            found["E_min"] = min(table["E_min"])
        for column in ("tau_e", "tau_q2"):
            if column in table:
                found["tau"] = max([x for x in table[column] if not math.isnan(x)], default=math.nan)
    return found


def extract(job: Job, folder: Path) -> list[list[Values]]:
    """Of each sample the values of each repetition."""
    if job.repetitions:
        files = [[f"PA_results_run_{n}.dat"] for n in range(job.repetitions)]
    elif "--method tempering" in job.options:
        files = [["MC_results.dat", "MC_free_energy.dat", "MC_overlap_results.dat"]]
    else:
        files = [["PA_results_weighted.dat"]]
    folders = [folder / f"sample_{n:04d}" for n in range(job.samples)] if job.samples > 1 else [folder]
    return [[rows_of(of, names, job.beta) for names in files] for of in folders]


def command(job: Job, scratch: Path) -> list[str]:
    words = [str(BUILD / "paising"), "-D", DEVICE, *shlex.split(job.options), "--quiet", "--force", "-o", str(scratch / "result")]
    metered = job.timed and DEVICE.startswith("cuda")
    return [str(BUILD / "energy"), "-D", DEVICE, "-o", str(scratch / "joules"), "--", *words] if metered else words


def make(job: Job, to: Path) -> None:
    """Makes the file of a job that is not there."""
    if to.exists() and json.loads(to.read_text())["options"] == job.options:
        return
    scratch = to.with_suffix(".making")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    threads = {} if job.timed or DEVICE.startswith("cuda") else {"OMP_NUM_THREADS": "1"}
    start = time.monotonic()
    done = subprocess.run(
        command(job, scratch), env={**os.environ, **threads}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{job.options}: {done.stderr}")
    made = json.loads((scratch / "result" / "run.json").read_text())
    joules = float((scratch / "joules").read_text().split("\n")[1].split()[0]) if (scratch / "joules").exists() else math.nan
    found = {
        "options": job.options,
        "engine": made["engine"],
        "seconds": made["seconds"]["total"],
        "command_seconds": time.monotonic() - start,
        "flips": made["spin_flips"],
        "joules": joules,
        "rows": [] if job.timed else extract(job, scratch / "result"),
    }
    whole = to.with_suffix(".new")
    whole.write_text(json.dumps(found))
    whole.rename(to)
    shutil.rmtree(scratch)


def make_all(jobs: list[Job], folder: Path, deadline: float) -> bool:
    """Makes the files of jobs that are not there; timed ones behind the others, each alone. Returns whether all are there when the deadline, on
    the monotonic clock, stops it from beginning more."""
    workers = ON_GPU if DEVICE.startswith("cuda") else len(os.sched_getaffinity(0))

    def one(job: Job) -> bool:
        there = folder / f"{job.name}.json"
        if time.monotonic() < deadline:
            make(job, there)
        return there.exists()

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        whole = all(list(pool.map(one, [job for job in jobs if not job.timed])))
    return all([one(job) for job in jobs if job.timed and whole]) and whole


def found_of(job: Job, folder: Path) -> dict:
    return json.loads((folder / f"{job.name}.json").read_text())


def exact_values(model: str, size: str, disorder: int, sample: int | None, beta: float, folder: Path) -> list[float]:
    """e, C and betaF/N of build/exact, which may take half a minute: kept in a file, too."""
    to = folder / f"exact-{model}-{size}-{sample}-{beta}.json"
    if not to.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(exact(model, size, sample, [beta], disorder)[beta]))
    return json.loads(to.read_text())
