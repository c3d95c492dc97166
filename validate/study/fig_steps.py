"""rho_t at the end against dbeta by rule: what stays finite as dbeta goes to 0, and what diverges."""

from __future__ import annotations

import math

from claims import Claim, agree, at_most, equals
from fig_families import LIMIT, number
from figures import RULES, Figure, Report, short
from runs import Job, Workshop, limits

END = (1.0,)
RUNS, FEW = 16, 4  # of infinitely many sweeps, and of some, which take longer
SIZES = {
    "brief": ("-L 16 -R 256", "-t 1"),
    "small": ("-L 16 -R 8192", "-t 4"),
    "paper": ("-L 32 -R 32768", "-t 10"),
}
STEPS = {
    "brief": (0.02, 0.01),
    "small": (0.04, 0.02, 0.01, 0.005, 0.0025),
    "paper": (0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125),
}


def job_of(profile: str, rule: str, step: float, ideal: bool) -> Job:
    """One point."""
    size, sweeps = SIZES[profile]
    seed = 7300 + 100 * ideal + 10 * STEPS[profile].index(step) + RULES.index(rule)
    name = f"steps_{'ideal_' if ideal else ''}{rule}_{step}"
    kind = f"-M {RUNS} -c ssc" if ideal else f"-M {FEW} {sweeps}"
    return Job(name, f"{size} {kind} -d {step} --resampling {rule} -s {seed}", END, ideal)


def jobs(profile: str) -> list[Job]:
    """The smallest steps, which take longest, first."""
    return [
        job_of(profile, rule, step, ideal)
        for step in sorted(STEPS[profile])
        for rule in RULES
        for ideal in (True, False)
    ]


def increments(shop: Workshop, profile: str, rule: str, ideal: bool) -> tuple[float, float]:
    """Of rho_t at the end, from the step before the last to half of it, for each step more."""
    fine, coarse = sorted(STEPS[profile])[:2]
    a = shop.get(job_of(profile, rule, fine, ideal)).value("rho_t", 1.0)
    b = shop.get(job_of(profile, rule, coarse, ideal)).value("rho_t", 1.0)
    more = 1 / fine - 1 / coarse
    return (a[0] - b[0]) / more, math.hypot(a[1], b[1]) / more


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    size = int(number(SIZES[profile][0], "-L"))
    ends = {step: limits(size, step)[0][-1] for step in STEPS[profile]}
    families = limits(size, 0.01, families=True)[1][-1]
    rows = []
    for ideal in (True, False):
        for rule in RULES:
            points = [(s, *shop.get(job_of(profile, rule, s, ideal)).value("rho_t", 1.0)) for s in STEPS[profile]]
            out.add_block(f"{'ideal' if ideal else 'annealed'}-{rule}", ("dbeta", "rho_t", "err_rho_t"), points)
            rows.append([rule, "infinite" if ideal else "finite", *(short(p[1], p[2]) for p in points)])
    population = number(SIZES[profile][0], "-R")
    for rule, name in LIMIT.items():
        for step in STEPS[profile]:
            expected = ends[step][f"rho_t:{name}"]
            if expected < population / 100:  # corrections of a finite population are of the relative order rho_t / R
                measured = shop.get(job_of(profile, rule, step, True)).value("rho_t", 1.0)
                out.claims.append(
                    equals(f"{rule}, infinitely many sweeps, steps of {step}: rho_t", measured, expected, RUNS)
                )
    fine = min(STEPS[profile])
    for rule in ("multinomial", "poisson"):
        # A step adds the variance of the rule, 1, and next to nothing of energies.
        for ideal in (True, False):
            slope = increments(shop, profile, rule, ideal)
            text = f"{rule}, {'infinitely many' if ideal else 'some'} sweeps: rho_t grows by 1 a step"
            out.claims.append(equals(text, slope, 1.0, RUNS if ideal else FEW))
    for rule in ("nearest", "systematic"):
        slope = increments(shop, profile, rule, True)
        out.claims.append(equals(f"{rule}: rho_t stays as steps are halved; a step adds", slope, 0.0, RUNS))
    limit = families["rho_t:systematic,0"]
    measured = shop.get(job_of(profile, "systematic", fine, True)).value("rho_t", 1.0)
    out.claims.append(
        Claim(
            f"systematic, steps of {fine}: rho_t {measured[0]:.4g} is within 10% of its limit {limit:.4g}",
            holds=abs(measured[0] / limit - 1) < 0.1,
        )
    )
    for step in STEPS[profile]:
        a, b = (shop.get(job_of(profile, rule, step, True)).value("rho_t", 1.0) for rule in ("systematic", "nearest"))
        out.claims.append(at_most(f"steps of {step}: rho_t of systematic is not above nearest", a, b))
    a, b = (shop.get(job_of(profile, rule, fine, True)).value("rho_t", 1.0) for rule in ("multinomial", "poisson"))
    out.claims.append(agree(f"steps of {fine}: multinomial and poisson have one rho_t, but for rho_t / R", a, b))
    for rule, other in (("residual", "poisson"), ("multinomial", "nearest")):
        wrong = shop.get(job_of(profile, rule, 0.01, True)).value("rho_t", 1.0)
        text = f"({rule} taken for {other}) steps of 0.01: rho_t"
        out.claims.append(equals(text, wrong, ends[0.01][f"rho_t:{other}"], RUNS, control=True))
    names = ("rho_t:nearest", "rho_t:poisson", "rho_t:residual", "rho_t:nearest,0")
    out.add_block(
        "limit",
        ("dbeta", *names, "rho_t:systematic,0"),
        [[s, *(ends[s][n] for n in names), limit] for s in STEPS[profile]],
    )
    out.header = [" ".join(SIZES[profile])]
    out.add_table(("rule", "theta", *(f"steps of {s}" for s in STEPS[profile])), rows)
    return out


FIGURE = Figure("steps", "rho_t at beta = 1 against the step", jobs, report, ("steps",))
