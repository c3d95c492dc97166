"""The commands of perf/paising-bench and their options."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from pathlib import Path
from typing import Callable, NoReturn

from bench import gate, paper, plots, profile, ranks_model, readme, scaling, scaling_results, tables
from bench.book import open_book
from bench.common import Failed, Refused
from bench.measuring import measure_profile
from bench.planes import render_planes
from bench.points import PROFILES
from bench.results import read_results


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message.replace('argument ', '', 1)}; --help says what is allowed\n")


def allowed(option: str, pattern: str, words: str) -> Callable[[str], str]:
    """What reads the value of an option: one of some words, as the pattern says."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise Refused(f"{option} {text}: allowed are {words}")
        return text

    return read


PROFILE = allowed("--profile", "|".join(PROFILES), ", ".join(PROFILES))
DEVICE = allowed("--device", "auto|cpu|cuda(:[0-9]+)?", "auto, cpu, cuda, cuda:N")
RANKS = allowed("--ranks", "[1-9][0-9]*(,[1-9][0-9]*)*", "numbers like 1,2,4")
SCALING = allowed("--profile", "auto|gpu|cpu|tiny", "auto, gpu, cpu, tiny")
MINUTES = allowed("--minutes", r"[0-9]+(\.[0-9]+)?", "numbers like 9.5")
GPU = allowed("--device", "auto|cuda(:[0-9]+)?", "auto, cuda, cuda:N")


# --- the commands: each returns its status ---


def do_measure(o: argparse.Namespace) -> int:
    folder = o.output or Path("build/bench", o.profile)
    if not measure_profile(o.profile, o.device, folder, o.program, o.points, o.force):
        return 0
    book = open_book(folder)
    print(tables.render(book, "points", "dat"), end="")
    if any(line.startswith("#wrong") for line in book.results.missing):
        raise Failed(f"{folder / 'results.dat'}: there are wrong results")
    return 0


def do_gate(o: argparse.Namespace) -> int:
    folder = o.results or Path("build/bench/quick")
    if not o.results and not measure_profile("quick", o.device, folder, force=True):
        raise Failed(f"{folder}: another process measures there")
    passes, text = gate.check_results(open_book(folder), folder, o.baselines, o.limits)
    print(text, end="")
    return 0 if passes else 1


def do_tables(o: argparse.Namespace) -> int:
    print("The tables are", *tables.write_tables(o.folder), sep="\n")
    return 0


def do_paper(o: argparse.Namespace) -> int:
    print(paper.render_paper(o.folder), end="")
    return 0


def do_memory(o: argparse.Namespace) -> int:
    print(paper.write_memory(o.program, o.folder), end="")
    return 0


def do_plots(o: argparse.Namespace) -> int:
    print("The pictures are", *plots.draw(o.folder), sep="\n")
    return 0


def do_readme(o: argparse.Namespace) -> int:
    files = o.files or readme.every_file()
    return readme.check_files(files) if o.check else readme.write_files(files)


def do_profile(o: argparse.Namespace) -> int:
    return profile.profile(o.device)


def do_planes(_: argparse.Namespace) -> int:
    print(render_planes(0.005, 200), end="")
    return 0


def do_scaling(o: argparse.Namespace) -> int:
    complete = scaling.measure_scaling(o.device, o.ranks, o.profile, o.output, o.program, float(o.minutes),
                                        o.force)
    wrong = [line for name in ("results", "checks") for line in (o.output / f"{name}.dat").read_text().splitlines()
             if "#wrong" in line]
    results = read_results(o.output)
    for name in scaling_results.TABLES:
        print(scaling_results.render_scaling(results, name, "dat"))
    print((o.output / "checks.dat").read_text(), end="")
    if wrong:
        raise Failed("\n".join(wrong))
    if not complete:
        raise Failed(f"{o.output}: out of time; the same command goes on where it stopped")
    return 0


def do_ranks_model(o: argparse.Namespace) -> int:
    ranks_model.simulate(o.folder)
    model = ranks_model.open_model(o.folder)
    for name in ranks_model.TABLES:
        print(ranks_model.render_model(model, name, "dat"))
    return 0


def make_parser() -> Parser:
    """The options of all commands."""
    parser = Parser(prog="paising-bench", description="Benchmarks of paising: perf/README.md says more.",
                    epilog="Files are named from the top folder. Status 0: all is well; 1: something is slower, wrong "
                           "or failed; 2: refused.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(do: Callable[[argparse.Namespace], int], text: str) -> Callable[..., argparse.Action]:
        added = commands.add_parser(do.__name__[3:].replace("_", "-"), help=text, description=text, allow_abbrev=False)
        added.set_defaults(do=do)
        return added.add_argument

    add = command(do_measure, "measures t_SF at every point of a list")
    add("--profile", type=PROFILE, default="quick", help="the list: quick (default), paper, table1 or table2: the paper's own parameters")
    add("--device", type=DEVICE, default="auto", help="auto (default), cpu, cuda or cuda:N")
    add("--output", type=Path, metavar="FOLDER", help="where the results go (build/bench/PROFILE)")
    add("--points", type=Path, metavar="FILE", help="another list")
    add("--program", type=Path, default="build/paising", help="what is measured (build/paising)")
    add("--force", action="store_true", help="begins anew")

    add = command(do_scaling, "how a population scales that is divided among ranks, and whether its files are the same")
    add("--device", type=DEVICE, default="auto", help="auto (default), cpu or cuda")
    add("--ranks", type=RANKS, help="numbers like 1,2,4 (1, 2, 4, ... as many as there are GPUs or processors)")
    add("--profile", type=SCALING, default="auto", help="the points: gpu, cpu, tiny, or auto (default), by the device")
    add("--output", type=Path, metavar="FOLDER", default="build/scaling", help="where the results go (build/scaling)")
    add("--program", type=Path, default="build/paising", help="what is measured (build/paising)")
    add("--minutes", type=MINUTES, default="9.5", help="after which nothing more is begun (9.5)")
    add("--force", action="store_true", help="begins anew")

    add = command(do_gate, "the regression gate: is anything slower than it was?")
    add("--device", type=DEVICE, default="auto", help="auto (default), cpu, cuda or cuda:N")
    add("--results", type=Path, metavar="FOLDER", help="of a benchmark made before, instead of measuring")
    add("--baselines", type=Path, metavar="FOLDER", default="perf/baselines", help="(perf/baselines)")
    add("--limits", type=Path, metavar="FILE", default="perf/limits.dat", help="(perf/limits.dat)")

    command(do_tables, "makes the tables of a folder's results.dat, in the same folder")("folder", type=Path)
    command(do_paper, "prints the tables of the paper beside those of a folder's results.dat")("folder", type=Path)
    add = command(do_memory, "the largest populations of a card with 12 GiB, by --dry-run, into FOLDER/memory.dat")
    add("folder", type=Path)
    add("--program", type=Path, default="build/paising", help="what is asked (build/paising)")
    command(do_plots, "draws Fig. 3 and the roofline from the tables of a folder")("folder", type=Path)
    command(do_ranks_model, "counts what ranks exchange, and models a step on many of them")(
        "folder", type=Path, nargs="?", default=Path("perf/results/ranks-model"),
        help="with constants.dat (perf/results/ranks-model)")
    add = command(do_readme, "writes the pages of committed results and their tables in Markdown files, and draws pictures")
    add("--check", action="store_true", help="writes nothing: status 1 where something differs")
    add("files", type=Path, nargs="*", help="(all pages and Markdown files that show a table of results)")
    add = command(do_profile, "hardware counters of the GPU's kernels, into build/profile")
    add("--device", type=GPU, default="auto", help="auto (default), cuda or cuda:N")
    command(do_planes, "prints how many bit planes K the mode independent takes, for beta up to 1 in steps of 0.005")
    return parser


def main(arguments: list[str]) -> int:
    """Runs a command from the top folder; returns the status of the process."""
    os.chdir(Path(__file__).resolve().parents[2])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        options = make_parser().parse_args(arguments)
        return options.do(options)
    except (Failed, Refused) as error:
        print(f"paising-bench: {error}", file=sys.stderr)
        return 1 if isinstance(error, Failed) else 2
    except FileNotFoundError as error:
        print(f"paising-bench: {error.filename}: is not there", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
