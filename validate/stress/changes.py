"""Folders that others remove, replace or close while the program runs, and folders that it may not use."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

from case import Case, Skipped, claim
from claims import claim_made, places_of, snapshot
from results import Result, draw_seed, standing, with_seed

# --- what others change meanwhile ---


def folder_goes_away(case: Case, simulation: list[str], result: Result) -> None:
    """Removed, moved or replaced while the program runs: the result is where a line says."""
    options = [*simulation, "-o", "r", "--checkpoint", "ck", "--checkpoint-every", "10"]
    running = case.start([*options])
    running.wait_for(case.work / "ck")
    way = case.dice.choice(("removed", "moved", "a new folder", "a file", "a link to nothing", "another result"))
    case.note(f"  r is now: {way}")
    (case.work / "r").rename(case.work / "moved")
    if way == "removed":
        shutil.rmtree(case.work / "moved")
    elif way in ("a new folder", "another result"):
        (case.work / "r").mkdir()
    elif way == "a file":
        (case.work / "r").write_text("not yours\n")
    elif way == "a link to nothing":
        (case.work / "r").symlink_to("nothing")
    if way == "another result":
        (case.work / "r" / "run.json").write_text("{}\n")
    before = snapshot(case.work / "r") if (case.work / "r").is_dir() else {}
    ended = case.end(running)
    known = {"new": result}
    if (case.work / "moved" / "run.json").exists():
        claim(standing(case.work / "moved", known) == "new", "the folder was moved too late, and is not whole")
        return
    places = places_of(ended.said)
    claim(ended.status == 1 and places, f"the folder is another: {ended.shows()}")
    claim(standing(case.work / places[-1], known) == "new", "the result is not where a line says")
    after = snapshot(case.work / "r") if (case.work / "r").is_dir() else {}
    claim(before == after, "files in a folder that is not this process's")


def checkpoint_folder_goes_away(case: Case, simulation: list[str], result: Result) -> None:
    """The run goes on, and its result is there."""
    (case.work / "sub").mkdir()
    options = [*simulation, "-o", "r", "--checkpoint", "sub/ck", "--checkpoint-every", "10"]
    running = case.start([*options])
    running.wait_for(case.work / "sub" / "ck")
    (case.work / "sub").rename(case.work / "moved")
    ended = case.end(running)
    claim(ended.status in (0, 1), f"the checkpoint's folder is gone: {ended.shows()}")
    claim(standing(case.work / "r", {"new": result}) == "new", "the result is not there")
    claim_made(case, ["--resume", "moved/ck", "-o", "again"], case.work / "again", result)


# --- rights ---


@functools.lru_cache
def without_rights() -> tuple[str, ...]:
    """A command under which file permissions hold, for root too."""
    if os.geteuid() != 0:
        return ("env",)
    words = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all")
    try:
        done = subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        raise Skipped("folders without permission: root needs setpriv to be refused") from None
    if done.returncode != 0:
        raise Skipped("folders without permission: setpriv cannot take rights away")
    return words


def folder_without_rights(case: Case, simulation: list[str], result: Result) -> None:
    """Not to be written, read or entered: refused before the work, and what is in it stays."""
    under = without_rights()
    folder = case.work / "r"
    case.run([*with_seed(simulation, draw_seed(case.dice)), "-o", "r"])
    before = snapshot(folder)
    mode = case.dice.choice((0o000, 0o500, 0o300, 0o600, 0o400))
    folder.chmod(mode)
    try:
        ended = case.run([*simulation, "-o", "r", "--force"], under=under)
    finally:
        folder.chmod(0o700)
    claim(ended.status == 2 and ended.said, f"mode {mode:o}: {ended.shows()}")
    claim(snapshot(folder) == before, f"mode {mode:o}: files are others")


def rights_go_away(case: Case, simulation: list[str], result: Result) -> None:
    """The folder cannot be written any more when the result is ready: it is beside it."""
    under = without_rights()
    (case.work / "r").mkdir()
    options = [*simulation, "-o", "r", "--checkpoint", "ck", "--checkpoint-every", "10"]
    running = case.start([*options], under=under)
    running.wait_for(case.work / "ck")
    (case.work / "r").chmod(0o500)
    try:
        ended = case.end(running)
    finally:
        (case.work / "r").chmod(0o700)
    places = places_of(ended.said)
    place = case.work / (places[-1] if places else "r")
    claim(standing(place, {"new": result}) == "new", f"the result is lost: {ended.shows()}")
    claim(ended.status == 1 or not places, f"the result is elsewhere: {ended.shows()}")
