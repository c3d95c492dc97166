#!/usr/bin/env python3
"""Parallel tempering of glasses against exact results, and against population annealing.

    test_tempering.py [BUILD]              4 x 4: two samples, with and without cluster moves. Some seconds.
    test_tempering.py [BUILD] --long [N]   4 x 4 x 4: N samples (100), by both methods. Exact values take 20 s a sample.

A 4 x 4 sample with Gaussian couplings has the e, C, betaF/N, q2 and q_l of an independent program that adds up all states. The 2 x 2
lattice of vectors is a ring with doubled couplings, whose e and betaF/N tempering and the multi-histogram analysis of annealing have.
Chains that stay in valleys are told by their means. Of two temperatures of which the first is beta = 0, e and betaF/N are exact with Metropolis' rule, too.

At every temperature e and C are those of build/exact, and so is betaF/N by Bennett's ratio, by integration and by multi-histogram
analysis. On 4 x 4 so are |q|, q2 and q4. On 4 x 4 x 4 q2 of tempering is that of annealing. The schedules that a result proposes have
acceptances closer to one another, and an even flow of walkers. Each sample of a word of 32 samples has its own exact values, and has the same
bytes in a word of its own. The logarithmic bins of a series that begins at random disagree without thermalisation, and agree after it.

A deviation in units of its error follows Student's t: of a mean over a series with n / (2 W + 1) degrees of freedom, W = 6 tau_int; of
a jackknife over 16 blocks with 15. All comparisons of a case together exceed the limit with a probability of 1e-6 where the program is
right; seeds are fixed. Planted faults that must be found: exact values of another sample, and of temperatures 2% higher.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402
from test_series import Comparison, beyond  # noqa: E402

BUILD = Path(sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "build")
BLOCKS = 15  # degrees of freedom of a jackknife error
BETAS = [0.0, 0.25, 0.5, 0.75, 1.0, 1.3, 1.6]


def command(options: str, folder: Path, status: int = 0) -> None:
    """Runs the command, which is to end with this status."""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    words = [str(BUILD / "paising"), "-D", "cpu", *options.split(), "-P", "17", "-o", str(folder)]
    done = subprocess.run(words, env=one_thread, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode != status:
        raise subprocess.CalledProcessError(done.returncode, words)


def exact(model: str, size: str, sample: int, betas: list[float], overlap: bool) -> list[list[float]]:
    """Rows beta, e, C, betaF/N, S/N, and with `overlap` |q|, q2, q4."""
    words = [str(BUILD / "exact"), "--model", model, "-L", size, "--disorder", "5", "--sample", str(sample)]
    words += ["--overlap"] if overlap else []
    done = subprocess.run([*words, *map(repr, betas)], check=True, stdout=subprocess.PIPE, text=True)
    return [[float(x) for x in line.split()] for line in done.stdout.splitlines() if line and not line.startswith("#")]


def found(folder: Path, theta: int, overlaps: bool) -> list[Comparison]:
    """The values of each temperature but beta = 0: e, C, betaF/N three times, and of overlaps |q|, q2, q4."""
    header, rows = read_table(folder / "MC_results.dat")
    n = int(next(line.split()[2] for line in header if line.startswith("# measurements ")))
    _, energies = read_table(folder / "MC_free_energy.dat")
    _, grid = read_table(folder / "MC_MHR_results.dat")
    values = []
    if overlaps:
        _, pairs = read_table(folder / "MC_overlap_results.dat")
    for k, beta in enumerate(rows["beta"]):
        if beta == 0:
            continue
        freedom = n / (12 * rows["tau_e"][k] / theta + 1)
        at = min(range(len(grid["beta"])), key=lambda i: abs(grid["beta"][i] - beta))
        values += [Comparison(f"{name}({beta:.3g})", rows[name][k], rows[f"err_{name}"][k], freedom) for name in ("e", "C")]
        for name in ("betaF/N", "betaF_TI/N"):
            values.append(Comparison(f"{name}({beta:.3g})", energies[name][k], energies[f"err_{name}"][k], BLOCKS))
        values.append(Comparison(f"MHR betaF/N({beta:.3g})", grid["betaF/N"][at], grid["err_betaF/N"][at], BLOCKS))
        if overlaps:
            slow = n / (12 * pairs["tau_q2"][k] / theta + 1)
            values += [
                Comparison(f"{name}({beta:.3g})", pairs[name][k], pairs[f"err_{name}"][k], slow) for name in ("|q|", "q2", "q4")
            ]
    return values


def wanted(rows: list[list[float]]) -> list[float]:
    """The exact values in the order of `found`."""
    return [x for row in rows if row[0] > 0 for x in (row[1], row[2], row[3], row[3], row[3], *row[5:])]


def square(sample: int, moves: bool, scratch: Path) -> dict[str, list[str]]:
    """4 x 4. The seven temperatures are too few for the integral, which is left out."""
    name = f"4 x 4, sample {sample}{', houdayer' if moves else ''}"
    (scratch / "betas").write_text("".join(f"{beta!r}\n" for beta in BETAS))
    folder = scratch / f"square-{sample}-{moves}"
    options = f"--method tempering --model glass2d -L 4 -c ssc -R 64 -t 1 --disorder 5 --sample {sample}"
    options += f" --betas {scratch}/betas --measurements 2000 --thermalisation 200 -m0.05 --update heat-bath -s {sample + 3}"
    command(options + (" --moves houdayer --moves-from 0.7" if moves else ""), folder)
    values = [c for c in found(folder, 1, True) if "TI" not in c.name]

    def without_integral(rows: list[list[float]]) -> list[float]:
        return [x for row in rows if row[0] > 0 for x in (row[1], row[2], row[3], row[3], *row[5:])]

    right = without_integral(exact("glass2d", "4", sample, BETAS, True))
    other = without_integral(exact("glass2d", "4", sample + 1, BETAS, True))
    hotter = without_integral(exact("glass2d", "4", sample, [1.02 * beta for beta in BETAS], True))
    faults = [f"not found: {fault}" for fault, wrong in (("another sample", other), ("beta 2% higher", hotter)) if not beyond(values, wrong)]
    lowest, ground = read_table(folder / "MC_free_energy.dat")[1]["E_min"], round(16 * exact("glass2d", "4", sample, [30.0], False)[0][1])
    found_lowest = [] if set(lowest) == {ground} else [f"{lowest}, and {ground}"]
    return {
        f"{name}: exact values": beyond(values, right),
        f"{name}: faults are found": faults,
        f"{name}: E_min is that of the ground state": found_lowest,
    }


def words(scratch: Path) -> dict[str, list[str]]:
    """4 x 4, samples 30 to 33 in two machine words: bits 30 and 31 of the one, 0 and 1 of the other."""
    (scratch / "betas").write_text("".join(f"{beta!r}\n" for beta in BETAS))
    options = f"--method tempering --model glass2d -L 4 -c msc -R 4 -t 2 --disorder 5 --words samples --betas {scratch}/betas"
    options += " --measurements 2000 --thermalisation 200 -m0.05 --update heat-bath -s 3"
    command(f"{options} --sample 30 --samples 4", scratch / "words")
    command(f"{options} --sample 31", scratch / "alone")
    told, missed = [], []
    rows = {sample: wanted(exact("glass2d", "4", sample, BETAS, True)) for sample in range(29, 35)}
    for sample in range(30, 34):
        values = found(scratch / "words" / f"sample_{sample:04d}", 2, True)
        keep = [n for n, c in enumerate(values) if "TI" not in c.name]  # the temperatures are too few for the integral
        told += [f"sample {sample}: {line}" for line in beyond([values[n] for n in keep], [rows[sample][n] for n in keep])]
        for other in (sample - 1, sample + 1):
            if not beyond([values[n] for n in keep], [rows[other][n] for n in keep]):
                missed.append(f"sample {sample} passes for sample {other}")
    same = [
        f"{name}: not the bytes of the sample alone"
        for name in ("MC_results.dat", "MC_overlap_results.dat", "MC_exchanges.dat", "MC_series.dat", "PA_couplings.dat")
        if (scratch / "words" / "sample_0031" / name).read_bytes() != (scratch / "alone" / name).read_bytes()
    ]
    return {
        "words of samples: exact values": told,
        "words of samples: other samples are found": missed,
        "words of samples: a sample alone": same,
        "words of samples: free energies from beta = 0 in large steps": far_apart(scratch),
        "words of samples: exchanges take replicas out of local minima": cold(scratch),
        **sums(scratch),
    }


def far_apart(scratch: Path) -> list[str]:
    """4 x 4 by Metropolis' rule from beta = 0 in steps of 1, with few exchanges: betaF of words of samples. Spins that all flip in each sweep at
    beta = 0 would be some 10 errors off."""
    folder = scratch / "apart"
    options = "--method tempering --model glass2d -L 4 -R 4 -t 4 --disorder 5 --words samples -b 0 -f 2 -d 1 --measurements 2000 --thermalisation 100"
    command(f"{options} --sample 30 --samples 4", folder)
    told = []
    for sample in range(30, 34):
        _, rows = read_table(folder / f"sample_{sample:04d}" / "MC_free_energy.dat")
        right = [row[3] for row in exact("glass2d", "4", sample, [1.0, 2.0], False)]
        values = [Comparison(f"betaF/N({rows['beta'][k]})", rows["betaF/N"][k], rows["err_betaF/N"][k], BLOCKS) for k in (1, 2)]
        told += [f"sample {sample}: {line}" for line in beyond(values, right)]
    return told


def sums(scratch: Path) -> dict[str, list[str]]:
    """--record bins: the means of the second half of the series, and its acceptances, sample by sample; 4 x 4 x 4 has energies by odd and even
    numbers of frustrated plaquettes. Control: another sample has other means."""
    warm = BETAS[1:]
    (scratch / "warm").write_text("".join(f"{beta!r}\n" for beta in warm))
    options = f"--method tempering --model glass3d -L 4 -c msc -R 4 -t 2 --words samples --betas {scratch}/warm --sample 30 --samples 4"
    options += " --measurements 250 --thermalisation 3"
    command(options, scratch / "series")
    command(f"{options} --record bins", scratch / "bins")
    command(f"{options} --samples 3 --record bins".replace("--samples 4 ", ""), scratch / "bins", status=2)  # it would replace four
    command(f"{options} --record bins", scratch / "bins")  # they are there
    _, rows = read_table(scratch / "bins" / "MC_samples.dat")
    told, alike = [], 0
    columns = {"e": "e", "q2": "q2", "q_l": "q_l"}
    for sample in range(30, 34):
        _, bins = read_table(scratch / "series" / f"sample_{sample:04d}" / "MC_equilibration.dat")
        last = [n for n, number in enumerate(bins["bin"]) if number == 0]
        for k, at in enumerate(last):
            for name, column in columns.items():
                made = {n: rows[column][(n - 30) * len(warm) + k] for n in range(30, 34)}
                if abs(made[sample] - bins[name][at]) > 1e-12:
                    told.append(f"sample {sample}, beta = {warm[k]}: {name} = {made[sample]}, and {bins[name][at]} of the series")
                alike += sum(abs(made[n] - bins[name][at]) <= 1e-12 for n in made if n != sample)
    _, averages = read_table(scratch / "bins" / "MC_disorder_averages.dat")
    for name in ("e", "C", "|q|", "q2", "q4", "q_l", "|q(k)|^2"):
        means = [sum(rows[name][k :: len(warm)]) / 4 for k in range(len(warm))]
        told += [f"average of {name}: {a}, and {m}" for a, m in zip(averages[name], means) if abs(a - m) > 1e-12]
    _, found_shares = read_table(scratch / "bins" / "MC_exchanges.dat")
    tables = [read_table(scratch / "series" / f"sample_{n:04d}" / "MC_exchanges.dat")[1]["acceptance"] for n in range(30, 34)]
    for k, share in enumerate(found_shares["acceptance"]):  # all measurements but the first 15 are in bins
        tried = 4 * sum((3 + n) % 2 == k % 2 for n in range(15, 250))
        if found_shares["attempts"][k] != tried:
            told.append(f"pair {k}: {found_shares['attempts'][k]} attempts, and not {tried}, of 4 chains")
        if abs(share - sum(t[k] for t in tables) / 4) > 0.04:
            told.append(f"acceptance {k}: {share}, and {[t[k] for t in tables]} of the series")
    few = alike < 10
    return {"sums over bins: the means of the series": told, "sums over bins: other samples differ": [] if few else [f"{alike} are alike"]}


def cold(scratch: Path) -> list[str]:
    """6 x 6: at beta = 10 no flip that costs energy is made. Without exchanges replicas of sample 30 stay in local minima."""
    (scratch / "cold").write_text("0.2\n0.5\n0.8\n1.1\n1.5\n2\n3\n5\n10\n")
    options = f"--method tempering --model glass2d -L 6 -c msc -R 32 -t 1 --disorder 5 --sample 30 --samples 4 --betas {scratch}/cold"
    lowest = {}
    for words_of in ("samples", "chains"):
        command(f"{options} --words {words_of} --measurements 60 --thermalisation 200 --update heat-bath -s 3", scratch / words_of)
        lowest[words_of] = [read_table(scratch / words_of / f"sample_{n:04d}" / "MC_results.dat")[1]["e"][-1] for n in range(30, 34)]
    pairs = enumerate(zip(lowest["samples"], lowest["chains"]), 30)
    return [f"sample {n}: e = {a} at beta = 10, {b} with words of chains" for n, (a, b) in pairs if abs(a - b) > 1e-9]


# Beta, e, C, betaF/N, q2, q_l of a sample with Gaussian couplings, by all states.
GAUSSIAN = [
    [0.2, -0.3757697250, 0.0739169896, -0.7308442837, 0.0731350434, 0.0375438639],
    [0.5, -0.8516765896, 0.2954588904, -0.9200971754, 0.1533040739, 0.2078999709],
    [1.0, -1.1621589864, 0.2940504783, -1.4415909198, 0.3782198918, 0.4712998034],
    [2.0, -1.2891883921, 0.1690632220, -2.6865902467, 0.7962803807, 0.8261718081],
    [4.0, -1.3127462499, 0.0260648889, -5.2996866250, 0.9870676816, 0.9888380600],
]


def gaussian_couplings() -> str:
    """The couplings of that sample: pairs of Box and Muller from splitmix64, bond 2 s to the right, 2 s + 1 upwards."""
    state, mask, couplings = 1, (1 << 64) - 1, []

    def uniform() -> float:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        return (((z ^ z >> 31) >> 11) + 0.5) * 2**-53

    while len(couplings) < 32:
        r, turn = math.sqrt(-2 * math.log(uniform())), 2 * math.pi * uniform()
        couplings += [r * math.cos(turn), r * math.sin(turn)]
    return "".join(f"{b // 2 % 4} {b // 8} 0 {b % 2} {j:.12f}\n" for b, j in enumerate(couplings))


def gaussian(scratch: Path) -> dict[str, list[str]]:
    """4 x 4 with Gaussian couplings."""
    (scratch / "couplings").write_text(gaussian_couplings())
    (scratch / "rows").write_text("".join(f"{row[0]!r}\n" for row in [[0.0], *GAUSSIAN]))
    options = f"--method tempering --model glass2d -L 4 -c ssc --couplings-type real --couplings {scratch}/couplings -R 64 -t 1"
    command(f"{options} --betas {scratch}/rows --measurements 1000 --thermalisation 100 -s 5", scratch / "gaussian")
    _, series = read_table(scratch / "gaussian" / "MC_results.dat")
    _, energies = read_table(scratch / "gaussian" / "MC_free_energy.dat")
    _, pairs = read_table(scratch / "gaussian" / "MC_overlap_results.dat")
    values = []
    for k in range(1, 1 + len(GAUSSIAN)):
        beta, n = series["beta"][k], 1000
        fast, slow = n / (12 * series["tau_e"][k] + 1), n / (12 * pairs["tau_q2"][k] + 1)
        for name, of, freedom in (("e", series, fast), ("C", series, fast), ("betaF/N", energies, BLOCKS), ("q2", pairs, slow), ("q_l", pairs, slow)):
            values.append(Comparison(f"{name}({beta:.3g})", of[name][k], of[f"err_{name}"][k], freedom))
    right = [x for row in GAUSSIAN for x in row[1:]]
    hotter = [x for row in GAUSSIAN[1:] + GAUSSIAN[:1] for x in row[1:]]
    faults = [] if beyond(values, hotter) else ["not found: values of other temperatures"]
    return {"4 x 4, Gaussian couplings: exact values": beyond(values, right), "4 x 4, Gaussian couplings: faults are found": faults}


def from_zero(scratch: Path) -> dict[str, list[str]]:
    """4 x 4 ferromagnet, beta = 0 and 1 alone, 1 exchange of 30 accepted: Metropolis' rule by itself moves nothing at beta = 0."""
    folder = scratch / "from-zero"
    command("--method tempering -L 4 -R 64 -t 2 -b 0 -f 1 -d 1 --measurements 1000 -s 3", folder)
    done = subprocess.run([str(BUILD / "exact"), "-L", "4", "0", "1", "1.2"], check=True, stdout=subprocess.PIPE, text=True)
    zero, one, hotter = ([float(x) for x in line.split()] for line in done.stdout.splitlines() if not line.startswith("#"))
    series, energies = (read_table(folder / f"MC_{name}.dat")[1] for name in ("results", "free_energy"))
    freedom = [1000 / (12 * tau / 2 + 1) for tau in series["tau_e"]]
    values = [Comparison(f"e({k})", series["e"][k], series["err_e"][k], freedom[k]) for k in (0, 1)]
    values.append(Comparison("betaF/N(1)", energies["betaF/N"][1], energies["err_betaF/N"][1], BLOCKS))
    faults = [] if beyond(values, [zero[1], hotter[1], hotter[3]]) else ["not found: beta 20% higher"]
    return {"two temperatures from beta = 0 on: exact values": beyond(values, [zero[1], one[1], one[3]]), "beta 20% higher is found": faults}


def trust(scratch: Path) -> list[str]:
    """3D glass, L = 6. Of a hard sample no cold row is trusted, although its series is 200 autocorrelation times of e long: chains
    stay in valleys. Of an easy one all rows are."""
    told = []
    for sample, hard in ((1, True), (12, False)):
        folder = scratch / f"trust-{sample}"
        options = f"--model glass3d -L 6 --sample {sample} -R 32 -t 5 -b 0 -f 1.8 -d 0.2 --measurements 800 --thermalisation 100 --update heat-bath"
        command(f"--method tempering {options}", folder)
        rows = read_table(folder / "MC_results.dat")[1]
        longs = [800 * 5 > 200 * (tau + 2 * error) for tau, error in zip(rows["tau_e"], rows["err_tau_e"])]
        if not longs[8] or (sum(rows["trusted"][8:]) > 0 if hard else min(rows["trusted"]) < 1):
            told.append(f"sample {sample}: trusted = {rows['trusted']}, long enough = {longs}")
    return told


def shuffled(scratch: Path) -> list[str]:
    """4 x 4 glass. Exchanges shuffle valleys among temperatures: at beta = 1.4 q2 has 300 autocorrelation times in a short series, but in
    the sum of all temperatures too few, so that no cold row is trusted. In a series of ten times the length rows are."""
    told = []
    for measurements, trusted in ((600, 1), (6000, 7)):
        folder = scratch / f"shuffled-{measurements}"
        options = f"--model glass2d -L 4 --disorder 4 -R 64 -t 1 -b 0.2 -f 4.2 -d 0.4 --measurements {measurements} --update heat-bath -s 4"
        command(f"--method tempering {options}", folder)
        rows, q2 = (read_table(folder / name)[1] for name in ("MC_results.dat", "MC_overlap_results.dat"))
        times = measurements / (q2["tau_q2"][3] + 2 * q2["err_tau_q2"][3])
        if sum(rows["trusted"]) != trusted or times < 300:
            told.append(f"{measurements} measurements: trusted = {rows['trusted']}, autocorrelation times {times}")
    return told


def bins(scratch: Path) -> list[str]:
    """Agreement of the last three bins, at the lowest temperature, of a cold 2D glass from random states."""
    base = "--method tempering --model glass2d -L 32 -c msc -R 64 -t 1 -b 1.2 -f 1.6 -d 0.2 --measurements 256 -s 4"
    told = []
    for before, expected in ((0, 0), (3000, 1)):
        folder = scratch / f"bins-{before}"
        command(f"{base} --thermalisation {before}", folder)
        _, rows = read_table(folder / "MC_equilibration.dat")
        if rows["agree"][-1] != expected:
            told.append(f"thermalisation {before}: agree = {rows['agree'][-1]:.0f}")
        energy, lowest = read_table(folder / "MC_results.dat")[1]["e"], read_table(folder / "MC_free_energy.dat")[1]["E_min"]
        if not (all(low < 1024 * e for low, e in zip(lowest, energy)) and lowest[0] > lowest[-1] > 1024 * energy[-1] - 100):
            told.append(f"thermalisation {before}: E_min = {lowest}, e = {energy}")
    return told


def schedules(scratch: Path) -> list[str]:
    """Of the ferromagnet, L = 16. Acceptances of the temperatures that equal steps propose are within a factor of 2.5; those of equal
    steps are not (control), and make a third of the round trips. Temperatures by the flow of walkers are closest at the critical
    point."""
    base = "--method tempering -L 16 -c msc -R 64 -t 2 --measurements 500 --thermalisation 100 -s 6"
    command(f"{base} -b 0.1 -f 0.9 -d 0.08", scratch / "pilot")
    command(f"{base} --betas {scratch}/pilot/MC_schedule_acceptance.dat", scratch / "equal")
    told, spread, trips = [], [], []
    for name in ("pilot", "equal"):
        header, rows = read_table(scratch / name / "MC_exchanges.dat")
        spread.append(max(rows["acceptance"]) / max(1e-9, min(rows["acceptance"])))
        trips.append(int(next(line.split()[1] for line in header if "round trips" in line)))
    if not spread[1] < 2.5 < spread[0] or trips[1] < 3 * trips[0]:
        told.append(f"acceptances differ by {spread}, round trips {trips}")
    _, rows = read_table(scratch / "equal" / "MC_schedule_round_trips.dat")
    _, closest = min((next_beta - beta, beta) for beta, next_beta in zip(rows["beta"], rows["beta"][1:]))
    if not 0.37 < closest < 0.48:
        told.append(f"the closest temperatures are at beta = {closest}")
    return told


def even_flow(scratch: Path) -> list[str]:
    """Of the ferromagnet, L = 8. Temperatures by the flow of walkers through equal steps make the flow even: what a run at them proposes are
    these temperatures again, within 35%. Equal steps are changed by factors below 0.6 and above 1.7 (control)."""
    base = "--method tempering -L 8 -c msc -R 64 -t 2 --measurements 500 --thermalisation 100 -s 6"
    command(f"{base} -b 0.1 -f 0.9 -d 0.1", scratch / "uneven")
    command(f"{base} --betas {scratch}/uneven/MC_schedule_round_trips.dat", scratch / "even")
    changes = []
    for name in ("uneven", "even"):
        used = read_table(scratch / name / "MC_exchanges.dat")[1]
        proposed = read_table(scratch / name / "MC_schedule_round_trips.dat")[1]["beta"]
        steps = zip(used["beta"], used["beta_next"], proposed, proposed[1:])
        changes.append([(d - c) / (b - a) for a, b, c, d in steps])
    equal, flow = changes
    return [] if min(equal) < 0.6 and max(equal) > 1.7 and 0.74 < min(flow) and max(flow) < 1.35 else [f"steps change by {equal}, then by {flow}"]


def ring(n: int, beta: float) -> float:
    """betaF/N of the 2 x 2 lattice: -ln of the sum over l of (2 l + 1) i_l(2 beta)^4 (n = 3), or of I_l(2 beta)^4 (n = 2), over 4."""

    def bessel(l: int) -> float:
        x, term, total = 2 * beta, 1.0, 0.0
        for k in range(1, l + 1):
            term *= x / (2 * k) if n == 2 else x / (2 * k + 1)
        for k in range(30):
            total += term
            term *= x * x / (4 * (k + 1) * (k + 1 + l)) if n == 2 else x * x / (2 * (k + 1) * (2 * (k + 1 + l) + 1))
        return total

    weights = [(2 * l + 1 if n == 3 else 2 if l else 1) * bessel(l) ** 4 for l in range(16)]
    return -math.log(sum(weights)) / 4


def vectors(model: str, n: int, scratch: Path) -> dict[str, list[str]]:
    """e and betaF/N at beta = 0.5 and 1 by tempering, and by annealing with -m, whose errors are those of four runs."""
    folder, annealed = scratch / f"{model}-tempering", scratch / f"{model}-annealing"
    command(f"--method tempering --model {model} -c ssc -L 2 -R 16 -t 2 -b 0 -f 1 -d 0.5 --measurements 500 --thermalisation 20 --update heat-bath", folder)
    command(f"--model {model} -c ssc -L 2 -R 1000 -t 2 -M 4 -b 0 -f 1 -d 0.25 -m0.5 --update heat-bath", annealed)
    rows, energies = read_table(folder / "MC_results.dat")[1], read_table(folder / "MC_free_energy.dat")[1]
    grid = read_table(annealed / "PA_MHR_results_weighted.dat")[1]
    values, right, hotter = [], [], []
    for k in (1, 2):
        beta = rows["beta"][k]
        freedom = 500 / (12 * rows["tau_e"][k] / 2 + 1)
        values.append(Comparison(f"e({beta})", rows["e"][k], rows["err_e"][k], freedom))
        values.append(Comparison(f"betaF/N({beta})", energies["betaF/N"][k], energies["err_betaF/N"][k], BLOCKS))
        values += [Comparison(f"MHR {name}({beta})", grid[name][k], grid[f"err_{name}"][k], 3) for name in ("e", "betaF/N")]
        for off, to in ((1.0, right), (1.05, hotter)):
            e = (ring(n, off * beta + 1e-4) - ring(n, off * beta - 1e-4)) / 2e-4
            to += [e, ring(n, off * beta)] * 2
    faults = [] if beyond(values, hotter) else ["not found: beta 5% higher"]
    return {f"2 x 2 {model}: exact values": beyond(values, right), f"2 x 2 {model}: beta 5% higher is found": faults}


def percolation(scratch: Path) -> list[str]:
    """Cluster moves far above the freezing temperature in three dimensions end the run, with the sizes, a short run too."""
    base = "--method tempering --model glass3d -L 6 -c msc -R 64 -t 1 -b 0.3 -f 1 -d 0.1 --moves houdayer --moves-from 0.3 --measurements 20"
    line, told = "--moves houdayer: clusters percolate at beta = 0.3: in the mean 0.", []
    for before in (100, 4):
        words = [str(BUILD / "paising"), "-D", "cpu", *base.split(), "--thermalisation", str(before), "-o", str(scratch / f"percolating-{before}")]
        done = subprocess.run(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False)
        told += [] if done.returncode == 1 and line in done.stderr else [f"{before}: status {done.returncode}: {done.stderr[-300:]}"]
    return told


def cube(sample: int, scratch: Path) -> dict[str, list[str]]:
    """4 x 4 x 4 by both methods."""
    betas = [0.1 * k for k in range(21)]
    rows = exact("glass3d", "4x4x4", sample, betas, False)
    folder, annealed = scratch / f"cube-{sample}", scratch / f"annealed-{sample}"
    model = f"--model glass3d -L 4 -c msc --disorder 5 --sample {sample}"
    command(f"--method tempering {model} -R 64 -t 4 -b 0 -f 2 -d 0.1 --measurements 4000 --thermalisation 500 -m0.1 --update heat-bath", folder)
    command(f"{model} -R 100000 -t 20 -b 0 -f 2 -d 0.1", annealed)
    values = found(folder, 4, False)
    cases = {f"4 x 4 x 4, sample {sample}: tempering": beyond(values, wanted(rows))}
    _, pa = read_table(annealed / "PA_results_run_0.dat")
    _, pairs = read_table(folder / "MC_overlap_results.dat")
    compared, right = [], []
    for k, row in enumerate(rows):
        if row[0] == 0:
            continue
        names = (("e", 1), ("C", 2), ("betaF/N", 3))
        compared += [Comparison(f"PA {name}({row[0]:.3g})", pa[name][k], pa[f"err_{name}"][k], 60) for name, _ in names]
        right += [row[at] for _, at in names]
        error = (pa["err_q2"][k] ** 2 + pairs["err_q2"][k] ** 2) ** 0.5
        compared.append(Comparison(f"q2({row[0]:.3g})", pa["q2"][k] - pairs["q2"][k], error, 60))
        right.append(0.0)
    cases[f"4 x 4 x 4, sample {sample}: annealing, and q2 of both"] = beyond(compared, right)
    return cases


def main() -> int:
    cases: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="tempering-") as name:
        scratch = Path(name)
        if "--long" in sys.argv:
            behind = sys.argv[sys.argv.index("--long") + 1 :]
            for sample in range(int(behind[0]) if behind else 100):
                cases |= cube(sample, scratch)
        else:
            for sample, moves in ((0, False), (1, True)):
                cases |= square(sample, moves, scratch)
            cases |= words(scratch)
            cases |= gaussian(scratch)
            cases |= vectors("heisenberg2d", 3, scratch) | vectors("xy2d", 2, scratch)
            cases |= from_zero(scratch)
            cases["a hard sample is not trusted, an easy one is"] = trust(scratch)
            cases["rows whose valleys exchanges shuffle are not trusted before the chains forget them"] = shuffled(scratch)
            cases["logarithmic bins tell a series that is not in equilibrium"] = bins(scratch)
            cases["proposed temperatures"] = schedules(scratch)
            cases["temperatures by the flow make it even"] = even_flow(scratch)
            cases["clusters that percolate end the run"] = percolation(scratch)
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
