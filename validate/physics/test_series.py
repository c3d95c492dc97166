#!/usr/bin/env python3
"""Canonical simulation and parallel tempering against exact results: the square ferromagnet, L = 8 (SSC), 16 (MSC) and 128 (MSC, cut
into 8 stripes).

    test_series.py [BUILD]

At every temperature e and C are those of build/exact, and the acceptance of each pair of neighbouring temperatures is

    A = sum over E, E' of P_i(E) P_i+1(E') min[1, exp((beta_i - beta_i+1) (E - E'))]

with the numbers of states of build/exact --states. The acceptances of twenty temperatures from 0.1 to 1 are also those of
another program, to six digits. Measurements that are independent have autocorrelation times of half the sweeps between them.
Other orders of sites have the same averages. S(k) and the correlation length of the 4 x 4 lattice are those of its 65536 states. The chirality of the XY glass at beta = 0 is that of
random angles.

A deviation in units of its error follows Student's t with n / (2 W + 1) degrees of freedom, W = 6 tau_int, n measurements. The
comparisons of a case together exceed the limit with a probability of 1e-6 where the program is right; seeds are fixed. Planted
faults that must be found: exact values of temperatures 1% higher; exchanges without the factor of the weights (A = 1), with its
sign reversed, and of neighbouring pairs.

One line a case: ok, or FAIL with what is wrong. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cases import report  # noqa: E402
from data_file import read_table  # noqa: E402

BLOCKS_OF_TIME = 16  # estimate/time_blocks.h
BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
FALSE_ALARM = 1e-6
BETAS = [0.1 + 0.9 * k / 19 for k in range(20)]
KNOWN = {
    8: """0.695661 0.685327 0.670579 0.648162 0.607556 0.533269 0.478189 0.549126 0.667135 0.756958
          0.821668 0.870222 0.906909 0.934190 0.954033 0.968179 0.978107 0.984997 0.989744""",
    16: """0.431725 0.415592 0.393762 0.365306 0.327710 0.267913 0.146541 0.183761 0.371559 0.512142
           0.617419 0.699289 0.764589 0.817761 0.861414 0.896829 0.924783 0.946140 0.961974""",
}


@dataclass(frozen=True)
class Exact:
    """A lattice of edge L, from build/exact."""

    size: int
    states: dict[int, int]  # of every energy

    def weights(self, beta: float) -> dict[int, float]:
        """P(E) at beta."""
        log = {e: math.log(count) - beta * e for e, count in self.states.items() if count > 0}
        most = max(log.values())
        weight = {e: math.exp(x - most) for e, x in log.items()}
        z = sum(weight.values())
        return {e: w / z for e, w in weight.items()}

    def acceptance(self, beta: float, other: float, sign: int = 1) -> float:
        """Of exchanges between two temperatures; sign 0 or -1: by a wrong rule."""
        one, two = self.weights(beta), self.weights(other)
        return sum(
            p * q * math.exp(min(0.0, sign * (beta - other) * (e - f))) for e, p in one.items() for f, q in two.items()
        )

    def energies(self, betas: list[float]) -> list[tuple[float, float]]:
        """e and C."""
        rows = exact_rows(["-L", str(self.size), *map(repr, betas)])
        return [(float(row[1]), float(row[2])) for row in rows]


def exact_rows(options: list[str]) -> list[list[str]]:
    done = subprocess.run([str(BUILD / "exact"), *options], check=True, stdout=subprocess.PIPE, text=True)
    return [line.split() for line in done.stdout.splitlines() if line and not line.startswith("#")]


def exact_of(size: int) -> Exact:
    return Exact(size, {int(e): int(n) for e, n in exact_rows(["-L", str(size), "--states"])})


def z_of_student(t: float, n: float) -> float:
    """The z-score as improbable as Student's t of n degrees of freedom (D. L. Wallace, 1959)."""
    return math.copysign(math.sqrt(n * math.log1p(t * t / n)) * (8 * n + 1) / (8 * n + 3), t)


def z_limit(comparisons: int) -> float:
    """The |z| that the largest of them exceeds with the probability FALSE_ALARM."""
    low, high = 0.0, 30.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if comparisons * math.erfc(middle / math.sqrt(2)) > FALSE_ALARM else (low, middle)
    return high


@dataclass(frozen=True)
class Comparison:
    name: str
    value: float
    error: float
    freedom: float  # degrees of freedom of the error

    def z(self, exact: float) -> float:
        if not self.error > 0:
            return 0.0 if self.value == exact else math.inf
        return z_of_student((self.value - exact) / self.error, self.freedom)


def beyond(compared: list[Comparison], exact: list[float]) -> list[str]:
    """The comparisons that exceed the limit, NaN included."""
    assert len(compared) == len(exact)
    limit = z_limit(len(exact))
    scored = [(c, x, c.z(x)) for c, x in zip(compared, exact)]
    return [f"{c.name}: {c.value:.8g}({c.error:.2g}), exact {x:.8g}, z = {z:.1f}" for c, x, z in scored if not abs(z) <= limit]


def simulate(method: str, size: int, betas: list[float], options: str, scratch: Path) -> Path:
    """Runs the method at these temperatures."""
    (scratch / "betas").write_text("".join(f"{beta!r}\n" for beta in betas))
    folder = Path(tempfile.mkdtemp(dir=scratch)) / "result"
    command = [str(BUILD / "paising"), "-D", "cpu", "--method", method, "-L", str(size), *options.split()]
    command += ["--betas", str(scratch / "betas"), "-P", "17", "-o", str(folder)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, env=one_thread, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def measurements(header: list[str]) -> tuple[int, int]:
    """How many, and how many sweeps apart."""
    words = dict(line[2:].split(" ", 1) for line in header if line.count(" ") == 2)
    return int(words["measurements"]), int(words["sweeps"]) * int(words.get("hits", "1"))


def averages_of(folder: Path) -> list[Comparison]:
    """e and C of every temperature, one after the other. Their number of independent values is that of e."""
    header, table = read_table(folder / "MC_results.dat")
    n, theta = measurements(header)
    found = []
    for k, beta in enumerate(table["beta"]):
        freedom = n / (12 * table["tau_e"][k] / theta + 1)
        for name in ("e", "C"):
            found.append(Comparison(f"{name}({beta:.4g})", table[name][k], table[f"err_{name}"][k], freedom))
    return found


def acceptances_of(folder: Path) -> list[Comparison]:
    """Those of every pair. Attempts are independent of one another within a factor of two at most."""
    header, table = read_table(folder / "MC_exchanges.dat")
    n, _ = measurements(header)
    return [
        Comparison(f"A({beta:.4g})", share, error, n / 2 / 13)
        for beta, share, error in zip(table["beta"], table["acceptance"], table["err_acceptance"])
    ]


def untrusted(folder: Path) -> list[str]:
    """A test is worth nothing if it compares with errors that are too large."""
    _, table = read_table(folder / "MC_results.dat")
    return [f"beta = {beta:.4g}: not trusted" for beta, trusted in zip(table["beta"], table["trusted"]) if trusted != 1]


def flat(pairs: list[tuple[float, float]]) -> list[float]:
    return [x for pair in pairs for x in pair]


def missed(name: str, compared: list[Comparison], wrong: list[float]) -> list[str]:
    """A planted fault must be found."""
    return [] if beyond(compared, wrong) else [f"not found: {name}"]


def judge(exact: Exact, method: str, betas: list[float], options: str, scratch: Path) -> dict[str, list[str]]:
    """The cases of a method and lattice."""
    order = options.split("--update ")[1].split()[0] + ", " if "--update" in options else ""
    name = f"{method}, {order}L = {exact.size}, {len(betas)} temperatures"
    folder = simulate(method, exact.size, betas, options, scratch)
    averages = averages_of(folder)
    cases = {
        f"{name}: e and C": untrusted(folder) + beyond(averages, flat(exact.energies(betas))),
        f"{name}: another beta is found out": missed(
            "beta 1% higher", averages, flat(exact.energies([1.01 * beta for beta in betas]))
        ),
    }
    if method == "tempering":
        pairs, found = list(zip(betas, betas[1:])), acceptances_of(folder)
        right = [exact.acceptance(*pair) for pair in pairs]
        cases[f"{name}: acceptances"] = beyond(found, right)
        cases[f"{name}: wrong rules are found out"] = (
            missed("no rule", found, [1.0 for pair in pairs])
            + missed("sign", found, [exact.acceptance(*pair, sign=-1) for pair in pairs])
            + missed("pairs off by one", found, right[1:] + right[:1])
        )
    return cases


def times(scratch: Path) -> list[str]:
    """Measurements 20 sweeps apart at high temperature are independent: tau_int is half of that, in sweeps."""
    options = "-c ssc -R 16 -t 20 --thermalisation 5 --measurements 2000 -s 15"
    _, table = read_table(simulate("canonical", 8, [0.15, 0.2, 0.25], options, scratch) / "MC_results.dat")
    return beyond(
        [
            Comparison(f"tau_{of}({beta:.3g})", table[f"tau_{of}"][k], table[f"err_tau_{of}"][k], 2000 / 7)
            for k, beta in enumerate(table["beta"])
            for of in ("e", "|m|")
        ],
        [10.0] * 6,
    )


def hits(scratch: Path) -> list[str]:
    """Two hits of 2 x 2 tiles: the time of the exact operator on all states of the 4 x 4 lattice (validate/unit/test_visits.c), in sweeps."""
    options = "-c ssc -R 1 -t 1 --update tiles --tile 2 --hits 2 --thermalisation 50 --measurements 40000 -s 18"
    _, table = read_table(simulate("canonical", 4, [0.4], options, scratch) / "MC_results.dat")
    found = [Comparison("tau_e", table["tau_e"][0], table["err_tau_e"][0], 40000 / 13)]
    return beyond(found, [2 * 0.973783]) + missed("in updates", found, [0.973783])


def exact_waves(beta: float) -> dict[str, tuple[float, float]]:
    """S(k) and xi of the 4 x 4 lattice from all of its states: right ones, at twice the wave vector, and without the sine."""
    ones = [bin(x).count("1") for x in range(1 << 16)]
    columns = [sum(1 << 4 * y + x for y in range(4)) for x in range(4)]
    planes = [columns, [15 << 4 * y for y in range(4)]]
    z = m2 = right = double = real = 0.0
    for s in range(1 << 16):
        turned = (s >> 1 & 0x7777) | (s << 3 & 0x8888)
        weight = math.exp(2 * beta * (32 - ones[s ^ turned] - ones[s ^ (s >> 4 | s << 12 & 0xF000)]))
        z += weight
        m2 += weight * (ones[s] - 8) ** 2 / 4
        for across in planes:
            up = [ones[s & plane] for plane in across]
            cosine, sine = up[0] - up[2], up[1] - up[3]
            right += weight * (cosine * cosine + sine * sine) / 8
            real += weight * cosine * cosine / 8
            double += weight * (up[0] - up[1] + up[2] - up[3]) ** 2 / 8

    def of(wave: float) -> tuple[float, float]:
        return wave / z, math.sqrt(m2 / wave - 1) / (2 * math.sin(math.pi / 4))

    return {"": of(right), "twice the wave vector": of(double), "a sine lost": of(real)}


def waves(scratch: Path) -> list[str]:
    """Updates are those of the heat bath: by Metropolis some states of 4 x 4 spins, of which each flip costs nothing, are never left."""
    options = "-c ssc -R 32 -t 2 --update heat-bath --thermalisation 50 --measurements 4000 --correlation-length -s 20"
    folder = simulate("canonical", 4, [0.3], options, scratch)
    _, table = read_table(folder / "MC_results.dat")
    found = [Comparison(name, table[name][0], table[f"err_{name}"][0], 4000 / 13) for name in ("S_k", "xi")]
    exact = exact_waves(0.3)
    right = list(exact.pop(""))
    return untrusted(folder) + beyond(found, right) + flat_texts([missed(name, found, list(x)) for name, x in exact.items()])


def reweighted(exact: Exact, scratch: Path) -> list[str]:
    """One histogram at beta = 0.38, in two runs, at neighbouring temperatures: e and C; and as if they were those of the next ones."""
    options = "-c ssc -R 16 -t 2 --thermalisation 300 --measurements 4000 -M 2 -m0.01 -s 21"
    folder = simulate("canonical", exact.size, [0.38], options, scratch)
    _, table = read_table(folder / "MC_MHR_results.dat")
    _, series = read_table(folder / "MC_results.dat")
    here = min(range(len(table["beta"])), key=lambda i: abs(table["beta"][i] - 0.38))
    found = [Comparison(f"{x}({beta:.3g})", table[x][i], table[f"err_{x}"][i], 15) for i, beta in enumerate(table["beta"]) for x in ("e", "C")]
    wrong = [] if len(table["beta"]) >= 5 else ["no neighbouring temperatures"]
    for x in ("e", "C", "|m|"):  # the histogram at its own temperature has the averages of the series
        if not math.isclose(table[x][here], series[x][0], rel_tol=1e-9):
            wrong.append(f"{x} is {table[x][here]}, and {series[x][0]} in the series")
    shifted = flat(exact.energies([beta + 0.005 for beta in table["beta"]]))
    return wrong + beyond(found, flat(exact.energies(table["beta"]))) + missed("beta 0.005 higher", found, shifted)


def chirality_of_random_angles(sign: int, points: int = 48) -> float:
    """The mean of |sin a + sin b + sin c + sign sin d| / sqrt 8 over angles with a + b + c + d = 0."""
    turn = 2 * math.pi / points
    sines = [math.sin(turn * (k + 0.5)) for k in range(points)]
    last = [sign * math.sin(-turn * (k + 1.5)) for k in range(3 * points)]
    places = range(points)
    total = sum(abs(sines[a] + sines[b] + sines[c] + last[a + b + c]) for a in places for b in places for c in places)
    return total / points**3 / math.sqrt(8)


def vectors_of(scratch: Path, name: str, words: str) -> dict[str, list[float]]:
    """MC_vectors.dat of a canonical simulation by heat bath."""
    command = [BUILD / "paising", *f"--method canonical --update heat-bath --vector-observables -t 1 {words} -D cpu -o".split(), scratch / name]
    subprocess.run(command, check=True, capture_output=True)
    return read_table(scratch / name / "MC_vectors.dat")[1]


def disordered_vectors(scratch: Path) -> list[str]:
    """Far above the transition only closed paths around the lattice give a stiffness: some 1e-4 of J at these beta and L, a tenth of the
    errors. At beta = 0 a third of the plaquettes have a vortex: three turns below pi add up to more than pi with this probability."""
    found, exact = [], []
    for model, beta, quantity, value in (("xy2d", 0.4, "stiffness", 0), ("heisenberg2d", 0.6, "stiffness", 0), ("xy2d", 1e-9, "vortices", 1 / 3)):
        words = f"--model {model} -L 8 -R 100 -b {beta} -f {beta} --thermalisation 15 --measurements 64 -s 23"
        table = vectors_of(scratch, f"{model}{quantity}", words)
        found.append(Comparison(f"{model}: {quantity}", table[quantity][0], table[f"err_{quantity}"][0], BLOCKS_OF_TIME - 1))
        exact.append(value)
    return beyond(found, exact)


def chirality(scratch: Path) -> list[str]:
    """The XY glass at beta = 0, near enough: frustrated plaquettes have random angles, and one negative bond but for turns by pi."""
    table = vectors_of(scratch, "chirality", "--model xy-glass2d -L 16 -R 400 -b 1e-9 -f 1e-9 --thermalisation 1 --measurements 100 -s 19")
    found = [Comparison("chirality", table["chirality"][0], table["err_chirality"][0], BLOCKS_OF_TIME - 1)]
    wrong = beyond(found, [chirality_of_random_angles(-1)])
    return wrong if beyond(found, [chirality_of_random_angles(1)]) else [*wrong, "plaquettes that are not frustrated pass"]


def flat_texts(lists: list[list[str]]) -> list[str]:
    return [x for texts in lists for x in texts]


def known(exact: Exact) -> list[str]:
    """The exact acceptances against those that another program has found."""
    given = [float(word) for word in KNOWN[exact.size].split()]
    found = [exact.acceptance(*pair) for pair in zip(BETAS, BETAS[1:])]
    return [f"{x:.6f}, not {y:.6f}" for x, y in zip(found, given, strict=True) if abs(x - y) > 0.6e-6]


def main() -> int:
    cases: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="series-") as name:
        scratch = Path(name)
        small, large = exact_of(8), exact_of(16)
        for exact in (small, large):
            cases[f"exact acceptances, L = {exact.size}"] = known(exact)
        short = "-c ssc -R 16 -t 1 --thermalisation 300 --measurements 4000"
        long = "-c msc -R 64 -t 2 --thermalisation 300 --measurements 4000"
        few = [0.3, 0.38, 0.43, 0.48, 0.6]
        cases |= judge(small, "canonical", few, short + " -s 11", scratch)
        uneven = [0.1, 0.2, 0.28, 0.34, 0.38, 0.41, 0.44, 0.47, 0.51, 0.57, 0.65, 0.8, 1.0]
        # the first pair is tried at odd measurements, since the first of these follows an odd number of steps
        cases |= judge(small, "tempering", uneven, short.replace("300", "301") + " -s 12", scratch)
        cases |= judge(large, "canonical", few, long + " -s 13", scratch)
        cases |= judge(large, "tempering", BETAS, long + " -s 14", scratch)
        stripes = "-c msc -R 8 --stripes 8 -t 4 --thermalisation 300 --measurements 4000"
        cases |= judge(Exact(128, {}), "canonical", [0.2, 0.3, 0.36], stripes + " -s 16", scratch)
        tiles = short + " --acceptance heat-bath --update tiles --tile 4 --hits 3 -s 17"
        border = "-c ssc -R 16 -t 3 --thermalisation 100 --measurements 4000 --update dead-border --tile 8 -s 19"
        cases |= judge(small, "canonical", [0.38, 0.46], tiles, scratch)
        cases |= judge(small, "canonical", [0.3, 0.38], border, scratch)
        cases["4 x 4: S(k) and xi against all states; wrong waves are found out"] = waves(scratch)
        cases["L = 8: one histogram at neighbouring temperatures"] = reweighted(small, scratch)
        cases["chirality of random angles"] = chirality(scratch)
        cases["stiffness and vortices of disordered vectors"] = disordered_vectors(scratch)
        cases["autocorrelation times are in sweeps"] = times(scratch)
        cases["autocorrelation times of many hits are in sweeps"] = hits(scratch)
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
