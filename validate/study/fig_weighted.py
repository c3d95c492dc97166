"""Weighted averages of many small runs against one large run of the same work: bias and deviation of e, C, betaF."""

from __future__ import annotations

import math

from claims import equals
from figures import CRITICAL, Figure, Report, short
from runs import Job, Row, Workshop, exact_values, mean_and_error

KEEP = (CRITICAL,)
BATCHES = 64
LATTICE = {
    "brief": "-L 16 -d 0.04 -t 1 -f 0.44",
    "small": "-L 16 -d 0.04 -t 4 -f 0.44",
    "paper": "-L 32 -d 0.02 -t 10 -f 0.44",
}
SIZE = {"brief": 16, "small": 16, "paper": 32}
# R of one run, and runs of a batch; their product is the work.
SPLITS = {
    "brief": ((256, 1), (64, 4)),
    "small": ((4096, 1), (1024, 4), (256, 16), (64, 64)),
    "paper": ((65536, 1), (16384, 4), (4096, 16), (2048, 32)),
}
RULES = ("nearest", "systematic")


def job_of(profile: str, rule: str, population: int, runs: int) -> Job:
    """All batches of one kind."""
    seed = 8100 + RULES.index(rule)
    options = f"{LATTICE[profile]} -R {population} -M {runs * BATCHES} --resampling {rule} -s {seed}"
    return Job(f"weighted_{rule}_{population}", options, KEEP)


def jobs(profile: str) -> list[Job]:
    """All of them."""
    return [job_of(profile, rule, *split) for rule in RULES for split in SPLITS[profile]]


def averages(rows: list[Row], weighted: bool, spins: int, beta: float) -> tuple[float, float, float]:
    """e, C and betaF of a batch. Weighted: of e and e^2, then C; betaF from the mean weight. Else the runs' means."""
    if not weighted:
        means = [math.fsum(row[c] for row in rows) / len(rows) for c in ("e", "C", "betaF/N")]
        return means[0], means[1], means[2] * spins
    top = max(row["lnW"] for row in rows)
    weight = [math.exp(row["lnW"] - top) for row in rows]
    total = math.fsum(weight)
    e = math.fsum(w * row["e"] for w, row in zip(weight, rows)) / total
    scale = beta * beta * spins
    squares = math.fsum(w * (row["C"] / scale + row["e"] ** 2) for w, row in zip(weight, rows)) / total
    return e, scale * (squares - e * e), -(math.log(total / len(rows)) + top) - spins * math.log(2)


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    spins = SIZE[profile] ** 2
    exact = exact_values(SIZE[profile], KEEP)[0]
    true = (exact["e"], exact["C"], exact["betaF/N"] * spins)
    table = []
    for rule in RULES:
        for weighted in (False, True):
            block = []
            for population, runs in SPLITS[profile]:
                rows = shop.get(job_of(profile, rule, population, runs)).at(CRITICAL)
                batches = [averages(rows[n * runs : (n + 1) * runs], weighted, spins, CRITICAL) for n in range(BATCHES)]
                line: list[float] = [runs, population]
                for n, name in enumerate(("e", "C", "betaF")):
                    off = [batch[n] - true[n] for batch in batches]
                    bias, error = mean_and_error(off)
                    root = math.sqrt(math.fsum(x * x for x in off) / len(off))
                    line += [abs(bias), error, root]
                    text = (
                        f"{rule}, R = {population}, {runs} runs, {'weighted' if weighted else 'plain'}: bias of {name}"
                    )
                    if weighted and runs >= 16 and name != "C":
                        out.claims.append(equals(text, (bias, error), 0.0, BATCHES))
                    if not weighted and population == SPLITS[profile][-1][0] and name != "C":
                        out.claims.append(
                            equals(f"(plain averages, not weighted) {text}", (bias, error), 0.0, BATCHES, control=True)
                        )
                    line_text = short(bias, error)
                    table.append(
                        [
                            rule,
                            "weighted" if weighted else "plain",
                            str(population),
                            str(runs),
                            name,
                            line_text,
                            f"{root:.3g}",
                        ]
                    )
                block.append(line)
            names = ["runs", "R", *(f"{k}_{q}" for q in ("e", "C", "betaF") for k in ("bias", "err", "deviation"))]
            out.add_block(f"{rule}-{'weighted' if weighted else 'plain'}", names, block)
    out.header = [f"{LATTICE[profile]}, {BATCHES} batches, beta = {CRITICAL}; betaF of the whole lattice"]
    out.add_table(("rule", "average", "R", "runs", "of", "bias", "deviation, root mean square"), table)
    return out


FIGURE = Figure("weighted", "Many small runs against one large run", jobs, report, ("weighted",))
