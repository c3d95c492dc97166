#!/usr/bin/env python3
"""The Python package of paising/python/, over the library in BUILD/lib, against the command BUILD/paising.

    test_python.py [BUILD]     BUILD: the folder of what was built [build]

Claimed:
  - files of paising.anneal are those of the command, byte for byte: lattices, glasses, graphs, arrays, temperatures, methods;
  - J and h, whole or real, mean H = -sum J s s - sum h s, in the order that is said. Energies of saved spins come from other code. Means are
    within 5 errors of an enumeration (a false alarm in a million). Another sign or order of columns or directions is found;
  - paising.read reads every file that the command writes by its columns, of each method, as text and as archive, and refuses what is altered or
    cut off;
  - what is wrong is an exception with the library's text; Ctrl-C, and what progress raises or returns, end a run; the lock is free;
  - a run that was stopped goes on by its checkpoint, with the same bytes; other couplings are refused;
  - plot draws the column and its errors, and says what is missing without matplotlib;
  - samples of paising.dimod have dimod's energies and the distribution of the model, also where the biases have no unit;
  - pip installs the package without a network; the archive of the sources makes every object of the library.

It runs with a python3 that has numpy and pip, this one or /usr/bin/python3; where there is none all is skipped. One line a case: ok,
FAIL or SKIP. The last line counts: N passed, N failed."""

from __future__ import annotations

import base64
import gc
import hashlib
import itertools
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
from pathlib import Path
from typing import Any, Callable

TOP = Path(__file__).resolve().parents[2]
PYTHON = TOP / "paising" / "python"
BUILD = (TOP / (sys.argv[1] if len(sys.argv) > 1 else "build")).resolve()
sys.path[:0] = [str(PYTHON), str(TOP / "validate" / "command"), str(TOP / "validate" / "lib")]
os.environ["PAISING_LIBRARY"] = str(BUILD / "lib" / "libpaising.so")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # also of pip
os.environ["OMP_NUM_THREADS"] = "1"  # runs are small, and other tests go on beside this one
sys.dont_write_bytecode = True

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402


def equipped(python: str) -> bool:
    """Whether an interpreter has what the test needs."""
    try:
        return subprocess.run([python, "-c", "import numpy, pip"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


try:
    import numpy as np
    import pip  # noqa: F401
except ImportError:
    if sys.executable != "/usr/bin/python3" and equipped("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("SKIP: no python3 with numpy and pip is there\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

import paising  # noqa: E402
from paising import _library as bindings  # noqa: E402

Claim = Callable[[Path], "list[str]"]
SMALL: dict[str, Any] = {"R": 300, "theta": 2, "dbeta": 0.25, "device": "cpu"}


def command(folder: Path, *words: object) -> Path:
    """Runs the command in a folder; returns that of its result."""
    subprocess.run([BUILD / "paising", "-D", "cpu", "--quiet", "-o", "of_command", "--force", *map(str, words)], cwd=folder, check=True,
                   capture_output=True)
    return folder / "of_command"


def different(result: paising.Result, folder: Path) -> list[str]:
    """Files that are not the same in a result and in a folder; run.json has what may differ."""
    theirs = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".dat", ".npy", ".npz")}
    ours = {name: content for name, content in result.files.items() if name != "run.json"}
    return [f"{name}: differs" for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]


def raised(kind: type[BaseException], text: str, call: Callable[[], object]) -> list[str]:
    """What is wrong with what a call raises."""
    try:
        call()
    except kind as error:
        return [] if text in str(error) else [f"{kind.__name__} says {error}, not {text}"]
    except Exception as error:  # pylint: disable=broad-except
        return [f"{type(error).__name__} ({error}), not {kind.__name__}"]
    return [f"nothing is raised, not {kind.__name__}: {text}"]


# --- the same files ---

# A graph that is not bipartite, with different couplings and fields; no two columns of it are exchangeable.
GRAPH = [(0, 1, 1), (1, 2, -2), (2, 0, 1), (2, 3, 3), (3, 4, -1)]
FIELDS = [1, 0, -2, 0, 1]
FLAT = ("-R", 300, "-t", 2, "-d", 0.25)


def some_couplings() -> np.ndarray:
    """J[direction, z, y, x] of a lattice with three different edges, a few bonds missing."""
    return np.random.default_rng(3).choice([-1, 0, 1], p=[0.5, 0.1, 0.4], size=(3, 4, 6, 8))


def lines(rows: Any) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def same_files(folder: Path) -> list[str]:
    wrong = different(paising.anneal(L=16, R=300, theta=2, dbeta=0.05, runs=2, reweight=True, seed=7, device="cpu"),
                      command(folder, "-L", 16, "-R", 300, "-t", 2, "-d", 0.05, "-M", 2, "-m", "-s", 7))
    wrong += different(paising.anneal(model="glass3d", L=(4, 6, 8), save_spins=(0, 1), **SMALL),
                       command(folder, "--model", "glass3d", "-L", "4x6x8", "--save-spins", "0,1", *FLAT))
    wrong += different(paising.anneal(method="tempering", L=16, R=32, theta=2, dbeta=0.5, measurements=20, device="cpu"),
                       command(folder, "--method", "tempering", "-L", 16, "-R", 32, "-t", 2, "-d", 0.5, "--measurements", 20))
    return wrong


def same_files_of_arrays(folder: Path) -> list[str]:
    betas, sweeps = [0, 0.1, 1 / 3, 0.7], [(0, 1), (0.3, 4)]
    (folder / "betas").write_text("".join(f"{beta!r}\n" for beta in betas))
    (folder / "sweeps").write_text(lines(sweeps))
    (folder / "graph").write_text(lines(GRAPH) + lines((site, site, field) for site, field in enumerate(FIELDS)))
    wrong = different(paising.anneal(np.array(GRAPH, dtype=float), h=FIELDS, R=300, betas=betas, sweeps_file=sweeps, device="cpu"),
                      command(folder, "--graph", "graph", "-R", 300, "--betas", "betas", "--sweeps-file", "sweeps"))
    (folder / "decimals").write_text(lines((i, j, J / 3) for i, j, J in GRAPH))
    thirds = paising.anneal([(i, j, J / 3) for i, j, J in GRAPH], **SMALL)
    wrong += different(thirds, command(folder, "--graph", "decimals", *FLAT))
    wrong += [] if "4 numbers rounded to 8 decimals" in thirds.text else ["nothing is said of rounding"]
    # Near whole numbers: 1 + 1e-8 is itself, and what is lost is said or refused.
    near = [(0, 1, 1 + 1e-8), (1, 2, 1.0)]
    (folder / "near").write_text(lines(near))
    exact = paising.anneal(near, **SMALL)
    wrong += different(exact, command(folder, "--graph", "near", *FLAT))
    wrong += ["1 + 1e-8 is said to be rounded"] if "rounded" in exact.text else []
    lost = paising.anneal([(0, 1, 1 + 1e-9), (1, 2, 1.0)], **SMALL)
    wrong += [] if "1 number rounded to 8 decimals" in lost.text else ["1 + 1e-9 is rounded silently"]
    wrong += raised(paising.Refused, "would be to 8 decimals", lambda: paising.anneal([(0, 1, 1e-9), (1, 2, 1.0)], **SMALL))
    wrong += raised(paising.Refused, "would be to 8 decimals", lambda: paising.anneal([(0, 1, 1)], [0, 1e-9], **SMALL))
    real = np.random.default_rng(4).normal(size=(2, 6, 8))
    real[0, 0, :3] = 1e-9, 1 + 1e-9, 2**-21
    (folder / "real").write_text(lines((x, y, 0, d, real[d, y, x]) for d, y, x in itertools.product(range(2), range(6), range(8))))
    wrong += different(paising.anneal(real, coding="ssc", **SMALL),
                       command(folder, "--model", "glass2d", "-L", "8x6", "-c", "ssc", "--couplings", "real", "--couplings-type", "real", *FLAT))
    J = some_couplings()
    (folder / "couplings").write_text(lines((x, y, z, d, J[d, z, y, x]) for d, z, y, x in itertools.product(*map(range, J.shape))))
    wrong += different(paising.anneal(J, **SMALL), command(folder, "--model", "glass3d", "-L", "8x6x4", "--couplings", "couplings", *FLAT))
    (folder / "bonds").write_text(lines((x, y, 0, d, J[d, 0, y, x]) for d, y, x in itertools.product(range(2), range(6), range(8))))
    wrong += different(paising.anneal(J=J[:2, 0], coding="ssc", **SMALL),
                       command(folder, "--model", "glass2d", "-L", "8x6", "-c", "ssc", "--couplings", "bonds", *FLAT))
    return wrong


# --- what J and h mean ---

def enumerated(bonds: Any, fields: Any, beta: float) -> float:
    """The exact mean energy per spin."""
    states = np.array(list(itertools.product((-1, 1), repeat=len(fields))))
    energies = -sum(J * states[:, int(i)] * states[:, int(j)] for i, j, J in bonds) - states @ np.array(fields)
    weights = np.exp(-beta * energies)
    return float(weights @ energies / weights.sum() / len(fields))


def off(table: np.ndarray, bonds: Any, fields: Any) -> float:
    """The largest deviation of the energy from the exact one, in errors; beta = 0 has no bias to find."""
    return max(abs(row["e"] - enumerated(bonds, fields, row["beta"])) / row["err_e"] for row in table[1:])


def means_of_a_graph(_folder: Path) -> list[str]:
    wrong = []
    for J_unit, h_unit in ((1, 1), (0.731, 2**0.5)):
        bonds, fields = [(i, j, J * J_unit) for i, j, J in GRAPH], [h * h_unit for h in FIELDS]
        table = paising.anneal(bonds, fields, R=20000, theta=5, beta_end=1, dbeta=0.1, device="cpu").table
        wrong += [] if off(table, bonds, fields) < 5 else [f"e is {off(table, bonds, fields):.1f} errors off"]
        planted = {
            "J of the other sign": ([(i, j, -J) for i, j, J in bonds], fields),
            "h of the other sign": (bonds, [-h for h in fields[:-1]] + [h_unit]),
            "h in another order": (bonds, fields[::-1][1:] + [h_unit]),
            "J of other bonds": ([(*bond[:2], J) for bond, (_, _, J) in zip(bonds, bonds[1:] + bonds[:1])], fields),
        }
        wrong += [f"control: {name} is not found" for name, other in planted.items() if off(table, *other) < 5]
    return wrong


def energies(spins: np.ndarray, J: np.ndarray) -> np.ndarray:
    """E of spins [replica, z, y, x] and J[direction, z, y, x]; direction 0 leads to x + 1, and so on."""
    return -sum((spins * np.roll(spins, -1, axis=3 - d) * J[d]).sum(axis=(1, 2, 3)) for d in range(3))


def energies_of_a_lattice(_folder: Path) -> list[str]:
    J = some_couplings()
    result = paising.anneal(J, save_spins=(0.5, 1), spins=True, **SMALL)
    saved = result.population()
    spins = saved.spins.reshape(-1, *J.shape[1:])
    wrong = [] if saved.beta == 1 and len(spins) == len(saved.energies) == len(saved.families) > 250 else ["another population"]
    wrong += [] if (energies(spins, J) == saved.energies).all() else ["spins have other energies"]
    wrong += [] if np.array_equal(result.spins, saved.spins) else ["the last spins are not those that were saved"]
    planted = {"sign": -J, "directions": J[::-1], "x": J[..., ::-1], "y": J[..., ::-1, :], "z": J[:, ::-1]}
    return wrong + [f"control: another order of {name} is not found" for name, other in planted.items()
                    if (energies(spins, other) == saved.energies).all()]


def energies_of_a_graph(_folder: Path) -> list[str]:
    saved = paising.anneal(GRAPH, FIELDS, save_spins=0.5, beta_end=1, **SMALL).population(beta=0.5)
    last = paising.anneal(GRAPH, FIELDS, beta_end=0.5, spins=True, **SMALL).spins
    found = -sum(J * saved.spins[:, i] * saved.spins[:, j] for i, j, J in GRAPH) - saved.spins @ np.array(FIELDS)
    wrong = [] if np.array_equal(last, saved.spins) else ["the last spins are not those that were saved"]
    one = paising.anneal(h=[1], save_spins=1, **SMALL).population()
    wrong += [] if np.array_equal(-one.spins[:, 0], one.energies) else ["a single site has another energy"]
    return wrong + ([] if (found == saved.energies).all() else ["spins have other energies"])


# --- reading ---

def tables_are_read(folder: Path) -> list[str]:
    wrong = []
    for words in (["-L", 16, "-M", 2, "-m", "-R", 300, "-t", 2, "-d", 0.05], ["--model", "glass3d", "-L", 4, "-a", 0.7, "-R", 2000],
                  ["--method", "tempering", "-L", 16, "-R", 32, "-d", 0.5, "--measurements", 20]):
        made = command(folder, *words)
        result = paising.read(made)
        if set(result) != {path.name for path in made.iterdir() if path.suffix in (".dat", ".json")}:
            wrong.append(f"{words}: files are {sorted(result)}")
        for name in result:
            if name == "run.json" or "overlap" in name:  # histograms are several tables; below
                continue
            _, columns = read_table(made / name)
            table = result[name]
            if table.dtype.names != tuple(columns) or any(not np.array_equal(table[c], columns[c], equal_nan=True) for c in columns):
                wrong.append(f"{name}: other columns")
        if ("trusting" in result.table.dtype.names) != ("-M" in words):
            wrong.append(f"{words}: another main table")
        if result.json["parameters"]["population"] != int(words[words.index("-R") + 1]):
            wrong.append("run.json has another population")
    return wrong + ([] if result.table.dtype.names[-1] and len(result.table) == 3 else [f"the main table has {len(result.table)} rows"])


def glass_files_are_read(_folder: Path) -> list[str]:
    J = some_couplings()
    result = paising.anneal(J, R=3000, theta=5, dbeta=0.1, device="cpu")
    histograms, state, couplings = (result[f"PA_{name}.dat"] for name in ("overlap_run_0", "ground_state_run_0", "couplings"))
    wrong = []
    for kind, column in enumerate(("q2", "q_l")):
        for row in result.table:
            part = histograms[np.isclose(histograms["beta"], row["beta"]) & (histograms["kind"] == kind)]
            mean = (part["share"] * (part["q"] ** 2 if kind == 0 else part["q"])).sum()
            # Shares and bins have 11 digits.
            if len(part) == 0 or part["count"].sum() != row["pairs"] or abs(part["share"].sum() - 1) > 1e-8 or abs(mean - row[column]) > 1e-8:
                wrong.append(f"beta = {row['beta']}: the histogram of {column} has the mean {mean}, and the row has {row[column]}")
    energy = energies(state["spin"].reshape(1, *J.shape[1:]), J)[0]
    if energy != result.table["E_min"][-1]:
        wrong.append(f"the state has the energy {energy}, not {result.table['E_min'][-1]}")
    x, y, z, d = (couplings[name].astype(int) for name in ("x", "y", "z", "direction"))
    return wrong + ([] if len(d) == (J != 0).sum() and (J[d, z, y, x] == couplings["J"]).all() else ["other couplings"])


def samples_are_read(folder: Path) -> list[str]:
    result = paising.read(command(folder, "--model", "glass2d", "-L", 16, "--samples", 2, *FLAT))
    alone = paising.anneal(model="glass2d", L=16, sample=1, **SMALL)
    return ([] if list(result.samples) == ["sample_0000", "sample_0001"] else [f"samples are {list(result.samples)}"]) + (
        [] if (result.samples["sample_0001"].table["e"] == alone.table["e"]).all() else ["sample 1 has other energies"]) + (
        [] if "equilibrated" in result.table.dtype.names and not result.stopped else ["no averages"])


# A result of each method, and the main table of it.
METHODS = (
    ("PA_results_weighted", "--model", "glass3d", "-L", 4, "-M", 2, *FLAT),
    ("PA_results_run_0", "--model", "heisenberg3d", "-c", "ssc", "-L", 4, *FLAT),
    ("PA_disorder_averages", "--model", "glass2d", "-L", 16, "--samples", 2, *FLAT),
    ("PA_ground_states", "--model", "glass2d", "-L", 4, "-R", 64, "-t", 5, "-M", 4, "--ground-states"),
    ("MC_results", "--method", "canonical", "-L", 16, "-R", 32, "-d", 0.5, "--measurements", 20, "-m"),
    ("MC_results", "--method", "tempering", "--model", "glass3d", "-L", 4, "-R", 32, "-d", 0.5, "--measurements", 20, "--moves", "houdayer"),
    ("MC_disorder_averages", "--method", "tempering", "--model", "glass3d", "-L", 4, "-R", 32, "-d", 0.5, "--measurements", 20, "--samples", 2),
    ("FH_results", "--method", "multicanonical", "-L", 4, "-R", 8, "-b", 0.44, "-f", 0.44, "--measurements", 20),
    ("FH_results", "--method", "wang-landau", "-L", 4, "-R", 8, "--iterations", 1, "-b", 0.44, "-f", 0.44, "--measurements", 20),
    ("MA_results", "--method", "microcanonical", "-c", "ssc", "-L", 4, "-R", 100, "-t", 2, "-M", 2),
)


def same_columns(ours: Any, theirs: np.ndarray) -> bool:
    names = theirs.dtype.names or ()
    return list(ours.dtype.names if hasattr(ours, "dtype") else (name for name in ours.files if name != "header")) == list(names) and all(
        np.array_equal(ours[name], theirs[name], equal_nan=True) for name in names)


def archives_are_read(folder: Path) -> list[str]:
    wrong = []
    for main, *words in METHODS:
        made = command(folder, *words, "--format", "text,npz")
        both = paising.read(made)
        texts, archives = ({name[:-4] for name in both if name.endswith(kind)} for kind in (".dat", ".npz"))
        wrong += [] if texts == archives and main in texts else [f"{words}: texts are {sorted(texts)}, archives {sorted(archives)}"]
        for name in sorted(archives):
            with np.load(made / f"{name}.npz") as archive:
                same = same_columns(archive, both[f"{name}.dat"]) and same_columns(both[f"{name}.npz"], both[f"{name}.dat"])
            wrong += [] if same else [f"{words}: {name}.npz has other columns than the text"]
        wrong += [] if both.table.dtype.names and same_columns(both.table, both[f"{main}.dat"]) else [f"{words}: another main table"]
    only = paising.read(command(folder, *METHODS[0][1:], "--format", "npz"))
    return wrong + ([] if "PA_results_run_0.dat" not in only and "trusting" in only.table.dtype.names else ["another main table without texts"])


def damage_is_found(folder: Path) -> list[str]:
    made = command(folder, "-L", 16, "--format", "text,npz", *FLAT)
    file = made / "PA_results_run_0.dat"
    whole = file.read_bytes()
    archive = made / "PA_results_run_0.npz"
    wrong = [] if len(paising.read(made).table) == 5 else ["the whole file has other rows"]
    changed = bytearray(archive.read_bytes())
    changed[len(changed) // 2] ^= 1
    archive.write_bytes(changed)
    wrong += raised(ValueError, "cut off or altered", lambda: paising.read(made)[archive.name])
    archive.write_bytes(changed[:-100])
    wrong += raised(ValueError, "cut off or altered", lambda: paising.read(made)[archive.name])
    for what, content in {"a digit": whole.replace(b"\n0.25 ", b"\n0.26 "), "the end": whole[: whole.rindex(b"#")], "all": b""}.items():
        file.write_bytes(content)
        wrong += [f"{what}: {line}" for line in raised(ValueError, "cut off or altered", lambda: paising.read(made).table)]
    (folder / "empty").mkdir()
    return wrong + raised(FileNotFoundError, "no result", lambda: paising.read(folder / "empty"))


# --- what is wrong, what ends a run ---

def refusals(_folder: Path) -> list[str]:
    J = some_couplings()
    wrong = []
    for kind, text, given in (
        (paising.Refused, "sise", {"sise": 3}),
        (paising.Refused, "17", {"L": 17}),
        (paising.Refused, "command alone", {"output": "here"}),
        (paising.Refused, "--graph", {"J": [(0, 1, 1), (1, 0, 1)]}),
        (paising.Refused, "sites are below", {"J": [(0, 1 << 40, 1)]}),
        (ValueError, "are the same", {"L": 16, "size": 16}),
        (ValueError, "shape", {"J": [(0, 1)]}),
        (ValueError, "shape", {"J": J[:2]}),
        (ValueError, "shape", {"J": GRAPH, "h": [[1, 2]]}),
        (ValueError, "finite numbers", {"J": [(0, 1, float("nan"))]}),
        (ValueError, "a site is no whole number", {"J": [(0, 1.5, 1)]}),
        (paising.Refused, "'9.223372036854776e+18' is not a number below 10^15", {"J": [(0, 1, 1 << 63)]}),
        (ValueError, "numbers are needed", {"J": [(0, 1, 1 << 70)]}),
        (ValueError, "counted from 0", {"J": [(0, -1, 1)]}),
        (ValueError, "given by h", {"J": [(1, 1, 1)]}),
        (ValueError, "the array J is of", {"J": J, "L": (4, 6, 8)}),
        (ValueError, "the array J is of", {"J": J, "model": "glass2d"}),
        (ValueError, "which lattice", {"J": GRAPH, "L": 16}),
        (ValueError, "betas: an array of 3 dimensions", {"betas": [[[0, 1]]]}),
        (ValueError, "betas: an array without numbers", {"betas": []}),
    ):
        wrong += [f"{given}: {line}" for line in raised(kind, text, lambda: paising.anneal(device="cpu", R=100, theta=1, **given))]
    wrong += raised(paising.Failed, "died out", lambda: paising.anneal(L=16, R=1, theta=1, resampling="poisson", dbeta=1, seed=1, device="cpu"))
    return wrong


def ends_of_a_run(_folder: Path) -> list[str]:
    def interrupt(beta: float) -> None:
        if beta > 0.3:
            os.kill(os.getpid(), signal.SIGINT)

    def fail(beta: float) -> None:
        if beta > 0.3:
            raise KeyError("of the caller")

    # Slow enough for a signal to reach the other thread.
    slow = {"L": 64, "R": 2000, "theta": 10, "dbeta": 0.01, "beta_end": 10, "device": "cpu"}
    stopped = paising.anneal(progress=lambda beta: beta > 0.3, **slow)
    wrong = [] if stopped.stopped and 30 <= len(stopped.table) < 60 else [f"stopped: {stopped.stopped}, {len(stopped.table)} rows"]
    wrong += raised(KeyError, "of the caller", lambda: paising.anneal(progress=fail, **slow))
    try:
        paising.anneal(progress=interrupt, **slow)
        wrong.append("Ctrl-C: nothing is raised")
    except paising.Interrupted as error:
        if not error.result.stopped or not 30 <= len(error.result.table) < 1000:
            wrong.append(f"Ctrl-C: {len(error.result.table)} rows")
    whole = paising.anneal(progress=lambda beta: 0, L=16, **SMALL)
    return wrong + ([] if not whole.stopped and len(whole.table) == 5 else ["a whole run is said to be stopped"])


def stopped_runs_go_on(folder: Path) -> list[str]:
    """Runs of a glass with couplings of an array, which are stopped after some temperatures and go on by a checkpoint."""
    J, state = some_couplings(), folder / "state"
    whole = paising.anneal(J, R=100, theta=1, dbeta=0.1, device="cpu")
    stopped = paising.anneal(J, R=100, theta=1, dbeta=0.1, device="cpu", checkpoint=state, progress=lambda beta: beta > 0.3)
    resumed = paising.anneal(J, resume=state)
    wrong = [] if stopped.stopped and 3 < len(stopped.table) < len(whole.table) else [f"stopped: {len(stopped.table)} rows"]
    wrong += [f"{name}: other bytes" for name, content in whole.files.items() if name != "run.json" and resumed.files.get(name) != content]
    return wrong + raised(paising.Refused, "fingerprint", lambda: paising.anneal(-J, resume=state))


def memory_is_given_back(_folder: Path) -> list[str]:
    library = bindings.library()
    free, freed = library.paising_free, []
    gc.collect()  # handles of runs that have raised
    library.paising_free = lambda handle: freed.append(free(handle))
    try:
        paising.anneal(L=16, **SMALL)
        at_once = len(freed)
        wrong = raised(paising.Refused, "17", lambda: paising.anneal(L=17, device="cpu"))
        gc.collect()
    finally:
        library.paising_free = free
    return wrong + ([] if at_once == 1 and len(freed) == 2 else [f"{at_once} of 1, {len(freed)} of 2 handles are freed"])


def lock_is_free(_folder: Path) -> list[str]:
    ticks, ended = [0.0], threading.Event()

    def tick() -> None:
        while not ended.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    paising.anneal(L=64, R=2000, theta=10, dbeta=0.05, device="cpu")
    took = time.monotonic() - start
    ended.set()
    thread.join()
    pause = max(b - a for a, b in zip([start, *ticks[1:]], [*ticks[1:], start + took]))
    return [] if pause < took / 2 else [f"another thread waits for {pause:.3f} s of {took:.3f} s"]


# --- plot, dimod ---

def plots(_folder: Path) -> list[str]:
    result = paising.anneal(L=16, **SMALL)
    drawn: list[Any] = []
    axes = types.SimpleNamespace(errorbar=lambda *given, **style: drawn.append((given, style)), set_xlabel=str, set_ylabel=str)
    pyplot: Any = types.ModuleType("matplotlib.pyplot")
    pyplot.gca = lambda: axes
    matplotlib: Any = types.ModuleType("matplotlib")
    matplotlib.pyplot = pyplot
    before = {name: sys.modules.get(name) for name in ("matplotlib", "matplotlib.pyplot")}
    try:
        sys.modules.update({"matplotlib": None, "matplotlib.pyplot": None})  # type: ignore[dict-item]
        wrong = raised(ImportError, "needs matplotlib", lambda: paising.plot(result))
        sys.modules.update({"matplotlib": matplotlib, "matplotlib.pyplot": pyplot})
        wrong += [] if paising.plot(result, "C", label="here") is axes else ["other axes are returned"]
        paising.plot(result, "lnQ", file="PA_results_weighted.dat", axes=axes)
        wrong += raised(ValueError, "no column entropy", lambda: paising.plot(result, "entropy"))
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    (with_errors, style), (without, _) = drawn
    right = style == {"label": "here"} and without[2] is None and all(
        np.array_equal(values, result.table[name], equal_nan=True) for values, name in zip(with_errors, ("beta", "C", "err_C")))
    return wrong + ([] if right else ["other columns are drawn"])


def dimod_samples(_folder: Path) -> list[str]:
    import dimod  # pylint: disable=import-error,import-outside-toplevel
    import paising.dimod  # pylint: disable=import-outside-toplevel

    sampler, wrong = paising.dimod.Sampler(), []
    # Neither is bipartite; labels of any type, and units 0.1 and 1/4.
    spins = dimod.BinaryQuadraticModel({"a": 0.1, ("b", 1): -0.3}, {("a", ("b", 1)): 1, (("b", 1), 3): 0.7, (3, "a"): -0.2}, 0.25, "SPIN")
    draw = np.random.default_rng(5).integers
    binary = dimod.BinaryQuadraticModel({i: int(draw(-5, 6)) for i in range(8)},
                                        {(i, j): int(draw(-5, 6)) / 2 for i in range(8) for j in range(i)}, 1, "BINARY")
    tiny = dimod.BinaryQuadraticModel({v: 1e-9 * spins.linear[v] for v in spins.variables}, {b: 1e-9 * J for b, J in spins.quadratic.items()}, "SPIN")
    real = dimod.BinaryQuadraticModel({"a": 2**0.5}, {"ab": math.pi, "bc": -1, "ca": 1e-3}, "SPIN")
    for name, bqm, beta in (("SPIN", spins, 1.5), ("BINARY", binary, 0.3), ("no unit", real, 0.7), ("tiny", tiny, 1.5e9)):
        found = sampler.sample(bqm, num_reads=10000, beta_end=beta, dbeta=0.02, seed=1, device="cpu")
        every = dimod.ExactSolver().sample(bqm)
        exact = every.record.energy
        weights = np.exp(-beta * (exact - exact.min()))
        weights /= weights.sum()
        mean, deviation = weights @ exact, np.sqrt(weights @ exact**2 - (weights @ exact) ** 2)
        if not np.allclose(found.record.energy, [bqm.energy(dict(zip(found.variables, sample))) for sample in found.record.sample]):
            wrong.append(f"{name}: other energies")
        if found.vartype is not bqm.vartype or set(np.unique(found.record.sample)) != set(bqm.vartype.value) or len(found) != 10000:
            wrong.append(f"{name}: other samples")
        if found.first.energy != every.first.energy:
            wrong.append(f"{name}: the lowest energy is {every.first.energy}, not {found.first.energy}")
        # 7 deviations of independent samples: relatives make them fewer, by less than 2 here.
        z = (found.record.energy.mean() - mean) / deviation * 100
        if abs(z) > 7:
            wrong.append(f"{name}: the mean energy is {z:.1f} deviations off")
        planted = weights[::-1] @ exact
        if abs(found.record.energy.mean() - planted) / deviation * 100 < 7:
            wrong.append(f"{name}: control: weights of other states are not found")
    for bias in (float("inf"), float("nan")):
        wrong += raised(ValueError, "", lambda: sampler.sample(dimod.BinaryQuadraticModel({}, {"ab": 1, "bc": bias}, "SPIN"), device="cpu"))
    return wrong + ([] if len(sampler.sample(dimod.BinaryQuadraticModel("SPIN"))) == 0 else ["a model without variables has samples"])


# --- pip ---

def pip_installs(folder: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
                           "--no-cache-dir", "--target", folder / "site", PYTHON], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [done.stderr[-1000:]]
    site = folder / "site"
    code = "import paising; print(paising.__file__, len(paising.anneal(L=16, R=100, theta=1, dbeta=0.5, device='cpu').table))"
    environment = {name: value for name, value in os.environ.items() if name != "PAISING_LIBRARY"}
    said = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False,
                          env={**environment, "PYTHONPATH": str(site)})
    wrong = [] if said.stdout.split() == [str(site / "paising" / "__init__.py"), "3"] else [said.stdout + said.stderr[-500:]]
    listed = {}
    for line in next(site.glob("*.dist-info/RECORD")).read_text().splitlines():
        name, digest, size = line.rsplit(",", 2)
        listed[name] = digest
        if digest:
            wrong += [] if int(size) == (site / name).stat().st_size else [f"{name}: another size in RECORD"]
            found = base64.urlsafe_b64encode(hashlib.sha256((site / name).read_bytes()).digest()).decode().rstrip("=")
            wrong += [] if digest == f"sha256={found}" else [f"{name}: another digest in RECORD"]
    files = {path.name for path in (PYTHON / "paising").iterdir() if path.suffix in (".py", ".typed")} | {"libpaising.so", "libgomp.so.1"}
    return wrong + [f"{name} is not installed" for name in sorted(files) if f"paising/{name}" not in listed]


def objects(project: Path, build: Path) -> set[str]:
    """The objects that make would compile for the library."""
    said = subprocess.run(["make", "-n", "-C", project, "NVCC=", "MPICC=", f"BUILD={build}", build / "lib" / "libpaising.so"], text=True,
                          env={name: value for name, value in os.environ.items() if "MAKE" not in name}, capture_output=True, check=True).stdout
    return {word for line in said.splitlines() if " -c -o " in line for word in line.split() if word.endswith(".o")}


def archive_is_whole(folder: Path) -> list[str]:
    import build_paising  # pylint: disable=import-error,import-outside-toplevel
    subprocess.run(["tar", "-xzf", build_paising.build_sdist(str(folder))], cwd=folder, check=True)
    project = next(folder.glob("paising-*/project"))
    here, there = (objects(top, folder / "none") for top in (TOP, project))
    kinds = (".h", ".cu", ".cuh")
    headers = {path.relative_to(TOP) for path in (TOP / "paising").rglob("*") if path.suffix in kinds}
    wrong = [f"{header}: not in the archive" for header in sorted(headers) if not (project / header).is_file()]
    return wrong + ([f"{name}: not made" for name in sorted(here - there)] if len(here) > 100 else [f"{len(here)} objects only"]) + (
        [] if "Format" not in (project / ".commit").read_text() else ["the archive has no commit"])


CLAIMS: dict[str, Claim] = {
    "files are those of the command": same_files,
    "files of arrays are those of the command": same_files_of_arrays,
    "a graph has the energy of its enumeration, and no other": means_of_a_graph,
    "saved spins of a lattice have the energies of J, and of no other": energies_of_a_lattice,
    "saved spins of a graph have the energies of J and h": energies_of_a_graph,
    "tables are read by their columns": tables_are_read,
    "histograms and states are read": glass_files_are_read,
    "samples are read": samples_are_read,
    "archives are read as the text beside them": archives_are_read,
    "what is altered or cut off is refused": damage_is_found,
    "what is wrong is refused with its reason": refusals,
    "progress, exceptions and Ctrl-C end a run": ends_of_a_run,
    "runs that were stopped go on": stopped_runs_go_on,
    "handles are freed": memory_is_given_back,
    "other threads go on during a run": lock_is_free,
    "plot draws a column, or says what is missing": plots,
    "samples for dimod": dimod_samples,
    "pip installs the package without a network": pip_installs,
    "the archive of the sources is whole": archive_is_whole,
}


def main(words: list[str]) -> int:
    if len(words) > 1 or (words and words[0].startswith("-")):
        print("usage: test_python.py [BUILD]", file=sys.stderr)
        return 2
    cases: dict[str, list[str]] = {}
    for name, claim in CLAIMS.items():
        with tempfile.TemporaryDirectory() as scratch:
            try:
                cases[name] = claim(Path(scratch))
            except ModuleNotFoundError as error:
                if claim is not dimod_samples or error.name != "dimod":
                    raise
                print(f"SKIP {name}: dimod is not there")
            except Exception as error:  # pylint: disable=broad-except
                cases[name] = [f"{type(error).__name__}: {error}"]
    return report(cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
