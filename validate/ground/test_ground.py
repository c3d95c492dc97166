#!/usr/bin/env python3
"""Claims about validate/ground/ground.py: numbers of states off by a constant error, missed energies and energies above the
published ones are found, and right ones are not; files of energies and of bonds are read. One line a case: ok or FAIL."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validate/command"), str(TOP / "validate/ground")]

import ground  # noqa: E402
from cases import report  # noqa: E402


def planted(shift: float, lowest: bool = True) -> list[ground.States]:
    """Normal z-scores of five samples, shifted."""
    numbers = random.Random(1)
    return [ground.States(n, 8, 8.0, [numbers.gauss(shift, 1) for _ in range(16)], lowest) for n in range(5)]


def states() -> list[str]:
    wrong = [] if not ground.states_wrong(planted(0)) else ["right numbers are called wrong"]
    wrong += [] if len(ground.states_wrong(planted(1))) == 1 else ["an error of one sigma in each run is not found"]
    wrong += [] if len(ground.states_wrong(planted(0, False))) == 5 else ["missed energies are not found"]
    return wrong


def energies() -> list[str]:
    instance = ground.Instance("a", -916, ())
    found = {"lowest_energy": -916.0}
    above = {"lowest_energy": -912.0}
    wrong = [] if not ground.instances_wrong([ground.Solved(instance, found)]) else ["an energy that is reached is wrong"]
    wrong += [] if ground.instances_wrong([ground.Solved(instance, above)]) else ["an energy above is not found"]
    wrong += [] if not ground.instances_wrong([ground.Solved(instance, {}, "no")]) else ["a refused file is wrong"]
    return wrong


def searches() -> list[str]:
    """A result of a search, and its row of the table."""
    instance = ground.Instance("a", -916, ())
    found = {"lowest_energy": -916, "hits": 3, "runs": 4, "missed_least": 0.05, "missed_most": 0.7, "solution_seconds": None, "solution_error": None}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "run.json").write_text(json.dumps({"ground_states": found, "seconds": {"total": 2.25}, "spin_flips": 3e11}))
        (folder / "PA_ground_states.dat").write_text("# run R theta beta\n0 256 12 1.6 0 -912\n1 512 48 3.6 1 -916\n# a warning\n")
        row = ground.instance_table([ground.read_search(instance, folder)])[-1]
    expected = "| a | -916 | -916 | 3 of 4 | 0.05 to 0.7 | not known | not known | 2.2 | 3e+11 | `-R 512 -t 48 -f 3.6` |"
    refused = ground.instance_table([ground.Solved(instance, {}, "no")])
    wrong = [] if row == expected else [f"the row is {row}"]
    return wrong + ([] if len({line.count("|") for line in refused}) == 1 else [f"a refused file has other columns: {refused}"])


def files() -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "energies.txt").write_text("# names\na.txt -916 --model glass3d -L 8\nb.txt -3\n")
        (folder / "PA_couplings.dat").write_text("# size 4\n3 1 2 0 -1\n0 3 0 1 1\n")
        read, bonds = ground.read_instances(folder), ground.peer_bonds(folder)
    expected = [("a.txt", -916, ("--model", "glass3d", "-L", "8")), ("b.txt", -3, ())]
    wrong = [] if [(i.name, i.energy, i.options) for i in read] == expected else [f"instances {read}"]
    return wrong + ([] if bonds == {(39, 36): -1, (12, 0): 1} else [f"bonds {bonds}"])


def doubts() -> list[str]:
    def text(energy: int, warning: str = "") -> str:
        said = f"# warning: {warning}: x\n" if warning else ""
        return f"# lowest energy of the run: {energy}\n# lowest energy at the last temperature: {energy}\n{said}"

    found = ground.judge([text(-8), text(-4, "too warm to tell"), text(-8, "too few families to tell"), text(-4)])
    expected = [("none", False), ("too warm", True), ("too few families", False), ("none", True)]
    wrong = [] if [(r.warning, r.wrong) for r in found] == expected else [f"judged {found}"]
    wrong += [] if ground.judged_wrong(found) else ["a silent wrong run is not found"]
    return wrong + (ground.judged_wrong(found[:3]))


if __name__ == "__main__":
    sys.exit(report({"numbers of states": states(), "runs in doubt": doubts(), "energies of instances": energies(), "searches": searches(), "files": files()}))
