#!/usr/bin/env python3
"""The analysis of `make wmk2015`:
- planted ground-state energies are extrapolated to the planted limit, with the error that they have by arithmetic;
- parts of samples, P(q), shares of overlaps near 0 and histograms are what was planted;
- settings that are not allowed are refused.

    test_wmk2015.py

Energies are drawn with a fixed seed; an extrapolation is off by more than 5 of its errors with a probability of 6e-7. One
line a case: ok or FAIL. The last line counts: N passed, N failed."""

from __future__ import annotations

import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Sequence

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "command"))

import parts
import wmk2015
from cases import refusals, report

INFINITE, SLOPE = -1.7, 2.3
LIMIT = 5


def planted(random_numbers: random.Random, of_slope: float = 1.0) -> list[tuple[int, float, float]]:
    """Means of three sizes on a line in 1/L^3, or on one in 1/L^2 besides."""
    points = []
    for edge, error in ((4, 0.002), (6, 0.001), (8, 0.0008)):
        line = INFINITE + of_slope * SLOPE / edge**3 + (1 - of_slope) * SLOPE / edge
        points.append((edge, line + random_numbers.gauss(0, error), error))
    return points


def energies_are_extrapolated() -> list[str]:
    """To the planted value within its error, whose spread it has; with another law not."""
    draw = random.Random(7)
    deviations = []
    for _ in range(200):
        value, error = wmk2015.extrapolate(planted(draw))
        deviations.append((value - INFINITE) / error)
    wrong = [f"{z:.1f} of its errors off" for z in deviations if abs(z) > LIMIT]
    spread = math.sqrt(sum(z * z for z in deviations) / len(deviations))
    if not 0.8 < spread < 1.2:  # 4 sigma of 200
        wrong.append(f"deviations are {spread:.2f} of their errors")
    value, error = wmk2015.extrapolate(planted(draw, 0.5))
    if abs(value - INFINITE) < LIMIT * error:
        wrong.append("another law is not seen")
    return wrong


SIZE = parts.Size(4, 6, 2000, 51, 1, wmk2015.NO_TEMPERING)  # populations and temperatures of `small`


def write_sample(folder: Path, number: int, near: float) -> None:
    """A sample whose pairs have |q| <= 0.2 with a probability of `near` at the last temperature, and of 0.7 at the first row."""
    rows = ["# beta kind q count share err_share"]
    rows += [f"5 0 {q:.4f} 1 {(1 - near) / 4:.11g} 0" for q in (-1, -0.25, 0.21875, 1)]
    rows += [f"5 0 {q:.4f} 1 {near / 4:.11g} 0" for q in (-0.2, 0, 0.1875, 0.2)]
    rows += ["5 1 0 1 0.5 0", "", f"{SIZE.first_row:.11g} 0 0 1 0.7 0", f"{SIZE.first_row:.11g} 0 1 1 0.3 0", "1 0 0 1 0.9 0"]
    place = folder / f"sample_{number:04d}"
    place.mkdir(parents=True)
    (place / "PA_overlap_run_0.dat").write_text("\n".join(rows) + "\n")


def write_part(folder: Path, first: int, near: Sequence[float]) -> None:
    """A part of samples that begin with `first`, and lose their folders."""
    of_part = folder / "samples"
    for n, share in enumerate(near):
        write_sample(of_part, first + n, share)
    rows = [f"{first + n} 7 {-108 - first - n} -1.7 0.9 8 15 16" for n in range(len(near))]
    (of_part / "PA_samples.dat").write_text("\n".join(["# sample couplings E_0 e q_l S_f rho_t more", "# crc32 0", *rows]) + "\n")
    parts.condense(of_part, SIZE, "annealing", folder / f"L4_annealing_{first:05d}.dat")
    shutil.rmtree(of_part)


def parts_have_what_was_planted() -> list[str]:
    """Columns, shares near 0 on either side (bins up to 0.2, of one temperature, not of link overlaps), P(q) with the scatter of samples."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_part(folder, 2, (0.4, 0.8))
        write_part(folder, 0, (0.0, 0.4))
        columns = parts.read_parts(folder, SIZE, "annealing")
        density = {q: (value, error) for q, value, error in parts.read_density(folder, SIZE, 4)}
    wrong = []
    if columns["E_0"] != [-108, -109, -110, -111] or columns["rho_t"] != [15] * 4:
        wrong.append(f"columns {columns}")
    if any(abs(a - b) > 1e-9 for a, b in zip(columns["I_cold"] + columns["I_warm"], [0, 0.4, 0.4, 0.8] + [0.7] * 4)):
        wrong.append(f"near 0: {columns['I_cold']}, {columns['I_warm']}")
    # Shares of 0 in four samples: 0, 0.1, 0.1, 0.2; the nearest bins are 0.0125 apart.
    value, error = (x * 0.0125 for x in density[0.0])
    if abs(value - 0.1) > 1e-9 or abs(error - statistics.stdev((0, 0.1, 0.1, 0.2)) / 2) > 1e-9:
        wrong.append(f"P(0): {value}, {error}")
    return wrong


def a_missing_part_is_seen() -> list[str]:
    """One that is there twice, too."""
    wrong = []
    for first, second in ((0, 3), (0, 1)):
        with tempfile.TemporaryDirectory() as name:
            write_part(Path(name), first, (0.1, 0.1))
            write_part(Path(name), second, (0.1, 0.1))
            try:
                parts.read_parts(Path(name), SIZE, "annealing")
                wrong.append(f"parts from {first} and {second} on are read")
            except ValueError:
                pass
    return wrong


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def parts_are_joined() -> list[str]:
    """wmk2015.py FOLDER TO: the one part in TO has the table, columns and P(q) of those in FOLDER; joined once more, it is the same.
    Neither fewer samples nor a missing one replace it."""
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder, kept, again = (Path(name) / place for place in ("parts", "kept", "again"))
        for first, near in ((0, (0.0, 0.4)), (2, (0.4, 0.8)), (4, (0.2, 0.1))):
            write_part(folder, first, near)
        tables = [of_folders(folder, kept), of_folders(kept, again)]
        if tables[0] != tables[1] or tables[0][0] != 0 or "| 4 | 6 |" not in tables[0][1]:
            wrong.append(f"tables {tables}")
        if sorted(files_of(kept)) != ["L4_annealing_00000.P", "L4_annealing_00000.dat"] or files_of(kept) != files_of(again):
            wrong.append(f"joined {files_of(kept)}, again {files_of(again)}")
        if parts.read_parts(folder, SIZE, "annealing") != parts.read_parts(kept, SIZE, "annealing"):
            wrong.append("columns")
        pairs = zip(parts.read_density(folder, SIZE, 6), parts.read_density(kept, SIZE, 6))
        if any(abs(a - b) > 1e-8 for one, other in pairs for a, b in zip(one, other)):
            wrong.append("P(q)")
        other = folder / "L8_annealing_00000.dat"
        other.write_text("")
        wrong += [] if of_folders(folder)[0] == 1 else ["a size of another profile is left out"]
        other.unlink()
        first = folder / "L4_annealing_00000.dat"
        right = first.read_text()
        first.write_text(right.replace("2000", "50000", 1))
        wrong += [] if right != first.read_text() and of_folders(folder)[0] == 1 else ["samples of another population are read"]
        first.write_text(right)
        for path in folder.glob("*_00004.*"):
            path.unlink()
        wrong += [f"{to.name}: status 0" for to in (kept, folder) if of_folders(folder, to)[0] != 1]  # fewer; parts are there
        for path in folder.glob("*_00000.*"):
            path.unlink()
        if of_folders(folder, Path(name) / "new")[0] != 1 or files_of(kept) != files_of(again):
            wrong.append("samples are lost")
    return wrong


def of_folders(*folders: Path) -> tuple[int, str]:
    """The status of wmk2015.py with these folders, and what it prints."""
    words = [sys.executable, str(Path(__file__).with_name("wmk2015.py")), *map(str, folders)]
    done = subprocess.run(words, env={**os.environ, "PROFILE": "small"}, capture_output=True, text=True)
    return done.returncode, done.stdout


def temperatures_are_in_common() -> list[str]:
    """Tempering has both temperatures at which overlaps are compared, and rising betas."""
    wrong = []
    for size in (size for sizes in wmk2015.PROFILES.values() for size in sizes if size.tempering.samples > 0):
        betas = parts.betas_of(size)
        if size.first_row not in betas or abs(betas[-1] - parts.BETA) > 1e-12 or sorted(set(betas)) != betas:
            wrong.append(f"L = {size.edge}: {betas}")
    return wrong


def differences_are_of_the_same_samples() -> list[str]:
    """Annealing less tempering, sample by sample, of those that both have."""
    annealed = {name: [1.0, 2.0, 9.0] for name in parts.COLUMNS}
    tempered = {name: [0.5, 2.5] for name in parts.COLUMNS}
    lines = wmk2015.beside_tempering([wmk2015.Measured(SIZE, annealed, tempered, [])])
    good = len(lines) == 1 and lines[0].startswith("| 4 | 2 | 0.00(50) |")
    return [] if good else lines


def pictures_have_the_limit() -> list[str]:
    """wmk2015.dat has e0 by 1 / L^3, and at L to infinity by two sizes, nan of one."""
    wrong = []
    for edges, limit in (((4,), "0 nan nan"), ((4, 8), "0 -1.4821429")):
        energies = [[-1.5 * edge**3 + 8 * (edge == 8), -1.5 * edge**3 - 8 * (edge == 4)] for edge in edges]
        columns = [{name: e if name == "E_0" else [1.0, 1.0] for name in parts.COLUMNS} for e in energies]
        sizes = [replace(SIZE, edge=edge) for edge in edges]
        with tempfile.TemporaryDirectory() as name:
            wmk2015.write_curves(Path(name), [wmk2015.Measured(size, a, {}, []) for size, a in zip(sizes, columns)])
            text = (Path(name) / "wmk2015.dat").read_text()
        first, found = (text[text.index(name) :].splitlines()[1] for name in ("# e0", "# limit"))
        if not found.startswith(limit) or first != "0.015625 -1.5625 0.0625":
            wrong.append(f"{edges}: {first}, {found}")
    return wrong


def histograms_hold_everything() -> list[str]:
    """Their area is 1, ends included, and a value is in its bin."""
    rows = wmk2015.histogram([0.0, 0.1, 2.39, 2.4], 0, 2.4)
    area = sum(density * 0.1 for _, density in rows)
    good = abs(area - 1) < 1e-9 and abs(rows[0][1] - 2.5) < 1e-9 and abs(rows[-1][1] - 5) < 1e-9
    return [] if good else [str(rows)]


def samples_of_a_size_are_counted() -> list[str]:
    """SAMPLES of one size after the other, the last of them for all that follow; no more than there are, and two at least."""
    sizes = wmk2015.PROFILES["full"]
    settings = wmk2015.Settings("full", "cpu", (700, 99999, 1), 1)
    found = [settings.wanted(size) for size in sizes]
    return [] if found == [700, sizes[1].samples] + [2] * (len(sizes) - 2) else [str(found)]


def rows_begin_on_the_grid() -> list[str]:
    """The first row is at the step of beta that is nearest to T = 0.42, and overlaps are looked up at what the command line has of it."""
    wrong = []
    for size in (size for sizes in wmk2015.PROFILES.values() for size in sizes):
        steps = size.first_row / size.step
        words = parts.words_for(size, "annealing", Path())
        command = float(words[words.index("-b") + 1])
        if abs(steps - round(steps)) > 1e-9 * steps or abs(size.first_row - 1 / 0.42) > size.step / 2 or command != size.first_row:
            wrong.append(f"L = {size.edge}: {size.first_row}, -b {command}")
    return wrong


def a_missing_temperature_is_seen() -> list[str]:
    """Overlaps of a temperature that is not in the file are no share of 0."""
    with tempfile.TemporaryDirectory() as name:
        write_sample(Path(name), 0, 0.4)
        path = Path(name) / "sample_0000/PA_overlap_run_0.dat"
        there = parts.share_near_0(path, (parts.BETA, SIZE.first_row))
        try:
            return [f"{there} and {parts.share_near_0(path, (parts.BETA, 2.3))}"]
        except ValueError:
            return [] if len(there) == 2 else [str(there)]


def the_identity_is_that_of_the_couplings() -> list[str]:
    """e a bond is -beta (1 - q_l); a sample off by 0.3 shows that, with its sign."""
    q_l = [0.8, 0.9, 0.95]
    e = [-parts.BETA * (1 - q) * wmk2015.BONDS for q in q_l[:2]] + [-parts.BETA * (1 - q_l[2]) * wmk2015.BONDS + 0.9]
    found = wmk2015.off_identity({"e": e, "q_l": q_l})
    return [f"{x}, not {y}" for x, y in zip(found, (0, 0, 0.3)) if abs(x - y) > 1e-12]


def values_are_refused() -> list[str]:
    """Of the environment."""
    cases = (("PROFILE", "huge"), ("DEVICE", "gpu"), ("SAMPLES", "0"), ("SAMPLES", "3,"), ("SECONDS", "x"))
    return refusals(Path(__file__).with_name("wmk2015.py"), cases)


def main() -> int:
    return report(
        {
            "energies are extrapolated, with their error": energies_are_extrapolated(),
            "parts have the values of their samples": parts_have_what_was_planted(),
            "a missing part is seen": a_missing_part_is_seen(),
            "parts are joined to one that has all": parts_are_joined(),
            "tempering has the temperatures of annealing": temperatures_are_in_common(),
            "differences are of the same samples": differences_are_of_the_same_samples(),
            "histograms hold every value": histograms_hold_everything(),
            "pictures have the limit of e0": pictures_have_the_limit(),
            "samples of a size are counted": samples_of_a_size_are_counted(),
            "rows begin on the grid of beta": rows_begin_on_the_grid(),
            "overlaps of a temperature that is missing are refused": a_missing_temperature_is_seen(),
            "the identity has its sign and its factor": the_identity_is_that_of_the_couplings(),
            "settings that are not allowed are refused": values_are_refused(),
        }
    )


if __name__ == "__main__":
    sys.exit(main())
