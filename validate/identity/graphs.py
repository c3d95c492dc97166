"""Sets of options with graphs: each has a file of its own."""

from __future__ import annotations

import random
from pathlib import Path

Bonds = list[tuple[int, int]]

COUPLINGS = (("1", "-1"), ("1", "-1", "2", "-3"), ("0.5", "-0.5", "1"), ("1",))
METHODS = (
    "-b 0 -f {end} -d 0.1",
    "-b 0 -f {end} -d 0.1 -m --resampling multinomial",
    "--method canonical -b 0.1 -f {end} -d 0.2 --thermalisation 3 --measurements 8",
    "--method tempering -b 0.1 -f {end} -d 0.2 --thermalisation 3 --measurements 8",
    "--method microcanonical -b 0 -f {end} -d 0.25 --cull 0.3 -M 2 --spin-observables",
    "--method microcanonical -b 0 -f {end} -d 0.25 --cull 0.5 --heating",
    "--method multicanonical --divergence 0.5 -b 0 -f {end} -d 0.25 --thermalisation 2 --iteration-length 4 --iterations 5 --measurements 5",
    "--method wang-landau --flatness 0.3 --block-attempts 37 -b 0 -f {end} -d 0.25 --iteration-length 4 --iterations 20 --measurements 20 --windows 2 --window-overlap 0.8",
)


def draw_bonds(dice: random.Random) -> Bonds:
    """Pairs of sites: of a complete graph, a star, a ring, or any, of many degrees."""
    kind = dice.randrange(4)
    if kind == 0:
        sites = dice.randint(2, 12)
        return [(i, j) for j in range(sites) for i in range(j)]
    if kind == 1:
        return [(0, j) for j in range(1, dice.randint(3, 40))]
    if kind == 2:
        sites = dice.randint(3, 70)
        return [(i, (i + 1) % sites) for i in range(sites)]
    sites = dice.randint(5, 120)
    return [(i, j) for j in range(sites) for i in range(j) if dice.random() < 3 / sites] or [(0, 1)]


def draw_graph_set(dice: random.Random, file: Path) -> str:
    """Writes a graph, in half of the sets with fields, and returns options that simulate it."""
    bonds = draw_bonds(dice)
    values = dice.choice(COUPLINGS)
    lines = [f"{i} {j} {dice.choice(values)}" for i, j in bonds]
    if dice.random() < 0.5:
        lines += [f"{i} {i} {dice.choice(values)}" for i in range(max(map(max, bonds)) + 2) if dice.random() < 0.4]
    file.write_text("".join(line + "\n" for line in lines))
    method = dice.choice(METHODS).format(end=dice.choice(("0.6", "1", "1.3")))
    population, sweeps, seed = dice.randint(20, 400), dice.randint(1, 3), dice.randrange(1000000)
    return f"--graph {file} --couplings-format ours --couplings-from 0 -c ssc {method} -R {population} -t {sweeps} -P 17 -s {seed}"
