"""What the program prints to: pipes that nobody reads any more, and descriptors that are closed."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from case import Case, Ended, claim
from claims import claim_beside, claim_tidy
from results import complete_reference, standing

# The program's words follow; a pipe's reader dies at once.
WAYS = {
    "stdout closed": 'exec "$0" "$@" >&-',
    "stderr closed": 'exec "$0" "$@" 2>&-',
    "both closed": 'exec "$0" "$@" >&- 2>&-',
    "all closed": 'exec "$0" "$@" <&- >&- 2>&-',
    "stdout full": 'exec "$0" "$@" >/dev/full',
    "stderr full": 'exec "$0" "$@" 2>/dev/full',
    "both full": 'exec "$0" "$@" >/dev/full 2>&1',
}


def pipes(case: Case) -> None:
    dice = case.dice
    simulation, result = complete_reference(case, long=True)
    known = {"new": result}
    options = [*simulation, "-o", "r", "--checkpoint", "ck", "--checkpoint-every", str(dice.randint(5, 50))]
    number = dice.choice((0, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    if dice.random() < 0.6:
        ended = closed(case, options, dice.choice(list(WAYS)), number)
    else:
        ended = unread(case, options, number)
    claim(ended.status in (0, 1, -number), f"nobody listens: {ended.shows()}")
    stands = standing(case.work / "r", known)
    whole = "new" if ended.status == 0 else stands
    claim(stands and stands == whole, f"status {ended.status}, and in r stands {stands!r}")
    claim_tidy(case)
    case.run(["--resume", "ck"] if stands != "new" else ["--resume", "ck", "-o", "again"])
    folder = "r" if stands != "new" else "again"
    claim(standing(case.work / folder, known) == "new", "the checkpoint gives another result")
    claim_tidy(case)
    claim_beside(case, known)


def interrupt(case: Case, process: subprocess.Popen[bytes], number: int) -> None:
    """Sends a signal when the first checkpoint is there."""
    while process.poll() is None and not (case.work / "ck").exists():
        time.sleep(0.001)
    time.sleep(0.02 * case.dice.random())
    if number:
        process.send_signal(number)


def closed(case: Case, options: list[str], way: str, number: int) -> Ended:
    case.note(f"  {way}")
    running = case.start(options, under=["sh", "-c", WAYS[way]])
    interrupt(case, running.process, number)
    return case.end(running)


def unread(case: Case, options: list[str], number: int) -> Ended:
    """Pipes whose reader is gone: of stdout, stderr or both."""
    both = case.dice.random() < 0.5
    reader, writer = os.pipe()
    words = [case.programs.paising, "-D", "cpu", *options]
    case.note(f"{' '.join(words)}, {'both' if both else 'stdout'} a pipe without a reader")
    process = subprocess.Popen(
        words, cwd=case.work, env=case.environment, stdin=subprocess.DEVNULL, stdout=writer,
        stderr=writer if both else subprocess.DEVNULL,
    )
    os.close(writer)
    os.close(reader)
    interrupt(case, process, number)
    process.wait()
    case.note(f"  status {process.returncode}")
    return Ended(process.returncode, "", "")
