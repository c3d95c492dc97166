"""Several processes with one folder, one checkpoint, or both; one of them may be killed."""

from __future__ import annotations

import re
import signal
import time
from dataclasses import dataclass

from case import Case, Ended, Running, claim
from claims import claim_tidy
from results import Result, complete_reference, draw_seed, reference, standing, with_seed

REFUSALS = ("in use by", "holds a result already", "is there already", "holds files of an unfinished result")
HOLDER = re.compile(r"in use by process (\d+) on ")


@dataclass
class Writer:
    """A process, and the name of what it makes."""

    name: str
    folder: str
    running: Running
    killed: bool = False


def writers(case: Case) -> None:
    share = case.dice.choice(("folder", "checkpoint", "both", "recovery"))
    simulation, result = complete_reference(case, long=share != "recovery")
    if share == "recovery":
        recover_together(case, simulation, result)
    else:
        write_together(case, simulation, result, share)


def write_together(case: Case, simulation: list[str], first: Result, share: str) -> None:
    dice = case.dice
    force = ["--force"] if dice.random() < 0.3 else []
    seeds = [simulation[-1]] + [draw_seed(dice) for _ in range(dice.randint(1, 3))]
    known = {simulation[-1]: first}
    known.update((seed, reference(case, with_seed(simulation, seed))) for seed in seeds[1:])
    started = []
    for n, seed in enumerate(seeds):
        folder = "r" if share != "checkpoint" else f"r{n}"
        checkpoint = ["--checkpoint", "ck" if share != "folder" else f"ck{n}", "--checkpoint-every", "20"]
        options = [*with_seed(simulation, seed), "-o", folder, *checkpoint, *force]
        started.append(Writer(seed, folder, case.start(options)))
        time.sleep(dice.choice((0, 0, 0.001, 0.01, 0.05)) * dice.random())
    if dice.random() < 0.4:
        time.sleep(0.05 * dice.random())
        victim = dice.choice(started)
        victim.running.send(signal.SIGKILL)
        victim.killed = True
        case.note(f"  seed {victim.name} is killed")
    made = judge_all(case, started, known)
    claim(made or any(writer.killed for writer in started), "all were refused")
    claim(force or len(made) <= 1, f"{len(made)} made it")
    if share == "checkpoint":
        claim_checkpoint_is_one(case, known)
    else:
        claim_one_stands(case, started, made, known)
    take_up(case, simulation, known)


def judge_all(case: Case, started: list[Writer], known: dict[str, Result]) -> list[Writer]:
    """Waits for all. Returns those that made their result."""
    made = []
    processes = {writer.running.process.pid for writer in started}
    for writer in started:
        ended = case.end(writer.running)
        if ended.status == -signal.SIGKILL and writer.killed:
            continue
        claim(ended.status in (known[writer.name].status, 2), f"seed {writer.name}: {ended.shows()}")
        if ended.status == 2:
            claim_refused_well(ended, processes)
        else:
            made.append(writer)
    return made


def claim_refused_well(ended: Ended, processes: set[int]) -> None:
    claim(any(reason in ended.said for reason in REFUSALS), f"refused: {ended.shows()}")
    for process in HOLDER.findall(ended.said):
        claim(int(process) in processes, f"in use by a process that was not started: {ended.shows()}")


def claim_one_stands(case: Case, started: list[Writer], made: list[Writer], known: dict[str, Result]) -> None:
    """What stands in the folder is of one that made it, or was killed when it had."""
    stands = standing(case.work / "r", known)
    allowed = {writer.name for writer in made} | {writer.name for writer in started if writer.killed}
    claim(stands in allowed or not stands and not made, f"in r stands {stands!r}, made by {sorted(allowed)}")


def claim_checkpoint_is_one(case: Case, known: dict[str, Result]) -> None:
    """The checkpoint is whole, and of one simulation; so is each folder."""
    for folder in sorted(case.work.glob("r?")):
        standing(folder, known)
    if (case.work / "ck").exists():
        ended = case.run(["--resume", "ck", "-o", "taken"])
        claim(ended.status in (0, 1), f"from the checkpoint: {ended.shows()}")
        claim(standing(case.work / "taken", known) in known, "the checkpoint gives another result")


def take_up(case: Case, simulation: list[str], known: dict[str, Result]) -> None:
    """The next process finds the folder and the checkpoint free."""
    ended = case.run([*simulation, "-o", "r", "--checkpoint", "ck", "--force"])
    claim(ended.status == 0, f"after all: {ended.shows()}")
    stands = standing(case.work / "r", known)
    claim(stands == simulation[-1], f"after all, in r stands {stands!r}")
    claim_tidy(case, r"\.ck\d\..*|r\d/.*")  # of the one that was killed


def recover_together(case: Case, simulation: list[str], result: Result) -> None:
    """A process is killed while it moves its result into its place, and several start at once: one puts that in
    order, and none removes what another one needs."""
    dice = case.dice
    options = [*simulation, "-o", "r"]
    older = with_seed(simulation, draw_seed(dice))
    known = {"new": result, "older": reference(case, older)}
    if known["older"].status == 0 and dice.random() < 0.5:
        case.run([*older, "-o", "r"])
    call = dice.choice(("rename", "rename", "unlink", "mkdir"))
    case.run([*options, "--force"], fault=f"{call}:{dice.randint(1, 8)}:SIGKILL")
    started = []
    for _ in range(dice.randint(2, 4)):
        force = ["--force"] if dice.random() < 0.5 else []
        started.append(Writer("new", "r", case.start([*options, *force])))
        time.sleep(dice.choice((0, 0.001, 0.004)) * dice.random())
    judge_all(case, started, known)
    claim(standing(case.work / "r", known), "no result stands")
    ended = case.run([*options, "--force"])
    claim(ended.status == 0, f"after all: {ended.shows()}")
    claim(standing(case.work / "r", known) == "new", "after all, another result stands")
    claim_tidy(case)
