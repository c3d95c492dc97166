"""Settings of the environment, for the programs of validate/."""

from __future__ import annotations

import os
import re
import sys


def setting(program: str, name: str, default: str, pattern: str, allowed: str) -> str:
    """A setting; one that does not match ends the program with status 2, and a line that says what is allowed."""
    value = os.environ.get(name) or default
    if not re.fullmatch(pattern, value, re.ASCII):
        print(f"{program}: {name}='{value}': allowed: {allowed}", file=sys.stderr)
        sys.exit(2)
    return value
