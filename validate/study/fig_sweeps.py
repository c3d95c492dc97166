"""Effective population sizes against theta: R_eff by blocking and from the scatter of the runs, R / rho_t and R / rho_s.
How variance and bias fall with theta, for the same R and for the same work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from claims import Claim, at_most
from fig_families import FERROMAGNET
from figures import CRITICAL, Figure, Report, short
from runs import Job, Row, Workshop, exact_values, mean_and_error, option, variance

RULES = ("nearest", "systematic", "multinomial")
KEEP = (0.3, CRITICAL, 0.6, 1.0)
LATTICE = {
    "brief": f"{FERROMAGNET} -L 16 -R 512 -M 8 -d 0.04",
    "small": f"{FERROMAGNET} -L 16 -R 2048 -M 32 -d 0.02",
    "paper": f"{FERROMAGNET} -L 32 -R 16384 -M 60 -d 0.01",
}
SIZE = {"brief": 16, "small": 16, "paper": 32}
FAMILIES = 100  # R / rho_t from which on the program trusts its errors
SWEEPS = {"brief": (1, 16), "small": (1, 2, 4, 8, 16, 32, 64), "paper": (1, 2, 5, 10, 20, 50, 100)}


def job_of(profile: str, rule: str, sweeps: int) -> Job:
    """One point."""
    seed = 7700 + 10 * sweeps + RULES.index(rule)
    return Job(f"sweeps_{rule}_{sweeps}", f"{LATTICE[profile]} -t {sweeps} --resampling {rule} -s {seed}", KEEP)


def jobs(profile: str) -> list[Job]:
    """All of them, the longest first."""
    return [job_of(profile, rule, sweeps) for sweeps in reversed(SWEEPS[profile]) for rule in RULES]


def scatter_claim(where: str, ratios: list[float], relative: float, control: bool = False) -> Claim:
    """That R_eff by blocking is that of the scatter of the runs, on average over simulations."""
    if not ratios:
        return Claim(f"{where}: there are none", holds=False)
    mean, error = math.fsum(ratios) / len(ratios), relative / math.sqrt(len(ratios))
    text = f"{where}: R_eff from the scatter of e over that by blocking, ln of the geometric mean"
    return Claim(f"{text}: {mean:.4f} +- {error:.2g}, expected 0", mean / error, control=control)


@dataclass(frozen=True)
class Ensemble:
    """What all simulations of a profile have in common."""

    population: float
    runs: int
    spins: int
    exact: dict[float, Row]  # by beta

    @property
    def relative(self) -> float:
        """The relative error of a variance over the runs, of a Gaussian."""
        return math.sqrt(2 / (self.runs - 1))


def ensemble_of(profile: str) -> Ensemble:
    """That of a profile."""
    size, options = SIZE[profile], LATTICE[profile]
    exact = dict(zip(KEEP, exact_values(size, KEEP)))
    return Ensemble(float(option(options, "-R")), int(option(options, "-M")), size**2, exact)


class Point(NamedTuple):
    """A simulation at one beta. Pairs are values with their errors."""

    sweeps: int
    eff: tuple[float, float]  # R_eff / R, by blocking
    rho_t: tuple[float, float]  # 1 / rho_t
    rho_s: tuple[float, float]  # 1 / rho_s
    scatter: float  # R_eff / R, from the scatter of e over the runs
    spread: dict[str, float]  # R times variances over the runs
    bias: dict[str, tuple[float, float]]


def point_of(sweeps: int, rows: list[Row], beta: float, all_of: Ensemble) -> Point:
    """What the rows of all runs say."""
    exact, population = all_of.exact[beta], all_of.population
    single = exact["C"] / (beta * beta * all_of.spins)  # variance of e of a replica
    means = {c: mean_and_error([row[c] for row in rows]) for c in ("e", "C")}
    return Point(
        sweeps,
        mean_and_error([row["R_eff"] / population for row in rows]),
        mean_and_error([1 / row["rho_t"] for row in rows]),
        mean_and_error([1 / row["rho_s"] for row in rows]),
        single / variance([row["e"] for row in rows]) / population,
        {c: population * variance([row[c] for row in rows]) for c in ("e", "C", "lnW")},
        {c: (mean - exact[c], error) for c, (mean, error) in means.items()},
    )


COLUMNS = "theta R_eff/R err scatter err 1/rho_t err 1/rho_s err R_var_C err R_var_betaF err bias_C err bias_e err".split()


def block_row(p: Point, relative: float) -> list[float]:
    """The values of COLUMNS."""
    scatter, of_c, of_beta_f = ((x, x * relative) for x in (p.scatter, p.spread["C"], p.spread["lnW"]))
    return [p.sweeps, *p.eff, *scatter, *p.rho_t, *p.rho_s, *of_c, *of_beta_f, *p.bias["C"], *p.bias["e"]]


TABLE = (
    "rule",
    "theta",
    "R_eff / R, by blocking",
    "1 / rho_t",
    "1 / rho_s",
    "R_eff / R, from scatter of e",
    "R var(betaF)",
    "theta R var(betaF)",
    "theta R var(C)",
)


def table_row(rule: str, p: Point, relative: float) -> list[str]:
    """The cells of TABLE."""
    varied = (p.scatter, p.spread["lnW"], p.sweeps * p.spread["lnW"], p.sweeps * p.spread["C"])
    sizes = (short(*pair) for pair in (p.eff, p.rho_t, p.rho_s))
    return [rule, str(p.sweeps), *sizes, *(short(x, x * relative) for x in varied)]


def scatter_claims(points: list[Point], profile: str, all_of: Ensemble) -> list[Claim]:
    """R_eff from the scatter against that by blocking, where families are enough; and not with the fewest sweeps."""
    few = SWEEPS[profile][0]

    def ratio(p: Point) -> float:
        return math.log(p.scatter / p.eff[0]) - 1 / (all_of.runs - 1)  # less the mean of the logarithm's noise

    enough = [ratio(p) for p in points if all_of.population * p.rho_t[0] >= FAMILIES]
    too_few = [ratio(p) for p in points if p.sweeps == few]
    return [
        scatter_claim(f"at least {FAMILIES} families", enough, all_of.relative),
        scatter_claim(f"(theta = {few}, fewer families)", too_few, all_of.relative, control=True),
    ]


def ends_claims(few: Point, many: Point) -> list[Claim]:
    """1 / rho_t rises from few sweeps to many; with the two sizes exchanged the claim about them fails."""
    rises = f"nearest: 1 / rho_t at theta = {few.sweeps} is not above that at {many.sweeps}"
    wrong = at_most("(R / rho_t taken for R_eff, and R_eff for it) R_eff is not above R / rho_t", many.eff, many.rho_t)
    return [at_most(rises, few.rho_t, many.rho_t), Claim(wrong.text, wrong.z, one_sided=True, control=True)]


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report(header=[LATTICE[profile]])
    all_of = ensemble_of(profile)
    critical: dict[str, list[Point]] = {}
    for rule in RULES:
        results = {sweeps: shop.get(job_of(profile, rule, sweeps)) for sweeps in SWEEPS[profile]}
        for beta in (CRITICAL, 1.0):
            points = [point_of(sweeps, result.at(beta), beta, all_of) for sweeps, result in results.items()]
            for p in points:
                where = f"{rule}, theta = {p.sweeps}, beta = {beta}"
                out.claims.append(at_most(f"{where}: R / rho_t is not above R_eff", p.rho_t, p.eff))
            name = f"{rule}-{'critical' if beta == CRITICAL else 'end'}"
            out.add_block(name, COLUMNS, [block_row(p, all_of.relative) for p in points])
            if beta == CRITICAL:
                critical[rule] = points
    out.claims += scatter_claims([p for points in critical.values() for p in points], profile, all_of)
    out.claims += ends_claims(critical["nearest"][0], critical["nearest"][-1])
    out.add_table(TABLE, [table_row(rule, p, all_of.relative) for rule, points in critical.items() for p in points])
    return out


FIGURE = Figure(
    "sweeps",
    f"Effective population sizes against theta, beta = {CRITICAL}",
    jobs,
    report,
    ("sweeps_R_eff", "sweeps_work"),
)
