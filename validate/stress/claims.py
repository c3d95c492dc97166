"""Claims that several kinds of cases make."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Sequence

from case import Case, Word, claim
from results import Result, standing

PLACE = re.compile(r"^paising: the result is in (.*)$", re.MULTILINE)


def places_of(said: str) -> list[str]:
    """Where the program says that it has put its result instead."""
    return PLACE.findall(said)


def hidden(folder: Path) -> list[str]:
    """Everything in a folder with a hidden name, and what is in it, by its path there."""
    found = (os.path.relpath(path, folder) for path in folder.rglob("*"))
    return sorted(path for path in found if re.search(r"(^|/)\.", path))


def claim_tidy(case: Case, but: str = "(?!)") -> None:
    """Nothing hidden is left in the folder of the case but what a line on stderr names, or has a name that fits."""
    named = [path for path in hidden(case.work) if path in case.said]
    left = [path for path in hidden(case.work) if not path.startswith(tuple(named)) and not re.fullmatch(but, path)]
    claim(not left, f"left behind: {' '.join(left)}")


def claim_beside(case: Case, known: dict[str, Result]) -> None:
    """Each folder r.N holds a result, and a line on stderr has said so."""
    for folder in sorted(case.work.glob("r.[0-9]*")):
        claim(standing(folder, known), f"{folder.name} holds no result")
        claim(folder.name in places_of(case.said), f"nothing says that a result is in {folder.name}")


def snapshot(folder: Path) -> dict[str, object]:
    """All that is in a folder: bytes of files, targets of links, kinds of the rest."""

    def content(path: Path) -> object:
        if path.is_symlink():
            return os.readlink(path)
        return path.read_bytes() if path.is_file() else path.lstat().st_mode

    return {os.path.relpath(path, folder): content(path) for path in folder.rglob("*")}


def claim_refused(case: Case, options: Sequence[Word], what: str) -> None:
    """Refused, with a line that says why, and nothing is changed."""
    before = snapshot(case.work)
    ended = case.run(options)
    claim(ended.status == 2 and ended.said, f"{what}: not refused: {ended.shows()}")
    claim(snapshot(case.work) == before, f"{what}: refused, and files are others")


def claim_made(case: Case, options: Sequence[Word], folder: Path, result: Result) -> None:
    """The run comes to its end, and its result stands in the folder."""
    ended = case.run(options)
    claim(ended.status == 0, f"not made: {ended.shows()}")
    claim(standing(folder, {"new": result}) == "new", f"another result in {folder.name}")
