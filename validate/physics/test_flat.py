#!/usr/bin/env python3
"""Multicanonical and Wang-Landau simulation against exact numbers of states: square ferromagnets, periodic and antiperiodic,
and a glass with couplings +1 and -1.

    test_flat.py [BUILD] [long]

ln g is compared with build/exact --states, both less their mean over the levels. The mean of the absolute deviations is below a bound, and so is the largest
one: twice those of the worst of 20 seeds, and in `long` three times those of the worst of three (`test_flat.py BUILD seeds` prints them). A right program exceeds it with a probability far below 1e-6. The quantities e,
C, betaF/N and S/N at four temperatures have errors from 32 groups, and so have |m|, m2, m4, chi and U4 of ferromagnets up to 8 x 8. They are within the
limit of Student's t with 31 degrees of freedom, which together they exceed with a probability below 2e-5. Averages of the order parameter are
those of FH_density.dat, and nan where it was measured at too few energies. Seeds are fixed. All weights are ready before production. The program says what the weights of a walker lack
that has not been everywhere, and that errors are too small where walkers have made few round trips. Peaks and barrier of FH_transition.dat are those that
first_order.py finds in FH_density.dat, where it knows the energies of the two phases.

Planted faults that must be found, in reference/plain_flat.c, which prints the bytes of the program (test_plain.sh):
- rejected moves out of a window are not counted;
- flips are decided by W(E) / W(E');
- a window joins those below it in the wrong place;
- the weights of the lower window alone decide exchanges, which is seen where windows share most of their levels and exchange after each sweep.

In ranges of energies ln g is compared with that of the states there, each level by its error, and e and C with their averages over
these states; |m|, e and C with those of the lattice where the ends have small probabilities.

Weights of an earlier run need fewer iterations, and ln g is right, as it is with weights of a part of the energies, and with wrong ones that stay fixed.

In the order parameter by energy, that of the next energy is a fault that must be found.

Without a thermalisation after a change of the weights many walkers need more iterations. `short` has the first fault and the last alone;
`long`: L = 16, windows of four levels.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "validate/command"))
sys.path.insert(0, str(ROOT / "validate/lib"))
sys.path.insert(0, str(ROOT / "validate/first_order"))

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402
import first_order  # noqa: E402
import flat  # noqa: E402
from flat import deviation, off_errors  # noqa: E402

BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
WHAT = sys.argv[2] if len(sys.argv) > 2 else "short"
BETAS = [0.2, 0.44, 0.7, 1.0]
T_LIMIT = 7.0  # Student's t of 31 degrees of freedom exceeds it with the probability 7e-8: one of 224 with less than 2e-5
States = dict[int, float]  # ln g of each energy


@functools.cache
def exact_text(options: tuple[str, ...]) -> str:
    return subprocess.run([str(BUILD / "exact"), *options], check=True, stdout=subprocess.PIPE, text=True).stdout


def exact_rows(options: list[str]) -> list[list[str]]:
    return [line.split() for line in exact_text(tuple(options)).splitlines() if line and not line.startswith("#")]


def exact_states(lattice: list[str]) -> States:
    return {int(e): math.log(int(n)) for e, n in exact_rows([*lattice, "--states"]) if int(n) > 0}


def simulate(options: str, seed: int, scratch: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=scratch)) / "result"
    (scratch / "betas").write_text("".join(f"{beta}\n" for beta in BETAS))
    command = [str(BUILD / "paising"), "-D", "cpu", *options.split(), "-s", str(seed), "--betas", str(scratch / "betas")]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(
        [*command, "-o", str(folder), "--quiet"], env=one_thread, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return folder


def states_of(folder: Path, column: str = "ln_g") -> States:
    _, table = read_table(folder / "FH_density.dat")
    return {int(e): x for e, x in zip(table["E"], table[column])}


def exact_averages(lattice: list[str], betas: list[float]) -> list[dict[str, float]]:
    """A row for each beta; with the order parameter of a ferromagnet up to 8 x 8."""
    edge = int(lattice[lattice.index("-L") + 1])
    magnetic = ["--magnetic"] if len(lattice) == 2 and edge <= 8 else []
    rows = []
    for beta, *values in exact_rows([*lattice, *magnetic, *map(str, betas)]):
        row = dict(zip(("e", "C", "betaF/N", "S/N", "|m|", "m2", "m4"), map(float, values)))
        if magnetic:
            row["chi"] = float(beta) * edge**2 * (row["m2"] - row["|m|"] ** 2)
            row["U4"] = 1 - row["m4"] / (3 * row["m2"] ** 2)
        rows.append(row)
    return rows


def beyond(folder: Path, lattice: list[str]) -> list[str]:
    """Averages that differ from the exact ones by more than the limit; N_eff that is not the variance of e over the square of its error; an edge
    that is not the probability of the lowest energy by ln g."""
    _, table = read_table(folder / "FH_results.dat")
    density = states_of(folder)
    sites = math.prod(2 * [int(lattice[lattice.index("-L") + 1])])
    wrong = []
    for n, row in enumerate(exact_averages(lattice, BETAS)):
        worth = table["C"][n] / (BETAS[n] ** 2 * sites * table["err_e"][n] ** 2)
        if not abs(table["N_eff"][n] / worth - 1) < 1e-6:
            wrong.append(f"N_eff({BETAS[n]}): {table['N_eff'][n]:.8g}, not {worth:.8g}")
        ln_p = {e: x - BETAS[n] * (e - min(density)) for e, x in density.items()}
        edge = 1 / sum(math.exp(x - ln_p[min(density)]) for x in ln_p.values())
        if not abs(table["edge"][n] / edge - 1) < 1e-6:
            wrong.append(f"edge({BETAS[n]}): {table['edge'][n]:.8g}, not {edge:.8g}")
        for name, exact in row.items():
            t = (table[name][n] - exact) / table[f"err_{name}"][n]
            if not abs(t) <= T_LIMIT:
                wrong.append(f"{name}({BETAS[n]}): {table[name][n]:.8g}, exact {exact:.8g}, t = {t:.1f}")
    return wrong


# Lattice, options, and the bounds on the mean and the largest deviation: with fixed weights, of the weights alone.
SHORT = {
    "multicanonical, L = 8": ("-L 8", "--method multicanonical -L 8 -R 16 -t 10 --thermalisation 10 --measurements 640", (0.14, 0.36), (0.24, 0.65)),
    "multicanonical, L = 10": ("-L 10", "--method multicanonical -L 10 -R 16 -t 10 --thermalisation 10 --measurements 640", (0.13, 0.49), (0.35, 1.1)),
    "multicanonical, L = 12": ("-L 12", "--method multicanonical -L 12 -R 16 -t 10 --thermalisation 10 --measurements 640", (0.22, 0.79), (0.39, 1.6)),
    "multicanonical, L = 8, 8 windows": (
        "-L 8",
        "--method multicanonical -L 8 -R 8 -t 5 --thermalisation 10 --measurements 640 --windows 8",
        (0.087, 0.32),
        (0.23, 0.85),
    ),
    "multicanonical, L = 8, 12 windows that share most of their levels": (
        "-L 8",
        "--method multicanonical -L 8 -R 8 -t 1 --thermalisation 10 --measurements 2560 --windows 12 --window-overlap 0.8",
        (0.076, 0.26),
        (0.28, 1.2),
    ),
    "Wang-Landau 1/t, L = 8": (
        "-L 8",
        "--method wang-landau -L 8 -R 8 -t 5 --thermalisation 10 --measurements 640 --last-ln-f 1e-5",
        (0.28, 0.81),
        (0.15, 0.56),
    ),
    "multicanonical, glass, L = 6": (
        "--model glass2d -L 6 --disorder 3",
        "--method multicanonical --model glass2d -L 6 --disorder 3 -R 16 -t 10 --thermalisation 10 --measurements 640",
        (0.072, 0.5),
        (0.16, 0.97),
    ),
    "Wang-Landau 1/t, L = 4, antiperiodic, 3 windows": (
        "--model glass2d -L 4 --couplings ANTIPERIODIC",
        "--method wang-landau -L 4 --boundary antiperiodic -R 8 -t 5 --thermalisation 10 --measurements 320 --windows 3 --last-ln-f 1e-4",
        (0.033, 0.087),
        (0.21, 0.62),
    ),
    "multicanonical, glass, L = 4, 4 windows": (
        "--model glass2d -L 4 --disorder 3",
        "--method multicanonical --model glass2d -L 4 --disorder 3 -R 8 -t 2 --thermalisation 10 --measurements 320 --windows 4",
        (0.078, 0.18),
        (0.14, 0.44),
    ),
}
LONG = {
    "multicanonical, L = 16": ("-L 16", "--method multicanonical -L 16 -R 64 -t 10 --thermalisation 10 --measurements 1600", (0.1, 0.38), (0.32, 0.89)),
    "multicanonical, L = 16, windows of 4 levels": (
        "-L 16",
        "--method multicanonical -L 16 -R 4 -t 10 --thermalisation 10 --measurements 640 --windows 85 --window-overlap 0.25",
        (0.085, 0.25),
        (0.15, 0.53),
    ),
    "Wang-Landau 1/t, L = 16, 4 windows": (
        "-L 16",
        "--method wang-landau -L 16 -R 16 -t 10 --thermalisation 10 --measurements 1600 --windows 4",
        (0.095, 0.38),
        (0.059, 0.41),
    ),
}


def order_of(folder: Path, beta: float, shift: int = 0) -> tuple[float, float]:
    """|m| from ln g and |m| by energy, of the energies where it was measured, and their probability; `shift`: that of a higher energy, a fault."""
    _, table = read_table(folder / "FH_density.dat")
    ln_p = [x - beta * e for e, x in zip(table["E"], table["ln_g"])]
    p = [math.exp(x - max(ln_p)) for x in ln_p]
    levels = [n for n in range(len(p)) if table["measurements"][n] > 0]
    known = sum(p[n] for n in levels)
    return sum(p[n] * table["|m|"][levels[min(k + shift, len(levels) - 1)]] for k, n in enumerate(levels)) / known, known / sum(p)


def order(scratch: Path) -> dict[str, list[str]]:
    """The order parameter by energy and by temperature; of 40 measurements of a walker on 8 x 8 it is unknown."""
    options = "--method multicanonical -L 8 -R 16 -t 10 --thermalisation 10 --measurements 640 --windows 2"
    folder, wrong, control = simulate(options, 2017, scratch), [], []
    _, table = read_table(folder / "FH_results.dat")
    for n, row in enumerate(exact_averages(["-L", "8"], BETAS)):
        m, measured = order_of(folder, BETAS[n])
        if not (abs(m / table["|m|"][n] - 1) < 1e-8 and abs(measured / table["measured"][n] - 1) < 1e-8):
            wrong.append(f"|m|({BETAS[n]}): {table['|m|'][n]:.10g} of {table['measured'][n]:.10g}, by energy {m:.10g} of {measured:.10g}")
        control.append(abs(order_of(folder, BETAS[n], 1)[0] - row["|m|"]) > T_LIMIT * table["err_|m|"][n])
    few, unknown = simulate("--method multicanonical -L 8 -R 1 -t 100 --thermalisation 10 --measurements 40", 2017, scratch), []
    _, table = read_table(few / "FH_results.dat")
    for n, beta in enumerate(BETAS):
        m, measured = order_of(few, beta)
        if not (abs(measured / table["measured"][n] - 1) < 1e-8 and measured < 0.999 and all(math.isnan(table[name][n]) for name in ("|m|", "err_|m|", "m4", "U4"))):
            unknown.append(f"|m|({beta}): {table['|m|'][n]} of {table['measured'][n]}, by energy {m} of {measured}")
    return {
        "the order parameter by energy and by temperature": wrong,
        "control: the order parameter of the next energy": [] if any(control) else ["not found"],
        "the order parameter of too few measurements is unknown": unknown,
    }


def transition(scratch: Path) -> dict[str, list[str]]:
    """FH_transition.dat of Potts spins with 20 states; of Ising spins, which have no such transition, and of a barrier of few errors."""
    folder = simulate("--method multicanonical --model potts2d --states 20 -L 6 -R 16 -t 5 --iteration-length 50 --measurements 400", 1, scratch)
    _, table = read_table(folder / "FH_transition.dat")
    said = {name: column[0] for name, column in table.items()}
    line = states_of(folder)
    line_of = first_order.smooth(line, said["beta_height"])
    top, other, valley = first_order.peaks(20, 6, line_of)
    weight = {e: math.exp(x - said["beta_weight"] * e - line[0]) for e, x in line.items()}
    below = math.fsum(w for e, w in weight.items() if e <= 36 * said["e_valley"] + 0.5) / math.fsum(weight.values())
    wrong = [] if abs(top - other) < 1e-9 else [f"peaks differ by {top - other}"]
    wrong += [] if abs(said["barrier"] - (top - valley)) < 1e-9 else [f"barrier {said['barrier']}, not {top - valley}"]
    wrong += [] if abs(said["sigma"] - said["barrier"] / 12) < 1e-10 else [f"sigma {said['sigma']}"]
    wrong += [] if abs(below - 0.5) < 1e-8 else [f"part {below} below"]
    low, high = (line_of[round(36 * said[name])] for name in ("e_low", "e_high"))
    wrong += [] if abs(low - high) < 1e-9 and abs(low - top) < 1e-9 else [f"peaks {low} and {high}, not {top}"]
    heat, error = said["latent_heat"], said["err_latent_heat"]
    wrong += [] if 1e-3 < error < 0.1 and abs(heat - first_order.latent_heat(20)) < 0.15 else [f"latent heat {heat} +- {error}"]
    others = {"Ising": "-L 8 -t 5 --measurements 200", "scatter alone": "--model potts2d --states 6 -L 10 -t 5 --measurements 20 --divergence 0.1"}
    none = []
    for name, options in others.items():
        _, table = read_table(simulate(f"--method multicanonical -R 16 {options}", 1, scratch) / "FH_transition.dat")
        none += [f"{name}: {column} is {x[0]}" for column, x in table.items() if not math.isnan(x[0])]
    return {"a transition of first order": wrong, "... and none": none}


# Lattice, options, and the energies of a range.
RANGES = {
    "inside": ("-L 8", "--method multicanonical -L 8 -R 16 -t 10 --thermalisation 10 --measurements 320", -101, 19),
    "from the lowest energy on, 3 windows": (
        "-L 8",
        "--method multicanonical -L 8 -R 8 -t 5 --thermalisation 10 --measurements 640 --windows 3",
        -1000,
        0,
    ),
    "up to the highest energy, Wang-Landau": (
        "-L 8",
        "--method wang-landau -L 8 -R 8 -t 5 --thermalisation 10 --measurements 640 --last-ln-f 1e-5",
        -60,
        1000,
    ),
    "of a glass, 2 windows": (
        "--model glass2d -L 6 --disorder 3",
        "--method multicanonical --model glass2d -L 6 --disorder 3 -R 8 -t 10 --thermalisation 10 --measurements 320 --windows 2",
        -40,
        20,
    ),
}


def averages_of(states: States, beta: float, sites: int) -> tuple[float, float, dict[int, float]]:
    """e, C, and the probability of each energy, of these states alone."""
    top = max(x - beta * e for e, x in states.items())
    weight = {e: math.exp(x - beta * e - top) for e, x in states.items()}
    p = {e: w / sum(weight.values()) for e, w in weight.items()}
    mean = sum(e * w for e, w in p.items())
    return mean / sites, beta**2 * sum((e - mean) ** 2 * w for e, w in p.items()) / sites, p


def judge_range(name: str, scratch: Path) -> list[str]:
    """The energies are all that there are in the range; ln g is that of its states, whose g add up to 1, and e and C are theirs. The free energy is nan,
    and the edge that of the ends which cut the energies."""
    words, options, lowest, highest = RANGES[name]
    lattice = words.split()
    sites = int(lattice[lattice.index("-L") + 1]) ** 2
    folder = simulate(f"{options} --lowest-energy {lowest} --highest-energy {highest}", 2017, scratch)
    exact, found, errors = exact_states(lattice), states_of(folder), states_of(folder, "err_ln_g")
    inside = {e: x for e, x in exact.items() if lowest <= e <= highest}
    whole = math.log(sum(math.exp(x) for x in inside.values()))
    wrong = unready(folder, options)
    if sorted(found) != sorted(inside):
        return [*wrong, f"energies {sorted(set(found) ^ set(inside))}"]
    wrong += [f"ln g({e}): {x}, exact {inside[e] - whole}" for e, x in found.items() if not abs(x - inside[e] + whole) <= T_LIMIT * errors[e]]
    _, table = read_table(folder / "FH_results.dat")
    cut = [end for end, kept in ((min(found), "glass" not in words and lowest < min(exact)), (max(found), highest > max(exact))) if not kept]
    for n, beta in enumerate(BETAS):
        e, c, _ = averages_of(inside, beta, sites)
        edge = max(averages_of(found, beta, sites)[2][end] for end in cut)
        t = max(abs(table[k][n] - x) / table[f"err_{k}"][n] for k, x in (("e", e), ("C", c)))
        known = [k for k in ("betaF/N", "err_betaF/N", "S/N", "err_S/N") if not math.isnan(table[k][n])]
        if not t <= T_LIMIT or not abs(table["edge"][n] / edge - 1) < 1e-6 or known:
            wrong.append(f"beta {beta}: e {table['e'][n]}, {e}; C {table['C'][n]}, {c}; edge {table['edge'][n]}, {edge}; {known}")
    return wrong


def small_edge(scratch: Path) -> list[str]:
    """Where the ends of a range have small probabilities, e, C and |m| are those of the lattice; where they have not, e is not, which is a control."""
    options = "--method multicanonical -L 8 -R 16 -t 10 --thermalisation 10 --measurements 640 --highest-energy -20"
    folder, wrong = simulate(options, 2017, scratch), []
    _, table = read_table(folder / "FH_results.dat")
    for n, row in enumerate(exact_averages(["-L", "8"], BETAS)):
        t = max(abs(table[k][n] - row[k]) / table[f"err_{k}"][n] for k in ("e", "C", "|m|"))
        small = table["edge"][n] < 1e-4
        if small != (BETAS[n] > 0.4) or small != (t <= T_LIMIT):
            wrong.append(f"beta {BETAS[n]}: edge {table['edge'][n]}, t {t:.3g}")
    return wrong


def wrong_states(folder: Path, exact: States) -> list[str]:
    """Energies whose ln g is off by more than the limit of its error, or missing."""
    found, error = states_of(folder), states_of(folder, "err_ln_g")
    return [f"ln g({e}): {found.get(e)}, exact {x}" for e, x in exact.items() if not (e in found and abs(found[e] - x) <= T_LIMIT * error[e])]


def weights(scratch: Path) -> list[str]:
    """Weights of a long run are ready after fewer iterations than those that begin with none: half of them, over three seeds. With these, with Wang-Landau
    in two windows, and with weights of a part of the energies alone ln g is right."""
    exact, options = exact_states(["-L", "8"]), "-L 8 -R 16 -t 10 --thermalisation 10"
    whole = simulate(f"--method multicanonical {options} --measurements 1280", 7, scratch) / "FH_density.dat"
    part = simulate(f"--method multicanonical {options} --measurements 320 --highest-energy -40", 7, scratch) / "FH_density.dat"
    iterations, wrong = {"": 0.0, f" --weights {whole}": 0.0}, list[str]()
    for words in iterations:
        for seed in (1, 2, 3):
            folder = simulate(f"--method multicanonical {options} --measurements 320{words}", seed, scratch)
            iterations[words] += read_table(folder / "FH_iterations.dat")[1]["iteration"][-1]
            wrong += wrong_states(folder, exact)
    without, with_them = iterations.values()
    wrong += [] if 2 * with_them <= without else [f"{with_them} iterations with weights, {without} without"]
    for words in (f"--method wang-landau --last-ln-f 1e-4 --windows 2 --weights {whole}", f"--method multicanonical --weights {part}"):
        folder = simulate(f"{words} {options} --measurements 640", 1, scratch)
        wrong += unready(folder, words) + wrong_states(folder, exact)
        if "wang" in words and read_table(folder / "FH_iterations.dat")[1]["ln_f"][0] != 2**-7:
            wrong.append("Wang-Landau does not begin with ln f = 1/128")
    return wrong


def fixed_weights(scratch: Path) -> list[str]:
    """With --iterations 0 the weights of a file stay as they are, wrong ones too: here ln g is 0.7 too large and too small in turn. ln g from production is right."""
    exact, options = exact_states(["-L", "8"]), "-L 8 -R 16 -t 10 --thermalisation 10"
    earlier = simulate(f"--method multicanonical {options} --measurements 320", 7, scratch) / "FH_density.dat"
    lines = [line.split() for line in earlier.read_text().splitlines()]
    for n, row in enumerate([row for row in lines if not row[0].startswith("#")]):
        row[1] = repr(float(row[1]) + (0.7 if n % 2 else -0.7))
    (scratch / "off.dat").write_text("".join(" ".join(row) + "\n" for row in lines))
    given, wrong = {int(row[0]): float(row[1]) for row in lines if not row[0].startswith("#")}, list[str]()
    for words in ("--method multicanonical", "--method wang-landau --windows 2"):
        folder = simulate(f"{words} {options} --measurements 640 --iterations 0 --weights {scratch / 'off.dat'}", 1, scratch)
        stayed = deviation(given, states_of(folder, "ln_g_weights"))[1]
        wrong += [] if stayed < 1e-8 else [f"{words}: weights are off by {stayed}"]
        wrong += [f"{words}: a row of an iteration"] if read_table(folder / "FH_iterations.dat")[1] else []
        wrong += wrong_states(folder, exact)
    return wrong


def write_antiperiodic(file: Path) -> None:
    """The bonds of 4 x 4 with J = -1 around both edges."""
    bonds = [(x, y, d, -1 if (x, y)[d] == 3 else 1) for y in range(4) for x in range(4) for d in range(2)]
    file.write_text("".join(f"{x} {y} 0 {d} {J}\n" for x, y, d, J in bonds))


def unready(folder: Path, options: str) -> list[str]:
    """Windows whose weights were still changing when production began."""
    windows = int((options.split("--windows ") + ["1"])[1].split()[0])
    _, table = read_table(folder / "FH_iterations.dat")
    last = dict(zip(table.get("window", []), table.get("ready", [])))
    return [f"window {k}: its weights are not ready" for k in range(windows) if last.get(k) != 1]


def judge(name: str, scratch: Path) -> list[str]:
    words, options, bounds, bounds_of_weights = {**SHORT, **LONG}[name]
    lattice = words.replace("ANTIPERIODIC", str(scratch / "antiperiodic")).split()
    folder, exact = simulate(options, 2017, scratch), exact_states(lattice)
    wrong = beyond(folder, lattice) + unready(folder, options)
    for column, most in (("ln_g", bounds), ("ln_g_weights", bounds_of_weights)):
        for name, d, bound in zip(("mean", "largest"), deviation(exact, states_of(folder, column)), most):
            if not d <= bound:
                wrong.append(f"{column}: {name} deviation {d:.3g}, at most {bound}")
    return wrong


def missing(scratch: Path) -> list[str]:
    """A walker that has not been everywhere: it is said which energy the weights lack, and of one that was everywhere, nothing."""
    wrong = []
    for size, attempts, expected in (("16", "1", True), ("4", "1000", False)):
        words = f"--method multicanonical -L {size} -R 1 -t {attempts} --iterations 1 --iteration-length 4 --measurements 1 -d 0.5 --quiet"
        command = [str(BUILD / "paising"), "-D", "cpu", *words.split(), "-o", str(scratch / f"missing_{size}")]
        done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = "warning: no walker of window 0 has found the lowest energy, -512 J" in done.stderr if expected else "has found" in done.stderr
        wrong += [] if said == expected else [f"L = {size}: {done.stderr}"]
    return wrong


def warning_of_trips(measurements: int, scratch: Path, thermalisation: int = 20) -> tuple[float, bool]:
    """Round trips of each of 8 walkers on 6 x 6, and whether it is said that errors are too small."""
    folder = scratch / f"trips_{measurements}"
    words = f"--method multicanonical -L 6 -R 8 -t 10 --thermalisation {thermalisation} --measurements {measurements} -d 0.5 -s 1 --quiet"
    command = [str(BUILD / "paising"), "-D", "cpu", *words.split(), "-o", str(folder)]
    done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    header = next(line for line in (folder / "FH_density.dat").read_text().splitlines() if " round trips " in line)
    return int(header.split()[1]) / 8, "errors are too small before each has made 5;" in done.stderr


def few_trips(scratch: Path) -> list[str]:
    """With some two round trips of each walker errors are four fifths of what they should be, with ten they are right. Those of the
    thermalisation do not count."""
    (few, doubted), (many, trusted) = warning_of_trips(64, scratch), warning_of_trips(320, scratch)
    (none, doubted_alone) = warning_of_trips(1, scratch, 400)
    wrong = [] if 1 <= few < 4 and doubted else [f"{few} round trips, and no doubt"]
    wrong += [] if none <= 0.25 and doubted_alone else [f"{none} round trips in ten sweeps"]
    return wrong + ([] if many > 7 and not trusted else [f"{many} round trips, and doubt"])


def errors(scratch: Path) -> list[str]:
    """Of 60 seeds the sum of (e - exact)^2 / error^2 at beta = 0.44, of betaF/N, |m| and chi: right errors have about 1 a seed. A sum beyond the limits
    has a probability of the order of 1e-6. With groups that take measurements in turn it is 4 and 9: neighbouring ones are not independent."""
    seeds, exact = 60, exact_averages(["-L", "4"], [0.44])[0]
    squares = {"e": 0.0, "betaF/N": 0.0, "|m|": 0.0, "chi": 0.0}
    for seed in range(seeds):
        _, table = read_table(simulate("--method multicanonical -L 4 -R 4 -t 1 --thermalisation 10 --measurements 3200", seed, scratch) / "FH_results.dat")
        for name in squares:
            squares[name] += ((table[name][1] - exact[name]) / table[f"err_{name}"][1]) ** 2 / seeds
    return [f"{name}: {x:.3g} a seed" for name, x in squares.items() if not 0.35 < x < 2.4]


# What is changed in reference/plain_flat.c, and how: found in ln g of windows of few levels.
WINDOWS = "-m multicanonical -L 8 -R 4 -t 5 -W 12 -v 0.5 -w 10 -n 200"
SHARING = "-m multicanonical -L 8 -R 4 -t 1 -W 12 -v 0.8 -w 10 -n 1000"
EXCHANGE = """a->ln_W[other->level - a->lowest] + b->ln_W[v->level - b->lowest] -
                                (a->ln_W[v->level - a->lowest] + b->ln_W[other->level - b->lowest]);
"""
DECISION = "        if (random.r[a % 4] >> 1 < threshold(p, w, v->level, to, on_the_way)) {\n"
FAULTS = {
    "no fault": (WINDOWS, DECISION, DECISION),
    "no fault, windows that share most of their levels": (SHARING, EXCHANGE, EXCHANGE),
    "exchanges without the weights of the upper window": (
        SHARING,
        EXCHANGE,
        "a->ln_W[other->level - a->lowest] - a->ln_W[v->level - a->lowest];\n",
    ),
    "rejected moves out of a window are not counted": (
        WINDOWS,
        DECISION,
        "        if (!on_the_way && distance(p, w, to) > 0)\n            continue;\n" + DECISION,
    ),
    "weights of the other level": (WINDOWS, "w->ln_W[m - w->lowest] - w->ln_W[n - w->lowest];", "w->ln_W[n - w->lowest] - w->ln_W[m - w->lowest];"),
    "the last window joins in the wrong place": (WINDOWS, "(i > 0 ? difference / weights : 0);", "(i > 0 ? 1.02 * difference / weights : 0);"),
}


def fault(name: str, scratch: Path) -> float:
    """The deviation of ln g with the fault."""
    source = (ROOT / "reference/plain_flat.c").read_text()
    options, right, wrong = FAULTS[name]
    assert source.count(right) == 1, name
    file, program = scratch / "faulty.c", scratch / "faulty"
    file.write_text(source.replace(right, wrong))
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-ffp-contract=off", f"-I{ROOT}/reference"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, "-o", program, file, "-lm"], check=True)
    done = subprocess.run([program, *options.split(), "-I", "4"], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    return deviation(exact_states(["-L", "8"]), {int(float(row[0])): float(row[1]) for row in rows})[0]


FAULT_BOUND = 0.15


def faults(scratch: Path) -> dict[str, list[str]]:
    cases = {}
    for name in list(FAULTS)[: 4 if WHAT == "short" else None]:
        d = fault(name, scratch)
        found = not d <= FAULT_BOUND
        right = found == (not name.startswith("no fault"))
        cases[f"planted fault: {name}"] = [] if right else [f"mean deviation {d:.3g}, the bound is {FAULT_BOUND}"]
    cases["planted fault: no equilibration behind a change of the weights"] = no_equilibration(scratch)
    return cases


def iterations(thermalisation: int, scratch: Path) -> float:
    """Of 1024 walkers that make two sweeps in an iteration."""
    folder = simulate(
        f"--method multicanonical -L 8 -R 1024 -t 1 --thermalisation {thermalisation} --iteration-length 2 --iterations 60 --measurements 10",
        2017,
        scratch,
    )
    _, table = read_table(folder / "FH_iterations.dat")
    return table["iteration"][-1]


def no_equilibration(scratch: Path) -> list[str]:
    """Walkers that have not followed the weights need more iterations; twice as many here, of 7."""
    with_it, without = iterations(20, scratch), iterations(0, scratch)
    return [] if without >= 1.5 * with_it else [f"{without} iterations without a thermalisation, {with_it} with it"]


def refused() -> list[str]:
    """`make flat` and `make ceilings`: a setting that is not allowed ends them with a line and the status 2."""
    wrong = []
    for script in ("flat", "ceilings"):
        for name, value in (("SEEDS", "0"), ("DEVICE", "gpu"), ("PROFILE", "huge")):
            command = [sys.executable, str(ROOT / f"validate/physics/{script}.py")]
            done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, text=True)
            if done.returncode != 2 or done.stdout or not done.stderr.startswith(f"{script}: {name}='{value}': allowed: ") or done.stderr.count("\n") != 1:
                wrong.append(f"{name}={value} {script}.py: status {done.returncode}: {done.stderr}")
    return wrong


def planted() -> list[str]:
    """What `make flat` prints of states that are known: deviations from means, and from errors."""
    exact, found = {-4: 1.0, 0: 3.0, 4: 2.0}, {-4: 12.0, 0: 13.0, 4: 11.0}
    wrong = [] if deviation(exact, found) == (2 / 3, 1.0) else [f"deviations {deviation(exact, found)}"]
    wrong += [] if deviation(exact, {-4: 1.0}) == (math.inf, math.inf) else ["a level that is missing"]
    z = off_errors(exact, {-4: 1.1, 0: 2.8, 4: 9.0}, {-4: 0.1, 0: 0.1, 4: 0.0})
    return wrong + ([] if abs(z - math.sqrt(2.5)) < 1e-9 else [f"errors {z}"])


class Known(flat.Study):
    """A study whose simulations are known: with p walkers six of 1/p to 6/p seconds, three quarters of which are the search."""

    def run(self, options: str, edge: int, seed: int, device: str) -> flat.Outcome:
        p = float(options.split("-R ")[1].split()[0])
        if device == "cpu":  # of the reference: 1e-6 s an attempt
            return flat.Outcome(3, 0, 8e5, 1, 0.8, (0, 0), (0, 0), 1, 0)
        return flat.Outcome(10 + seed, 1200 / p, 4e6, seed / p, 0.75, (0.1, 0.2), (0.01, 0.02), 1, 5)


def tables(scratch: Path) -> list[str]:
    """Medians, intervals and speed-ups of simulations that are known. One core takes 4 s for the first row."""
    profile = flat.Profile((4,), 4, 100, 4, (2, 8), 1e4, 4, (1, 4), 1e-4, False)
    study, data = Known(profile, "cuda", 6, scratch), list[str]()
    with open(os.devnull, "w") as nothing, contextlib.redirect_stderr(nothing):
        text = "\n".join(flat.walkers(study, data) + flat.errors(study, data))
    expected = ["2 3.0476 2.1333 5.3333 13.5 12 15", "8 12.19 8.5333 21.333 13.5 12 15", "0.875 0.01 0.01 0.01"]
    wrong = [f"flat.dat lacks {line}: {data}" for line in expected if line not in data]
    row = "| 8 | 13.5 [12, 15] | 150 [150, 150] | 4 | 0.328 [0.188, 0.469] | 12.2 [8.53, 21.3] | 0.1 [0.1, 0.1] | 0.2 [0.2, 0.2] |"
    return wrong + ([] if row in text else [f"no row {row}: {text}"])


def print_seeds(scratch: Path) -> None:
    """The deviations of 20 seeds: mean and largest."""
    for name, (lattice, options, *_) in {**SHORT, **LONG}.items():
        exact = exact_states(lattice.replace("ANTIPERIODIC", str(scratch / "antiperiodic")).split())
        of_all: dict[str, list[tuple[float, float]]] = {"ln_g": [], "ln_g_weights": []}
        for seed in range(20 if name in SHORT else 3):
            folder = simulate(options, seed, scratch)
            for column, all_seeds in of_all.items():
                all_seeds.append(deviation(exact, states_of(folder, column)))
        for column, all_seeds in of_all.items():
            worst = ", ".join(f"{max(values):.3g}" for values in zip(*all_seeds))
            print(f"{name}: {column}: mean and largest deviation of the worst seed: {worst}", flush=True)
    for name in FAULTS:
        print(f"{name}: {fault(name, scratch):.3g}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        write_antiperiodic(scratch / "antiperiodic")
        if WHAT == "seeds":
            print_seeds(scratch)
            return 0
        names = [*SHORT, *(LONG if WHAT == "long" else [])]
        said = {"what weights lack is said": missing(scratch), "few round trips are said": few_trips(scratch), "errors of 60 seeds": errors(scratch)}
        said |= {f"a range of energies, {name}": judge_range(name, scratch) for name in RANGES}
        said |= {"weights of an earlier run": weights(scratch), "weights that stay fixed": fixed_weights(scratch)}
        said |= {"a range of energies whose ends have small probabilities": small_edge(scratch)}
        said |= {"settings that are not allowed": refused(), "planted deviations": planted(), "tables of known simulations": tables(scratch)}
        return report({**{name: judge(name, scratch) for name in names}, **order(scratch), **transition(scratch), **said, **faults(scratch)})


if __name__ == "__main__":
    sys.exit(main())
