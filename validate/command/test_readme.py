#!/usr/bin/env python3
"""The READMEs and the pages beside them: every number that was measured is written by a target, or has beside it what
gives it; links lead to what is there; a README is short.

    test_readme.py [--list]     --list prints the numbers that have a source, too, each with it

Measured are
- times, rates, energies and sizes with a unit; percentages; factors (64-fold);
- values with their errors, 1.85(11); deviations, z = 3.2;
- how many of how many; counts of what was run, compared or found;
- decimals that are not the value of a parameter.

Not measured are
- commands and other text between backquotes; limits (more than, less than, at least);
- numbers of equations, sections, tables and versions;
- parameters (beta = 0.44, steps of 0.005); whole numbers without a unit; probabilities in powers of ten.

A source is one of
- markers of a generated block, <!-- COMMAND or FOLDER of results: ... --> ... <!-- end -->, that a target writes;
- a command between backquotes that exists: make TARGET, build/PROGRAM, also under mpirun, a script;
- the name of a committed file of results, or a link to one.

A command or a file of results stands in the same paragraph, list item or table row, or in the heading of the column. It
may also stand in the paragraph that introduces a table, an example or a list with a colon.

Whether that command gives that number, only a reader can say.

One line a case; a number without a source is a line with its place. The last line counts: N passed, N failed."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cases import report

TOP = Path(__file__).resolve().parents[2]

UNIT = r"(?:ps|ns|us|ms|s|seconds?|minutes?|hours?|[kMG]B(?:/s)?|GHz|pJ|J|W)\b(?!-)"
SOME = r"(?:half an?|a quarter of an|two|three|four|five|six|ten|twenty)"
COUNTED = (r"(?:comparisons|cases|temperatures|failures|faults|statistics|tests|deviations|errors|"
           r"families|times|claims|points)")
MEASURED = re.compile(
    rf"""(?P<time>(?<![\w.])(?<!e-)\d[\d.,]*\s{UNIT}|\b{SOME}\s(?:minutes?|hours?|seconds?)\b)
       | (?P<percentage>\d[\d.,]*(?:\ to\ \d[\d.]*)?%)
       | (?P<deviation>\bz\s[=<>]\s-?\d[\d.]*)
       | (?P<error>-?\d+\.\d+\(\d+\))
       | (?P<share>\b\d+\sof\s\d+\b)
       | (?P<count>\b\d[\d,]*\s{COUNTED}\b)
       | (?P<factor>\b\d+-fold)
       | (?P<decimal>(?<![\w.])-?\d+\.\d+(?!\.?\d|-bit|\s<=))""",
    re.VERBOSE)
# What stands before a number that is no measurement.
NOT_BEFORE = re.compile(
    r"(?:\b(?:beta|theta|L|R|p|K|M|dbeta|overlap|alpha|MINUTES|limit)\b (?:=|<=|>=|<|>)|<=|>="
    r"|steps of|Sec\.|Secs\.|eq\.|eqs\."
    r"|\|z\| >|more than|less than|at least|capability [\d.]+ to|@|Table|Fig\.|version|capability|Ubuntu|Python|TestU01|Toolkit|PAising|limit,?) ?\|?$")

WRITTEN_BY_HAND = ("ci/", "paising/docs/", "perf/", "plots/", "reference/", "validate/")

TARGET = re.compile(r"^([a-z][a-z-]*(?: [a-z][a-z-]*)*):(?!=)", re.MULTILINE)
RESULTS = re.compile(r"(?:^|/)(?:results|baselines)/.*\.(?:dat|md|txt)$|published\.dat$|limits\.dat$|seconds\.dat$")


@dataclass(frozen=True)
class Number:
    """A number that needs a source: where it stands, what it is, and its source or None."""

    file: str
    line: int
    text: str
    source: str | None


class Repository:
    """What is there: files that are committed, targets of make, programs."""

    def __init__(self, top: Path) -> None:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=top, stdout=subprocess.PIPE,
                                check=False, text=True).stdout
        self.files = set(listed.splitlines()) or {p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file()}
        make = "\n".join((top / f).read_text() for f in self.files if f == "Makefile" or f.endswith(".mk"))
        self.targets = {name for names in TARGET.findall(make) for name in names.split()}
        words = set(re.findall(r"[a-z_]+", make) + re.findall(r"[a-z]+-[a-z]+", make))
        self.programs = words | {Path(f).stem for f in self.files if f.startswith("validate/unit/")}

    def pages(self) -> list[str]:
        """READMEs, and the pages that are written by hand. Those below results/ are written by targets as a whole."""
        return sorted(f for f in self.files if f.endswith(".md") and "/results/" not in f and (
            Path(f).name == "README.md" or f.startswith(WRITTEN_BY_HAND)))

    def is_command(self, text: str) -> bool:
        words = [word for word in text.split() if not re.match(r"[A-Z_]+=", word)]
        if len(words) > 1 and words[0] == "make":
            return words[1] in self.targets
        if words and words[0] == "mpirun":
            words = [word for word in words if word.startswith("build/")]
        if not words:
            return False
        program = words[0].removeprefix("./")
        if program.startswith("build/"):
            return program[6:] in self.programs
        return "/" in program and program in self.files and not program.endswith((".md", ".c", ".h", ".cu", ".png"))

    def is_generator(self, name: str) -> bool:
        """What a marker may name: a command, or a folder of results."""
        return self.is_command(name) or any(file.startswith(f"{name}/") for file in self.files)

    def is_results(self, path: str) -> bool:
        return path in self.files and bool(RESULTS.search(path))

    def source_in(self, text: str, folder: Path) -> str | None:
        """The first command or file of results that a text names."""
        for word in re.findall(r"`([^`]+)`", text):
            word = word.replace("\\|", "|")
            if self.is_command(word):
                return word
        for path in re.findall(r"\]\(([^)#]+)\)|`([^` ]+)`", text):
            for at in (folder, Path()):
                name = _normal(at / (path[0] or path[1]))
                if self.is_results(name):
                    return name
        return None


def _normal(path: Path) -> str:
    """A path without its `..`."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@dataclass
class Unit:
    """What may share a source: a paragraph, a list item, a table row, an example."""

    line: int
    kind: str
    text: str
    caption: str = ""  # what else may name the source


def units_of(text: str, repository: Repository) -> list[Unit]:
    """The units of a Markdown text outside generated blocks."""
    units: list[Unit] = []
    generated = example = False
    fresh, paragraph, introduction = True, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        marker = None if example else re.fullmatch(r"<!-- ([^:]+): .* -->", line)
        if marker and repository.is_generator(marker.group(1)):
            generated = True
        elif generated:
            generated = line != "<!-- end -->"
            fresh = True
        elif line.strip().startswith("```"):
            example = not example
            if example:
                units.append(Unit(number, "example", "", paragraph))
            fresh = True
        elif example:
            units[-1].text += "\n" + line
        elif not line.strip() or line.startswith("#"):
            fresh = True
            if line.startswith("#"):
                paragraph = line
        elif line.lstrip().startswith("|"):
            header = units[-1].text if units and units[-1].kind == "head" else ""
            inside = bool(units) and units[-1].kind in ("head", "row") and not fresh
            if inside:
                caption = units[-1].caption if units[-1].kind == "row" else paragraph + header
                units.append(Unit(number, "row", line, caption))
            else:
                units.append(Unit(number, "head", line, paragraph))
            fresh = False
        elif fresh or units[-1].kind not in ("text", "item") or re.match(r"\s*(?:[-*]|\d+\.) ", line):
            item = bool(re.match(r"\s*(?:[-*]|\d+\.) ", line))
            if not item or not (units and units[-1].kind == "item"):
                introduction = paragraph if item and paragraph.endswith(":") else ""
            units.append(Unit(number, "item" if item else "text", line, introduction))
            paragraph, fresh = line, False
        else:
            units[-1].text += "\n" + line
            paragraph = units[-1].text
    return units


def _blank(match: re.Match[str]) -> str:
    """What is not looked at, its lines kept."""
    return re.sub(r"[^\n]", "_", match.group())


def numbers_in(name: str, text: str, repository: Repository) -> list[Number]:
    """Every number of a README that needs a source."""
    found = []
    for unit in units_of(text, repository):
        if unit.kind == "example" and len(re.findall(r"(?<!\w)\d+\.\d+(?!\w)", unit.text)) < 6:
            continue  # commands, not what they print
        plain = re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+", _blank, unit.text)
        folder = Path(name).parent
        source = repository.source_in(unit.text, folder) or repository.source_in(unit.caption, folder)
        for match in MEASURED.finditer(plain):
            if NOT_BEFORE.search(plain[:match.start()].replace("\n", " ")[-40:]):
                continue
            line = unit.line + plain[:match.start()].count("\n")
            found.append(Number(name, line, match.group().replace("\n", " "), source))
    return found


PLANTED = """A heading of 3 lines.

It takes 17 minutes, {beside}.

| what | figure |
|---|---|
| a | 12.5% |
| b | {row} |

- 3 of 60 (`make nonsense`)
- theta = 2.5, Sec. 4.2, `-d 0.05`, 32 lanes

<!-- perf/results/nvidia-h200: table -->
99.5%
<!-- end -->

<!-- nobody: table -->
98.5%
<!-- end -->
"""


LINK = re.compile(r"\]\(([^)\s]+)\)")
# Words of a README: what a folder is, the commands, where to read on. All else has a page of its own.
LONGEST = {"README.md": 400}
LONGEST_OF_OTHERS = 300


def anchors_of(text: str) -> set[str]:
    """What a link may name behind #: the headings, as GitHub spells them."""
    return {re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def broken_links(name: str, text: str, top: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    broken = []
    for target in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)):
        path, _, anchor = target.partition("#")
        file = top / _normal(Path(name).parent / path) if path else top / name
        if re.match(r"\w+:", target):
            continue
        if not file.exists() or anchor and name.startswith(WRITTEN_BY_HAND) and anchor not in anchors_of(
                file.read_text() if path else text):
            broken.append(f"{name}: {target}: leads nowhere")
    return broken


def too_long(name: str, text: str) -> list[str]:
    """Whether a README has more words than it may."""
    words, most = len(text.split()), LONGEST.get(name, LONGEST_OF_OTHERS)
    return [f"{name}: {words} words, not {most} at most"] if Path(name).name == "README.md" and words > most else []


def differences(named: set[str], there: set[str]) -> list[str]:
    """What is named and not there, and what is there and not named."""
    return [f"{name}: is not there" for name in sorted(named - there)] + [
        f"{name}: is not named" for name in sorted(there - named)]


def controls(repository: Repository) -> dict[str, list[str]]:
    """Whether planted numbers are found, and those with a source are not."""

    def without(beside: str, row: str) -> list[str]:
        planted = PLANTED.format(beside=beside, row=row)
        return [n.text for n in numbers_in("perf/README.md", planted, repository) if not n.source]

    everything = ["17 minutes", "12.5%", "z = 7.5", "3 of 60", "98.5%"]
    expected = {
        "control: planted numbers are found": (without("somewhere", "z = 7.5"), everything),
        "control: those with a command or results are not": (
            without("by `make bench`", "z = 7.5"), ["3 of 60", "98.5%"]),
        "control: results in a row are for that row": (
            without("somewhere", "z = 7.5, [here](results/nvidia-h200/counters.dat)"), ["17 minutes", "12.5%", "3 of 60", "98.5%"]),
        "control: a command that is not there is no source": (
            without("by `build/nonsense`", "z = 7.5, [here](results/none.dat)"), everything),
    }
    lost = "[a](../README.md) [b](#here) `[c](c.md)`\n## There, `x`\n[d](#there-x) [e](https://x.y) [f](gone.md)\n"
    found = broken_links("perf/method.md", lost, TOP), too_long("ci/README.md", "word " * 301)
    expected["control: links that lead nowhere and long READMEs are found"] = (
        [*found[0], *found[1]], ["perf/method.md: #here: leads nowhere", "perf/method.md: gone.md: leads nowhere",
                                 "ci/README.md: 301 words, not 300 at most"])
    return {name: [] if got == wanted else [f"found {got}, not {wanted}"] for name, (got, wanted) in expected.items()}


def main(words: list[str]) -> int:
    if words not in ([], ["--list"]):
        print("usage: test_readme.py [--list]", file=sys.stderr)
        return 2
    repository = Repository(TOP)
    cases = controls(repository)
    for name in repository.pages():
        numbers = numbers_in(name, (TOP / name).read_text(), repository)
        if words:
            print("".join(f"{n.file}:{n.line}: {n.text}: {n.source}\n" for n in numbers if n.source), end="")
        cases[f"{name}: {len(numbers)} numbers have a source"] = [
            f"{n.file}:{n.line}: {n.text}: no command, no results beside it" for n in numbers if not n.source
        ]
    texts = {name: (TOP / name).read_text() for name in sorted(repository.files) if name.endswith(".md") and (TOP / name).exists()}
    cases[f"{len(texts)} pages: links lead somewhere"] = [x for name, text in texts.items() for x in broken_links(name, text, TOP)]
    cases["validate/tests.md names the unit tests that are there"] = differences(
        set(re.findall(r"`(test_\w+\.c)`", texts.get("validate/tests.md", ""))),
        {Path(f).name for f in repository.files if re.fullmatch(r"validate/unit/test_\w+\.c", f) and (TOP / f).exists()})
    cases["READMEs are short"] = [x for name, text in texts.items() for x in too_long(name, text)]
    return report(cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
