"""A glass at equal work: how R and theta share it best, by rule, in some samples of the three-dimensional glass."""

from __future__ import annotations

import math

from claims import Claim, at_most
from figures import Figure, Report, short
from runs import Job, Workshop, mean_and_error, variance

END = (2.0,)
LATTICE = {
    "brief": "--model glass3d -L 4 -f 2 -d 0.1 -M 4",
    "small": "--model glass3d -L 6 -f 2 -d 0.05 -M 12",
    "paper": "--model glass3d -L 8 -f 2 -d 0.02 -M 20",
}
WORK = {"brief": 1024, "small": 16384, "paper": 1048576}  # R theta
SWEEPS = {"brief": (1, 4), "small": (1, 4, 16, 64), "paper": (1, 4, 16, 64, 256)}
SAMPLES = {"brief": 2, "small": 4, "paper": 4}
RULES = ("nearest", "systematic", "multinomial")


def job_of(profile: str, rule: str, sweeps: int, sample: int) -> Job:
    """One sample at one share."""
    seed = 8300 + 100 * sweeps + 10 * sample + RULES.index(rule)
    options = f"{LATTICE[profile]} --disorder 5 --sample {sample} -R {WORK[profile] // sweeps} -t {sweeps}"
    options += f" --resampling {rule} -s {seed}"
    return Job(f"glass_{rule}_{sweeps}_{sample}", options, END)


def jobs(profile: str) -> list[Job]:
    """All of them."""
    return [
        job_of(profile, rule, sweeps, sample)
        for sweeps in SWEEPS[profile]
        for rule in RULES
        for sample in range(SAMPLES[profile])
    ]


def families(profile: str, shop: Workshop, rule: str, sweeps: int) -> tuple[float, float]:
    """The mean of ln(R / rho_t) over samples, whose error is that of the runs: every rule has the same samples."""
    means = [
        mean_and_error([math.log(row["R"] / row["rho_t"]) for row in rows])
        for rows in (shop.get(job_of(profile, rule, sweeps, n)).at(END[0]) for n in range(SAMPLES[profile]))
    ]
    return math.fsum(m for m, _ in means) / len(means), math.hypot(*(e for _, e in means)) / len(means)


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    table = []
    for rule in RULES:
        block = []
        for sweeps in SWEEPS[profile]:
            sizes, spreads = [], []
            for sample in range(SAMPLES[profile]):
                rows = shop.get(job_of(profile, rule, sweeps, sample)).at(END[0])
                sizes.append(mean_and_error([math.log(row["R"] / row["rho_t"]) for row in rows])[0])
                spreads.append(variance([row["lnW"] for row in rows]))
                above = min(row["rho_t"] - row["rho_s"] for row in rows)
                out.claims.append(
                    Claim(f"{rule}, theta = {sweeps}, sample {sample}: rho_s is not above rho_t", holds=above > -1e-6)
                )
            log, spread = mean_and_error(sizes), mean_and_error(spreads)
            block.append([sweeps, WORK[profile] // sweeps, math.exp(log[0]), math.exp(log[0]) * log[1], *spread])
            table.append(
                [
                    rule,
                    str(sweeps),
                    str(WORK[profile] // sweeps),
                    short(math.exp(log[0]), math.exp(log[0]) * log[1]),
                    short(*spread),
                ]
            )
        out.add_block(rule, ("theta", "R", "R/rho_t", "err", "var_betaF", "err"), block)
    for sweeps in SWEEPS[profile]:
        pair = [families(profile, shop, rule, sweeps) for rule in ("multinomial", "systematic")]
        out.claims.append(at_most(f"theta = {sweeps}: ln(R / rho_t), multinomial is not above systematic", *pair))
    text = "(rules exchanged) ln(R / rho_t), systematic is not above multinomial"
    out.claims.append(at_most(text, pair[1], pair[0], control=True))
    out.header = [f"{LATTICE[profile]} --disorder 5, samples 0 to {SAMPLES[profile] - 1}, R theta = {WORK[profile]}"]
    out.add_table(
        ("rule", "theta", "R", "R / rho_t, geometric mean over the samples", "var(betaF), mean over the samples"), table
    )
    return out


FIGURE = Figure("glass", "A spin glass at equal work, beta = 2", jobs, report, ("glass",))
