#!/usr/bin/env python3
"""The tutorials of paising/docs/tutorials.md run as they stand, and print what the page says.

    test_tutorials.py [short | write]    BUILD: the folder of the programs [build]

Blocks marked sh and python run one after the other in an empty folder, sh with the programs under their installed names. Where a
block marked text follows, it is what the block before prints; `write` writes it into the page. `short` is for make check: a tutorial that
takes a good part of a minute, by its own words, has small populations, large steps, few samples and measurements there, and must end
with status 0 alone. Python blocks with numpy are left out without it.

One line a case. The last line counts: N passed, N failed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

from cases import report

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("BUILD", "build")
PAGE = TOP / "paising" / "docs" / "tutorials.md"
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
BLOCK = re.compile(r"^```(?P<kind>sh|python)\n(?P<code>.*?)^```\n"
                   r"(?:\n<!-- validate/command/test_tutorials.py: output -->\n```text\n(?P<said>.*?)^```\n<!-- end -->\n)?", re.DOTALL | re.MULTILINE)


def outputs(page: str, folder: Path) -> list[tuple[re.Match[str], subprocess.CompletedProcess[str]]]:
    """Runs the blocks of a page; those with numpy where it is there."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for program, name in (("paising", "paising"), ("exact", "paising-exact"), ("compare", "paising-compare"), ("paising-helium", "paising-helium")):
        (bin_folder / name).symlink_to(BUILD / program)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    done = []
    for block in BLOCK.finditer(page):
        if block["kind"] == "sh":
            command = ["bash", "-euo", "pipefail", "-c", block["code"]]
        elif HAS_NUMPY or "import np" not in block["code"]:
            command = [sys.executable, "-c", block["code"]]
        else:
            continue
        done.append((block, subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)))
    return done


def shortened(page: str) -> str:
    """The page whose long tutorials are short."""
    return "".join(short_tutorial(each) if "minute." in each else each for each in re.split(r"^(?=## )", page, flags=re.MULTILINE))


def short_tutorial(page: str) -> str:
    """Small populations, few sweeps and samples, and nothing of what is printed."""
    command = r"^(?: *|exec )paising(?:[^\n]|(?<=\\)\n)*"  # up to the end of its last line
    for option, value, less in (("-R", 100, min), ("-t", 5, min), ("-d", 0.04, max), ("--samples", 3, min), ("--measurements", 50, min),
                                ("--thermalisation", 50, min), ("--analyses", 2, min), ("-M", 2, min), ("--last-ln-f", 0.001, max)):  # fmt: skip
        def replace(found: re.Match[str], value: float = value, less: Callable[[float, float], float] = less) -> str:
            return f"{found[1]}{less(float(found[2]), value):g}"
        page = re.sub(rf"({command}{option} )([\d.]+)", replace, page, flags=re.MULTILINE)
    return re.sub(r"^\n<!-- validate.*?^<!-- end -->\n", "", page, flags=re.DOTALL | re.MULTILINE)


def faults(block: re.Match[str], done: subprocess.CompletedProcess[str]) -> list[str]:
    """What is wrong with a block that ran."""
    if done.returncode != 0:
        return [f"status {done.returncode}: {done.stderr[-500:]}"]
    if block["said"] is not None and block["said"] != done.stdout:
        return [f"prints {done.stdout}, and the page says {block['said']}"]
    return []


def main(words: list[str]) -> int:
    if words not in ([], ["short"], ["write"], ["--help"]):
        print("usage: test_tutorials.py [short | write]", file=sys.stderr)
        return 2
    if words == ["--help"]:
        print("usage: test_tutorials.py [short | write]")
        return 0
    page = PAGE.read_text()
    if words == ["short"]:
        page = shortened(page)
    with tempfile.TemporaryDirectory() as scratch:
        ran = outputs(page, Path(scratch))
    if words == ["write"]:
        for block, done in reversed(ran):
            if block["said"] is not None and done.returncode == 0:
                page = page[:block.start("said")] + done.stdout + page[block.end("said"):]
        PAGE.write_text(page)
        ran = [(found, done) for found, (_, done) in zip(BLOCK.finditer(page), ran)]
    cases = {}
    for block, done in ran:
        line = page.count("\n", 0, page.find(block["code"])) + 1
        cases[f"tutorials.md:{line}: {block['kind']}"] = faults(block, done)
    with tempfile.TemporaryDirectory() as scratch:
        planted = outputs("```sh\necho 1\n```\n\n<!-- validate/command/test_tutorials.py: output -->\n```text\n2\n```\n<!-- end -->\n```sh\nfalse\n```\n", Path(scratch))
    cases["control: other output and a failure are found"] = [] if all(faults(*each) for each in planted) else ["not found"]
    if not HAS_NUMPY:
        print("SKIP blocks of Python: numpy is not there")
    return report(cases)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
