"""Names and folders that a user, or another program, may give or change at a bad moment."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Callable

from case import Case, claim
from changes import checkpoint_folder_goes_away, folder_goes_away, folder_without_rights, rights_go_away
from claims import claim_beside, claim_made, claim_refused, claim_tidy, places_of, snapshot
from results import Result, complete_reference, draw_seed, read_state, standing, with_seed

# The names that results and the work on them have in a folder.
RESULT_NAMES = ("run.json", "PA_results_run_0.dat", "PA_results_weighted.dat", "PA_MHR_results_run_7.dat")
PART_NAME = ".paising.new"
LOCK_NAME = ".paising.lock"

Scene = Callable[[Case, "list[str]", Result], None]


def paths(case: Case) -> None:
    scene = case.dice.choice(SCENES)
    simulation, result = complete_reference(case, long=scene in LONG_SCENES)
    case.note(f"  scene: {scene.__name__}")
    scene(case, simulation, result)


def make_odd(case: Case, path: Path) -> str:
    """Something at a path that is no regular file; says what."""
    kind = case.dice.choice(("fifo", "device", "folder", "link to nothing", "link to a device", "link to itself"))
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to nothing":
        path.symlink_to("nothing")
    elif kind == "link to itself":
        path.symlink_to(path.name)
    elif kind == "device" and os.geteuid() == 0:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    else:
        path.symlink_to("/dev/null")
    case.note(f"  {path.name}: {kind}")
    return kind


# --- checkpoints in bad places ---


def checkpoint_in_result(case: Case, simulation: list[str], _: Result) -> None:
    """Under the name of a file of the result, or of one that the program uses, also by way of links."""
    dice = case.dice
    name = dice.choice((*RESULT_NAMES, PART_NAME, LOCK_NAME, ".paising.anything"))
    if dice.random() < 0.5:
        (case.work / "r").mkdir()
    folder = "r"
    if dice.random() < 0.5 and (case.work / "r").exists():
        (case.work / "l").symlink_to("r")
        folder = "l"
    more = ["--force"] if dice.random() < 0.5 else []
    options = [*simulation, "-o", "r", "--checkpoint", f"{folder}/{name}", *more]
    claim_refused(case, options, "a checkpoint in the result")


def checkpoint_is_folder(case: Case, simulation: list[str], _: Result) -> None:
    """The folder of the result itself, with --force too, and with a slash behind it."""
    path = case.dice.choice(("r", "r/", "r/.", "./r", "."))
    if case.dice.random() < 0.5:
        (case.work / "r").mkdir()
    claim_refused(case, [*simulation, "-o", "r", "--checkpoint", path, "--force"], "a checkpoint that is the folder")


def checkpoint_beside_result(case: Case, simulation: list[str], result: Result) -> None:
    """In the folder, under a name of its own."""
    (case.work / "r").mkdir()
    name = case.dice.choice(("ck", "PA_results_run_x.dat", "run.json.ck", ".hidden"))
    options = [*simulation, "-o", "r", "--checkpoint", f"r/{name}", "--checkpoint-every", "1"]
    claim_made(case, [*options], case.work / "r", result)
    claim((case.work / "r" / name).is_file(), "there is no checkpoint")
    claim_made(case, ["--resume", f"r/{name}", "-o", "again"], case.work / "again", result)
    claim_tidy(case, r"r/\.hidden")


def checkpoint_is_odd(case: Case, simulation: list[str], _: Result) -> None:
    kind = make_odd(case, case.work / "ck")
    before = (case.work / "ck").lstat()
    claim_refused(case, [*simulation, "-o", "r", "--checkpoint", "ck", "--force"], "a checkpoint that is no file")
    claim(kind and (case.work / "ck").lstat().st_ino == before.st_ino, "the file at the path is another")
    claim_refused(case, ["--resume", "ck"], "a checkpoint that is no file")


def checkpoint_lock_is_odd(case: Case, simulation: list[str], result: Result) -> None:
    """Something else has the name of its lock: refused, or passed by, but never followed."""
    (case.work / ".ck.lock").symlink_to("precious")
    (case.work / "precious").write_text("not yours\n")
    claim_refused(case, [*simulation, "-o", "r", "--checkpoint", "ck"], "a link with the name of the lock")


def checkpoint_is_link(case: Case, simulation: list[str], result: Result) -> None:
    """To a file, which is what is replaced."""
    (case.work / "sub").mkdir()
    target = case.work / "sub" / "target"
    target.write_text("older\n")
    (case.work / "ck").symlink_to("sub/target")
    options = [*simulation, "-o", "r", "--checkpoint", "ck", "--checkpoint-every", "1"]
    claim_refused(case, [*options], "a link to a file")
    claim_made(case, [*options, "--force"], case.work / "r", result)
    claim((case.work / "ck").is_symlink() and target.read_bytes() != b"older\n", "the link was replaced")
    claim_made(case, ["--resume", "ck", "-o", "again"], case.work / "again", result)
    claim_tidy(case)


# --- folders in bad places ---


def names_too_long(case: Case, simulation: list[str], _: Result) -> None:
    """Of a folder, a checkpoint, and whole paths, around the limits of the system. What is made is whole."""
    dice = case.dice
    length = dice.choice((1, 200, 238, 242, 250, 255, 256, 300, 4000, 4095, 4096, 5000)) + dice.randint(-3, 3)
    deep = "/".join(["d" * 99] * (max(1, length) // 100)) + "/" + "n" * (length % 100 + 1)
    name = dice.choice(("n" * max(1, length), deep))
    folder, checkpoint = dice.choice(((name, "ck"), ("r", name), (name, name + "c")))
    if name == deep and length < 4000:
        (case.work / name).parent.mkdir(parents=True, exist_ok=True)
    before = snapshot(case.work)
    ended = case.run([*simulation, "-o", folder, "--checkpoint", checkpoint, "--checkpoint-every", "1"])
    claim(ended.status in (0, 2), f"a long name: {ended.shows()[:200]}")
    if ended.status == 2:
        claim(snapshot(case.work) == before, "refused, and files are others")
    else:
        claim((case.work / checkpoint).is_file(), "there is no checkpoint")
        claim((case.work / folder / "run.json").is_file(), "there is no result")
        claim_tidy(case)


def folder_is_odd(case: Case, simulation: list[str], _: Result) -> None:
    kind = make_odd(case, case.work / "r")
    if kind == "folder":
        (case.work / "r").rmdir()
        (case.work / "r").write_text("a file\n")
    claim_refused(case, [*simulation, "-o", "r", "--force"], "a folder that is none")


def folder_is_link(case: Case, simulation: list[str], result: Result) -> None:
    (case.work / "sub").mkdir()
    (case.work / "r").symlink_to("sub")
    claim_made(case, [*simulation, "-o", "r"], case.work / "sub", result)
    claim((case.work / "r").is_symlink(), "the link was replaced")
    claim_tidy(case)


def name_in_folder_is_odd(case: Case, simulation: list[str], result: Result) -> None:
    """Something that is no file has the name of a file of the result."""
    (case.work / "r").mkdir()
    make_odd(case, case.work / "r" / case.dice.choice(RESULT_NAMES))
    claim_refused(case, [*simulation, "-o", "r", "--force"], "a file of the result that is none")


def part_name_is_odd(case: Case, simulation: list[str], result: Result) -> None:
    """Something that is no folder has the name of the one that the program uses: it may refuse or remove it; what it does
    publish is whole."""
    (case.work / "r").mkdir()
    make_odd(case, case.work / "r" / case.dice.choice((PART_NAME, LOCK_NAME)))
    ended = case.run([*simulation, "-o", "r", *case.dice.choice(([], ["--force"]))])
    stands = standing(case.work / "r", {"new": result})
    claim(ended.status in (0, 1, 2), f"ended by {ended.shows()}")
    claim(ended.status == 2 or ended.status == 1 and places_of(ended.said) or stands == "new", "the result is lost")
    claim_beside(case, {"new": result})


def part_name_leads_elsewhere(case: Case, simulation: list[str], result: Result) -> None:
    """A link of that name to a folder with a result: that one stays as it is."""
    older = with_seed(simulation, draw_seed(case.dice))
    case.run([*older, "-o", "precious"])
    (case.work / "r").mkdir()
    (case.work / "r" / PART_NAME).symlink_to("../precious")
    before = snapshot(case.work / "precious")
    ended = case.run([*simulation, "-o", "r", *case.dice.choice(([], ["--force"]))])
    claim(snapshot(case.work / "precious") == before, f"a result elsewhere was changed: {ended.shows()}")


def odd_bytes(case: Case, simulation: list[str], result: Result) -> None:
    """Names of any bytes: run.json is JSON, messages are a line each."""
    odd = b"\x01\n\t\"\\'\x7f\x80\xc3\xa9\xed\xa0\xff% "
    some = bytes(case.dice.choice(odd) for _ in range(case.dice.randint(1, 9)))
    folder = case.work / os.fsdecode(b"r" + some)
    checkpoint = b"ck" + some
    options = [*simulation, "-o", os.fsencode(folder.name), "--checkpoint", checkpoint, "--checkpoint-every", "1"]
    claim_made(case, options, folder, result)
    state = read_state(folder)
    claim(state is not None and state["parameters"]["output"], "run.json does not name the folder")
    ended = case.run(options)
    claim(ended.status == 2 and ended.said.count("\n") == 1, f"a name of odd bytes: {ended.shows()}")
    claim_made(case, ["--resume", checkpoint, "-o", "again"], case.work / "again", result)
    claim_tidy(case)


# Those in which something happens while the program runs.
LONG_SCENES: tuple[Scene, ...] = (folder_goes_away, checkpoint_folder_goes_away, rights_go_away)
SCENES: tuple[Scene, ...] = (
    checkpoint_in_result,
    checkpoint_is_folder,
    checkpoint_beside_result,
    checkpoint_is_odd,
    checkpoint_lock_is_odd,
    checkpoint_is_link,
    names_too_long,
    folder_is_odd,
    folder_is_link,
    name_in_folder_is_odd,
    part_name_is_odd,
    part_name_leads_elsewhere,
    odd_bytes,
    folder_without_rights,
    *LONG_SCENES,
)
