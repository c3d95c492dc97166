"""Runs that are killed, or told to end, and taken up until they come to their end."""

from __future__ import annotations

import shutil
import signal
import time
from dataclasses import dataclass

from case import Case, Ended, claim
from claims import claim_beside, claim_tidy, hidden, places_of
from results import Result, data_files, draw_seed, draw_simulation, read_state, reference, standing, with_seed

# As often as they stand here: what gives names and takes them away decides what is found there.
CALLS = ("rename", "rename", "rename", "unlink", "mkdir", "open", "write", "fsync", "close")
SIGNALS = ("SIGKILL",) * 6 + ("SIGTERM", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGXCPU")
NOTES = "notes.txt"  # not the program's

# What is refused because of its folder does not come to its checkpoint, and to what was left of that.
OF_CHECKPOINT = r"\.ck\.(lock|\d+\.tmp)"

# What comes so soon after the first signal is taken for the same one.
SAME_SIGNAL_SECONDS = 0.31


@dataclass
class Attack:
    """A simulation on its way into folder r, in which an older result may stand."""

    case: Case
    options: list[str]
    known: dict[str, Result]

    def stands(self) -> str:
        return standing(self.case.work / "r", self.known)

    def checkpoint_is_there(self) -> bool:
        return (self.case.work / "ck").exists()

    def command(self) -> list[str]:
        """How a user goes on from what is there."""
        force = ["--force"] if "older" in self.known else []
        if self.checkpoint_is_there():
            return ["--resume", "ck", *force]
        state = read_state(self.case.work / "r") if (self.case.work / "r").is_dir() else None
        if not force and state is not None and state["interrupted"]:
            force = ["--force"]
        return [*self.options, *force]


def kill(case: Case) -> None:
    by_time = case.dice.random() < 0.4
    attack = draw_attack(case, by_time)
    for _ in range(case.dice.randint(1, 3)):
        left_before = hidden(case.work)
        ended = kill_by_time(attack) if by_time else kill_before_call(attack)
        judge(attack, ended, left_before)
        if case.dice.random() < 0.2:
            claim_force_is_asked_again(attack)
    for _ in range(2):
        ended = case.run(attack.command())
        claim_made(attack, ended)


def draw_attack(case: Case, long: bool) -> Attack:
    simulation = draw_simulation(case.dice, long)
    new = reference(case, simulation)
    known = {"new": new}
    if new.status == 0 and case.dice.random() < 0.4:
        older = with_seed(simulation, draw_seed(case.dice))
        older_result = reference(case, older)
        if older_result.status == 0:
            known["older"] = older_result
            claim(case.run([*older, "-o", "r"]).status == 0, "the older result cannot be made")
            (case.work / "r" / NOTES).write_text("not yours\n")
    options = [*simulation, "-o", "r"]
    if case.dice.random() < 0.6:
        every = str(case.dice.randint(2, 9) * (20 if long else 1))
        options += ["--checkpoint", "ck", "--checkpoint-every", every]
    return Attack(case, options, known)


def undisturbed_there(attack: Attack) -> tuple[dict[str, int], float]:
    """What the next command would do: the calls that it makes, and its seconds."""
    copy = attack.case.folder / "copy"
    shutil.copytree(attack.case.work, copy)
    begun = time.monotonic()
    counts = attack.case.counts(attack.command(), copy)
    seconds = time.monotonic() - begun
    shutil.rmtree(copy)
    return counts, seconds


def kill_before_call(attack: Attack) -> Ended:
    """Sends a signal just before a call that touches a file."""
    dice = attack.case.dice
    counts, _ = undisturbed_there(attack)
    call = dice.choice([call for call in CALLS if counts[call] > 0])
    moment = counts[call] - int(counts[call] * dice.random() ** 2)  # more of the last ones, of the publication
    return attack.case.run(attack.command(), fault=f"{call}:{moment}:{dice.choice(SIGNALS)}")


def kill_by_time(attack: Attack) -> Ended:
    """Sends a signal at some moment, and perhaps another one."""
    case = attack.case
    _, seconds = undisturbed_there(attack)
    number = getattr(signal, case.dice.choice(SIGNALS))
    twice = number in (signal.SIGTERM, signal.SIGINT) and case.dice.random() < 0.5
    running = case.start(attack.command())
    time.sleep(seconds * case.dice.random())
    case.note(f"  signal {number}{', twice' if twice else ''}")
    running.send(number)
    if twice:
        time.sleep(0.01 * case.dice.random())
        running.send(signal.SIGSTOP)
        time.sleep(SAME_SIGNAL_SECONDS)
        running.send(number)
        running.send(signal.SIGCONT)
    return case.end(running)


def judge(attack: Attack, ended: Ended, left_before: list[str]) -> None:
    """What must hold after a signal, whatever the moment. What was left before may stay if it came first of all."""
    case, known = attack.case, attack.known
    killed = ended.status == -signal.SIGKILL
    stands = attack.stands()
    claim(ended.status < 0 or ended.status in (known["new"].status, 2), f"killed: {ended.shows()}")
    if "older" in known:
        claim(not stands.startswith("part"), "a part replaced a complete result")
        claim((case.work / "r" / NOTES).read_text() == "not yours\n", f"{NOTES} was changed")
    if killed:
        remove_unnamed_beside(case, known)
        return
    if hidden(case.work) != left_before or "ended at" in ended.said:
        claim_tidy(case, OF_CHECKPOINT if ended.status == 2 else "(?!)")
    claim_beside(case, known)
    if "older" in known:
        claim(stands, "no result stands where an older one stood")
    if ended.status == 2:
        claim_refusal_is_due(attack, ended)
    elif ended.status >= 0:
        claim(stands == "new", f"status {ended.status}, and in r stands {stands!r}")
    elif "--resume " in ended.said:
        claim(attack.checkpoint_is_there(), "the checkpoint that a line names is not there")


def remove_unnamed_beside(case: Case, known: dict[str, Result]) -> None:
    """What a killed process had begun to put beside the folder: no line names it, and nobody goes on with it."""
    for folder in sorted(case.work.glob("r.[0-9]*")):
        standing(folder, known)
        if folder.name not in places_of(case.said):
            shutil.rmtree(folder)


def claim_refusal_is_due(attack: Attack, ended: Ended) -> None:
    claim("holds a result already" in ended.said, f"refused: {ended.shows()}")
    claim(attack.stands() == "new", "refused for a result that is not this one")


def claim_force_is_asked_again(attack: Attack) -> None:
    """--force was for the command that was killed."""
    case = attack.case
    if "older" not in attack.known or not attack.checkpoint_is_there() or attack.stands() != "older":
        return
    # What a killed process has left may be put in order.
    before = data_files(case.work / "r")
    ended = case.run(["--resume", "ck"])
    if attack.stands() == "older":
        claim(ended.status == 2, f"without --force: {ended.shows()}")
        claim(before == data_files(case.work / "r"), "refused, and the older result is another")


def claim_made(attack: Attack, ended: Ended) -> None:
    """The simulation has come to its end, with the bytes of the one that nobody disturbed."""
    case, new = attack.case, attack.known["new"]
    if not new.files:
        claim(ended.status == 1, f"taken up: {ended.shows()}")
        return
    claim(ended.status in (new.status, 2), f"taken up: {ended.shows()}")
    if ended.status == 2:
        claim_refusal_is_due(attack, ended)
    claim(attack.stands() == "new", f"taken up: in r stands {attack.stands()!r}")
    claim_tidy(case, OF_CHECKPOINT if ended.status == 2 else "(?!)")
    claim_beside(case, attack.known)
