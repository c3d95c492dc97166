"""Files that are not as they were written: bits, ends, and sections of checkpoints."""

from __future__ import annotations

import random
import struct
import subprocess

from case import Case, claim
from claims import claim_refused
from results import STATE, Result, complete_reference, data_files, draw_seed, is_whole, standing, with_seed

CHECKPOINT_HEAD = 16  # bytes: magic, version
SECTION_HEAD = 28  # bytes: name, length, checksum



def spoil(dice: random.Random, data: bytes) -> tuple[bytes, str]:
    """Other bytes, and what was done."""
    how = dice.choice(("bits", "bits", "bits", "cut", "longer", "zeros"))
    spoilt = bytearray(data)
    if how == "cut":
        del spoilt[dice.randrange(len(data)) :]
    elif how == "longer":
        spoilt += dice.choice((b"\0", data[-dice.randint(1, len(data)) :]))
    elif how == "zeros":
        first = dice.randrange(len(data))
        end = min(len(data), first + dice.choice((1, 16, 512)))
        spoilt[first:end] = bytes(end - first)
    if bytes(spoilt) == data:  # zeros to zeros are bits, too
        how = "bits"
        places = [dice.randrange(8 * len(data)) for _ in range(dice.randint(1, 3))]
        for place in set(places):
            spoilt[place // 8] ^= 1 << place % 8
    return bytes(spoilt), f"{how} of {len(data)} bytes"


def make(case: Case, simulation: list[str], folder: str, checkpoint: str, every: int = 1) -> None:
    """A result, and the last one of its checkpoints."""
    options = ["-o", folder, "--checkpoint", checkpoint, "--checkpoint-every", str(every)]
    ended = case.run([*simulation, *options])
    claim(ended.status == 0, f"with checkpoints: {ended.shows()}")


# --- bits ---


def flips(case: Case) -> None:
    simulation, result = complete_reference(case)
    case.dice.choice((spoilt_checkpoint, spoilt_result, spoilt_part))(case, simulation, result)


def spoilt_checkpoint(case: Case, simulation: list[str], _: Result) -> None:
    make(case, simulation, "r", "ck", case.dice.randint(1, 2))
    data, how = spoil(case.dice, (case.work / "ck").read_bytes())
    case.note(f"  spoilt: {how} of ck")
    (case.work / "ck").write_bytes(data)
    for more in (["-o", "new"], ["--force"]):
        claim_refused(case, ["--resume", "ck", *more], f"{how} of a checkpoint")


def spoilt_result(case: Case, simulation: list[str], result: Result) -> None:
    """The comparing program reads the averages over the runs."""
    case.run([*simulation, "-o", "r"])
    for name, data in result.files.items():
        spoilt, how = spoil(case.dice, data)
        case.note(f"  spoilt: {how} of {name}")
        (case.work / "r" / name).write_bytes(spoilt)
        claim(not is_whole(spoilt), f"{how} of {name} does not show")
    done = subprocess.run([case.programs.compare, "r"], cwd=case.work, capture_output=True, check=False)
    claim(done.returncode == 1, f"compared although it is spoilt: status {done.returncode}, {done.stderr.decode()!r}")


def spoilt_part(case: Case, simulation: list[str], result: Result) -> None:
    """A part that is not known to be of this simulation is not replaced by the run that goes on."""
    options = [*simulation, "-o", "r", "--checkpoint", "ck", "--checkpoint-every", "1"]
    ended = case.run(options, fault=f"fsync:{case.dice.randint(1, 4)}:SIGTERM")
    known = {"new": result}
    if ended.status == 0 or standing(case.work / "r", known) != "part of new":
        return
    kept = data_files(case.work / "r")
    path = case.dice.choice([case.work / "r" / name for name in kept])
    data, how = spoil(case.dice, path.read_bytes())
    case.note(f"  spoilt: {how} of {path.name}")
    path.write_bytes(data)
    claim_refused(case, ["--resume", "ck"], f"{how} of a part")
    path.write_bytes(kept[path.name])
    claim_foreign_part_stays(case)
    ended = case.run(["--resume", "ck"])
    claim(ended.status == 0 and standing(case.work / "r", known) == "new", f"mended: {ended.shows()}")


def claim_foreign_part_stays(case: Case) -> None:
    """With a run.json that says that the result is complete, nothing is replaced, and nothing left to do."""
    path = case.work / "r" / STATE
    text, kept = path.read_text(), data_files(case.work / "r")
    path.write_text(text.replace('"interrupted": true', '"interrupted": false'))
    ended = case.run(["--resume", "ck"])
    claim(ended.status == 0 and "nothing is left to do" in ended.said, f"said to be complete: {ended.shows()}")
    claim(kept == data_files(case.work / "r"), "a result that says that it is complete was replaced")
    path.write_text(text)


# --- sections ---


def sections_of(data: bytes) -> tuple[list[bytes], bytes]:
    """The head and the sections of a checkpoint, each with its checksums, and what stands behind the last."""
    parts, at = [data[:CHECKPOINT_HEAD]], CHECKPOINT_HEAD
    while len(data) - at > SECTION_HEAD:
        length = struct.unpack_from("<Q", data, at + 16)[0]
        end = at + SECTION_HEAD + length + 4
        parts.append(data[at:end])
        at = end
    return parts, data[at:]


def sections(case: Case) -> None:
    """Sections of two checkpoints, each as it was written: at two steps, of two seeds, or both."""
    dice = case.dice
    simulation, _ = complete_reference(case)
    other = with_seed(simulation, draw_seed(dice)) if dice.random() < 0.5 else simulation
    make(case, simulation, "r", "ck", 1)
    make(case, other, "s", "ck2", dice.choice((2, 3)) if other == simulation or dice.random() < 0.5 else 1)
    one, end = sections_of((case.work / "ck").read_bytes())
    two, other_end = sections_of((case.work / "ck2").read_bytes())
    claim(len(one) == len(two), "checkpoints of other sections")
    differ = [n for n, (mine, others) in enumerate(zip(one, two)) if mine != others]
    for mixed, how in mixtures(dice, one, two, differ):
        for last in {end, other_end}:
            case.note(f"  mixed: {how}")
            (case.work / "mixed").write_bytes(b"".join(mixed) + last)
            claim_refused(case, ["--resume", "mixed", "-o", "new"], how)


def mixtures(
    dice: random.Random, one: list[bytes], two: list[bytes], differ: list[int]
) -> list[tuple[list[bytes], str]]:
    """Each section alone from the other checkpoint, some together, and out of their order."""
    chosen = [[n] for n in differ]
    chosen += [sorted(dice.sample(differ, dice.randint(1, len(differ) - 1))) for _ in range(4) if len(differ) > 2]
    mixed = [
        ([two[n] if n in some else part for n, part in enumerate(one)], f"sections {some} of another checkpoint")
        for some in chosen
        if len(some) < len(differ)
    ]
    left_out, doubled = dice.randrange(1, len(one)), dice.randrange(1, len(one))
    mixed.append((one[:left_out] + one[left_out + 1 :], f"without section {left_out}"))
    mixed.append((one[: doubled + 1] + one[doubled:], f"section {doubled} twice"))
    mixed.append(([one[0]] + one[:0:-1], "sections in the order from the last to the first"))
    return mixed
