#!/usr/bin/env python3
"""The pages of paising/ say what is there.

    test_docs.py     from anywhere; BUILD: the folder of the program [build]

Claims:
- options.md has every option of `paising --help` with its short name and its default, and no other option;
- it has what each option decides, as settings/list.h;
- files.md has every column of a data file;
- paising-exact.1 has every option of `exact --help`;
- messages.md has every text of complain(), warn() and refuse() with three words or more, and no other;
- paising.1 has every option, every model and every data file;
- citations and recipes have the program's version;
- every source file that a page in paising/ names exists, and contains the names that follow its own, as in
  `resample/nearest.h`, `nearest_copies`;
- the program accepts every command `build/paising ...` of an example, by --dry-run. Commands that need a file, a GPU or
  much time are left out.

One line a case. The last line counts: N passed, N failed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import report

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "paising" / "docs"
PROGRAM = TOP / os.environ.get("BUILD", "build") / "paising"

OPTION = re.compile(r"^ +(?:-(?P<short_name>\w), )? *--(?P<name>[a-z-]+)(?P<rest>.*?)(?: \[(?P<default>[^\[\]]*)\])?$", re.MULTILINE)
COLUMNS = re.compile(r"^# (beta [^=\n]*)\n(?!#)", re.MULTILINE)
COMMAND = re.compile(r"^build/paising (?P<words>[^#&\n]+)", re.MULTILINE)
NEEDS = re.compile(r"--(resume|betas|couplings|graph|load-spins|weights|plan|manual)\b|-D cuda")
SOURCE = re.compile(r"`(?P<file>[\w./-]+\.(?:cuh|cu|c|h|py|sh|mk))`(?P<names>(?:, `\w+`)*)")


def without_code(text: str) -> str:
    """A page without its examples."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def options_missing(said: str, page: str) -> list[str]:
    """What --help says and the page does not, and the other way round."""
    rows = {}
    for line in page.splitlines():
        named = re.match(r"\| (?:`-(\w)`, )?`--([a-z-]+)", line)
        if named:
            rows.setdefault(named.group(2), line)
    wrong = []
    for option in OPTION.finditer(said):
        row = rows.pop(option["name"], "")
        if not row:
            wrong.append(f"--{option['name']}: not on the page")
        elif option["short_name"] and not row.startswith(f"| `-{option['short_name']}`"):
            wrong.append(f"--{option['name']}: not with its short name, -{option['short_name']}")
        elif option["default"] and " " not in option["default"] and f"`{option['default']}`" not in row:
            wrong.append(f"--{option['name']}: not with its default, {option['default']}")
    return wrong + [f"--{name}: on the page, not in --help" for name in rows]


def kinds_wrong(rows: str, page: str) -> list[str]:
    """Options of the page with another kind than settings/list.h says. Of a file it is the kind of its fingerprint."""
    kinds = {}
    for row in re.split(r"^SETTING\(", rows, flags=re.MULTILINE):
        name, effect = re.search(r'\.name\s*=\s*"([^"]+)"', row), re.search(r"\.effect\s*=\s*DECIDES_(\w+)", row)
        if name:
            kinds[name[1]] = effect[1].lower() if effect else "run"
    kinds.update({name: "data, by its fingerprint" for name in re.findall(r'ONLY_WITH\("[\w-]*fingerprint", "([\w-]+)"', rows)})
    said = re.findall(r"^\| (?:`-\w`, )?`--([a-z-]+).*\| (data|run|command|data, by its fingerprint) \|$", page, re.MULTILINE)
    return [f"--{name}: {kind}, not {kinds[name]}" for name, kind in said if kind != kinds[name]]


def options_of_page_missing(program: str) -> list[str]:
    """Options that `PROGRAM --help` says and paising-PROGRAM.1 does not."""
    said = subprocess.run([str(PROGRAM.with_name("paising-helium" if program == "helium" else program)), "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    page = (DOCS / f"paising-{program}.1").read_text().replace("\\-", "-")
    return [option for option in re.findall(r"^ .*?(--[a-z-]+)", said, re.MULTILINE) if option not in page]


def manual_missing(said: str, manual: str) -> list[str]:
    """Options, models and data files that the manual page does not have."""
    page = manual.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
    options = [f"--{option['name']}" for option in OPTION.finditer(said)]
    models = [name.replace("_", "-") for name in re.findall(r"^MODEL\((\w+)\)", (TOP / "paising/model/model_list.h").read_text(), re.MULTILINE)]
    files = re.findall(r'"((?:PA|MC|MA|FH)_\w+\.dat)"', (TOP / "paising/files/result_names.h").read_text())
    heads = "\n".join(re.findall(r"^\.TP\n(.*)", page, re.MULTILINE))
    return [word for word in options + models + files if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", heads)]


TEXTS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')


def said_by(literal: str) -> str:
    """What adjacent literals of C print, with ... for each conversion."""
    text = re.sub(r'%[^"%\w]*[\d.*]*"\s*PRI\w+\s*"', "...", literal)
    return re.sub(r"%[-+#0]*[\d.*]*[a-z]*[a-zA-Z]", "...", re.sub(r'"\s*"', "", text)[1:-1])


def messages_made(sources: list[str]) -> list[str]:
    """The texts of complain(), warn() and refuse() that have three words or more of their own."""
    found = [said_by(text.group()) for source in sources for call in re.finditer(r"\b(?:complain\((?:\s*STATUS_\w+,)?|warn\(|refuse\(\w+,)", source)
             if (text := TEXTS.search(source, call.end(), call.end() + 700)) and ";" not in source[call.end():text.start()]]
    return sorted({text for text in found if len(re.findall(r"[A-Za-z]{2,}", text)) >= 3})


def messages_missing(sources: list[str], page: str) -> list[str]:
    """Messages without a row of the page, and rows without a text in the sources."""
    rows = [[piece.strip() for piece in row.split("...")] for row in re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)]
    every = [said_by(text.group()) for source in sources for text in TEXTS.finditer(source)]

    def holds(text: str, row: list[str]) -> bool:
        return re.search(".*".join(map(re.escape, row)), text) is not None

    return [f"no row: {text}" for text in messages_made(sources) if not any(holds(text, row) for row in rows)] + [
        f"no message: {'...'.join(row)}" for row in rows if not any(holds(text, row) for text in every)]


# Where the version of the program is written down a second time.
VERSIONS = {"CITATION.cff": r"^version: (\S+)$", "paising/codemeta.json": r'"version": "(.*?)"', "ci/packages/conda/recipe.yaml": r'^  version: "(.*?)"',
            "ci/packages/spack/package.py": r'^    version\("(.*?)"', "paising/docs/paper.md": r"^\| \| paising (\S+) \|"}


def other_versions(version: str) -> list[str]:
    found = {name: re.findall(pattern, (TOP / name).read_text(), re.MULTILINE) for name, pattern in VERSIONS.items()}
    return [f"{name}: {versions}, not {version}" for name, versions in found.items() if versions != [version]]


def columns_made() -> set[str]:
    """The columns of the data files that the program makes, err_X aside."""
    small = ["-D", "cpu", "-R", "200", "-t", "1", "-d", "0.5", "-P", "6"]
    runs = (["-L", "4", "-c", "ssc", "-M", "2", "-m"], ["--model", "glass3d", "-L", "4", "--samples", "2", "-M", "2"])
    names: set[str] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for number, run in enumerate(runs):
            folder = Path(scratch, str(number))
            subprocess.run([str(PROGRAM), *run, *small, "-o", str(folder)], check=True, capture_output=True)
            for file in folder.rglob("*.dat"):
                names.update(*(line.split() for line in COLUMNS.findall(file.read_text())))
    return {name for name in names if not name.startswith("err_")}


def columns_missing(names: set[str], page: str) -> list[str]:
    """Columns that the page does not name."""
    plain = page.replace("\\|", "|")
    return sorted(name for name in names if f"`{name}`" not in plain)


def sources_missing(name: Path, text: str) -> list[str]:
    """Source files that a page names and that are not there, or do not hold what stands behind them."""
    wrong = []
    for found in SOURCE.finditer(without_code(text)):
        places = [at / found["file"] for at in (TOP / "paising", TOP, name.parent) if (at / found["file"]).is_file()]
        if not places:
            wrong.append(f"{found['file']}: no such file")
            continue
        content = places[0].read_text(errors="replace")
        wrong += [f"{found['file']}: has no {word}" for word in re.findall(r"\w+", found["names"])
                  if not re.search(rf"\b{word}\b", content)]
    return wrong


def commands_refused(text: str) -> list[str]:
    """Commands of the examples of a page that the program does not take."""
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for block in re.findall(r"^```.*?^```", text, flags=re.DOTALL | re.MULTILINE):
            for words in COMMAND.findall(block):
                if NEEDS.search(words):
                    continue
                done = subprocess.run([str(PROGRAM), *words.split(), "--dry-run"], cwd=scratch, capture_output=True,
                                      check=False, text=True)
                if done.returncode != 0:
                    wrong.append(f"build/paising {words.strip()}: {done.stderr.strip()}")
    return wrong


def committed(pattern: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", pattern], cwd=TOP, stdout=subprocess.PIPE,
                            check=False, text=True).stdout.split()
    return [TOP / name for name in listed if (TOP / name).is_file()]


def main() -> int:
    said = subprocess.run([str(PROGRAM), "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    version = subprocess.run([str(PROGRAM), "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1]
    rows = (TOP / "paising/settings/list.h").read_text()
    options, files = (DOCS / "options.md").read_text(), (DOCS / "files.md").read_text()
    manual = subprocess.run([str(PROGRAM), "--manual"], stdout=subprocess.PIPE, check=True, text=True).stdout
    columns = columns_made()
    messages = (DOCS / "messages.md").read_text()
    sources = [file.read_text() for file in sorted((TOP / "paising").rglob("*")) if file.suffix in (".c", ".h", ".cu", ".cuh")]
    cases = {
        "options.md has the options of --help": options_missing(said, options),
        "options.md has what each option decides": kinds_wrong(rows, options),
        "files.md has the columns of data files": columns_missing(columns, files),
        "messages.md has the messages of the sources": messages_missing(sources, messages),
        "the manual page has options, models and data files": manual_missing(said, manual),
        "the version is the program's everywhere": other_versions(version),
        "paising-exact.1 has the options of --help": options_of_page_missing("exact"),
        "paising-helium.1 has the options of --help": options_of_page_missing("helium"),
    }
    for page in committed("paising/*.md") + committed("README.md"):
        cases[f"{page.relative_to(TOP)}: source files are there"] = sources_missing(page, page.read_text())
    for page in committed("*.md"):
        if COMMAND.search(page.read_text()):
            cases[f"{page.relative_to(TOP)}: commands are taken"] = commands_refused(page.read_text())
    planted = options.replace("| `-t`, `--sweeps", "| `--sweep", 1).replace("`2017`", "`7`", 1)
    cases["control: planted errors are found"] = [
        claim
        for claim, found in {
            "options": len(options_missing(said, planted)) >= 3,
            "kinds": len(kinds_wrong(rows, options.replace("| command |", "| run |", 1).replace("data, by its fingerprint |", "run |"))) >= 8,
            "messages": messages_missing(sources, messages.replace("`ambiguous`", "`green cheese`"))
            == ["no message: green cheese"] and messages_missing(['warn("of %" PRIu32 " new moons", x);'], "") == ["no row: of ... new moons"],
            "manual": manual_missing(said, re.sub(r"\.TP\n\\fB.-.-hits.*|, xy3d|MA_entropy\.dat,", "", manual)) == ["--hits", "xy3d", "MA_entropy.dat"],
            "versions": len(other_versions(version + "1")) == len(VERSIONS),
            "columns": columns_missing(columns, files.replace("`rho_t`", "")) == ["rho_t"],
            "commands": len(commands_refused("```\nbuild/paising -L 64\nbuild/paising -L 63 # no\n```\n")) == 1,
            "sources": len(sources_missing(DOCS / "x.md", "`none/x.c`, `resample/nearest.h`, `nearest_copies`, `none`")) == 2,
        }.items()
        if not found
    ]
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
