"""Disks that are full at some moment: a small file system of its own, or a limit on the size of files."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

from case import Case, Ended, claim
from claims import claim_tidy, places_of
from results import Result, draw_seed, draw_simulation, reference, standing, with_seed

PAGE = 4096
# In a name space of its own: mounts a small file system, copies what is there into it, runs the program there, and
# copies what it left.
ON_SMALL_DISK = (
    'mkdir ../disk ../after && mount -t tmpfs -o "size=$0,nr_inodes=$1" none ../disk || exit 98; shift; '
    'cp -a . ../disk && cd ../disk && { "$@"; status=$?; cd .. && cp -a disk/. after && exit $status; }; exit 99'
)
WAITS = "the new result is here, and the next run into r moves it there"


@functools.lru_cache
def can_mount() -> bool:
    """Whether a user may have a file system here."""
    words = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        return False


def disk(case: Case) -> None:
    dice = case.dice
    simulation = draw_simulation(dice)
    known = {"new": reference(case, simulation)}
    if known["new"].status == 0 and dice.random() < 0.5:
        older = with_seed(simulation, draw_seed(dice))
        result = reference(case, older)
        if result.status == 0:
            known["older"] = result
            case.run([*older, "-o", "r"])
    options = [*simulation, "-o", "r"]
    if dice.random() < 0.5:
        options += ["--checkpoint", "ck", "--checkpoint-every", str(dice.randint(1, 9))]
    if "older" in known:
        options += ["--force"]
    # Where else a result may go.
    roomy = dice.random() < 0.7
    if not roomy:
        case.environment["TMPDIR"] = "."
    if can_mount() and dice.random() < 0.75:
        ended = on_small_disk(case, options)
        case.work = case.folder / "after"
    else:
        ended = with_small_files(case, options, known)
        roomy = False
    judge(case, ended, known, roomy)
    take_up(case, options, known)


# --- two kinds of full disks ---


def needed(case: Case, options: list[str]) -> tuple[int, int, int, int]:
    """Pages and files of what is there, and what the run adds at most."""
    copy = case.folder / "copy"
    shutil.copytree(case.work, copy)

    def used() -> tuple[int, int]:
        sizes = [path.stat().st_size if path.is_file() else 0 for path in copy.rglob("*")]
        return sum(-(-size // PAGE) for size in sizes), len(sizes)

    pages, files = used()
    case.run(options, folder=copy)
    if (copy / "ck").exists():
        shutil.copy(copy / "ck", copy / "ck.new")
    after_pages, after_files = used()
    shutil.rmtree(copy)
    return pages, files, after_pages, after_files


def on_small_disk(case: Case, options: list[str]) -> Ended:
    pages, files, more_pages, more_files = needed(case, options)
    size = PAGE * max(1, pages + case.dice.randint(0, more_pages + 2))
    nodes = files + case.dice.randint(2, more_files + 6) if case.dice.random() < 0.4 else 0
    under = ["unshare", "-rm", "sh", "-c", ON_SMALL_DISK, str(size), str(nodes)]
    ended = case.run(options, under=under)
    claim(ended.status not in (98, 99), f"no small disk: {ended.shows()}")
    return ended


def with_small_files(case: Case, options: list[str], known: dict[str, Result]) -> Ended:
    largest = max(map(len, known["new"].files.values()), default=0)
    size = case.dice.randint(0, case.dice.choice((largest, 10 * largest)))
    return case.run(options, under=["prlimit", f"--fsize={size}"])


# --- what must hold ---


def place_of(case: Case, said: str) -> Path | None:
    """Where the program says that the result is, if not in r."""
    places = places_of(said)
    return case.work / places[-1] if places else None


def judge(case: Case, ended: Ended, known: dict[str, Result], roomy: bool) -> None:
    claim(ended.status in (0, 1), f"on a full disk: {ended.shows()}")
    claim(ended.status == 0 or ended.said, "status 1 and no word")
    stands = standing(case.work / "r", known)
    claim(not stands.startswith("part"), f"in r stands {stands}")
    claim("older" not in known or stands, "the older result is gone")
    place = place_of(case, ended.said)
    if place is not None:
        claim(standing(place, known) == "new", f"the result is not in {place}, as a line says")
    if ended.status == 0:
        claim(stands == "new", f"status 0, and in r stands {stands!r}")
    elif WAITS in ended.said:
        claim_moved(case, known)
    elif roomy and "seed " in ended.told and known["new"].files:
        claim(stands == "new" or place is not None, "the result is lost, and there was room for it")
    claim_tidy(case)


def claim_moved(case: Case, known: dict[str, Result]) -> None:
    """With room again, the next run puts the result that waits into its place, and does not replace it."""
    ended = case.run(["-c", "ssc", "-L", "4", "-R", "1", "-t", "1", "-f", "0", "-o", "r"])
    claim(ended.status == 2 and "is there now" in ended.said, f"a result waits: {ended.shows()}")
    claim(standing(case.work / "r", known) == "new", "the result that waited is another")


def take_up(case: Case, options: list[str], known: dict[str, Result]) -> None:
    """With room again, the same command, or what goes on from its checkpoint, gives the result."""
    force = [] if "--force" in options else ["--force"]
    resume = ["--resume", "ck", "--force"] if (case.work / "ck").exists() else [*options, *force]
    ended = case.run(resume)
    claim(ended.status == known["new"].status, f"with room again: {ended.shows()}")
    if known["new"].files:
        claim(standing(case.work / "r", known) == "new", "with room again, another result")
    claim_tidy(case)
