"""Cases of a test that is a program: for each its name, and what is wrong with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Iterable


def report(cases: dict[str, list[str]]) -> int:
    """One line a case, ok or FAIL with what is wrong, and the count. Returns the exit status."""
    for name, wrong in cases.items():
        print(f"{'FAIL' if wrong else 'ok  '} {name}" + "".join(f"\n     | {line}" for line in wrong))
    failed = sum(1 for wrong in cases.values() if wrong)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def refusals(script: Path, cases: Iterable[tuple[str, str]]) -> list[str]:
    """Settings of the environment, name and value, that a script is to refuse: status 2, one line that names them."""
    wrong = []
    for name, value in cases:
        done = subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, name: value},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 2 or done.stderr.count("\n") != 1 or name not in done.stderr:
            wrong.append(f"{name}={value}: status {done.returncode}: {done.stderr}")
    return wrong
