"""Variance and bias of e, C and betaF by rule, theta and R: bias falls, compatible with 1/R; that of betaF is half its variance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from claims import Claim, agree, equals, z_of_student
from figures import CRITICAL, RULES, Figure, Report, short
from runs import Job, Row, Workshop, exact_values, mean_and_error, variance

KEEP = (0.3, CRITICAL, 0.6, 1.0)
LATTICE = {"brief": "-L 16 -d 0.04", "small": "-L 16 -d 0.02", "paper": "-L 32 -d 0.01"}
SIZE = {"brief": 16, "small": 16, "paper": 32}
# R and runs of each: enough for the controls to be refuted.
POPULATIONS = {
    "brief": ((128, 16), (512, 8)),
    "small": ((128, 1000), (512, 400), (2048, 150)),
    "paper": ((512, 1800), (2048, 900), (8192, 450)),
}
SWEEPS = {"brief": 4, "small": 4, "paper": 10}
# theta besides, of some rules: many sweeps at the R in the middle, ...
BESIDES = ("nearest", "multinomial")
MANY = {"brief": 16, "small": 16, "paper": 50}
# ... and few, where the bias of e is large enough to be seen falling: more slowly than 1/R at smaller R than these, as with
# few sweeps most replicas are of a few families.
FEW = {"brief": 1, "small": 1, "paper": 2}
POPULATIONS_OF_FEW = {
    "brief": ((256, 16), (1024, 8)),
    "small": ((2048, 1200), (8192, 400)),
    "paper": ((8192, 1600), (32768, 900)),
}
QUANTITIES = ("e", "C", "betaF")
# Up to this variance of betaF weights are so little skewed that the bias is half of it, but for a few percent.
GAUSSIAN = 0.4


def job_of(profile: str, rule: str, population: int, runs: int, sweeps: int) -> Job:
    """One point."""
    seed = 7500 + RULES.index(rule) + 10 * sweeps
    options = f"{LATTICE[profile]} -R {population} -M {runs} -t {sweeps} --resampling {rule} -s {seed}"
    return Job(f"errors_{rule}_{population}_{sweeps}", options, KEEP)


def others(profile: str) -> list[tuple[int, int, int]]:
    """R, runs, theta of the rules that are looked at besides."""
    few = [(r, m, FEW[profile]) for r, m in POPULATIONS_OF_FEW[profile]]
    return [*few, (*POPULATIONS[profile][1], MANY[profile])]


def points(profile: str) -> list[tuple[str, int, int, int]]:
    """Rule, R, runs, theta."""
    some = [(rule, r, m, SWEEPS[profile]) for rule in RULES for r, m in reversed(POPULATIONS[profile])]
    return some + [(rule, *point) for rule in BESIDES for point in others(profile)]


def jobs(profile: str) -> list[Job]:
    """All of them."""
    return [job_of(profile, *point) for point in points(profile)]


@dataclass
class Spread:
    """Bias and variance of a quantity over the runs, of betaF of the whole lattice."""

    runs: int
    bias: float
    bias_error: float
    variance: float

    @property
    def variance_error(self) -> float:
        """Of a Gaussian."""
        return self.variance * math.sqrt(2 / (self.runs - 1))


def values_of(rows: list[Row], quantity: str, spins: int) -> list[float]:
    """Of the runs; betaF with the fluctuations of R_k, as its weight is an unbiased estimate of Z."""
    if quantity == "betaF":
        return [-row["lnW"] - spins * math.log(2) for row in rows]
    return [row[quantity] for row in rows]


def spread_of(rows: list[Row], exact: Row, quantity: str, spins: int) -> Spread:
    """At one temperature."""
    values = values_of(rows, quantity, spins)
    mean, error = mean_and_error(values)
    true = exact["betaF/N"] * spins if quantity == "betaF" else exact[quantity]
    return Spread(len(values), mean - true, error, variance(values))


def exponent(a: Spread, b: Spread, ratio: float) -> str:
    """x, of bias R^-x, from that at some R and at so many times it, for a text."""
    error = math.hypot(a.bias_error / a.bias, b.bias_error / b.bias) / math.log(ratio)
    return short(math.log(abs(a.bias / b.bias)) / math.log(ratio), error)


def weight_claim(text: str, rows: list[Row], exact: Row, spins: int, control: bool = False) -> Claim:
    """That the weights are unbiased estimates of Z."""
    true = -exact["betaF/N"] * spins - spins * math.log(2)
    shift = true + (math.log(1.5) if control else 0)
    return equals(text, mean_and_error([math.exp(row["lnW"] - shift) for row in rows]), 1.0, len(rows), control=control)


def half_claim(text: str, s: Spread, factor: float = 0.5, control: bool = False) -> Claim:
    """That the bias of betaF is half its variance."""
    error = math.hypot(s.bias_error, factor * s.variance_error)
    z = z_of_student((s.bias - factor * s.variance) / error, s.runs - 1)
    return Claim(
        f"{text}: bias {s.bias:.4g} +- {s.bias_error:.2g}, {factor:g} variance {factor * s.variance:.4g}",
        z,
        control=control,
    )


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    size, spins = SIZE[profile], SIZE[profile] ** 2
    exact = dict(zip(KEEP, exact_values(size, KEEP)))
    spread: dict[tuple[str, int, int, str, float], Spread] = {}
    rows_of = {}
    for rule, population, runs, sweeps in points(profile):
        result = shop.get(job_of(profile, rule, population, runs, sweeps))
        for beta in KEEP:
            rows_of[rule, population, sweeps, beta] = result.at(beta)
            for quantity in QUANTITIES:
                spread[rule, population, sweeps, quantity, beta] = spread_of(
                    result.at(beta), exact[beta], quantity, spins
                )
    theta = SWEEPS[profile]
    table = []
    for rule in RULES:
        block = []
        for population, _ in POPULATIONS[profile]:
            cells = [spread[rule, population, theta, q, CRITICAL] for q in QUANTITIES]
            cells.append(spread[rule, population, theta, "betaF", 1.0])
            block.append(
                [population, *(x for s in cells for x in (abs(s.bias), s.bias_error, s.variance, s.variance_error))]
            )
            table.append(
                [rule, str(population), str(theta), *(text for s in cells for text in cells_of(s, population))]
            )
        names = [
            "R",
            *(f"{k}:{q}" for q in ("e", "C", "betaF", "betaF_end") for k in ("bias", "err", "var", "err_var")),
        ]
        out.add_block(rule, names, block)
    for rule in BESIDES:
        for population, _, sweeps in others(profile):
            cells = [spread[rule, population, sweeps, q, CRITICAL] for q in QUANTITIES]
            cells.append(spread[rule, population, sweeps, "betaF", 1.0])
            table.append(
                [rule, str(population), str(sweeps), *(text for s in cells for text in cells_of(s, population))]
            )
    out.add_table(
        (
            "rule",
            "R",
            "theta",
            *(f"R {k} {q}" for q in ("e", "C", "betaF") for k in ("bias", "var")),
            "R bias betaF, beta = 1",
            "R var",
        ),
        table,
    )
    add_claims(out, spread, rows_of, exact, profile)
    out.header = [f"{LATTICE[profile]} theta {theta}, beta = {CRITICAL}; betaF of the whole lattice"]
    return out


def cells_of(s: Spread, population: int) -> tuple[str, str]:
    """R times bias and variance, for the table."""
    return short(population * s.bias, population * s.bias_error), short(
        population * s.variance, population * s.variance_error
    )


def add_claims(
    out: Report,
    spread: dict[tuple[str, int, int, str, float], Spread],
    rows_of: dict[tuple[str, int, int, float], list[Row]],
    exact: dict[float, Row],
    profile: str,
) -> None:
    """What theory says of them."""
    spins, few, theta = SIZE[profile] ** 2, FEW[profile], SWEEPS[profile]
    sizes = [r for r, _ in POPULATIONS[profile]]
    small, large = sizes[0], sizes[-1]
    less, more = (r for r, _ in POPULATIONS_OF_FEW[profile])
    for rule in RULES:
        for beta in (CRITICAL, 1.0):
            for population in sizes:
                s = spread[rule, population, theta, "betaF", beta]
                if s.variance > GAUSSIAN:
                    continue
                text, rows = f"{rule}, R = {population}, beta = {beta}", rows_of[rule, population, theta, beta]
                out.claims.append(weight_claim(f"{text}: weights average to Z", rows, exact[beta], spins))
                out.claims.append(half_claim(f"{text}: bias of betaF is half its variance", s))
    for rule in BESIDES:
        a, b = (spread[rule, r, few, "e", CRITICAL] for r in (less, more))
        text = f"{rule}, theta = {few}: bias of e"
        times = agree(
            f"{text} falls as R^-{exponent(a, b, more / less)}, compatible with 1/R; R times it at {less} and {more}",
            (less * a.bias, less * a.bias_error),
            (more * b.bias, more * b.bias_error),
        )
        left_out = agree(f"(the 1/R left out) {text} at two R", (a.bias, a.bias_error), (b.bias, b.bias_error))
        out.claims += [times, Claim(left_out.text, left_out.z, control=True)]
    # Negative controls; of betaF by the rule and at the beta of the largest bias.
    s = spread["multinomial", less, few, "e", CRITICAL]
    out.claims.append(equals(f"(theta = {few}) e has no bias", (s.bias, s.bias_error), 0.0, s.runs, control=True))
    a, b = (spread["poisson", r, theta, "betaF", 1.0] for r in (small, large))
    out.claims.append(
        agree("(the 1/R left out) bias of betaF at two R", (a.bias, a.bias_error), (b.bias, b.bias_error), control=True)
    )
    out.claims.append(half_claim("(the variance left out) poisson", a, 0.0, True))
    out.claims.append(
        weight_claim(
            "(Z off by a factor 1.5) weights average to Z",
            rows_of["nearest", large, theta, CRITICAL],
            exact[CRITICAL],
            spins,
            True,
        )
    )


FIGURE = Figure("errors", "Variance and bias by rule and R", jobs, report, ("errors_betaF", "errors_C"))
