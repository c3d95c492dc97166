"""Programs that are run: not for ever, and how they ended."""

from __future__ import annotations

import signal
import subprocess
from typing import Sequence

# What takes longer does not end.
LEAST_S = 600


class Refused(Exception):
    """An argument or a setting that is not allowed; the text names it and what is."""


def how_it_ended(status: int) -> str:
    """In words, for a process that failed."""
    return f"was ended by signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"has status {status}"


def run_within(command: Sequence[str], seconds: float, check: bool = False, stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    """subprocess.run of a program that should be over long before so many seconds; Refused if it is not."""
    try:
        return subprocess.run(command, check=check, stdout=stdout, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Refused(f"{' '.join(command)}: not over after {seconds:g} s") from None
