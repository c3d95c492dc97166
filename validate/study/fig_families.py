"""rho_t and rho_s against beta by rule: at infinitely many sweeps beside exact limits, and of simulations."""

from __future__ import annotations

from claims import Claim, equals
from figures import CRITICAL, RULES, Figure, Report, nearest_row, short
from runs import Job, Row, Workshop, limits

IDEAL = {
    "brief": "-L 16 -R 256 -M 4 -d 0.02 -c ssc",
    "small": "-L 16 -R 32768 -M 16 -d 0.01 -c ssc",
    "paper": "-L 32 -R 131072 -M 16 -d 0.005 -c ssc",
}
# A glass whose couplings are all +1 is the ferromagnet, whose columns have the family entropy.
FERROMAGNET = "--model glass2d --ferromagnetic 1"
ANNEALED = {
    "brief": f"{FERROMAGNET} -L 16 -R 256 -M 2 -t 2 -d 0.04",
    "small": f"{FERROMAGNET} -L 16 -R 16384 -M 4 -t 4 -d 0.01",
    "paper": f"{FERROMAGNET} -L 64 -R 100000 -M 8 -t 10 -d 0.005",
}
ENDS = (CRITICAL, 1.0)
# The exact limit of a rule, by the names of build/study_limits.
LIMIT = {"nearest": "nearest", "residual": "residual", "multinomial": "poisson", "poisson": "poisson"}


def number(options: str, letter: str) -> float:
    """The value of an option."""
    words = options.split()
    return float(words[words.index(letter) + 1])


def ideal_jobs(profile: str) -> list[Job]:
    """Rule by rule; each with a seed of its own."""
    return [
        Job(f"families_ideal_{rule}", f"{IDEAL[profile]} --resampling {rule} -s {7100 + n}", ENDS, ideal=True)
        for n, rule in enumerate(RULES)
    ]


def annealed_jobs(profile: str) -> list[Job]:
    """The same with sweeps."""
    return [
        Job(f"families_{rule}", f"{ANNEALED[profile]} --resampling {rule} -s {7200 + n}", ENDS)
        for n, rule in enumerate(RULES)
    ]


def jobs(profile: str) -> list[Job]:
    """All of them."""
    return ideal_jobs(profile) + annealed_jobs(profile)


def claims_of(rule: str, shop: Workshop, job: Job, temperature: list[Row], families: list[Row]) -> list[Claim]:
    """rho_t, the share of families that live and rho_s at the end, beside the limit. Corrections of a finite population
    are of the relative order rho_t / R, far below the errors."""
    result, found = shop.get(job), []
    name, population = LIMIT[rule], number(job.options, "-R")
    end = nearest_row(temperature, 1.0)
    last = nearest_row(families, 1.0)
    runs = result.mean["runs"][-1] if "runs" in result.mean else len(result.at(1.0))
    alive = result.value("families", 1.0)
    for text, measured, expected in (
        ("rho_t", result.value("rho_t", 1.0), end[f"rho_t:{name}"]),
        ("share of families", (alive[0] / population, alive[1] / population), last[f"alive:{name}"]),
        ("rho_s", result.value("rho_s", 1.0), last[f"rho_s:{name}"]),
    ):
        found.append(equals(f"{rule}, infinitely many sweeps, beta = 1: {text}", measured, expected, runs))
    return found


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    size, step = int(number(IDEAL[profile], "-L")), number(IDEAL[profile], "-d")
    temperature, families = limits(size, step, families=True)
    rows: list[list[str]] = []
    names: tuple[str, ...]
    columns: tuple[str, ...]
    for ideal, annealed in zip(ideal_jobs(profile), annealed_jobs(profile)):
        rule = ideal.name.rsplit("_", 1)[1]
        cells = [rule]
        for kind, job in (("ideal", ideal), ("annealed", annealed)):
            result = shop.get(job)
            columns = ("rho_t", "err_rho_t", "rho_s", "err_rho_s")
            table = zip(
                result.beta,
                *(result.mean[c] if c in result.mean else result.error[c.removeprefix("err_")] for c in columns),
            )
            out.add_block(f"{kind}-{rule}", ("beta", *columns), table)
            cells += [short(*result.value("rho_t", 1.0)), short(*result.value("rho_s", 1.0))]
            # A theorem (Renyi entropies fall with their order): exact in every population.
            above = min(t - s for t, s in zip(result.mean["rho_t"], result.mean["rho_s"]))
            out.claims.append(Claim(f"{rule}, {kind}: rho_s is not above rho_t", holds=above > -1e-6))
        if rule in LIMIT:
            out.claims += claims_of(rule, shop, ideal, temperature, families)
            last = nearest_row(families, 1.0)
            cells += [f"{temperature[-1]['rho_t:' + LIMIT[rule]]:.4g}", f"{last['rho_s:' + LIMIT[rule]]:.4g}"]
        else:
            cells += ["", ""]
        rows.append(cells)
    wrong = claims_of("multinomial", shop, ideal_jobs(profile)[RULES.index("residual")], temperature, families)
    out.claims += [Claim(f"(residual taken for multinomial) {c.text}", c.z, control=True) for c in wrong]
    names = ("beta", "rho_t:nearest", "rho_t:poisson", "rho_t:residual", "rho_t:nearest,0")
    out.add_block("limit", names, [[row[n] for n in names] for row in temperature])
    names = (
        "beta",
        "rho_s:nearest",
        "rho_s:poisson",
        "rho_s:residual",
        "rho_s:nearest,0",
        "rho_s:systematic,0",
        "rho_t:systematic,0",
    )
    out.add_block("limit-families", names, [[row[n] for n in names] for row in families])
    out.header = [f"ideal {IDEAL[profile]}", f"annealed {ANNEALED[profile]}"]
    columns = (
        "rule",
        "rho_t, theta infinite",
        "rho_s",
        "rho_t, theta finite",
        "rho_s",
        "rho_t, exact limit",
        "rho_s, exact limit",
    )
    out.add_table(columns, rows)
    return out


FIGURE = Figure("families", "Families by rule, at beta = 1", jobs, report, ("rho_t", "rho_s"))
