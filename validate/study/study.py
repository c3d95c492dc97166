#!/usr/bin/env python3
"""Resampling rules, schedules and the figures by which population annealing is judged: simulations, their data,
pictures and verdicts. `make study` calls it. Settings of the environment:

PROFILE=small   some minutes on two cores (default); paper: sizes like those of the papers, on a GPU; or brief, for
                `make check`: the smallest simulations, to see that all is made. They are too few for claims, which
                are shown and do not count
DEVICE=auto     auto, cpu, cuda or cuda:N
FIGURES=all     some of them: families,steps,errors,sweeps,schedules,weighted,glass

Results go to build/study/PROFILE: what is kept of the simulations (runs/), and for each figure a folder with its
data, its pictures and a verdict, FIGURE.md. What is there stays, so that the command may be interrupted and
repeated. Status 1 if something failed or a claim does not hold, 2 if a value is not allowed."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import fig_errors  # noqa: E402
import fig_families  # noqa: E402
import fig_glass  # noqa: E402
import fig_schedules  # noqa: E402
import fig_steps  # noqa: E402
import fig_sweeps  # noqa: E402
import fig_weighted  # noqa: E402
from claims import FALSE_ALARM, z_limit  # noqa: E402
from environment import setting  # noqa: E402
from figures import Figure, Report  # noqa: E402
from pictures import draw  # noqa: E402
from runs import Workshop, has_gpu  # noqa: E402

MODULES = (fig_families, fig_steps, fig_errors, fig_sweeps, fig_schedules, fig_weighted, fig_glass)
FIGURES: dict[str, Figure] = {m.FIGURE.name: m.FIGURE for m in MODULES}
# A limit for all claims of a study together, of which there are less: it does not depend on which figures are made.
COMPARISONS = 400
BRIEF = "brief"


def verdict_of(good: bool, profile: str, if_not: str) -> str:
    """In words."""
    if good and profile == BRIEF:
        return "no claim counts, as PROFILE=brief makes too few runs"
    return "every claim holds" if good else if_not


def write(figure: Figure, report: Report, folder: Path, profile: str) -> bool:
    """The files of a figure, and its verdict on stdout. Returns whether every claim is as it should be."""
    folder.mkdir(parents=True, exist_ok=True)
    head = [f"# {figure.title}; PROFILE={profile}", *(f"# {line}" for line in report.header)]
    (folder / f"{figure.name}.dat").write_text("\n".join(head) + "\n" + "\n\n\n".join(report.blocks) + "\n")
    limit = z_limit(COMPARISONS)
    good = profile == BRIEF or all(claim.good(limit) for claim in report.claims)
    verdict = [
        f"Verdict: {verdict_of(good, profile, 'NOT SO')}; {len(report.claims)} claims, |z| up to {limit:.2f} allowed: "
        f"all of up to {COMPARISONS} together exceed it by chance with a probability below {FALSE_ALARM:g}."
    ]
    text = [
        f"# {figure.title}",
        "",
        f"PROFILE={profile}; " + "; ".join(f"`{line}`" for line in report.header),
        "",
        *report.table,
        *verdict,
        "",
        *(claim.line(limit) for claim in report.claims),
    ]
    (folder / f"{figure.name}.md").write_text("\n".join(text) + "\n")
    print("\n".join(text) + "\n", flush=True)
    draw(folder, "study", figure.pictures)
    return good


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: os._exit(128 + n))
    os.chdir(Path(__file__).resolve().parents[2])
    profile = setting("study", "PROFILE", "small", "brief|small|paper", "brief, small and paper")
    device = setting("study", "DEVICE", "auto", r"auto|cpu|cuda|cuda:\d{1,4}", "auto, cpu, cuda, cuda:N")
    names = "|".join(FIGURES)
    wanted = setting("study", "FIGURES", "all", rf"all|(?:{names})(?:,(?:{names}))*", f"all, or some of {names}")
    chosen = [f for f in FIGURES.values() if wanted == "all" or f.name in wanted.split(",")]
    shop = Workshop(Path("build/study") / profile, device, has_gpu(device))
    start, good = time.monotonic(), True
    shop.make_all([job for figure in chosen for job in figure.jobs(profile)])
    for failure in shop.failed:
        print(f"study: {failure}", file=sys.stderr)
    for figure in chosen:
        if all(shop.there(job) for job in figure.jobs(profile)):
            good &= write(figure, figure.report(profile, shop), shop.folder / figure.name, profile)
        else:
            print(f"study: {figure.name}: simulations are missing", file=sys.stderr)
            good = False
    print(f"{time.monotonic() - start:.0f} s; study: {verdict_of(good, profile, 'FAILED')}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
