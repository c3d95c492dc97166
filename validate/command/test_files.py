#!/usr/bin/env python3
"""The files of results, of all methods, as readers see them who know the guide (paising/docs/files.md).

    test_files.py BUILD             BUILD: the folder of the programs
    test_files.py --numpy FOLDER    what NumPy finds wrong with the files of a folder (a Python that has it)

  - Columns: the last `#` line before the rows names the columns of every data file. NumPy's genfromtxt reads them so.
  - Archives (--format npz) have the header, the names, the numbers and the order of the text, and whole numbers as such. They
    have equal bytes without text beside them, on ranks and from a checkpoint. One that was cut off is made again.
  - run.json: paising/docs/run.schema.json, which names each setting and each choice that the program has.

Each has negative controls. One line a case. The last line counts: N passed, N failed."""

from __future__ import annotations

import ast
import copy
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cases import report

TOP = Path(__file__).resolve().parents[2]
GLASS = "--model glass2d -L 4 -c ssc -R 100 -t 2 -d 0.25"
SQUARE = "-L 8 -c ssc -R 100 -t 2 -d 0.25"
SERIES = "-L 8 -c ssc -R 10 -t 1 -d 0.1 --measurements 20 --thermalisation 5"
RUNS = {
    "square": f"{SQUARE} -M 2 -m",
    "steps": "-L 8 -c ssc -R 100 -t 2 -a 0.8",
    "glass": f"{GLASS} -M 2",
    "samples": f"{GLASS} --samples 2",
    "missing": f"{GLASS} --dilution 0.2",
    "ground": f"{GLASS} --ground-states --time-limit 1s --miss-width 0.5",
    "ground samples": f"{GLASS} --ground-states --samples 2 --time-limit 1s --miss-width 0.5",
    "tempering": f"{SERIES} -b 0.1 -f 0.3 --method tempering",
    "chains": "--method tempering --model glass2d -L 4 -c ssc -R 64 -t 1 -b 0.5 -f 1 -d 0.5 --measurements 40 --moves houdayer -m0.25",
    "canonical": f"{SERIES} -b 0.3 -f 0.3 --method canonical -M 2 -m",
    "chains of samples": "--method tempering --model glass2d -L 4 -c ssc -R 64 -t 1 -b 0.5 -f 1 -d 0.5 --measurements 40 --samples 2",
    "flat": "--method multicanonical -L 4 -c ssc -R 8 -t 1 -b 0.4 -f 0.5 -d 0.1 --measurements 20",
    "flat glass": "--method wang-landau --iterations 1 --model glass2d -L 4 -c ssc -R 8 -t 1 -f 1 -d 0.5 --measurements 20 --windows 2",
    "walkers": "--method multicanonical -L 4 -c ssc -R 8 -t 1 -b 0.4 -f 0.5 -d 0.1 --measurements 20 --record states",
    "spins": "--method microcanonical --model baxter-wu -L 3 -R 100 -t 2 -M 2 --spin-observables",
    "ceilings": "--method microcanonical -L 4 -c ssc -R 100 -t 2 -M 2 --heating",
    "bins of samples": "--method tempering --words samples --record bins --model glass2d -L 16 -R 2 -t 1 --samples 32 -b 0.5 -f 1 -d 0.5 --measurements 64 --thermalisation 8",
    "vectors": "--method canonical --model xy2d --vector-observables -L 4 -R 10 -t 1 -b 0.5 -f 1 -d 0.5 --measurements 40",
}
READ_AGAIN = {"PA_schedule.dat", "PA_couplings.dat", "MC_schedule_acceptance.dat", "MC_schedule_round_trips.dat"}  # by --betas, --sweeps-file, --couplings: text in any case
# Columns of whole numbers; R is a mean in averages.
WHOLE = set("""families trusted blocks pairs trusting runs kind count theta x y z spin direction J run counts replicas doubt step
    attempts equilibrated sample hits site couplings temperatures replicas_0 families_0""".split())
AVERAGES = {"PA_results_weighted.dat", "PA_samples.dat"}


# --- columns ---


def read_text(text: str) -> tuple[str, list[str], list[list[float]]]:
    """Header, names of the columns, and rows of a data file."""
    lines = text.splitlines()
    if not re.fullmatch(r"# crc32 [0-9a-f]{8}", lines[-1]) or zlib.crc32(text[: -len(lines[-1]) - 1].encode()) != int(lines[-1][8:], 16):
        raise ValueError("no checksum, or a wrong one")
    first = next(n for n, line in enumerate(lines) if line and not line.startswith("#"))
    names = lines[first - 1].split()[1:]
    if lines[0] != lines[first - 1]:
        raise ValueError("the first line is not that of the names")
    rows = [[float(word) for word in line.split()] for line in lines if line and not line.startswith("#")]
    if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows):
        raise ValueError(f"the names {' '.join(names)} are not those of rows of {sorted({len(row) for row in rows})} numbers")
    if any(re.fullmatch(r"[-+.\d]+", name) for name in names):
        raise ValueError(f"numbers among the names {' '.join(names)}")
    return "".join(line + "\n" for line in lines[:-1] if line.startswith("#")), names, rows


def wrong_in_text(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*.dat")):
        try:
            read_text(file.read_text())
        except (ValueError, IndexError, StopIteration) as error:
            yield f"{file.relative_to(folder)}: {error}"


def wrong_in_blocks(folder: Path) -> Iterator[str]:
    """Histograms: block 2 n is P(q) of temperature n, block 2 n + 1 P(q_l), as gnuplot counts."""
    for file in sorted([*folder.rglob("PA_*overlap*.dat"), *folder.rglob("MC_disorder_overlap.dat")]):
        _, names, rows = read_text(file.read_text())
        blocks = [[line.split() for line in block.splitlines() if line and line[0] != "#"] for block in file.read_text().split("\n\n\n")]
        if names != "beta kind q count share err_share".split() or sum(map(len, blocks)) != len(rows):
            yield f"{file.name}: {names}"
        for number, block in enumerate(blocks):
            if {(row[0], row[1]) for row in block} != {(blocks[number // 2 * 2][0][0], str(number % 2))}:
                yield f"{file.name}: block {number} is not of one beta and kind {number % 2}"


def wrong_in_set(folders: list[Path]) -> list[str]:
    """Every kind of data file that the program knows (files/result_names.c) is among those that are tested."""
    names = set(re.findall(r'"((?:PA|MC|MA|FH)_\w+)\.dat"', (TOP / "paising/files/result_names.h").read_text()))
    names |= {name + "K" for name in re.findall(r'"(PA_\w+_run_)", "\.dat"', (TOP / "paising/files/result_names.c").read_text())}
    names |= {name + "K" for name in re.findall(r'"(MC_\w+_run_)"', (TOP / "paising/files/result_names.h").read_text())}
    found = {re.sub(r"\d+$", "K", file.stem) for folder in folders for file in folder.rglob("*.dat")}
    return [f"{name}: no run makes it, or no list names it" for name in sorted(names ^ found)]


# --- archives ---


def read_array(data: bytes) -> tuple[str, list[Any]]:
    """Type and numbers of a .npy file of one dimension."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("no .npy")
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    about = ast.literal_eval(data[10:begin].decode())
    (count,) = about["shape"]
    code = {"|u1": "B", "<f8": "d", "<i8": "q"}[about["descr"]]
    return about["descr"], list(struct.unpack(f"<{count}{code}", data[begin:]))


def same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x == y or math.isnan(x) and math.isnan(y) for x, y in zip(a, b))


def wrong_in_archive(file: Path) -> Iterator[str]:
    text = file.with_suffix(".dat")
    header, names, rows = read_text(text.read_text())
    with zipfile.ZipFile(file) as archive:
        if archive.testzip() is not None or [i.filename for i in archive.infolist()] != [f"{name}.npy" for name in ["header", *names]]:
            yield f"{file.name}: members {[i.filename for i in archive.infolist()]}"
            return
        if {i.date_time for i in archive.infolist()} != {(1980, 1, 1, 0, 0, 0)}:
            yield f"{file.name}: dates"
        if bytes(read_array(archive.read("header.npy"))[1]).decode() != header:
            yield f"{file.name}: the header is not that of the text"
        for place, name in enumerate(names):
            kind, numbers = read_array(archive.read(f"{name}.npy"))
            if kind != ("<i8" if name in WHOLE or (name == "R" and text.name not in AVERAGES) else "<f8"):
                yield f"{file.name}: {name} is {kind}"
            if not same(numbers, [row[place] for row in rows]):
                yield f"{file.name}: {name} has other numbers than the text"


def wrong_in_archives(folder: Path) -> Iterator[str]:
    for text in sorted(folder.rglob("*.dat")):
        if not text.with_suffix(".npz").exists():
            yield f"{text.name} has no archive"
        else:
            yield from wrong_in_archive(text.with_suffix(".npz"))


def data_of(folder: Path, suffix: str) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*" + suffix))}


def wrong_in_npz_alone(both: Path, alone: Path) -> Iterator[str]:
    """Without text the archives are the same, and text is where the program reads it again."""
    if data_of(both, ".npz") != data_of(alone, ".npz"):
        yield f"{alone.name}: not the archives of text,npz"
    for name in data_of(both, ".dat"):
        kept = name in READ_AGAIN or "/" in name  # of a sample
        if (alone / name).exists() != kept:
            yield f"{alone.name}: {name} is {'missing' if kept else 'there'}"


# --- run.json ---


def is_of_type(value: Any, name: str) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "number": number,
        "integer": number and value == int(value),
    }[name]


def wrong_by_schema(value: Any, schema: dict[str, Any], place: str = "run.json") -> Iterator[str]:
    """What a value has wrong by a schema, whose keywords must be among these."""
    unknown = set(schema) - {"$schema", "title", "description", "type", "enum", "required", "properties", "additionalProperties", "items"}
    if unknown or schema.get("additionalProperties", False) is not False:
        yield f"{place}: keywords that are not checked here: {sorted(unknown)}"
    types = schema.get("type", [])
    if types and not any(is_of_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        yield f"{place}: {value!r} is not of type {types}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value)
        if "additionalProperties" in schema:
            yield from (f"{place}: {name} is unknown" for name in value if name not in known)
        for name, member in value.items():
            yield from wrong_by_schema(member, known.get(name, {}), f"{place}: {name}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from wrong_by_schema(item, schema.get("items", {}), f"{place}: item {number}")


def wrong_in_states(folders: list[Path], schema: dict[str, Any]) -> Iterator[str]:
    seen: set[str] = set()
    for file in sorted(file for folder in folders for file in folder.rglob("run.json")):
        state = json.loads(file.read_text())
        seen |= set(state)
        for wrong in wrong_by_schema(state, schema):
            yield f"{file.parent.name}/{wrong}"
    missing = set(schema["properties"]) - seen - {"ranks"}  # where there is MPI
    yield from (f"{name}: in no run.json here" for name in sorted(missing))


def wrong_in_choices(build: Path, schema: dict[str, Any]) -> Iterator[str]:
    """The choices of each setting, as the program completes them, are those of the schema."""
    script = subprocess.run([build / "paising", "--completion", "bash"], capture_output=True, text=True, check=True).stdout
    parameters = schema["properties"]["parameters"]["properties"]
    for name, words in re.findall(r"--([\w-]+)\) mapfile .* -W '([^']*)'", script):
        if name in parameters and name != "device" and parameters[name].get("enum") != [*words.split(), None]:  # cuda:N too
            yield f"{name}: {words}; the schema has {parameters[name]}"


def changes(state: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """What a run.json must not be, and what is wrong with it: a required key is missing, a key is unknown, a value is of a
    wrong type, a choice is none."""
    for path in ((), ("parameters",), ("seconds",)):
        of = schema["properties"][path[0]] if path else schema
        for key in [*of["required"], "another"]:
            changed = copy.deepcopy(state)
            at = changed[path[0]] if path else changed
            if key == "another":
                at[key] = None
            else:
                at.pop(key, None)
            yield changed, f"{key} is {'unknown' if key == 'another' else 'missing'}"
    for member, key, value in (("parameters", "coding", "other"), ("parameters", "seed", "7"), ("seconds", "total", True)):
        changed = copy.deepcopy(state)
        changed[member][key] = value
        yield changed, f"{member}: {key}: {value!r} is n"


def missed_by_checker(state: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    return [
        f"not found: {wrong}"
        for changed, wrong in changes(state, schema)
        if not any(wrong in found for found in wrong_by_schema(changed, schema))
    ]


def missed_by_reader(text: str) -> list[str]:
    """A data file with a line behind the names of its columns."""
    body = "".join(text.splitlines(keepends=True)[:-1]).replace("\n0 ", "\n# one line more\n0 ", 1)
    try:
        read_text(f"{body}# crc32 {zlib.crc32(body.encode()):08x}\n")
    except ValueError:
        return []
    return ["not found"]


# --- with NumPy ---


def numpy_finds(folder: Path) -> Iterator[str]:
    import numpy as np

    for file in sorted(folder.rglob("*.dat")):
        lines = file.read_text().splitlines()
        before = next(n for n, line in enumerate(lines) if line and line[0] != "#") - 1
        table = np.genfromtxt(file, names=True, deletechars="", replace_space=" ")
        names, rows = lines[before].split()[1:], sum(bool(line) and line[0] != "#" for line in lines)
        if list(table.dtype.names) != names or table.size != rows:
            yield f"{file.name}: genfromtxt: {table.dtype.names}, {table.size} rows"
        with np.load(file.with_suffix(".npz")) as archive:
            if archive.files != ["header", *names]:
                yield f"{file.name}: numpy.load: {archive.files}"
            for name in names:
                if not np.array_equal(archive[name], np.atleast_1d(table[name]), equal_nan=True):
                    yield f"{file.name}: {name} as .npz differs"


def numpy_cases(folder: Path) -> dict[str, list[str]]:
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
            done = subprocess.run([python, __file__, "--numpy", folder], capture_output=True, text=True, check=False)
            return {"genfromtxt and numpy.load read every file": (done.stdout + done.stderr).splitlines()}
    print("SKIP genfromtxt and numpy.load read every file: no Python with NumPy")
    return {}


# --- runs ---


class Program:
    def __init__(self, build: Path, folder: Path) -> None:
        self.path, self.folder = build / "paising", folder
        self.failed: list[str] = []  # what runs said that did not end as they should
        self.said = ""  # of the last run

    def run(self, options: str, name: str, *before: str, status: int = 0) -> Path:
        command = [*before, str(self.path), "-D", "cpu", *options.split(), "-o", name]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != status:
            self.failed.append(f"{options}: status {done.returncode}: {done.stderr.strip()}")
        self.said = done.stderr
        return self.folder / name


def other_ways(program: Program, both: Path) -> Iterator[str]:
    """Archives from a checkpoint and by the same command again."""
    options = f"{RUNS['glass']} --format npz --checkpoint-every 2"
    whole = program.run(f"{options} --checkpoint ck", "first")
    program.run(f"{options} --checkpoint ck --continue", "first")
    if "nothing is left to do" not in program.said:
        yield f"--continue: {program.said}"
    program.run(f"{options} --checkpoint ck2", "second")
    archive = whole / "PA_results_run_0.npz"
    if not archive.exists():
        yield "no archive"
        return
    archive.write_bytes(archive.read_bytes()[:-1])
    program.run(f"{options} --checkpoint ck --continue", "first", status=2)
    if data_of(program.run("--resume ck2", "resumed"), ".npz") != data_of(both, ".npz"):
        yield "--resume: other archives"


def samples_again(program: Program, both: Path) -> Iterator[str]:
    expected = data_of(both, ".npz")
    if not expected:
        yield "no archives"
        return
    ways = {
        "the last byte is missing": lambda data: data[:-1],
        "cut off in the header": lambda data: data[:900],
        "empty": lambda data: b"",
        "a byte of the numbers differs": lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
        "a byte of the directory differs": lambda data: data[:-60] + bytes([data[-60] ^ 1]) + data[-59:],
        "as it was": lambda data: data,
    }
    for way, spoil in ways.items():
        archive = both / "sample_0001" / "PA_results_run_0.npz"
        archive.write_bytes(spoil(archive.read_bytes()))
        program.run(f"{RUNS['samples']} --format text,npz", str(both))
        if data_of(both, ".npz") != expected:
            yield f"{way}: the archive of a sample is not made again"


def main() -> int:
    if len(sys.argv) == 3 and sys.argv[1] == "--numpy":
        print("".join(line + "\n" for line in numpy_finds(Path(sys.argv[2]))), end="")
        return 0
    build = Path(sys.argv[1]).resolve()
    schema = json.loads((TOP / "paising/docs/run.schema.json").read_text())
    cases: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="files-") as scratch:
        program = Program(build, Path(scratch))
        (program.folder / "both").mkdir()
        both = {name: program.run(f"{options} --format text,npz", f"both/{name}") for name, options in RUNS.items()}
        all_of = list(both.values())
        cases["every kind of data file is among the runs"] = wrong_in_set(all_of)
        cases["the last line of the header names the columns"] = [w for f in all_of for w in wrong_in_text(f)]
        cases["control: a line behind the names is found"] = missed_by_reader((both["square"] / "PA_results_run_0.dat").read_text())
        cases["blocks of histograms are of one beta and kind"] = [w for f in all_of for w in wrong_in_blocks(f)]
        cases["archives have what the text has"] = [w for f in all_of for w in wrong_in_archives(f)]
        cases.update(numpy_cases(program.folder / "both"))
        alone = [(both[n], program.run(f"{RUNS[n]} --format npz", f"{n}.npz")) for n in ("glass", "samples", "steps", "tempering")]
        cases["archives without text are the same"] = [w for pair in alone for w in wrong_in_npz_alone(*pair)]
        cases["archives from a checkpoint, and the same command again"] = list(other_ways(program, both["glass"]))
        cases["archives of samples are made again"] = list(samples_again(program, both["samples"]))
        if shutil.which("mpirun"):
            os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
            ranks = program.run(f"{RUNS['glass']} --format npz", "ranks", "mpirun", "--oversubscribe", "-n", "2")
            cases["archives on two ranks"] = [] if data_of(ranks, ".npz") == data_of(both["glass"], ".npz") else ["others"]
            all_of.append(ranks)
        else:
            print("SKIP archives on two ranks: no mpirun")
        (program.folder / "bonds").write_text("".join(f"{n} {(n + 1) % 16} 1\n" for n in range(16)))
        all_of.append(program.run("--graph bonds -c ssc -R 100 -t 2 -d 0.25", "graph"))
        cases["run.json is as its schema says"] = list(wrong_in_states(all_of, schema))
        cases["the schema has the choices of the program"] = list(wrong_in_choices(build, schema))
        state = json.loads((both["square"] / "run.json").read_text())
        cases["control: keys that are missing or unknown are found, and wrong values"] = missed_by_checker(state, schema)
        cases["every run ended well"] = program.failed
    return report(cases)


if __name__ == "__main__":
    sys.exit(main())
