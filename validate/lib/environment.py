"""How the programs of validate/ begin: help, signals, settings of the environment."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from pathlib import Path


def begin(help_text: str, *folders: str) -> argparse.Namespace:
    """Of a program without options: shows its help if asked to, and ends at a signal with the status of a shell. Returns its folders,
    by these names, as far as they are given."""
    arguments = argparse.ArgumentParser(description=help_text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in folders:
        arguments.add_argument(name, nargs="?", type=Path)
    given = arguments.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    return given


def setting(program: str, name: str, default: str, pattern: str, allowed: str) -> str:
    """A setting; one that does not match ends the program with status 2, and a line that says what is allowed."""
    value = os.environ.get(name) or default
    if not re.fullmatch(pattern, value, re.ASCII):
        print(f"{program}: {name}='{value}': allowed: {allowed}", file=sys.stderr)
        sys.exit(2)
    return value
