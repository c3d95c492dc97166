"""Fixed against adaptive schedules at equal work: what the error of betaF and the families are for so many steps, and
what those of betaF, e and C are for so many sweeps."""

from __future__ import annotations

import math
from typing import NamedTuple

from claims import Claim, at_most, equals, z_of_student
from figures import CRITICAL, Figure, Report, short
from runs import Job, Row, Workshop, exact_values, limits, mean_and_error, option, variance

KEEP = (CRITICAL, 1.0)
LATTICE = {"brief": "-L 16 -R 1024 -M 8", "small": "-L 16 -R 1024 -M 200", "paper": "-L 32 -R 8192 -M 150"}
SIZE = {"brief": 16, "small": 16, "paper": 32}
SWEEPS = {"brief": 2, "small": 4, "paper": 10}
FIXED = {"brief": (0.05, 0.0125), "small": (0.05, 0.025, 0.0125), "paper": (0.04, 0.02, 0.01, 0.005)}
# More sweeps where relaxation is slow: fixed steps, and sweeps after this profile.
PROFILE = "validate/study/relaxation.dat"
RELAXATION = {"brief": (0.025,), "small": (0.025, 0.0125), "paper": (0.02, 0.01)}
# The variance of ln Z is the sum of var tau / R as long as that is below this fraction of 1.
SMALL = 40
# Ways to choose steps, and what each is told.
ADAPTIVE = {"overlap": ("-a", (0.5, 0.7, 0.85)), "energy": ("--energy-step", (1.2, 0.8, 0.4))}
# Sweeps at equal work: one theta everywhere, theta times the profile, or sweeps that take a gain each off R / R_eff.
# These are decided by run 0, so that there are several batches of runs, each with a run 0 of its own.
WORK = {
    "brief": ("-L 16 -R 256 -M 4 -a 0.7",),
    "small": ("-L 16 -R 1024 -M 25 -a 0.7", "-L 16 -R 1024 -M 25 -a 0.85", "-L 32 -R 4096 -M 12 -a 0.8"),
    "paper": ("-L 32 -R 8192 -M 25 -a 0.8", "-L 64 -R 16384 -M 12 -a 0.8"),
}
BATCHES = 8
GAIN = 0.1  # of which there are claims
WAYS = {
    "fixed": "-t {}",
    "relaxation": f"--relaxation {PROFILE} -t {{}}",
    "adaptive": "-t 1000 --adaptive-sweeps {}",
}
# What each is told: of theta as many as the larger lattices need to have the best one among them.
VALUES = {
    "brief": {"fixed": (2, 4), "relaxation": (1, 2), "adaptive": (0.1, 0.4)},
    "small": {"fixed": (2, 4, 8), "relaxation": (1, 2, 4), "adaptive": (0.05, 0.1, 0.2, 0.4)},
    "paper": {
        "fixed": (2, 4, 8, 16, 32, 64),
        "relaxation": (1, 2, 4, 8, 16, 32),
        "adaptive": (0.05, 0.1, 0.2, 0.4),
    },
}


def job_of(profile: str, way: str, value: float, ideal: bool) -> Job:
    """One point; infinitely many sweeps, or some."""
    letter = ADAPTIVE[way][0] if way in ADAPTIVE else "-d"
    more = f"--relaxation {PROFILE}" if way == "relaxation" else ""
    sweeps = "-c ssc" if ideal else f"-t {SWEEPS[profile]}"
    seed = 7900 + 10 * (["fixed", *ADAPTIVE, "relaxation"].index(way)) + int(1000 * value) + ideal
    name = f"schedules_{'ideal_' if ideal else ''}{way}_{value}"
    return Job(
        name, f"{LATTICE[profile]} {sweeps} {letter} {value} {more} --resampling systematic -s {seed}", KEEP, ideal
    )


def points(profile: str) -> list[tuple[str, float, bool]]:
    """Way, its value, whether sweeps are infinitely many."""
    ways = [("fixed", v) for v in FIXED[profile]] + [(way, v) for way, (_, values) in ADAPTIVE.items() for v in values]
    profile_of_sweeps = [("relaxation", value, False) for value in RELAXATION[profile]]
    return [(way, value, ideal) for ideal in (False, True) for way, value in ways] + profile_of_sweeps


def batch_of(profile: str, lattice: str, way: str, value: float, batch: int) -> Job:
    """Some runs with the sweeps of one run 0."""
    name = f"schedules_work_{option(lattice, '-L')}_{option(lattice, '-a')}_{way}_{value}_{batch}"
    options = WAYS[way].format(value)
    assert len(VALUES[profile][way]) <= 10, "another way's seeds begin with the eleventh value"
    seed = 9000 + 100 * batch + 10 * list(WAYS).index(way) + VALUES[profile][way].index(value)
    return Job(name, f"{lattice} {options} --resampling systematic -s {seed}", KEEP)


def work_points(profile: str) -> list[tuple[str, str, float]]:
    """Lattice, way, value."""
    return [(lattice, way, v) for lattice in WORK[profile] for way in WAYS for v in VALUES[profile][way]]


def jobs(profile: str) -> list[Job]:
    """All of them."""
    some = [job_of(profile, *point) for point in points(profile)]
    return some + [batch_of(profile, *point, batch) for point in work_points(profile) for batch in range(BATCHES)]


def work_of(
    profile: str, shop: Workshop, lattice: str, way: str, value: float
) -> tuple[list[float], list[tuple[float, float]], float]:
    """The sweeps of each batch; sweeps R times the variances of betaF, of e of the lattice and of C; rho_t."""
    population, runs = float(option(lattice, "-R")), int(option(lattice, "-M"))
    spins = int(option(lattice, "-L")) ** 2
    sweeps, rho_t = [], []
    products: list[list[float]] = [[], [], []]
    for batch in range(BATCHES):
        result = shop.get(batch_of(profile, lattice, way, value, batch))
        sweeps.append(result.spin_flips / (population * runs * spins))
        rho_t.append(result.value("rho_t", 1.0)[0])
        critical = result.at(CRITICAL)
        values = (
            [row["lnW"] for row in result.at(1.0)],
            [row["e"] * math.sqrt(spins) for row in critical],
            [row["C"] for row in critical],
        )
        for product, some in zip(products, values):
            product.append(sweeps[-1] * population * variance(some))
    return sweeps, [mean_and_error(p) for p in products], mean_and_error(rho_t)[0]


def weight_claims(profile: str, shop: Workshop, lattice: str, value: float) -> list[Claim]:
    """Sweeps that others have decided leave weights unbiased estimates of Z: of the runs after run 0."""
    size = int(option(lattice, "-L"))
    spins = size * size
    ln_z = -exact_values(size, (1.0,))[0]["betaF/N"] * spins - spins * math.log(2)
    rows: list[Row] = []
    for batch in range(BATCHES):
        result = shop.get(batch_of(profile, lattice, "adaptive", value, batch))
        rows += [row for row in result.at(1.0) if row["run"] > 0]
    text = f"{lattice}, adaptive {value}: mean weight over Z of the runs after run 0"
    weights = mean_and_error([math.exp(row["lnW"] - ln_z) for row in rows])
    return [
        equals(text, weights, 1.0, len(rows)),
        equals(f"(of 1.5 Z) {text}", weights, 1.5, len(rows), control=True),
    ]


def report_work(profile: str, shop: Workshop, out: Report) -> None:
    """Sweeps at equal work."""
    table = []
    of_e = {}
    blocks: dict[str, list[list[float]]] = {}
    for lattice, way, value in work_points(profile):
        sweeps, products, rho_t = work_of(profile, shop, lattice, way, value)
        of_e[lattice, way, value] = products[1]
        mean = math.fsum(sweeps) / BATCHES
        name = f"work-{option(lattice, '-L')}-{option(lattice, '-a')}-{way}"
        blocks.setdefault(name, []).append([mean, value, *(x for p in products for x in p)])
        spread = f" ({min(sweeps):.0f} to {max(sweeps):.0f})" if way == "adaptive" else ""
        cells = [short(*p) for p in products]
        table.append([f"`{lattice}`", way, f"{value:g}", f"{mean:.0f}{spread}", *cells, f"{rho_t:.1f}"])
    at = f"beta = {CRITICAL}"
    names = ("sweeps", "value", "all", "betaF, beta = 1", f"e root N, {at}", f"C, {at}", "rho_t")
    out.table.append(f"Sweeps, all of them, times R times the variance, in {BATCHES} batches of runs:\n")
    out.add_table(("", *names), table)
    columns = ("sweeps", "value", "betaF", "err", "e", "err_e", "C", "err_C")
    for name, block in blocks.items():
        out.add_block(name, columns, sorted(block))
    for lattice in WORK[profile]:
        out.claims += weight_claims(profile, shop, lattice, GAIN)
        for value in VALUES[profile]["fixed"]:
            text = f"{lattice}: sweeps R N var(e) of adaptive {GAIN} is not above that of theta = {value}"
            out.claims.append(at_most(text, of_e[lattice, "adaptive", GAIN], of_e[lattice, "fixed", value]))


class Point(NamedTuple):
    """A schedule. Pairs are values with their errors; variances are over the runs."""

    way: str
    value: float
    ideal: bool  # sweeps are infinitely many
    steps: int
    sweeps: float  # of a replica, all temperatures together
    beta_f: tuple[float, float]  # R var(betaF)
    rho_t: tuple[float, float]
    of_c: tuple[float, float]  # R var(C)


def point_of(profile: str, shop: Workshop, way: str, value: float, ideal: bool) -> Point:
    """What the simulation of a schedule says."""
    population, runs = float(option(LATTICE[profile], "-R")), int(option(LATTICE[profile], "-M"))
    result = shop.get(job_of(profile, way, value, ideal))

    def spread(column: str, beta: float) -> tuple[float, float]:
        product = population * variance([row[column] for row in result.at(beta)])
        return product, product * math.sqrt(2 / (runs - 1))

    sweeps = result.spin_flips / (population * runs * SIZE[profile] * SIZE[profile])
    ends = (spread("lnW", 1.0), result.value("rho_t", 1.0), spread("C", CRITICAL))
    return Point(way, value, ideal, len(result.beta) - 1, sweeps, *ends)


TABLE = (
    "steps",
    "value",
    "number",
    "sweeps, all",
    "R var(betaF)",
    "at least, of any schedule",
    "rho_t",
    f"R var(C), beta = {CRITICAL}",
)


def table_row(p: Point, length: float) -> list[str]:
    """The cells of TABLE."""
    sweeps = "infinite" if p.ideal else f"{p.sweeps:.0f}"
    sizes = [short(*p.beta_f), f"{length**2 / p.steps:.3g}", short(*p.rho_t), short(*p.of_c)]
    return [p.way, f"{p.value:g}", str(p.steps), sweeps, *sizes]


def bound_claim(p: Point, length: float, runs: int) -> Claim:
    """Cauchy and Schwarz: no schedule of so many steps has less than the square of the thermodynamic length / steps."""
    spread, error = p.beta_f
    bound = length**2 / p.steps
    text = f"{p.way} {p.value}: R var(betaF) {spread:.4g} +- {error:.2g} is not below {bound:.4g}"
    return Claim(text, z_of_student((bound - spread) / error, runs - 1), one_sided=True)


def sum_claims(p: Point, profile: str) -> list[Claim]:
    """R var(betaF) of fixed steps is the sum of var tau, where that is small; and twice of it is not."""
    population, runs = float(option(LATTICE[profile], "-R")), int(option(LATTICE[profile], "-M"))
    expected = limits(SIZE[profile], p.value)[0][-1]["var_tau"] if p.way == "fixed" else math.inf
    if expected >= population / SMALL:
        return []
    spread, error = p.beta_f
    text = f"{p.way} {p.value}: R var(betaF) {spread:.4g} +- {error:.2g}, the sum of var tau {expected:.4g}"
    scale = expected * math.sqrt(2 / (runs - 1))
    return [
        Claim(text, (spread - expected) / scale),
        Claim(f"(twice what it is) {text}", (2 * spread - expected) / scale, control=True),
    ]


def add_blocks(out: Report, of: list[Point], length: float) -> None:
    """The data of all ways, and the bound."""
    names = ("steps", "R_var_betaF", "err", "rho_t", "err_rho_t", "R_var_C", "err_R_var_C", "sweeps")
    for way, ideal in dict.fromkeys((p.way, p.ideal) for p in of):
        rows = [(p.steps, *p.beta_f, *p.rho_t, *p.of_c, p.sweeps) for p in of if (p.way, p.ideal) == (way, ideal)]
        out.add_block(f"{'ideal' if ideal else 'annealed'}-{way}", names, rows)
    most = max(p.steps for p in of)
    out.add_block("bound", ("steps", "R_var_betaF"), [(k, length**2 / k) for k in range(8, most + 10)])


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report(header=[f"{LATTICE[profile]} theta {SWEEPS[profile]}"])
    runs = int(option(LATTICE[profile], "-M"))
    fine = limits(SIZE[profile], 0.001)[0]
    length = math.fsum(math.sqrt(max(0.0, b["var_tau"] - a["var_tau"])) for a, b in zip(fine, fine[1:]))
    found = [point_of(profile, shop, *point) for point in points(profile)]
    controls: list[Claim] = []
    for p in found:
        if p.ideal:
            sums = sum_claims(p, profile)
            out.claims += [bound_claim(p, length, runs), *sums[:1]]
            controls += sums[1:]
    out.claims.append(controls[-1])
    add_blocks(out, found, length)
    out.add_table(TABLE, [table_row(p, length) for p in found])
    report_work(profile, shop, out)
    return out


PICTURES = ("schedules", "schedules_work", "schedules_sweeps")
FIGURE = Figure("schedules", "Fixed and adaptive schedules, at beta = 1", jobs, report, PICTURES)
