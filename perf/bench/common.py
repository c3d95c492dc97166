"""What the modules share: how things end, files under their final names, programs that are run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Refused(Exception):
    """What was asked for cannot be done: status 2."""


class Failed(Exception):
    """Something went wrong on the way, or is wrong: status 1."""


def publish(path: Path, text: str) -> None:
    """Gives a file its final name, once it is whole."""
    new = path.parent / ".new"
    new.write_text(text)
    os.replace(new, path)


def data_lines(text: str) -> list[str]:
    """The lines that are no comments."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def last_line(text: str) -> str:
    """What a program said last."""
    lines = text.splitlines()
    return lines[-1] if lines else ""


def run(command: list[str], log: Path, **environment: str) -> int:
    """Runs a command, what it prints going to `log`; returns its status."""
    with open(log, "wb") as out:
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              env={**os.environ, **environment}, check=False).returncode


def output_of(command: list[str]) -> str:
    """What a command that must succeed prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
