"""Fixed against adaptive schedules at equal work: what the error of betaF and the families are for so many steps."""

from __future__ import annotations

import math

from claims import Claim, z_of_student
from figures import CRITICAL, Figure, Report, short
from runs import Job, Workshop, limits, variance

KEEP = (CRITICAL, 1.0)
LATTICE = {"small": "-L 16 -R 1024 -M 200", "paper": "-L 32 -R 8192 -M 150"}
SIZE = {"small": 16, "paper": 32}
SWEEPS = {"small": 4, "paper": 10}
FIXED = {"small": (0.05, 0.025, 0.0125), "paper": (0.04, 0.02, 0.01, 0.005)}
# More sweeps where relaxation is slow: fixed steps, and sweeps after this profile.
PROFILE = "validate/study/relaxation.dat"
RELAXATION = {"small": (0.025, 0.0125), "paper": (0.02, 0.01)}
# The variance of ln Z is the sum of var tau / R as long as that is below this fraction of 1.
SMALL = 40
# Ways to choose steps, and what each is told.
ADAPTIVE = {"overlap": ("-a", (0.5, 0.7, 0.85)), "energy": ("--energy-step", (1.2, 0.8, 0.4))}


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


def jobs(profile: str) -> list[Job]:
    """All of them."""
    return [job_of(profile, *point) for point in points(profile)]


def report(profile: str, shop: Workshop) -> Report:
    """The figure."""
    out = Report()
    words = LATTICE[profile].split()
    population, runs = float(words[words.index("-R") + 1]), int(words[words.index("-M") + 1])
    size = SIZE[profile]
    fine = limits(size, 0.001)[0]
    length = math.fsum(math.sqrt(max(0.0, b["var_tau"] - a["var_tau"])) for a, b in zip(fine, fine[1:]))
    blocks: dict[tuple[str, bool], list[tuple[float, ...]]] = {}
    table, wrong = [], None
    for way, value, ideal in points(profile):
        result = shop.get(job_of(profile, way, value, ideal))
        steps, rows = len(result.beta) - 1, result.at(1.0)
        sweeps = result.spin_flips / (population * runs * size * size)  # of a replica, all temperatures together
        spread = population * variance([row["lnW"] for row in rows])
        error = spread * math.sqrt(2 / (runs - 1))
        rho_t = result.value("rho_t", 1.0)
        of_c = population * variance([row["C"] for row in result.at(CRITICAL)])
        error_c = of_c * math.sqrt(2 / (runs - 1))
        blocks.setdefault((way, ideal), []).append((steps, spread, error, *rho_t, of_c, error_c, sweeps))
        table.append(
            [
                way,
                f"{value:g}",
                str(steps),
                "infinite" if ideal else f"{sweeps:.0f}",
                short(spread, error),
                f"{length**2 / steps:.3g}",
                short(*rho_t),
                short(of_c, error_c),
            ]
        )
        if not ideal:
            continue
        # Cauchy and Schwarz: no schedule of so many steps has less than the square of the thermodynamic length / steps.
        bound = z_of_student((length**2 / steps - spread) / error, runs - 1)
        out.claims.append(
            Claim(
                f"{way} {value}: R var(betaF) {spread:.4g} +- {error:.2g} is not below {length**2 / steps:.4g}",
                bound,
                one_sided=True,
            )
        )
        expected = limits(size, value)[0][-1]["var_tau"] if way == "fixed" else math.inf
        if expected < population / SMALL:
            text = f"{way} {value}: R var(betaF) {spread:.4g} +- {error:.2g}, the sum of var tau {expected:.4g}"
            scale = expected * math.sqrt(2 / (runs - 1))
            out.claims.append(Claim(text, (spread - expected) / scale))
            wrong = Claim(f"(twice what it is) {text}", (2 * spread - expected) / scale, control=True)
    assert wrong is not None
    out.claims.append(wrong)
    for (way, ideal), block in blocks.items():
        names = ("steps", "R_var_betaF", "err", "rho_t", "err_rho_t", "R_var_C", "err_R_var_C", "sweeps")
        out.add_block(f"{'ideal' if ideal else 'annealed'}-{way}", names, block)
    most = max(row[0] for block in blocks.values() for row in block)
    out.add_block("bound", ("steps", "R_var_betaF"), [(k, length**2 / k) for k in range(8, int(most) + 10)])
    out.header = [f"{LATTICE[profile]} theta {SWEEPS[profile]}"]
    out.add_table(
        (
            "steps",
            "value",
            "number",
            "sweeps, all",
            "R var(betaF)",
            "at least, of any schedule",
            "rho_t",
            f"R var(C), beta = {CRITICAL}",
        ),
        table,
    )
    return out


FIGURE = Figure("schedules", "Fixed and adaptive schedules, at beta = 1", jobs, report, ("schedules", "schedules_work"))
