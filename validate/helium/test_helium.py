#!/usr/bin/env python3
"""paising-helium against a plain loop, exact values and itself.

    test_helium.py [BUILD]

reference/plain_helium.c prints its bytes. Results do not depend on the number of threads, nor on a checkpoint in between; a
GPU, where there is one, makes the same files. Two atoms have the V and T of a quadrature, which agrees with itself by Green's
theorem, and with values of another program. 64 atoms have T = T1 = T2, and the acceptance of another program. Planted faults
that must be found: a mass half as large (T), another b (V), and a displacement smaller by sqrt 3 (acceptance alone).

loop.py, a program that shares nothing with ours, agrees for three atoms, and has the energies, g(r) and S(k) of one configuration.
A run that is stopped goes on by the same line, and a warm-up ends at once. One whose disk is full leaves no result, or with --force
the older one.

A deviation is held against 5 of its errors; 14 comparisons together exceed that with a probability below 1e-5 where the
program is right. Seeds are fixed.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import cmath
import filecmp
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from cases import report  # noqa: E402
from loop import Walker, nearest, simulate  # noqa: E402
from two import potential, two_atoms  # noqa: E402

BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
WORK = Path(tempfile.mkdtemp())
LIMIT = 5
FILES = ("e", "kinetic", "acceptance", "radial", "structure", "finalconfig", "summary")
EXACT = {8: (-1.03889149, 0.91030196), 10: (-0.59711154, 0.36370932), 14.3057: (-0.20878689, 0.10252463)}
REFUSED = (
    "--atoms 1", "--atoms 70000", "--walkers 0", "--step -0.82", "--step 0", "--macroupdates -4", "--macroupdates 0",
    "--blocks 0", "--density 0", "--density nan", "--atoms 2", "--edge 5", "--jastrow-b 12 --atoms 64", "--seed -1",
    "--device tpu", "--device cuda:x", "--device cuda:0,", "--device ,cpu", "--device cpu,0", "--device cpu,cpu --walkers 1",
    "--analyse masked", "--analyse nobody", "--jastrow-b 0.9", "--jastrow-b 5.5 --atoms 64", "--atoms 64 --step 1e-5", "--density 1e-12", "--density 1e-9 --atoms 65536",
    "--atoms 2 --edge 2e4", "--continue", "--continue --checkpoint new --force", "--output new --checkpoint new/e.dat", "--nosuch 1", "--atoms", "64", "--output", "--resume nosuch", "--parameters nosuch",
)  # fmt: skip


def helium(folder: str, words: str) -> Path:
    """Makes a result."""
    path = WORK / folder
    subprocess.run([BUILD / "paising-helium", "--output", path, *words.split()], check=True)
    return path


def rows(path: Path) -> list[list[str]]:
    """The rows of a data file."""
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def summary(path: Path) -> dict[str, tuple[float, float]]:
    """Means, each with its error by autocorrelations."""
    return {row[0]: (float(row[1]), float(row[3])) for row in rows(path / "summary.dat")}


def differ(one: Path, other: Path) -> list[str]:
    """The data files that differ."""
    return [name for name in FILES if not filecmp.cmp(one / f"{name}.dat", other / f"{name}.dat", shallow=False)]


def against_plain() -> list[str]:
    """What differs from plain_helium."""
    wrong = []
    for n, words in enumerate(("2 8 3 2 10 4 100 1", "64 14.3 2 2 3 4 30 5", "100 16.6 1 1 2 1 0 18446744073709551615")):
        names = "--atoms --edge --walkers --blocks --analyses --macroupdates --warm-up --seed".split()
        made = helium(f"plain{n}", " ".join(f"{name} {word}" for name, word in zip(names, words.split())))
        ours = [" ".join(e[1:] + k[1:] + a[1:]) for e, k, a in zip(*(rows(made / f"{name}.dat") for name in FILES[:3]))]
        ours += ["# " + " ".join(row) for row in rows(made / "finalconfig.dat")]
        plain = subprocess.run([BUILD / "plain_helium", *words.split()], capture_output=True, text=True, check=True)
        if plain.stdout.splitlines() != ours:
            wrong.append(words)
    return wrong


def deviations(made: dict[str, tuple[float, float]], expected: dict[str, float]) -> list[str]:
    """The means that are not what is expected."""
    return [
        f"{name} = {made[name][0]} +- {made[name][1]}, expected {value}"
        for name, value in expected.items()
        if not abs(made[name][0] - value) < LIMIT * made[name][1]
    ]


def disagree(made: dict[str, tuple[float, float]], other: dict[str, tuple[float, float]]) -> list[str]:
    """The means of another program that are not ours."""
    return [
        f"{name} = {made[name]}, the other has {other[name]}"
        for name in other
        if not abs(made[name][0] - other[name][0]) < LIMIT * (made[name][1] + other[name][1])
    ]


def snapshot() -> list[str]:
    """Energies, g(r) and S(k) of an analysis that are not those of loop.py for the places in finalconfig.dat."""
    atoms, walkers, bins, wrong = 64, 2, 256, []
    edge = (atoms / 0.02186) ** (1 / 3)
    made = helium("snapshot", f"--atoms {atoms} --walkers {walkers} --blocks 1 --analyses 1 --warm-up 30 --macroupdates 1")
    places = [[float(x) for x in row[1:]] for row in rows(made / "finalconfig.dat")]
    energies: dict[str, float] = {}
    pairs, power = [0] * bins, [0.0] * 48
    for w in range(walkers):
        walker = Walker(atoms, edge, 1)
        walker.places = places[w * atoms : (w + 1) * atoms]
        for name, x in walker.energies().items():
            energies[name] = energies.get(name, 0) + x / walkers
        for i, a in enumerate(walker.places):
            for b in walker.places[:i]:
                r = math.dist([nearest(x - y, edge) for x, y in zip(a, b)], (0, 0, 0))
                if r < edge / 2:
                    pairs[int(r * 2 * bins / edge)] += 1
        for n in range(len(power)):
            for axis in range(3):
                power[n] += abs(sum(cmath.exp(2j * math.pi * (n + 1) * a[axis] / edge) for a in walker.places)) ** 2 / 3 / walkers
    found = summary(made)
    wrong += [f"{name} = {found[name][0]}, not {x}" for name, x in energies.items() if abs(found[name][0] - x) > 1e-5 * abs(x)]
    for n, (r, g) in enumerate(rows(made / "radial.dat")):
        width = edge / 2 / bins
        shell = 4 * math.pi / 3 * width**3 * ((n + 1) ** 3 - n**3)
        expected = 2 * pairs[n] / (walkers * atoms * 0.02186 * shell)
        wrong += [] if abs(float(g) - expected) < 1e-9 * (1 + expected) and abs(float(r) - (n + 0.5) * width) < 1e-9 else [f"g({r}) = {g}, not {expected}"]
    for n, (k, S) in enumerate(rows(made / "structure.dat")):
        expected = power[n] / atoms
        wrong += [] if abs(float(S) - expected) < 1e-4 * (0.1 + expected) and abs(float(k) - 2 * math.pi * (n + 1) / edge) < 1e-9 else [f"S({k}) = {S}, not {expected}"]
    return wrong


def autocorrelation(x: list[float]) -> tuple[float, float, float]:
    """tau_int, its error and that of the mean of a series, as estimate/autocorrelation.h says."""
    n, mean = len(x), sum(x) / len(x)
    variance = sum((a - mean) ** 2 for a in x) / n
    tau = 0.5
    for window in range(1, n // 2):
        tau += sum((a - mean) * (b - mean) for a, b in zip(x, x[window:])) / (n - window) / variance
        if window >= 6 * tau:
            break
    return tau, tau * math.sqrt(2 * (2 * window + 1) / n), math.sqrt(2 * tau * variance / n)


def errors() -> list[str]:
    """What is wrong in the row of E of summary.dat for two walkers, whose series are blocks of one analysis: that of the first alone, and
    twice the mean of both without it."""
    words = "--atoms 8 --edge 8.5 --blocks 300 --analyses 1 --macroupdates 1 --warm-up 20"
    one, both = ([float(row[1]) for row in rows(helium(f"series{n}", f"{words} --walkers {n}") / "e.dat")] for n in (1, 2))
    n, mean = len(both), sum(both) / len(both)
    found = [autocorrelation(x) for x in (one, [2 * b - a for a, b in zip(one, both)])]
    expected = (mean, math.sqrt(sum((x - mean) ** 2 for x in both) / n / (n - 1)), math.hypot(*(f[2] for f in found)) / 2,
                (found[0][0] + found[1][0]) / 2, math.hypot(*(f[1] for f in found)) / 2)  # fmt: skip
    made = [float(x) for x in rows(WORK / "series2" / "summary.dat")[0][1:]]
    return [f"{x}, not {y}" for x, y in zip(made, expected) if not abs(x - y) < 1e-6 * abs(y)]


def header(folder: str, words: str) -> list[str]:
    """The values of edge and density of a run."""
    made = helium(folder, f"--atoms 27 --walkers 1 --blocks 1 --analyses 1 --warm-up 0 --macroupdates 1 {words}")
    return [line.split()[2] for line in (made / "e.dat").read_text().splitlines() if line.startswith(("# edge ", "# density "))]


def refused(words: str) -> bool:
    """Whether the program says why in one line, with status 2, and makes nothing."""
    done = subprocess.run([BUILD / "paising-helium", *words.split()], cwd=WORK, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == ""


def interrupted() -> list[str]:
    """What is wrong after a signal, and after going on by the same line."""
    words, checkpoint, folder = "--atoms 64 --walkers 1 --analyses 100 --warm-up 5", WORK / "stopped.ck", WORK / "stopped"
    going_on = f"{words} --checkpoint {checkpoint} --continue"
    command = [BUILD / "paising-helium", *going_on.split(), "--blocks", "100000", "--output", folder]
    with subprocess.Popen(command) as running:
        while not checkpoint.exists() and running.poll() is None:
            time.sleep(0.002)
        running.send_signal(signal.SIGTERM)
    wrong = [] if running.returncode == -signal.SIGTERM else [f"status {running.returncode}"]
    wrong += ["a result is there"] if (folder / "run.json").exists() else []
    folder.mkdir()  # an empty one is gone
    stale = folder / ".e.dat.1.tmp"
    stale.write_text("# paising-helium")
    wrong += differ(helium("not-stopped", f"{words} --blocks 12"), helium("stopped", f"{going_on} --blocks 12"))
    again = subprocess.run([*command[:-3], "12", "--output", folder], capture_output=True, text=True, check=False)
    wrong += [] if again.returncode == 0 and "nothing is left" in again.stderr else [f"again: {again.returncode}, {again.stderr}"]
    wrong += ["other options are not refused"] if not refused(f"{going_on} --blocks 13 --output {folder}") else []
    return wrong + (["an unfinished file stays"] if stale.exists() else []) + long_warm_up()


def long_warm_up() -> list[str]:
    """What is wrong after a signal in a warm-up of a day."""
    folder = WORK / "warm-up"
    with subprocess.Popen([BUILD / "paising-helium", "--atoms", "64", "--warm-up", "1000000000", "--output", folder]) as running:
        while not folder.exists() and running.poll() is None:
            time.sleep(0.002)
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(20)  # the machine may be busy
        except subprocess.TimeoutExpired:
            running.kill()
    wrong = [] if running.returncode == -signal.SIGTERM else [f"warm-up: status {running.returncode}"]
    return wrong + (["the folder stays"] if folder.exists() else [])


def full_disk() -> list[str]:
    """What is wrong where files may have 4 KiB, for a result, a checkpoint and a result that replaces one, and where they may be longer
    again."""
    wrong = []
    words = "--atoms 64 --walkers 2 --blocks 1 --analyses 2 --warm-up 5"
    long = helium("long", words)
    helium("replaced", words)
    for name, more in (("short", ""), ("short-checkpoint", f"--checkpoint {WORK / 'short.ck'} --walkers 16"),
                       ("replaced", "--force --seed 2")):
        done = subprocess.run(
            [BUILD / "paising-helium", *words.split(), *more.split(), "--output", WORK / name], capture_output=True, text=True,
            check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        )  # fmt: skip
        if done.returncode != 1 or done.stderr.count("\n") != 1:
            wrong.append(f"{name}: status {done.returncode}, {done.stderr}")
        if (WORK / name / "run.json").exists() != (name == "replaced") or (WORK / "short.ck").exists():
            wrong.append(f"{name}: something is there, or not")
    wrong += [f"replaced: {name}" for name in differ(WORK / "replaced", long)]
    return wrong + differ(helium("short", words), long)


def gpus() -> int:
    """How many GPUs the program sees; 0, if it was built without CUDA."""
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False) if shutil.which("nvidia-smi") else None
    if done is None or done.returncode != 0 or b"built without CUDA" in (BUILD / "paising-helium").read_bytes():
        return 0
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return done.stdout.count(b"\n") if visible is None else len([v for v in visible.split(",") if v])


def cases() -> dict[str, list[str]]:
    """All claims."""
    small = "--atoms 27 --walkers 5 --analyses 6 --warm-up 20"
    whole = helium("whole", f"{small} --blocks 4 --threads 1")
    threads = helium("threads", f"{small} --blocks 4 --threads 3")
    checkpoint = WORK / "checkpoint"
    helium("part", f"{small} --blocks 2 --checkpoint {checkpoint}")
    resumed = helium("resumed", f"{small} --blocks 4 --resume {checkpoint}")
    parameters = WORK / "parameters.in"
    parameters.write_text(
        "# as for QL\nblockstogo 4\nstepsinablock = 6\nvmcmacrosteps 4\nbulkdimarray 10.7 10.7 10.7\n"
        "jastrowb 3.07\nmass 4.002602\nmtpstep 0.82\natoms 27\nwalkers 5\nwarm-up 20\n"
    )
    by_file, by_option = helium("file", f"--parameters {parameters}"), helium("edge", f"{small} --blocks 4 --edge 10.7")
    wrong_files = [WORK / f"wrong{n}" for n in range(5)]
    lines = ("bulkdimarray 10 10 11", "bulkdimarray 10 10 10 10", "bulkdimarray 10 10", "bulkdimarray 10 10x 10", "mass 4 4")
    for file, line in zip(wrong_files, lines):
        file.write_text(line)
    os.mkfifo(WORK / "pipe")
    damaged = WORK / "damaged"
    damaged.write_bytes(checkpoint.read_bytes()[:-9])

    few = "--atoms 2 --edge 8 --walkers 32 --blocks 5 --analyses 400 --warm-up 50"
    two = summary(helium("two", few))
    exact = two_atoms(8)
    values = {"V": exact["V"], "T": exact["T1"], "T1": exact["T1"], "T2": exact["T1"], "E": exact["V"] + exact["T1"]}
    many = "--atoms 64 --walkers 8 --blocks 5 --analyses 40 --warm-up 100"
    liquid = summary(helium("liquid", many))
    three = "--atoms 3 --edge 8.2 --walkers 32 --blocks 5 --analyses 400 --warm-up 50 --macroupdates 1"
    independent = simulate(3, 8.2, 20, 150, 1)
    apart = {"T2-T1": (liquid["T2"][0] - liquid["T1"][0], liquid["T1"][1] + liquid["T2"][1])}
    acceptance = {"acceptance": 0.3705}
    tail = summary(WORK / "liquid")["tail"][0]
    return {
        "plain_helium prints the same bytes": against_plain(),
        "any number of threads": differ(whole, threads),
        "walkers divided among three parts of the CPU": differ(whole, helium("parts", f"{small} --blocks 4 --device cpu,cpu,cpu")),
        "control: another seed differs": [] if differ(whole, helium("seed", f"{small} --blocks 4 --seed 2")) else ["none"],
        "a checkpoint in between": differ(whole, resumed),
        "names of parameters.in": differ(by_file, by_option),
        "the quadrature agrees with itself and with another": [
            f"L = {edge}: {found}"
            for edge, (V, T) in EXACT.items()
            for found in (two_atoms(edge),)
            if abs(found["V"] - V) > 1e-7 or abs(found["T1"] - T) > 1e-5 * T or abs(found["T1"] - found["T2"]) > 1e-9
        ],
        "the potential at its minimum": [] if abs(potential(2.963) + 10.9480024) < 1e-7 else [str(potential(2.963))],
        "two atoms": deviations(two, values),
        "control: half the mass": [] if deviations(summary(helium("mass", f"{few} --mass 2")), values) else ["not found"],
        "control: another b": [] if deviations(summary(helium("b", f"{few} --jastrow-b 2.9")), values) else ["not found"],
        "three atoms: another program": disagree(summary(helium("three", three)), independent),
        "control: three atoms of half the mass": []
        if disagree(summary(helium("three-mass", f"{three} --mass 2")), independent)
        else ["not found"],
        "energies, g(r) and S(k) of one configuration": snapshot(),
        "mean, errors and tau_int of two walkers": errors(),
        "of the density and the edge, the later one counts": []
        if header("later", "--density 0.05 --edge 10") == ["0.027", "1e+01"] and header("first", "--edge 10 --density 0.027")[0] == "0.027"
        and header("denser", "--edge 10 --density 0.03")[0] == "0.03" else ["no"],
        "64 atoms: the tail of another program": [] if abs(tail + 1.3096) < 1e-4 else [str(tail)],
        "64 atoms: T1 = T2, acceptance": deviations({**liquid, **apart}, {"T2-T1": 0, **acceptance}),
        "control: a smaller displacement": []
        if deviations(summary(helium("step", f"{many} --step 0.4734")), acceptance)
        else ["not found"],
        "a signal, and on from the checkpoint": interrupted(),
        "a full disk": full_disk(),
        "bad input is refused in one line": [words for words in REFUSED if not refused(words)]
        + [words for words in (f"{small} --output {whole}", f"{small} --resume {damaged} --output new", f"{small} --resume pipe --output new",
                               f"{small} --checkpoint {checkpoint} --output new", f"{small} --checkpoint no/where --output new",
                               f"{small} --step 0.8 --resume {checkpoint} --output new", f"{small} --blocks 1 --resume {checkpoint} --output new",
                               *(f"--parameters {file} --atoms 20 --blocks 1 --output new" for file in wrong_files)) if not refused(words)],
    }  # fmt: skip


def main() -> int:
    try:
        found = cases()
        if gpus() > 0:
            words = "--atoms 200 --walkers 3 --blocks 2 --analyses 3 --warm-up 10"
            host = helium("host", words)
            for blocks in (1, 3):
                made = helium(f"gpu{blocks}", f"{words} --device cuda --blocks-per-walker {blocks}")
                found[f"a GPU, {blocks} blocks a walker"] = differ(host, made)
            for who in ("masked", "masked-shape", "host"):
                found[f"a GPU, analyses: {who}"] = differ(host, helium(f"gpu-{who}", f"{words} --device cuda --analyse {who}"))
            for device in ("cuda:0,0", "cuda,cpu", *(["cuda:0,1"] if gpus() > 1 else [])):
                found[f"walkers divided: {device}"] = differ(host, helium(device, f"{words} --device {device}"))
            many = "--atoms 4000 --walkers 2 --blocks 1 --analyses 1 --macroupdates 1 --warm-up 1"
            found["a GPU, groups out of reach"] = differ(helium("many", many), helium("gpu-many", f"{many} --device cuda"))
        else:
            print("SKIP identity of CPU and GPU: no GPU, or built without CUDA")
        return report(found)
    finally:
        shutil.rmtree(WORK)


if __name__ == "__main__":
    sys.exit(main())
