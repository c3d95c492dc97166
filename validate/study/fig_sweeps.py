"""Effective population sizes against theta: R_eff by blocking and from the scatter of the runs, R / rho_t, R /
rho_s; and how variance and bias fall with theta, for the same R and for the same work."""

from __future__ import annotations

import math

from claims import Claim, at_most
from fig_families import FERROMAGNET
from figures import CRITICAL, Figure, Report, short
from runs import Job, Workshop, exact_values, mean_and_error, variance

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


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    size, spins = SIZE[profile], SIZE[profile] ** 2
    exact = dict(zip(KEEP, exact_values(size, KEEP)))
    words = LATTICE[profile].split()
    population, runs = float(words[words.index("-R") + 1]), int(words[words.index("-M") + 1])
    relative = math.sqrt(2 / (runs - 1))  # error of a variance over the runs, of a Gaussian
    enough: list[float] = []  # ln of R_eff from the scatter over that by blocking, where families are enough,
    too_few: list[float] = []  # and with the fewest sweeps
    table = []
    for rule in RULES:
        for beta in (CRITICAL, 1.0):
            block = []
            for sweeps in SWEEPS[profile]:
                result = shop.get(job_of(profile, rule, sweeps))
                rows = result.at(beta)
                means = {c: mean_and_error([row[c] for row in rows]) for c in ("e", "C")}
                shares = [
                    mean_and_error([row["R_eff"] / population for row in rows]),
                    mean_and_error([1 / row["rho_t"] for row in rows]),
                    mean_and_error([1 / row["rho_s"] for row in rows]),
                ]
                single = exact[beta]["C"] / (beta * beta * spins)  # variance of e of a replica
                scatter = single / variance([row["e"] for row in rows]) / population
                spread = {c: population * variance([row[c] for row in rows]) for c in ("e", "C", "lnW")}
                ratio = math.log(scatter / shares[0][0]) - 1 / (runs - 1)  # less the mean of the logarithm's noise
                if beta == CRITICAL and population * shares[1][0] >= FAMILIES:
                    enough.append(ratio)
                if beta == CRITICAL and sweeps == SWEEPS[profile][0]:
                    too_few.append(ratio)
                block.append(
                    [
                        sweeps,
                        shares[0][0],
                        shares[0][1],
                        scatter,
                        scatter * relative,
                        shares[1][0],
                        shares[1][1],
                        shares[2][0],
                        shares[2][1],
                        spread["C"],
                        spread["C"] * relative,
                        spread["lnW"],
                        spread["lnW"] * relative,
                        means["C"][0] - exact[beta]["C"],
                        means["C"][1],
                        means["e"][0] - exact[beta]["e"],
                        means["e"][1],
                    ]
                )
                if beta == CRITICAL:
                    table.append(
                        [
                            rule,
                            str(sweeps),
                            *(short(*s) for s in shares),
                            *(
                                short(x, x * relative)
                                for x in (scatter, spread["lnW"], sweeps * spread["lnW"], sweeps * spread["C"])
                            ),
                        ]
                    )
                out.claims.append(
                    at_most(
                        f"{rule}, theta = {sweeps}, beta = {beta}: R / rho_t is not above R_eff", shares[1], shares[0]
                    )
                )
            names = (
                "theta",
                "R_eff/R",
                "err",
                "scatter",
                "err",
                "1/rho_t",
                "err",
                "1/rho_s",
                "err",
                "R_var_C",
                "err",
                "R_var_betaF",
                "err",
                "bias_C",
                "err",
                "bias_e",
                "err",
            )
            out.add_block(f"{rule}-{'critical' if beta == CRITICAL else 'end'}", names, block)
    out.claims += [
        scatter_claim(f"at least {FAMILIES} families", enough, relative),
        scatter_claim(f"(theta = {SWEEPS[profile][0]}, fewer families)", too_few, relative, control=True),
    ]
    few, many = SWEEPS[profile][0], SWEEPS[profile][-1]
    pair = [
        mean_and_error([1 / row["rho_t"] for row in shop.get(job_of(profile, "nearest", t)).at(CRITICAL)])
        for t in (few, many)
    ]
    out.claims.append(at_most(f"nearest: 1 / rho_t at theta = {few} is not above that at {many}", *pair))
    eff = mean_and_error([row["R_eff"] / population for row in shop.get(job_of(profile, "nearest", many)).at(CRITICAL)])
    wrong = at_most("(R / rho_t taken for R_eff, and R_eff for it) R_eff is not above R / rho_t", eff, pair[1])
    out.claims.append(Claim(wrong.text, wrong.z, one_sided=True, control=True))
    out.header = [LATTICE[profile]]
    out.add_table(
        (
            "rule",
            "theta",
            "R_eff / R, by blocking",
            "1 / rho_t",
            "1 / rho_s",
            "R_eff / R, from scatter of e",
            "R var(betaF)",
            "theta R var(betaF)",
            "theta R var(C)",
        ),
        table,
    )
    return out


FIGURE = Figure(
    "sweeps",
    f"Effective population sizes against theta, beta = {CRITICAL}",
    jobs,
    report,
    ("sweeps_R_eff", "sweeps_work"),
)
